// Streams of model objects as nobody should send them: parts without end, calls that are not what their pieces say, tools
// that ran elsewhere. Each ends in one way, and no call runs that did not come whole.
import { ReadableStream } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { createAiSdkProvider } from '../../../src/providers/ai-sdk/ai-sdk.js';
import { AI_SDK_VERSIONS, type AiSdkVersion, type Fields } from '../../../src/providers/ai-sdk/language-model.js';
import { collect, foldEvents, lastResult } from '../../../src/testing/model/collect.js';
import {
  callParts,
  type FakeAnswer,
  type FakeModel,
  fakeModel,
  finish,
  textParts,
} from '../../support/ai-sdk-model.js';
import { attempt } from '../../support/anthropic-replies.js';
import { probeTool } from '../../support/engine.js';
import { engineOver } from '../conformance/engine-over.js';

const { clock } = createNodeHost();
const LIMITS = { requestTimeoutMs: 20_000, streamIdleMs: 20_000 };

const ask = (model: FakeModel, options: Parameters<typeof attempt>[1] = {}) =>
  attempt(createAiSdkProvider(model, clock), { limits: LIMITS, ...options });

async function answer(version: AiSdkVersion, parts: FakeAnswer) {
  const { events, error } = await ask(fakeModel(version, [parts]));
  return { error, message: error === null ? foldEvents(events) : null };
}

/** Gives `first`, then `part` for ever, without ever waiting for anything. */
function endless(version: AiSdkVersion, first: readonly Fields[], part: Fields): FakeModel {
  const model = fakeModel(version, []);
  const left = [...first];
  const stream = () => new ReadableStream({ pull: (controller) => controller.enqueue(left.shift() ?? part) });
  return { ...model, doStream: async () => ({ stream: stream() }) };
}

describe.each(AI_SDK_VERSIONS)('of specification %s', (version) => {
  const begun = [{ type: 'text-start', id: '0' }];
  it.each([
    ['pings', [], { type: 'raw', rawValue: {} }, 'timeout'],
    ['pings behind a start', begun, { type: 'raw', rawValue: {} }, 'stream_idle'],
    ['empty texts', begun, { type: 'text-delta', id: '0', delta: '' }, 'stream_idle'],
    ['ends of nothing', begun, { type: 'reasoning-end', id: 'x' }, 'stream_idle'],
    ['the same metadata', begun, { type: 'response-metadata', id: 'r' }, 'stream_idle'],
  ] as const)('%s without a pause are silence', async (_, first, part, kind) => {
    const { error } = await ask(endless(version, first, part), {
      limits: { requestTimeoutMs: kind === 'timeout' ? 40 : 60_000, streamIdleMs: 40 },
    });
    expect(error).toMatchObject({ kind, retryable: true });
  });

  it('a text without end and without a pause can be aborted', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const model = endless(version, begun, { type: 'text-delta', id: '0', delta: 'on and ' });
    const { error } = await ask(model, { signal: controller.signal });
    expect(error).toMatchObject({ kind: 'aborted' });
  });

  const start = { type: 'tool-input-start', id: 'a', toolName: 'Read' };
  const piece = (delta: string) => ({ type: 'tool-input-delta', id: 'a', delta });
  const call = (input: string) => ({ type: 'tool-call', toolCallId: 'a', toolName: 'Read', input });
  const end = finish(version, 'tool-calls');
  it.each([
    ['pieces that are not what the call is', [start, piece('{"file_path":"/a"}'), call('{"file_path":"/b"}'), end]],
    ['pieces that leave something out', [start, piece('{"file_path":'), piece('a"}'), call('{"file_path":"/a"}'), end]],
    ['a call that is never told as a whole', [start, piece('{}'), { type: 'tool-input-end', id: 'a' }, end]],
    ['a call without pieces that is never told', [start, end]],
    ['a call that begins twice', [start, start, call('{}'), end]],
    ['more of a call that was over', [...callParts('a', 'Read', {}), piece(' '), end]],
    ['a piece of a text that did not begin', [{ type: 'text-delta', id: '7', delta: 'x' }, finish(version, 'stop')]],
    ['a text that begins twice', [...begun, ...begun, finish(version, 'stop')]],
  ])('%s: malformed', async (_, parts) => {
    expect((await answer(version, parts)).error).toMatchObject({ kind: 'malformed', retryable: true });
  });

  it('a call whose pieces say the same in other words is that call', async () => {
    const parts = [start, piece('{ "file_path" : '), piece('"/a" }'), call('{"file_path":"/a"}'), end];
    expect((await answer(version, parts)).message?.content).toMatchObject([{ input: { file_path: '/a' } }]);
  });

  it('a call that is told twice is one; another under its id is another', async () => {
    const again = callParts('a', 'Read', { file_path: '/a' });
    const parts = [...again, ...again.slice(-1), call('{"file_path":"/b"}'), end];
    const { message } = await answer(version, parts);
    expect(message?.content).toMatchObject([
      { type: 'tool_use', id: 'a', input: { file_path: '/a' } },
      { type: 'tool_use', id: 'a_2', input: { file_path: '/b' } },
    ]);
  });

  it('what is said of tools that ran at the server is left out', async () => {
    const parts = [
      { ...start, id: 's', providerExecuted: true },
      { type: 'tool-input-delta', id: 's', delta: '{"query":"x"}' },
      { type: 'tool-input-end', id: 's' },
      { type: 'tool-call', toolCallId: 's', toolName: 'search', input: '{"query":"x"}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'search', result: {} },
      ...textParts('Found.'),
      finish(version, 'stop'),
    ];
    expect((await answer(version, parts)).message).toMatchObject({
      content: [{ type: 'text', text: 'Found.' }],
      stop_reason: 'end_turn',
    });
  });

  it.each([undefined, null, 'broken', 7, [], {}, new Error('broken')])(
    'an error part with %j is a failure',
    async (error) => {
      const failure = (await answer(version, [{ type: 'error', error }])).error;
      expect(failure).toMatchObject({ retryable: true });
    },
  );

  it('no stream is a fault of the object, told once', async () => {
    const model: FakeModel = { ...fakeModel(version, []), doStream: async () => ({ stream: [] }) };
    expect((await ask(model)).error).toMatchObject({ kind: 'invalid_request', retryable: false });
  });

  it('a limit of time that the object has of its own is one', async () => {
    const reject = new DOMException('The operation timed out.', 'TimeoutError');
    expect((await answer(version, { reject })).error).toMatchObject({ kind: 'timeout', retryable: true });
  });

  it('one that never says which addresses it takes ends by the limit', async () => {
    const model = fakeModel(version, [[...textParts('x')]], { supportedUrls: new Promise(() => undefined) });
    const { error } = await ask(model, { limits: { requestTimeoutMs: 40, streamIdleMs: 40 } });
    expect(error).toMatchObject({ kind: 'timeout' });
  });

  it('a call that the output limit cut does not run, also if metadata of it follow', async () => {
    const cut = callParts('a', 'Probe', {}, { providerMetadata: { fake: { thoughtSignature: 'ts' } } });
    const model = fakeModel(version, [
      [...cut, finish(version, 'length')],
      [...textParts('Done.'), finish(version, 'stop')],
    ]);
    const probe = probeTool();
    const engine = await engineOver(createAiSdkProvider(model, clock), [probe]);
    expect(lastResult(await collect(engine.submitMessage('Go.')))).toMatchObject({ result: 'Done.' });
    await engine.close();
    expect(probe.runs).toEqual([]);
    expect(JSON.stringify(model.calls[1])).toContain('cut off by the output limit');
  });
});
