// A request that failed for good, as a message of the stream: it stands where the reply should, and is kept nowhere.
// Loaded for prompts that end so.

import { assistantErrorOf } from '../../engine/reply/index.js';
import type { MessageDraft } from '../../engine/state/index.js';
import type { SDKAssistantMessageError } from '../../protocol/envelope.js';
import { type AgentRun, explanationOf, type PromptEnding, syntheticAssistant } from '../core/index.js';

export async function failureDrafts(
  { session, runtime }: Pick<AgentRun, 'session' | 'runtime'>,
  ending: PromptEnding,
): Promise<readonly MessageDraft[]> {
  const error = errorOf(ending);
  if (error === null) return [];
  const plain = explanationOf(ending);
  const text = runtime.vault === null ? plain : await runtime.vault.hide(plain, 'found', false);
  const message = syntheticAssistant(session.host.ids.uuid(), [{ type: 'text', text }]);
  const shown: MessageDraft = { type: 'assistant', message, error };
  if (ending.failure?.kind !== 'authentication') return [shown];
  return [{ type: 'auth_status', isAuthenticating: false, output: [], error: text }, shown];
}

/** Why a reply is missing, as the published SDKs name it; null where the prompt ended otherwise. */
function errorOf({ reason, failure }: PromptEnding): SDKAssistantMessageError | null {
  if (failure !== undefined) return assistantErrorOf(failure);
  return reason === 'max_output_tokens' ? 'max_output_tokens' : null;
}
