// Turns the conversation into a request that the API accepts, with room for the reply. Nothing leaves the engine any other way.
import type { MessageParam, TextBlock } from '../../protocol/content.js';
import type { RefusedPart } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import {
  type EffortLevel,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  type ThinkingConfig,
  type ThinkingDisplay,
} from '../../protocol/options.js';
import {
  KeptDefinition,
  type ModelRequest,
  type RequestThinking,
  type ThinkingForm,
  type ToolDefinition,
} from '../../providers/contract/index.js';
import type { Tools } from '../../tools/tool.js';
import { toWellFormed } from '../../util/text.js';
import { blocksOf, createHistoryRepairer, type HistoryRepairer } from '../history/index.js';
import type { BuiltRequest, LoopState } from '../state/index.js';

/** What stays the same through a prompt. */
export interface RequestSettings {
  /** Prompt parts in order; empty ones are left out. */
  readonly system: readonly string[];
  readonly tools: Tools;
  /** Which of them requests leave out until they are loaded; null, or absent: none. */
  readonly deferral?: ToolDeferral | null | undefined;
  readonly maxTokens: number;
  readonly thinking?: ThinkingConfig | undefined;
  /** What a variable says of thinking, tokens; null, or absent: nothing. */
  readonly maxThinkingTokens?: number | null | undefined;
  /** How a model is asked to think; null, or absent: not known. */
  readonly thinkingForm?: ((model: string) => ThinkingForm | null) | undefined;
  readonly effort?: EffortLevel | undefined;
  readonly outputSchema?: JsonSchema | undefined;
  /** What asks for a value of `outputSchema`, if the API does not hold the answer to it. */
  readonly outputTool?: ToolDefinition | undefined;
  /** The schema in the form the API of that model takes; null, or absent: the value is asked for through a tool. */
  readonly nativeSchema?: ((model: string, schema: JsonSchema) => JsonSchema | null) | undefined;
}

/** Tools that requests do not define until the conversation has loaded them. */
export interface ToolDeferral {
  readonly names: ReadonlySet<string>;
  /**
   * Those of `names` that a request with these messages defines, in the order in which they were loaded.
   * Contract: the same list as long as nothing was loaded; what was in it once stays, so that a prompt cache finds its
   * beginning again. Work grows with what is new.
   */
  loadedBy(messages: readonly MessageParam[]): readonly string[];
}

/** What somebody said of thinking while the session ran. */
export interface ThinkingOverride {
  /** 0: none; null: as it is configured. */
  readonly tokens: number | null;
  /** Null, or absent: as it is configured. */
  readonly display?: ThinkingDisplay | null | undefined;
}

export interface RequestBuilder {
  /** Sets what the following requests share. Definitions keep their identity while nothing changed. */
  configure(settings: RequestSettings): void;
  /** Contract: the request is valid whatever the history holds; each repair is listed once per session. */
  build(state: LoopState): BuiltRequest;
  /** The request that `build` would give, for a look at it or for a question beside the conversation: nothing is listed. */
  peek(state: LoopState): ModelRequest;
  /** False before `configure`. */
  readonly isConfigured: boolean;
  /** How models think from here on, over what `configure` says. An absent display: as it was. */
  overrideThinking(override: ThinkingOverride): void;
  /** True for a tool that the last request did not define, though there is one. */
  lacks(tool: string): boolean;
  /** Tools that were loaded by now, in order. */
  readonly loaded: readonly string[];
  /** True if requests to that model hold the answer itself to the schema, so that a text is the value. */
  asksForValueAsText(model: string): boolean;
  /**
   * From here on, requests do without a part that the API refused in `request`. False if there is no such part: the
   * next request would be the same.
   */
  leaveOut(request: ModelRequest, refused: Exclude<RefusedPart, { kind: 'max_tokens' }>): boolean;
}

