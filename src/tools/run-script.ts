// RunScript: a script of the model's that calls the other tools, which it is told of as TypeScript declarations. It runs in a machine
// of its own and touches nothing but through calls, each of which is decided about by itself; so the tool itself only reads. One
// rule: nothing of a call's result reaches the model but through what the script says.
import { runScript, type ScriptAnswer, type ScriptEnd } from '../host/scripts/index.js';
import { AbortError, ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { RunScriptInput, RunScriptOutput } from '../protocol/tool-io.js';
import { isRecord } from '../util/json.js';
import { count, shorten } from '../util/text.js';
import {
  type AnyTool,
  defineTool,
  type NestedResult,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type Tools,
} from './tool.js';
import { indexTools } from './tool-search.js';

export const RUN_SCRIPT = 'RunScript';

export const runScriptInputSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', minLength: 1, description: 'JavaScript: the body of an async function.' },
    description: { type: 'string', description: 'What it does, in three to eight words.' },
  },
  required: ['code'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Runs a script that calls tools as functions. You see only what it prints or returns, so use it for work on many results: to search, filter, count, compare or change in bulk. For one or two calls, call the tools directly.
- JavaScript without types or modules: the body of an async function. \`const { text } = await tools.Read({ file_path })\`
- console.log prints; return gives a value. Return what you need and no more.
- A call that fails throws. A denied call throws a DeniedError with the reason: do not seek the same effect another way.
- Promise.all runs calls that only read at the same time.
- Files, network and processes can be reached only through tools. There are no timers and no imports.`;

/** True for a tool that a script can call. */
export function isScriptable({ forModelOnly, callsTools }: AnyTool): boolean {
  return forModelOnly !== true && callsTools !== true;
}

/** Contract: the same declarations, the same definition. */
export function createRunScript(setting: ScriptSetting): Tool<RunScriptInput, RunScriptOutput> {
  return defineTool<RunScriptInput, RunScriptOutput>({
    name: RUN_SCRIPT,
    description: `${DESCRIPTION}\n\n${setting.declarations}`,
    inputSchema: runScriptInputSchema,
    readOnly: true,
    concurrencySafe: false,
    callsTools: true,
    title: ({ code, description }) => shorten(description ?? code, 100),
    subject: () => ({ kind: 'none' }),
    run: async (input, context) => executeScript(input, context, setting),
  });
}

interface ScriptSetting {
  /** What a script can call. */
  readonly tools: Tools;
  /** What the model is told of them. */
  readonly declarations: string;
  readonly limits: { readonly runMs: number; readonly memoryBytes: number; readonly outputBytes: number };
}

type Answer = Omit<ScriptAnswer, 'id'>;

/** Of one result that a script is given, characters. */
const MAX_RESULT = 8_000_000;
const MAX_FOUND = 20;

/** @throws ToolError if the call was interrupted: what had been done by then */
async function executeScript(
  { code }: RunScriptInput,
  context: ToolContext,
  setting: ScriptSetting,
): Promise<ToolOutcome<RunScriptOutput>> {
  const { callTool } = context;
  if (callTool === undefined)
    throw new ToolError('Scripts cannot run here: this session has no way to make their calls.');
  const tally = createTally();
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const names = setting.tools.map(({ name }) => name);
  const answer = async ({ name, input }: { readonly name: string; readonly input: string }): Promise<Answer> => {
    const given: unknown = JSON.parse(input);
    if (name === '') return { ok: true, text: JSON.stringify(await findTools(given, setting)) };
    const result = await callTool(name, given);
    tally.add(name, result);
    if (result.endsPrompt) stop.abort();
    return toAnswer(name, result);
  };
  try {
    const end = await runScript({ code, tools: names, limits: setting.limits }, answer, context.host.clock, signal);
    return toOutcome(end, tally.calls());
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
    const data: RunScriptOutput = { printed: '', error: 'interrupted', calls: tally.calls(), run_ms: 0 };
    throw new ToolError(`The script was stopped. Before that, it made ${describeCalls(tally.calls())}.`, data);
  }
}

/** What a script gets: typed output, else what a model would read. */
function toAnswer(name: string, { isError, isRefused, text, data }: NestedResult): Answer {
  // A command that fails has an output all the same.
  const isResult = !isError || (!isRefused && isRecord(data) && data['exitCode'] !== undefined);
  if (!isResult) return { ok: false, text, name: isRefused ? 'DeniedError' : 'ToolError' };
  const json = jsonOf(name.startsWith('mcp__') ? contentOf(data, text) : (data ?? text)) ?? JSON.stringify(text);
  if (json.length <= MAX_RESULT) return { ok: true, text: json };
  const why = `The result of ${name} has ${json.length} characters, more than the ${MAX_RESULT} that a script can take. Ask for less.`;
  return { ok: false, text: why, name: 'ToolError' };
}

/** Null for what JSON has no form for: a tool of the host's own may give anything. */
function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // a cycle, or a number that is too large: then there is the text
  }
}

function contentOf(data: unknown, text: string): unknown {
  return isRecord(data) && data['structuredContent'] !== undefined ? data['structuredContent'] : text;
}

/** What `searchTools` gives. */
async function findTools(given: unknown, { tools }: ScriptSetting) {
  const { query = '', most = 5 } = isRecord(given) ? given : {};
  const limit = typeof most === 'number' && most >= 1 ? Math.min(MAX_FOUND, Math.floor(most)) : 5;
  return indexTools(tools)
    .search(String(query).slice(0, 500), limit)
    .flatMap((name) => tools.filter((tool) => tool.name === name))
    .map((tool) => ({ name: tool.name, description: tool.description, declaration: declareTool(tool, false) }));
}

