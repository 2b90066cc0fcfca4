// Programs that stay, such as servers: their input is a pipe, their output is read as it comes. The same guarantees as a
// run: a group of its own, and nothing of it alive once it ended.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { OpenOptions, ProcessEnd, RunningProcess } from '../host.js';
import {
  type Child,
  type Exit,
  endRun,
  type FedChild,
  followOutput,
  type OrphanWatch,
  type OutputFollower,
  type RunIdentity,
  startProgram,
  waitForExit,
  withinTime,
} from '../processes/index.js';

/** A program that is told that nothing more comes has this long to end by itself. */
const EOF_GRACE_MS = 250;
/** From TERM to KILL. */
const TERM_GRACE_MS = 700;
/** How long a killed program may take to be reaped. */
const REAP_WAIT_MS = 300;
/** What it wrote last is read at most this long after it ended. */
const DRAIN_MS = 500;

/** As `HostExec.open`. */
export async function openProgram(options: OpenOptions, watch: OrphanWatch): Promise<RunningProcess> {
  const mark = randomUUID();
  const expected = watch.expect(mark);
  const child = await startProgram(options, mark, 'pipe').catch((error: unknown) => {
    expected.failed();
    throw error;
  });
  const { run, release } = expected.started(child.pid ?? 0);
  const output = followOutput(child, options);
  if (options.onStdoutEnd !== undefined) child.stdout.once('close', options.onStdoutEnd);
  // A program that ended does not read what was still on its way.
  child.stdin.on('error', () => undefined);
  return runningProgram({ child, run, output, exited: waitForExit(child), release });
}

interface Running {
  /** Its stdin may be closed from the start. */
  readonly child: Child | FedChild;
  readonly run: RunIdentity;
  readonly output: OutputFollower;
  readonly exited: Promise<Exit>;
  /** Nobody need watch over it any more. */
  release(): void;
}

/** A program that was started, for whoever has it from now on. */
export function runningProgram({ child, run, output, exited, release }: Running): RunningProcess {
  const ended = exited.then((exit) => finish(exit, run, output)).finally(release);
  return {
    write: (data) => writeTo(child, data),
    ended,
    endInput: () => void child.stdin?.end(),
    async stop({ inputMs = EOF_GRACE_MS, termMs = TERM_GRACE_MS } = {}) {
      child.stdin?.end();
      const atOnce = child.stdin === null ? null : await withinTime(exited, inputMs);
      if (atOnce === null) await endRun(run, termMs);
      const last = atOnce ?? (await withinTime(exited, REAP_WAIT_MS));
      if (last !== null) return ended;
      // The kernel holds it: nothing more can be done, and nobody waits for it.
      child.unref();
      output.stop();
      release();
      return { exitCode: null, signal: null };
    },
  };
}

async function finish(exit: Exit, run: RunIdentity, output: OutputFollower): Promise<ProcessEnd> {
  await output.drain(DRAIN_MS);
  const leftovers = await endRun(run, TERM_GRACE_MS);
  await output.drain(DRAIN_MS);
  output.stop();
  const exitCode = exit.code ?? 128 + (exit.signal === null ? 0 : constants.signals[exit.signal]);
  return { exitCode, signal: exit.signal, ...(leftovers > 0 && { leftovers }) };
}

function writeTo({ stdin }: Child | FedChild, data: string): Promise<boolean> {
  if (stdin?.writable !== true) return Promise.resolve(false);
  return new Promise((resolve) => void stdin.write(data, (error) => resolve(error == null)));
}
