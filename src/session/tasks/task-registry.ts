// The background tasks of one session: what runs, who owns it, and whose turn it is to hear of an end. Loaded with the
// first of them. One rule: whatever way a task ends, its agent is told once, its host is told once, and nothing of it is
// alive.
import type { LoopHooks, MessageDraft } from '../../engine/state/index.js';
import type { HostClock, HostIds } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { describeTask, reasonOf } from '../../tools/background-task/index.js';
import {
  type BackgroundTasks,
  runIdOf,
  type TaskExit,
  type TaskFacts,
  type TaskPlace,
  type TaskProgram,
  type TaskRequest,
  type TaskStatus,
} from '../../tools/background-tasks.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { count, errorText, shorten } from '../../util/text.js';

/** What is said of an id that is none, characters. */
const MAX_NAMED = 60;
/** The tasks that are listed then, the last. */
const MAX_LISTED = 32;
/** So many tasks that ended and were told are remembered; of older ones there is the file. */
const MAX_ENDED = 100;
/** How long a program may take to read what is written to it. */
const WRITE_MS = 2_000;

export interface TaskRegistryPlace {
  readonly clock: HostClock;
  readonly ids: HostIds;
  /** So many run at the same time. */
  readonly maxRunning: number;
  /** Shows a message of the session. */
  readonly tell: (draft: MessageDraft) => void;
  readonly hooks: Pick<LoopHooks, 'has' | 'run'>;
  /** `task-<id>.txt` of a task that an earlier run of the session began; null if there is none. */
  readonly earlierOutput: (id: string) => Promise<string | null>;
}

export interface TaskRegistry {
  /** What an agent sees of the tasks; null is the session's own, which sees all. */
  forAgent(agentId: string | null): BackgroundTasks;
  /** The tasks that run. */
  readonly running: readonly TaskFacts[];
  /** Of them, those that an agent has to look after. */
  runningOf(agentId: string | null): readonly TaskFacts[];
  /** Takes back what tasks that run could not be held back from. Never rejects. */
  inspect(): Promise<void>;
  /** Tasks of the agent that ended, and whose end it was not told. */
  untold(agentId: string | null): readonly TaskFacts[];
  setTold(ids: readonly string[]): void;
  /** The session's own agent knows no more that these ended. */
  setUntold(ids: readonly string[]): void;
  knows(id: string): boolean;
  readonly earlierOutput: TaskRegistryPlace['earlierOutput'];
  /** True once the session's own agent has something to hear; false when nothing of it runs, or `until` aborts. */
  nextEnd(until: AbortSignal): Promise<boolean>;
  /** The tasks of an agent that ended belong to who started it. Gives those that still run. */
  handOver(from: string, to: string | null): readonly TaskFacts[];
  /** For people: the task's agent is told. @throws ToolError if there is no such task */
  stop(id: string, reason: string): Promise<TaskFacts>;
  /** Nothing of any task is alive when this resolves, and none begins. May be called again. */
  close(): Promise<void>;
}

interface Task {
  readonly id: string;
  readonly runId: string;
  readonly request: TaskRequest;
  readonly program: TaskProgram;
  readonly startedAt: number;
  owner: string | null;
  endedAt: number | null;
  exit: TaskExit | null;
  /** Why it was stopped, a sentence; null if nobody did. */
  stopped: { readonly status: 'stopped' | 'failed'; readonly why: string } | null;
  isTold: boolean;
  /** What it was refused while it ran, and its reader was not told. */
  readonly refused: string[];
}

