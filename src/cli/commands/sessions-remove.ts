// `turnwright sessions rm` and `gc`: what deletes. It says what it did, and asks a person before a session goes.
import { ConfigError } from '../../protocol/errors.js';
import type { SDKSessionInfo } from '../../protocol/session-store.js';
import type { CleanSessionsResult } from '../../sdk/sessions/index.js';
import { cleanSessions, deleteSession, getSessionInfo } from '../../sdk/sessions.js';
import { count, formatBytes } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { oneLine } from '../../view/tool-title.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { createLineReader } from '../lines/index.js';
import { timeAgo } from './session-table.js';
import type { SessionsRun } from './sessions-run.js';

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
