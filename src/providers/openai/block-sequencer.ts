// Puts what an API streams, perhaps several things at a time, into blocks one after the other.
// Rule: what belongs to the open block goes out as it comes; what belongs to a later one waits for its turn.
import { ModelError } from '../../protocol/errors.js';
import type { ContentBlockStart, ContentDelta, ModelEvent } from '../../protocol/model-events.js';

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
  /** Contract: throws `malformed` where the block is closed. */
  fill(block: StreamedBlock, delta: string): void;
  /** The signature goes out with the end of the block. Closes it. */
  close(block: StreamedBlock, signature?: string): void;
  /** Closes what is still open. */
  finish(): void;
}

export function createBlockSequencer(emit: (event: ModelEvent) => void): BlockSequencer {
  /** Those that are not out yet; the first of them is the open one. */
  const waiting: StreamedBlock[] = [];
  let index = -1;
  let hasCalls = false;

  const start = (block: StreamedBlock) => {
    index++;
    emit({ type: 'content_block_start', index, content_block: block.start });
    if (block.text !== '') emit({ type: 'content_block_delta', index, delta: deltaOf(block, block.text) });
    if (block.kind !== 'tool_use') block.text = '';
  };
  const advance = () => {
    for (let first = waiting[0]; first?.closed; first = waiting[0]) {
      if (first.signature !== null) {
        const delta: ContentDelta = { type: 'signature_delta', signature: first.signature };
        emit({ type: 'content_block_delta', index, delta });
      }
      emit({ type: 'content_block_stop', index });
      waiting.shift();
      if (waiting[0] !== undefined) start(waiting[0]);
    }
  };

  return {
    get hasBlocks() {
      return index >= 0;
    },
    get hasCalls() {
      return hasCalls;
    },
    open(content) {
      const block: StreamedBlock = { kind: kindOf(content), text: '', signature: null, closed: false, start: content };
      hasCalls ||= content.type === 'tool_use';
      waiting.push(block);
      if (waiting.length === 1) start(block);
      return block;
    },
    fill(block, delta) {
      if (block.closed)
        throw new ModelError('malformed', 'The reply broke the protocol: more of a block that was over.');
      const isOpen = waiting[0] === block;
      if (!isOpen || block.kind === 'tool_use') block.text += delta;
      if (isOpen) emit({ type: 'content_block_delta', index, delta: deltaOf(block, delta) });
    },
    close(block, signature) {
      if (block.closed) return;
      if (signature !== undefined) block.signature = signature;
      block.closed = true;
      advance();
    },
    finish() {
      for (const block of waiting) block.closed = true;
      advance();
    },
  };
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
