// Runs the hooks of an event. Every matching hook is called exactly once a firing, all at the same time, and none can
// hold the session longer than its timeout.
import type { HostClock, HostIds } from '../host/host.js';
import { AbortError } from '../protocol/errors.js';
import type { HookEvent, HookInput } from '../protocol/hooks.js';
import type { ElicitationResult, PermissionResult } from '../protocol/permissions.js';
import type {
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
} from '../protocol/system-messages.js';
import { ABORTED, linkAbort, raceAbort, shareSignal } from '../util/abort.js';
import { shorten } from '../util/text.js';
import {
  type DeclaredHook,
  type DeclaredHooks,
  type HookAnswer,
  type HookMatchers,
  type LaterAnswer,
  type OnPrinted,
  type Printed,
  readDeclaredHooks,
} from './declared-hooks.js';
import { EMPTY_HOOK_RESULT, type HookFailure, type HookResult } from './hook-result.js';
import { hookSubject } from './matcher.js';
import { type HookEffect, readHookOutput, refusal, stricterPermission, textOfThrown } from './read-output.js';

export type { HookMatchers } from './declared-hooks.js';
export { EMPTY_HOOK_RESULT, type HookResult } from './hook-result.js';

/** `hook_started`, `hook_progress` and `hook_response` without their envelope. `output` is the answer's JSON, or what went wrong. */
export type HookEventReport =
  | Omit<SDKHookStartedMessage, 'type' | 'uuid' | 'session_id'>
  | Omit<SDKHookProgressMessage, 'type' | 'uuid' | 'session_id'>
  | Omit<SDKHookResponseMessage, 'type' | 'uuid' | 'session_id'>;

export interface HookRunner {
  /** True if any hook is declared for the event, whatever its matcher. Constant time. */
  has(event: HookEvent): boolean;
  /**
   * Fires an event.
   * Contract: never throws. All matching hooks run at the same time, each once, each with its own copy of the input;
   * their answers are merged in declared order. A hook that throws, times out or answers nonsense is a failure; one
   * that the signal cut off is not. With a signal that is aborted already no hook runs, so a firing that comes after an
   * abort (SessionEnd, the PostToolUseFailure of an interrupted call) needs a signal of its own.
   */
  run(input: HookInput, toolUseId: string | undefined, signal: AbortSignal): Promise<HookResult>;
}

export interface HookRunnerDependencies {
  readonly clock: Pick<HostClock, 'after' | 'monotonic'>;
  readonly ids: Pick<HostIds, 'uuid'>;
  /** Called as each hook starts and ends. A reporter that throws is ignored. */
  readonly onReport?: (report: HookEventReport) => void;
  /** Told that nobody waits for a hook any more, before it ends. */
  readonly onAside?: () => void;
  /** Told of the failure of a hook that nobody waited for. */
  readonly onLateFailure?: (failure: HookFailure) => void;
  /** Told what a hook has to say that nobody waited for. */
  readonly onLateWord?: (word: LateWord) => void;
}

/** What still counts of an answer that comes when its moment is over. */
export interface LateWord {
  readonly systemMessages: readonly string[];
  readonly additionalContext: readonly string[];
}

/** What all hooks of one firing share. */
interface Firing {
  readonly input: HookInput;
  readonly subject: string | null;
  readonly toolUseId: string | undefined;
  readonly signal: AbortSignal;
}

/** How the call of one hook ended. */
type HookEnding =
  | { readonly kind: 'answered'; readonly output: unknown; readonly printed: Printed | undefined }
  | { readonly kind: 'failed'; readonly error: string; readonly printed: Printed | undefined }
  | { readonly kind: 'cancelled'; readonly printed: Printed | undefined }
  | { readonly kind: 'later'; readonly later: LaterAnswer };

/** What one hook adds to the result. */
interface HookContribution {
  readonly effects: readonly HookEffect[];
  readonly failure: HookFailure | null;
}

const NOTHING: HookContribution = { effects: [], failure: null };
const MAX_ERROR_LENGTH = 1000;
const PROGRESS_EVERY_MS = 500;
const WENT_ON = 'it went on by itself without an answer';
const NO_ANSWER_IN_TIME = 'the session was interrupted before it answered';

/**
 * Makes the runner of the hooks a host gave as code. The declaration is copied; later changes have no effect.
 * @param commands hooks of settings: they come first, so that of values that replace something the host's counts
 * @throws ConfigError for an unknown event, a matcher, timeout or policy that cannot be used, or a hook that is not a
 *   function
 */
