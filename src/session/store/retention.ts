// Old sessions go, if the host said after how many days: beside the first prompt, at most once a day for a home.
// Nothing is deleted unless somebody asked for it.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { count, errorText, formatBytes } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import { collectGarbage } from './collect-garbage.js';
import { linesBackwards } from './line-reader.js';
import { END_BYTES } from './read-ends.js';
import type { AnnotationLine } from './transcript.js';

export interface RetentionOptions {
  readonly host: Host;
  readonly home: string;
  /** Days after which a session that was not written goes. */
  readonly days: number;
  readonly signal: AbortSignal;
  readonly log: (event: string, detail: unknown) => void;
}

const DAY_MS = 24 * 60 * 60_000;

/** What was deleted, to be told; null if nothing was. Contract: never throws. */
export async function deleteOldSessions(options: RetentionOptions): Promise<PendingNotice | null> {
  const { host, home, days, signal, log } = options;
  try {
    const mark = path.join(home, '.last-cleanup');
    if (!(await isDue(host, mark))) return null;
    const olderThan = host.clock.now() - days * DAY_MS;
    const { removed, kept } = await collectGarbage(host, home, { olderThan, dryRun: false, signal });
    // What was not done is done by the next session.
    if (signal.aborted) await host.fs.removeEntry(mark);
    for (const { path: left, reason } of kept) log('old_session_kept', { path: left, reason });
    const sessions = removed.filter(({ kind }) => kind === 'session');
    if (sessions.length === 0) return null;
    const bytes = removed.reduce((sum, item) => sum + item.bytes, 0);
    return {
      code: 'sessions_deleted',
      message: `${count(sessions.length, 'session')} not written for ${count(days, 'day')} ${sessions.length === 1 ? 'was' : 'were'} deleted (${formatBytes(bytes)}).`,
      remedy: 'The option cleanupPeriodDays says after how many days; without it nothing is deleted.',
    };
  } catch (error) {
    log('old_sessions_not_deleted', { reason: errorText(error) });
    return null;
  }
}

/** Once a day is enough. The mark is made first, so that two sessions that start together do not both look. */
async function isDue(host: Host, mark: string): Promise<boolean> {
  try {
    if (host.clock.now() - (await host.fs.stat(mark)).mtimeMs < DAY_MS) return false;
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
  await host.fs.writeFileAtomic(mark, '', { mode: 0o600 });
  return true;
}

// Title and tag of a session stand in the line in which somebody set them, and a list reads the ends of a file only. So
// when a long session ends, what has got out of reach is found once more, to be written behind it.

/** Bytes from the end of a transcript that are looked through: the work of many prompts, and a few milliseconds. */
const SEARCHED_BYTES = 8 * 1024 * 1024;
/** What is nearer to the end than this will stay in reach for some time. */
const NEAR_BYTES = END_BYTES / 2;
const PREFIX = '{"type":"';

type Kind = 'custom-title' | 'ai-title' | 'tag';

/**
 * The lines to write once more; none for a short transcript.
 * @param size bytes of the file
 * @throws FileError
 */
export async function linesOutOfReach(
  host: Pick<Host, 'fs'>,
  file: string,
  size: number,
): Promise<readonly AnnotationLine[]> {
  const source = await host.fs.openRead(file);
  const newest = new Map<Kind, { readonly at: number; readonly line: AnnotationLine }>();
  try {
    for await (const lines of linesBackwards(source, size)) {
      for (const { at, text } of lines) {
        const line = text?.startsWith(PREFIX) ? metadataIn(text) : null;
        if (line !== null && !newest.has(line.type)) newest.set(line.type, { at, line });
      }
      const searchedFrom = lines.at(-1)?.at ?? 0;
      if (newest.size === 3 || size - searchedFrom > SEARCHED_BYTES) break;
    }
  } finally {
    await source.close();
  }
  return [...newest.values()].filter(({ at }) => at < size - NEAR_BYTES).map(({ line }) => line);
}

function metadataIn(text: string): (AnnotationLine & { readonly type: Kind }) | null {
  let value: { type?: unknown; customTitle?: unknown; aiTitle?: unknown; tag?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    return null; // half of a line says nothing
  }
  const { type, customTitle, aiTitle, tag } = value;
  if (type === 'custom-title' && typeof customTitle === 'string') return { type, customTitle };
  if (type === 'ai-title' && typeof aiTitle === 'string') return { type, aiTitle };
  if (type === 'tag' && typeof tag === 'string') return { type, tag };
  return null;
}
