// Code mode: the tool that runs scripts of the model's, what the model is told of the others, and what a resumed session is told
// of a script that was cut short. Loaded for sessions with code mode.
import path from 'node:path';
import type { ToolDeferral } from '../../engine/request/index.js';
import { interruptedScriptNote } from '../../engine/state/index.js';
import { createTokenEstimator } from '../../engine/tokens/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { ContentBlock, MessageParam, ToolUseBlock } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { CodeModeOptions } from '../../protocol/options.js';
import { createRunScript, declareTool, isScriptable, outputType, RUN_SCRIPT } from '../../tools/run-script.js';
import type { AnyTool, Tools } from '../../tools/tool.js';
import { isRecord } from '../../util/json.js';
import { shorten } from '../../util/text.js';
import type { QueryEngineConfig } from '../config/index.js';
import { nestedCallsId } from '../store/index.js';
import type { AgentSetup } from './defined-agents.js';

export interface OfferedScripts {
  /** In place of the agent's tools: all of them, and the one that runs scripts. */
  readonly tools: Tools;
  /** With `only`: the tools that requests do not define, since scripts call them. */
  readonly deferral: ToolDeferral | null;
}

const DEFAULTS = { maxRunMs: 10_000, maxMemoryMb: 64, maxOutputCharacters: 30_000 } as const;
/** More than a thread of this process could have. */
const MAX_MEMORY_MB = 1_024;
/** What declarations may take of each request, tokens. */
const MAX_DECLARED = 3_000;

/** What is asked of a session and one of its agents. */
interface OfferingMoment {
  readonly session: {
    readonly config: Pick<QueryEngineConfig, 'codeMode'>;
    readonly memory: { scripts?: OfferedScripts; readonly deferral?: { readonly names: ReadonlySet<string> } | null };
  };
  readonly runtime: { setup: AgentSetup };
}

/** What is asked of a session that tells something beside a prompt. */
interface TellingMoment {
  readonly session: {
    readonly memory: { areScriptsTold?: boolean };
    readonly history: { readonly params: readonly MessageParam[] };
    readonly host: Host;
  };
  readonly runtime: { readonly sessionFolder: string | null };
}

export const parts = {
  toolsAreOffered({ session: { config, memory }, runtime }: OfferingMoment): void {
    if (!config.codeMode) return;
    const isDeferred = (name: string) => memory.deferral?.names.has(name) === true;
    memory.scripts = offerScripts(config.codeMode, runtime.setup.tools, memory.scripts ?? null, isDeferred);
    runtime.setup = { ...runtime.setup, tools: memory.scripts.tools };
  },
  async tellBeside({
    session: { memory, history, host },
    runtime,
  }: TellingMoment): Promise<{ readonly texts: readonly string[] }> {
    memory.areScriptsTold = true;
    return { texts: await scriptsCutShort(history.params, host, runtime) };
  },
};

/**
 * @param before what was offered until now: the same again as long as the tools are the same
 * @param isDeferred what requests define only once it was searched for
 * @throws ConfigError for limits that cannot be meant
 */
function offerScripts(
  option: true | CodeModeOptions,
  tools: Tools,
  before: OfferedScripts | null,
  isDeferred: (name: string) => boolean,
): OfferedScripts {
  const others = tools.filter(({ name }) => name !== RUN_SCRIPT);
  if (
    before !== null &&
    before.tools.length === others.length + 1 &&
    others.every((tool, at) => tool === before.tools[at])
  )
    return before;
  const { only = false, ...limits } = option === true ? {} : readCodeMode(option);
  const { maxRunMs, maxMemoryMb, maxOutputCharacters } = { ...DEFAULTS, ...limits };
  const callable = others.filter(isScriptable);
  const script = createRunScript({
    tools: callable,
    declarations: only ? declareAll(callable) : describeResults(callable, isDeferred),
    limits: { runMs: maxRunMs, memoryBytes: maxMemoryMb * 1_000_000, outputBytes: maxOutputCharacters },
  });
  const names = new Set(callable.map(({ name }) => name));
  return {
    tools: [...others, script as AnyTool],
    deferral: only ? { names, loadedBy: () => NOTHING } : null,
  };
}

const NOTHING: readonly string[] = [];

/** @throws ConfigError for what cannot be meant */
export function readCodeMode(option: CodeModeOptions): CodeModeOptions {
  if (option.only !== undefined && typeof option.only !== 'boolean')
    throw new ConfigError('codeMode.only must be true or false.');
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = option[name];
    const most = name === 'maxMemoryMb' ? MAX_MEMORY_MB : Number.MAX_SAFE_INTEGER;
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= most))
      throw new ConfigError(`codeMode.${name} is ${String(value)}. Give a whole number from 1 to ${most}.`);
  }
  const unknown = Object.keys(option).find((name) => name !== 'only' && !Object.hasOwn(DEFAULTS, name));
  if (unknown === undefined) return option;
  throw new ConfigError(`There is no codeMode.${unknown}. There are: only, ${Object.keys(DEFAULTS).join(', ')}.`);
}