export function createHookRunner(
  matchers: HookMatchers,
  dependencies: HookRunnerDependencies,
  commands: DeclaredHooks = new Map(),
): HookRunner {
  const declared = bothOf(commands, readDeclaredHooks(matchers));
  return {
    has: (event) => declared.has(event),
    async run(input, toolUseId, signal) {
      const event = input.hook_event_name;
      const groups = declared.get(event);
      if (groups === undefined) return EMPTY_HOOK_RESULT;
      const subject = hookSubject(input);
      const hooks = groups.filter((group) => group.applies(subject)).flatMap((group) => group.hooks);
      const due = firstOfEach(hooks.filter((hook) => hook.isSpent?.() !== true));
      if (due.length === 0) return EMPTY_HOOK_RESULT;
      // Many hooks of one firing hear of an abort by one listener.
      const shared = due.length === 1 ? null : shareSignal(signal);
      const fire = (hook: DeclaredHook, own: AbortSignal) =>
        fireHook(hook, { input, subject, toolUseId, signal: own }, dependencies);
      const contributions = await Promise.all(
        due.map((hook) => (shared === null ? fire(hook, signal) : shared.use((own) => fire(hook, own)))),
      );
      return mergeEffects(
        event,
        contributions.flatMap((contribution) => contribution.effects),
        contributions.map((contribution) => contribution.failure).filter((failure) => failure !== null),
      );
    },
  };
}

function bothOf(first: DeclaredHooks, second: DeclaredHooks): DeclaredHooks {
  if (first.size === 0) return second;
  const events = [...new Set([...first.keys(), ...second.keys()])];
  return new Map(events.map((event) => [event, [...(first.get(event) ?? []), ...(second.get(event) ?? [])]]));
}

/** What stands in several files runs once, and is as strict as the strictest of them. */
function firstOfEach(hooks: readonly DeclaredHook[]): readonly DeclaredHook[] {
  const strict = new Set(hooks.filter(({ onFailure }) => onFailure === 'block').map(({ same }) => same));
  const seen = new Set<string>();
  return hooks.flatMap((hook) => {
    const { same } = hook;
    if (same === undefined) return [hook];
    if (seen.has(same)) return [];
    seen.add(same);
    return [strict.has(same) ? { ...hook, onFailure: 'block' as const } : hook];
  });
}

async function fireHook(
  hook: DeclaredHook,
  firing: Firing,
  dependencies: HookRunnerDependencies,
): Promise<HookContribution> {
  if (firing.signal.aborted) return cutOff(hook, firing.input.hook_event_name);
  if (hook.aside === undefined) return hearHook(hook, firing, dependencies);
  dependencies.onAside?.();
  const { asideTimeoutMs: timeoutMs = hook.timeoutMs } = hook;
  void hook.aside.use(async (signal) => {
    tellLate(await hearHook({ ...hook, timeoutMs }, { ...firing, signal }, dependencies), dependencies);
  });
  return NOTHING;
}

/** The moment that it is about is over: it can decide and change nothing any more. */
function tellLate({ effects, failure }: HookContribution, dependencies: HookRunnerDependencies): void {
  if (failure !== null) dependencies.onLateFailure?.(failure);
  const texts = (key: 'systemMessage' | 'additionalContext') =>
    effects.flatMap((effect) => (effect[key] === null || effect[key] === '' ? [] : [effect[key]]));
  const word = { systemMessages: texts('systemMessage'), additionalContext: texts('additionalContext') };
  if (word.systemMessages.length + word.additionalContext.length > 0) dependencies.onLateWord?.(word);
}

async function hearHook(
  hook: DeclaredHook,
  firing: Firing,
  dependencies: HookRunnerDependencies,
): Promise<HookContribution> {
  const event = firing.input.hook_event_name;
  const report = createReporter(firing, dependencies);
  const { statusMessage } = hook;
  report({ subtype: 'hook_started', ...(statusMessage === undefined ? {} : { status_message: statusMessage }) });
  const onPrinted = dependencies.onReport === undefined ? undefined : progressOf(report, dependencies.clock);
  const ending = await callHook(hook, firing, dependencies.clock, onPrinted);
  if (ending.kind === 'later') {
    if (hook.onFailure === 'block') {
      ending.later.stop();
      return failed(hook, event, WENT_ON, []);
    }
    dependencies.onAside?.();
    void hearLater(hook, ending.later, firing, dependencies, report);
    return NOTHING;
  }
  return contributionOf(hook, ending, event, dependencies, report);
}

