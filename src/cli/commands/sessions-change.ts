// `turnwright sessions rm`, `gc` and `rewind`: what changes stored sessions. Each says what it did, and a person is asked
// before a session goes.

import { ConfigError } from '../../protocol/errors.js';
import type { RewindResult, RewindScope } from '../../protocol/rewind.js';
import type { SDKSessionInfo } from '../../protocol/session-store.js';
import type { CleanSessionsResult, SessionFunctionOptions, SessionRewindPoint } from '../../sdk/sessions/index.js';
import { cleanSessions, deleteSession, getSessionInfo, listRewindPoints, rewindSession } from '../../sdk/sessions.js';
import { count, formatBytes } from '../../util/text.js';
import { escapeHidden, oneLine } from '../../view/escape-text.js';
import { displayWidth } from '../../view/width.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS, errorLine } from '../exit-codes.js';
import { createLineReader, paint, type Style } from '../lines/index.js';
import type { CommandWords } from './read-words.js';
import { timeAgo } from './session-views.js';

export interface SessionsRun {
  readonly io: CliIo;
  readonly words: CommandWords;
  readonly style: Style;
  /** Where to look: the folder of `--dir`, else everywhere. */
  readonly options: SessionFunctionOptions;
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };
const DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7 };
/** Removed things that are listed one by one. */
const MAX_LISTED = 200;

/**
 * @returns the exit code: a failure if a person said no
 * @throws ConfigError if nobody can be asked and `--yes` is not given; SessionError
 */
export async function remove({ io, words, options }: SessionsRun, sessionId: string): Promise<number> {
  const info = await getSessionInfo(sessionId, options);
  const isJson = words.has('json');
  if (!words.has('yes') && !(await isConfirmed(io, sessionId, info))) {
    if (isJson) await io.out.write(`${JSON.stringify({ sessionId, deleted: false })}\n`);
    await io.err.write('Nothing was deleted.\n');
    return EXIT_FAILURE;
  }
  await deleteSession(sessionId, { ...options, force: words.has('force') });
  if (isJson) await io.out.write(`${JSON.stringify({ sessionId, deleted: true })}\n`);
  else await io.err.write(`Deleted session ${sessionId}.\n`);
  return EXIT_SUCCESS;
}

async function isConfirmed(io: CliIo, sessionId: string, info: SDKSessionInfo | undefined): Promise<boolean> {
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) {
    throw new ConfigError('a session is deleted for good, and nobody can be asked here. Add --yes.');
  }
  const title = info === undefined ? '' : ` "${oneLine(info.summary, 60)}"`;
  const reader = createLineReader(io.stdin);
  try {
    const ask = () => io.err.write(`Delete session ${sessionId}${title} and all that belongs to it, for good? [y/N] `);
    const given = (await reader.readAnswer(ask, io.lifetime.signal))?.trim().toLowerCase();
    return given === 'y' || given === 'yes';
  } finally {
    reader.close();
  }
}

/**
 * @returns the exit code: a failure if something should have gone and could not
 * @throws ConfigError for an age or a size that is none
 */
export async function collect({ io, words }: SessionsRun): Promise<number> {
  const [age, size] = [words.value('older-than'), words.value('max-bytes')];
  const dryRun = words.has('dry-run');
  const result = await cleanSessions({
    dryRun,
    signal: io.lifetime.signal,
    ...(age === undefined ? {} : { olderThanDays: toDays(age) }),
    ...(size === undefined ? {} : { maxBytes: toBytes(size) }),
  });
  if (words.has('json')) await io.out.write(`${JSON.stringify({ dryRun, ...result })}\n`);
  else await io.out.write(`${reportLines(result, dryRun, Date.now()).join('\n')}\n`);
  return result.kept.length === 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

function toDays(value: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})(h|d|w)$/i.exec(value) ?? [];
  const days = amount === undefined ? 0 : Number(amount) * (DAYS[unit.toLowerCase()] ?? 0);
  if (days > 0) return days;
  throw new ConfigError(`--older-than needs an age such as 12h, 30d or 8w, not ${JSON.stringify(value.slice(0, 60))}.`);
}

