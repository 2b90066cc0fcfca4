// What a session does for the list of sessions, beside its own transcript: old ones go if that was asked for, and its
// title stays where a list finds it.
import type { LoopDeps } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import { sessionsHome } from './session-places.js';
import type { Transcript } from './transcript.js';

/** What deletes old sessions, if that was asked for. */
export interface Retention {
  /** Contract: begins the work at the first call, and waits for nothing. */
  start(): void;
  /** Contract: nothing is under way when this resolves, and what was deleted is among the notices. */
  finish(): Promise<void>;
}

/** How long a prompt's end waits for old sessions to be deleted. What is left then goes with the next session. */
const LONGEST_CLEANUP_MS = 1_500;

/** A list reads so much of the end of a transcript: in a shorter one nothing is out of reach. */
const LISTED_END_BYTES = 65_536;

/** Most sessions delete nothing, and those that do look once a day. */
export function openRetention(
  { cleanupPeriodDays: days }: QueryEngineConfig,
  host: Host,
  env: Readonly<Record<string, string | undefined>>,
  log: LoopDeps['log'],
  onNotice: (notice: PendingNotice) => void,
): Retention {
  const abort = new AbortController();
  let running: Promise<void> | null = null;
  const work = async (daysToKeep: number): Promise<void> => {
    const { deleteOldSessions } = await DOORS.store();
    const home = sessionsHome(host, env);
    const notice = await deleteOldSessions({ host, home, days: daysToKeep, signal: abort.signal, log });
    if (notice !== null) onNotice(notice);
  };
  return {
    start() {
      if (days !== undefined) running ??= work(days);
    },
    async finish() {
      if (running === null) return;
      const cancel = host.clock.after(LONGEST_CLEANUP_MS, () => abort.abort());
      await running;
      cancel();
    },
  };
}

/** A title set long ago is written once more, so that a list still finds it. */
export async function keepInReach(
  host: Host,
  transcript: Transcript,
  file: string,
  log: LoopDeps['log'],
): Promise<void> {
  try {
    const { size } = await host.fs.stat(file);
    if (size <= LISTED_END_BYTES) return;
    const { linesOutOfReach } = await DOORS.store();
    for (const line of await linesOutOfReach(host, file, size)) await transcript.annotate(line);
  } catch (error) {
    // A session of local commands has no transcript.
    if (!isFileError(error, 'ENOENT')) log('title_not_kept_in_reach', { error });
  }
}