/** A hook that went on by itself: its time, and what it says in the end. */
async function hearLater(
  hook: DeclaredHook,
  later: LaterAnswer,
  firing: Firing,
  dependencies: HookRunnerDependencies,
  report: (body: ReportBody) => void,
): Promise<void> {
  const timeoutMs = later.timeoutMs ?? hook.asideTimeoutMs ?? hook.timeoutMs;
  let isLate = false;
  const cancelTimer = dependencies.clock.after(timeoutMs, () => {
    isLate = true;
    later.stop();
  });
  const { output, error, printed } = await later.answer;
  cancelTimer();
  const ending: Exclude<HookEnding, { kind: 'later' }> = isLate
    ? { kind: 'failed', error: `it did not end within ${timeoutMs / 1000} s`, printed }
    : error === undefined
      ? { kind: 'answered', output, printed }
      : { kind: 'failed', error: shorten(error, MAX_ERROR_LENGTH), printed };
  tellLate(contributionOf(hook, ending, firing.input.hook_event_name, dependencies, report), dependencies);
}

function contributionOf(
  hook: DeclaredHook,
  ending: Exclude<HookEnding, { kind: 'later' }>,
  event: HookEvent,
  dependencies: HookRunnerDependencies,
  report: (body: ReportBody) => void,
): HookContribution {
  const { printed } = ending;
  if (ending.kind === 'cancelled') {
    report(response('cancelled', '', printed));
    return cutOff(hook, event);
  }
  if (ending.kind === 'failed') {
    report(response('error', ending.error, printed));
    return failed(hook, event, ending.error, []);
  }
  const { effect, problems } = readHookOutput(event, ending.output);
  const silent = ending.output === undefined || ending.output === null;
  // An observer may return nothing. A guard that must answer has not done its work.
  const isElsewhere = (ending.output as { readonly async?: unknown } | null | undefined)?.async === true;
  const faults =
    hook.onFailure === 'block' && (silent || isElsewhere) ? [silent ? 'it returned no answer' : WENT_ON] : problems;
  if (faults.length > 0) {
    const error = shorten(faults.join('; '), MAX_ERROR_LENGTH);
    report(response('error', error, printed));
    return failed(hook, event, error, [effect]);
  }
  if (dependencies.onReport !== undefined) {
    const outcome = (printed?.exitCode ?? 0) === 0 ? 'success' : 'error';
    // It said that what it printed is not to be shown.
    const isSilent = (ending.output as { readonly suppressOutput?: unknown } | undefined)?.suppressOutput === true;
    const shown = isSilent && printed !== undefined ? { ...printed, stdout: '' } : printed;
    report(response(outcome, isSilent ? '' : (printed?.stdout ?? jsonText(ending.output)), shown));
  }
  return { effects: [hook.isConfined === true ? forSession(effect) : effect], failure: null };
}

/** What a repository brought along writes no settings file, of the user least of all. */
function forSession(effect: HookEffect): HookEffect {
  const { request } = effect;
  if (request?.behavior !== 'allow' || request.updatedPermissions === undefined) return effect;
  const updatedPermissions = request.updatedPermissions.map((update) => ({
    ...update,
    destination: 'session' as const,
  }));
  return { ...effect, request: { ...request, updatedPermissions } };
}

/**
 * Calls one hook and waits for its answer, its timeout or the session's abort, whichever is first.
 * Contract: never throws; what the hook does afterwards has no effect.
 */
async function callHook(
  hook: DeclaredHook,
  firing: Firing,
  clock: Pick<HostClock, 'after'>,
  onPrinted: OnPrinted | undefined,
): Promise<HookEnding> {
  const { controller, release } = linkAbort(firing.signal);
  const late = `it did not answer within ${hook.timeoutMs / 1000} s`;
  let timedOut = false;
  const cancelTimer = clock.after(hook.timeoutMs, () => {
    timedOut = true;
    controller.abort(new AbortError(`The hook timed out: ${late}.`));
  });
  const calling = invoke(hook, firing, controller.signal, onPrinted);
  const ending = await raceAbort(calling, controller.signal);
  cancelTimer();
  release();
  // A hook that answers because it was told to stop has not answered.
  if (timedOut) return { kind: 'failed', error: late, printed: undefined };
  if (ending !== ABORTED && !controller.signal.aborted) return ending;
  const ended = hook.endsItself === true ? await calling : null;
  return { kind: 'cancelled', printed: ended === null || ended.kind === 'later' ? undefined : ended.printed };
}

