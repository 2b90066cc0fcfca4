// One tool call from block to result: found, validated, allowed, recorded, run. Nothing here throws: every ending is
// a result the model can read.

import path from 'node:path';
import { isFileError } from '../host/host.js';
import type { CallSubject } from '../permissions/decide.js';
import type { ToolResultBlock, ToolUseBlock } from '../protocol/content.js';
import { ToolError } from '../protocol/errors.js';
import type { AnyTool, ToolOutcome, ToolSubject } from '../tools/tool.js';
import { ABORTED, raceAbort } from '../util/abort.js';
import { errorText } from '../util/text.js';
import type { Draft, GateAnswer, LoopDeps } from './loop-state.js';

/** How long an interrupted tool may take to stop and say what it did: its processes are terminated, then killed. */
const INTERRUPT_GRACE_MS = 2_500;

/** How a call ended. `not_started` had no effect; after `interrupted_after_start` the effects are unknown. */
export type CallEnding = 'completed' | 'failed' | 'refused' | 'not_started' | 'interrupted_after_start';

export interface ToolCallResult {
  readonly block: ToolResultBlock;
  /** Typed output for the caller, where there is some. */
  readonly data: unknown;
  readonly ending: CallEnding;
  /** A denial ended the whole prompt. */
  readonly interrupt: boolean;
  /** Messages about the call, before its result. */
  readonly drafts: readonly Draft[];
}

/** A tool whose input was validated, so its methods may be called with it. */
type RunnableTool = {
  title(input: unknown): string;
  subject(input: unknown, cwd: string): ToolSubject;
  run(input: unknown, context: ReturnType<LoopDeps['toolContext']>): Promise<ToolOutcome<unknown>>;
} & AnyTool;

/**
 * Runs one call.
 * Contract: never throws. The tool runs at most once, only after its input was validated and the call allowed; an
 * input changed by the gate is validated and decided again.
 */
export async function executeTool(
  call: ToolUseBlock,
  unusable: string | undefined,
  deps: LoopDeps,
): Promise<ToolCallResult> {
  if (deps.signal.aborted) return notStarted(call);
  if (unusable !== undefined) return failed(call, unusable);
  const tool = deps.tools.find((candidate) => candidate.name === call.name) as RunnableTool | undefined;
  if (tool === undefined) {
    const names = deps.tools.map((candidate) => candidate.name).join(', ');
    return failed(
      call,
      `There is no tool ${call.name}. ${names === '' ? 'No tools are available.' : `Available: ${names}.`}`,
    );
  }
  const problem = await inputProblem(call.input, tool, deps);
  if (problem !== null) return failed(call, problem);
  try {
    return await gateAndRun(call, tool, deps);
  } catch (error) {
    deps.log('tool_call_failed', { tool: call.name, error });
    return failed(call, `${call.name} could not be run: ${errorText(error)}`);
  }
}

async function gateAndRun(call: ToolUseBlock, tool: RunnableTool, deps: LoopDeps): Promise<ToolCallResult> {
  let input = call.input as Record<string, unknown>;
  const answer = await ask(call, tool, input, deps);
  if (answer === ABORTED) return notStarted(call);
  if (answer.behavior === 'allow' && answer.input !== input) {
    input = answer.input;
    const problem = await inputProblem(input, tool, deps);
    if (problem !== null) return failed(call, `The changed input was refused. ${problem}`);
  }
  if (answer.behavior === 'deny') return refused(call, answer);
  if (!tool.readOnly) await deps.beforeSideEffect();
  if (deps.signal.aborted) return notStarted(call);
  return run(call, tool, input, deps);
}

async function ask(
  call: ToolUseBlock,
  tool: RunnableTool,
  input: Record<string, unknown>,
  deps: LoopDeps,
): Promise<GateAnswer | typeof ABORTED> {
  const context = deps.toolContext(call.id, deps.signal);
  const subject = await resolveSubject(tool.subject(input, context.cwd), deps);
  return raceAbort(
    deps.decidePermission({
      toolName: tool.name,
      toolUseId: call.id,
      readOnly: tool.readOnly,
      subject,
      input,
      title: tool.title(input),
      signal: deps.signal,
    }),
    deps.signal,
  );
}

/** Resolves the symbolic links of a path as far as it exists; what does not exist yet is taken as written. */
async function resolveSubject(subject: ToolSubject, deps: LoopDeps): Promise<CallSubject> {
  if (subject.kind !== 'path') return subject;
  const normal = path.resolve(subject.path);
  return { ...subject, path: normal, realPath: await realPathOf(normal, deps) };
}

