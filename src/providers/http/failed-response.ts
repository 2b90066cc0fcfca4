// What a failed response of any model server has in common: how its body is read, which texts mean a full window or an
// empty account, how it is told. Rule: a text says what happened and what to do, and never carries a key, control
// characters or a whole page.
import type { HostClock } from '../../host/host.js';
import { ModelError, type ModelErrorKind } from '../../protocol/errors.js';
import { isRecord, parseRecord } from '../../util/json.js';
import { cleanText, MAX_REQUEST_ID, type ReadHeader } from './http-exchange.js';

/** The `error` object of a failure body or of an `error` event, as far as it could be read. */
export interface ReportedError {
  readonly type: string | null;
  readonly message: string;
  readonly requestId: string | null;
  /** The beginning of the body as it came, with codes that the message leaves out. Never shown. */
  readonly evidence: string;
}

export const MAX_EVIDENCE = 8 * 1024;

/** Money or an allowance is used up: waiting some seconds does not help. */
const QUOTA =
  /billing_error|billing[ _](?:hard[ _])?limit|billing details|credit balance|insufficient[_ ](?:quota|credits?|balance|funds)|spend(?:ing)?[_ ]limit|exceeded your current quota|quota (?:is )?exhausted|extra usage is required|payment required/i;

/** The prompt is longer than the model's context window, in the words of Anthropic, OpenAI, Google and others. */
const CONTEXT_OVERFLOW = new RegExp(
  [
    'prompt is too long',
    'input is too long',
    'exceeds? (?:the )?context (?:limit|window|length)',
    'context[_ ]length[_ ]exceeded',
    'maximum context length',
    'maximum prompt length',
    'exceeds the maximum number of tokens',
    'exceeds? the (?:model.s |available )?(?:maximum )?context',
    'greater than the context length',
    'context window (?:exceeds|is full|limit)',
    'reduce the length of the (?:messages|prompt|input)',
    'exceeded model token limit',
    'too large for model with \\d+ maximum context',
    'prompt exceeds max(?:imum)? length',
    'longer than the maximum model length',
    'exceed_context_size',
  ].join('|'),
  'i',
);

const KIND_BY_STATUS: ReadonlyMap<number, ModelErrorKind> = new Map([
  [401, 'authentication'],
  [402, 'quota'],
  [403, 'permission'],
  [404, 'not_found'],
  [408, 'timeout'],
  [409, 'server'],
  [413, 'request_too_large'],
  [425, 'server'],
  [429, 'rate_limit'],
  [529, 'overloaded'],
]);

/** The kind of a failure status with its body. The status counts first; the texts tell 400, 403 and 429 apart. */
export function kindOfStatus(status: number, error: ReportedError): ModelErrorKind {
  const kind = KIND_BY_STATUS.get(status) ?? (status >= 500 ? 'server' : 'invalid_request');
  const isOverload = status >= 500 && error.type === 'overloaded_error';
  return isOverload ? 'overloaded' : refineKind(kind, error);
}

/** Tells money from rate, and a full window from any other bad request, by the words of the body. */
export function refineKind(kind: ModelErrorKind, { evidence }: ReportedError): ModelErrorKind {
  const mayBeQuota = kind === 'rate_limit' || kind === 'invalid_request' || kind === 'permission';
  if (mayBeQuota && QUOTA.test(evidence)) return 'quota';
  const mayBeOverflow = kind === 'invalid_request' || kind === 'request_too_large';
  return mayBeOverflow && CONTEXT_OVERFLOW.test(evidence) ? 'context_overflow' : kind;
}