async function invoke(
  hook: DeclaredHook,
  firing: Firing,
  signal: AbortSignal,
  onPrinted: OnPrinted | undefined,
): Promise<HookEnding> {
  try {
    const answer: HookAnswer = await hook.call(ownCopy(firing.input), firing.toolUseId, signal, onPrinted);
    const { output, error, printed, later } = answer;
    if (later !== undefined) return { kind: 'later', later };
    if (error === undefined) return { kind: 'answered', output, printed };
    return { kind: 'failed', error: shorten(error, MAX_ERROR_LENGTH), printed };
  } catch (error) {
    return { kind: 'failed', error: shorten(`it threw: ${textOfThrown(error)}`, MAX_ERROR_LENGTH), printed: undefined };
  }
}

/** A hook must not change the call it looks at, nor what the other hooks see. */
function ownCopy(input: HookInput): HookInput {
  try {
    return structuredClone(input);
  } catch {
    // A tool's response may hold what cannot be copied, for example a function; then the fields are shared.
    return { ...input };
  }
}

/** Under `onFailure: 'block'` a failure refuses as well; what an unusable answer restricts counts in any case. */
function failed(hook: DeclaredHook, event: HookEvent, error: string, effects: readonly HookEffect[]): HookContribution {
  const refusals = hook.onFailure === 'block' ? [refusal(event, refusalText(hook, error))] : [];
  return { effects: [...effects, ...refusals], failure: { hook: hook.label, error } };
}

/** An interruption is nobody's fault, but a guard that did not answer has not allowed anything either. */
function cutOff(hook: DeclaredHook, event: HookEvent): HookContribution {
  const keepsGoing = event === 'Stop' || event === 'SubagentStop'; // there a refusal would go on after the abort
  const refuses = hook.onFailure === 'block' && !keepsGoing;
  return { effects: refuses ? [refusal(event, refusalText(hook, NO_ANSWER_IN_TIME))] : [], failure: null };
}

function refusalText(hook: DeclaredHook, error: string): string {
  return `The hook ${hook.label} failed (${error}), and a failure of it blocks.`;
}

/** What a command printed since the last report: the first at once, then no more than two a second. */
function progressOf(report: (body: ReportBody) => void, { monotonic }: Pick<HostClock, 'monotonic'>): OnPrinted {
  let lastAt: number | null = null;
  let stdout = '';
  let stderr = '';
  return (stream, text) => {
    if (stream === 'stdout') stdout += text;
    else stderr += text;
    const now = monotonic();
    if (lastAt !== null && now - lastAt < PROGRESS_EVERY_MS) return;
    lastAt = now;
    report({ subtype: 'hook_progress', stdout, stderr, output: stdout + stderr });
    stdout = '';
    stderr = '';
  };
}

type ReportBody =
  | Pick<SDKHookProgressMessage, 'subtype' | 'output' | 'stdout' | 'stderr'>
  | Pick<SDKHookStartedMessage, 'subtype' | 'status_message'>
  | Pick<SDKHookResponseMessage, 'subtype' | 'output' | 'stdout' | 'stderr' | 'exit_code' | 'outcome'>;

function response(outcome: SDKHookResponseMessage['outcome'], output: string, printed?: Printed): ReportBody {
  const { stdout = '', stderr = '', exitCode = null } = printed ?? {};
  return {
    subtype: 'hook_response',
    output,
    stdout,
    stderr,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    outcome,
  };
}

function createReporter(firing: Firing, { ids, onReport }: HookRunnerDependencies): (body: ReportBody) => void {
  if (onReport === undefined) return () => undefined;
  const event = firing.input.hook_event_name;
  const names = {
    hook_id: ids.uuid(),
    hook_name: firing.subject ? `${event}:${firing.subject}` : event,
    hook_event: event,
  };
  return (body) => {
    try {
      onReport({ ...names, ...body });
    } catch {
      // Reports are for watching. A fault of whoever watches must not switch a guard off.
    }
  };
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // The answer holds something JSON cannot, in a field nobody reads; it was usable all the same.
    return '';
  }
}

