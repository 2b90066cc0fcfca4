// Failures of the Messages API and of gateways: kind, wait, text.
import { describe, expect, it } from 'vitest';
import type { ModelError, ModelErrorKind } from '../../../src/protocol/errors.js';
import { classifyEvent, classifyResponse } from '../../../src/providers/anthropic/classify-error.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const clock = { now: () => NOW };

function classify(
  status: number,
  text: string,
  headers: Record<string, string> = {},
  secrets: string[] = [],
): ModelError {
  return classifyResponse({ status, text, header: (name) => headers[name] ?? null }, clock, secrets);
}

function body(type: string, message: string, more: object = {}): string {
  return JSON.stringify({ type: 'error', error: { type, message, ...more } });
}

describe('a prompt longer than the context window', () => {
  it.each([
    ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum'],
    ['Anthropic', 'input length and `max_tokens` exceed context limit: 197000 + 21333 > 200000'],
    ['Amazon Bedrock', 'Input is too long for requested model.'],
    [
      'OpenAI',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ],
    [
      'OpenAI Responses',
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    ['Google', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
    ['llama.cpp', 'the request exceeds the available context size. try increasing the context size'],
    ['Moonshot', 'Invalid request: Your request exceeded model token limit: 262144'],
    ['MiniMax', 'invalid params, context window exceeds limit (2013)'],
  ])('of %s is told apart: %s', (_, message) => {
    expect(classify(400, body('invalid_request_error', message))).toMatchObject({
      kind: 'context_overflow',
      retryable: false,
    });
  });

  it('is told by its code alone', () => {
    expect(classify(400, '{"error":{"code":"context_length_exceeded","message":"no"}}').kind).toBe('context_overflow');
  });
});

describe('a used up quota is not a rate limit', () => {
  it.each([
    [429, body('rate_limit_error', 'Limit', { details: { error_code: 'enforced_spend_limit_reached' } })],
    [
      429,
      '{"error":{"type":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."}}',
    ],
    [400, body('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.')],
    [402, ''],
    [403, body('permission_error', 'Your spending limit was reached')],
    [429, body('billing_error', 'x')],
  ])('%d %s', (status, text) => {
    expect(classify(status, text)).toMatchObject({ kind: 'quota', retryable: false });
  });

  it('and a rate limit is none', () => {
    const text =
      "This request would exceed your organization's rate limit of 50,000 input tokens per minute. Contact sales.";
    expect(classify(429, body('rate_limit_error', text))).toMatchObject({ kind: 'rate_limit', retryable: true });
    expect(classify(429, 'You can raise the limit by adding a payment method at /billing')).toMatchObject({
      kind: 'rate_limit',
    });
  });
});

describe('other statuses', () => {
  it.each<[number, ModelErrorKind]>([
    [405, 'invalid_request'],
    [422, 'invalid_request'],
    [425, 'server'],
    [501, 'server'],
    [520, 'server'],
    [599, 'server'],
  ])('%d is %s', (status, kind) => expect(classify(status, '').kind).toBe(kind));

  it('a gateway that reports overload as 500 or 503 is overloaded', () => {
    expect(classify(503, body('overloaded_error', 'Overloaded')).kind).toBe('overloaded');
  });
});

describe('an error event', () => {
  it.each<[string, ModelErrorKind]>([
    ['overloaded_error', 'overloaded'],
    ['rate_limit_error', 'rate_limit'],
    ['api_error', 'server'],
    ['timeout_error', 'timeout'],
    ['invalid_request_error', 'invalid_request'],
    ['authentication_error', 'authentication'],
    ['permission_error', 'permission'],
    ['not_found_error', 'not_found'],
    ['request_too_large', 'request_too_large'],
    ['billing_error', 'quota'],
    ['brand_new_error', 'server'],
  ])('%s is %s', (type, kind) => {
    expect(classifyEvent(body(type, 'why', { x: 1 }), [])).toMatchObject({ kind, status: null });
    expect(classifyEvent(body(type, 'why'), []).message).toContain('why');
  });
});

describe('the wait a server asks for', () => {
  it.each<[Record<string, string>, number | null]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '1250', 'retry-after': '99' }, 1_250],
    [{ 'retry-after-ms': 'x', 'retry-after': '2' }, 2_000],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': '' }, null],
    [{}, null],
  ])('%o', (headers, ms) => expect(classify(429, '', headers).retryAfterMs).toBe(ms));

  it('may be forever: x-should-retry false', () => {
    expect(classify(429, '', { 'x-should-retry': 'false' }).retryable).toBe(false);
    expect(classify(401, '', { 'x-should-retry': 'true' }).retryable).toBe(false);
  });
});

describe('the text of a failure', () => {
  it('says what to do', () => {
    const { message } = classify(401, body('authentication_error', 'invalid x-api-key'));
    expect(message).toBe(
      'The API key was refused (401 authentication_error): invalid x-api-key. Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or the key that "turnwright login" keeps.',
    );
  });

  it('is short and printable, whatever the body is', () => {
    const text = `<html>\u001b[31m\u0000${'a \n'.repeat(20_000)}\u202e</html>`;
    const { message } = classify(502, text);
    expect(message.length).toBeLessThan(500);
    expect(message).not.toMatch(/\p{C}/u);
  });

  it('never holds a key, neither ours nor one that looks like one', () => {
    const text = body('authentication_error', 'key my-own-secret and sk-ant-api03-abcdef are wrong');
    const { message } = classify(401, text, { 'request-id': 'req_my-own-secret' }, ['my-own-secret']);
    expect(message).toContain('key [key] and [key] are wrong');
    expect(classify(401, text, { 'request-id': 'req_my-own-secret' }, ['my-own-secret']).requestId).toBe('req_[key]');
  });

  it.each([
    'null',
    '[]',
    '"text"',
    '{"error":"text"}',
    '{"error":null}',
    '{"error":{"message":5}}',
    '{"detail":"text"}',
    '',
  ])('survives the body %s', (text) => expect(classify(500, text).kind).toBe('server'));

  it('takes the request id from the body if no header has it', () => {
    expect(classify(500, '{"error":{"message":"x"},"request_id":"req_b"}').requestId).toBe('req_b');
  });
});
