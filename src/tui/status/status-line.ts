// What runs, above the draft, and what the session is, below it: the state and a moment in, lines out. The branch is read as git
// has written it down; no program is run.

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { oneLine } from '../../view/escape-text.js';
import { formatDuration } from '../../view/figures.js';
import type { State, Todo } from '../state.js';
import type { Theme } from '../theme.js';

/** Todos that are drawn above the draft. */
const TODOS = 6;
/** Queued prompts that are drawn. */
const QUEUED = 4;
const SPIN = ['◐', '◓', '◑', '◒'];

/** Todos, the run, what is queued. @param asks a question waits for the person */
export function activityLines(state: State, now: number, columns: number, theme: Theme, asks = false): string[] {
  const lines: string[] = [];
  if (state.todos.some(({ status }) => status !== 'completed'))
    lines.push(...todoRows(state.todos, columns, theme), '');
  const { run } = state;
  if (run !== null) {
    const seconds = Math.max(0, Math.floor((now - run.since) / 1_000));
    const spin = theme.reducedMotion ? '●' : (SPIN[seconds % SPIN.length] ?? '●');
    const tokens = run.outputTokens < 1 ? '' : ` · ${shortCount(run.outputTokens)} tokens`;
    const what = run.stopping ? 'Stopping' : asks ? 'Waiting for you' : run.doing;
    const time = formatDuration(seconds * 1_000).replace('.0 s', ' s');
    // While something is asked, Esc answers that.
    const hint = run.stopping || asks ? '' : ' · Esc interrupts';
    const room = columns - what.length - 3;
    const facts = [time + tokens + hint, time + hint, time].find((text) => text.length <= room) ?? time;
    lines.push(`${theme.paint(spin, 'accent')} ${what} ${theme.paint(facts, 'dim')}`);
  }
  const background = state.tasks.filter((task) => task.background);
  if (background.length > 0)
    lines.push(
      theme.paint(
        `${background.length} in the background: ${oneLine(background.map((task) => task.description).join(', '), Math.max(8, columns - 24))}`,
        'dim',
      ),
    );
  for (const { text, priority } of state.queue.slice(0, QUEUED)) {
    const when = priority === 'next' ? 'next step' : 'later';
    lines.push(theme.paint(`↳ ${when}: ${oneLine(text, Math.max(8, columns - 16))}`, 'dim'));
  }
  const left = state.queue.length - QUEUED;
  if (left > 0) lines.push(theme.paint(`  and ${left} more`, 'dim'));
  return lines;
}

/** Model, mode, branch, context, cost: what fits, the most telling first. */
export function statusLine({ session }: State, draftMode: string | null, columns: number, theme: Theme): string {
  const parts = [
    ...(draftMode === null ? [] : [draftMode]),
    ...(session.mode === 'default' ? [] : [session.mode]),
    ...(session.model === null ? [] : [session.model]),
    ...(session.branch === null ? [] : [session.branch]),
    ...(session.contextUsed === null ? [] : [`context ${Math.round(session.contextUsed * 100)} %`]),
    ...(session.costUsd === 0 && !session.costUnknown ? [] : [costText(session.costUsd, session.costUnknown)]),
  ].map((part) => oneLine(part, 40));
  while (parts.length > 1 && parts.join(' · ').length > columns - 2) parts.pop();
  return theme.paint(oneLine(parts.join(' · '), Math.max(1, columns - 2)), 'dim');
}

function todoRows(todos: readonly Todo[], columns: number, theme: Theme): string[] {
  const room = Math.max(8, columns - 6);
  const open = todos.filter(({ status }) => status !== 'completed');
  const done = todos.length - open.length;
  const shown = open.slice(0, TODOS);
  const rows = shown.map(({ content, status, activeForm }) =>
    status === 'in_progress'
      ? theme.paint(`[~] ${oneLine(activeForm ?? content, room)}`, 'strong')
      : theme.paint(`[ ] ${oneLine(content, room)}`, 'dim'),
  );
  const rest = [
    ...(done > 0 ? [`${done} done`] : []),
    ...(open.length > shown.length ? [`${open.length - shown.length} more`] : []),
  ];
  return rest.length === 0 ? rows : [...rows, theme.paint(`    ${rest.join(', ')}`, 'dim')];
}

function shortCount(n: number): string {
  return n < 1_000 ? String(Math.round(n)) : `${(n / 1_000).toFixed(1)}k`;
}

function costText(usd: number, isUnknown: boolean): string {
  return `${isUnknown ? 'over ' : ''}$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** A file of git's that says one line is no longer, characters. */
const LONGEST = 1_000;

/** Null if there is no repository, or it is on none. */
export async function readBranch(cwd: string): Promise<string | null> {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const place = path.join(folder, '.git');
    const kind = await stat(place).catch(() => null); // not here: further up
    if (kind !== null) return branchIn(kind.isDirectory() ? place : await linkedFolder(place));
    if (path.dirname(folder) === folder) return null;
  }
}

/** Of a worktree, `.git` is a file that names the folder. */
async function linkedFolder(file: string): Promise<string | null> {
  const [, folder] = /^gitdir: (.+)/.exec(await readLine(file)) ?? [];
  return folder === undefined ? null : path.resolve(path.dirname(file), folder.trim());
}

async function branchIn(folder: string | null): Promise<string | null> {
  if (folder === null) return null;
  const head = await readLine(path.join(folder, 'HEAD'));
  const [, branch] = /^ref: refs\/heads\/(.+)/.exec(head) ?? [];
  return branch?.trim() ?? /^[\da-f]{7,}/.exec(head)?.[0].slice(0, 7) ?? null;
}

async function readLine(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => ''); // then there is nothing to show
  return text.slice(0, LONGEST).split('\n', 1)[0] ?? '';
}