function createTally() {
  const byTool = new Map<string, { count: number; failed: number; denied: number }>();
  return {
    add(tool: string, { isError, isRefused }: NestedResult): void {
      const before = byTool.get(tool) ?? { count: 0, failed: 0, denied: 0 };
      byTool.set(tool, {
        count: before.count + 1,
        failed: before.failed + (isError && !isRefused ? 1 : 0),
        denied: before.denied + (isRefused ? 1 : 0),
      });
    },
    calls: (): RunScriptOutput['calls'] => [...byTool].map(([tool, counts]) => ({ tool, ...counts })),
  };
}

function toOutcome(end: ScriptEnd, calls: RunScriptOutput['calls']): ToolOutcome<RunScriptOutput> {
  const { printed, dropped, value, error, runMs } = end;
  const data: RunScriptOutput = {
    ...(value === null ? {} : { value }),
    printed,
    ...(error === null ? {} : { error: error.message }),
    calls,
    run_ms: runMs,
  };
  const parts = [
    printed.trimEnd(),
    ...(dropped === 0 ? [] : [`[It printed ${count(dropped, 'character')} more, which are not kept.]`]),
    ...(value === null ? [] : [printed === '' ? value : `Value: ${value}`]),
    // What was done is done, however it ended.
    ...(error === null ? [] : [`The script failed. ${error.message}`, `Before that, it made ${describeCalls(calls)}.`]),
  ].filter((part) => part !== '');
  const model = parts.length === 0 ? 'The script ended. It printed and returned nothing.' : parts.join('\n');
  return { model, data, isError: error !== null };
}

function describeCalls(calls: RunScriptOutput['calls']): string {
  if (calls.length === 0) return 'no calls';
  const lines = calls.map(({ tool, count: made, failed, denied }) => {
    const bad = [...(failed === 0 ? [] : [`${failed} failed`]), ...(denied === 0 ? [] : [`${denied} denied`])];
    return `${made} × ${tool}${bad.length === 0 ? '' : ` (${bad.join(', ')})`}`;
  });
  return `these calls: ${lines.join(', ')}`;
}

/** What calls of built-in tools give. Of other tools the text of the result, or its structured content. */
const OUTPUTS: Readonly<Record<string, string>> = {
  Read: '{ type: "text"; text: string; totalLines?: number } | { type: string }',
  Edit: '{ success: boolean; diff?: string }',
  Write: '{ success: boolean; created?: boolean }',
  NotebookEdit: '{ success: boolean }',
  Glob: '{ files: string[]; totalMatches: number; truncated?: boolean }',
  Grep: '{ results: string; matchCount: number; truncated?: boolean }',
  Bash: '{ stdout: string; stderr: string; exitCode: number; backgroundTaskId?: string }',
  WebFetch: '{ content: string; url: string; statusCode?: number; redirectUrl?: string }',
  WebSearch: '{ results: { title: string; url: string; snippet: string }[] }',
  Agent: '{ result: string }',
};

const MAX_DEPTH = 4;
const MAX_MEMBERS = 24;
const MAX_ENUM = 20;
const MAX_ABOUT = 100;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** What calls of a tool give; absent if that is the text of the result. */
export function outputType(name: string): string | undefined {
  return OUTPUTS[name];
}

/** `Read(input: { file_path: string; offset?: number }): Promise<{ text: string }>` */
export function declareTool({ name, inputSchema, description }: AnyTool, withAbout = true): string {
  const about = withAbout ? ` // ${shorten(description, MAX_ABOUT)}` : '';
  const input = typeOf(inputSchema, inputSchema, MAX_DEPTH);
  return `${IDENTIFIER.test(name) ? name : JSON.stringify(name)}(input: ${input}): Promise<${OUTPUTS[name] ?? 'any'}>;${about}`;
}

/** @param root what references lead into */
function typeOf(schema: unknown, root: JsonSchema, depth: number): string {
  if (!isRecord(schema) || depth === 0) return 'any';
  const { $ref: ref, const: only, enum: values, type, anyOf, oneOf, allOf } = schema;
  if (typeof ref === 'string') return typeOf(referred(ref, root), root, depth - 1);
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return values.length > MAX_ENUM ? baseType(type) : union(values.map(literal));
  const either = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
  if (either !== null) return union(either.map((one) => typeOf(one, root, depth - 1)));
  if (Array.isArray(allOf)) return allOf.map((one) => typeOf(one, root, depth - 1)).join(' & ');
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, root, depth)));
  if (type === 'array') return listType(typeOf(schema['items'], root, depth - 1));
  if (type === 'object' || isRecord(schema['properties'])) return objectType(schema, root, depth);
  return baseType(type);
}

function objectType(
  { properties, required, additionalProperties: more }: JsonSchema,
  root: JsonSchema,
  depth: number,
): string {
  const entries = Object.entries(isRecord(properties) ? properties : {});
  const needed = Array.isArray(required) ? required : [];
  if (entries.length === 0) return isRecord(more) ? `Record<string, ${typeOf(more, root, depth - 1)}>` : '{}';
  const members = entries.slice(0, MAX_MEMBERS).map(([name, schema]) => {
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return `${key}${needed.includes(name) ? '' : '?'}: ${typeOf(schema, root, depth - 1)}`;
  });
  const left = entries.length > MAX_MEMBERS ? ['[more: string]: any'] : [];
  return `{ ${[...members, ...left].join('; ')} }`;
}

function referred(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, part) => (isRecord(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      root,
    );
}

function listType(item: string): string {
  return /[ |&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'any';
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'any' : (JSON.stringify(value) ?? 'any');
}

function baseType(type: unknown): string {
  if (type === 'integer') return 'number';
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'null' ? type : 'any';
}
