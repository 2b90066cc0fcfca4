// What replies of both OpenAI forms have in common: how one begins, events as objects, counts of tokens, and what streams at
// the same time as blocks one after the other. Rule: an error shows no more of a broken event than is safe.
import {
  type ContentBlockStart,
  type ContentDelta,
  EMPTY_USAGE,
  type ModelEvent,
  type Usage,
} from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import { isRecord, recordOf } from '../../util/json.js';
import { violation } from '../contract/index.js';

const MAX_SHOWN = 200;

/** Throws `malformed` if the data is no JSON object. @param secrets texts that no error may repeat */
export function parseEvent(data: string, secrets: readonly string[]): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    // A plain text may quote anything, a key included; only its beginning is shown, and not if it holds one.
    const isSafe = !secrets.some((secret) => data.includes(secret));
    const shown = isSafe ? data.slice(0, MAX_SHOWN).replace(/\p{C}/gu, ' ') : 'hidden';
    throw new ModelError('malformed', `An event of the reply is not valid JSON: ${shown}.`, {
      cause: isSafe ? error : undefined,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw violation('an event that is not an object');
  }
  return value as Readonly<Record<string, unknown>>;
}

// Token counts of the OpenAI-shaped APIs as canonical usage. Rule: each token is counted once. These APIs count cached
// tokens within the prompt, and most of them count reasoning within the reply.

type Fields = Readonly<Record<string, unknown>>;

/**
 * Null if `value` holds no counts.
 * @param reasoningApart reasoning is not part of the reply's count
 */
export function readUsage(value: unknown, reasoningApart: boolean): Usage | null {
  if (!isRecord(value)) return null;
  const prompt = first(value['prompt_tokens'], value['input_tokens']);
  const reply = first(value['completion_tokens'], value['output_tokens']);
  if (prompt === null && reply === null) return null;
  const input = recordOf(value['prompt_tokens_details'] ?? value['input_tokens_details']);
  const output = recordOf(value['completion_tokens_details'] ?? value['output_tokens_details']);
  const total = prompt ?? 0;
  const cacheRead = Math.min(total, first(input['cached_tokens'], value['prompt_cache_hit_tokens']) ?? 0);
  const cacheWrite = Math.min(
    total - cacheRead,
    first(input['cache_write_tokens'], input['cache_creation_tokens']) ?? 0,
  );
  return {
    ...EMPTY_USAGE,
    input_tokens: total - cacheRead - cacheWrite,
    output_tokens: (reply ?? 0) + (reasoningApart ? reasoningTokens(value, output, total, reply ?? 0) : 0),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}

/** Told by itself, or what the total holds beside prompt and reply. */
function reasoningTokens(usage: Fields, output: Fields, prompt: number, reply: number): number {
  return first(output['reasoning_tokens']) ?? Math.max(0, (first(usage['total_tokens']) ?? 0) - prompt - reply);
}

function first(...values: unknown[]): number | null {
  const found = values.find((value) => typeof value === 'number' && Number.isFinite(value) && value >= 0);
  return found === undefined ? null : (found as number);
}

// How a reply of the OpenAI APIs begins, in the canonical form.

/**
 * @param fields what the server says of the reply: its id and model, as far as they are there
 * @param model  that was asked for
 */
export function messageStart(
  { id, model: answering }: Readonly<Record<string, unknown>>,
  model: string,
  requestId: string | null,
): ModelEvent {
  return {
    type: 'message_start',
    message: {
      id: typeof id === 'string' ? id : '',
      type: 'message',
      role: 'assistant',
      model: typeof answering === 'string' && answering !== '' ? answering : model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: EMPTY_USAGE,
      ...(requestId === null ? {} : { request_id: requestId }),
    },
  };
}

/** A block while it streams. Its fields are the sequencer's. */
export interface StreamedBlock {
  readonly kind: 'text' | 'thinking' | 'tool_use';
  /** The arguments of a call so far; for other kinds only what waits to go out. A rope: no copy per delta. */
  text: string;
  signature: string | null;
  closed: boolean;
  readonly start: ContentBlockStart;
}

export interface BlockSequencer {
  /** True once anything was opened. */
  readonly hasBlocks: boolean;
  readonly hasCalls: boolean;
  /** Opens a block behind all others. */
  open(start: ContentBlockStart): StreamedBlock;
  /** Contract: throws `malformed` if the block is closed. */
  fill(block: StreamedBlock, delta: string): void;
  /** The signature goes out with the end of the block. Closes it. */
  close(block: StreamedBlock, signature?: string): void;
  /** Closes what is still open. */
  finish(): void;
}

export function createBlockSequencer(emit: (event: ModelEvent) => void): BlockSequencer {
  return new Sequencer(emit);
}

/** A class, so that every reply runs the same code: it is run for each delta. */
class Sequencer implements BlockSequencer {
  readonly #emit: (event: ModelEvent) => void;
  /** Those that are not out yet; the first of them is the open one. */
  readonly #waiting: StreamedBlock[] = [];
  #index = -1;
  #hasCalls = false;

  constructor(emit: (event: ModelEvent) => void) {
    this.#emit = emit;
  }

  get hasBlocks(): boolean {
    return this.#index >= 0;
  }

  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  open(content: ContentBlockStart): StreamedBlock {
    const block: StreamedBlock = { kind: kindOf(content), text: '', signature: null, closed: false, start: content };
    this.#hasCalls ||= content.type === 'tool_use';
    this.#waiting.push(block);
    if (this.#waiting.length === 1) this.#start(block);
    return block;
  }

  fill(block: StreamedBlock, delta: string): void {
    if (block.closed) throw new ModelError('malformed', 'The reply broke the protocol: more of a block that was over.');
    const isOpen = this.#waiting[0] === block;
    if (!isOpen || block.kind === 'tool_use') block.text += delta;
    if (isOpen) this.#emit({ type: 'content_block_delta', index: this.#index, delta: deltaOf(block, delta) });
  }

  close(block: StreamedBlock, signature?: string): void {
    if (block.closed) return;
    if (signature !== undefined) block.signature = signature;
    block.closed = true;
    this.#advance();
  }

  finish(): void {
    for (const block of this.#waiting) block.closed = true;
    this.#advance();
  }

  #start(block: StreamedBlock): void {
    this.#index++;
    const index = this.#index;
    this.#emit({ type: 'content_block_start', index, content_block: block.start });
    if (block.text !== '') this.#emit({ type: 'content_block_delta', index, delta: deltaOf(block, block.text) });
    if (block.kind !== 'tool_use') block.text = '';
  }

  #advance(): void {
    for (let first = this.#waiting[0]; first?.closed; first = this.#waiting[0]) {
      const index = this.#index;
      if (first.signature !== null) {
        const delta: ContentDelta = { type: 'signature_delta', signature: first.signature };
        this.#emit({ type: 'content_block_delta', index, delta });
      }
      this.#emit({ type: 'content_block_stop', index });
      this.#waiting.shift();
      if (this.#waiting[0] !== undefined) this.#start(this.#waiting[0]);
    }
  }
}

function kindOf(start: ContentBlockStart): StreamedBlock['kind'] {
  return start.type === 'redacted_thinking' ? 'thinking' : start.type;
}

function deltaOf(block: StreamedBlock, text: string): ContentDelta {
  if (block.kind === 'text') return { type: 'text_delta', text };
  return block.kind === 'thinking'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'input_json_delta', partial_json: text };
}
