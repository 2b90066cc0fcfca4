// Folds the events of one model stream into one reply. A tool call whose JSON is not whole never gets an input.
import {
  type AssistantBlock,
  type AssistantMessage,
  type CacheCreation,
  EMPTY_USAGE,
  type ModelEvent,
  type StopReason,
  type ToolUseBlock,
  type Usage,
} from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import { USAGE_COUNTS } from '../../providers/contract/index.js';
import { isCount, isNestedDeeper, isRecord, MAX_NESTING, parseOrUndefined, withoutDeeper } from '../../util/json.js';
import { streamedTokens } from '../tokens/index.js';

export interface Reply {
  readonly message: AssistantMessage;
  /** Calls that must not run, by tool_use id, and why: input that is not strict JSON, nested too deep, or cut by the output limit. */
  readonly unusable: ReadonlyMap<string, string>;
}

/** Blocks of one reply; no model gives as many. */
const MAX_BLOCKS = 10_000;

/** A block while its deltas come. Strings grow by concatenation, which the engine keeps as ropes: no copy per delta. */
interface OpenBlock {
  readonly start: Extract<ModelEvent, { type: 'content_block_start' }>['content_block'];
  text: string;
  signature: string;
  closed: boolean;
}

export interface ReplyAssembler {
  /** The id of the message that streams, once it is known. */
  readonly messageId: string | null;
  /**
   * What the provider has reported so far; null before the reply started. If the final count of the output never
   * came, it is estimated from what streamed: at least what was reported.
   */
  readonly usage: Usage | null;
  /** True once the reply is whole: each of its blocks was closed, and `message_stop` came. */
  readonly isWhole: boolean;
  /** False for what comes behind `message_stop`, which is no part of the reply. @throws ModelError for what breaks the protocol */
  push(event: ModelEvent): boolean;
  /** The call of a closed block whose input is whole; null for any other block. */
  closedCall(index: number): ToolUseBlock | null;
  /** Contract: called once, after `message_stop`. */
  finish(): Reply;
  /** What came so far, closed blocks only; for a reply that an abort cut. Null if nothing whole came. */
  partial(): AssistantMessage | null;
}

export function createReplyAssembler(): ReplyAssembler {
  let message: AssistantMessage | null = null;
  let stopReason: StopReason | null = null;
  let stopSequence: string | null = null;
  let usage: Partial<Usage> = {};
  let hasStopped = false;
  const blocks: OpenBlock[] = [];

  const usageOf = (started: AssistantMessage): Usage => {
    const counted = readCounts(usage);
    const told = { ...EMPTY_USAGE, ...readCounts(started.usage), ...counted };
    if (counted.output_tokens !== undefined) return told;
    // Until the end the API tells a token or two, and bills all that it sent.
    const streamed = blocks.reduce((sum, { text, signature }) => sum + streamedTokens(text, signature), 0);
    return { ...told, output_tokens: Math.max(told.output_tokens, Math.ceil(streamed)) };
  };
  const build = (content: AssistantBlock[]): AssistantMessage => {
    if (message === null) throw new Error('A reply was finished before it started.');
    return {
      ...message,
      content,
      stop_reason: stopReason,
      stop_sequence: stopSequence,
      usage: usageOf(message),
    };
  };

  return {
    get messageId() {
      return message?.id ?? null;
    },
    get usage() {
      return message === null ? null : usageOf(message);
    },
    get isWhole() {
      return message !== null && hasStopped && blocks.every((block) => block.closed);
    },
    push(event) {
      if (hasStopped) return false;
      switch (event.type) {
        case 'message_start':
          if (message !== null) throw violation('a second message_start');
          message = event.message;
          return true;
        case 'content_block_start':
          checkIndex(event.index, blocks);
          blocks[event.index] = openBlock(event.content_block);
          return true;
        case 'content_block_delta':
          addDelta(opened(event.index, blocks), event.delta);
          return true;
        case 'content_block_stop':
          opened(event.index, blocks).closed = true;
          return true;
        case 'message_delta':
          stopReason = event.delta.stop_reason ?? stopReason;
          stopSequence = event.delta.stop_sequence ?? stopSequence;
          usage = { ...usage, ...event.usage };
          return true;
        case 'message_stop':
          hasStopped = true;
          return true;
        default:
          event satisfies never;
          return true;
      }
    },
    closedCall(index) {
      const block = blocks[index];
      if (!block?.closed || block.start.type !== 'tool_use') return null;
      const unusable = new Map<string, string>();
      const call = closeBlock(block, false, unusable);
      return call.type === 'tool_use' && unusable.size === 0 ? call : null;
    },
    finish() {
      const unusable = new Map<string, string>();
      const present = blocks.filter((block) => block !== undefined);
      // Thinking without a text only carries what goes back, and may stand behind the call that was cut.
      const last = present.findLast(({ start, text }) => start.type !== 'thinking' || text !== '');
      const content = present.map((block) =>
        closeBlock(block, stopReason === 'max_tokens' && block === last, unusable),
      );
      return { message: build(content), unusable };
    },
    partial() {
      if (message === null) return null;
      const whole = blocks.filter((block) => block?.closed && block.start.type !== 'tool_use');
      const open = blocks.filter(
        (block) => block !== undefined && !block.closed && block.start.type === 'text' && block.text !== '',
      );
      const content = [...whole, ...open].map((block) => closeBlock(block, false, new Map()));
      return content.length === 0 ? null : build(content);
    },
  };
}

