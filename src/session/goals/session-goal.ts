// What a session works towards by itself, prompt after prompt, until its model says that it is reached or somebody has to
// decide. One rule: a goal never goes on behind a failure, an interrupt or a limit; only the user lets it go on.
import type { MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { GOAL_STATUSES, type SDKGoalSnapshot, type SetGoalParams } from '../../protocol/goals.js';
import type { TerminalReason } from '../../protocol/messages.js';

/** Replies that a goal may take if nobody says how many. */
const USUAL_GOAL_TURNS = 200;

/** Prompts without a call, one after the other, after which the model is not asked again. */
const IDLE_PROMPTS = 3;

/** Longest text of a goal: the model reads it with each prompt of it. */
const MAX_OBJECTIVE = 10_000;

/** How a prompt ended that ran while the goal was active. */
interface GoalPromptEnd {
  readonly reason: TerminalReason;
  readonly isError: boolean;
  /** True if a limit of the API was the failure. */
  readonly isLimited: boolean;
  readonly turns: number;
  readonly costUsd: number;
  readonly durationMs: number;
}

export interface SessionGoals {
  readonly current: SDKGoalSnapshot | null;
  readonly isActive: boolean;
  /** Replies that it may still take. */
  readonly turnsLeft: number;
  /** @throws ConfigError for what cannot be set */
  set(params: SetGoalParams): SDKGoalSnapshot | null;
  clear(reason?: string): boolean;
  /** @returns the number that goals get from now on. @throws ConfigError */
  setMaxTurns(maxTurns: number | null): number;
  /** The model says that it is reached, or that it cannot go on. False if there is none to speak of. */
  report(status: 'complete' | 'blocked', reason: string): boolean;
  /** A prompt begins. */
  promptBegan(): void;
  /** The same prompt ended. Contract: does not throw. */
  promptEnded(end: GoalPromptEnd): void;
}

export interface GoalParts {
  readonly host: Pick<Host, 'clock' | 'ids'>;
  readonly maxTurns: number | undefined;
  readonly restored: SDKGoalSnapshot | undefined;
  tell(draft: MessageDraft): void;
  /** The goal is another than it was: outside a prompt it has to be written down. */
  changed(): void;
}

export function createSessionGoals({ host, maxTurns, restored, tell, changed }: GoalParts): SessionGoals {
  // Whoever resumes a session asks something of it, and did not ask for the rest of an old goal.
  let current: SDKGoalSnapshot | null =
    restored?.status === 'active' ? { ...restored, status: 'paused' } : (restored ?? null);
  let limit = checkTurns(maxTurns ?? USUAL_GOAL_TURNS);
  /** The goal that the running prompt began with. */
  let running: string | null = null;
  let idle = 0;
  const now = () => Math.floor(host.clock.now() / 1_000);
  const put = (next: SDKGoalSnapshot, reason?: string): SDKGoalSnapshot => {
    current = { ...next, updated_at: now() };
    tell({ type: 'system', subtype: 'goal_updated', goal: current, ...(reason === undefined ? {} : { reason }) });
    changed();
    return current;
  };
  const create = (objective: string, { status = 'active', creditsBudget }: SetGoalParams): SDKGoalSnapshot => ({
    id: host.ids.uuid(),
    objective,
    status,
    turns_used: 0,
    max_turns: limit,
    time_used_seconds: 0,
    ...(creditsBudget == null ? {} : { credits_budget: creditsBudget }),
    credits_used: 0,
    created_at: now(),
    updated_at: now(),
  });
  return {
    get current() {
      return current;
    },
    get isActive() {
      return current?.status === 'active';
    },
    get turnsLeft() {
      return current === null ? limit : Math.max(0, (current.max_turns ?? limit) - current.turns_used);
    },
    set(params) {
      const { objective, status, creditsBudget } = checkParams(params);
      idle = 0;
      if (current === null || (current.status === 'complete' && objective !== undefined)) {
        if (objective === undefined)
          throw new ConfigError('There is no goal to change. Give its objective: setGoal({ objective: "…" }).');
        return put(create(objective, params));
      }
      const { credits_budget: budget, ...rest } = current;
      const nextBudget = creditsBudget === undefined ? budget : (creditsBudget ?? undefined);
      const next: SDKGoalSnapshot = {
        ...rest,
        ...(nextBudget === undefined ? {} : { credits_budget: nextBudget }),
        objective: objective ?? current.objective,
        status: status ?? (objective === undefined ? current.status : 'active'),
      };
      if (next.status !== 'active') return put(next);
      // Whoever lets it go on has seen that its limit was reached: it gets as many turns once more.
      const used = next.turns_used;
      const most = next.max_turns ?? limit;
      if (isSpent(next))
        throw new ConfigError(
          'The budget of this goal is spent. Give a larger creditsBudget, or null for none, to let it go on.',
        );
      return put(used < most ? next : { ...next, max_turns: used + limit });
    },
    clear(reason) {
      if (current === null) return false;
      tell({
        type: 'system',
        subtype: 'goal_cleared',
        goal_id: current.id,
        ...(reason === undefined ? {} : { reason }),
      });
      current = null;
      changed();
      return true;
    },
    setMaxTurns(turns) {
      limit = turns === null ? USUAL_GOAL_TURNS : checkTurns(turns);
      return limit;
    },
    report(status, reason) {
      if (current === null || current.status === 'complete') return false;
      put({ ...current, status }, reason);
      return true;
    },
    promptBegan() {
      running = current?.status === 'active' ? current.id : null;
    },
    promptEnded(end) {
      if (running === null || current === null || current.id !== running) return;
      running = null;
      const used: SDKGoalSnapshot = {
        ...current,
        turns_used: current.turns_used + end.turns,
        time_used_seconds: Math.round(current.time_used_seconds + end.durationMs / 1_000),
        credits_used: (current.credits_used ?? 0) + end.costUsd,
      };
      idle = end.turns <= 1 ? idle + 1 : 0;
      if (used.status !== 'active') put(used);
      else if (end.reason === 'aborted') put({ ...used, status: 'paused' }, 'interrupted');
      else if (end.isLimited) put({ ...used, status: 'usage_limited' }, end.reason);
      else if (used.turns_used >= (used.max_turns ?? limit)) put({ ...used, status: 'paused' }, 'safety-limit');
      else if (end.isError) put({ ...used, status: 'blocked' }, end.reason);
      else if (isSpent(used)) put({ ...used, status: 'budget_limited' }, 'budget');
      else if (idle >= IDLE_PROMPTS) put({ ...used, status: 'blocked' }, 'no-progress');
      else put(used);
    },
  };
}

function isSpent({ credits_budget: budget, credits_used: used = 0 }: SDKGoalSnapshot): boolean {
  return budget !== undefined && used >= budget;
}

/** @throws ConfigError */
function checkParams(params: SetGoalParams): SetGoalParams {
  const { objective, status, creditsBudget } = params ?? {};
  if (objective !== undefined && (typeof objective !== 'string' || objective.trim() === ''))
    throw new ConfigError('The objective of a goal is a text that says what is to be reached.');
  if (objective !== undefined && objective.length > MAX_OBJECTIVE)
    throw new ConfigError(
      `The objective of a goal has ${objective.length} characters; at most ${MAX_OBJECTIVE} are read with each prompt. Put the rest into a file and name that.`,
    );
  if (status !== undefined && !GOAL_STATUSES.includes(status))
    throw new ConfigError(`The status of a goal is one of ${GOAL_STATUSES.join(', ')}.`);
  if (creditsBudget != null && !(typeof creditsBudget === 'number' && creditsBudget > 0))
    throw new ConfigError('creditsBudget is an amount above 0, in US dollars, or null for no budget.');
  return params;
}

/** @throws ConfigError */
function checkTurns(turns: number): number {
  if (Number.isInteger(turns) && turns > 0) return turns;
  throw new ConfigError(`The turns of a goal are a whole number of at least 1, not ${String(turns)}.`);
}