// One result from the answers of all hooks of a firing, in declared order. The strictest decision wins; of values that
// replace something, the last.

/**
 * Merges the effects of a firing's hooks.
 * @param effects   in declared order
 * @param failures  in declared order; they are passed on as they are
 */
export function mergeEffects(
  event: HookEvent,
  effects: readonly HookEffect[],
  failures: readonly HookFailure[],
): HookResult {
  // Who said yes saw the input as it was: of another one only its own hook may say so.
  const changing = effects.findLast(({ updatedInput }) => updatedInput !== null);
  const isAbout = (effect: HookEffect) =>
    changing === undefined || effect === changing || effect.permission?.behavior !== 'allow';
  const stops = present(effects.map((effect) => effect.stop));
  const blocks = present(effects.map((effect) => effect.block));
  return {
    continue: stops.length === 0,
    stopReason: joinReasons(stops) || null,
    block:
      blocks.length === 0
        ? null
        : { reason: joinReasons(blocks) || `A ${event} hook blocked this and gave no reason.` },
    permission: mergePermissions(event, present(effects.filter(isAbout).map((effect) => effect.permission))),
    request: mergeRequests(present(effects.map((effect) => effect.request))),
    updatedInput: changing?.updatedInput ?? null,
    additionalContext: texts(effects.map((effect) => effect.additionalContext)),
    updatedToolOutput: effects.findLast((effect) => !isEmpty(effect.updatedToolOutput))?.updatedToolOutput ?? null,
    displayContent: present(effects.map((effect) => effect.displayContent)).at(-1) ?? null,
    sessionTitle: texts(effects.map((effect) => effect.sessionTitle)).at(-1) ?? null,
    initialUserMessage: texts(effects.map((effect) => effect.initialUserMessage)).at(-1) ?? null,
    hidesPrompt: effects.some((effect) => effect.hidesPrompt),
    elicitation: mergeElicitations(present(effects.map((effect) => effect.elicitation))),
    watchPaths: effects.flatMap((effect) => effect.watchPaths ?? []),
    worktreePath: present(effects.map((effect) => effect.worktreePath || null)).at(-1) ?? null,
    systemMessages: texts(effects.map((effect) => effect.systemMessage)),
    failures,
  };
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

function mergePermissions(
  event: HookEvent,
  permissions: readonly NonNullable<HookEffect['permission']>[],
): HookResult['permission'] {
  const strictest = permissions.reduce<HookEffect['permission']>(stricterPermission, null);
  if (strictest === null) return null;
  const { behavior } = strictest;
  const reason = joinReasons(permissions.filter((permission) => permission.behavior === behavior));
  return { behavior, reason: reason || `A ${event} hook said "${behavior}" and gave no reason.` };
}

function mergeRequests(requests: readonly PermissionResult[]): PermissionResult | null {
  const denials = requests.filter((request) => request.behavior === 'deny');
  if (denials.length > 0) {
    const message = joinReasons(denials.map((denial) => ({ reason: denial.message })));
    return {
      behavior: 'deny',
      message: message || 'A PermissionRequest hook denied this and gave no reason.',
      ...(denials.some((denial) => denial.interrupt === true) ? { interrupt: true } : {}),
    };
  }
  const approvals = requests.filter((request) => request.behavior === 'allow');
  if (approvals.length === 0) return null;
  const updatedInput = approvals.findLast((approval) => approval.updatedInput !== undefined)?.updatedInput;
  const updatedPermissions = approvals.flatMap((approval) => approval.updatedPermissions ?? []);
  return {
    behavior: 'allow',
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedPermissions.length === 0 ? {} : { updatedPermissions }),
  };
}

/** A refusal beats an answer; of two alike the last. */
function mergeElicitations(answers: readonly ElicitationResult[]): ElicitationResult | null {
  const last = (action: ElicitationResult['action']) => answers.findLast((answer) => answer.action === action);
  return last('cancel') ?? last('decline') ?? last('accept') ?? null;
}

/** The different reasons, one a line; '' if none is given. */
function joinReasons(items: readonly { readonly reason: string }[]): string {
  return [...new Set(texts(items.map((item) => item.reason)))].join('\n');
}

function texts(values: readonly (string | null)[]): string[] {
  return present(values).filter((value) => value.trim() !== '');
}

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value) => value !== null);
}
