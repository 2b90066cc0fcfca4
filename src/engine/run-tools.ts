// The calls of one reply: harmless ones together, others one by one, results in the order of the calls.
import type { ToolUseBlock, UserMessageParam } from '../protocol/content.js';
import { executeTool, notStarted, type ToolCallResult } from './execute-tool.js';
import type { Draft, LoopDeps } from './loop-state.js';

/** Calls that run at the same time at most. */
const MAX_CONCURRENT_CALLS = 10;

export interface ToolRound {
  /** One user message a call, the very objects that were yielded. */
  readonly messages: readonly UserMessageParam[];
  /** A denial said that the prompt must end. */
  readonly interrupted: boolean;
}

/**
 * Yields, call by call in source order, the messages about a call and then its result; returns the messages with the results.
 * Contract: every call gets exactly one result, also after an abort or an interrupting denial.
 */
export async function* runTools(
  calls: readonly ToolUseBlock[],
  unusable: ReadonlyMap<string, string>,
  deps: LoopDeps,
): AsyncGenerator<Draft, ToolRound> {
  const messages: UserMessageParam[] = [];
  let interrupted = false;
  for (const batch of partition(calls, deps)) {
    const running: Promise<ToolCallResult>[] = interrupted
      ? batch.map((call) => Promise.resolve(notStarted(call)))
      : startBatch(batch, unusable, deps);
    for (const pending of running) {
      const result = await pending;
      yield* result.drafts;
      const message: UserMessageParam = { role: 'user', content: [result.block] };
      messages.push(message);
      yield toolResultDraft(message, result.data);
      interrupted ||= result.interrupt;
    }
  }
  return { messages, interrupted };
}

/** Starts all calls of a batch, at most `MAX_CONCURRENT_CALLS` at a time. The promises never reject. */
function startBatch(
  batch: readonly ToolUseBlock[],
  unusable: ReadonlyMap<string, string>,
  deps: LoopDeps,
): Promise<ToolCallResult>[] {
  const started: Promise<ToolCallResult>[] = [];
  for (const [index, call] of batch.entries()) {
    const before = started[index - MAX_CONCURRENT_CALLS];
    const run = () => executeTool(call, unusable.get(call.id), deps);
    started.push(before === undefined ? run() : before.then(run));
  }
  return started;
}

/** Neighbouring calls that only read and may run together form one batch; every other call is a batch of its own. */
function partition(calls: readonly ToolUseBlock[], deps: LoopDeps): ToolUseBlock[][] {
  const batches: ToolUseBlock[][] = [];
  let open: ToolUseBlock[] | null = null;
  for (const call of calls) {
    const tool = deps.tools.find((candidate) => candidate.name === call.name);
    const together = tool?.readOnly && tool.concurrencySafe;
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

function toolResultDraft(message: UserMessageParam, data: unknown): Draft {
  return { type: 'user', message, isSynthetic: true, ...(data === undefined ? {} : { tool_use_result: data }) };
}
