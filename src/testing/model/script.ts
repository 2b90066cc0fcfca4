// The script of a model: what it answers, step by step, and the events that a reply streams, lazily. The scripted provider and
// the mock server share it, so one script serves both. Deltas are split by code points: none ends within a character.
import type {
  AssistantMessage,
  ContentBlockStart,
  ContentDelta,
  ModelEvent,
  RedactedThinkingBlock,
  StopReason,
  TextBlock,
  ThinkingBlock,
  Usage,
} from '../../protocol/content.js';
import type { ModelError } from '../../protocol/errors.js';
import { foldEvents } from './collect.js';

/** A call as a script writes it. Without `id` it gets the next of `toolu_0001`, `toolu_0002` … */
export interface ScriptedToolUse {
  readonly type: 'tool_use';
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
  /** Streamed in place of `input`, as it is: for input that is not whole or not JSON. */
  readonly rawInput?: string;
}

export type ScriptedBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ScriptedToolUse;

/** What any step may say of its reply. */
export interface ReplyTraits {
  /** Default: `tool_use` if the reply holds a call, else `end_turn`. */
  readonly stopReason?: StopReason;
  /** Tokens. What is not given is estimated: characters / 4 of the request and of the reply. */
  readonly usage?: Partial<Usage>;
  /** The stream breaks after this many events, `message_start` included. */
  readonly cutAfterEvents?: number;
  /** What it breaks with. Default: a `stream_cut`, on the wire a destroyed socket. */
  readonly cutWith?: ModelError;
  /** The stream falls silent after this many events, until the caller gives up. */
  readonly stallAfterEvents?: number;
  /** The answer starts when this is settled: a gate, not a timer. */
  readonly waitFor?: Promise<unknown>;
}

/** A reply of whole blocks. */
export interface ScriptedReply extends ReplyTraits {
  readonly blocks: readonly ScriptedBlock[];
}

/** A reply of one text block in `deltas` equal deltas; cheap to stream at any length. */
export interface ScriptedDeltas extends ReplyTraits {
  readonly deltas: number;
  /** Default `'word '`. */
  readonly delta?: string;
}

/** A failure before any event. */
export interface ScriptedFailure {
  readonly error: ModelError;
  readonly waitFor?: Promise<unknown>;
}

/** No answer at all, until the caller gives up. */
export interface ScriptedStall {
  readonly stall: true;
}

/** One answer. A bare block is a reply of that block. */
export type ScriptedAnswer = ScriptedBlock | ScriptedReply | ScriptedDeltas | ScriptedFailure | ScriptedStall;

export function text(value: string): TextBlock {
  return { type: 'text', text: value };
}

export function toolCall(name: string, input: unknown = {}, id?: string): ScriptedToolUse {
  return { type: 'tool_use', name, input, ...(id === undefined ? {} : { id }) };
}

export function thinking(value: string, signature: string): ThinkingBlock {
  return { type: 'thinking', thinking: value, signature };
}

/** A reply of these blocks. Add traits by spreading: `{ ...reply(text('half')), cutAfterEvents: 3 }`. */
export function reply(...blocks: readonly ScriptedBlock[]): ScriptedReply {
  return { blocks };
}

/** An answer that streams something, in one form. */
export interface ReplyPlan extends ReplyTraits {
  readonly content: { readonly blocks: readonly ScriptedBlock[] } | { readonly count: number; readonly delta: string };
}

/** The plan of an answer that streams; null for one that does not. */
export function planReply(answer: ScriptedAnswer): ReplyPlan | null {
  if ('type' in answer) return { content: { blocks: [answer] } };
  if ('blocks' in answer) return { ...answer, content: { blocks: answer.blocks } };
  if ('deltas' in answer) return { ...answer, content: { count: answer.deltas, delta: answer.delta ?? 'word ' } };
  return null;
}

/** Deterministic ids, each kind counted by itself: `toolu_0001`, `msg_0001`. */
export interface ScriptIds {
  next(prefix: 'toolu' | 'msg' | 'req'): string;
}

