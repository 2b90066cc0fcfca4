// File tools beside a process that does nothing but swap folders and files for links that lead out of the workspace.
// What comes out is counted: content and names from outside that a result shows, and anything that changed outside.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { query } from '../../src/sdk/query.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { notebookText } from './notebooks.js';
import { createRandom, type Random } from './soak/random.js';

export interface RaceFigures {
  calls: number;
  /** Calls that did what they were asked for. */
  done: number;
  /** Calls that were refused because something else stood there by then. */
  stale: number;
  /** Calls about a path that led outside when they were decided about. */
  denied: number;
  /** Times that a name was swapped. */
  swaps: number;
  /** Results with something from outside, and what was changed outside: one line each. */
  readonly out: string[];
  /** Files written aside that were left behind. */
  readonly left: string[];
}

/** Stands outside and nowhere else; no call names it. */
const CANARY = 'CANARY-4f1d';
const OUTSIDE_NAME = 'only-outside.txt';
const PATTERN = 'CANA.Y|inside';
const CALLS_A_TURN = 40;
const CALLS_A_SESSION = 800;
const LEAST_SWAPS_A_TURN = 300;
const PAIRS = [
  ['dir', 'dir.other'],
  ['deep/er', 'deep/er.other'],
  ['files/a.txt', 'files/a.other'],
  ['files/pipe.txt', 'files/pipe.other'],
  ['new', 'new.other'],
] as const;

/** RENAME_EXCHANGE, as fast as it can; if there is no perl, three renames for each. */
const PERL = `my ($number, $count, @names) = @ARGV; my $swaps = 0; $| = 1;
for (;;) {
  for (my $i = 0; $i < @names; $i += 2) {
    my ($a, $b) = ($names[$i], $names[$i + 1]);
    syscall($number, -100, $a, -100, $b, 2) == 0 and $swaps++;
  }
  if ($swaps % 1000 < 5) { open(my $out, '>>', $count); print $out "$swaps\\n"; close($out); }
}`;
const NODE = `const { renameSync, appendFileSync } = require('node:fs'); const [count, ...names] = process.argv.slice(1);
for (let swaps = 0; ; ) {
  for (let i = 0; i < names.length; i += 2) {
    const [a, b] = [names[i], names[i + 1]];
    try { renameSync(a, a + '.t'); renameSync(b, a); renameSync(a + '.t', b); swaps++; } catch {}
  }
  if (swaps % 1000 < 5) appendFileSync(count, swaps + '\\n');
}`;
const EXCHANGE: Readonly<Record<string, string>> = { x64: '316', arm64: '276' };

interface Field {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
}

