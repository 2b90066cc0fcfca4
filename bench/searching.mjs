// How long Glob and Grep hold up everything else in the process: the most work between two turns of the event loop while
// one call runs over a large tree, as CPU time, which a busy machine does not add to. Beside it the same search by ripgrep alone, whose output is thrown away.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rgPath } from '@vscode/ripgrep';
import { alternate, besideBare } from './figures.mjs';

const FOLDERS = 100;
const FILES_EACH = 300;
const CALLS = [
  ['Glob', { pattern: '**/*.txt' }, ['--files', '--hidden']],
  ['Grep', { pattern: 'word', output_mode: 'content' }, ['--line-number', 'word']],
];

/** @returns a row a tool */
export async function measureSearching(bench) {
  const load = (name) => import(pathToFileURL(join(bench.dist, name)).href);
  const [sdk, kit] = await Promise.all([load('index.js'), load('testing.js')]);
  const cwd = makeTree();
  try {
    const rows = [];
    for (const [tool, input, words] of CALLS) {
      const runs = await alternate(bench, ['ours', 'bare'], (who) =>
        longestStretch(() => (who === 'ours' ? runTool(sdk, kit, cwd, tool, input) : runAlone(cwd, words))),
      );
      const files = (FOLDERS * FILES_EACH).toLocaleString('en');
      const measure = `${tool} over ${files} files, most CPU time between turns of the event loop`;
      rows.push(besideBare(measure, 'ms', runs.ours, runs.bare, 5));
    }
    return rows;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function makeTree() {
  const root = mkdtempSync('/var/tmp/turnwright-bench-');
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(root, `folder-${folder}`));
    for (let file = 0; file < FILES_EACH; file++)
      writeFileSync(join(root, `folder-${folder}`, `file-${file}.txt`), `a word in file ${file}\n`);
  }
  return root;
}

/** Milliseconds of all threads; the session is opened before, because only the call counts. */
async function longestStretch(prepare) {
  const run = await prepare();
  let longest = 0;
  let last = cpuMs();
  let isOver = false;
  const tick = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await run();
  isOver = true;
  return Math.max(longest, cpuMs() - last);
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A session up to its second call; the first one loads what the second uses. */
async function runTool({ query }, { scriptedModel, text, toolCall }, cwd, tool, input) {
  const steps = [toolCall(tool, { pattern: 'nothing-such' }), toolCall(tool, input), text('done')];
  const options = { cwd, provider: scriptedModel(steps), persistSession: false, settingSources: [] };
  const messages = query({ prompt: 'go', options })[Symbol.asyncIterator]();
  const until = async (type) => {
    for (;;) {
      const { value, done } = await messages.next();
      if (done) throw new Error(`The session ended before its ${type}.`);
      if (value.type === 'result' && value.is_error) throw new Error(`The session failed: ${value.errors}`);
      if (value.type === type) return value;
    }
  };
  await until('user');
  await until('assistant');
  return async () => {
    const { message } = await until('user');
    if (message.content[0].is_error) throw new Error(`${tool} failed: ${JSON.stringify(message.content)}`);
    await messages.return();
  };
}

async function runAlone(cwd, words) {
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(rgPath, [...words, './'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.on('data', () => undefined);
      child.on('error', reject);
      child.on('close', resolve);
    });
}
