// A shell command that goes on after its call, and what moves one there: a person, a limit, or a wait for an answer that nobody can
// give. It starts as any other: secrets, sandbox, environment. One rule: the model is told why, and nothing of it is lost.
import path from 'node:path';
import { type HostClock, type HostFs, isFileError, type RunningProcess } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { BashInput, BashOutput } from '../../protocol/tool-io.js';
import type { SandboxViolation, WrappedCommand } from '../../sandbox/command-sandbox.js';
import type { HiddenStream } from '../../secrets/secret-vault.js';
import { createHeadTailBuffer } from '../../util/head-tail-buffer.js';
import { count, shorten } from '../../util/text.js';
import type { TaskExit, TaskPlace, TaskProgram } from '../background-tasks.js';
import { MAX_BACKGROUND_MS, MAX_SHOWN_BYTES } from '../bash.js';
import { putIntoCommand } from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import {
  type CommandOutput,
  createSpool,
  receiveAll,
  receiveHidden,
  renderOutput,
  type ShownOutput,
} from './command-output.js';
import { confine, NOT_REMOTE, sandboxNotes } from './shell.js';

const MAX_DESCRIPTION = 80;
/** Of what was written to a program before may so much wait to be read, characters, that it takes more. */
const MAX_UNREAD = 256 * 1024;

/** @throws ToolError if it cannot be started */
export async function startInBackground(input: BashInput, context: ToolContext): Promise<ToolOutcome<BashOutput>> {
  if (context.openTasks === undefined) {
    throw new ToolError(
      'Nothing can run in the background here, so nothing was run. Run the command in the foreground, with a timeout.',
    );
  }
  const tasks = await context.openTasks();
  const description = shorten((input.description ?? input.command).replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION);
  const request = { toolUseId: context.toolUseId, description, timeoutMs: chooseTimeout(input.timeout) };
  const task = await tasks.start(request, (place) => launch(input, context, place));
  const model = [
    `Started in the background as task ${task.id}.`,
    task.outputFile === null
      ? 'TaskOutput shows its output.'
      : `Its output: TaskOutput, or the file ${task.outputFile}.`,
    'You are told when it ends; TaskStop stops it.',
    ...folderHint(input, context),
  ].join(' ');
  const [hint] = folderHint(input, context);
  const moved = hint === undefined ? {} : { backgroundCwdHint: hint };
  return { model, data: { stdout: '', stderr: '', exitCode: 0, backgroundTaskId: task.id, ...moved } };
}

function folderHint({ command }: BashInput, { cwd }: ToolContext): readonly string[] {
  if (!/(?:^|[\s;&|(){}])(?:cd|pushd|popd)(?![\w-])/.test(command)) return [];
  return [`The working directory stays ${cwd}: a command in the background changes none of the session.`];
}

interface MovedCommand {
  readonly input: BashInput;
  readonly context: ToolContext;
  readonly wrapped: WrappedCommand;
  readonly output: CommandOutput;
  readonly rest: RunningProcess | undefined;
  readonly by: MovedBy | null;
  readonly timeoutMs: number;
}

