// Calls that stay open when a prompt ends: deferred ones, which wait for a decision, and the one that an earlier session
// asked about in vain. One rule: what is written of them lets nothing run, it only keeps a call that may have started from
// starting again.
import { refuseAll, runTools, type ToolRound } from '../../engine/calls/index.js';
import type { Draft, GateAnswer, GateCall, LoopDeps } from '../../engine/state/index.js';
import type { MessageParam, ToolUseBlock } from '../../protocol/content.js';
import type { SDKDeferredToolUse, SDKMessage } from '../../protocol/messages.js';
import type { DeferredDecision, PermissionResult } from '../../protocol/permissions.js';
import { isSameJson } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { logTo, type OrphanedPermission, type PendingNotice, type WaitingCall } from '../config/index.js';
import {
  type AgentRun,
  keep,
  type Prepared,
  type PromptEnding,
  plainEnding,
  publish,
  type Runtime,
  type Session,
  type SessionRuntime,
  showSteps,
} from '../core/index.js';
import type { Message } from '../messages/index.js';
import { checkAnswer } from '../permission/index.js';
import { beginPrompt, configureRequests, openRuntime, startSession, tellInstructions } from './prepare-prompt.js';
import { openCalls, unanswered } from './prompt-end.js';
import { loopDeps, runLoop } from './run-loop.js';

/**
 * Runs or refuses the calls that were decided about.
 * Contract: an allowed call starts only after its decision is on the disk; a decision about anything else is told.
 */
async function* runDecisions(
  { session, runtime }: AgentRun,
  decisions: readonly DeferredDecision[],
  deps: LoopDeps,
): AsyncGenerator<Draft, ToolRound | null> {
  const { memory, history, host } = session;
  const waiting = openCalls(memory.deferred, history.params);
  const answers = new Map<string, PermissionResult>();
  for (const decision of decisions) {
    const call = waiting.find(({ id }) => id === decision?.toolUseID);
    if (call === undefined || answers.has(call.id)) yield { ...DROPPED, ...dropped(decision) };
    else answers.set(call.id, checkAnswer(answerTo(call, decision)));
  }
  // What waited too long is over, decided or not: the model goes on without it.
  for (const call of waiting) if (isExpired(call, host.clock.now())) answers.set(call.id, expired(call));
  if (answers.size === 0) return null;
  for (const [id, { behavior }] of answers) await writeDecided(session, runtime, id, behavior);
  await runtime.transcript.sync();
  for (const id of answers.keys()) memory.deferred.delete(id);
  const calls = unanswered(history.params).filter(({ id }) => answers.has(id));
  const decideAs = (call: GateCall): Promise<GateAnswer> => {
    const seen = waiting.find(({ id }) => id === call.toolUseId);
    const isOther = seen !== undefined && !isSameJson(seen.input, call.input);
    const answer = answers.get(call.toolUseId) ?? NO_ANSWER;
    return runtime.gate.decideAs(call, isOther && answer.behavior === 'allow' ? changedSince(seen) : answer);
  };
  // Whoever decided has decided.
  const decided: LoopDeps = { ...deps, decidePermission: decideAs, decideWithoutAsking: decideAs };
  return yield* runInPlace(calls, { session, runtime, waiting, answers }, decided);
}

interface DecidedCalls extends Pick<AgentRun, 'session' | 'runtime'> {
  readonly waiting: readonly SDKDeferredToolUse[];
  /** A call whose folder is gone is denied here. */
  readonly answers: Map<string, PermissionResult>;
}