export function createTaskRegistry(place: TaskRegistryPlace): TaskRegistry {
  const { clock } = place;
  const tasks = new Map<string, Task>();
  const waiters = new Set<() => void>();
  const ending = new AbortController();
  let starting = 0;
  /** Who has the tasks of an agent that ended. */
  const heirs = new Map<string, string | null>();
  /** Tasks on their way: settle when they are in the list, or came to nothing. */
  const launches = new Set<Promise<unknown>>();

  const commands = () => runs().filter(({ request }) => request.agent === undefined);
  const runs = () => [...tasks.values()].filter(({ endedAt }) => endedAt === null);
  const ownerNow = (owner: string | null): string | null => {
    const heir = owner === null ? undefined : heirs.get(owner);
    return heir === undefined ? owner : ownerNow(heir);
  };
  const ofAgent = (agentId: string | null) => (task: Task) => agentId === null || task.owner === agentId;

  const end = (task: Task, exit: TaskExit): void => {
    task.exit = exit;
    task.endedAt = clock.monotonic();
    place.tell(updated(task, clock));
    tellRunning();
    // Nobody waits for what it says; what fails is told by the hooks themselves.
    if (place.hooks.has('TaskCompleted')) void place.hooks.run('TaskCompleted', hookFields(task.id, task.request));
    if (task.request.agent === undefined) place.tell(notification(task, factsOf(task, clock)));
    for (const wake of [...waiters]) wake();
  };

  const tellRunning = (): void => {
    const tasks = runs().map(({ id, runId, request }) => ({
      task_id: id,
      run_id: runId,
      task_type: request.agent === undefined ? 'local_bash' : 'local_agent',
      description: request.description,
      ...(request.agent === undefined ? {} : { subagent_type: request.agent.type }),
    }));
    place.tell({ type: 'system', subtype: 'background_tasks_changed', tasks });
  };

  const inspect = async (task: Task): Promise<void> => {
    if (task.endedAt === null) task.refused.push(...(await task.program.inspect()));
  };

  const forgetOld = (): void => {
    const over = [...tasks.values()].filter(({ endedAt, isTold }) => endedAt !== null && isTold);
    for (const { id } of over.slice(0, Math.max(0, over.length - MAX_ENDED))) tasks.delete(id);
  };

  const stop = async (task: Task, stopped: NonNullable<Task['stopped']>): Promise<void> => {
    if (task.endedAt === null) task.stopped ??= stopped;
    // What fails of a program that does not hold its contract is told with its end.
    await task.program.stop().catch(() => undefined);
    await task.program.ended.catch(() => undefined);
  };

  const start = async (
    owner: string | null,
    request: TaskRequest,
    launch: (place: TaskPlace) => Promise<TaskProgram>,
  ): Promise<TaskFacts> => {
    if (ending.signal.aborted) throw new ToolError('The session is ending, so nothing was started.');
    const { agent } = request;
    // Agents have a limit of their own, behind which they wait.
    if (agent === undefined && commands().length + starting >= place.maxRunning)
      throw new ToolError(tooMany(commands(), place.maxRunning));
    const id = agent?.id ?? `b${place.ids.uuid().replaceAll('-', '').slice(0, 8)}`;
    if (agent === undefined) starting += 1;
    const launching = launch({ id, signal: ending.signal });
    const settled = launching.catch(() => undefined);
    launches.add(settled);
    let program: TaskProgram;
    try {
      program = await launching;
    } finally {
      if (agent === undefined) starting -= 1;
      launches.delete(settled);
    }
    const task: Task = {
      id,
      runId: agent?.runId ?? runIdOf(id, clock),
      request,
      program,
      startedAt: clock.monotonic(),
      owner: ownerNow(owner),
      endedAt: null,
      exit: null,
      stopped: null,
      isTold: false,
      refused: [],
    };
    const refused = place.hooks.has('TaskCreated')
      ? (await place.hooks.run('TaskCreated', hookFields(id, request), request.toolUseId)).block
      : null;
    if (ending.signal.aborted) {
      await program.stop();
      throw new ToolError('The session is ending, so nothing was started.');
    }
    if (refused !== null) {
      await program.stop();
      throw new ToolError(`A TaskCreated hook refused the task, so it was stopped: ${refused.reason}`);
    }
    forgetOld();
    tasks.set(id, task);
    // An agent tells of its start and its end itself.
    if (agent === undefined)
      place.tell({
        type: 'system',
        subtype: 'task_started',
        task_id: id,
        run_id: task.runId,
        tool_use_id: request.toolUseId,
        description: request.description,
        task_type: 'local_bash',
        is_backgrounded: true,
        ...(owner === null ? {} : { parent_task_id: owner }),
      });
    else if (request.isMoved === true)
      place.tell({
        type: 'system',
        subtype: 'task_updated',
        task_id: id,
        run_id: task.runId,
        patch: { is_backgrounded: true },
      });
    tellRunning();
    const { timeoutMs } = request;
    const cancelTimer =
      timeoutMs === undefined
        ? () => undefined
        : clock.after(timeoutMs, () => {
            const why = `It ran longer than ${timeoutMs} ms, so it was stopped.`;
            void stop(task, { status: 'failed', why });
          });
    const ended = (exit: TaskExit): void => {
      cancelTimer();
      end(task, exit);
    };
    // A program of the host's tools may break its contract.
    void program.ended.then(ended, (error: unknown) =>
      ended({ exitCode: null, notes: [`How it ended is not known: ${errorText(error)}`] }),
    );
    return factsOf(task, clock);
  };

  const find = async (id: string, agentId: string | null): Promise<Task> => {
    const task = tasks.get(id);
    if (task !== undefined && ofAgent(agentId)(task)) return task;
    const known = [...tasks.values()].filter(ofAgent(agentId)).map((other) => other.id);
    const earlier = tasks.has(id) ? null : await place.earlierOutput(id);
    const named = shorten(id, MAX_NAMED);
    const list = `Tasks: ${known.slice(-MAX_LISTED).join(', ')}.`;
    throw new ToolError(
      earlier === null
        ? `There is no task ${named} here. ${known.length === 0 ? 'No task was started in this run of the session.' : list}`
        : `Task ${named} ended with an earlier run of this session, or long ago. What it printed: ${earlier}`,
    );
  };

  /** Resolves with the next end of a task, or at the abort. */
  const nextChange = async (until: AbortSignal): Promise<boolean> => {
    let wake: () => void = () => undefined;
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    waiters.add(wake);
    try {
      return (await raceAbort(changed, until)) !== ABORTED;
    } finally {
      waiters.delete(wake);
    }
  };

  const mark = (ids: readonly string[], isTold: boolean): void => {
    for (const id of ids) {
      const task = tasks.get(id);
      if (task !== undefined) task.isTold = isTold;
    }
  };
  const untold = (agentId: string | null) =>
    [...tasks.values()].filter((task) => task.endedAt !== null && !task.isTold && task.owner === agentId);

  return {
    forAgent: (agentId) => ({
      start: (request, launch) => start(agentId, request, launch),
      find: async (id) => factsOf(await find(id, agentId), clock),
      async wait(id, ms, signal) {
        const task = await find(id, agentId);
        const late = new AbortController();
        const cancel = clock.after(ms, () => late.abort());
        const until = AbortSignal.any([late.signal, signal]);
        while (task.endedAt === null && (await nextChange(until)));
        cancel();
      },
      async read(id) {
        const task = await find(id, agentId);
        await inspect(task);
        const facts = factsOf(task, clock);
        if (facts.status !== 'running') task.isTold = true;
        const question = task.endedAt === null ? (task.program.question?.() ?? '') : '';
        const standsOn = question === '' ? [] : [`It stands on a line without an end: ${question}`];
        const notes = [...facts.notes, ...task.refused.splice(0), ...standsOn];
        return { ...facts, notes, output: task.program.takeOutput() };
      },
      async write(id, text) {
        const { program } = await find(id, agentId);
        const late = new AbortController();
        const cancel = clock.after(WRITE_MS, () => late.abort());
        const taken = await raceAbort(program.write(text), late.signal);
        cancel();
        return taken === true;
      },
      async stop(id, reason) {
        const task = await find(id, agentId);
        await stop(task, { status: 'stopped', why: asReason('It was stopped', reason) });
        task.isTold = true;
        return factsOf(task, clock);
      },
    }),
    get running() {
      return runs().map((task) => factsOf(task, clock));
    },
    runningOf: (agentId) =>
      runs()
        .filter(({ owner }) => owner === agentId)
        .map((task) => factsOf(task, clock)),
    inspect: async () => void (await Promise.all(runs().map(inspect))),
    untold: (agentId) => untold(agentId).map((task) => factsOf(task, clock)),
    setTold: (ids) => mark(ids, true),
    setUntold: (ids) => mark(ids, false),
    knows: (id) => tasks.has(id),
    earlierOutput: place.earlierOutput,
    async nextEnd(until) {
      for (;;) {
        if (untold(null).length > 0) return true;
        if (until.aborted || runs().length === 0) return false;
        await nextChange(until);
      }
    },
    handOver(from, to) {
      heirs.set(from, to);
      const own = [...tasks.values()].filter(({ owner }) => owner === from);
      for (const task of own) task.owner = to;
      return own.filter(({ endedAt }) => endedAt === null).map((task) => factsOf(task, clock));
    },
    async stop(id, reason) {
      const task = await find(id, null);
      await stop(task, { status: 'stopped', why: asReason('It was stopped by the user', reason) });
      return factsOf(task, clock);
    },
    async close() {
      ending.abort();
      await Promise.all(launches);
      const why = 'It was stopped, because the session ended.';
      await Promise.all(runs().map((task) => stop(task, { status: 'stopped', why })));
    },
  };
}

