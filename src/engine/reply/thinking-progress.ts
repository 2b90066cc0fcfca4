// How much a model has thought by now, for who watches a reply being written.
import type { ModelEvent } from '../../protocol/model-events.js';
import type { Draft } from '../state/index.js';

/** Told once so many tokens are new, and at the end of a block. */
const TOLD_EVERY = 100;
const CHARACTERS_PER_TOKEN = 4;

/** For one attempt of one request. Takes each event of it, and gives what is to be told, mostly null. */
export function countThinking(): (event: ModelEvent) => Draft | null {
  let characters = 0;
  let told = 0;
  return (event) => {
    const isThought = event.type === 'content_block_delta' && event.delta.type === 'thinking_delta';
    if (isThought) characters += event.delta.thinking.length;
    else if (event.type !== 'content_block_stop') return null;
    const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
    const delta = tokens - told;
    if (delta === 0 || (isThought && delta < TOLD_EVERY)) return null;
    told = tokens;
    return { type: 'system', subtype: 'thinking_tokens', estimated_tokens: tokens, estimated_tokens_delta: delta };
  };
}