/** Each call in the folder in which it was decided about: a name that is relative means another file elsewhere. */
async function* runInPlace(
  calls: readonly ToolUseBlock[],
  { session: { config }, runtime: { workplace }, waiting, answers }: DecidedCalls,
  deps: LoopDeps,
): AsyncGenerator<Draft, ToolRound> {
  const folderOf = ({ id }: ToolUseBlock) => waiting.find((call) => call.id === id)?.cwd ?? config.cwd;
  const rounds: ToolRound[] = [];
  for (let at = 0; at < calls.length; ) {
    const folder = folderOf(calls[at] as ToolUseBlock);
    const next = calls.findIndex((call, index) => index > at && folderOf(call) !== folder);
    const together = calls.slice(at, next === -1 ? calls.length : next);
    at += together.length;
    if (rounds.some(({ ended }) => ended !== null)) {
      const messages = yield* refuseAll(together, 'The prompt ended before this call started. It had no effect.');
      rounds.push({ messages, traced: [], ended: null });
      continue;
    }
    const { cwd: before } = workplace;
    const problem = folder === before ? null : await workplace.returnTo(folder);
    if (problem !== null)
      for (const { id, name } of together) {
        const message = `The call of ${name} was to run in ${folder}, ${problem}, so it did not run.`;
        answers.set(id, { behavior: 'deny', message });
      }
    rounds.push(yield* runTools(together, { unusable: new Map(), started: new Map() }, deps));
    // Unless a command of theirs went elsewhere itself.
    if (workplace.cwd === folder) workplace.startIn(before);
  }
  return {
    messages: rounds.flatMap(({ messages }) => messages),
    traced: rounds.flatMap(({ traced }) => traced),
    ended: rounds.find(({ ended }) => ended !== null)?.ended ?? null,
  };
}

/** The user goes on without deciding: what waits is answered for the model, and runs no more. */
export async function withdrawCalls(session: Session, runtime: Runtime): Promise<PendingNotice[]> {
  const { memory, history, host } = session;
  const waiting = openCalls(memory.deferred, history.params);
  memory.deferred.clear();
  for (const { id } of waiting) {
    await writeDecided(session, runtime, id, 'withdrawn');
    const uuid = host.ids.uuid();
    const message: Message = {
      type: 'user',
      uuid,
      timestamp: new Date(host.clock.now()).toISOString(),
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: WITHDRAWN, is_error: true }],
      },
    };
    await keep(session, runtime, message);
  }
  return waiting.map(({ id, name }) =>
    notice(`The call ${id} of ${name} is no longer waited for: another prompt came before a decision. It did not run.`),
  );
}

const WITHDRAWN = 'Not run: it had to be approved, and the user went on without deciding. It had no effect.';
const NO_ANSWER: PermissionResult = { behavior: 'deny', message: 'Nobody decided about this call.' };

function expired({ name, expires_at: end }: SDKDeferredToolUse): PermissionResult {
  return { behavior: 'deny', message: `The call of ${name} did not run: nobody decided about it until ${end}.` };
}

/** A hook is called again before the call runs, and may change its input in another way. */
function changedSince({ name }: SDKDeferredToolUse): PermissionResult {
  return {
    behavior: 'deny',
    message: `A PreToolUse hook gives another input of ${name} than was decided about, so it did not run.`,
  };
}

/** An answer about another input than the call has now is none: whoever gave it saw something else. */
function answerTo(call: SDKDeferredToolUse, decision: DeferredDecision): PermissionResult {
  const { decidedInput } = decision;
  if (decidedInput === undefined || isSameJson(decidedInput, call.input)) return decision;
  return {
    behavior: 'deny',
    message: `The decision was about another input of ${call.name} than the call has, so it did not run.`,
  };
}

async function writeDecided(
  { host }: Session,
  { transcript }: Runtime,
  toolUseId: string,
  behavior: 'allow' | 'deny' | 'withdrawn',
): Promise<void> {
  const timestamp = new Date(host.clock.now()).toISOString();
  await transcript.annotate({ type: 'turnwright-decided', toolUseId, behavior, timestamp });
}

const DROPPED = { type: 'system', subtype: 'notice', level: 'warning' } as const;

function dropped(decision: DeferredDecision | null | undefined): PendingNotice {
  const id = (decision as { readonly toolUseID?: unknown } | null | undefined)?.toolUseID;
  if (typeof id !== 'string' || id === '') {
    const fields = typeof decision === 'object' && decision !== null ? Object.keys(decision).slice(0, 10) : [];
    const has = fields.length === 0 ? 'it is empty' : `it has ${fields.join(', ')}`;
    return notice(`A decision names no call in toolUseID (${has}), so it changed nothing.`);
  }
  return notice(`No call ${id.slice(0, 200)} waits for a decision, so the one about it changed nothing.`);
}

function notice(message: string): PendingNotice {
  return { code: 'deferred_dropped', message };
}

