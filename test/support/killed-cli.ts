// A command line that is killed while what its model asked for runs.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, type toolCall } from '../../src/testing/model/script.js';
import { mockEnv, startCli } from '../e2e/run-cli.js';
import { findProcesses } from './process-scan.js';

/** After that nothing may live: less than what runs would take by itself, and enough for a machine that stands still for a while. */
const GONE_WITHIN_MS = 40_000;
const UP_WITHIN_MS = 60_000;

export interface KilledCli {
  /** What the model asks for. `up` puts into a script what says that it runs (`UP`). */
  readonly steps: (up: (script: string) => string) => readonly ReturnType<typeof toolCall>[];
  /** How many say that they run. Default 1. */
  readonly count?: number;
  readonly hooks?: (up: (script: string) => string) => Readonly<Record<string, unknown>>;
  readonly argv?: readonly string[];
  /** It is killed in the moment in which the first program of it runs, before it does anything else. */
  readonly atStart?: true;
}

/** Loaded before the command line: the call that starts a marked program does not return. */
const KILLS_AT_START = `
import child_process from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { spawn } = child_process;
child_process.spawn = (program, words, options) => {
  const child = spawn(program, words, options);
  if (options?.env?.TURNWRIGHT_RUN_ID === undefined || !words.join(' ').includes(process.env.PROBE)) return child;
  writeFileSync(process.env.STARTED_AT, String(child.pid));
  process.kill(process.pid, 'SIGKILL');
  for (;;);
};
syncBuiltinESMExports();
`;

/** @returns pids of what outlived it */
export async function checkKilled({
  steps,
  count = 1,
  hooks,
  argv = [],
  atStart,
}: KilledCli): Promise<readonly number[]> {
  const word = `probe-${randomUUID()}`;
  // Not below /tmp, which is a private folder inside of a sandbox.
  const base = argv.includes('--sandbox') ? '/var/tmp' : tmpdir();
  const folder = mkdtempSync(join(realpathSync(base), 'turnwright-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  let marks = 0;
  const up = (script: string): string => script.replace(/\bUP\b/g, () => `: > "${folder}/up-${marks++}-${word}"`);
  const provider = await startMockProvider({ steps: [...steps(up), text('done')] });
  onTestFinished(() => provider.close());
  const home = join(folder, 'home');
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, JSON.stringify(hooks === undefined ? {} : { hooks: hooks(up) }));
  const flags = ['-p', 'go', '--model', 'claude-sonnet-4-5', '--allowedTools', 'Bash', '--settings', settings, ...argv];
  const preload = join(folder, 'kills-at-start.mjs');
  writeFileSync(preload, KILLS_AT_START);
  const startedAt = join(folder, 'started');
  const env = {
    ...mockEnv(provider.url),
    TURNWRIGHT_HOME: home,
    HOME: folder,
    PROBE: word,
    STARTED_AT: startedAt,
    ...(atStart === true ? { NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` } : {}),
  };
  const run = startCli(flags, { cwd: folder, env });
  if (atStart === true) {
    const { code, stderr } = await run.ended;
    if (code !== 'SIGKILL' || !existsSync(startedAt)) throw new Error(`Nothing was started.\n${stderr}`);
  } else {
    const isUp = () => readdirSync(folder).filter((name) => name.startsWith('up-')).length >= count;
    for (let waited = 0; !isUp(); waited += 20) {
      if (waited > UP_WITHIN_MS || run.child.exitCode !== null) throw new Error(`Nothing ran.\n${run.output.stderr}`);
      await delay(20);
    }
    const before = findProcesses(word).filter((pid) => pid !== run.child.pid);
    if (before.length === 0) throw new Error('What runs cannot be found, so that it ended would show nothing.');
    run.child.kill('SIGKILL');
  }
  const end = performance.now() + GONE_WITHIN_MS;
  const left = () => findProcesses(word).filter((pid) => pid !== run.child.pid);
  while (left().length > 0 && performance.now() < end) await delay(20);
  const survivors = left();
  for (const pid of survivors) process.kill(pid, 'SIGKILL');
  return survivors;
}
