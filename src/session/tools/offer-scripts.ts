// The tool that runs scripts of the model's, with what the model is told of the others. Loaded for sessions with code mode.
import type { ToolDeferral } from '../../engine/request/index.js';
import { createTokenEstimator } from '../../engine/tokens/index.js';
import { ConfigError } from '../../protocol/errors.js';
import type { CodeModeOptions } from '../../protocol/options.js';
import { declareTool, outputType } from '../../tools/run-script/index.js';
import { createRunScript, isScriptable, RUN_SCRIPT } from '../../tools/run-script.js';
import type { AnyTool, Tools } from '../../tools/tool.js';
import type { QueryEngineConfig } from '../config/index.js';
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

export const parts = {
  toolsAreOffered({ session: { config, memory }, runtime }: OfferingMoment): void {
    if (!config.codeMode) return;
    const isDeferred = (name: string) => memory.deferral?.names.has(name) === true;
    memory.scripts = offerScripts(config.codeMode, runtime.setup.tools, memory.scripts ?? null, isDeferred);
    runtime.setup = { ...runtime.setup, tools: memory.scripts.tools };
  },
};

/**
 * @param before what was offered until now: the same again as long as the tools are the same
 * @param isDeferred what requests define only once it was searched for
 * @throws ConfigError for limits that cannot be meant
 */
export function offerScripts(
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