/** @param isSandboxed the swapping process is a command of the session, in its sandbox; else a process beside it */
export async function raceLinks(calls: number, seed: number, isSandboxed: boolean): Promise<RaceFigures> {
  const figures: RaceFigures = { calls: 0, done: 0, stale: 0, denied: 0, swaps: 0, out: [], left: [] };
  const random = createRandom(seed);
  while (figures.calls < calls) {
    const base = await realpath(await mkdtemp('/var/tmp/tw-race-'));
    try {
      const field = layOut(base);
      await raceOnce(field, Math.min(CALLS_A_SESSION, calls - figures.calls), random, isSandboxed, figures);
    } finally {
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  return figures;
}

/** Each pair is a folder or file of the workspace and a link to one outside, alike but for what they hold. */
function layOut(base: string): Field {
  const field = { base, workspace: path.join(base, 'ws'), outside: path.join(base, 'outside') };
  const { workspace, outside } = field;
  const put = (file: string, content: string): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  for (const folder of ['dir', 'deep/er', 'files', 'new']) {
    for (const [top, word] of [
      [workspace, 'inside'],
      [outside, CANARY],
    ] as const) {
      put(path.join(top, folder, 'a.txt'), `${word} A B\n`);
      put(path.join(top, folder, 'below/b.txt'), `${word} A B\n`);
      put(
        path.join(top, folder, 'n.ipynb'),
        notebookText([{ cell_type: 'raw', id: 'one', metadata: {}, source: word }]),
      );
      if (top === outside) put(path.join(top, folder, OUTSIDE_NAME), CANARY);
    }
  }
  put(path.join(workspace, 'files/pipe.txt'), 'inside A B\n');
  symlinkSync(path.join(outside, 'dir'), path.join(workspace, 'dir.other'));
  symlinkSync(path.join(outside, 'deep/er'), path.join(workspace, 'deep/er.other'));
  symlinkSync(path.join(outside, 'files/a.txt'), path.join(workspace, 'files/a.other'));
  symlinkSync('/dev/zero', path.join(workspace, 'files/pipe.other'));
  symlinkSync(path.join(outside, 'new'), path.join(workspace, 'new.other'));
  return field;
}

async function raceOnce(
  field: Field,
  calls: number,
  random: Random,
  isSandboxed: boolean,
  figures: RaceFigures,
): Promise<void> {
  const before = await picture(field.outside);
  const count = path.join(field.workspace, 'swaps');
  const command = swapCommand(count);
  const swapper = isSandboxed
    ? null
    : spawn(command[0] ?? '', command.slice(1), { cwd: field.workspace, stdio: 'ignore' });
  try {
    const messages = await runCalls(field, calls, random, isSandboxed ? command : null, count);
    for (const result of resultsOf(messages).slice(isSandboxed ? 1 : 0)) take(result, figures);
  } finally {
    await ended(swapper);
  }
  figures.swaps += swapsIn(count);
  for (const [file, was] of Object.entries({ ...before, ...(await picture(field.outside)) }))
    if (before[file] !== was || before[file] === undefined) figures.out.push(`changed outside: ${file}`);
  for (const name of await readdir(field.base, { recursive: true }))
    if (/\.turnwright-.*\.tmp$/.test(name)) figures.left.push(name);
}

function swapCommand(count: string): readonly string[] {
  const names = PAIRS.flat();
  const number = EXCHANGE[process.arch];
  if (number !== undefined && process.platform === 'linux' && existsSync('/usr/bin/perl'))
    return ['/usr/bin/perl', '-e', PERL, number, count, ...names];
  return [process.execPath, '-e', NODE, count, ...names];
}

async function runCalls(
  { base, workspace }: Field,
  calls: number,
  random: Random,
  background: readonly string[] | null,
  count: string,
): Promise<SDKMessage[]> {
  const hasGoneOn = progressIn(count);
  const turns = Array.from({ length: Math.ceil(calls / CALLS_A_TURN) }, (_, turn) => () => ({
    blocks: Array.from({ length: Math.min(CALLS_A_TURN, calls - turn * CALLS_A_TURN) }, (__, index) =>
      chooseCall(workspace, random, turn * CALLS_A_TURN + index),
    ),
    waitFor: hasGoneOn(),
  }));
  const start = { command: quoted(background ?? []), run_in_background: true };
  const model = scriptedModel([...(background === null ? [] : [toolCall('Bash', start)]), ...turns, text('done')]);
  const messages: SDKMessage[] = [];
  const run = query({
    prompt: 'go',
    options: {
      provider: model,
      cwd: workspace,
      permissionMode: 'acceptEdits',
      sandbox: { enabled: background !== null },
      env: { TURNWRIGHT_HOME: path.join(base, 'home') },
      settingSources: [],
      limits: { backgroundWaitMs: 0 },
    },
  });
  for await (const message of run) messages.push(message);
  model.assertDone();
  return messages;
}

function chooseCall(workspace: string, random: Random, number: number) {
  const folder = random.pick(['dir', 'deep/er', 'files', 'new']);
  const file = path.join(workspace, folder, random.pick(['a.txt', 'below/b.txt', 'a.txt']));
  const notebook = path.join(workspace, folder, 'n.ipynb');
  const within = random.pick([workspace, path.join(workspace, folder), path.join(workspace, 'deep')]);
  const [from, to] = random.chance(0.5) ? ['A', 'B'] : ['B', 'A'];
  const mode = random.pick(['content', 'files_with_matches', 'count'] as const);
  // Inside there is none of it: a single name would tell what a file outside holds.
  const pattern = mode === 'content' ? PATTERN : 'CANA.Y';
  return random.pick([
    () => toolCall('Read', { file_path: file }),
    () => toolCall('Read', { file_path: random.pick([notebook, path.join(workspace, 'files/pipe.txt')]) }),
    () => toolCall('Read', { file_path: path.join(workspace, folder, 'only-outsid.txt') }),
    () => toolCall('Write', { file_path: file, content: `inside A B ${number}\n` }),
    () => toolCall('Write', { file_path: path.join(workspace, folder, `made-${number}/x/y.txt`), content: 'inside' }),
    () => toolCall('Write', { file_path: path.join(workspace, folder, `new-${number}.txt`), content: 'inside A' }),
    () => toolCall('Edit', { file_path: file, old_string: from, new_string: to, replace_all: true }),
    () => toolCall('Edit', { file_path: file, old_string: from, new_string: `${to}${number}`, replace_all: true }),
    () => toolCall('NotebookEdit', { notebook_path: notebook, cell_id: 'one', new_source: `inside ${number}` }),
    () => toolCall('Glob', { pattern: random.pick(['**/*.txt', '*', '**/below/*']), path: within }),
    () => toolCall('Grep', { pattern, path: within, output_mode: mode, context: number % 2 }),
    () => toolCall('Grep', { pattern, path: file, output_mode: mode }),
  ])();
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

/** Waits until names were swapped anew since it last did: so long as the swapping process stands still, nothing is raced. */
function progressIn(file: string): () => Promise<void> {
  let before = 0;
  return async () => {
    while (swapsIn(file) < before + LEAST_SWAPS_A_TURN) await new Promise((resolve) => setTimeout(resolve, 10));
    before = swapsIn(file);
  };
}

/** So far; the last line may be torn. */
function swapsIn(file: string): number {
  if (!existsSync(file)) return 0;
  return Math.max(0, ...readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number));
}

function resultsOf(messages: readonly SDKMessage[]): readonly { readonly text: string; readonly isError: boolean }[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result'
        ? [{ text: JSON.stringify([block.content, message.tool_use_result]), isError: block.is_error === true }]
        : [],
    );
  });
}

