// Parts of a reply that both OpenAI forms have: how it begins, its events as objects, its counts of tokens. Rule: an error
// shows no more of a broken event than is safe.

import { EMPTY_USAGE, type ModelEvent, type Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';

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

export function violation(what: string): ModelError {
  return new ModelError('malformed', `The reply broke the protocol: ${what}.`);
}

// Token counts of the OpenAI-shaped APIs as canonical usage. Rule: each token is counted once. These APIs count cached
// tokens within the prompt, and most of them count reasoning within the reply.

type Fields = Readonly<Record<string, unknown>>;

/**
 * Null if `value` holds no counts.
 * @param reasoningApart reasoning is not part of the reply's count
 */
export function readUsage(value: unknown, reasoningApart: boolean): Usage | null {
  if (!isFields(value)) return null;
  const prompt = first(value['prompt_tokens'], value['input_tokens']);
  const reply = first(value['completion_tokens'], value['output_tokens']);
  if (prompt === null && reply === null) return null;
  const input = fieldsOf(value['prompt_tokens_details'] ?? value['input_tokens_details']);
  const output = fieldsOf(value['completion_tokens_details'] ?? value['output_tokens_details']);
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

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
