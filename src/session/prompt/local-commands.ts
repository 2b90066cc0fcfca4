// What answers a prompt that goes to no model: a hook that stopped it, a local command, or a compaction. One rule: none of
// it becomes part of the conversation with the model. Below, what `/clear` and `/compact` do, and the shell of commands of files.

import { executeTool } from '../../engine/calls/index.js';
import { ModelDecisionFailure } from '../../engine/reply/index.js';
import { formatCount, type LoopState } from '../../engine/state/index.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { bashTool } from '../../tools/bash.js';
import { shorten } from '../../util/text.js';
import {
  type AgentRun,
  countReplaced,
  type PromptEnding,
  plainEnding,
  type ReadyPrompt,
  type Session,
  type SessionRuntime,
  showSteps,
  syntheticAssistant,
} from '../core/index.js';
import { configureRequests } from './prepare-prompt.js';
import { loopDeps, rememberLateDecision, stateOf } from './run-loop.js';

export async function* answerWithoutModel(
  run: AgentRun,
  { stoppedByHook, input }: ReadyPrompt,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { session } = run;
  if (stoppedByHook !== null) return plainEnding('hook_stopped', stoppedByHook, null);
  if (input.compaction === null) return yield* answerLocally(session, input.resultText ?? '');
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

// The shell of a command that stands in a file: each line is a call of Bash, decided, hooked, confined and hidden as any other.
// One rule: what is not allowed ends the command, so that no model works on half of what it was to see.

const SHOWN = 100;

/** @returns what the line printed. @throws ConfigError if it was not allowed, or failed */
export async function runCommandShell(
  run: AgentRun,
  line: string,
  { command, allowedTools }: { readonly command: string; readonly allowedTools: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  const { session, runtime } = run;
  const refuse = (why: string) =>
    new ConfigError(`The command /${command} was not run: ${shorten(line, SHOWN)} ${why}`);
  if (!runtime.setup.tools.some(({ name }) => name === bashTool.name))
    throw refuse('needs the tool Bash, which this session does not have.');
  await runtime.gate.approveForPrompt(allowedTools);
  const call = {
    type: 'tool_use',
    id: `toolu_${session.host.ids.uuid().replaceAll('-', '')}`,
    name: bashTool.name,
    input: { command: line, description: `For /${command}` },
  } as const;
  const { block, ending } = await executeTool(call, undefined, {
    ...loopDeps(run, signal),
    tools: runtime.setup.tools,
    deferCall: undefined,
  });
  const { content } = block;
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (ending === 'deferred') throw refuse('waits for a decision, which a command cannot.');
  // What follows is advice for a model.
  const [said = ''] = text.split(' Nothing of it ran.');
  if (block.is_error === true) throw refuse(`did not succeed. ${said}`);
  return text;
}

// `/compact`: one step of the loop, by itself.

/** @returns what to say of it, or how the prompt ends if it came to nothing */
async function* compactNow(
  run: AgentRun,
  instructions: string | null,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding | string> {
  const { session, runtime } = run;
  const { history, memory } = session;
  if (history.params.length === 0) return 'There is nothing to compact yet.';
  // In a session that was resumed, this may be the first request.
  await configureRequests(session, runtime);
  const steps = runtime.compactor.compactNow(stateOf(run, false), instructions, loopDeps(run, signal));
  const state = yield* withDecision(showSteps(session, runtime, steps), memory);
  if (state instanceof ModelDecisionFailure) return plainEnding('turn_setup_failed', '', state.message);
  memory.compaction = state.compaction;
  if (signal.aborted) return plainEnding('aborted', '', null);
  if (state.transition !== 'history_compacted') return 'The conversation could not be compacted.';
  const { lastFreed } = state.compaction;
  if (lastFreed <= 0)
    return `The conversation was compacted. It was so short that with the summary it takes about ${formatCount(-lastFreed)} tokens more.`;
  return `The conversation was compacted: it takes about ${formatCount(lastFreed)} tokens less.`;
}

/** No model was named for the summary: the prompt ends with that. */
async function* withDecision(
  steps: AsyncGenerator<SDKMessage, LoopState>,
  memory: Session['memory'],
): AsyncGenerator<SDKMessage, LoopState | ModelDecisionFailure> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof ModelDecisionFailure)) throw error;
    rememberLateDecision(memory, error.failure);
    return error;
  }
}

// What `/clear` does: the session goes on as if it had just begun. One rule: what it cost stays counted.

/** Forgets the conversation, files seen and todos. */
export async function clearConversation(session: Session, runtime: SessionRuntime): Promise<void> {
  const { config, history, memory, sessionId } = session;
  memory.earlier = countReplaced(memory.earlier, history.messages, []);
  history.clear();
  config.readFileCache.clear();
  config.setAppState((previous) => ({ ...previous, todos: [] }));
  await runtime.transcript.startOver();
  if (memory.isStarted && runtime.hooks.has('SessionEnd')) await runtime.hooks.run('SessionEnd', { reason: 'clear' });
  await runtime.hooks.dropAdded();
  memory.isStarted = false;
  memory.wasCleared = true;
  memory.environment = null;
  delete memory.repository;
  memory.instructions = null;
  delete memory.memoryIndex;
  delete memory.skillFolders;
  delete memory.laterInstructions;
  memory.areTasksTold = false;
  memory.isPlaceTold = false;
  // What still runs has read it, and will tell of it.
  if ((runtime.tasks.registry?.running.length ?? 0) === 0) runtime.provenance?.clear();
  runtime.workplace.startIn(runtime.workplace.folder);
  runtime.tell({ type: 'conversation_reset', new_conversation_id: sessionId, trigger: 'clear' });
}
