// How a reply of the OpenAI APIs begins, in the canonical form.
import { EMPTY_USAGE } from '../../protocol/content.js';
import type { ModelEvent } from '../../protocol/model-events.js';

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