/** A command that runs goes on as a task. @throws ToolError if that cannot be, and then it was stopped */
export async function goOnInBackground(moved: MovedCommand): Promise<ToolOutcome<BashOutput>> {
  const { input, context, wrapped, output, rest, by, timeoutMs } = moved;
  if (rest === undefined || context.openTasks === undefined)
    throw new ToolError('The command ended in a way that is not known.');
  const description = shorten((input.description ?? input.command).replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION);
  let shown: ShownOutput | null = null;
  try {
    const tasks = await context.openTasks();
    const task = await tasks.start({ toolUseId: context.toolUseId, description }, async ({ id }) => {
      const { fs, clock } = context.host;
      const file = context.spoolDirectory === null ? null : path.join(context.spoolDirectory, `task-${id}.txt`);
      const live = openLiveOutput({ fs, clock, file, hidden: null });
      shown = await output.handOver(live.add);
      live.add(renderOutput(shown));
      if (renderOutput(shown) !== '') live.add('\n');
      live.take();
      await live.begun;
      return movedProgram(moved, rest, live, file);
    });
    const so = shown ?? { stdout: '', stderr: '', file: null };
    const printed = renderOutput(so);
    const model = [
      `Goes on in the background as task ${task.id}. ${WHY[by ?? 'user'](timeoutMs)}`,
      task.outputFile === null
        ? 'TaskOutput shows its output.'
        : `Its output: TaskOutput, or the file ${task.outputFile}.`,
      'You are told when it ends; TaskStop stops it. The working directory stays as it is.',
      printed === '' ? 'It printed nothing so far.' : `It printed so far:\n${printed}`,
    ].join(' ');
    const { stdout, stderr } = so;
    const data: BashOutput = {
      stdout,
      stderr,
      exitCode: 0,
      backgroundTaskId: task.id,
      ...folderHint(input, context).map((backgroundCwdHint) => ({ backgroundCwdHint }))[0],
      ...(by === 'user' && { backgroundedByUser: true }),
      ...(by === 'timeout' && { timedOutAfterMs: timeoutMs }),
    };
    return { model, data };
  } catch (error) {
    await rest.stop();
    await wrapped.ended('');
    if (error instanceof ToolError)
      throw new ToolError(`The command was stopped, as it could not go on in the background. ${error.message}`);
    throw error;
  }
}

const WHY: Readonly<Record<MovedBy, (timeoutMs: number) => string>> = {
  user: () => 'The user moved it there.',
  timeout: (timeoutMs) => `It ran longer than ${timeoutMs} ms.`,
  time: () => 'It runs for long.',
  question: () =>
    'It seems to wait for an answer, which nobody can give: its stdin is closed. Stop it with TaskStop, and give the answer by a flag, a file or a pipe.',
};

function movedProgram(
  { input, context, wrapped, output }: MovedCommand,
  rest: RunningProcess,
  live: LiveOutput,
  outputFile: string | null,
): TaskProgram {
  const notesOf = (violations: readonly SandboxViolation[]) => sandboxNotes(input, context, violations);
  let stopped: () => void = () => undefined;
  const left = new Promise<null>((resolve) => {
    stopped = () => resolve(null);
  });
  const ended = Promise.race([rest.ended, left]).then(async (exit): Promise<TaskExit> => {
    await output.endReceiving();
    const missing = await live.finish();
    const violations = await wrapped.ended(live.last());
    return {
      exitCode: exit?.exitCode ?? null,
      notes: [...notesOf(violations), ...(missing === null ? [] : [missing])],
    };
  });
  return {
    outputFile,
    ended,
    async stop() {
      await rest.stop();
      stopped();
      await ended;
    },
    write: async () => false,
    takeOutput: () => live.take(),
    inspect: async () => notesOf((await wrapped.inspect?.()) ?? []),
  };
}

/** Absent: it may run as long as the session. */
function chooseTimeout(asked: number | undefined): number | undefined {
  return asked === undefined || !(asked > 0) ? undefined : Math.min(Math.ceil(asked), MAX_BACKGROUND_MS);
}

