// Decisions about deferred calls: written down, then the calls run or are refused, each once. What is written lets
// nothing run: it only keeps a call that may have started from starting again.

import { runTools, type ToolRound } from '../../../engine/calls/index.js';
import type { Draft, LoopDeps } from '../../../engine/state/index.js';
import type { SDKDeferredToolUse } from '../../../protocol/messages.js';
import type { DeferredDecision, PermissionResult } from '../../../protocol/permissions.js';
import { isSameJson } from '../../../util/same-json.js';
import type { PendingNotice } from '../../config/index.js';
import { type AgentRun, keep, type Runtime, type Session } from '../../core/index.js';
import type { Message } from '../../messages/index.js';
import { checkAnswer } from '../../permission/index.js';
import { isExpired } from './expiry.js';
import { openCalls, unanswered } from './waiting-calls.js';

/**
 * Runs or refuses the calls that were decided about.
 * Contract: an allowed call starts only after its decision is on the disk; a decision about anything else is told.
 */
export async function* runDecisions(
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
  const decided: LoopDeps = {
    ...deps,
    decidePermission: (call) => runtime.gate.decideAs(call, answers.get(call.toolUseId) ?? NO_ANSWER),
    // Whoever decided has decided.
    decideWithoutAsking: (call) => runtime.gate.decideAs(call, answers.get(call.toolUseId) ?? NO_ANSWER),
  };
  return yield* runTools(calls, { unusable: new Map(), started: new Map() }, decided);
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
