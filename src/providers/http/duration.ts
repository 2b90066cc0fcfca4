// Times in headers and texts of model servers, as milliseconds from now.
import type { HostClock } from '../../host/host.js';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Numbers larger than this are points in time, milliseconds since 1970. */
const FIRST_DATE_MS = 1_000_000_000_000;

/** `1s`, `6m0s`, `120ms`, plain seconds, or a point in time: a date, or seconds or milliseconds since 1970. */
export function durationMs(text: string | null, clock: Pick<HostClock, 'now'>): number | null {
  if (text === null || text.trim() === '') return null;
  const plain = Number(text);
  if (Number.isFinite(plain)) {
    if (plain >= FIRST_DATE_MS) return Math.max(0, plain - clock.now());
    if (plain * 1_000 >= FIRST_DATE_MS) return Math.max(0, plain * 1_000 - clock.now());
    return plain < 0 ? null : plain * 1_000;
  }
  if (/^\s*(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/.test(text)) return sumOfUnits(text);
  const date = /\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(date) ? Math.max(0, date - clock.now()) : null;
}

/** Of a text such as `6m0s`, rounded up. */
export function sumOfUnits(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return Math.ceil(sum);
}