export function createScriptIds(): ScriptIds {
  const counts = new Map<string, number>();
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}_${String(count).padStart(4, '0')}`;
    },
  };
}

/** Characters of one text or thinking delta, unless the script says otherwise. */
export const DEFAULT_CHUNK_SIZE = 16;

export interface ReplyContext {
  readonly model: string;
  readonly ids: ScriptIds;
  /** Size of the request, characters: what the estimate of input tokens is made of. */
  readonly requestSize: number;
  /** Characters of one delta, at least 1. */
  readonly chunkSize: number;
}

/** The events of one whole reply. Contract: folds to exactly the plan's blocks. */
export function* streamReply(plan: ReplyPlan, context: ReplyContext): Generator<ModelEvent, void, void> {
  const usage = planUsage(plan, context.requestSize);
  yield {
    type: 'message_start',
    message: {
      id: context.ids.next('msg'),
      type: 'message',
      role: 'assistant',
      model: context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: Math.min(usage.output_tokens, 1) },
    },
  };
  if ('count' in plan.content) yield* streamEqualDeltas(plan.content.count, plan.content.delta);
  else {
    for (const [index, block] of plan.content.blocks.entries()) yield* streamBlock(block, index, context);
  }
  yield {
    type: 'message_delta',
    delta: { stop_reason: plan.stopReason ?? defaultStopReason(plan), stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  };
  yield { type: 'message_stop' };
}

/**
 * Passes the events on and tells `onReply` of a whole reply with thinking, just before its end is passed on. Call inputs
 * are left out: a script may stream some that are not JSON.
 */
export function* watchSigned(
  plan: ReplyPlan,
  events: Iterable<ModelEvent>,
  onReply: (message: AssistantMessage) => void,
): Generator<ModelEvent, void, void> {
  if (!('blocks' in plan.content && plan.content.blocks.some((block) => block.type.endsWith('thinking')))) {
    yield* events;
    return;
  }
  const seen: ModelEvent[] = [];
  for (const event of events) {
    const isInput = event.type === 'content_block_delta' && event.delta.type === 'input_json_delta';
    if (!isInput) seen.push(event);
    if (event.type === 'message_stop') onReply(foldEvents(seen));
    yield event;
  }
}

/** The usage a reply reports: the script's figures, else characters / 4. */
function planUsage(plan: ReplyPlan, requestSize: number): Usage {
  return {
    input_tokens: toTokens(requestSize),
    output_tokens: toTokens(replySize(plan)),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    ...plan.usage,
  };
}

function toTokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / 4));
}

function replySize(plan: ReplyPlan): number {
  if ('count' in plan.content) return plan.content.count * plan.content.delta.length;
  let size = 0;
  for (const block of plan.content.blocks) size += blockSource(block).length;
  return size;
}

function defaultStopReason(plan: ReplyPlan): StopReason {
  const calls = 'blocks' in plan.content && plan.content.blocks.some((block) => block.type === 'tool_use');
  return calls ? 'tool_use' : 'end_turn';
}

function* streamEqualDeltas(count: number, delta: string): Generator<ModelEvent, void, void> {
  const event: ModelEvent = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: delta } };
  yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  for (let sent = 0; sent < count; sent++) yield event; // one object: a server need serialise it once only
  yield { type: 'content_block_stop', index: 0 };
}

function* streamBlock(block: ScriptedBlock, index: number, context: ReplyContext): Generator<ModelEvent, void, void> {
  yield { type: 'content_block_start', index, content_block: openBlock(block, context.ids) };
  if (block.type === 'tool_use') yield delta(index, { type: 'input_json_delta', partial_json: '' }); // as the API does
  for (const chunk of splitText(blockSource(block), context.chunkSize)) yield delta(index, toDelta(block, chunk));
  if (block.type === 'thinking' && block.signature !== undefined) {
    yield delta(index, { type: 'signature_delta', signature: block.signature });
  }
  yield { type: 'content_block_stop', index };
}

function delta(index: number, content: ContentDelta): ModelEvent {
  return { type: 'content_block_delta', index, delta: content };
}

function openBlock(block: ScriptedBlock, ids: ScriptIds): ContentBlockStart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
      return { type: 'tool_use', id: block.id ?? ids.next('toolu'), name: block.name, input: {} };
    default:
      return block satisfies never;
  }
}

/** What a block's deltas spell. */
function blockSource(block: ScriptedBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return block.thinking;
    case 'redacted_thinking':
      return '';
    case 'tool_use': {
      if (block.rawInput !== undefined) return block.rawInput;
      const json = JSON.stringify(block.input) ?? '';
      return json === '{}' ? '' : json; // an empty input streams no JSON at all
    }
    default:
      return block satisfies never;
  }
}

function toDelta(block: ScriptedBlock, chunk: string): ContentDelta {
  if (block.type === 'thinking') return { type: 'thinking_delta', thinking: chunk };
  if (block.type === 'tool_use') return { type: 'input_json_delta', partial_json: chunk };
  return { type: 'text_delta', text: chunk };
}

function* splitText(source: string, size: number): Generator<string, void, void> {
  let start = 0;
  while (start < source.length) {
    let end = start + size;
    if (end < source.length && isSurrogatePair(source, end - 1)) end++;
    yield source.slice(start, end);
    start = end;
  }
}

function isSurrogatePair(source: string, at: number): boolean {
  const high = source.charCodeAt(at) & 0xfc00;
  return high === 0xd800 && (source.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
