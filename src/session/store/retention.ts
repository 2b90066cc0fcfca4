// Old sessions go, where the host said after how many days: beside the first prompt, at most once a day for a home.
// Nothing is deleted unless somebody asked for it.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { formatBytes } from '../../util/format-bytes.js';
import { count, errorText } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import { collectGarbage } from './collect-garbage.js';

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
