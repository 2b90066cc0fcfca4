// One prompt from submission to result: the ten stages of spec 000, in order. Exactly one init first and one result
// last, whatever happens between.
import type { CommandContext } from '../../context/slash-commands.js';
import type { SDKMessage, SDKMessageOrigin } from '../../protocol/messages.js';
import type { DeferredDecision } from '../../protocol/permissions.js';
import { only, type Parts, passOn, relay } from '../../util/relay.js';
import { errorText } from '../../util/text.js';
import { logTo, type PendingNotice } from '../config/index.js';
import {
  type AgentRun,
  checkpointDrafts,
  commandsOf,
  failureDrafts,
  failureOf,
  hideFoundInResult,
  initDraft,
  keep,
  noticeDraft,
  type Prepared,
  type PromptEnding,
  plainEnding,
  type ReadyPrompt,
  type ResultDraft,
  type Runtime,
  replayDraft,
  resultDraft,
  type Session,
  type SessionRuntime,
  secretsNotice,
  stateDraft,
  transcriptNotices,
} from '../core/index.js';
import type { PromptInput } from '../input/index.js';
import type { Message } from '../messages/index.js';
import { tellStatus } from '../permission/index.js';
import { type PromptOptions, preparePrompt } from './prepare-prompt.js';
import { noteTyped, openCalls, recordPromptEnd, typedText } from './prompt-end.js';
import { loopParts } from './run-loop.js';

/** What a prompt consists of: a message, or decisions about calls that an earlier one left open. */
export type PromptWork =
  | { readonly kind: 'message'; readonly prompt: PromptInput; readonly options: PromptOptions }
  | { readonly kind: 'decisions'; readonly decisions: readonly DeferredDecision[] };

/** The session while a prompt of it runs. */
export interface PromptTurn {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** The prompt is over, or nobody listens any more. */
  end(): Promise<void>;
}

/**
 * Each delta of a reply passes every generator between the model and the caller, so they are few, and short: `relay`.
 * Contract: nothing runs before the first `next()`; `end` is called once, however the prompt ends.
 * @throws what `begin` throws
 */
export function runPrompt(
  begin: () => Promise<PromptTurn>,
  work: PromptWork,
): AsyncGenerator<SDKMessage, void, unknown> {
  return relay(stages(begin, work));
}

/** What a prompt consists of, in parts. Contract: whoever is told the result finds the session at rest. */
async function* stages(begin: () => Promise<PromptTurn>, work: PromptWork): Parts<SDKMessage, void> {
  const { session, signal, end } = await begin();
  let ended: Promise<void> | null = null;
  try {
    let result: ResultDraft;
    try {
      result = yield* untilResult(session, signal, work);
    } finally {
      ended = end();
    }
    // Agents that an interrupt stops may still be ending: a person who pressed Esc does not wait for them.
    yield only(session.stamp(result));
  } finally {
    await ended;
  }
}

async function* untilResult(session: Session, signal: AbortSignal, work: PromptWork): Parts<SDKMessage, ResultDraft> {
  let telemetry: SessionRuntime['telemetry'] = null;
  try {
    const { host, stamp, ledger, config } = session;
    const startedAt = host.clock.monotonic();
    const apiBefore = ledger.apiDurationMs;
    ledger.beginPrompt();
    tellStatus(config, 'running');
    const isOwn = work.kind === 'message' && work.options.isTaskNews === true;
    const { memory } = session;
    const turnsLeft = work.kind === 'message' ? work.options.maxTurns : undefined;
    // A goal has a limit of its own.
    if (turnsLeft === undefined) memory.promptsOfOwn = isOwn ? (memory.promptsOfOwn ?? 0) + 1 : 0;
    else memory.turnsLeft = turnsLeft;
    memory.isPromptRunning = true;
    memory.goals?.promptBegan();

    const prepared = await prepare(session, work, signal);
    telemetry = prepared.runtime?.telemetry ?? null;
    yield only(stamp(initDraft(session, prepared.runtime, prepared.kind === 'ready' ? prepared.model : null)));
    if (config.includeSessionState === true) yield only(stamp(stateDraft('running')));
    yield () => tellBefore(session, prepared);

    const answered = prepared.kind === 'ready' && prepared.message !== null ? [prepared.message.uuid] : [];
    if (answered[0] !== undefined) session.answering.uuid = answered[0];
    const typed = work.kind === 'message' ? typedText(work.prompt, work.options, prepared) : null;
    if (prepared.kind === 'ready' && typed !== null) noteTyped(prepared.runtime, typed);
    let ending: PromptEnding;
    try {
      if (prepared.kind === 'ready') yield () => beforeModel(session, prepared, signal);
      // Whatever throws, of the engine or of the host, becomes the ending.
      ending =
        prepared.kind === 'ready'
          ? yield* await answering(session, prepared, work, answered, signal)
          : plainEnding(signal.aborted ? 'aborted' : 'turn_setup_failed', '', prepared.error);
    } catch (error) {
      logTo(config, 'loop_threw', { error });
      ending = plainEnding('engine_error', '', `The engine failed: ${errorText(error)}`);
    }
    const { runtime } = prepared;
    if (runtime !== null && hasFailed(ending)) {
      for (const draft of await failureDrafts({ session, runtime }, ending)) yield only(stamp(draft));
    }
    if (prepared.kind === 'ready' && typed !== null) yield () => askForTitle(session, prepared, ending, typed, signal);
    if (session.memory.goals !== undefined) tellGoal(session, ending, host.clock.monotonic() - startedAt);
    if (runtime !== null) yield () => settle(session, runtime, ending, typed);
    const times = { durationMs: host.clock.monotonic() - startedAt, apiDurationMs: ledger.apiDurationMs - apiBefore };
    const messages = { answered, waiting: session.queue.waiting.length };
    const deferred = openCalls(session.memory.deferred, session.history.params);
    const made = resultDraft(ending, times, ledger, prepared.runtime?.gate.denials ?? [], messages, deferred);
    const origin = originOf(work);
    const result = await hideFoundInResult(
      origin === undefined ? made : { ...made, origin },
      prepared.runtime?.vault ?? null,
    );
    tellStatus(config, ending.reason === 'aborted' ? 'aborted' : result.is_error ? 'failed' : 'completed');
    session.memory.endedWell = !result.is_error && deferred.length === 0;
    session.onSettled?.();
    await telemetry?.endPrompt({ error: result.is_error ? ending.reason : null });
    return result;
  } finally {
    session.memory.isPromptRunning = false;
    delete session.answering.uuid;
    delete session.memory.turnsLeft;
    await telemetry?.endPrompt({ error: 'aborted' });
  }
}

