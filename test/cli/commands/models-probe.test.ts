// `models probe` against servers that misbehave, and sessions that go by what was kept.
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { runModels } from '../../../src/cli/commands/models.js';
import { query } from '../../../src/sdk/query.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockAnswer, MockApi } from '../../../src/testing/mock/mock-wire.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { temporaryFolder } from '../../support/engine.js';

const QUESTIONS = {
  count: 'numbers from 1 to 30',
  parallel: 'all three at once',
  result: 'Repeat the code',
  call: 'Use the tool',
  value: '17 + 25',
  thinking: '9.11',
} as const;
type Question = keyof typeof QUESTIONS;

const weather = (city: string, days: unknown) => toolCall('get_weather', { city, days });
const written = (city: string) =>
  `<tool_call>\n{"name": "get_weather", "arguments": {"city": "${city}", "days": 2}}\n</tool_call>`;
const GOOD: Readonly<Record<Question, MockAnswer>> = {
  count: text('one\ntwo\nthree\nfour\nfive\nsix'),
  call: weather('Oslo', 2),
  parallel: reply(weather('Oslo', 1), weather('Rome', 1), weather('Cairo', 1)),
  result: text('Snow; the code is quintessence-47.'),
  value: text('{"sum": 42, "even": true}'),
  thinking: reply(thinking('Nine tenths is more.', 'signed'), text('9.9')),
};
const REFUSED = {
  status: 400,
  body: { error: { type: 'invalid_request_error', message: 'This model does not support it.' } },
};

type Answers = Partial<Record<Question, MockAnswer | ((body: { tools?: unknown }) => MockAnswer)>>;

async function server(answers: Answers, api: MockApi = 'openai-chat', chunkSize = 8) {
  const mock = await startMockProvider({
    api,
    chunkSize,
    steps: (body) => {
      const asked = JSON.stringify(body);
      const question = (Object.keys(QUESTIONS) as Question[]).find((one) => asked.includes(QUESTIONS[one]));
      if (question === undefined) return text('Hello.');
      const answer = answers[question] ?? GOOD[question];
      return typeof answer === 'function' ? answer(body as { tools?: unknown }) : answer;
    },
  });
  onTestFinished(() => mock.close());
  return mock;
}

async function terminal(home: string, described: object, typed: string | null = null, more: NodeJS.ProcessEnv = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shown = { out: '', err: '' };
  stdout.on('data', (chunk) => {
    shown.out += String(chunk);
  });
  stderr.on('data', (chunk) => {
    shown.err += String(chunk);
  });
  const isTTY = typed !== null;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  // A line counts only where it is typed after the question was shown.
  stderr.on('data', (chunk) => {
    if (typed !== null && String(chunk).includes('y or n')) stdin.write(typed);
  });
  const io: CliIo = {
    stdin: isTTY ? stdin : Object.assign(Readable.from([]), { isTTY: false }),
    stdout,
    stderr,
    out: createOutput(stdout),
    err: createOutput(stderr),
    env: { TURNWRIGHT_HOME: home, TURNWRIGHT_PROVIDERS: JSON.stringify(described), ...more },
    startedIn: () => home,
    lifetime: new AbortController(),
    exit: () => undefined,
  };
  return { io, shown };
}

/** The profile of a model behind this server. */
async function probed(answers: Answers, api: MockApi = 'openai-chat', chunkSize?: number) {
  const mock = await server(answers, api, chunkSize);
  const home = await temporaryFolder();
  const { io, shown } = await terminal(home, { mine: { api, baseUrl: mock.url, free: true } });
  expect(await runModels(['probe', 'mine/m', '--json'], io)).toBe(0);
  return { profile: JSON.parse(shown.out) as Record<string, unknown>, mock, shown };
}

