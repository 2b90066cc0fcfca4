// What a failed response of an OpenAI-shaped API means, as a ModelError: OpenAI itself and the many servers that copy
// its form. Rule: the code counts if it is known, then the status, then the words; an unknown failure is no guess.
import type { HostClock } from '../../host/host.js';
import { ModelError, type ModelErrorKind, type RefusedPart } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';
import type { ModelRequest } from '../contract/index.js';
import {
  cleanText,
  describeFailure,
  durationMs,
  firstString,
  kindOfStatus,
  MAX_EVIDENCE,
  MAX_REQUEST_ID,
  notAStream,
  type PlainResponse,
  type ReadHeader,
  type ReportedError,
  refineKind,
  retryAfterMs,
  sumOfUnits,
} from '../http/index.js';

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
  /** What to check if the key was refused. */
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

/** The error a body reports, in any of the forms in use; null if it is none. */
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

// Which part of a request an OpenAI-shaped API names as its reason to refuse it, read from its message. One rule: what is
// not named is not guessed; such a request fails as it is.

/** The most tokens a reply may have, in the words of OpenAI, DeepSeek, Groq and Google. */
const OUTPUT_LIMITS: readonly RegExp[] = [
  /max\w*_tokens.*supports at most (\d+)/is,
  /max\w*_tokens.*valid range[^\]]*?,\s*(\d+)\s*\]/is,
  /max\w*_tokens[`'" ]*must be less than or equal to [`'"]?(\d+)/is,
  /max\w*_tokens.*(?:maximum|max)(?: allowed)?(?: value)? (?:is|of) (\d+)/is,
];
/** Google names the first number that is too large. */
const OUTPUT_LIMIT_EXCLUSIVE = /max\w*_tokens.*to (\d+) \(exclusive\)/is;
/** vLLM: the window less the prompt is what is left for the reply. */
const OUTPUT_ROOM = /max\w*_tokens.*too large.*maximum context length is (\d+).*?(\d+) input tokens/is;
const EFFORT = /reasoning[._]effort|\beffort\b/i;
const THINKING_MODE =
  /reasoning\.summary|reasoning summar|reasoning\.enabled|enable_thinking|thinking_budget|chat_template_kwargs|['"`]thinking['"`]|['"`]reasoning['"`]|\bthinking\.type/i;
const THINKING =
  /encrypted[_ ]content|['"`]?rs_\w+|reasoning item|thought[_ ]signature|reasoning_details|of type ['"`]?reasoning/i;
const SCHEMA = /response_format|json_schema|text\.format|structured outputs?/i;
const MEDIA =
  /image_url|input_image|input_file|file_data|unsupported image|invalid image|process (?:the )?image|image (?:data|format|input|url)|support(?:s|ing)? (?:image|vision|pdf|file)|\bPDFs?\b|multimodal|mmproj/i;

/** @param message the API's own text of a refused request */
function findRefusedPart(message: string): RefusedPart | null {
  const limit = outputLimit(message);
  if (limit !== null) return { kind: 'max_tokens', limit };
  if (THINKING.test(message)) return { kind: 'thinking' };
  if (EFFORT.test(message)) return { kind: 'effort' };
  if (THINKING_MODE.test(message)) return { kind: 'thinking_mode' };
  if (SCHEMA.test(message)) return { kind: 'output_schema' };
  // Places are those of the wire's own list of messages, which are not those of the conversation.
  return MEDIA.test(message) ? { kind: 'media', place: null } : null;
}

/** The limit of a reply that a text names as too large for it. Also found if the kind says a full window. */
function outputLimit(message: string): number | null {
  const room = OUTPUT_ROOM.exec(message);
  if (room !== null) {
    const left = Number(room[1]) - Number(room[2]);
    return left > 0 ? left : null;
  }
  const exclusive = OUTPUT_LIMIT_EXCLUSIVE.exec(message);
  if (exclusive !== null) return Number(exclusive[1]) - 1;
  for (const pattern of OUTPUT_LIMITS) {
    const match = pattern.exec(message);
    if (match !== null) return Number(match[1]);
  }
  return null;
}

/** Effort may stand for a thinking budget on the wire; what is refused is then the way thinking was asked for. */
export function blameWhatWasAsked(error: ModelError, { effort, thinking }: ModelRequest): ModelError {
  if (error.refused?.kind !== 'effort' || effort !== undefined || thinking === undefined) return error;
  const { kind, message, status, retryAfterMs, requestId, cause } = error;
  return new ModelError(kind, message, {
    status,
    retryAfterMs,
    requestId,
    cause,
    refused: { kind: 'thinking_mode' },
  });
}

// What the headers of an OpenAI-shaped response say: its name, and how long to wait. Rule: a wait that is not said is null.

const ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id', 'x-generation-id', 'cf-ray'] as const;
const LIMITS = ['requests', 'tokens'] as const;

/** The name the server gives the request; null if it gives none. */
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
 * @param clock null if there are no headers to read
 */
function waitOf(
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

/** The reset of the limits that are used up; if none says so, the latest of all. */
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
