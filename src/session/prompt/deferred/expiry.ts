// Until when a deferred call waits. One rule: a time that cannot be read is over.
import type { SDKDeferredToolUse } from '../../../protocol/messages.js';

/** When a call that is deferred now expires; nothing if it does not. */
export function expiryFrom(now: number, expiryMs: number | undefined): { readonly expires_at?: string } {
  return expiryMs === undefined ? {} : { expires_at: timeText(now + expiryMs) };
}

/** True if no decision about the call counts any more. A time that cannot be read is over. */
export function isExpired({ expires_at: end }: SDKDeferredToolUse, now: number): boolean {
  return end !== undefined && !(now < Date.parse(end));
}

/** What the session said when it was deferred and what this one says: the sooner counts. */
export function soonest(expiresAt: unknown, timestamp: unknown, expiryMs: number | undefined): { expires_at?: string } {
  const ends: number[] = [];
  if (expiresAt !== undefined) ends.push(timeOf(expiresAt));
  if (expiryMs !== undefined) ends.push(timeOf(timestamp) + expiryMs);
  return ends.length === 0 ? {} : { expires_at: timeText(Math.min(...ends)) };
}

function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** The last time that a date can be, milliseconds. */
const MAX_TIME = 8.64e15;

function timeText(time: number): string {
  return new Date(Math.min(time, MAX_TIME)).toISOString();
}
