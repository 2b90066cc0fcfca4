// Clears away what nobody needs any more.
import { ConfigError } from '../../protocol/errors.js';
import { collectGarbage, type GarbageReport } from '../../session/store/index.js';
import type { CleanSessionsOptions } from '../session-options.js';
import { contextOf } from './context.js';

/** What was removed, what should have been and could not, and what is left. */
export type CleanSessionsResult = GarbageReport;

const DAY_MS = 24 * 60 * 60_000;

/** Contract: as in `sdk/sessions.ts`. */
export async function cleanSessions(options: CleanSessionsOptions): Promise<CleanSessionsResult> {
  const { olderThanDays, maxBytes, dryRun = false, signal } = options;
  const { host, home } = contextOf(options);
  return collectGarbage(host, home, {
    dryRun,
    ...(signal === undefined ? {} : { signal }),
    ...(olderThanDays === undefined
      ? {}
      : { olderThan: host.clock.now() - checkAmount('olderThanDays', olderThanDays) * DAY_MS }),
    ...(maxBytes === undefined ? {} : { maxBytes: checkAmount('maxBytes', maxBytes) }),
  });
}

/** A slip here deletes sessions, so nothing is guessed. */
function checkAmount(name: string, value: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new ConfigError(`${name} is ${String(value)}. Give a number above 0.`);
}