describe('models probe', () => {
  it.each(['anthropic', 'openai-chat', 'openai-responses'] as const)(
    'finds nothing wrong with a good model: %s',
    async (api) => {
      const { profile, mock } = await probed({}, api);
      expect(profile).toMatchObject({
        model: 'mine/m',
        requests: 6,
        costUsd: 0,
        streaming: true,
        usageTold: true,
        tools: 'native',
        arguments: 'valid',
        parallelCalls: true,
        toolResults: true,
        structuredOutput: 'held',
        problems: [],
      });
      expect(profile['reasoning']).toBe('shown');
      mock.assertClean();
    },
  );

  it.each<[string, Answers, object]>([
    [
      'calls written as text',
      { call: text(written('Oslo')), parallel: text(`${written('Oslo')}\n${written('Rome')}`) },
      { tools: 'text', arguments: 'valid', parallelCalls: true, toolCalls: 'auto' },
    ],
    [
      'arguments as texts',
      { call: weather('Oslo', '2') },
      { tools: 'native', arguments: 'repaired', toolCalls: 'auto' },
    ],
    [
      'arguments that no repair helps',
      { call: weather('Oslo', 'a few') },
      { tools: 'native', arguments: 'wrong', toolCalls: 'auto' },
    ],
    ['one call at a time', { parallel: weather('Oslo', 1) }, { parallelCalls: false }],
    [
      'no calls',
      { call: text('It will snow, I am sure.') },
      { tools: 'none', arguments: null, parallelCalls: null, toolCalls: null },
    ],
    [
      'an API without tools, told of them in words',
      {
        call: ({ tools }) => (tools === undefined ? text(written('Oslo')) : REFUSED),
        parallel: ({ tools }) => (tools === undefined ? text(`${written('Oslo')}\n${written('Rome')}`) : REFUSED),
        result: ({ tools }) => (tools === undefined ? GOOD.result : REFUSED),
      },
      { tools: 'told', arguments: 'valid', parallelCalls: true, toolResults: true, toolCalls: 'text', requests: 7 },
    ],
    ['results of tools that it does not read', { result: text('I cannot know.') }, { toolResults: false }],
    ['a schema that is ignored', { value: text('It is 42.') }, { structuredOutput: 'ignored' }],
    ['a schema in a fence', { value: text('```json\n{"sum": 42, "even": true}\n```') }, { structuredOutput: 'held' }],
    [
      'a schema that is refused',
      { value: REFUSED },
      { structuredOutput: 'refused', problems: [{ question: 'structured output' }] },
    ],
    ['thinking that is refused', { thinking: REFUSED }, { reasoning: 'refused' }],
    ['no reasoning', { thinking: text('9.9') }, { reasoning: 'not shown' }],
    [
      'a stream that is cut',
      { parallel: { blocks: [text('Half')], cutAfterEvents: 2 } },
      { tools: 'native', parallelCalls: null },
    ],
    [
      'usage that is never told',
      { count: { ...reply(text('one\ntwo\nthree\nfour')), malformed: 'no-usage' } },
      { usageTold: false },
    ],
  ])('sees %s', async (_name, answers, expected) => {
    expect((await probed(answers)).profile).toMatchObject(expected);
  });

  it('sees an answer that comes in one piece', async () => {
    expect((await probed({}, 'openai-chat', 10_000)).profile).toMatchObject({ streaming: false });
  });

  it('ends if not even the first question is answered, and says why', async () => {
    const mock = await server({ count: { status: 401, body: { error: { message: 'bad key' } } } });
    const { io } = await terminal(await temporaryFolder(), {
      mine: { api: 'openai-chat', baseUrl: mock.url, free: true },
    });
    await expect(runModels(['probe', 'mine/m'], io)).rejects.toMatchObject({ kind: 'authentication' });
    expect(mock.requests).toHaveLength(1);
  });

  it('waits no longer than the variable for it says', async () => {
    const mock = await server({ count: { stall: true, pings: true, pingEveryMs: 5 } });
    const described = { mine: { api: 'openai-chat', baseUrl: mock.url, free: true } };
    const more = { TURNWRIGHT_REQUEST_TIMEOUT_MS: '50' };
    const { io } = await terminal(await temporaryFolder(), described, null, more);
    await expect(runModels(['probe', 'mine/m'], io)).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('sends nothing that may cost money before it was agreed to', async () => {
    const mock = await server({});
    const home = await temporaryFolder();
    const described = { mine: { api: 'openai-chat', baseUrl: mock.url } };
    const silent = await terminal(home, described);
    await expect(runModels(['probe', 'mine/m'], silent.io)).rejects.toThrow(/Add --yes/);
    expect(silent.shown.err).toBe('Up to 7 small requests to mine/m, at a price that is not known.\n');
    const refusing = await terminal(home, described, 'n\n');
    expect(await runModels(['probe', 'mine/m'], refusing.io)).toBe(1);
    expect(mock.requests).toHaveLength(0);
    const agreeing = await terminal(home, described, 'y\n');
    expect(await runModels(['probe', 'mine/m'], agreeing.io)).toBe(0);
    expect(agreeing.shown.out).toMatch(/^model {13}mine\/m$/m);
    expect(mock.requests).toHaveLength(6);
  });

  it('says what it costs at most, if the price is known', async () => {
    const mock = await server({}, 'anthropic');
    const { io, shown } = await terminal(await temporaryFolder(), {
      anthropic: { baseUrl: mock.url, apiKey: 'test-key-of-mine' },
    });
    expect(await runModels(['probe', 'claude-haiku-4-5', '--yes', '--keep'], io)).toBe(0);
    expect(shown.err).toMatch(
      /^Up to 7 small requests to anthropic\/claude-haiku-4-5, at most \$0\.0\d+\.\nNothing is kept/,
    );
  });

  it('keeps a profile that sessions go by, beside those of other models', async () => {
    const words = ({ tools }: { tools?: unknown }) => (tools === undefined ? text(written('Oslo')) : REFUSED);
    const mock = await server({ call: words, parallel: words });
    const home = await temporaryFolder();
    const described = { mine: { api: 'openai-chat' as const, baseUrl: mock.url, free: true } };
    const { io, shown } = await terminal(home, described);
    await runModels(['probe', 'mine/m', '--keep'], io);
    await runModels(['probe', 'mine/other', '--keep'], io);
    const file = path.join(home, 'model-profiles.json');
    expect(shown.err).toContain(`Kept in ${file}`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      version: 1,
      models: { 'mine/m': { toolCalls: 'text' }, 'mine/other': { toolCalls: 'text' } },
    });

    const env = { TURNWRIGHT_HOME: home };
    const ask = async (model: string, providers: object) => {
      const options = { model, providers: providers as typeof described, env, persistSession: false, cwd: home };
      return lastResult(await collect(query({ prompt: 'Hello.', options }))).subtype;
    };
    const toolsOf = () => (mock.requests.at(-1)?.body as { tools?: unknown } | undefined)?.tools;
    expect(await ask('mine/m', described)).toBe('success');
    expect(toolsOf()).toBeUndefined();
    expect(await ask('mine/third', described)).toBe('success');
    expect(toolsOf()).toBeDefined();
    // What is written down with the provider beats what was found out.
    const written_ = { mine: { ...described.mine, quirks: { toolCallsOf: { m: 'native' } } } };
    expect(await ask('mine/m', written_)).toBe('success');
    expect(toolsOf()).toBeDefined();

    await writeFile(file, '{"version":1,"models":{"mine/m":{"toolCalls":"sometimes"}}}');
    await expect(ask('mine/m', described)).resolves.toBe('error_during_execution');
  });
});
