// The calls of one reply: harmless ones together, others one by one, results in the order of the calls. Calls that only read,
// may run beside others and are allowed without a hook or a question start while the reply still streams; if it is withdrawn,
// so are they, and their results are never seen.
import type { ToolUseBlock, UserMessageParam } from '../../protocol/content.js';
import type { HookEvent } from '../../protocol/hooks.js';
import type { TerminalReason } from '../../protocol/messages.js';
import { type AnyTool, calledName, runsBesideOthers, startsEarly, toolNamed } from '../../tools/tool.js';
import { shareSignal } from '../../util/abort.js';
import type { ActivityWatch, Draft, LoopDeps, TracedCall } from '../state/index.js';
import { callDeps, createLiveDrafts, type LiveDrafts, MAX_CONCURRENT_CALLS } from './call-deps.js';
import { executeTool } from './execute-tool.js';
import { notRun, notStarted, type ToolCallResult } from './tool-call-result.js';

/** What is known of the calls of a reply before they run. */
interface ReplyCalls {
  /** Calls that must not run, by tool_use id, and why. */
  readonly unusable: ReadonlyMap<string, string>;
  readonly started: EarlyCalls['started'];
}

export interface ToolRound {
  /** One user message a call, the very objects that were yielded. */
  readonly messages: readonly UserMessageParam[];
  /** All calls with their results and times; one that is refused again and again is a circle too. */
  readonly traced: readonly TracedCall[];
  /** A denial or a hook said that the prompt must end, or a call waits for a decision. */
  readonly ended: TerminalReason | null;
}

/**
 * Yields, call by call in source order, the messages about a call and then its result; before that, as they come, the
 * messages of subagents that calls started.
 * Contract: every call gets exactly one result, also after an abort or an ending denial; but for those that wait for a
 * decision, which get none.
 */
export async function* runTools(
  calls: readonly ToolUseBlock[],
  reply: ReplyCalls,
  deps: LoopDeps,
): AsyncGenerator<Draft, ToolRound> {
  const messages: UserMessageParam[] = [];
  const traced: TracedCall[] = [];
  let ended: TerminalReason | null = null;
  // Its neighbours run all the same: a model calls together what does not build on each other.
  let isDeferred = false;
  for (const batch of partition(calls, deps)) {
    const live = batch.some((call) => hasMoreToShow(toolNamed(deps.currentTools(), calledName(deps, call.name))))
      ? createLiveDrafts()
      : null;
    const running: Promise<ToolCallResult>[] =
      ended === null ? startBatch(batch, reply, deps, live) : batch.map((call) => Promise.resolve(notStarted(call)));
    try {
      for (let at = 0; at < batch.length; at++) {
        const [call, pending] = [batch[at] as ToolUseBlock, running[at] as Promise<ToolCallResult>];
        const result = live === null ? await pending : yield* live.until(pending);
        for (const draft of result.drafts) yield draft;
        if (result.ending === 'deferred') {
          isDeferred = true;
          continue;
        }
        const { message, draft } = showResult(result);
        yield draft;
        messages.push(message);
        traced.push(trace(call, result, deps));
        ended ??= result.ends;
      }
    } finally {
      live?.close();
    }
  }
  return { messages, traced, ended: ended ?? (isDeferred ? 'tool_deferred' : null) };
}

/** True for a tool whose calls have something to show while they run. */
function hasMoreToShow(tool: AnyTool | undefined): boolean {
  return tool?.spawnsAgents === true || tool?.callsTools === true;
}

function trace(call: ToolUseBlock, { block, durationMs }: ToolCallResult, deps: LoopDeps): TracedCall {
  return {
    call,
    result: block,
    durationMs,
    polls: toolNamed(deps.currentTools(), calledName(deps, call.name))?.polls ?? false,
  };
}

/** Answers calls that will not run at all. */
export async function* refuseAll(
  calls: readonly ToolUseBlock[],
  text: string,
): AsyncGenerator<Draft, UserMessageParam[]> {
  const messages: UserMessageParam[] = [];
  for (const call of calls) {
    const { message, draft } = showResult(notRun(call, text));
    yield draft;
    messages.push(message);
  }
  return messages;
}