/** What the prompt used counts for the goal it was for. */
function tellGoal({ memory, ledger }: Session, ending: PromptEnding, durationMs: number): void {
  const status = ending.failure?.status;
  memory.goals?.promptEnded({
    reason: ending.reason,
    isError: ending.reason !== 'completed',
    isLimited: status === 429 || status === 402,
    turns: ending.turns,
    costUsd: ledger.ofPrompt.costUsd ?? 0,
    durationMs,
  });
}

/** Absent for what a user typed. */
function originOf(work: PromptWork): SDKMessageOrigin | undefined {
  if (work.kind !== 'message') return undefined;
  const { origin, isTaskNews, maxTurns } = work.options;
  return isTaskNews === true && maxTurns === undefined ? { kind: 'task-notification' } : origin;
}

function hasFailed({ failure, reason }: PromptEnding): boolean {
  return failure !== undefined || reason === 'max_output_tokens';
}

async function prepare(session: Session, work: PromptWork, signal: AbortSignal): Promise<Prepared> {
  if (work.kind === 'decisions') return session.features.prepareDecisions(session, signal);
  return keepPrompt(session, await preparePrompt(session, work.prompt, work.options, signal, commandContext(session)));
}

/** The prompt is written before anything is asked of a model. */
async function keepPrompt(session: Session, prepared: Prepared): Promise<Prepared> {
  if (prepared.kind === 'failed' || !prepared.input.shouldQuery || prepared.message === null) return prepared;
  const { runtime, message } = prepared;
  try {
    const withdrawn = await withdrawDeferred(session, runtime);
    await keep(session, runtime, message);
    await keepTitle(session, runtime);
    await runtime.checkpoints?.beginPrompt(message.uuid);
    return withdrawn.length === 0 ? prepared : { ...prepared, notices: [...prepared.notices, ...withdrawn] };
  } catch (error) {
    logTo(session.config, 'prompt_not_kept', { error });
    return { kind: 'failed', runtime, error: errorText(error) };
  }
}

/** Few sessions have calls that wait. */
async function withdrawDeferred(session: Session, runtime: SessionRuntime): Promise<readonly PendingNotice[]> {
  if (session.memory.deferred.size === 0) return [];
  return session.features.withdrawCalls(session, runtime);
}

/**
 * What the caller must know beside the answer: notices, what hooks said, and the prompt itself if it asked for that.
 */
function* tellBefore(session: Session, prepared: Prepared): Generator<SDKMessage> {
  if (prepared.kind === 'failed') return;
  const { runtime, message, notices } = prepared;
  for (const notice of [...runtime.takeNotices(), ...notices]) yield session.stamp(noticeDraft(notice));
  yield* transcriptNotices(session, runtime);
  for (const draft of runtime.takeDrafts()) yield session.stamp(draft);
  yield* replayHistory(session, message?.uuid);
  if (message !== null && session.config.replayUserMessages)
    yield session.stamp(replayDraft(message.message, message.origin), message.uuid);
}

