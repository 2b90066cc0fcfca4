// What failures of OpenAI-shaped servers mean: their own words, as they send them.
import { describe, expect, it } from 'vitest';
import type { ModelErrorKind, RefusedPart } from '../../../src/protocol/errors.js';
import { classifyEvent, classifyResponse } from '../../../src/providers/openai/classify-error.js';

const NOW = 1_700_000_000_000;
const KEY = 'sk-proj-0123456789abcdef';
const context = { secrets: [KEY], keyAdvice: 'Check the key of the provider "x".' };

function classify(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return classifyResponse({ status, header: (name) => headers[name] ?? null, text }, { now: () => NOW }, context);
}

const error = (message: string, code: string | number | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});

describe('a failed response', () => {
  it.each<[string, number, unknown, ModelErrorKind]>([
    ['a wrong key', 401, error('Incorrect API key provided', 'invalid_api_key'), 'authentication'],
    [
      'a spent quota',
      429,
      error('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'),
      'quota',
    ],
    ['too many requests', 429, error('Rate limit reached for gpt-5', 'rate_limit_exceeded', 'requests'), 'rate_limit'],
    [
      'too many tokens a minute',
      429,
      error('Request too large for gpt-4o on tokens per min', 'rate_limit_exceeded', 'tokens'),
      'rate_limit',
    ],
    ['an empty balance', 402, error('Insufficient Balance', 'invalid_request_error', 'unknown_error'), 'quota'],
    ['a spent router', 402, { error: { code: 402, message: 'This request requires more credits' } }, 'quota'],
    ['an unknown model', 404, error('The model `x` does not exist', 'model_not_found'), 'not_found'],
    ['an unknown local model', 404, { error: { message: 'model "x" not found, try pulling it first' } }, 'not_found'],
    [
      'a full window',
      400,
      error("This model's maximum context length is 128000 tokens.", 'context_length_exceeded'),
      'context_overflow',
    ],
    [
      'a full window of Responses',
      400,
      error('Your input exceeds the context window of this model.'),
      'context_overflow',
    ],
    [
      'a full window of llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'context_overflow',
    ],
    [
      'a full window of vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 8192 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
      'context_overflow',
    ],
    [
      'a full window of Google',
      400,
      [
        {
          error: {
            code: 400,
            message: 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      'context_overflow',
    ],
    ['a full window of Z.ai', 400, error('Prompt exceeds max length', '1261'), 'context_overflow'],
    [
      'a limit of Google',
      429,
      [
        {
          error: {
            code: 429,
            message: 'You exceeded your current quota',
            status: 'RESOURCE_EXHAUSTED',
            details: [{ retryDelay: '34s', quotaId: 'GenerateRequestsPerMinute' }],
          },
        },
      ],
      'rate_limit',
    ],
    [
      'a day of Google',
      429,
      [
        {
          error: {
            code: 429,
            message: 'You exceeded your current quota',
            details: [{ retryDelay: '34s', quotaId: 'GenerateRequestsPerDay' }],
          },
        },
      ],
      'quota',
    ],
    ['an overload', 503, error('The engine is currently overloaded', null, 'server_error'), 'overloaded'],
    ['an overload of Groq', 498, error('over capacity'), 'overloaded'],
    ['an overload within a 500', 500, error('busy', 'server_overloaded'), 'overloaded'],
    ['an internal error', 500, error('The server had an error', null, 'server_error'), 'server'],
    ['an internal error with a code of its own', 500, error('x', 'invalid_request_error'), 'server'],
    ['a gateway', 502, '<html>Bad Gateway</html>', 'server'],
    ['a bad request', 400, error("Unknown parameter: 'x'."), 'invalid_request'],
    [
      'a bad request of FastAPI',
      422,
      { detail: [{ loc: ['body', 'x'], msg: 'extra fields not permitted' }] },
      'invalid_request',
    ],
    ['a filter', 400, error('The response was filtered', 'content_filter'), 'invalid_request'],
    ['a forbidden model', 403, error('Project does not have access', null), 'permission'],
    ['a plain text', 401, 'Unauthorized', 'authentication'],
    ['an error under 200', 200, error('Overloaded', 'overloaded', 'server_error'), 'overloaded'],
    ['a text error', 500, { error: 'llama runner process has terminated' }, 'server'],
    ['a web page under 200', 200, '<html>Sign in</html>', 'malformed'],
  ])('%s', (_, status, body, kind) => {
    expect(classify(status, body)).toMatchObject({ kind, status });
  });

  it('says what happened and what to do, without the key', () => {
    const { message } = classify(401, error(`Incorrect API key provided: ${KEY}`, 'invalid_api_key'));
    expect(message).toContain('Check the key of the provider "x".');
    expect(message).toContain('Incorrect API key provided: [key]');
  });

  it('names the request', () => {
    expect(classify(500, 'x', { 'x-request-id': 'req_1' }).requestId).toBe('req_1');
    expect(classify(500, 'x', { 'cf-ray': 'ray' }).requestId).toBe('ray');
  });

  it('is not sent again if the server says so', () => {
    expect(classify(500, 'x', { 'x-should-retry': 'false' }).retryable).toBe(false);
  });
});

describe('the wait of a limited rate', () => {
  const limited = error('Rate limit reached. Please try again in 1m2.5s.', 'rate_limit_exceeded');
  it.each<[string, Record<string, string>, number | null]>([
    ['retry-after-ms', { 'retry-after-ms': '250' }, 250],
    ['retry-after', { 'retry-after': '3' }, 3_000],
    [
      'the reset of what is used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '6m0s',
        'x-ratelimit-remaining-tokens': '90',
        'x-ratelimit-reset-tokens': '9m',
      },
      360_000,
    ],
    ['the later reset', { 'x-ratelimit-reset-requests': '120ms', 'x-ratelimit-reset-tokens': '1s' }, 1_000],
    ['a point in time, ms', { 'x-ratelimit-reset': String(NOW + 5_000) }, 5_000],
    ['a point in time, s', { 'x-ratelimit-reset': String(NOW / 1_000 + 5) }, 5_000],
    ['its text', {}, 62_500],
  ])('%s', (_, headers, ms) => {
    expect(classify(429, limited, headers).retryAfterMs).toBe(ms);
  });

  it('is told by Google in the body', () => {
    expect(
      classify(429, [{ error: { code: 429, message: 'x', details: [{ retryDelay: '34.5s' }] } }]).retryAfterMs,
    ).toBe(34_500);
  });

  it('is not read from other failures', () => {
    expect(classify(500, limited, { 'x-ratelimit-reset-requests': '1s' }).retryAfterMs).toBeNull();
  });
});

describe('the refused part', () => {
  it.each<[string, RefusedPart | null]>([
    [
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
      { kind: 'max_tokens', limit: 16_384 },
    ],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', { kind: 'max_tokens', limit: 8_192 }],
    ['`max_completion_tokens` must be less than or equal to `32768`', { kind: 'max_tokens', limit: 32_768 }],
    [
      'max_output_tokens must be in the range from 1 (inclusive) to 65537 (exclusive)',
      { kind: 'max_tokens', limit: 65_536 },
    ],
    [
      "'max_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 500 input tokens",
      { kind: 'max_tokens', limit: 7_692 },
    ],
    ["Unsupported parameter: 'reasoning_effort' is not supported with this model.", { kind: 'effort' }],
    ["Unsupported value: 'reasoning.effort' does not support 'xhigh'", { kind: 'effort' }],
    ['Your organization must be verified to generate reasoning summaries', { kind: 'thinking_mode' }],
    ['The encrypted content for item rs_1 could not be verified', { kind: 'thinking' }],
    ["Item 'rs_1' of type 'reasoning' was provided without its required following item", { kind: 'thinking' }],
    ["Invalid schema for response_format 'answer'", { kind: 'output_schema' }],
    ["Invalid parameter: 'text.format' of type 'json_schema' is not supported", { kind: 'output_schema' }],
    ['You uploaded an unsupported image. Please make sure your image is valid.', { kind: 'media', place: null }],
    ['This model does not support image input', { kind: 'media', place: null }],
    ["Unknown parameter: 'x'.", null],
  ])('%s', (message, refused) => {
    expect(classify(400, error(message)).refused).toEqual(refused);
  });
});

describe('an error in the stream', () => {
  it.each<[unknown, ModelErrorKind]>([
    [error('x', 'rate_limit_exceeded'), 'rate_limit'],
    [{ error: { code: 503, message: 'No instances available' } }, 'overloaded'],
    [
      { error: { message: 'Trying to keep the first tokens when context overflows: greater than the context length' } },
      'context_overflow',
    ],
    [{ error: { message: 'brand new' } }, 'server'],
    ['not JSON', 'server'],
  ])('%j', (body, kind) => {
    expect(classifyEvent(typeof body === 'string' ? body : JSON.stringify(body), context).kind).toBe(kind);
  });
});
