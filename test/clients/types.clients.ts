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
  /** Values of ours that cannot be read as theirs, and which of the reasons it has. */
  readonly reads: Readonly<Record<string, string>>;
  /** Values of theirs that ours does not take, likewise. */
  readonly takes: Readonly<Record<string, string>>;
}
const { reasons: REASONS, ...KNOWN } = JSON.parse(
  readFileSync(path.join(ROOT, 'test/clients/type-differences.json'), 'utf8'),
) as { readonly reasons: Readonly<Record<string, string>> } & Readonly<Record<string, Differences>>;

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

/** Another transport of the engine's own lines is refused, so nothing is met through one. */
const REFUSED_HERE = new Set(['Transport', 'ProcessTransport', 'WorkerTransport', 'QueryTransportProvider']);

/**
 * Which way a program meets each type, by what it can call: it reads what functions return and what its callbacks are given,
 * and gives what functions take and what its callbacks return. A type that no function leads to, such as a request of the
 * wire, is met neither way.
 */
function waysOf(checker: ts.TypeChecker, module: ts.Symbol, folder: string): Record<'reads' | 'takes', Set<string>> {
  const ways = { reads: new Set<string>(), takes: new Set<string>() };
  type Way = keyof typeof ways;
  const other = (way: Way): Way => (way === 'reads' ? 'takes' : 'reads');
  const whole = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const names = new Map<ts.Symbol, string[]>();
  for (const symbol of checker.getExportsOfModule(module))
    names.set(whole(symbol), [...(names.get(whole(symbol)) ?? []), symbol.name]);
  const seen = { reads: new Set<ts.Symbol>(), takes: new Set<ts.Symbol>() };
  const visitSymbol = (found: ts.Symbol | undefined, way: Way): void => {
    if (found === undefined) return;
    const symbol = whole(found);
    if (seen[way].has(symbol)) return;
    seen[way].add(symbol);
    for (const name of names.get(symbol) ?? []) ways[way].add(name);
    if (REFUSED_HERE.has(symbol.name)) return;
    for (const declaration of symbol.declarations ?? []) {
      if (!declaration.getSourceFile().fileName.includes(folder) || ts.isTypeParameterDeclaration(declaration))
        continue;
      ts.forEachChild(declaration, (child) => visit(child, way));
    }
  };
  const visit = (node: ts.Node, way: Way): void => {
    // A part of a type is that part alone.
    if (ts.isIndexedAccessTypeNode(node)) return;
    if (ts.isTypeReferenceNode(node)) visitSymbol(checker.getSymbolAtLocation(node.typeName), way);
    else if (ts.isImportTypeNode(node) && node.qualifier) visitSymbol(checker.getSymbolAtLocation(node.qualifier), way);
    else if (ts.isTypeQueryNode(node)) visitSymbol(checker.getSymbolAtLocation(node.exprName), way);
    else if (ts.isExpressionWithTypeArguments(node)) visitSymbol(checker.getSymbolAtLocation(node.expression), way);
    if (ts.isFunctionLike(node)) {
      for (const { type } of node.parameters) if (type !== undefined) visit(type, other(way));
      if (node.type !== undefined) visit(node.type, way);
    } else ts.forEachChild(node, (child) => visit(child, way));
  };
  for (const symbol of checker.getExportsOfModule(module).map(whole)) {
    if (!(symbol.flags & ts.SymbolFlags.Value) || REFUSED_HERE.has(symbol.name)) continue;
    for (const declaration of symbol.declarations ?? []) visit(declaration, 'reads');
    if (symbol.flags & ts.SymbolFlags.Class) for (const name of names.get(symbol) ?? []) ways.reads.add(name);
  }
  return ways;
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
  'claude, that controls a session': `
import { query } from 'SDK';
import type { AccountInfo, AgentInfo, ModelInfo, Query, SDKControlGetContextUsageResponse, SDKControlInitializeResponse, SlashCommand } from 'SDK';

export async function look(session: Query): Promise<string[]> {
  const facts: SDKControlInitializeResponse = await session.initializationResult();
  const commands: SlashCommand[] = await session.supportedCommands();
  const models: ModelInfo[] = await session.supportedModels();
  const agents: AgentInfo[] = await session.supportedAgents();
  const account: AccountInfo = await session.accountInfo();
  const usage: SDKControlGetContextUsageResponse = await session.getContextUsage({ detail: 'summary' });
  const servers = await session.mcpServerStatus();
  const { canRewind, filesChanged = [] } = await session.rewindFiles('id', { dryRun: true });
  const set = await session.setMcpServers({ a: { type: 'stdio', command: 'x' } });
  const skills = await session.reloadSkills();
  const file = await session.readFile('a.txt', { encoding: 'utf-8', maxBytes: 10 });
  await session.setMaxThinkingTokens(1_000);
  await session.applyFlagSettings({ model: 'haiku' });
  await session.seedReadState('a.txt', 1);
  await session.stopTask('t');
  await session.streamInput((async function* () {})());
  await session.interrupt();
  session.close();
  return [
    ...facts.commands.map(({ name }) => name), facts.output_style, ...commands.map(({ description }) => description),
    ...models.map(({ value, displayName }) => value + displayName), ...agents.map(({ name }) => name), account.email ?? '',
    ...usage.categories.map(({ name, tokens }) => name + tokens), String(usage.totalTokens / usage.maxTokens),
    ...servers.map(({ name, status }) => name + status), String(canRewind), ...filesChanged, ...set.added, ...Object.values(set.errors),
    ...skills.skills.map(({ name }) => name), file?.contents ?? '',
  ];
}
export const start = (): Query => query({ prompt: 'x' });
`,
  'claude, with hooks of every kind': `
import type { HookCallback, HookEvent, HookInput, HookJSONOutput, Options } from 'SDK';

const seen: string[] = [];
const tell: HookCallback = async (input: HookInput): Promise<HookJSONOutput> => {
  seen.push(input.hook_event_name, input.session_id, input.cwd);
  switch (input.hook_event_name) {
    case 'PreToolUse': return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason: input.tool_name, updatedInput: { a: 1 } } };
    case 'PostToolUse': return { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: JSON.stringify(input.tool_response) } };
    case 'UserPromptSubmit': return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: input.prompt } };
    case 'SessionStart': return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: input.source } };
    case 'SessionEnd': return { systemMessage: input.reason };
    case 'Stop': return input.stop_hook_active ? {} : { decision: 'block', reason: 'go on' };
    case 'SubagentStop': return { continue: true, suppressOutput: true, systemMessage: input.agent_id };
    case 'PreCompact': return { stopReason: input.trigger };
    case 'Notification': return { systemMessage: input.message };
    default: return { async: true, asyncTimeout: 5 };
  }
};
const events: HookEvent[] = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop', 'SubagentStop', 'PreCompact', 'Notification', 'PostToolUseFailure', 'PermissionRequest', 'PostCompact'];
export const options: Options = { hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [tell] }]])) };
`,
  'claude, that reads messages and tools': `
import type { SDKMessage } from 'SDK';
import type { BashInput, FileReadInput, FileWriteInput, GrepInput, ToolInputSchemas } from 'SDK_TOOLS';

export function read(message: SDKMessage): string {
  switch (message.type) {
    case 'assistant': return message.message.content.map((block) => (block.type === 'tool_use' ? input(block.name, block.input) : block.type === 'text' ? block.text : '')).join('') + message.message.usage.input_tokens;
    case 'user': return String(message.parent_tool_use_id) + JSON.stringify(message.message.content);
    case 'result': return message.subtype === 'success' ? message.result : message.errors.join() + message.subtype;
    case 'stream_event': return message.event.type;
    case 'tool_progress': return message.tool_name + message.elapsed_time_seconds;
    case 'auth_status': return message.output.join() + message.isAuthenticating;
    case 'rate_limit_event': return message.rate_limit_info.status;
    case 'prompt_suggestion': return message.suggestion;
    case 'system': break;
    default: return message.type;
  }
  switch (message.subtype) {
    case 'init': return message.cwd + message.tools.join() + message.mcp_servers.map(({ name, status }) => name + status).join() + message.permissionMode;
    case 'compact_boundary': return message.compact_metadata.trigger + message.compact_metadata.pre_tokens;
    case 'status': return String(message.status);
    case 'hook_response': return message.hook_name + message.outcome + message.stdout;
    case 'task_started': return message.task_id + message.description;
    case 'task_progress': return String(message.usage.total_tokens);
    case 'task_notification': return message.status + message.summary + message.output_file;
    case 'api_retry': return String(message.attempt + message.retry_delay_ms);
    case 'permission_denied': return message.tool_name + message.message;
    case 'session_state_changed': return message.state;
    case 'background_tasks_changed': return message.tasks.map(({ task_id }) => task_id).join();
    default: return message.subtype;
  }
}
function input(name: string, value: unknown): string {
  if (name === 'Bash') return (value as BashInput).command;
  if (name === 'Read') return (value as FileReadInput).file_path;
  if (name === 'Write') return (value as FileWriteInput).content;
  return name === 'Grep' ? (value as GrepInput).pattern : JSON.stringify(value as ToolInputSchemas);
}
`,
  'qoder, with goals, plans and keys of its own': `
import { jobToken, query, serviceAccount } from 'SDK';
import type { Options, Query, SDKMessage } from 'SDK';

const options: Options = {
  auth: jobToken(async ({ reason }) => (reason === 'expiring' ? null : { token: 't', expiresAt: 1 })), goalMaxTurns: 5,
  resolveModel: async ({ availableModels }) => ({ model: availableModels[0]?.value ?? 'auto' }), resolveModelTimeoutMs: 100,
};
export async function main(): Promise<string[]> {
  const session: Query = query({ prompt: 'x', options });
  const goal = (await session.setGoal?.({ objective: 'o', creditsBudget: null })) ?? null;
  await session.setGoalMaxTurns?.(3);
  const plan = await session.setPlanMode?.(true);
  const { key } = (await session.createByokConfig({ provider: 'openai', model: 'm', parameters: { api_key: 'k' } })) as { key: string };
  const tried = await session.checkByokConfig({ providerId: 'p', baseUrl: 'http://x', apiKey: 'k', protocol: 'openai', models: [{ model: 'm' }] });
  await session.updateByokConfig({ key, displayName: 'n' });
  await session.deleteByokConfig({ key });
  const usage = await session.getUsageInfo();
  const models = await session.getAvailableModels();
  const texts: string[] = [];
  for await (const message of session) texts.push(told(message));
  serviceAccount({ serviceAccountKey: { envVar: 'K' } });
  return [goal?.objective ?? '', goal?.status ?? '', String(plan?.active), tried.code ?? '', usage?.userType ?? '', ...models.map(({ value }) => value), ...texts];
}
function told(message: SDKMessage): string {
  if (message.type !== 'system') return message.type;
  if (message.subtype === 'goal_updated') return message.goal.objective + message.goal.turns_used;
  if (message.subtype === 'goal_cleared') return message.goal_id;
  if (message.subtype === 'plan_mode_changed') return String(message.plan_mode.active);
  return message.subtype;
}
`,
};

