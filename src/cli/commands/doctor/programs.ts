// Programs on the PATH: whether they are there, and what they say of themselves.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Place } from './finding.js';

const ANSWER_MS = 3_000;
const MOST_OUTPUT = 4_000;

/** Absolute; null if there is none that may be run. */
export async function findProgram(name: string, { host, cwd }: Pick<Place, 'host' | 'cwd'>): Promise<string | null> {
  const folders = name.includes('/') ? [cwd] : (host.env['PATH'] ?? '').split(path.delimiter).filter(path.isAbsolute);
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