/** The model knows the inputs from the tools themselves. */
function describeResults(tools: Tools, isDeferred: (name: string) => boolean): string {
  const typed = tools.flatMap(({ name }) => {
    const type = outputType(name);
    return type === undefined ? [] : [`${name}: ${type}`];
  });
  const lines = ['tools.NAME(input) takes what the tool NAME takes. What calls give:', ...typed];
  if (typed.length < tools.length) lines.push('all others: the text of the result, or its structured content');
  if (tools.some(({ name }) => isDeferred(name))) lines.push(SEARCH);
  return lines.join('\n');
}

const SEARCH =
  'Tools that are not loaded can be called too: (await searchTools("what it should do")) gives [{ name, description, declaration }].';

/** As many declarations as fit, and how the others are found. */
function declareAll(tools: Tools): string {
  const estimator = createTokenEstimator();
  const lines: string[] = [];
  let tokens = 0;
  for (const tool of tools) {
    const line = declareTool(tool);
    tokens += estimator.text(line);
    if (tokens > MAX_DECLARED) break;
    lines.push(line);
  }
  const left = tools.length - lines.length;
  const more =
    left === 0
      ? []
      : [`// and ${left} more: (await searchTools("what it should do")) gives [{ name, description, declaration }]`];
  return ['declare const tools: {', ...lines, ...more, '};'].join('\n');
}

// What a resumed session is told of a script that the end of the earlier run cut short: which of its calls were done, and
// which were under way.

/** A file of more bytes is not looked through: the model is told to look for itself. */
const MAX_BYTES = 20_000_000;
/** Calls under way that are named, and characters of their inputs. */
const MAX_OPEN = 5;
const MAX_INPUT = 300;

/** A note for each script without a result. Contract: never throws for what a file holds. */
async function scriptsCutShort(
  conversation: readonly MessageParam[],
  host: Host,
  { sessionFolder }: TellingMoment['runtime'],
): Promise<readonly string[]> {
  if (sessionFolder === null) return [];
  const notes: string[] = [];
  for (const { id } of openScripts(conversation)) {
    const calls = await readCalls(host, path.join(sessionFolder, 'subagents', `agent-${nestedCallsId(id)}.jsonl`));
    if (calls !== null) notes.push(interruptedScriptNote(describeDone(calls.done), describeOpen(calls.open)));
  }
  return notes;
}

function openScripts(conversation: readonly MessageParam[]): readonly ToolUseBlock[] {
  const blocks = conversation.flatMap(({ content }) => (Array.isArray(content) ? (content as ContentBlock[]) : []));
  const answered = new Set(blocks.flatMap((block) => (block?.type === 'tool_result' ? [block.tool_use_id] : [])));
  return blocks.filter(
    (block): block is ToolUseBlock =>
      block?.type === 'tool_use' && block.name === RUN_SCRIPT && !answered.has(block.id),
  );
}

interface Calls {
  readonly done: readonly ToolUseBlock[];
  readonly open: readonly ToolUseBlock[];
}

/** Null if nothing of it is kept. */
async function readCalls(host: Host, file: string): Promise<Calls | null> {
  try {
    const { kind, size } = await host.fs.lstat(file);
    if (kind !== 'file' || size > MAX_BYTES) return null;
    const lines = new TextDecoder().decode(await host.fs.readFile(file)).split('\n');
    const blocks = lines.flatMap(blocksOf);
    const answered = new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])));
    const calls = blocks.filter((block) => block.type === 'tool_use');
    return {
      done: calls.filter(({ id }) => answered.has(id)),
      open: calls.filter(({ id }) => !answered.has(id)),
    };
  } catch (error) {
    if (isFileError(error)) return null; // it made no calls, or the session was copied without them
    throw error;
  }
}

/** The last line may be half written. */
function blocksOf(line: string): readonly ContentBlock[] {
  try {
    const entry: unknown = JSON.parse(line);
    const message = isRecord(entry) ? entry['message'] : null;
    const content = isRecord(message) ? message['content'] : null;
    return Array.isArray(content) ? content.filter(isRecord).map((block) => block as unknown as ContentBlock) : [];
  } catch {
    return []; // no line of ours
  }
}

function describeDone(calls: readonly ToolUseBlock[]): string {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}

function describeOpen(calls: readonly ToolUseBlock[]): string {
  const named = calls
    .slice(0, MAX_OPEN)
    .map(({ name, input }) => `${name} ${shorten(JSON.stringify(input), MAX_INPUT)}`);
  return [...named, ...(calls.length > MAX_OPEN ? [`and ${calls.length - MAX_OPEN} more`] : [])].join('; ');
}