// A prompt that consists of decisions: decided calls run, and once none waits the model goes on with their results.

const NO_DECISIONS = 'Decisions must be a list of { toolUseID, behavior }.';

/** @param texts what goes to the model with the results */
export async function* answerDecisions(
  run: AgentRun,
  decisions: readonly DeferredDecision[],
  texts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { session, runtime } = run;
  const { memory, history } = session;
  if (!Array.isArray(decisions)) return plainEnding('turn_setup_failed', '', NO_DECISIONS);
  const round = yield* showSteps(session, runtime, runDecisions(run, decisions, loopDeps(run, signal)));
  if (signal.aborted) return plainEnding('aborted', '', null);
  const ended = round?.ended ?? null;
  if (ended !== null && ended !== 'tool_deferred') return plainEnding(ended, '', null);
  if (openCalls(memory.deferred, history.params).length > 0) return plainEnding('tool_deferred', '', null);
  if (round === null) return plainEnding('turn_setup_failed', '', 'No call of this session waits for a decision.');
  if (texts.length > 0) {
    const content = texts.map((text) => ({ type: 'text', text }) as const);
    yield* publish(session, runtime, { type: 'user', message: { role: 'user', content }, isSynthetic: true });
  }
  return yield* runLoop(run, signal);
}

// The first stages of a prompt that begins with decisions about calls that wait. One rule: the rules of the moment decide,
// also those that settings have by now.

/** As `preparePrompt`, if no message of the user begins it. Contract: never throws. */
export async function prepareDecisions(session: Session, signal: AbortSignal): Promise<Prepared> {
  let runtime: SessionRuntime | null = null;
  try {
    runtime = await openRuntime(session, signal);
    if (runtime === null) return { kind: 'failed', runtime, error: 'Aborted' };
    const notices = await beginPrompt(session, runtime, signal);
    await runtime.transcript.open();
    await runtime.gate.approveForPrompt([]);
    const ownModel = session.memory.settings?.model ?? runtime.model;
    const model = session.modelOverride(ownModel);
    const isStarting = !session.memory.isStarted;
    const texts = await startSession(session, runtime, model);
    await configureRequests(session, runtime);
    if (isStarting) await tellInstructions(session, runtime);
    const input = { shouldQuery: true, compaction: null, resultText: null, model: null };
    return { kind: 'ready', runtime, input, message: null, texts, model, ownModel, notices, stoppedByHook: null };
  } catch (error) {
    logTo(session.config, 'prompt_setup_failed', { error });
    return { kind: 'failed', runtime, error: errorText(error) };
  }
}

/** On the disk before the caller hears of it, so that whoever decides finds the call whatever became of the process. */
export async function deferCall({ session, runtime }: AgentRun, call: SDKDeferredToolUse): Promise<void> {
  const { memory, host, config, history } = session;
  const now = host.clock.now();
  const expiry = expiryFrom(now, config.deferredExpiryMs);
  const { cwd } = runtime.workplace;
  const place = cwd === config.cwd ? {} : { cwd };
  const made = unanswered(history.params).find(({ id }) => id === call.id);
  const changed = made !== undefined && isSameJson(inputOf(made), call.input) ? {} : { input: call.input };
  memory.deferred.set(call.id, { ...call, ...expiry, ...place });
  const timestamp = new Date(now).toISOString();
  const { id: toolUseId, reason = '' } = call;
  const { expires_at: expiresAt } = expiry;
  const until = expiresAt === undefined ? {} : { expiresAt };
  const details = { reason, ...until, ...place, ...changed };
  await runtime.transcript.annotate({ type: 'turnwright-deferred', toolUseId, ...details, timestamp });
  await runtime.transcript.sync();
}

// A call that an earlier session asked about and got no answer to: it is asked about once more, before the first
// prompt goes to the model, and runs if it is allowed.

/** The first prompt of a session that has such a call. */
export async function* answerAfterOrphan(
  run: AgentRun,
  orphan: OrphanedPermission,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { session, runtime } = run;
  session.memory.isOrphanAsked = true;
  const asked = askOrphaned(orphan, session.history.params, loopDeps(run, signal));
  for await (const draft of asked) yield* publish(session, runtime, draft);
  return yield* runLoop(run, signal);
}

