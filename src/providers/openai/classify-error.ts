// What a failed response of an OpenAI-shaped API means, as a ModelError: OpenAI itself and the many servers that copy
// its form. Rule: the code counts where it is known, then the status, then the words; an unknown failure is no guess.
import type { HostClock } from '../../host/host.js';
import { ModelError, type ModelErrorKind } from '../../protocol/errors.js';
import { isRecord } from '../../util/is-record.js';
import {
  cleanText,
  describeFailure,
  firstString,
  kindOfStatus,
  MAX_EVIDENCE,
  MAX_REQUEST_ID,
  notAStream,
  type PlainResponse,
  type ReportedError,
  refineKind,
} from '../http/index.js';
import { findRefusedPart, outputLimit } from './refused-part.js';
import { requestIdOf, waitOf } from './response-headers.js';

/** What a code or type of an error object says by itself. */
const KIND_BY_CODE: ReadonlyMap<string, ModelErrorKind> = new Map([
  ['insufficient_quota', 'quota'],
  ['billing_hard_limit_reached', 'quota'],
  ['billing_not_active', 'quota'],
  ['insufficient_balance', 'quota'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['rate_limit_error', 'rate_limit'],
  ['too_many_requests', 'rate_limit'],
  ['resource_exhausted', 'rate_limit'],
  ['invalid_api_key', 'authentication'],
  ['invalid_authentication', 'authentication'],
  ['authentication_error', 'authentication'],
  ['unauthorized', 'authentication'],
  ['permission_error', 'permission'],
  ['permission_denied', 'permission'],
  ['model_not_found', 'not_found'],
  ['not_found_error', 'not_found'],
  ['not_found', 'not_found'],
  ['context_length_exceeded', 'context_overflow'],
  ['exceed_context_size_error', 'context_overflow'],
  ['request_too_large', 'request_too_large'],
  ['server_overloaded', 'overloaded'],
  ['overloaded_error', 'overloaded'],
  ['overloaded', 'overloaded'],
  ['slow_down', 'overloaded'],
  ['engine_overloaded_error', 'overloaded'],
  ['service_unavailable', 'overloaded'],
  ['service_unavailable_error', 'overloaded'],
  ['unavailable', 'overloaded'],
  ['server_error', 'server'],
  ['internal_error', 'server'],
  ['internal_server_error', 'server'],
  ['api_error', 'server'],
  ['timeout', 'timeout'],
  ['timeout_error', 'timeout'],
  ['vector_store_timeout', 'timeout'],
  ['invalid_prompt', 'invalid_request'],
  ['invalid_request_error', 'invalid_request'],
  ['invalid_argument', 'invalid_request'],
  ['badrequesterror', 'invalid_request'],
  ['bad_request', 'invalid_request'],
  ['content_filter', 'invalid_request'],
  ['content_policy_violation', 'invalid_request'],
]);

/** Statuses that mean more here than elsewhere: OpenAI says overload by 503, Groq by 498. */
const KIND_BY_STATUS: ReadonlyMap<number, ModelErrorKind> = new Map([
  [498, 'overloaded'],
  [503, 'overloaded'],
]);

interface OpenAIError extends ReportedError {
  readonly code: string | null;
  /** A status that stands in the body, as routers write it. */
  readonly innerStatus: number | null;
}

/** What tells one server's failures from another's. */
export interface FailureContext {
  /** Texts that no error may repeat. */
  readonly secrets: readonly string[];
  /** What to check where the key was refused. */
  readonly keyAdvice: string;
}

/** A response that is no stream: a failure status, or a 2xx whose body is something else. */
export function classifyResponse(
  response: PlainResponse,
  clock: Pick<HostClock, 'now'>,
  context: FailureContext,
): ModelError {
  const { status, header, text } = response;
  const error = readError(text, context.secrets);
  const requestId = requestIdOf(header, context.secrets) ?? error?.requestId ?? null;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && error === null) return notAStream(status, header, cleanText(text, context.secrets), requestId);
  const known = error ?? plainError(text, context.secrets);
  const kind = lessForReplies(isSuccess ? kindOfEvent(known) : kindOfFailure(status, known), known);
  const waitMs = waitOf(header, kind, text, clock);
  return new ModelError(kind, describeFailure(kind, `${status}`, known, context.keyAdvice, waitMs), {
    status,
    requestId,
    retryAfterMs: waitMs,
    refused: kind === 'invalid_request' ? findRefusedPart(known.message) : null,
    ...(header('x-should-retry') === 'false' ? { retryable: false } : {}),
  });
}

