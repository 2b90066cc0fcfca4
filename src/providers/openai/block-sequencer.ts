// Puts what an API streams, perhaps several things at a time, into blocks one after the other.
// Rule: what belongs to the open block goes out as it comes; what belongs to a later one waits for its turn.

import type { ContentBlockStart, ContentDelta, ModelEvent } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';

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