function toBytes(value: string): number {
  const [, amount, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmgt]?b)$/i.exec(value) ?? [];
  const bytes = amount === undefined ? 0 : Math.floor(Number(amount) * (UNITS[unit.toLowerCase()] ?? 0));
  if (bytes > 0) return bytes;
  throw new ConfigError(`--max-bytes needs a size such as 500MB or 5GB, not ${JSON.stringify(value.slice(0, 60))}.`);
}

const NOUNS = {
  session: ['session', 'sessions'],
  folder: ['folder without a session', 'folders without a session'],
  blob: ['blob', 'blobs'],
  lock: ['lock', 'locks'],
  temporary: ['temporary file', 'temporary files'],
} as const;

/** What was done, for people. */
export function reportLines(
  { removed, kept, remainingBytes }: CleanSessionsResult,
  dryRun: boolean,
  now: number,
): string[] {
  const lines = removed.slice(0, MAX_LISTED).map(({ kind, path, bytes, lastModified }) => {
    const age = lastModified === undefined ? '' : `, ${timeAgo(lastModified, now)}`;
    return `${dryRun ? 'would delete' : 'deleted'} ${NOUNS[kind][0]} ${escapeHidden(path)} (${formatBytes(bytes)}${age})`;
  });
  if (removed.length > MAX_LISTED) lines.push(`… and ${removed.length - MAX_LISTED} more`);
  for (const { path, reason } of kept.slice(0, MAX_LISTED))
    lines.push(`kept ${escapeHidden(path)}: ${escapeHidden(reason).replace(/\n/g, ' ')}`);
  const bytes = removed.reduce((sum, item) => sum + item.bytes, 0);
  const parts = Object.entries(NOUNS).flatMap(([kind, [one, many]]) => {
    const n = removed.filter((item) => item.kind === kind).length;
    return n === 0 ? [] : [count(n, one, many)];
  });
  const what = parts.length === 0 ? 'nothing to delete' : `${parts.join(', ')}: ${formatBytes(bytes)}`;
  const rest = remainingBytes === null ? '' : `; ${formatBytes(remainingBytes)} of sessions left`;
  lines.push(`${dryRun && parts.length > 0 ? 'Would free' : parts.length > 0 ? 'Freed' : 'There was'} ${what}${rest}.`);
  return lines;
}

const SCOPES: readonly RewindScope[] = ['files', 'conversation', 'both'];
/** Behind a refusal of both. */
const ALONE = ' For that, add --conversation.';
/** Below a list with that sign. */
const NO_COPIES = '-: that prompt changed no file that a copy was kept of.';
const SHORT_ID = 8;
const LEAST_PREFIX = 4;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LEAST_PROMPT = 20;

/**
 * @param message the beginning of the id of a prompt, or an id; undefined to list them
 * @returns the exit code: a failure if something was left as it is
 * @throws ConfigError, SessionError
 */
export async function rewind(run: SessionsRun, sessionId: string, message: string | undefined): Promise<number> {
  const { io, words, options } = run;
  const scope = scopeOf(run);
  const dryRun = words.has('dry-run');
  const points = await listRewindPoints(sessionId, options);
  if (message === undefined) {
    if (scope !== undefined || dryRun) throw new ConfigError('say which message: without one, the list is shown.');
    if (words.has('json')) await io.out.write(`${JSON.stringify(points)}\n`);
    else if (points.length === 0) await io.err.write('No prompts.\n');
    else await showPoints(points, run);
    return EXIT_SUCCESS;
  }
  const uuid = pick(points, message);
  const result = await rewindSession(sessionId, uuid, {
    ...options,
    ...(scope === undefined ? {} : { scope }),
    dryRun,
  });
  if (words.has('json')) await io.out.write(`${JSON.stringify(result)}\n`);
  else if (result.status === 'rejected')
    await io.err.write(`${errorLine(new Error(result.error))}${scope === undefined ? ALONE : ''}\n`);
  else await io.out.write(`${rewindLines(result, sessionId, dryRun).join('\n')}\n`);
  return result.status === 'success' || result.status === 'ready' ? EXIT_SUCCESS : EXIT_FAILURE;
}

function scopeOf({ words }: SessionsRun): RewindScope | undefined {
  const [scope, other] = SCOPES.filter((name) => words.has(name));
  if (other === undefined) return scope;
  throw new ConfigError(`--${scope} and --${other} cannot be used together. Give one of them.`);
}

