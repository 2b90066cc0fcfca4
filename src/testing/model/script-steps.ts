// The words of a script: what a scripted model answers, step by step. Shared by the scripted provider and the mock
// server, so one script serves both. Data only; nothing here streams.
import type { RedactedThinkingBlock, StopReason, TextBlock, ThinkingBlock, Usage } from '../../protocol/content.js';
import type { ModelError } from '../../protocol/errors.js';

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
