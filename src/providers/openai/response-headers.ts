// What the headers of an OpenAI-shaped response say: its name, and how long to wait. Rule: a wait that is not said is null.
import type { HostClock } from '../../host/host.js';
import type { ModelErrorKind } from '../../protocol/errors.js';
import { cleanText, durationMs, MAX_REQUEST_ID, type ReadHeader, retryAfterMs, sumOfUnits } from '../http/index.js';

const ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id', 'x-generation-id', 'cf-ray'] as const;
const LIMITS = ['requests', 'tokens'] as const;

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

/** "Please try again in 1.5s", or Google's `"retryDelay": "34s"`. */
function waitInText(text: string): number | null {
  const match = /(?:try again in|retry in|"retryDelay"\s*:\s*")\s*((?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+)/i.exec(text);
  return match?.[1] === undefined ? null : sumOfUnits(match[1]);
}
