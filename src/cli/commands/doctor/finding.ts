// What is found by a look at one part of a set-up, the words to make it with, and programs on the PATH: whether they are
// there, and what they say of themselves.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Host } from '../../../host/host.js';
import type { CliIo } from '../../cli-io.js';

/** `warning`: it works, and perhaps not as it is meant. `problem`: something does not work. */
export type Level = 'ok' | 'warning' | 'problem';

export interface Finding {
  readonly level: Level;
  /** A sentence. */
  readonly text: string;
  /** What to do. */
  readonly advice?: string;
}

export interface Place {
  readonly host: Host;
  /** Absolute. */
  readonly cwd: string;
  readonly io: CliIo;
  /** Everything is listed, however much there is. */
  readonly isWhole?: boolean;
  /** Somebody asked for a look over the network. */
  readonly isOnline: boolean;
}

export interface Part {
  /** For programs. */
  readonly name: string;
  readonly title: string;
  /** Contract: stops what it started when `signal` is aborted. What it throws becomes a finding. */
  look(place: Place, signal: AbortSignal): Promise<readonly Finding[]>;
}

export interface LookedAt extends Pick<Part, 'name' | 'title'> {
  readonly findings: readonly Finding[];
}

export function ok(text: string): Finding {
  return { level: 'ok', text };
}

export function warning(text: string, advice?: string): Finding {
  return { level: 'warning', text, ...(advice === undefined ? {} : { advice }) };
}

export function problem(text: string, advice?: string): Finding {
  return { level: 'problem', text, ...(advice === undefined ? {} : { advice }) };
}

/** Findings of one kind that are told one by one; of the others how many there are. */
const MOST = 12;

/** The first of many, and how many more there are. */
export function firstOf(findings: readonly Finding[], more: string): Finding[] {
  if (findings.length <= MOST) return [...findings];
  return [...findings.slice(0, MOST), warning(`${findings.length - MOST} more like these.`, more)];
}

const ANSWER_MS = 3_000;
const MOST_OUTPUT = 4_000;

/** Absolute; null if there is none that may be run. */
export async function findProgram(
  name: string,
  { host, cwd }: Pick<Place, 'host' | 'cwd'>,
  search = host.env['PATH'] ?? '',
): Promise<string | null> {
  const folders = name.includes('/') ? [cwd] : search.split(path.delimiter).filter(path.isAbsolute);
  for (const folder of folders) {
    const file = path.resolve(folder, name);
    if (await isProgram(file)) return file;
  }
  return null;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}

/** What it prints; null if it did not end well. @throws FileError if it cannot be started */
export async function outputOf(
  command: readonly string[],
  { host }: Pick<Place, 'host'>,
  signal: AbortSignal,
): Promise<string | null> {
  let printed = '';
  const { exitCode } = await host.exec.run({
    command,
    cwd: host.platform.tmpdir,
    env: { PATH: host.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    signal,
    timeoutMs: ANSWER_MS,
    onStdout: (chunk) => {
      if (printed.length < MOST_OUTPUT) printed += new TextDecoder().decode(chunk);
    },
    onStderr: () => undefined,
  });
  return exitCode === 0 ? printed : null;
}

/** Those of the names that a shell would not find, builtins among what it knows. @throws FileError without a shell */
export async function unknownToShell(names: readonly string[], place: Place, signal: AbortSignal): Promise<string[]> {
  if (names.length === 0) return [];
  const script = 'for name; do command -v -- "$name" >/dev/null 2>&1 || printf "%s\\n" "$name"; done';
  const { host, cwd } = place;
  let printed = '';
  await host.exec.run({
    command: ['/bin/sh', '-c', script, 'sh', ...names],
    cwd,
    env: { PATH: host.env['PATH'] ?? '/usr/bin:/bin' },
    signal,
    timeoutMs: ANSWER_MS,
    onStdout: (chunk) => {
      printed += new TextDecoder().decode(chunk);
    },
    onStderr: () => undefined,
  });
  return printed.split('\n').filter((name) => name !== '');
}
