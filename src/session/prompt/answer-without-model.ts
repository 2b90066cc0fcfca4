// What answers a prompt that goes to no model: a hook that stopped it, a local command, or a compaction. One rule: none of
// it becomes part of the conversation with the model.
import type { SDKMessage } from '../../protocol/messages.js';
import { type AgentRun, type PromptEnding, plainEnding, type Session, syntheticAssistant } from '../core/index.js';
import type { ReadyPrompt } from './prepare-prompt.js';

export async function* answerWithoutModel(
  run: AgentRun,
  { stoppedByHook, input }: ReadyPrompt,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { session } = run;
  if (stoppedByHook !== null) return plainEnding('hook_stopped', stoppedByHook, null);
  if (input.compaction === null) return yield* answerLocally(session, input.resultText ?? '');
  const { compactNow } = await import('./compact-now.js');
  const done = yield* compactNow(run, input.compaction.instructions, signal);
  return typeof done === 'string' ? yield* answerLocally(session, done) : done;
}

/** The short path of a local command. */
async function* answerLocally(session: Session, text: string): AsyncGenerator<SDKMessage, PromptEnding> {
  const message = syntheticAssistant(session.host.ids.uuid(), [{ type: 'text', text }]);
  yield session.stamp({ type: 'assistant', message });
  yield session.stamp({ type: 'system', subtype: 'local_command_output', content: text });
  return plainEnding('local_command', text, null);
}
