// What the headers of an OpenAI-shaped response say: its name, and how long to wait. Rule: a wait that is not said is null.
import type { HostClock } from '../../host/host.js';
import type { ModelErrorKind } from '../../protocol/errors.js';
import { cleanText, MAX_REQUEST_ID, retryAfterMs } from '../failed-response.js';
import type { ReadHeader } from '../http-exchange.js';

const ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id', 'x-generation-id', 'cf-ray'] as const;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LIMITS = ['requests', 'tokens'] as const;
/** Numbers larger than this are points in time, milliseconds since 1970. */
const FIRST_DATE_MS = 1_000_000_000_000;

/** The name the server gives the request; null where it gives none. */
export function requestIdOf(header: ReadHeader, secrets: readonly string[]): string | null {
  for (const name of ID_HEADERS) {
    const id = header(name);
    if (id !== null && id !== '') return cleanText(id, secrets).slice(0, MAX_REQUEST_ID);
  }
  return null;
}

/**
 * The wait a failed response asks for, milliseconds: `retry-after`, else for a limit of rate the reset of the limit that
 * is used up, else what its text says.
 * @param clock null where there are no headers to read
 */
export function waitOf(
  header: ReadHeader,
  kind: ModelErrorKind,
  text: string,
  clock: Pick<HostClock, 'now'> | null,
): number | null {
  const asked = clock === null ? null : retryAfterMs(header, clock);
  if (asked !== null) return asked;
  if (kind !== 'rate_limit' && kind !== 'quota') return null;
  return (clock === null ? null : resetMs(header, clock)) ?? waitInText(text);
}

/** The reset of the limits that are used up; where none says so, the latest of all. */
function resetMs(header: ReadHeader, clock: Pick<HostClock, 'now'>): number | null {
  const resets = LIMITS.map((limit) => ({
    ms: durationMs(header(`x-ratelimit-reset-${limit}`), clock),
    isUsedUp: Number(header(`x-ratelimit-remaining-${limit}`) ?? Number.NaN) === 0,
  }));
  const plain = { ms: durationMs(header('x-ratelimit-reset'), clock), isUsedUp: false };
  const usedUp = resets.filter(({ isUsedUp }) => isUsedUp);
  const known = (usedUp.length > 0 ? usedUp : [...resets, plain]).flatMap(({ ms }) => (ms === null ? [] : [ms]));
  return known.length === 0 ? null : Math.max(...known);
}

/** `1s`, `6m0s`, `120ms`, plain seconds, or a point in time in seconds or milliseconds. */
function durationMs(text: string | null, clock: Pick<HostClock, 'now'>): number | null {
  if (text === null) return null;
  const plain = Number(text);
  if (text.trim() !== '' && Number.isFinite(plain)) {
    if (plain >= FIRST_DATE_MS) return Math.max(0, plain - clock.now());
    if (plain * 1_000 >= FIRST_DATE_MS) return Math.max(0, plain * 1_000 - clock.now());
    return plain < 0 ? null : plain * 1_000;
  }
  return /^\s*(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/.test(text) ? sumOfUnits(text) : null;
}

/** "Please try again in 1.5s", or Google's `"retryDelay": "34s"`. */
function waitInText(text: string): number | null {
  const match = /(?:try again in|retry in|"retryDelay"\s*:\s*")\s*((?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+)/i.exec(text);
  return match?.[1] === undefined ? null : sumOfUnits(match[1]);
}

function sumOfUnits(text: string): number {
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return Math.ceil(sum);
}