function columnsOf({ io, style }: SessionsRun): number {
  return io.stdout.isTTY === true ? style.columns : Number.MAX_SAFE_INTEGER / 32;
}

/** What is no beginning of a prompt's id may still be the id of a rewind, or of a message that was removed. */
function pick(points: readonly SessionRewindPoint[], given: string): string {
  const wanted = given.toLowerCase();
  if (points.some(({ uuid }) => uuid === given)) return given;
  const found = points.filter(({ uuid }) => uuid.toLowerCase().startsWith(wanted));
  const [first, ...others] = found;
  if (UUID.test(given)) return first?.uuid ?? given;
  if (given.length < LEAST_PREFIX)
    throw new ConfigError(`"${given}" is too short: give ${LEAST_PREFIX} characters of the message's id.`);
  if (first === undefined)
    throw new ConfigError(
      `there is no prompt whose id begins with "${given.slice(0, 60)}". Without one, all are listed.`,
    );
  if (others.length === 0) return first.uuid;
  throw new ConfigError(`${found.length} prompts have ids that begin with ${given}. Give more of it.`);
}

async function showPoints(points: readonly SessionRewindPoint[], run: SessionsRun): Promise<void> {
  const { io, style } = run;
  await io.out.write(`${pointLines(points, columnsOf(run), style, Date.now()).join('\n')}\n`);
  if (points.every(({ filesChanged }) => filesChanged !== null)) return;
  await io.err.write(`${NO_COPIES}\n`);
}

/** One line a prompt, oldest first, under the names of the columns. */
export function pointLines(
  points: readonly SessionRewindPoint[],
  columns: number,
  style: Style,
  now: number,
): string[] {
  const rows = points.map(({ uuid, at, filesChanged }) => [
    uuid.slice(0, idLength(points)),
    at === undefined ? '' : timeAgo(at, now),
    filesChanged === null ? '-' : String(filesChanged.length),
  ]);
  const heads = ['ID', 'SENT', 'FILES'];
  const widths = heads.map((head, at) => Math.max(...[head, ...rows.map((row) => row[at] ?? '')].map(displayWidth)));
  const left = Math.max(LEAST_PROMPT, columns - widths.reduce((sum, width) => sum + width + 2, 0));
  const line = (cells: readonly string[], prompt: string) => {
    const padded = cells.map((cell, at) => {
      const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - displayWidth(cell)));
      return at === 2 ? space + cell : cell + space;
    });
    return [...padded, prompt].join('  ').trimEnd();
  };
  return [
    paint(line(heads, 'PROMPT'), 'dim', style),
    ...points.map(({ prompt }, at) => line(rows[at] ?? [], oneLine(prompt, left))),
  ];
}

function idLength(points: readonly SessionRewindPoint[]): number {
  for (let length = SHORT_ID; length < 36; length++) {
    if (new Set(points.map(({ uuid }) => uuid.slice(0, length))).size === points.length) return length;
  }
  return 36;
}

/** What was done, or would be, for people. */
export function rewindLines(result: RewindResult, sessionId: string, dryRun: boolean): string[] {
  const { scope, removedMessageIds, filesChanged, insertions = 0, deletions = 0, failedFiles = [], files } = result;
  const lines: string[] = [];
  if (scope !== 'files') {
    const removed = count(removedMessageIds?.length ?? 0, 'message');
    lines.push(dryRun ? `Would take ${removed} out of the conversation.` : `Took ${removed} out of the conversation.`);
  }
  if (filesChanged !== undefined) {
    const changed = `${count(filesChanged.length, 'file')} (+${insertions} -${deletions} lines)`;
    lines.push(dryRun ? `Would set back ${changed}.` : `Set back ${changed}.`);
    lines.push(...filesChanged.map((file) => `  ${escapeHidden(file)}`));
  }
  const notes = [...failedFiles.map(({ error }) => error), ...(files?.notCovered ?? []).map(({ message }) => message)];
  lines.push(...notes.map((note) => `Note: ${escapeHidden(note)}`));
  if (result.error !== undefined) lines.push(escapeHidden(result.error));
  if (result.rewindId !== undefined) {
    lines.push(`To take it back: turnwright sessions rewind ${sessionId} ${result.rewindId} --${scope}`);
  }
  return lines;
}