/** Once: what the user said before the session was resumed. */
function* replayHistory({ config, memory, history, stamp }: Session, prompt?: string): Generator<SDKMessage> {
  if (config.replayHistory !== true || memory.isHistoryShown === true) return;
  memory.isHistoryShown = true;
  for (const said of history.messages) {
    if (
      said.type !== 'user' ||
      said.uuid === prompt ||
      said.isMeta === true ||
      said.isCompactSummary ||
      isToolResult(said)
    )
      continue;
    const shown = stamp(replayDraft(said.message), said.uuid);
    yield said.timestamp === undefined ? shown : ({ ...shown, timestamp: said.timestamp } as SDKMessage);
  }
}

function isToolResult({ message: { content } }: Extract<Message, { type: 'user' }>): boolean {
  return typeof content !== 'string' && content.some((block) => block.type === 'tool_result');
}

/** A title that was given stands from the first prompt on. */
async function keepTitle({ config, memory }: Session, runtime: Runtime): Promise<void> {
  if (memory.title !== undefined) {
    const line = memory.title;
    delete memory.title;
    return runtime.transcript.annotate(line);
  }
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
  const title = await session.features.titleByModel(runOf(session, prepared, []), typed, ending.text, signal);
  if (title !== null)
    yield stamp({ type: 'system', subtype: 'session_title_changed', title, source: 'ai', revision: 1 });
}

/**
 * What answers: mostly the loop, with nothing between.
 * @param answered ids of the messages that the result answers; delivered ones are added
 */
async function answering(
  session: Session,
  prepared: ReadyPrompt,
  work: PromptWork,
  answered: string[],
  signal: AbortSignal,
): Promise<Parts<SDKMessage, PromptEnding>> {
  const { stoppedByHook, input } = prepared;
  const run = runOf(session, prepared, answered);
  const { features } = session;
  if (work.kind === 'decisions')
    return onePart(await features.answerDecisions(run, work.decisions, prepared.texts, signal));
  if (stoppedByHook !== null || input.compaction !== null || !input.shouldQuery)
    return onePart(await features.answerWithoutModel({ ...run, answered: [] }, prepared, signal));
  prepared.runtime.retention.start();
  if (session.config.orphanedPermission === undefined || session.memory.isOrphanAsked) return loopParts(run, signal);
  return onePart(await features.answerAfterOrphan(run, session.config.orphanedPermission, signal));
}

async function* onePart(messages: AsyncGenerator<SDKMessage, PromptEnding, unknown>): Parts<SDKMessage, PromptEnding> {
  return yield* passOn(() => messages);
}

/** The first message of a session waits for no feature, its first request may: for MCP servers. */
async function* beforeModel(session: Session, prepared: ReadyPrompt, signal: AbortSignal): AsyncGenerator<SDKMessage> {
  const { runtime, input, stoppedByHook } = prepared;
  if (!input.shouldQuery || stoppedByHook !== null) return;
  const acting = session.features.at('modelIsAsked', { run: runOf(session, prepared, []), signal });
  if (acting === null) return;
  await acting;
  for (const draft of runtime.takeDrafts()) yield session.stamp(draft);
}

function runOf(session: Session, { runtime, ownModel, input }: ReadyPrompt, answered: string[]): AgentRun {
  const isModelNamed = input.model !== null;
  return { agentId: null, session, runtime, model: ownModel, isModelNamed, tokens: { total: 0 }, answered };
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
      if (!hooks.has('StopFailure')) return;
      const error = failureOf(ending);
      if (error !== null) await hooks.run('StopFailure', { error });
    },
    async () => ledger.priceWith(await prices.load()),
    async () => runtime.tasks.registry?.inspect(),
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
  const hidden = runtime.vault?.takeFound() ?? NOTHING_FOUND;
  if (hidden.size > 0) yield stamp(noticeDraft(secretsNotice(hidden)));
  for (const notice of runtime.takeNotices()) yield stamp(noticeDraft(notice));
  for (const draft of [...runtime.takeDrafts(), ...checkpointDrafts(checkpoints)]) yield stamp(draft);
}

const NOTHING_FOUND: ReadonlyMap<string, number> = new Map();

function notSettled(error: unknown): PendingNotice {
  return {
    code: 'prompt_end_failed',
    message: `The answer stands, but not all that belongs to the end of a prompt could be done: ${errorText(error)}. A resumed session may not know what this prompt cost, or its todos.`,
  };
}

function commandContext(session: Session): (runtime: SessionRuntime, signal: AbortSignal) => CommandContext {
  const { config, ledger, features } = session;
  return (runtime, signal) => ({
    commands: commandsOf(session, runtime),
    model: session.modelOverride(runtime.model),
    usage: ledger.byModel,
    totalCostUsd: ledger.totalCostUsd,
    costUnknown: ledger.costUnknown,
    apiDurationMs: ledger.apiDurationMs,
    isNonInteractiveSession: config.isNonInteractiveSession ?? true,
    clearConversation: () => features.clearConversation(session, runtime),
    runShell(line, by) {
      const { model } = runtime;
      const run = { agentId: null, session, runtime, model, isModelNamed: false, tokens: { total: 0 }, answered: [] };
      return features.runCommandShell(run, line, by, signal);
    },
  });
}