/** An error inside a stream whose status was 200: an `error` event, a chunk with `error`, a failed response. */
export function classifyEvent(data: string, context: FailureContext): ModelError {
  const error = readError(data, context.secrets) ?? plainError(data, context.secrets);
  const kind = kindOfEvent(error);
  const refused = kind === 'invalid_request' ? findRefusedPart(error.message) : null;
  return new ModelError(kind, describeFailure(kind, 'in the stream', error, context.keyAdvice), {
    requestId: error.requestId,
    refused,
    retryAfterMs: waitOf(() => null, kind, data, null),
  });
}

function kindOfFailure(status: number, error: OpenAIError): ModelErrorKind {
  const byStatus = KIND_BY_STATUS.get(status) ?? kindOfStatus(status, error);
  const byCode = kindOfCode(error);
  // "Invalid" is what many call everything; a gateway's 5xx may wrap any code of the server behind it.
  const isPlain = byCode === null || byCode === 'invalid_request';
  const isTrusted = status < 500 || byCode === 'overloaded' || byCode === 'context_overflow';
  return byRate(refineKind(isPlain || !isTrusted ? byStatus : byCode, error), error);
}

/** Without a status the code decides, then a status inside the error, then its words. */
function kindOfEvent(error: OpenAIError): ModelErrorKind {
  const byCode = kindOfCode(error);
  if (byCode !== null) return byRate(refineKind(byCode, error), error);
  if (error.innerStatus !== null) return kindOfFailure(error.innerStatus, { ...error, innerStatus: null });
  const byWords = refineKind('invalid_request', error);
  return byWords === 'invalid_request' ? 'server' : byWords;
}

function kindOfCode(error: OpenAIError): ModelErrorKind | null {
  return KIND_BY_CODE.get(error.code?.toLowerCase() ?? '') ?? KIND_BY_CODE.get(error.type?.toLowerCase() ?? '') ?? null;
}

/** A window that is full only because of the room asked for the reply: less for the reply is enough. */
function lessForReplies(kind: ModelErrorKind, { message }: OpenAIError): ModelErrorKind {
  return kind === 'context_overflow' && outputLimit(message) !== null ? 'invalid_request' : kind;
}

/** Google words a limit of requests a minute as a spent quota, but says how soon it is over. */
function byRate(kind: ModelErrorKind, { evidence }: OpenAIError): ModelErrorKind {
  const passesSoon = /"retryDelay"\s*:\s*"\d/.test(evidence) && !/PerDay/i.test(evidence);
  return kind === 'quota' && passesSoon ? 'rate_limit' : kind;
}

/** The error a body reports, in any of the forms in use; null where it is none. */
function readError(text: string, secrets: readonly string[]): OpenAIError | null {
  const body = parse(text);
  const error = body?.['error'];
  const inner = isRecord(body?.['response']) ? (body['response'] as Record<string, unknown>)['error'] : undefined;
  const isBare = body !== null && (body['type'] === 'error' || body['object'] === 'error' || 'detail' in body);
  if (isRecord(error)) return fromFields(error, body ?? {}, text, secrets);
  if (typeof error === 'string') return fromFields({ message: error }, body ?? {}, text, secrets);
  if (isRecord(inner)) return fromFields(inner, body ?? {}, text, secrets);
  return isBare ? fromFields(body, body, text, secrets) : null;
}

function fromFields(
  fields: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
  text: string,
  secrets: readonly string[],
): OpenAIError {
  const { code, type, status, message, detail } = fields;
  const words = firstString(message, detail) || (detail === undefined ? '' : (JSON.stringify(detail) ?? ''));
  return {
    code: firstString(code, status) || null,
    type: firstString(type === 'error' ? undefined : type, code, status) || null,
    innerStatus: [code, status].find((value) => isStatus(value)) ?? null,
    message: cleanText(words || text, secrets),
    requestId:
      cleanText(firstString(body['request_id'], fields['request_id']), secrets).slice(0, MAX_REQUEST_ID) || null,
    evidence: text.slice(0, MAX_EVIDENCE),
  };
}

function plainError(text: string, secrets: readonly string[]): OpenAIError {
  return {
    code: null,
    type: null,
    innerStatus: null,
    message: cleanText(text, secrets),
    requestId: null,
    evidence: text.slice(0, MAX_EVIDENCE),
  };
}

/** One object, or the first of a list of one, as Google's endpoint sends it. */
function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return isRecord(first) ? first : null;
  } catch {
    return null; // not JSON: the text itself is shown
  }
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600;
}
