// How a session of the wire ends, and partial messages: sentence by sentence of what clients rely on.
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { temporaryFolder } from '../e2e/run-cli.js';
import { type Frame, type ServedWireOptions, serveInProcess } from '../support/served-wire.js';

async function serve(steps: readonly MockStep[], options: Partial<ServedWireOptions> = {}) {
  const mock = await startMockProvider({ steps });
  onTestFinished(() => mock.close());
  return { mock, wire: serveInProcess({ url: mock.url, cwd: temporaryFolder(), ...options }) };
}

const typesOf = (frames: readonly Frame[]) =>
  frames.filter(({ type }) => type === 'stream_event').map(({ event }) => (event as { type: string }).type);
const STREAM = [
  ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
  ...['message_delta', 'message_stop'],
];

describe('partial messages', () => {
  it.each([
    ['anthropic', 'claude-sonnet-4-5', 'ANTHROPIC'],
    ['openai-responses', 'openai/gpt-5', 'OPENAI'],
  ] as const)('have one shape whatever the API: %s', async (api, model, name) => {
    const mock = await startMockProvider({
      api,
      steps: [reply(text('Look.'), toolCall('Read', { file_path: 'x' })), text('done')],
    });
    onTestFinished(() => mock.close());
    const wire = serveInProcess({
      url: mock.url,
      cwd: temporaryFolder(),
      flags: ['--include-partial-messages', '--model', model],
      env: {
        [`${name}_API_KEY`]: 'sk-test-0123456789',
        [`${name}_BASE_URL`]: name === 'OPENAI' ? `${mock.url}/v1` : mock.url,
      },
    });
    wire.prompt('go');
    expect(await wire.result(1)).toMatchObject({ subtype: 'success', result: 'done' });
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    const events = wire.frames.filter(({ type }) => type === 'stream_event');
    for (const event of events) {
      expect(event).toMatchObject({
        parent_tool_use_id: null,
        session_id: expect.any(String),
        uuid: expect.any(String),
      });
    }
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length);
    // Each message is told in parts first, then whole.
    const whole = wire.frames.map(({ type }, at) => (type === 'assistant' ? at : -1)).filter((at) => at !== -1);
    expect(whole).toHaveLength(2);
    const [first = 0, second = 0] = whole;
    for (const part of [wire.frames.slice(0, first), wire.frames.slice(first, second)]) {
      const told = typesOf(part);
      expect([...new Set(told)]).toEqual(STREAM);
      expect([told[0], told.at(-1)]).toEqual(['message_start', 'message_stop']);
    }
    expect(typesOf(wire.frames).filter((each) => each === 'content_block_start')).toHaveLength(3);
  });

  it('are not told to who does not ask for them', async () => {
    const { wire } = await serve([text('done')]);
    wire.prompt('go');
    await wire.result(1);
    wire.stdin.end();
    await wire.code;
    expect(typesOf(wire.frames)).toEqual([]);
  });
});

describe('the end', () => {
  it('is 0 without a result if nothing was asked', async () => {
    const { wire } = await serve([]);
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    expect(wire.frames).toEqual([]);
  });

  it('waits for each prompt that was said, and has its exit code of the last', async () => {
    const failing = reply(toolCall('Read', { file_path: 'x' }));
    const flags = ['--max-turns', '1'];
    const good = await serve([failing, text('two')], { flags });
    good.wire.prompt('one');
    good.wire.prompt('two');
    good.wire.stdin.end();
    expect(await good.wire.code).toBe(0);
    const bad = await serve([text('one'), failing], { flags });
    bad.wire.prompt('one');
    bad.wire.prompt('two');
    bad.wire.stdin.end();
    expect(await bad.wire.code).toBe(1);
    const subtypes = ({ frames }: typeof bad.wire) =>
      frames.filter(({ type }) => type === 'result').map(({ subtype }) => subtype);
    expect([subtypes(good.wire), subtypes(bad.wire)]).toEqual([
      ['error_max_turns', 'success'],
      ['success', 'error_max_turns'],
    ]);
  });

  it('of the input stops commands that go on in the background once the last prompt is done', async () => {
    const { wire } = await serve(
      [reply(toolCall('Bash', { command: 'sleep 600', run_in_background: true })), text('started')],
      { flags: ['--allowedTools', 'Bash'], env: { TURNWRIGHT_BACKGROUND_WAIT_MS: '1' } },
    );
    wire.prompt('go');
    expect(await wire.result(1)).toMatchObject({ result: 'started' });
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    expect(wire.frames.filter(({ subtype }) => subtype === 'task_notification')).toMatchObject([{ status: 'stopped' }]);
  });

  it('of the input takes hooks and servers of the client as gone: they are not asked again', async () => {
    const { wire } = await serve([reply(toolCall('Bash', { command: 'true' })), text('done')], {
      flags: ['--allowedTools', 'Bash'],
    });
    await wire.control('initialize', { hooks: { PreToolUse: [{ hookCallbackIds: ['h'] }] } });
    wire.prompt('go');
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    expect(await wire.result(1)).toMatchObject({ subtype: 'success' });
  });
});

describe('a policy of the client', () => {
  it('that names no model keeps the one of the session; one that refuses ends the prompt', async () => {
    const asked: unknown[] = [];
    const { mock, wire } = await serve([text('one')], {
      onFrame(frame) {
        const { subtype, ...request } = (frame['request'] ?? {}) as Record<string, unknown>;
        if (frame.type !== 'control_request' || subtype !== 'get_model_policy') return null;
        asked.push(request);
        const { request_id } = frame;
        const response =
          asked.length === 1
            ? { subtype: 'success', request_id, response: { type: 'get_model_policy' } }
            : { subtype: 'error', request_id, error: 'no model today' };
        return { type: 'control_response', response };
      },
    });
    await wire.control('initialize', { modelPolicyProvider: true });
    wire.prompt('go');
    expect(await wire.result(1)).toMatchObject({ result: 'one' });
    expect(mock.requests[0]?.body).toMatchObject({ model: 'claude-sonnet-4-5' });
    wire.prompt('again');
    expect(await wire.result(2)).toMatchObject({ is_error: true, errors: [expect.stringContaining('no model today')] });
    wire.stdin.end();
    expect(await wire.code).toBe(1);
    expect(asked).toMatchObject([
      { purpose: 'main', turnIndex: 0, models: expect.any(Array), resolvedModel: expect.stringContaining('sonnet') },
      { turnIndex: 1 },
    ]);
  });
});
