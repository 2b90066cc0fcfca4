// One prompt from submission to result: the ten stages of spec 000, in order. Exactly one init first and one result
// last, whatever happens between.
import type { CommandContext } from '../context/slash-commands.js';
import type { Draft, LoopState } from '../engine/loop-state.js';
import { ModelDecisionFailure } from '../engine/model-decision.js';
import type { SDKMessage } from '../protocol/messages.js';
import { errorText } from '../util/text.js';
import type { Runtime } from './assemble.js';
import type { PendingNotice } from './config.js';
import {
  configureRequests,
  type Prepared,
  type PromptOptions,
  preparePrompt,
  type ReadyPrompt,
} from './prepare-prompt.js';
import type { PromptInput } from './process-user-input.js';
import { checkpointDrafts, initDraft, noticeDraft, replayDraft } from './prompt-drafts.js';
import { recordPromptEnd, typedText } from './prompt-end.js';
import { type PromptEnding, resultDraft } from './result.js';
import { loopDeps, rememberLateDecision, runLoop, stateOf } from './run-loop.js';
import { type AgentRun, keep, publish, type Session, syntheticAssistant, transcriptNotices } from './session.js';
import { logTo } from './verbose-log.js';
import { tellStatus } from './waiting.js';

export async function* runPrompt(
  session: Session,
  prompt: PromptInput,
  options: PromptOptions,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, void> {
  const { host, stamp, ledger, config } = session;
  const startedAt = host.clock.monotonic();
  const apiBefore = ledger.apiDurationMs;
  tellStatus(config, 'running');

  const prepared = await keepPrompt(
    session,
    await preparePrompt(session, prompt, options, signal, commandContext(session)),
  );
  yield stamp(initDraft(config, prepared.runtime, prepared.kind === 'ready' ? prepared.model : null));
  yield* tellBefore(session, prepared);

  const answered = prepared.kind === 'ready' ? [prepared.message.uuid] : [];
  const ending = yield* answer(session, prepared, answered, signal);
  const typed = typedText(prompt, options, prepared);
  if (prepared.kind === 'ready' && typed !== null) yield* askForTitle(session, prepared, ending, typed, signal);
  if (prepared.runtime !== null) yield* settle(session, prepared.runtime, ending, typed);
  const times = { durationMs: host.clock.monotonic() - startedAt, apiDurationMs: ledger.apiDurationMs - apiBefore };
  const messages = { answered, waiting: session.queue.waiting.length };
  const result = resultDraft(ending, times, ledger, prepared.runtime?.gate.denials ?? [], messages);
  tellStatus(config, ending.reason === 'aborted' ? 'aborted' : result.is_error ? 'failed' : 'completed');
  session.onSettled?.();
  yield stamp(result);
}

/** The prompt is written before anything is asked of a model. */
async function keepPrompt(session: Session, prepared: Prepared): Promise<Prepared> {
  if (prepared.kind === 'failed' || !prepared.input.shouldQuery) return prepared;
  const { runtime, message } = prepared;
  try {
    await keep(session, runtime, message);
    await keepTitle(session, runtime);
    await runtime.checkpoints?.beginPrompt(message.uuid);
    return prepared;
  } catch (error) {
    logTo(session.config, 'prompt_not_kept', { error });
    return { kind: 'failed', runtime, error: errorText(error) };
  }
}

/** What the caller must know beside the answer: notices, what hooks said, and the prompt itself where it asked for that. */
function* tellBefore(session: Session, prepared: Prepared): Generator<SDKMessage> {
  if (prepared.kind === 'failed') return;
  const { runtime, message, notices } = prepared;
  for (const notice of [...runtime.takeNotices(), ...notices]) yield session.stamp(noticeDraft(notice));
  yield* transcriptNotices(session, runtime);
  for (const draft of runtime.takeDrafts()) yield session.stamp(draft);
  if (session.config.replayUserMessages) yield session.stamp(replayDraft(message.message), message.uuid);
}

/** A title that the host gave stands from the first prompt on. */
async function keepTitle({ config, memory }: Session, runtime: Runtime): Promise<void> {
  const title = config.title?.trim() ?? '';
  if (title === '' || memory.isTitled) return;
  memory.isTitled = true;
  await runtime.transcript.annotate({ type: 'custom-title', customTitle: title });
}

/** Once, after the first prompt that a model answered. */
async function* askForTitle(
  session: Session,
  prepared: ReadyPrompt,
  ending: PromptEnding,
  typed: string,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage> {
  const { config, memory, stamp } = session;
  const { runtime } = prepared;
  if (config.titles !== 'model' || memory.isTitled || ending.turns === 0 || signal.aborted) return;
  memory.isTitled = true;
  // A session that is not kept is in no list.
  if (runtime.transcript.path === null) return;
  const { titleByModel } = await import('./session-title.js');
  const title = await titleByModel(runOf(session, prepared, []), typed, ending.text, signal);
  if (title !== null)
    yield stamp({ type: 'system', subtype: 'session_title_changed', title, source: 'ai', revision: 1 });
}

/**
 * Contract: whatever throws, of the engine or of the host, becomes the ending.
 * @param answered ids of the messages that the result answers; delivered ones are added
 */
async function* answer(
  session: Session,
  prepared: Prepared,
  answered: string[],
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  if (prepared.kind === 'failed')
    return plainEnding(signal.aborted ? 'aborted' : 'turn_setup_failed', '', prepared.error);
  try {
    return yield* answerReady(session, prepared, answered, signal);
  } catch (error) {
    logTo(session.config, 'loop_threw', { error });
    return plainEnding('engine_error', '', `The engine failed: ${errorText(error)}`);
  }
}

async function* answerReady(
  session: Session,
  prepared: ReadyPrompt,
  answered: string[],
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  if (prepared.stoppedByHook !== null) return plainEnding('hook_stopped', prepared.stoppedByHook, null);
  const { input } = prepared;
  if (input.compaction !== null) return yield* compactNow(session, prepared, input.compaction.instructions, signal);
  if (!input.shouldQuery) return yield* answerLocally(session, input.resultText ?? '');
  return yield* answerWithModel(session, prepared, answered, signal);
}

/** The main path. */
async function* answerWithModel(
  session: Session,
  prepared: ReadyPrompt,
  answered: string[],
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { config, memory } = session;
  const run = runOf(session, prepared, answered);
  prepared.runtime.retention.start();
  if (config.orphanedPermission !== undefined && !memory.isOrphanAsked) {
    memory.isOrphanAsked = true;
    const { askOrphaned } = await import('./orphaned-permission.js');
    const asked = askOrphaned(config.orphanedPermission, session.history.params, loopDeps(run, signal));
    yield* publishAll(session, prepared.runtime, asked);
  }
  return yield* runLoop(run, signal);
}

function runOf(session: Session, { runtime, model, input }: ReadyPrompt, answered: string[]): AgentRun {
  return { agentId: null, session, runtime, model, isModelNamed: input.model !== null, tokens: { total: 0 }, answered };
}

async function* publishAll(
  session: Session,
  runtime: Runtime,
  drafts: AsyncIterable<Draft>,
): AsyncGenerator<SDKMessage> {
  for await (const draft of drafts) yield* publish(session, runtime, draft);
}

/** `/compact`: one step of the loop, by itself. */
async function* compactNow(
  session: Session,
  prepared: ReadyPrompt,
  instructions: string | null,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { history, memory } = session;
  const { runtime } = prepared;
  const run = runOf(session, prepared, []);
  if (history.params.length === 0) return yield* answerLocally(session, 'There is nothing to compact yet.');
  // In a session that was resumed, this may be the first request.
  await configureRequests(session, runtime);
  const steps = runtime.compactor.compactNow(stateOf(run, false), instructions, loopDeps(run, signal));
  const state = yield* withDecision(finishing(session, runtime, steps), memory);
  if (state instanceof ModelDecisionFailure) return plainEnding('turn_setup_failed', '', state.message);
  memory.compaction = state.compaction;
  if (signal.aborted) return plainEnding('aborted', '', null);
  const isCompacted = state.transition === 'history_compacted';
  const said = isCompacted ? 'The conversation was compacted.' : 'The conversation could not be compacted.';
  return yield* answerLocally(session, said);
}

/** Shows what steps of the loop have to show, to their end. A caller that leaves before it ends them as well. */
async function* finishing(
  session: Session,
  runtime: Runtime,
  steps: AsyncGenerator<Draft, LoopState>,
): AsyncGenerator<SDKMessage, LoopState> {
  let isOver = false;
  try {
    for (;;) {
      const step = await steps.next();
      isOver = step.done === true;
      if (step.done) return step.value;
      yield* publish(session, runtime, step.value);
    }
  } finally {
    if (!isOver) await steps.return(undefined as never);
    runtime.spending.release();
  }
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

/** The short path of a local command. Its exchange is not part of the conversation with the model. */
async function* answerLocally(session: Session, text: string): AsyncGenerator<SDKMessage, PromptEnding> {
  const message = syntheticAssistant(session.host.ids.uuid(), [{ type: 'text', text }]);
  yield session.stamp({ type: 'assistant', message });
  yield session.stamp({ type: 'system', subtype: 'local_command_output', content: text });
  return plainEnding('local_command', text, null);
}

/**
 * Everything is on the disk and priced before the result says so.
 * Contract: does not throw; what could not be done is told, and the rest is done.
 */
async function* settle(
  session: Session,
  runtime: Runtime,
  ending: PromptEnding,
  typed: string | null,
): AsyncGenerator<SDKMessage> {
  const { stamp, config, ledger } = session;
  const { hooks, prices, transcript, retention, checkpoints } = runtime;
  const steps = [
    async () => {
      if (ending.error !== null && hooks.has('StopFailure')) await hooks.run('StopFailure', { error: ending.error });
    },
    async () => ledger.priceWith(await prices.load()),
    () => recordPromptEnd(session, runtime, typed),
    () => transcript.endPrompt(ending.reason === 'aborted'),
    () => retention.finish(),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      logTo(config, 'prompt_end_failed', { error });
      yield stamp(noticeDraft(notSettled(error)));
    }
  }
  yield* transcriptNotices(session, runtime);
  for (const notice of runtime.takeNotices()) yield stamp(noticeDraft(notice));
  for (const draft of [...runtime.takeDrafts(), ...checkpointDrafts(checkpoints)]) yield stamp(draft);
}

function notSettled(error: unknown): PendingNotice {
  return {
    code: 'prompt_end_failed',
    message: `The answer stands, but not all that belongs to the end of a prompt could be done: ${errorText(error)}. A resumed session may not know what this prompt cost, or its todos.`,
  };
}

function plainEnding(reason: PromptEnding['reason'], text: string, error: string | null): PromptEnding {
  return { reason, turns: 0, text, stopReason: null, error, structured: null };
}

function commandContext(session: Session): (runtime: Runtime) => CommandContext {
  const { config, history, ledger, memory } = session;
  return (runtime) => ({
    commands: config.commands,
    model: session.modelOverride(runtime.model),
    usage: ledger.byModel,
    totalCostUsd: ledger.totalCostUsd,
    costUnknown: ledger.costUnknown,
    apiDurationMs: ledger.apiDurationMs,
    isNonInteractiveSession: config.isNonInteractiveSession ?? true,
    async clearConversation() {
      history.clear();
      config.readFileCache.clear();
      config.setAppState((previous) => ({ ...previous, todos: [] }));
      await runtime.transcript.startOver();
      if (memory.isStarted && runtime.hooks.has('SessionEnd'))
        await runtime.hooks.run('SessionEnd', { reason: 'clear' });
      memory.isStarted = false;
      memory.wasCleared = true;
      memory.environment = null;
    },
  });
}