function hookFields(id: string, { description, agent }: TaskRequest): Readonly<Record<string, unknown>> {
  const prompt = agent?.prompt === undefined ? {} : { task_description: agent.prompt };
  return { task_id: id, task_subject: description, ...prompt };
}

function asReason(what: string, reason: string | undefined): string {
  const why = reason?.trim() ?? '';
  return why === '' ? `${what}.` : `${what}: ${why}`;
}

function tooMany(running: readonly Task[], most: number): string {
  const list = running.map(({ id, request }) => `${id} (${request.description})`).join(', ');
  return `${count(most, 'background task')} may run at the same time, and that many do: ${list}. Nothing was started; stop one with TaskStop, or wait for one.`;
}

function factsOf(task: Task, { monotonic }: Pick<HostClock, 'monotonic'>): TaskFacts {
  const { id, request, program, startedAt, endedAt, exit, stopped } = task;
  const status = statusOf(task);
  return {
    id,
    kind: request.agent === undefined ? 'command' : 'agent',
    description: request.description,
    report: exit?.report ?? null,
    status,
    exitCode: stopped === null ? (exit?.exitCode ?? null) : null,
    reason: endedAt === null ? null : (stopped?.why ?? null),
    notes: exit?.notes ?? [],
    runsMs: (endedAt ?? monotonic()) - startedAt,
    outputFile: program.outputFile,
  };
}

function statusOf({ endedAt, exit, stopped }: Task): TaskStatus {
  if (endedAt === null) return 'running';
  if (stopped !== null) return stopped.status;
  return exit?.exitCode === 0 ? 'completed' : 'failed';
}

function updated(task: Task, { now }: Pick<HostClock, 'now'>): MessageDraft {
  const status = statusOf(task);
  const ended = status === 'stopped' ? ('killed' as const) : status;
  const why = task.stopped?.why;
  const patch = { status: ended, end_time: now(), ...(why === undefined ? {} : { error: why }) };
  return { type: 'system', subtype: 'task_updated', task_id: task.id, run_id: task.runId, patch };
}

function notification(task: Task, facts: TaskFacts): MessageDraft {
  const { status } = facts;
  return {
    type: 'system',
    subtype: 'task_notification',
    task_id: task.id,
    run_id: task.runId,
    tool_use_id: task.request.toolUseId,
    status: status === 'running' ? 'completed' : status,
    output_file: facts.outputFile ?? '',
    summary: [`${task.request.description}: ${describeTask(facts)}.`, ...reasonOf(facts), ...facts.notes].join(' '),
  };
}