async function launch(input: BashInput, context: ToolContext, { id, signal }: TaskPlace): Promise<TaskProgram> {
  const ready = await putIntoCommand(input.command, context);
  const { fs, clock } = context.host;
  const file = context.spoolDirectory === null ? null : path.join(context.spoolDirectory, `task-${id}.txt`);
  const hidden = (await context.secrets?.open())?.stream ?? null;
  const wrapped = await confine(ready, context, signal);
  const output = openLiveOutput({ fs, clock, file, hidden });
  const program = await open(wrapped, context, output);
  // Who is told of the file finds one, also if nothing was printed yet.
  await output.begun;
  let unread = 0;
  let stopped: () => void = () => undefined;
  // A program that the kernel does not let go ends nowhere but here.
  const left = new Promise<null>((resolve) => {
    stopped = () => resolve(null);
  });
  const notesOf = (violations: readonly SandboxViolation[]) => sandboxNotes(input, context, violations);
  const ended = Promise.race([program.ended, left]).then(async (exit): Promise<TaskExit> => {
    const missing = await output.finish();
    const violations = await wrapped.ended(output.last());
    const leftovers = exit?.leftovers ?? 0;
    const notes = [
      ...(leftovers === 0
        ? []
        : [`[Terminated when the command ended: ${count(leftovers, 'process', 'processes')} it had left running.]`]),
      ...notesOf(violations),
      ...(missing === null ? [] : [missing]),
    ];
    return { exitCode: exit?.exitCode ?? null, notes };
  });
  return {
    outputFile: file,
    ended,
    async stop() {
      await program.stop();
      stopped();
      await ended;
    },
    async write(text) {
      // What a program does not read is bounded, however often it is written to.
      if (unread > 0 && unread + text.length > MAX_UNREAD) return false;
      unread += text.length;
      return program.write(text).finally(() => {
        unread -= text.length;
      });
    },
    takeOutput: () => output.take(),
    question: () => output.question(),
    inspect: async () => notesOf((await wrapped.inspect?.()) ?? []),
  };
}

async function open(
  wrapped: WrappedCommand,
  { cwd, host }: ToolContext,
  { onStdout, onStderr, pause, finish }: LiveOutput,
): Promise<RunningProcess> {
  const env = { ...wrapped.env, ...NOT_REMOTE };
  try {
    return await host.exec.open({ command: wrapped.command, cwd, env, onStdout, onStderr, pause });
  } catch (error) {
    await finish();
    await wrapped.ended('');
    if (isFileError(error)) throw new ToolError(`The command could not be started. ${error.message}`);
    throw error;
  }
}

// The output of a command that runs in the background: all of it to a file, and what is new to who asks. Rule: memory
// and the file are bounded, whatever the command prints and however long it runs.

/** The file takes as many characters. */
const MAX_FILE_CHARACTERS = 64 * 1024 * 1024;
/** A question is shown with so many characters. */
const MAX_QUESTION = 300;
/** A program that printed nothing for so long waits for something. */
const QUIET_MS = 150;
/** What is looked through for refusals, characters. */
const MAX_LAST = 32_000;
const encoder = new TextEncoder();

interface LiveOutput {
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  readonly pause: () => Promise<void> | null;
  /** Adds text that somebody else received, without secrets. */
  add(text: string): void;
  /** What came since the last call, both streams as they came. */
  take(): string;
  /** Settles once there is a file, or there will be none. Never rejects. */
  readonly begun: Promise<void>;
  /** The last of what came. */
  last(): string;
  /**
   * A line that has no end and that `take` does not give yet, such as a question: its last characters. Only if nothing
   * came for a moment: what is still on its way may make a secret of it.
   */
  question(): string;
  /** Ends the file. What of the output is not in it, a sentence; null if all is. Never rejects. */
  finish(): Promise<string | null>;
}

interface LiveOutputTargets {
  readonly fs: HostFs;
  readonly clock: Pick<HostClock, 'monotonic'>;
  /** Null if nothing may be written. */
  readonly file: string | null;
  /** Begins a stream that takes secrets out; null if they are left in. */
  readonly hidden: (() => HiddenStream) | null;
}

