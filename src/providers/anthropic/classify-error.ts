// What a failed response of the Messages API (or of a gateway that speaks it) means, as a ModelError.
// Rule: a text says what happened and what to do, and never carries a key, control characters or a whole page.
import type { HostClock } from '../../host/host.js';
import { ModelError, type ModelErrorKind, type RefusedPart } from '../../protocol/errors.js';
import {
  describeFailure,
  isErrorBody,
  kindOfStatus,
  notAStream,
  type PlainResponse,
  type ReadHeader,
  type ReportedError,
  readReportedError,
  refineKind,
  requestIdOf,
  retryAfterMs,
} from '../http/index.js';

const KEY_ADVICE = 'Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or the key that "turnwright login" keeps.';

const KIND_BY_TYPE: ReadonlyMap<string, ModelErrorKind> = new Map([
  ['overloaded_error', 'overloaded'],
  ['rate_limit_error', 'rate_limit'],
  ['api_error', 'server'],
  ['timeout_error', 'timeout'],
  ['conflict_error', 'server'],
  ['authentication_error', 'authentication'],
  ['permission_error', 'permission'],
  ['billing_error', 'quota'],
  ['not_found_error', 'not_found'],
  ['request_too_large', 'request_too_large'],
  ['invalid_request_error', 'invalid_request'],
]);

/** The kind of an `error` event, which has a type and a text but no status. An unknown type is the server's fault. */
function kindOfEvent(error: ReportedError): ModelErrorKind {
  return refineKind(KIND_BY_TYPE.get(error.type ?? '') ?? 'server', error);
}

/** A response that is no stream: a failure status, or a 2xx whose body is something else. */
export function classifyResponse(
  response: PlainResponse,
  clock: Pick<HostClock, 'now'>,
  secrets: readonly string[],
): ModelError {
  const { status, header, text } = response;
  const error = readReportedError(text, secrets);
  const requestId = requestIdOf(header, secrets) ?? error.requestId;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && !isErrorBody(text)) return notAStream(status, header, error.message, requestId);
  const kind = isSuccess ? kindOfEvent(error) : kindOfStatus(status, error);
  const isLimit = kind === 'rate_limit' || kind === 'quota';
  const limit = isLimit ? readReachedLimit(header, clock) : null;
  const waitMs = retryAfterMs(header, clock) ?? limit?.resetMs ?? null;
  return new ModelError(kind, describeFailure(kind, `${status}`, error, KEY_ADVICE, waitMs), {
    status,
    requestId,
    retryAfterMs: waitMs,
    limitType: limit?.type ?? null,
    refused: kind === 'invalid_request' ? findRefusedPart(error.message) : null,
    ...(header('x-should-retry') === 'false' ? { retryable: false } : {}),
  });
}

/** An `error` event inside a stream. */
export function classifyEvent(data: string, secrets: readonly string[]): ModelError {
  const error = readReportedError(data, secrets);
  const kind = kindOfEvent(error);
  const refused = kind === 'invalid_request' ? findRefusedPart(error.message) : null;
  return new ModelError(kind, describeFailure(kind, 'in the stream', error, KEY_ADVICE), {
    requestId: error.requestId,
    refused,
  });
}

// What the headers of the Messages API say of limits. Rule: only a limit that is used up is waited for.

interface ReachedLimit {
  /** Milliseconds until the limit is reset; null if that is not said. */
  readonly resetMs: number | null;
  /** The server's name for it, such as `five_hour`. */
  readonly type: string | null;
}

const LIMITS = ['requests', 'tokens', 'input-tokens', 'output-tokens'] as const;
const PREFIX = 'anthropic-ratelimit';

function readReachedLimit(header: ReadHeader, clock: Pick<HostClock, 'now'>): ReachedLimit {
  if (header(`${PREFIX}-unified-status`) === 'rejected') {
    const type = header(`${PREFIX}-unified-representative-claim`);
    return { resetMs: until(header(`${PREFIX}-unified-reset`), clock), type: type?.slice(0, 60) ?? null };
  }
  const usedUp = LIMITS.filter((name) => header(`${PREFIX}-${name}-remaining`)?.trim() === '0');
  const resets = usedUp.flatMap((name) => until(header(`${PREFIX}-${name}-reset`), clock) ?? []);
  return { resetMs: resets.length === 0 ? null : Math.max(...resets), type: usedUp[0] ?? null };
}

/** A point in time, in seconds since 1970 or as a date. */
function until(text: string | null, clock: Pick<HostClock, 'now'>): number | null {
  if (text === null) return null;
  const at = /^\s*\d+\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
  return Number.isFinite(at) ? Math.max(0, at - clock.now()) : null;
}

// Which part of a request the API names as its reason to refuse it, read from its message. One rule: what is not named
// is not guessed; such a request fails as it is.

/** `output_config` also holds the effort, which has nothing to do with a schema. */
const SCHEMA = /output_config(?!\.effort)|output_format|output format|compiled grammar|structured output/i;
const EFFORT = /output_config\.effort|\beffort\b.*not support|not support.*\beffort\b/i;
const THINKING_MODE =
  /^thinking[.:]|\bthinking\.(?:type|budget_tokens|adaptive|enabled)|not support.*\bthinking\b|\bthinking\b.*not supported/i;
const THINKING = /\bthinking\b.*(?:signature|cannot be modified)|signature\b.*\bthinking\b/is;
const MEDIA = /\.(?:image|document|pdf)\b|process image|image (?:exceeds|dimensions)|\bPDFs?\b/i;
const PLACE = /messages\.(\d+)\.content\.(\d+)(?:\.tool_result)?(?:\.content\.(\d+))?/;
const OUTPUT_LIMIT = /max_tokens: \d+ > (\d+)/;

/** @param message the API's own text of an `invalid_request_error` */
function findRefusedPart(message: string): RefusedPart | null {
  const limit = OUTPUT_LIMIT.exec(message);
  if (limit !== null) return { kind: 'max_tokens', limit: Number(limit[1]) };
  if (THINKING.test(message)) return { kind: 'thinking' };
  if (EFFORT.test(message)) return { kind: 'effort' };
  if (THINKING_MODE.test(message)) return { kind: 'thinking_mode' };
  if (SCHEMA.test(message)) return { kind: 'output_schema' };
  return MEDIA.test(message) ? { kind: 'media', place: placeIn(message) } : null;
}

function placeIn(message: string): Extract<RefusedPart, { kind: 'media' }>['place'] {
  const match = PLACE.exec(message);
  if (match === null) return null;
  const [, at, block, part] = match;
  return { message: Number(at), block: Number(block), part: part === undefined ? null : Number(part) };
}