/**
 * Asks with the input that the call has in the conversation: the model would read the result of another one as that of
 * its own.
 * Contract: at most once a session; a call that is not open in the history is told and not run.
 */
async function* askOrphaned(
  orphan: OrphanedPermission,
  history: readonly MessageParam[],
  deps: LoopDeps,
): AsyncGenerator<Draft, void> {
  const call = openCall(orphan, history);
  if (call === null) {
    yield {
      type: 'system',
      subtype: 'notice',
      code: 'orphaned_permission_dropped',
      level: 'warning',
      message: `The pending call ${orphan.toolUseID} of ${orphan.toolName} is not open in this conversation, so it was not asked about again.`,
    };
    return;
  }
  if (!isSameJson(orphan.input, call.input)) {
    yield {
      type: 'system',
      subtype: 'notice',
      code: 'option_without_effect',
      level: 'warning',
      message: `orphanedPermission.input is not the input that the call ${orphan.toolUseID} of ${orphan.toolName} has in this conversation. The call is asked about with its own; another is given by canUseTool, as updatedInput.`,
    };
  }
  yield* runTools([call], { unusable: new Map(), started: new Map() }, deps);
}

/** The call as the model made it, if the last reply holds it and nothing answered it. */
function openCall({ toolUseID, toolName }: OrphanedPermission, history: readonly MessageParam[]): ToolUseBlock | null {
  const last = history.findLastIndex((message) => message.role === 'assistant');
  const reply = history[last];
  if (reply?.role !== 'assistant') return null;
  const isAnswered = history
    .slice(last + 1)
    .some(
      ({ content }) =>
        Array.isArray(content) &&
        content.some((block) => block.type === 'tool_result' && block.tool_use_id === toolUseID),
    );
  if (isAnswered) return null;
  return (
    reply.content.find(
      (block): block is ToolUseBlock => block.type === 'tool_use' && block.id === toolUseID && block.name === toolName,
    ) ?? null
  );
}

// The calls of a resumed session that wait: what its transcript says was deferred, as far as the conversation has it open.

/** @param expiryMs how long this session lets calls wait */
export function waitingCalls(
  kept: readonly WaitingCall[],
  history: readonly MessageParam[],
  expiryMs: number | undefined,
): Map<string, SDKDeferredToolUse> {
  const waiting = new Map<string, SDKDeferredToolUse>();
  const open = unanswered(history);
  for (const { toolUseId, reason, timestamp, expiresAt, cwd, input } of kept) {
    const call = open.find(({ id }) => id === toolUseId);
    if (call === undefined) continue;
    const expiry = soonest(expiresAt, timestamp, expiryMs);
    waiting.set(call.id, {
      id: call.id,
      name: call.name,
      input: input ?? inputOf(call),
      reason,
      ...expiry,
      ...(cwd === undefined ? {} : { cwd }),
    });
  }
  return waiting;
}

function inputOf({ input }: ToolUseBlock): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}

// Until when a deferred call waits.

/** When a call that is deferred now expires; nothing if it does not. */
function expiryFrom(now: number, expiryMs: number | undefined): { readonly expires_at?: string } {
  return expiryMs === undefined ? {} : { expires_at: timeText(now + expiryMs) };
}

/** True if no decision about the call counts any more. A time that cannot be read is over. */
function isExpired({ expires_at: end }: SDKDeferredToolUse, now: number): boolean {
  return end !== undefined && !(now < Date.parse(end));
}

/** What the session said when it was deferred and what this one says: the sooner counts. */
function soonest(expiresAt: unknown, timestamp: unknown, expiryMs: number | undefined): { expires_at?: string } {
  const ends: number[] = [];
  if (expiresAt !== undefined) ends.push(timeOf(expiresAt));
  if (expiryMs !== undefined) ends.push(timeOf(timestamp) + expiryMs);
  return ends.length === 0 ? {} : { expires_at: timeText(Math.min(...ends)) };
}

function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** The last time that a date can be, milliseconds. */
const MAX_TIME = 8.64e15;

function timeText(time: number): string {
  return new Date(Math.min(time, MAX_TIME)).toISOString();
}