/** Reads `{"error":{"type","message"}}` in its common spellings; anything else becomes an excerpt of the text. */
export function readReportedError(text: string, secrets: readonly string[]): ReportedError {
  const body = parseRecord(text);
  const error = body?.['error'];
  const fields = isRecord(error) ? error : (body ?? {});
  const message = firstString(fields['message'], error, fields['detail'], text);
  return {
    type: firstString(fields['type'], fields['code']) || null,
    message: cleanText(message, secrets),
    requestId: cleanText(firstString(body?.['request_id']), secrets).slice(0, MAX_REQUEST_ID) || null,
    evidence: text.slice(0, MAX_EVIDENCE),
  };
}

export function notAStream(status: number, header: ReadHeader, excerpt: string, requestId: string | null): ModelError {
  const type = cleanText(header('content-type') ?? 'no content type', []);
  const what = excerpt === '' ? 'an empty body' : `${type} instead of a stream of events: ${excerpt}`;
  return new ModelError('malformed', `The model's server answered ${status} with ${what}. Check the base URL.`, {
    status,
    requestId,
    // A page for people comes from what is not the API, and so it will the next time.
    retryable: !/html/i.test(type) && !/^\s*<(?:!doctype|html)\b/i.test(excerpt),
  });
}

/** The wait a server asks for: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. */
export function retryAfterMs(header: ReadHeader, clock: Pick<HostClock, 'now'>): number | null {
  const ms = parseNumber(header('retry-after-ms'));
  if (ms !== null) return ms;
  const text = header('retry-after');
  const seconds = parseNumber(text);
  if (seconds !== null) return seconds * 1_000;
  // A date has a month's name; Date.parse alone would read almost any number as a year.
  const date = text !== null && /[a-z]{3} /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - clock.now());
}

function parseNumber(text: string | null): number | null {
  return text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

/**
 * What happened and what to do.
 * @param where the status, or `in the stream`
 * @param keyAdvice what to check if the key was refused
 * @param waitMs the wait that the server asks for
 */
export function describeFailure(
  kind: ModelErrorKind,
  where: string,
  error: ReportedError,
  keyAdvice: string,
  waitMs: number | null = null,
): string {
  const later = `Try again ${timeOf(waitMs)}.`;
  const type = error.type === null ? '' : ` ${cleanText(error.type, [])}`;
  const detail = error.message === '' ? '' : `: ${error.message.replace(/[.\s]+$/, '')}`;
  const facts = `(${where}${type})${detail}.`;
  switch (kind) {
    case 'authentication':
      return `The API key was refused ${facts} ${keyAdvice}`;
    case 'permission':
      return `The API key may not do this ${facts} Check what the key is allowed to use.`;
    case 'quota':
      return `The account's quota or credit is used up ${facts} Check billing and limits of the account.`;
    case 'rate_limit':
      return `The model's server limits the rate of requests ${facts} ${later}`;
    case 'overloaded':
      return `The model's server is overloaded ${facts} ${later}`;
    case 'not_found':
      return `The model or address was not found ${facts} Check the model's name and the base URL.`;
    case 'context_overflow':
      return `The conversation is longer than the model's context window ${facts} Compact it or start a new one.`;
    case 'request_too_large':
      return `The request is too large ${facts} Remove large images or files from the conversation.`;
    case 'invalid_request':
      return `The request was refused as invalid ${facts} Check the model's name and its options.`;
    case 'timeout':
      return `The model's server timed out ${facts} ${later}`;
    default:
      return `The model's server failed ${facts} ${later}`;
  }
}

const MINUTE_MS = 60_000;
/** Longer waits are told in hours. */
const MANY_MINUTES = 120;

/** When it is worth another try. A short wait is the engine's own, and is told by it. */
function timeOf(waitMs: number | null): string {
  if (waitMs === null || waitMs <= MINUTE_MS) return 'later';
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  return minutes <= MANY_MINUTES ? `in ${minutes} minutes` : `in ${Math.ceil(minutes / 60)} hours`;
}

export function isErrorBody(text: string): boolean {
  const body = parseRecord(text);
  return body !== null && (body['type'] === 'error' || isRecord(body['error']));
}

export function firstString(...values: unknown[]): string {
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? '';
}
