// What a failed response of the Messages API (or of a gateway that speaks it) means, as a ModelError.
// Rule: a text says what happened and what to do, and never carries a key, control characters or a whole page.
import type { HostClock } from '../../host/host.js';
import { ModelError, type ModelErrorKind } from '../../protocol/errors.js';
import {
  describeFailure,
  isErrorBody,
  kindOfStatus,
  notAStream,
  type PlainResponse,
  type ReportedError,
  readReportedError,
  refineKind,
  requestIdOf,
  retryAfterMs,
} from '../http/index.js';
import { readReachedLimit } from './rate-limit.js';
import { findRefusedPart } from './refused-part.js';

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