/** One per session: it remembers what it has prepared, so that work per turn does not grow with the history. */
export function createRequestBuilder(): RequestBuilder {
  const repairer: HistoryRepairer = createHistoryRepairer();
  const reported = new Set<string>();
  const schemas = createNativeSchemas();
  const modes = createModes();
  let settings: RequestSettings | null = null;
  let system: readonly TextBlock[] = [];
  let tools: ToolLists = NO_TOOLS;
  let loaded = NOTHING_LOADED;
  let override: ThinkingOverride = { tokens: null };

  const prepare = (state: LoopState) => {
    if (settings === null) throw new Error('The request builder was used before it was configured.');
    const { messages, repairs } = repairer.prepare(state.messages);
    const { model } = state;
    const { deferral } = settings;
    const before = loaded;
    loaded = deferral?.loadedBy(state.messages) ?? NOTHING_LOADED;
    if (loaded !== before) tools = toolLists(settings, loaded);
    const outputSchema = schemas.find(model);
    const wanted = state.parameters?.effort ?? null;
    const asked = wanted === 'none' ? ({ type: 'disabled' } as const) : settings.thinking;
    const thinking = modes.thinking(model, thinkingOf(settings, model, asked, override));
    const effort = wanted === 'none' ? undefined : (wanted ?? settings.effort);
    const request: ModelRequest = {
      model,
      system,
      tools: outputSchema === null ? tools.withOutput : tools.plain,
      messages,
      maxTokens: settings.maxTokens,
      thinking: mayThink(thinking, messages) ? thinking : undefined,
      effort: modes.effort(model, effort),
      ...(outputSchema === null ? {} : { outputSchema }),
    };
    return { request, repairs, settings };
  };

  return {
    configure(next) {
      if (!sameStrings(settings?.system, next.system)) system = systemBlocks(next.system);
      if (!sameTools(settings, next)) tools = toolLists(next, loaded);
      schemas.configure(next);
      settings = next;
    },
    build(state) {
      const { request, repairs, settings: shared } = prepare(state);
      const news = repairs.filter((repair) => !reported.has(`${repair.kind} ${repair.detail}`));
      for (const repair of news) reported.add(`${repair.kind} ${repair.detail}`);
      const cannotThink = shared.thinking?.type === 'adaptive' && shared.thinkingForm?.(state.model) === 'none';
      return { request, repairs: news, cannotThink };
    },
    peek: (state) => prepare(state).request,
    get isConfigured() {
      return settings !== null;
    },
    overrideThinking({ tokens, display }) {
      override = { tokens, display: display === undefined ? override.display : display };
    },
    lacks: (tool) => settings?.deferral?.names.has(tool) === true && !loaded.includes(tool),
    get loaded() {
      return loaded;
    },
    asksForValueAsText: (model) => schemas.find(model) !== null,
    leaveOut(request, refused) {
      switch (refused.kind) {
        case 'media':
          return repairer.leaveOutMedia(request.messages, refused.place, 'the API of the model refused it');
        case 'thinking':
          return repairer.leaveOutThinking();
        case 'output_schema':
          return request.outputSchema !== undefined && schemas.refuse(request.model);
        case 'thinking_mode':
        case 'effort':
          return modes.refuse(request, refused.kind);
        default:
          return refused satisfies never;
      }
    },
  };
}

/** The model may be another with each request, so this is asked each time. */
function thinkingOf(
  { thinkingForm, maxThinkingTokens = null }: RequestSettings,
  model: string,
  asked: ThinkingConfig | undefined,
  { tokens: limit, display }: ThinkingOverride,
): RequestThinking | undefined {
  const form = thinkingForm?.(model) ?? null;
  return resolveThinking({ asked, form, maxTokens: maxThinkingTokens, limit, display });
}

