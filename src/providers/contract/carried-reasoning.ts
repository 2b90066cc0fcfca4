// Reasoning that a model's server wants back with the next request, kept in the signature of a canonical `thinking` block.
// Rule: a signature says which API it belongs to, and no API is sent what belongs to another.
import type { ContentBlock } from '../../protocol/content.js';

/** The APIs whose reasoning is kept so. The Messages API signs its own. */
export type ReasoningApi = 'openai-chat' | 'openai-responses' | 'ai-sdk';

const PREFIX = 'turnwright-reasoning:';

/** @param payload any text; empty if there is nothing to carry and the block is shown only */
export function sealReasoning(api: ReasoningApi, payload: string): string {
  return `${PREFIX}${api}:${payload}`;
}

/** The payload that `sealReasoning` was given; null for a signature of another API, or none. */
export function openReasoning(api: ReasoningApi, signature: string | undefined): string | null {
  const head = `${PREFIX}${api}:`;
  return signature?.startsWith(head) ? signature.slice(head.length) : null;
}

/** True for thinking that was sealed for any API: it is no signature of the Messages API. */
export function isSealed(block: ContentBlock): boolean {
  return block?.type === 'thinking' && typeof block.signature === 'string' && block.signature.startsWith(PREFIX);
}
