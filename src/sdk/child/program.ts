// The program behind a session in a child process: bytes in, bytes out, and how it ended. Either started here, or by a
// function of the host's. One rule: nothing of a program that was started here is alive once `stop` resolved.
import { type Host, isFileError, type RunningProcess } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SpawnOptions } from '../../protocol/options.js';
import { errorText } from '../../util/text.js';

/** From the end of its stdin to TERM, milliseconds. */
export const CLOSE_GRACE_MS = 2_000;
/** From TERM to KILL. A program that writes its transcript in that time does so. */
const TERM_MS = 5_000;

/** How it ended. */
export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** It failed without ending by itself, as a spawner of the host's may tell. */
  readonly error?: unknown;
}

export interface Program {
  /** Contract: never rejects; false if it does not take it any more. */
  write(data: string): Promise<boolean>;
  /** Nothing more comes on its stdin. */
  endInput(): void;
  /** Settles once it ended and what it wrote was given. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Contract: may be called again; resolves once it is gone. */
  stop(): Promise<void>;
}

export interface ProgramListeners {
  onStdout(chunk: Uint8Array): void;
  onStdoutEnd(): void;
  onStderr(chunk: Uint8Array): void;
  /** As `RunOptions.pause`. */
  pause(): Promise<void> | null;
}

/** What is started. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly closeGraceMs: number;
}

/** @throws ConfigError if it cannot be started */
export async function startProgram(start: ProgramStart, host: Host, listeners: ProgramListeners): Promise<Program> {
  const { command, args, cwd, env, closeGraceMs } = start;
  let running: RunningProcess;
  try {
    running = await host.exec.open({
      command: [command, ...args],
      cwd,
      env,
      onStdout: listeners.onStdout,
      onStdoutEnd: listeners.onStdoutEnd,
      onStderr: listeners.onStderr,
      pause: listeners.pause,
    });
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The session cannot run in a child process: ${error.message}`, { cause: error });
  }
  return {
    write: (data) => running.write(data),
    endInput: () => running.endInput(),
    ended: running.ended,
    stop: async () => void (await running.stop({ inputMs: closeGraceMs, termMs: TERM_MS })),
  };
}

/** The parts of Node's streams and child processes that spawners of published SDKs give. */
interface Emitter {
  on(event: string, listener: (...given: never[]) => void): unknown;
}
interface WritableEnd extends Emitter {
  write(data: string, done: (error?: unknown) => void): unknown;
  end(): unknown;
}
interface ReadableEnd extends Emitter {
  pause?(): unknown;
  resume?(): unknown;
}
interface Spawned extends Emitter {
  readonly stdin: WritableEnd;
  readonly stdout: ReadableEnd;
  readonly stderr?: ReadableEnd | null;
  readonly exitCode: number | null;
  readonly signalCode?: string | null;
  kill(signal: string): boolean;
}

/**
 * A program that a function of the host's starts, as the published SDKs have them.
 * @throws ConfigError if the function throws, or gives something else
 */
export function adoptProgram(
  name: string,
  spawn: (options: SpawnOptions) => unknown,
  start: ProgramStart,
  host: Host,
  listeners: ProgramListeners,
): Program {
  const ending = new AbortController();
  const { command, args, cwd, env, closeGraceMs } = start;
  let spawned: Spawned;
  try {
    spawned = checkSpawned(name, spawn({ command, args: [...args], cwd, env: { ...env }, signal: ending.signal }));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${name} threw instead of starting a process: ${errorText(error)}`, { cause: error });
  }
  const { stdin, stdout, stderr } = spawned;
  let isOpen = true;
  stdin.on('error', () => {
    isOpen = false;
  });
  follow(stdout, listeners.onStdout, listeners.pause);
  if (stderr != null) follow(stderr, listeners.onStderr, () => null);
  const ended = new Promise<ProgramEnd>((resolve) => {
    const settle = (end: ProgramEnd) => {
      isOpen = false;
      resolve(end);
    };
    // What it wrote last may come after its exit.
    const read = new Promise<void>((done) => {
      stdout.on('close', done);
      stdout.on('end', done);
    });
    void read.then(listeners.onStdoutEnd);
    const afterOutput = (end: ProgramEnd) => {
      const cancel = host.clock.after(DRAIN_MS, () => settle(end));
      void read.then(() => {
        cancel();
        settle(end);
      });
    };
    spawned.on('exit', (exitCode: number | null, signal: string | null) => afterOutput({ exitCode, signal }));
    spawned.on('error', (error: unknown) => settle({ exitCode: null, signal: null, error }));
    if (spawned.exitCode !== null) afterOutput({ exitCode: spawned.exitCode, signal: spawned.signalCode ?? null });
  });
  const endInput = () => {
    if (isOpen) stdin.end();
    isOpen = false;
  };
  let stopping: Promise<void> | null = null;
  const stop = async () => {
    endInput();
    if (await endsWithin(ended, closeGraceMs, host)) return;
    spawned.kill('SIGTERM');
    if (await endsWithin(ended, TERM_MS, host)) return;
    spawned.kill('SIGKILL');
    await endsWithin(ended, DRAIN_MS, host);
  };
  return {
    write: (data) =>
      isOpen ? new Promise((resolve) => void stdin.write(data, (error) => resolve(error == null))) : NOT_TAKEN,
    endInput,
    ended,
    stop() {
      stopping ??= stop().finally(() => ending.abort());
      return stopping;
    },
  };
}

const NOT_TAKEN = Promise.resolve(false);
/** What a program wrote last is read at most this long after it ended, milliseconds. */
const DRAIN_MS = 500;

function checkSpawned(name: string, spawned: unknown): Spawned {
  const { stdin, stdout, kill, on } = (spawned ?? {}) as Partial<Spawned>;
  const isProcess = typeof stdin?.write === 'function' && typeof stdout?.on === 'function';
  if (isProcess && typeof kill === 'function' && typeof on === 'function') return spawned as Spawned;
  throw new ConfigError(
    `${name} must give a process at once: an object with stdin, stdout, kill() and on(), as spawn() of node:child_process does with pipes.`,
  );
}

function follow(stream: ReadableEnd, onChunk: (chunk: Uint8Array) => void, pause: ProgramListeners['pause']): void {
  const encoder = new TextEncoder();
  stream.on('data', (chunk: Uint8Array | string) => {
    onChunk(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
    const wait = pause();
    if (wait === null) return;
    stream.pause?.();
    void wait.then(() => stream.resume?.());
  });
  stream.on('error', () => undefined); // its end follows
}

async function endsWithin(ended: Promise<ProgramEnd>, ms: number, { clock }: Host): Promise<boolean> {
  let cancel = (): void => undefined;
  const late = new Promise<false>((resolve) => {
    cancel = clock.after(ms, () => resolve(false));
  });
  const isEnded = await Promise.race([ended.then(() => true), late]);
  cancel();
  return isEnded;
}