/** The caller's schema in the form of each model asked so far, for as long as it is the same schema. */
function createNativeSchemas() {
  const refused = new Set<string>();
  let settings: RequestSettings | null = null;
  let known = new Map<string, JsonSchema | null>();
  return {
    configure(next: RequestSettings): void {
      if (settings?.outputSchema !== next.outputSchema) known = new Map();
      settings = next;
    },
    find(model: string): JsonSchema | null {
      if (settings?.outputSchema === undefined || refused.has(model)) return null;
      const before = known.get(model);
      if (before !== undefined) return before;
      const schema = settings.nativeSchema?.(model, settings.outputSchema) ?? null;
      known.set(model, schema);
      return schema;
    },
    refuse(model: string): boolean {
      const isNew = !refused.has(model);
      refused.add(model);
      return isNew;
    },
  };
}

/** How thinking and effort are asked of each model, after what its API refused. */
function createModes() {
  const thoughts = new Map<string, RequestThinking | undefined>();
  const effortless = new Set<string>();
  return {
    thinking: (model: string, asked: RequestThinking | undefined) =>
      thoughts.has(model) ? thoughts.get(model) : asked,
    effort: (model: string, asked: EffortLevel | undefined) => (effortless.has(model) ? undefined : asked),
    refuse({ model, thinking, effort }: ModelRequest, kind: 'thinking_mode' | 'effort'): boolean {
      if (kind === 'effort') {
        effortless.add(model);
        return effort !== undefined;
      }
      // Newer models take no budget, older ones nothing else.
      thoughts.set(model, thinking?.type === 'enabled' ? { type: 'adaptive' } : undefined);
      return thinking !== undefined;
    },
  };
}

/**
 * With a thinking budget, the turn that still goes on must begin with thinking. One that began without it, or lost it,
 * goes on without.
 */
function mayThink(thinking: RequestThinking | undefined, messages: readonly MessageParam[]): boolean {
  if (thinking?.type !== 'enabled') return true;
  let at = messages.length - 1;
  while (at >= 0 && !isPrompt(messages[at])) at--;
  const opening = messages[at + 1];
  if (opening === undefined || opening.role !== 'assistant') return true;
  const [first, ...rest] = blocksOf(opening);
  const isThinking = first?.type === 'thinking' || first?.type === 'redacted_thinking';
  return isThinking || ![first, ...rest].some((block) => block?.type === 'tool_use');
}

/** True for a user message without tool results. */
function isPrompt(message: MessageParam | undefined): boolean {
  if (message?.role !== 'user') return false;
  return typeof message.content === 'string' || message.content.every((block) => block.type !== 'tool_result');
}

