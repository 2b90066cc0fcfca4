// Starts one program: a process group of its own, no terminal, and a mark in its environment by which what it starts is
// found. Rule: a failure to start is a FileError that says what to do.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { FileError, type RunOptions } from '../host.js';
import { RUN_MARK_VARIABLE } from './process-group.js';

export type Child = ChildProcessByStdio<null, Readable, Readable>;
/** Its stdin is a pipe. */
export type FedChild = ChildProcessByStdio<Writable, Readable, Readable>;
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };
type Program = Pick<RunOptions, 'command' | 'cwd' | 'env'>;

/** @throws FileError if it cannot be started */
export async function startProgram(options: Program, mark: string, stdin: 'ignore'): Promise<Child>;
export async function startProgram(options: Program, mark: string, stdin: 'pipe'): Promise<FedChild>;
export async function startProgram(
  options: Program,
  mark: string,
  stdin: 'ignore' | 'pipe',
): Promise<Child | FedChild> {
  const [program, ...rest] = options.command;
  if (!program)
    throw new FileError('EINVAL', '', 'No program was named; give its path as the first word of `command`.');
  const outer = options.env[RUN_MARK_VARIABLE];
  let child: Child | FedChild;
  try {
    child = spawn(program, rest, {
      cwd: options.cwd,
      env: { ...options.env, [RUN_MARK_VARIABLE]: outer ? `${outer},${mark}` : mark },
      stdio: [stdin, 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    }) as Child | FedChild;
  } catch (error) {
    throw startError(error, program, options.cwd);
  }
  const failure = new Promise<unknown>((resolve) => child.on('error', resolve));
  if (child.pid === undefined) throw startError(await failure, program, options.cwd);
  return child;
}

/** The system reports a missing working directory as a missing program; this tells them apart. */
function startError(cause: unknown, program: string, cwd: string): FileError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  const systemCode = cause instanceof Error && 'code' in cause ? String(cause.code) : 'EINVAL';
  const code = systemCode.startsWith('ERR_') ? 'EINVAL' : systemCode;
  const cwdCode = directoryProblem(cwd);
  if (cwdCode !== null) {
    return new FileError(cwdCode, cwd, `Cannot start in ${cwd}: ${cwdCode}. Choose a folder that exists.`, { cause });
  }
  const advice = code === 'ENOENT' ? 'Is it installed and on the PATH?' : 'Check the program and its arguments.';
  return new FileError(code, program, `Cannot start ${program}: ${detail}. ${advice}`, { cause });
}

function directoryProblem(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'ENOTDIR';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'ENOENT';
  }
}

export function waitForExit(child: Child | FedChild): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** The promise's value, or null if it takes longer than `ms`. */
export async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
