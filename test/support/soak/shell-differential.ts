// What bash really starts beside what the reading says. One rule: a program that ran was reported, or the answer was
// unknown.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { readCommand } from '../../../src/permissions/shell/read-command.js';
import { createRandom } from './random.js';
import { REAL, randomScript, STUBS } from './shell-scripts.js';

const BATCH = 400;
/** Where a script was started from a file, in a shell of its own that has no other programs than the stubs. */
const DRIVER = `ulimit -t 20 -f 2048 2>/dev/null
export FUNCNEST=3
while IFS= read -r TAG; do
  export TAG
  echo "$TAG" >&9
  ( set --; cd "$WORK" && . "$SCRIPTS/$TAG" ) </dev/null >/dev/null 2>&1
done
`;

export interface Difference {
  readonly script: string;
  readonly missing: readonly string[];
}

export interface Differential {
  readonly scripts: number;
  /** Scripts of which all was known. */
  known: number;
  /** Programs that started. */
  started: number;
  readonly differences: Difference[];
}

/** Runs generated scripts with stubs for programs, and holds what started against the reading. */
export async function compareWithBash(count: number, seed: number): Promise<Differential> {
  const random = createRandom(seed);
  const totals: Differential = { scripts: count, known: 0, started: 0, differences: [] };
  for (let done = 0; done < count; done += BATCH) {
    const scripts = Array.from({ length: Math.min(BATCH, count - done) }, () => randomScript(random));
    await runBatch(scripts, totals);
  }
  return totals;
}

/** The same for given scripts. */
export async function compareScripts(scripts: readonly string[]): Promise<Differential> {
  const totals: Differential = { scripts: scripts.length, known: 0, started: 0, differences: [] };
  await runBatch(scripts, totals);
  return totals;
}

async function runBatch(scripts: readonly string[], totals: Differential): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-shell-'));
  try {
    const started = await runScripts(folder, scripts);
    scripts.forEach((script, at) => {
      const { unknown, programs } = readCommand(script, { cwd: join(folder, 'work'), home: folder });
      const ran = started.get(at) ?? new Set<string>();
      totals.started += ran.size;
      if (unknown !== null) return;
      totals.known++;
      const named = new Set(programs.map(({ name }) => name));
      const missing = [...ran].filter((name) => !named.has(name));
      if (missing.length > 0) totals.differences.push({ script, missing });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @returns the programs that started, by the place of the script */
async function runScripts(folder: string, scripts: readonly string[]): Promise<Map<number, Set<string>>> {
  const [bin, work, sources] = ['bin', 'work', 'scripts'].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [bin, work, sources, join(work, 'd1')]) mkdirSync(path);
  writeFileSync(join(work, 'in1'), 'p7\np8 a\n');
  for (const [number, name] of STUBS.entries()) writeStub(join(bin, name), name, `exit ${number % 2}`);
  for (const name of REAL) {
    const real = ['/usr/bin', '/bin'].map((place) => join(place, name)).find((path) => existsSync(path));
    if (real !== undefined) writeStub(join(bin, name), name, `exec ${real} "$@"`);
  }
  scripts.forEach((script, at) => {
    writeFileSync(join(sources, String(at)), script);
  });
  const env = { PATH: bin, HOME: folder, WORK: work, SCRIPTS: sources, LC_ALL: 'C' };
  const started = new Map<number, Set<string>>();
  let from = 0;
  while (from < scripts.length) {
    const told = await runFrom(from, scripts.length, work, env);
    for (const line of told.split('\n')) {
      const [at, name] = line.split(' ');
      if (at === undefined || at === '') continue;
      from = Math.max(from, Number(at) + 1);
      if (name !== undefined) started.set(Number(at), (started.get(Number(at)) ?? new Set<string>()).add(name));
    }
  }
  return started;
}

/** How long nothing may be told. A script that waits for input of its own doing is left behind then. */
const STALL_MS = 5_000;

/** Runs the scripts from one on, as far as they do not stall. Returns the lines that were told. */
async function runFrom(from: number, to: number, cwd: string, env: Record<string, string>): Promise<string> {
  const child = spawn('/bin/bash', ['--norc', '--noprofile', '-c', DRIVER], {
    cwd,
    env,
    detached: true,
    // What is told comes until the last process that could tell something has ended.
    stdio: ['pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
  });
  const lines = Array.from({ length: to - from }, (_, at) => `${from + at}\n`);
  // It may be stopped before it has read all.
  child.stdin?.on('error', () => undefined).end(lines.join(''));
  const output = (child.stdio as readonly unknown[])[9] as Readable;
  return await new Promise<string>((resolve) => {
    const told: string[] = [];
    const stop = (): void => {
      if (child.pid !== undefined) killGroup(child.pid);
      output.destroy();
    };
    let timer = setTimeout(stop, STALL_MS);
    output.on('data', (chunk: Buffer) => {
      told.push(chunk.toString());
      clearTimeout(timer);
      timer = setTimeout(stop, STALL_MS);
    });
    output.on('close', () => {
      clearTimeout(timer);
      resolve(told.join(''));
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended already.
  }
}

function writeStub(path: string, name: string, then: string): void {
  writeFileSync(path, `#!/bin/sh\necho "$TAG ${name}" >&9\n${then}\n`);
  chmodSync(path, 0o755);
}