/** With a boundary, a cache keeps what stands before it. */
function systemBlocks(parts: readonly string[]): TextBlock[] {
  const blocks = parts.some((part) => part.includes(SYSTEM_PROMPT_DYNAMIC_BOUNDARY))
    ? parts.flatMap(atBoundary)
    : parts;
  const last = blocks.lastIndexOf(SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
  const before = blocks.findLastIndex((part, at) => at < last && isText(part));
  return blocks.flatMap((part, at) => {
    if (!isText(part)) return [];
    const block = { type: 'text', text: toWellFormed(part) } as const;
    return [at === before ? { ...block, cache_control: { type: 'ephemeral' } as const } : block];
  });
}

function isText(part: string): boolean {
  return part.trim() !== '' && part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY;
}

/** A boundary that stands as a line of its own becomes a part of its own. */
function atBoundary(part: string): string[] {
  if (part.trim() === SYSTEM_PROMPT_DYNAMIC_BOUNDARY) return [SYSTEM_PROMPT_DYNAMIC_BOUNDARY];
  const texts: string[] = [];
  let text: string[] = [];
  for (const line of part.split('\n')) {
    if (line.trim() === SYSTEM_PROMPT_DYNAMIC_BOUNDARY) {
      texts.push(text.join('\n'), SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
      text = [];
    } else text.push(line);
  }
  return [...texts, text.join('\n')];
}

interface ToolLists {
  readonly plain: readonly ToolDefinition[];
  /** With the tool whose input is the value that the caller wants; the same list if none is wanted. */
  readonly withOutput: readonly ToolDefinition[];
}

const NO_TOOLS: ToolLists = { plain: [], withOutput: [] };
const NOTHING_LOADED: readonly string[] = [];

/** What was loaded stands behind the others, one behind the other: the beginning of the list stays as it was. */
function toolLists({ tools, outputTool, deferral }: RequestSettings, loaded: readonly string[]): ToolLists {
  const isDeferred = (name: string) => deferral?.names.has(name) === true;
  const definitions = tools.filter(({ name }) => !isDeferred(name)).map((tool) => KeptDefinition.of(tool));
  const behind = loaded.flatMap((name) =>
    tools.filter((tool) => tool.name === name && isDeferred(name)).map((tool) => KeptDefinition.of(tool)),
  );
  const plain = [...sortByName(definitions), ...behind];
  return {
    plain,
    withOutput:
      outputTool === undefined
        ? plain
        : [...sortByName([...definitions.filter(({ name }) => name !== outputTool.name), outputTool]), ...behind],
  };
}

/** Sorted, so that the prefix a prompt cache sees does not depend on the order of registration. */
function sortByName(definitions: readonly ToolDefinition[]): ToolDefinition[] {
  return [...definitions].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function sameStrings(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a !== undefined && a.length === b.length && a.every((item, index) => item === b[index]);
}

function sameTools(a: RequestSettings | null, b: RequestSettings): boolean {
  return (
    a !== null &&
    a.outputSchema === b.outputSchema &&
    a.deferral?.names === b.deferral?.names &&
    a.tools.length === b.tools.length &&
    a.tools.every((tool, index) => tool === b.tools[index])
  );
}

// What `thinking` comes to for one model. One rule: what the caller says outright is taken as it is; only if it is
// left to the engine do the model and the environment decide.

interface ThinkingSituation {
  /** As the caller gave it; undefined if nothing was said. */
  readonly asked: ThinkingConfig | undefined;
  /** Null if it is not known how the model is asked to, or its API decides by itself. */
  readonly form: ThinkingForm | null;
  /** Tokens, by a variable: 0 means none, and any other number is the budget of models that take one. Null: not set. */
  readonly maxTokens: number | null;
  /** Tokens, as somebody said while the session ran: 0 means none. It beats all else. Null: nobody did. */
  readonly limit?: number | null;
  /** As somebody said while the session ran; null, or absent: nobody did. */
  readonly display?: ThinkingDisplay | null | undefined;
}

/** Of models that take a budget, if nobody says another. The same in each request, so that a prompt cache holds. */
const USUAL_BUDGET = 10_000;
/** The smallest that models take. */
const SMALLEST_BUDGET = 1_024;

/**
 * The configuration of a request. `adaptive`, a budget that nobody says, and that nothing was said, mean: think if the model can. Without a word
 * from anybody, only models that decide by themselves how much do.
 * Contract: pure; the same for a model as long as what was asked for and the variable stay the same.
 */
export function resolveThinking(situation: ThinkingSituation): RequestThinking | undefined {
  const { asked, form, maxTokens, limit = null } = situation;
  const display = situation.display ?? (asked?.type === 'disabled' ? undefined : asked?.display);
  const shown = display === undefined ? {} : { display };
  if (limit === 0) return form === 'none' ? undefined : { type: 'disabled' };
  if (limit !== null) {
    if (form === 'adaptive') return { type: 'adaptive', ...shown };
    return form === 'none' ? undefined : { type: 'enabled', budgetTokens: Math.max(SMALLEST_BUDGET, limit), ...shown };
  }
  if (asked?.type === 'disabled') return asked;
  if (asked?.type === 'enabled' && asked.budgetTokens !== undefined)
    return { type: 'enabled', budgetTokens: asked.budgetTokens, ...shown };
  if (maxTokens === 0) return asked === undefined ? undefined : { type: 'disabled' };
  const budgetTokens = Math.max(SMALLEST_BUDGET, maxTokens ?? USUAL_BUDGET);
  switch (form) {
    case 'adaptive':
      return { type: 'adaptive', ...shown };
    case 'budget':
      if (asked === undefined && maxTokens === null) return undefined;
      return { type: 'enabled', budgetTokens, ...shown };
    case 'none':
      return undefined;
    case null:
      if (asked === undefined) return undefined;
      return asked.type === 'enabled' ? { type: 'enabled', budgetTokens, ...shown } : { type: 'adaptive', ...shown };
    default:
      return form satisfies never;
  }
}

/** What `MAX_THINKING_TOKENS` says; null if it is not set, or says nothing that can be meant. */
export function maxThinkingTokens(env: Readonly<Record<string, string | undefined>>): number | null {
  const text = (env.TURNWRIGHT_MAX_THINKING_TOKENS ?? env.MAX_THINKING_TOKENS)?.trim() ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

// How long a reply may be: what is wanted, at most what the model can give, and what its window has room for beside
// the prompt. One rule: the output limit of a request never fails it, whichever model it goes to.

export interface ReplyRoom {
  /** The longest reply the model can give, tokens; null if it is not known. */
  readonly most: number | null;
  /** What the model takes in one request, prompt and reply together, tokens. */
  readonly window: number;
  /** The prompt is estimated at no more than this, tokens. */
  readonly roughTokens: number;
  /** Estimate of the whole prompt, tokens. Asked for only if `roughTokens` may leave too little room. */
  readonly inputTokens: () => number;
  /** True: as long as the model can give, whatever the request says. */
  readonly isRaised: boolean;
}

/** If the window leaves less, the request is sent all the same: the model's own count decides. Tokens. */
const SMALLEST_REPLY = 1_024;
/** The smallest thinking budget that models take, tokens. */
const SMALLEST_THINKING = 1_024;
/** What a reply needs beside its thinking, tokens. */
const BESIDE_THINKING = 8_000;
/** The estimate may be too low by this. Smaller than the margin of budgets: too little room costs a cut reply. */
const MARGIN = 1.1;

/**
 * The request with an output limit that its model takes.
 * Contract: pure; the same object if nothing has to change.
 */
export function limitReply(request: ModelRequest, room: ReplyRoom): ModelRequest {
  const { thinking } = request;
  const thought = thinking?.type === 'enabled' ? thinking.budgetTokens + BESIDE_THINKING : 0;
  const wanted = Math.max(room.isRaised && room.most !== null ? room.most : request.maxTokens, thought);
  const possible = Math.min(wanted, room.most ?? wanted);
  const left = (tokens: number): number => Math.max(SMALLEST_REPLY, Math.floor(room.window - tokens * MARGIN));
  if (left(room.roughTokens) >= possible) return withMaxTokens(request, possible);
  return withMaxTokens(request, Math.min(possible, left(room.inputTokens())));
}

/** The request with another output limit. A thinking budget must stay below it: it is lowered, or left out. */
export function withMaxTokens(request: ModelRequest, maxTokens: number): ModelRequest {
  const { thinking } = request;
  if (thinking?.type !== 'enabled' || thinking.budgetTokens < maxTokens)
    return maxTokens === request.maxTokens ? request : { ...request, maxTokens };
  const budgetTokens = maxTokens - SMALLEST_REPLY;
  return {
    ...request,
    maxTokens,
    thinking: budgetTokens < SMALLEST_THINKING ? undefined : { ...thinking, budgetTokens },
  };
}

/** What became of a thinking budget, for a notice; null if it is as it was asked for. */
export function thinkingReduction(asked: ModelRequest, sent: ModelRequest): string | null {
  if (asked.thinking?.type !== 'enabled' || asked.thinking === sent.thinking) return null;
  const now = sent.thinking?.type === 'enabled' ? `lowered to ${sent.thinking.budgetTokens}` : 'left out';
  return `The thinking budget of ${asked.thinking.budgetTokens} tokens was ${now}: ${sent.model} gives at most ${sent.maxTokens} tokens here.`;
}