async function realPathOf(target: string, deps: LoopDeps): Promise<string> {
  const missing: string[] = [];
  for (let current = target; ; current = path.dirname(current)) {
    try {
      return path.join(await deps.host.fs.realpath(current), ...missing.reverse());
    } catch (error) {
      if (!isFileError(error, 'ENOENT') || path.dirname(current) === current) throw error;
      if (await isDanglingLink(current, deps))
        throw new ToolError(`${target} goes through a symbolic link that leads nowhere.`);
      missing.push(path.basename(current));
    }
  }
}

/** A write through a dangling link would create a file where the link points, which nobody decided on. */
async function isDanglingLink(target: string, deps: LoopDeps): Promise<boolean> {
  try {
    return (await deps.host.fs.lstat(target)).kind === 'symlink';
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return false;
    throw error;
  }
}

async function run(
  call: ToolUseBlock,
  tool: RunnableTool,
  input: Record<string, unknown>,
  deps: LoopDeps,
): Promise<ToolCallResult> {
  try {
    const work = tool.run(input, deps.toolContext(call.id, deps.signal));
    const outcome = await raceAbort(work, deps.signal);
    if (outcome === ABORTED) {
      // A tool that stops at the abort still tells what it had done by then.
      const rest = await settleWithin(work, INTERRUPT_GRACE_MS, deps);
      return interrupted(
        call,
        rest instanceof Error ? rest.message : undefined,
        rest instanceof ToolError ? rest.data : undefined,
      );
    }
    return {
      block: resultBlock(call, outcome.model, outcome.isError ?? false),
      data: outcome.data,
      ending: outcome.isError ? 'failed' : 'completed',
      interrupt: false,
      drafts: [],
    };
  } catch (error) {
    if (deps.signal.aborted)
      return interrupted(call, errorText(error), error instanceof ToolError ? error.data : undefined);
    if (error instanceof ToolError) return failed(call, error.message, error.data);
    deps.log('tool_threw', { tool: call.name, error });
    return failed(call, `${call.name} failed unexpectedly: ${errorText(error)}`);
  }
}

/** The error `work` ends with, or null where it does not end in time or ends well. */
async function settleWithin(work: Promise<unknown>, ms: number, deps: LoopDeps): Promise<Error | null> {
  let cancel: () => void = () => undefined;
  const timeout = new Promise<null>((resolve) => {
    cancel = deps.host.clock.after(ms, () => resolve(null));
  });
  const ended = work.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  const first = await Promise.race([ended, timeout]);
  cancel();
  return first;
}

async function inputProblem(input: unknown, tool: AnyTool, deps: LoopDeps): Promise<string | null> {
  const problems = await deps.validateJson(input, tool.inputSchema);
  if (problems.length === 0) return null;
  return `The input of ${tool.name} is not valid, so nothing ran: ${problems.slice(0, 8).join('; ')}`;
}

function resultBlock(call: ToolUseBlock, content: ToolResultBlock['content'], isError: boolean): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: call.id, content, ...(isError ? { is_error: true } : {}) };
}

function failed(call: ToolUseBlock, text: string, data?: unknown): ToolCallResult {
  return { block: resultBlock(call, text, true), data, ending: 'failed', interrupt: false, drafts: [] };
}

/** Also for calls that were never looked at because the prompt ended before them. */
export function notStarted(call: ToolUseBlock): ToolCallResult {
  const text = 'The prompt was interrupted before this call started. It had no effect.';
  return { block: resultBlock(call, text, true), data: undefined, ending: 'not_started', interrupt: false, drafts: [] };
}

function interrupted(call: ToolUseBlock, detail: string | undefined, data: unknown): ToolCallResult {
  const text = `Interrupted after it started; its effects are unknown.${detail === undefined ? '' : `\n${detail}`}`;
  return {
    block: resultBlock(call, text, true),
    data,
    ending: 'interrupted_after_start',
    interrupt: false,
    drafts: [],
  };
}

function refused(call: ToolUseBlock, answer: Extract<GateAnswer, { behavior: 'deny' }>): ToolCallResult {
  const told: Draft = {
    type: 'system',
    subtype: 'permission_denied',
    tool_name: call.name,
    tool_use_id: call.id,
    decision_reason_type: answer.reasonType,
    decision_reason: answer.reason,
    message: answer.message,
  };
  return {
    block: resultBlock(call, answer.message, true),
    data: undefined,
    ending: 'refused',
    interrupt: answer.interrupt,
    drafts: answer.asked ? [] : [told],
  };
}