function openBlock(start: OpenBlock['start']): OpenBlock {
  const text = start.type === 'text' ? start.text : start.type === 'thinking' ? start.thinking : '';
  return { start, text, signature: start.type === 'thinking' ? (start.signature ?? '') : '', closed: false };
}

/** @throws ModelError if no block may begin at that place */
function checkIndex(index: number, blocks: readonly OpenBlock[]): void {
  if (!Number.isInteger(index) || index < 0 || index >= MAX_BLOCKS) throw violation(`a block with the index ${index}`);
  // A call that only reads may have started with its block: what ran must be what the reply holds.
  if (blocks[index] !== undefined) throw violation(`block ${index} opened twice`);
}

/** @throws ModelError if that block is not open */
function opened(index: number, blocks: readonly OpenBlock[]): OpenBlock {
  const block = blocks[index];
  if (block === undefined || block.closed) throw violation(`an event of block ${index}, which is not open`);
  return block;
}

function addDelta(block: OpenBlock, delta: Extract<ModelEvent, { type: 'content_block_delta' }>['delta']): void {
  const { type } = block.start;
  switch (delta.type) {
    case 'text_delta':
      block.text += textIn(delta.text, type === 'text', delta.type);
      return;
    case 'thinking_delta':
      block.text += textIn(delta.thinking, type === 'thinking', delta.type);
      return;
    case 'input_json_delta':
      block.text += textIn(delta.partial_json, type === 'tool_use', delta.type);
      return;
    case 'signature_delta':
      block.signature += textIn(delta.signature, type === 'thinking', delta.type);
      return;
    default:
      delta satisfies never;
  }
}

/** @throws ModelError if the delta has no text, or belongs into a block of another kind */
function textIn(text: unknown, fits: boolean, delta: string): string {
  if (!fits || typeof text !== 'string') throw violation(`a ${delta} that its block cannot take`);
  return text;
}

/** Providers of the host's own have nobody else who checks them. */
function violation(what: string): ModelError {
  return new ModelError('malformed', `The reply breaks the protocol of model events: ${what}.`);
}

function closeBlock(block: OpenBlock, cut: boolean, unusable: Map<string, string>): AssistantBlock {
  const { start } = block;
  switch (start.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return {
        type: 'thinking',
        thinking: block.text,
        ...(block.signature === '' ? {} : { signature: block.signature }),
      };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: start.data };
    case 'tool_use': {
      if (cut)
        unusable.set(
          start.id,
          'The call was cut off by the output limit. Nothing ran. Send it again, in smaller pieces if it is long.',
        );
      // Strict: a repaired input would look whole.
      const input = block.text === '' ? start.input : parseOrUndefined(block.text);
      if (isRecord(input))
        return { type: 'tool_use', id: start.id, name: start.name, input: usable(input, start.id, unusable) };
      if (!cut) unusable.set(start.id, 'The input was not a whole JSON object. Nothing ran. Send the call again.');
      return { type: 'tool_use', id: start.id, name: start.name, input: {} };
    }
    default:
      return start satisfies never;
  }
}

/** Nothing further on has to take an input of any depth: what goes on is cut, and does not run. */
function usable(input: Record<string, unknown>, id: string, unusable: Map<string, string>): Record<string, unknown> {
  if (!isNestedDeeper(input)) return input;
  unusable.set(id, `The input was nested more than ${MAX_NESTING} levels deep. Nothing ran. Send it flatter.`);
  return withoutDeeper(input) as Record<string, unknown>;
}

// The counts of tokens that a provider reports, as far as they are counts: a budget that is not a number limits nothing.

/** What is no count is as good as not told. */
function readCounts(told: Partial<Usage> | null | undefined): Partial<Usage> {
  if (typeof told !== 'object' || told === null) return {};
  const counts: { -readonly [K in keyof Usage]?: Usage[K] } = {};
  for (const key of USAGE_COUNTS) {
    const count = told[key];
    if (isCount(count)) counts[key] = count;
  }
  const creation = told.cache_creation;
  if (isCreation(creation)) counts.cache_creation = creation;
  return counts;
}

function isCreation(value: CacheCreation | null | undefined): value is CacheCreation {
  return isCount(value?.ephemeral_5m_input_tokens) && isCount(value.ephemeral_1h_input_tokens);
}
