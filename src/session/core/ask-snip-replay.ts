// The host's say in what takes the place of a conversation: a callback that fails, or answers what is no conversation,
// leaves the summary in its place.
import { ConfigError } from '../../protocol/errors.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { checkMessages, type Message } from '../messages/index.js';

export interface SnipReplayAnswer {
  /** What to go on with; null where the summary stands. */
  readonly messages: readonly Message[] | null;
  /** What is to be told of a callback that failed. */
  readonly notice: PendingNotice | null;
}

/** @param store the conversation as it was. Contract: never throws. */
export function askSnipReplay(
  { snipReplay }: Pick<QueryEngineConfig, 'snipReplay'>,
  boundary: SDKCompactBoundaryMessage,
  store: readonly Message[],
): SnipReplayAnswer {
  try {
    const answer: unknown = snipReplay?.(boundary, [...store]);
    if (answer instanceof Promise) {
      answer.catch(() => undefined); // it is not waited for, so what becomes of it is nobody's
      throw new ConfigError('it gave a promise, and must answer at once');
    }
    const { executed, messages } = (answer ?? {}) as { readonly executed?: unknown; readonly messages?: unknown };
    if (executed !== true) return { messages: null, notice: null };
    if (!Array.isArray(messages)) throw new ConfigError('it gave no list of messages');
    return { messages: checkMessages(messages, 'messages'), notice: null };
  } catch (error) {
    const message = `snipReplay failed, so the summary stands: ${errorText(error)}`;
    return { messages: null, notice: { code: 'hook_failed', message } };
  }
}
