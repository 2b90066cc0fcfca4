// What TaskOutput and TaskStop do, and how a task is told of.
import { ToolError } from '../../protocol/errors.js';
import type { TaskOutputInput, TaskOutputOutput, TaskStopInput, TaskStopOutput } from '../../protocol/tool-io.js';
import type { BackgroundTasks, TaskFacts } from '../background-tasks.js';
import type { ToolContext, ToolOutcome } from '../tool.js';

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

/** @throws ToolError if there is no such task, or it takes no input */
export async function useTask(input: TaskOutputInput, context: ToolContext): Promise<ToolOutcome<TaskOutputOutput>> {
  const tasks = await openTasks(context);
  const { task_id: id, output: text, block = true, timeout } = input;
  if (text !== undefined) return writeTo(id, text, tasks);
  if (block) await tasks.wait(id, waitMs(timeout), context.signal);
  const { output, ...task } = await tasks.read(id);
  const data: TaskOutputOutput = {
    task_id: id,
    status: task.status,
    output,
    ...(task.exitCode === null ? {} : { exitCode: task.exitCode }),
    ...(task.outputFile === null ? {} : { output_file: task.outputFile }),
  };
  const model = [
    `Task ${id} (${task.description}) ${describeTask(task)}.`,
    output === '' ? '(nothing printed since it was read last)' : `Printed since it was read last:\n${output.trimEnd()}`,
    ...reasonOf(task),
    ...task.notes,
    ...(task.outputFile === null ? [] : [`The file of its output: ${task.outputFile}`]),
  ];
  return { model: model.join('\n'), data };
}

/** @throws ToolError if there is no such task */
export async function stopTask(input: TaskStopInput, context: ToolContext): Promise<ToolOutcome<TaskStopOutput>> {
  const tasks = await openTasks(context);
  const { task_id: id, reason } = input;
  const before = await tasks.find(id);
  const task = await tasks.stop(id, reason);
  if (before.status !== 'running') {
    const error = `Task ${id} had ended before: it ${describeTask(before)}.`;
    return { model: error, data: { success: false, task_id: id, error } };
  }
  return { model: `Task ${id} (${task.description}) ${describeTask(task)}.`, data: { success: true, task_id: id } };
}

async function writeTo(id: string, text: string, tasks: BackgroundTasks): Promise<ToolOutcome<TaskOutputOutput>> {
  const task = await tasks.find(id);
  if (task.status !== 'running') throw new ToolError(`Task ${id} takes no input: it ${describeTask(task)}.`);
  if (!(await tasks.write(id, text)))
    throw new ToolError(
      `Task ${id} did not take the input: its stdin is closed, or it does not read what it was given.`,
    );
  return { model: `Written to task ${id}. Read its answer with TaskOutput.`, data: { task_id: id, status: 'running' } };
}

async function openTasks({ openTasks: open }: ToolContext): Promise<BackgroundTasks> {
  if (open === undefined) throw new ToolError('Nothing runs in the background here.');
  return open();
}

function waitMs(asked: number | undefined): number {
  return asked === undefined || !(asked >= 0) ? DEFAULT_WAIT_MS : Math.min(Math.ceil(asked), MAX_WAIT_MS);
}

/** After its name: how a task stands. */
export function describeTask({ kind, status, exitCode, runsMs }: TaskFacts): string {
  const time = `${Math.max(0, Math.round(runsMs / 100) / 10)} s`;
  switch (status) {
    case 'running':
      return `has been running for ${time}`;
    case 'stopped':
      return `was stopped after ${time}`;
    case 'completed':
    case 'failed':
      if (kind === 'agent') return `ended after ${time}${status === 'failed' ? ' without finishing' : ''}`;
      return `ended after ${time} with ${exitCode === null ? 'no exit code' : `exit code ${exitCode}`}`;
  }
}

export function reasonOf({ reason }: TaskFacts): readonly string[] {
  return reason === null ? [] : [reason];
}
