// Why a Chat Completions reply ended, in canonical words. Rule: a reason that means a failure is one, and is thrown.
import type { StopReason } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end_turn'],
  ['eos', 'end_turn'],
  ['end_turn', 'end_turn'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['tool_use', 'tool_use'],
  ['length', 'max_tokens'],
  ['max_tokens', 'max_tokens'],
  ['model_length', 'model_context_window_exceeded'],
  ['content_filter', 'refusal'],
  ['safety', 'refusal'],
  ['sensitive', 'refusal'],
  ['refusal', 'refusal'],
]);

/** Reasons by which a server says that it gave up, and what that is. */
const FAILURES: ReadonlyMap<string, 'overloaded' | 'server' | 'stream_cut' | 'malformed'> = new Map([
  ['error', 'server'],
  ['network_error', 'server'],
  ['insufficient_system_resource', 'overloaded'],
  ['abort', 'stream_cut'],
  ['aborted', 'stream_cut'],
  ['malformed_function_call', 'malformed'],
]);

/**
 * A reason newer than this engine ends the turn as `stop` does; the blocks themselves are whole either way.
 * @throws ModelError where the reason is a failure
 */
export function stopReasonOf(reason: string, hasCalls: boolean, isRefusal: boolean): StopReason {
  const word = reason.toLowerCase();
  const failure = FAILURES.get(word);
  if (failure !== undefined) {
    throw new ModelError(failure, `The model's server broke off its reply (${word.slice(0, 40)}). Try again later.`);
  }
  const known = REASONS.get(word) ?? 'end_turn';
  if (known !== 'end_turn' && known !== 'tool_use') return known;
  // Some say `stop` though there are calls, and some say `tool_calls` though there are none.
  if (hasCalls) return 'tool_use';
  return isRefusal ? 'refusal' : 'end_turn';
}
