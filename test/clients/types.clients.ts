// Programs written against the types of the published SDKs compile against ours: every name is there, what programs give is
// taken, and what they get can be read as theirs. What is known to differ is listed in type-differences.json.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '';

interface Surface {
  readonly name: string;
  readonly theirs: string;
  readonly ours: string;
}
interface Differences {
  /** Names that are not there yet. */
  readonly missing: readonly string[];
  /** Values of ours that cannot be read as theirs. */
  readonly reads: readonly string[];
  /** Values of theirs that ours does not take. */
  readonly takes: readonly string[];
}
const KNOWN = JSON.parse(readFileSync(path.join(ROOT, 'test/clients/type-differences.json'), 'utf8')) as Record<
  string,
  Differences
>;

const SURFACES: readonly [Surface, ...Surface[]] = [
  { name: 'claude', theirs: '@anthropic-ai/claude-agent-sdk', ours: 'src/claude.ts' },
  { name: 'qoder', theirs: '@qoder-ai/qoder-agent-sdk', ours: 'src/qoder.ts' },
  { name: 'sdk-tools', theirs: '@anthropic-ai/claude-agent-sdk/sdk-tools', ours: 'src/sdk-tools.ts' },
];
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  typeRoots: [path.join(ROOT, 'node_modules/@types')],
  types: ['node'],
};

/** Compiles a text that stands in the folder of the clients. */
function compile(text: string): ts.Program {
  const file = path.join(FOLDER, 'types-check.mts');
  const host = ts.createCompilerHost(OPTIONS);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  host.getSourceFile = (name, target, ...rest) =>
    name === file ? ts.createSourceFile(name, text, target, true) : getSourceFile(name, target, ...rest);
  return ts.createProgram([file], OPTIONS, host);
}

function sourceOf(program: ts.Program): ts.SourceFile {
  const source = program.getSourceFile(path.join(FOLDER, 'types-check.mts'));
  if (source === undefined) throw new Error('no source');
  return source;
}

/** Types that take no parameters: only those can be compared as they stand. */
function plainTypes(checker: ts.TypeChecker, module: ts.Symbol): Map<string, boolean> {
  return new Map(
    checker.getExportsOfModule(module).flatMap((symbol) => {
      const whole = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      if (!(whole.flags & ts.SymbolFlags.Type)) return [];
      const isGeneric = (whole.declarations ?? []).some(
        (each) => 'typeParameters' in each && (each as { typeParameters?: unknown }).typeParameters !== undefined,
      );
      return [[symbol.name, !isGeneric] as const];
    }),
  );
}

/** As programs are written; each compiles with the import of theirs and with ours. */
const PROGRAMS: Readonly<Record<string, string>> = {
  claude: `
import { query, tool, createSdkMcpServer, HOOK_EVENTS, USAGE_LIMIT_ERROR_PREFIXES, AbortError, startup, listSessions } from 'SDK';
import type { CanUseTool, HookCallback, Options, PermissionResult, PreToolUseHookInput, Query, SDKMessage, SDKResultMessage, SDKUserMessage } from 'SDK';
import type { FileEditOutput } from 'SDK_TOOLS';
import { z } from 'zod/v4';

const add = tool('add', 'Adds.', { a: z.number(), b: z.number() }, async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
const server = createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add] });
const audit: HookCallback = async (input, id, { signal }) => {
  const { tool_name: name } = input as PreToolUseHookInput;
  if (signal.aborted || name === 'Bash') return { decision: 'block', reason: id ?? 'no' };
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
};
const ask: CanUseTool = async (name, input, { suggestions, requestId }): Promise<PermissionResult> =>
  name === 'Read' ? { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions } : { behavior: 'deny', message: requestId };
const abortController = new AbortController();
const options: Options = {
  abortController, cwd: '/', model: 'opus', fallbackModel: 'sonnet', maxTurns: 3, maxBudgetUsd: 1, env: { ...process.env, A: 'b' },
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'x' }, tools: ['Read'], allowedTools: ['Read', 'mcp__calc__add'],
  permissionMode: 'acceptEdits', mcpServers: { calc: server, other: { type: 'stdio', command: 'x', args: [] } }, canUseTool: ask,
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [audit], timeout: 5 }] }, thinking: { type: 'enabled', budgetTokens: 1024 },
  agents: { helper: { description: 'd', prompt: 'p', tools: ['Read'], model: 'haiku' } }, settingSources: ['project'], includePartialMessages: true,
  outputFormat: { type: 'json_schema', schema: { type: 'object' } }, sandbox: { enabled: true }, stderr: (data: string) => data,
};
async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null };
}
export async function main(): Promise<string> {
  const session: Query = query({ prompt: prompts(), options });
  const texts: string[] = [];
  let last: SDKResultMessage | undefined;
  try {
    for await (const message of session) {
      const any: SDKMessage = message;
      if (any.type === 'assistant') for (const block of any.message.content) {
        if (block.type === 'text') texts.push(block.text);
        if (block.type === 'tool_use') texts.push(block.name, block.id);
      }
      if (any.type === 'system' && any.subtype === 'init') texts.push(...any.tools, any.model, any.claude_code_version);
      if (any.type === 'user') texts.push(JSON.stringify((any.tool_use_result as FileEditOutput).structuredPatch));
      if (any.type === 'stream_event' && any.event.type === 'content_block_delta') texts.push(any.event.delta.type);
      if (any.type === 'result') last = any;
    }
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
  }
  await session.interrupt();
  await session.setModel('haiku');
  await session.setPermissionMode('plan');
  const commands: string[] = (await session.supportedCommands()).map(({ name }) => name);
  const warm = await startup({ options });
  warm.query('x');
  const [info] = await listSessions({ limit: 1 });
  if (last?.subtype === 'success') texts.push(last.result, String(last.total_cost_usd + last.usage.input_tokens));
  else texts.push(...(last?.errors ?? []));
  for (const used of Object.values(last?.modelUsage ?? {})) texts.push(String(used.costUSD + used.contextWindow));
  return [...texts, ...commands, info?.summary, HOOK_EVENTS.length, USAGE_LIMIT_ERROR_PREFIXES[0]].join();
}
`,
  qoder: `
import { query, tool, createSdkMcpServer, accessToken, accessTokenFromEnv, qodercliAuth, AbortError, HOOK_EVENTS } from 'SDK';
import type { CanUseTool, HookCallback, Options, Query, SDKMessage, SDKResultMessage } from 'SDK';
import { z } from 'zod/v4';

const echo = tool('echo', 'Says it.', { text: z.string() }, async ({ text }) => ({ content: [{ type: 'text', text }] }));
const hook: HookCallback = async (input) => (input.hook_event_name === 'PreToolUse' && input.tool_name === 'Bash' ? { decision: 'block' } : {});
const ask: CanUseTool = async (name, input) => (name === 'Read' ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'no' });
const token = process.env.T;
const options: Options = {
  auth: token === undefined ? qodercliAuth() : accessToken(token), cwd: '/', model: 'performance', maxTurns: 2,
  systemPrompt: { type: 'preset', preset: 'qodercli', append: 'x' }, mcpServers: { e: createSdkMcpServer({ name: 'e', tools: [echo] }) },
  canUseTool: ask, hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] }, permissionMode: 'yolo', includePartialMessages: true,
};
export async function main(): Promise<string> {
  const session: Query = query({ prompt: 'hi', options: { ...options, auth: accessTokenFromEnv() } });
  const texts: string[] = [];
  let last: SDKResultMessage | undefined;
  for await (const message of session) {
    const any: SDKMessage = message;
    if (any.type === 'assistant') for (const block of any.message.content) if (block.type === 'text') texts.push(block.text ?? '');
    if (any.type === 'result') last = any;
  }
  await session.setModel('auto');
  await session.getAvailableModels();
  if (last?.subtype === 'success') texts.push(last.result);
  return [...texts, HOOK_EVENTS.length, AbortError.name].join();
}
`,
};

