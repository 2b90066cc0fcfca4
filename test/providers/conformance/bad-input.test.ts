// Input that is odd but legal, or not legal at all, on every protocol: it ends well, or in one clear failure.
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { collect, foldEvents, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { API_KEY, attempt, REQUEST } from '../../support/anthropic-replies.js';
import { probeTool } from '../../support/engine.js';
import { ADAPTERS, CONFORMERS, serve } from './adapters.js';
import { engineOver } from './engine-over.js';

const MEGABYTE = 1024 * 1024;

/** A port of this machine on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.each(CONFORMERS)('$api', (adapter) => {
  it('takes a delta of 20 MB', async () => {
    const delta = 'ä'.repeat(10 * MEGABYTE);
    const { provider } = await adapter.serve({ steps: [{ deltas: 1, delta }] });
    const { events, error } = await attempt(provider);
    expect(error).toBeNull();
    const [block] = foldEvents(events).content;
    expect(block?.type === 'text' && block.text === delta).toBe(true);
  });

  it('takes a reply without usage', async () => {
    const { provider } = await adapter.serve({ steps: [{ ...reply(text('x')), malformed: 'no-usage' }] });
    const { events, error } = await attempt(provider);
    expect(error).toBeNull();
    expect(foldEvents(events).usage).toMatchObject({ input_tokens: 0, output_tokens: 0 });
  });

  it('takes __proto__ in the input of a call as any other key, there and back', async () => {
    const input = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    const { mock, provider } = await adapter.serve({ steps: [toolCall('Read', input, 'call_a'), text('x')] });
    const { content } = foldEvents((await attempt(provider)).events);
    const [block] = content;
    const got = block?.type === 'tool_use' ? (block.input as Record<string, unknown>) : {};
    expect(JSON.stringify(got)).toBe(JSON.stringify(input));
    expect((got as { polluted?: unknown }).polluted).toBeUndefined();
    const request: ModelRequest = {
      ...REQUEST,
      messages: [
        ...REQUEST.messages,
        { role: 'assistant', content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: 'A' }] },
      ],
    };
    expect((await attempt(provider, { request })).error).toBeNull();
    expect(mock.violations).toEqual([]);
    expect(JSON.stringify(mock.requests[1]?.body)).toContain('polluted');
  });

  it('tells calls of one id apart, in a reply and over replies, and answers each', async () => {
    const same = (value: string) => toolCall('Probe', { value }, 'call_same');
    const { mock, provider } = await adapter.serve({
      steps: [reply(same('a'), same('b')), same('c'), text('Done.'), text('Still here.')],
    });
    const probe = probeTool({ readOnly: true, concurrencySafe: true });
    const engine = await engineOver(provider, [probe]);
    const result = lastResult(await collect(engine.submitMessage('Go.')));
    expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(probe.runs.map(({ value }) => value)).toEqual(['a', 'b', 'c']);
    expect(lastResult(await collect(engine.submitMessage('And now?')))).toMatchObject({ result: 'Still here.' });
    await engine.close();
    expect(mock.violations).toEqual([]);
  });

  it('sends two tools of one name once, runs the first, and tells it', async () => {
    const { mock, provider } = await adapter.serve({ steps: [toolCall('Probe', { value: 'a' }), text('Done.')] });
    const tools = [probeTool(), probeTool()];
    const engine = await engineOver(provider, tools);
    const messages = await collect(engine.submitMessage('Go.'));
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'notice', code: 'tool_name_taken' }));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(tools.map(({ runs }) => runs.length)).toEqual([1, 0]);
    await engine.close();
    expect(mock.violations).toEqual([]);
  });

  it('never runs a call that the output limit cut, wherever it did', async () => {
    const input = { value: 'all of it', other: { deep: [1, 2] } };
    const whole = JSON.stringify(input);
    for (const size of [0, 1, 9, whole.length - 1]) {
      const cut = { type: 'tool_use', name: 'Probe', input: {}, rawInput: whole.slice(0, size) } as const;
      const answer = { ...reply(thinking('Hm.', 'c2ln'), cut), stopReason: 'max_tokens' as const };
      const { mock, provider } = await adapter.serve({ steps: (_, index) => (index === 0 ? answer : text('Done.')) });
      const probe = probeTool();
      const engine = await engineOver(provider, [probe]);
      const result = lastResult(await collect(engine.submitMessage('Go.')));
      expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
      expect(probe.runs, `${size} characters`).toEqual([]);
      await engine.close();
      expect(mock.violations).toEqual([]);
    }
  });

  it('cut after any number of pieces, is a failure and no end', async () => {
    const whole = reply(text('one two'), toolCall('Read', { k: 'v' }, 'a'), toolCall('Read', {}, 'b'));
    const frames = adapter.frames(whole, 4);
    const { provider } = await adapter.serve({
      chunkSize: 4,
      steps: (_, index) => ({ ...whole, cutAfterEvents: index }),
    });
    for (let count = 0; count < frames.length; count++) {
      const { events, error } = await attempt(provider);
      expect(error, `after ${count} pieces`).toMatchObject({ retryable: true });
      expect(events.some(({ type }) => type === 'message_stop')).toBe(false);
    }
  });
});

describe.each(ADAPTERS)('$api', (adapter) => {
  it('names a host that nobody is at', async () => {
    const port = await freePort();
    const provider = adapter.connect(`http://127.0.0.1:${port}`);
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'connection', retryable: true });
    expect(error?.message).toContain(`127.0.0.1:${port}`);
  });

  it('names a failure of TLS', async () => {
    const { mock } = await serve(adapter, {});
    const { error } = await attempt(adapter.connect(mock.url.replace('http:', 'https:')));
    expect(error).toMatchObject({ kind: 'connection', retryable: false });
    expect(error?.message).toMatch(/base URL/);
  });

  it.each([
    ['1800', 'Try again in 30 minutes.'],
    ['20000', 'Try again in 6 hours.'],
    ['5', 'Try again later.'],
  ])('says how long a limit lasts that is not waited for: %s s', async (wait, words) => {
    const { provider } = await serve(adapter, { steps: [{ status: 429, headers: { 'retry-after': wait } }] });
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'rate_limit', retryAfterMs: Number(wait) * 1_000 });
    expect(error?.message).toContain(words);
  });

  it('never shows the key, whatever the server repeats', async () => {
    const body = { error: { message: `no ${API_KEY}`, code: API_KEY, type: API_KEY } };
    const { provider } = await serve(adapter, { steps: [{ status: 401, body }] });
    const { error } = await attempt(provider);
    expect(error).toMatchObject({ kind: 'authentication', retryable: false });
    expect(JSON.stringify(error) + error?.message).not.toContain(API_KEY);
  });

  it('cut after any number of bytes, is a failure and no end', async () => {
    const whole = reply(text('é'), toolCall('Read', { k: 'v' }, 'a'));
    const frames = CONFORMERS.find(({ api }) => api === adapter.api)?.frames(whole, 64) ?? [];
    const bytes = Buffer.byteLength(frames.join(''));
    const { provider } = await serve(adapter, {
      chunkSize: 64,
      steps: (_, index) => ({ ...whole, cutAfterBytes: 1 + index * 7 }),
    });
    // Of the last event the last bytes are an empty line; some 80 bytes before the end no protocol is whole.
    for (let count = 1; count < bytes - 80; count += 7) {
      expect((await attempt(provider)).error, `after ${count} bytes`).toMatchObject({ retryable: true });
    }
  });
});