function openLiveOutput({ fs, clock, file, hidden }: LiveOutputTargets): LiveOutput {
  const spool = file === null ? null : createSpool(fs, file, MAX_FILE_CHARACTERS);
  const begun = spool?.begin() ?? Promise.resolve();
  let fresh = createHeadTailBuffer(MAX_SHOWN_BYTES);
  let last = '';
  const keep = (text: string): void => {
    if (text === '') return;
    fresh.append(encoder.encode(text));
    last = (last + text).slice(-MAX_LAST);
    spool?.write(text);
  };
  const receive = () => (hidden === null ? receiveAll(keep) : receiveHidden(hidden(), keep));
  let lastAt = clock.monotonic();
  const taking = (take: (chunk: Uint8Array) => void) => (chunk: Uint8Array) => {
    lastAt = clock.monotonic();
    take(chunk);
  };
  const out = receive();
  const err = receive();
  const where = file === null ? 'it was not saved' : `all of the output is in ${file}`;
  return {
    onStdout: taking(out.take),
    onStderr: taking(err.take),
    pause: () => out.room() ?? err.room() ?? spool?.room() ?? null,
    add: keep,
    take() {
      const { text } = fresh.render(MAX_SHOWN_BYTES, (bytes) => `[… ${bytes} bytes omitted; ${where} …]`);
      fresh = createHeadTailBuffer(MAX_SHOWN_BYTES);
      return text;
    },
    begun,
    last: () => last,
    question: () => (clock.monotonic() - lastAt < QUIET_MS ? '' : (out.line() || err.line()).slice(-MAX_QUESTION)),
    async finish() {
      await Promise.allSettled([out.end(), err.end()]);
      const state = (await spool?.finish()) ?? null;
      if (state === null) return null;
      if (state.failure !== null) return `Its output could not be written to the file: ${state.failure}`;
      return state.capped ? `The file has the first ${MAX_FILE_CHARACTERS} characters of its output.` : null;
    },
  };
}

/** `question`: it printed one and fell silent. */
type MovedBy = 'user' | 'timeout' | 'time' | 'question';

export interface CommandWatch {
  /** Aborted when the command must end: by the caller, or as it waits for somebody to type. */
  readonly signal: AbortSignal;
  /** Aborted when it is to go on without its call. */
  readonly release: AbortSignal;
  /** Milliseconds until it is stopped; 0: it is not. */
  readonly timeoutMs: number;
  readonly movedBy: MovedBy | null;
  /** The program that waits for somebody to type; null if none does. */
  readonly waiting: string | null;
  /** A program waits for somebody to type. */
  setWaiting(program: string): void;
  end(): void;
}

/** A question that stood for so long without an answer will get none. */
const SILENT_MS = 7_000;
const LOOK_MS = 1_000;
/** The ends of lines that ask a person: for a secret, a yes, a key. */
const ASKS =
  /(?:(?:password|passphrase|passcode|username|login|otp|pin)\b[^\n]{0,80}[:?]|[[(]\s*(?:y(?:es)?\s*\/\s*n(?:o)?)(?:\/[^\])]{0,40})?\s*[\])]\s*[:?]?|(?:press|hit|type) (?:any key|enter|return)[^\n]{0,60}|(?:continue|proceed|overwrite|are you sure)\b[^\n]{0,60}\?)\s*$/i;

export function watchCommand(
  { background, openTasks, signal, host: { clock } }: ToolContext,
  timeoutMs: number,
  { standsOn }: Pick<CommandOutput, 'standsOn'>,
): CommandWatch {
  const stop = new AbortController();
  const release = new AbortController();
  let movedBy: MovedBy | null = null;
  let waiting: string | null = null;
  const move = (by: MovedBy): void => {
    movedBy ??= by;
    release.abort();
  };
  const ends: (() => void)[] = [];
  const isStopped = background?.atTimeout !== true || openTasks === undefined;
  if (background !== undefined && openTasks !== undefined) {
    ends.push(background.listen(() => move('user')));
    if (background.afterMs !== null) ends.push(clock.after(background.afterMs, () => move('time')));
    if (!isStopped) ends.push(clock.after(timeoutMs, () => move('timeout')));
    let cancel: () => void = () => undefined;
    const look = (): void => {
      const { line, quietMs } = standsOn();
      if (quietMs >= SILENT_MS && ASKS.test(line)) move('question');
      else cancel = clock.after(LOOK_MS, look);
    };
    cancel = clock.after(LOOK_MS, look);
    ends.push(() => cancel());
  }
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    release: release.signal,
    timeoutMs: isStopped ? timeoutMs : 0,
    get movedBy() {
      return movedBy;
    },
    get waiting() {
      return waiting;
    },
    setWaiting(program) {
      waiting = program;
      stop.abort();
    },
    end() {
      for (const each of ends) each();
    },
  };
}