describe('programs', () => {
  it.each(Object.entries(PROGRAMS))('of %s compile with either import', (name, text) => {
    const { theirs, ours } = SURFACES.find((each) => each.name === name) ?? SURFACES[0];
    const faults = (sdk: string, tools: string) => {
      const source = text.replaceAll("'SDK'", `'${sdk}'`).replaceAll("'SDK_TOOLS'", `'${tools}'`);
      const program = compile(source);
      return program
        .getSemanticDiagnostics(sourceOf(program))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    };
    expect(faults(theirs, `${theirs}/sdk-tools`)).toEqual([]);
    expect(faults(path.join(ROOT, ours), path.join(ROOT, 'src/sdk-tools.ts'))).toEqual([]);
  });
});

describe.each(SURFACES)('types of $name', ({ name, theirs, ours }) => {
  const imports = `import type * as Theirs from '${theirs}';\nimport type * as Ours from '${path.join(ROOT, ours)}';\n`;
  const names = (() => {
    const program = compile(`${imports}export type Both = [Theirs.Missing, Ours.Missing];`);
    const checker = program.getTypeChecker();
    const [their, our] = sourceOf(program)
      .statements.filter(ts.isImportDeclaration)
      .map((each) => checker.getSymbolAtLocation(each.moduleSpecifier));
    if (their === undefined || our === undefined) throw new Error(`${theirs} or ${ours} cannot be found`);
    return { theirs: plainTypes(checker, their), ours: plainTypes(checker, our) };
  })();

  it('has every name', () => {
    expect(names.theirs.size).toBeGreaterThan(50);
    const known = KNOWN[name]?.missing ?? [];
    expect([...names.theirs.keys()].filter((each) => !names.ours.has(each) && !known.includes(each))).toEqual([]);
  });

  it('takes what theirs is, and can be read as theirs, but for what is known', () => {
    const both = [...names.theirs]
      .filter(([each, plain]) => plain && names.ours.get(each) === true)
      .map(([each]) => each);
    const lines = both.flatMap((each) => [
      `export const reads_${each}: Theirs.${each} = null! as Ours.${each};`,
      `export const takes_${each}: Ours.${each} = null! as Theirs.${each};`,
    ]);
    const program = compile(imports + lines.join('\n'));
    const source = sourceOf(program);
    const failed = new Map<string, string>();
    for (const { start = 0, messageText } of program.getSemanticDiagnostics(source)) {
      const line = source.text.split('\n')[source.getLineAndCharacterOfPosition(start).line] ?? '';
      failed.set(/const (\w+):/.exec(line)?.[1] ?? line, ts.flattenDiagnosticMessageText(messageText, '\n'));
    }
    const known = KNOWN[name] ?? { missing: [], reads: [], takes: [] };
    const listed = [...known.reads.map((each) => `reads_${each}`), ...known.takes.map((each) => `takes_${each}`)];
    // To write the list anew.
    const file = process.env['TURNWRIGHT_TEST_TYPES_FILE'];
    if (file !== undefined) {
      const of = (way: string) =>
        [...failed.keys()].filter((each) => each.startsWith(way)).map((each) => each.slice(6));
      appendFileSync(
        file,
        `${JSON.stringify({ [name]: { reads: of('reads_').sort(), takes: of('takes_').sort() } })}\n`,
      );
    }
    const unknown = [...failed].filter(([each]) => !listed.includes(each)).map(([each, why]) => `${each}: ${why}`);
    expect(unknown).toEqual([]);
  });
});
