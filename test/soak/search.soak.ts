// Glob and Grep beside ripgrep itself, in the same run: how much they add, in time and memory.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { globTool, grepTool } from '../../src/tools/search.js';
import { recordFigure } from '../support/figures.js';
import { sharedFolder } from '../support/shared-folder.js';
import { createToolContext } from '../support/tool-context.js';

const RUNS = 15;
const ADDED_MS = 15;
const RATIO = 1.3;
const MEMORY_MB = 64;

let root: string;

/** `folders` of 100 small files each, one in fifty with the word. */
function fill(below: string, folders: number): void {
  for (let folder = 0; folder < folders; folder++) {
    const path = join(root, below, `f${folder % 20}`, `g${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 100; file++)
      writeFileSync(
        join(path, `file${file}.ts`),
        file % 50 === 0 ? `const needle = ${file};\n` : `const x = ${file};\n`,
      );
  }
}

beforeAll(() => {
  root = sharedFolder('search');
  execFileSync('git', ['init', '-q', root]);
  writeFileSync(join(root, '.gitignore'), 'ignored/\n');
  fill('src', 200);
});

afterAll(() => {
  execFileSync('rm', ['-rf', root]);
});

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Medians, milliseconds; run in turn, so that a slow moment falls upon all. */
async function compare() {
  const context = createToolContext({ cwd: root });
  // As a session does: what watches over its programs is started once, not for each call.
  const release = context.host.exec.hold?.();
  const rg = (...args: string[]) =>
    execFileSync(rgPath, args, { cwd: root, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'pipe'] });
  const work = {
    files: () => rg('--files'),
    glob: () => globTool.run({ pattern: '**/*.ts' }, { ...context, toolUseId: 'a' }),
    search: () => rg('-l', 'needle'),
    grep: () => grepTool.run({ pattern: 'needle' }, { ...context, toolUseId: 'b' }),
  };
  const times: Record<keyof typeof work, number[]> = { files: [], glob: [], search: [], grep: [] };
  const names = Object.keys(work) as (keyof typeof work)[];
  for (const name of names) await work[name]();
  const before = process.resourceUsage().maxRSS;
  for (let run = 0; run < RUNS; run++) for (const name of names) times[name].push(await timed(work[name]));
  release?.();
  const extraMb = (process.resourceUsage().maxRSS - before) / 1_024;
  return {
    files: median(times.files),
    glob: median(times.glob),
    search: median(times.search),
    grep: median(times.grep),
    extraMb,
  };
}

it('adds little to ripgrep over 20,000 files', async () => {
  const { files, glob, search, grep, extraMb } = await compare();
  recordFigure('search', '20,000 files: rg --files, rg -l', `${files.toFixed(0)}, ${search.toFixed(0)}`, 'ms');
  recordFigure('search', '20,000 files: Glob, Grep', `${glob.toFixed(0)}, ${grep.toFixed(0)}`, 'ms');
  recordFigure('search', '20,000 files: memory on top', extraMb.toFixed(0), 'MB');
  expect({ glob: glob - files <= ADDED_MS, grep: grep - search <= ADDED_MS, memory: extraMb <= MEMORY_MB }).toEqual({
    glob: true,
    grep: true,
    memory: true,
  });
});

it('adds little to ripgrep over 100,000 files of which 70,000 are ignored', async () => {
  fill('more', 100);
  fill('ignored', 700);
  const { files, glob, search, grep, extraMb } = await compare();
  recordFigure('search', '100,000 files, 70,000 ignored: Glob beside rg --files', (glob / files).toFixed(2), 'times');
  recordFigure('search', '100,000 files, 70,000 ignored: Grep beside rg -l', (grep / search).toFixed(2), 'times');
  recordFigure('search', '100,000 files, 70,000 ignored: memory on top', extraMb.toFixed(0), 'MB');
  expect({ glob: glob <= files * RATIO, grep: grep <= search * RATIO, memory: extraMb <= MEMORY_MB }).toEqual({
    glob: true,
    grep: true,
    memory: true,
  });
});
