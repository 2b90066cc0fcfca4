// How a prompt ended, in the few words that the protocol has for it; what it has none for is an error with its text.
import type { StopReason } from '@agentclientprotocol/sdk';
import type { SDKResultMessage } from '../../protocol/messages.js';
import { failed } from './request-errors.js';

/** @throws RequestError where the prompt failed */
export function stopReason(result: SDKResultMessage, wasCancelled: boolean): StopReason {
  if (wasCancelled) return 'cancelled';
  switch (result.terminal_reason) {
    case 'aborted':
    case 'permission_interrupt':
      return 'cancelled';
    case 'refusal':
      return 'refusal';
    case 'max_turns':
      return 'max_turn_requests';
    case 'max_output_tokens':
      return 'max_tokens';
    default:
      if (result.subtype === 'success' && !result.is_error) return 'end_turn';
      throw failed(failureText(result));
  }
}

function failureText(result: SDKResultMessage): string {
  const errors = 'errors' in result ? result.errors : [];
  return errors.join('\n') || result.result || `The prompt ended with an error (${result.terminal_reason}).`;
}