function take({ text: result, isError }: { readonly text: string; readonly isError: boolean }, figures: RaceFigures) {
  figures.calls += 1;
  if (!isError) figures.done += 1;
  else if (result.includes('something else stands there')) figures.stale += 1;
  else if (/permission|not allowed|denied/i.test(result)) figures.denied += 1;
  const shows = (word: string) => result.includes(word);
  if (shows(CANARY) || shows(OUTSIDE_NAME)) figures.out.push(`shown: ${result.slice(0, 300)}`);
  // Without lines, a name of the workspace beside that pattern says what a file outside holds.
  else if (/(?:a|b|new-\d+)\.txt(?::\d+)?(?:\\n|")/.test(result) && shows('"matchCount"') && !shows('inside'))
    figures.out.push(`told: ${result.slice(0, 300)}`);
}

async function ended(swapper: ChildProcess | null): Promise<void> {
  if (swapper === null || swapper.exitCode !== null) return;
  const exit = new Promise((resolve) => swapper.once('exit', resolve));
  swapper.kill('SIGKILL');
  await exit;
}

/** Everything below a folder: content and time of change. */
async function picture(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const file = path.join(folder, name);
    const stats = await stat(file);
    found[name] = stats.isFile() ? `${stats.ctimeMs} ${await readFile(file, 'utf8')}` : `${stats.ctimeMs}`;
  }
  return found;
}