function showResult({ block, data }: ToolCallResult): { readonly message: UserMessageParam; readonly draft: Draft } {
  const message: UserMessageParam = { role: 'user', content: [block] };
  const shown = data === undefined ? {} : { tool_use_result: data };
  return { message, draft: { type: 'user', message, isSynthetic: true, ...shown } };
}

/**
 * Starts all calls of a batch that have not started with their block, at most `MAX_CONCURRENT_CALLS` at a time. The
 * promises never reject.
 */
function startBatch(
  batch: readonly ToolUseBlock[],
  reply: ReplyCalls,
  deps: LoopDeps,
  live: LiveDrafts | null,
): Promise<ToolCallResult>[] {
  const started: Promise<ToolCallResult>[] = [];
  const shared = shareSignal(deps.signal);
  for (const [index, call] of batch.entries()) {
    const before = started[index - MAX_CONCURRENT_CALLS];
    const run = async () =>
      (await reply.started.get(call.id)) ??
      (await shared.use((signal) =>
        executeTool(call, reply.unusable.get(call.id), callDeps(deps, deps.currentTools(), signal), live),
      ));
    started.push(before === undefined ? run() : before.then(run));
  }
  return started;
}

/** Neighbouring calls that only read and may run together form one batch; every other call is a batch of its own. */
function partition(calls: readonly ToolUseBlock[], deps: LoopDeps): ToolUseBlock[][] {
  const batches: ToolUseBlock[][] = [];
  let open: ToolUseBlock[] | null = null;
  for (const call of calls) {
    const together = runsBesideOthers(deps.currentTools(), calledName(deps, call.name));
    if (together && open !== null) {
      open.push(call);
      continue;
    }
    const batch = [call];
    batches.push(batch);
    open = together ? batch : null;
  }
  return batches;
}

export interface EarlyCalls {
  /** By tool_use id. Null if the call turned out to need an answer: it is put to the gate at its turn. Never rejects. */
  readonly started: ReadonlyMap<string, Promise<ToolCallResult | null>>;
  /** Starts the call if it may. Null is ignored. */
  consider(call: ToolUseBlock | null): void;
  /** Aborts what was started. */
  withdraw(): void;
}

/** Hooks that a call must not get ahead of. */
const TOOL_HOOKS: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
];

/** For one attempt of one request. `mayRun`: false if the reply is the last of its prompt, whose calls never run. */
export function createEarlyCalls(deps: LoopDeps, mayRun = true): EarlyCalls {
  const started = new Map<string, Promise<ToolCallResult | null>>();
  const attempt = shareSignal(deps.signal);
  // Once a call came that must wait for the end of the message, later ones wait too: they may depend on it.
  let isOpen = mayRun && !TOOL_HOOKS.some((event) => deps.hooks.has(event));

  const run = (call: ToolUseBlock): Promise<ToolCallResult | null> =>
    attempt.use(async (signal) => {
      const own = callDeps(deps, deps.currentTools(), signal, deps.decideWithoutAsking);
      const watched = deps.activity === undefined ? own : { ...own, activity: untilRefused(deps.activity) };
      const result = await executeTool(call, undefined, watched);
      return result.ending === 'refused' ? null : result;
    });

  return {
    started,
    consider(call) {
      if (call === null || !isOpen) return;
      // What comes after ten of them starts with its batch, as places become free.
      isOpen = startsEarly(deps.currentTools(), calledName(deps, call.name)) && started.size < MAX_CONCURRENT_CALLS;
      if (isOpen) started.set(call.id, run(call));
    },
    withdraw() {
      isOpen = false;
      attempt.abort();
      started.clear();
    },
  };
}

/** What is refused here is decided once more, as the same call. */
function untilRefused(activity: ActivityWatch): ActivityWatch {
  return {
    ...activity,
    callDecided(id, decision) {
      if (decision.behavior !== 'deny') activity.callDecided(id, decision);
    },
    callEnded(id, end) {
      if (end.ending !== 'refused') activity.callEnded(id, end);
    },
  };
}