describe('programs', () => {
  it.each(Object.entries(PROGRAMS))('of %s compile with either import', (title, text) => {
    const name = title.split(',')[0];
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
    // The types of tools are met in the messages of a session: their inputs and outputs are read, and hooks give both.
    const met = name === 'sdk-tools' ? null : waysOf(checker, their, theirs);
    return { theirs: plainTypes(checker, their), ours: plainTypes(checker, our), met };
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
    const isMet = (way: 'reads' | 'takes', each: string) => names.met === null || names.met[way].has(each);
    const lines = both.flatMap((each) => [
      ...(isMet('reads', each) ? [`export const reads_${each}: Theirs.${each} = null! as Ours.${each};`] : []),
      ...(isMet('takes', each) ? [`export const takes_${each}: Ours.${each} = null! as Theirs.${each};`] : []),
    ]);
    expect(lines.length).toBeGreaterThan(50);
    const program = compile(imports + lines.join('\n'));
    const source = sourceOf(program);
    const failed = new Map<string, string>();
    for (const { start = 0, messageText } of program.getSemanticDiagnostics(source)) {
      const line = source.text.split('\n')[source.getLineAndCharacterOfPosition(start).line] ?? '';
      failed.set(/const (\w+):/.exec(line)?.[1] ?? line, ts.flattenDiagnosticMessageText(messageText, '\n'));
    }
    const known = KNOWN[name] ?? { missing: [], reads: {}, takes: {} };
    const why = [...Object.values(known.reads), ...Object.values(known.takes)];
    expect(why.filter((each) => REASONS[each] === undefined)).toEqual([]);
    const listed = [
      ...Object.keys(known.reads).map((each) => `reads_${each}`),
      ...Object.keys(known.takes).map((each) => `takes_${each}`),
    ];
    // To write the list anew.
    const file = process.env['TURNWRIGHT_TEST_TYPES_FILE'];
    if (file !== undefined) {
      const of = (way: string) =>
        [...failed.keys()].filter((each) => each.startsWith(way)).map((each) => each.slice(6));
      appendFileSync(
        file,
        `${JSON.stringify({ [name]: { reads: of('reads_').sort(), takes: of('takes_').sort(), why: Object.fromEntries(failed) } })}\n`,
      );
    }
    const unknown = [...failed].filter(([each]) => !listed.includes(each)).map(([each, why]) => `${each}: ${why}`);
    expect(unknown).toEqual([]);
    // What was mended is no difference any more.
    expect(listed.filter((each) => !failed.has(each))).toEqual([]);
  });
});
