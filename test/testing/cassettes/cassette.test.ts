// Exchanges recorded through loopback and played back, and stored sessions replayed as a script.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../../src/index.js';
import {
  createDriftFinder,
  findDrift,
  recordCassette,
  replayCassette,
} from '../../../src/testing/cassettes/cassette.js';
import { createScrubber } from '../../../src/testing/cassettes/cassette-file.js';
import { replayTranscript } from '../../../src/testing/cassettes/replay-transcript.js';
import { fakeHost } from '../../../src/testing/fake-host.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../../src/testing/mock/mock-wire.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { answer, prompt, writeSession } from '../../support/transcripts.js';
import { ask, post, wireBody } from '../support.js';

const KEY = `sk-ant-api03-${'Ab3dEf7h'.repeat(12)}-AA`;

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'cassette-'));
  onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}

/** A cassette of these bodies, asked for one after the other. */
async function record(steps: readonly MockStep[], bodies: readonly unknown[], query = '') {
  const file = path.join(await folder(), 'session.jsonl');
  const mock = await startMockProvider({ steps });
  onTestFinished(() => mock.close());
  const recorder = await recordCassette(file, { upstream: `${mock.url}/gate/` });
  onTestFinished(() => recorder.close().catch(() => undefined));
  const answers: string[] = [];
  for (const body of bodies)
    answers.push((await post(`${recorder.url}/v1/messages${query}`, body).catch(() => CUT)).text);
  return { file, mock, recorder, answers };
}

const CUT = { text: 'cut' };
const FIRST = wireBody([ask('one')]);
const SECOND = wireBody([ask('two')]);

async function play(file: string, options?: Parameters<typeof replayCassette>[1]) {
  const player = await replayCassette(file, options);
  onTestFinished(() => player.close());
  return player;
}

describe('a cassette', () => {
  it('gives the bytes that were recorded', async () => {
    const { file, recorder, answers, mock } = await record([text('Grüße 😀'), text('zwei')], [FIRST, SECOND]);
    expect(existsSync(file)).toBe(false);
    await recorder.close();
    expect(mock.requests[0]?.path).toBe('/gate/v1/messages');
    const player = await play(file);
    expect((await post(`${player.url}/v1/messages`, FIRST)).text).toBe(answers[0]);
    expect(() => player.assertDone()).toThrow(/1 of 2 exchanges were not asked for/);
    expect((await post(`${player.url}/v1/messages`, SECOND)).text).toBe(answers[1]);
    player.assertDone();
  });

  it('runs a whole session again, offline', async () => {
    const steps = [toolCall('Read', { file_path: 'a.txt' }), text('It says hello.')];
    const mock = await startMockProvider({ steps });
    onTestFinished(() => mock.close());
    const file = path.join(await folder(), 'session.jsonl');
    const run = async (url: string) => {
      const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY };
      const host = fakeHost({ files: { '/project/a.txt': 'hello\n' } });
      // The requests travel over the network of this machine, all else is in memory.
      const options = { host, env, persistSession: false };
      return lastResult(await collect(query({ prompt: 'Look.', options }))).result;
    };
    const recorder = await recordCassette(file, { upstream: mock.url });
    const recorded = await run(recorder.url);
    await recorder.close();
    await mock.close();
    expect(recorded).toBe('It says hello.');
    expect(await readFile(file, 'utf8')).not.toContain(KEY);
    const player = await play(file);
    expect(await run(player.url)).toBe(recorded);
    player.assertDone();
  });

  it('grows with what is new in a conversation, and takes requests of another one in between', async () => {
    const long = (who: string, turns: number) => [
      ask(`${who} begins. ${'word '.repeat(200)}`),
      ...Array.from({ length: turns }, (_, at) => [answer(`answer ${at}`).message, ask(`${who} goes on ${at}`)]).flat(),
    ];
    const bodies = Array.from({ length: 12 }, (_, turn) => [
      wireBody(long('one', turn) as never),
      wireBody(long('other', turn) as never),
    ]).flat();
    const { file, recorder, answers } = await record(
      bodies.map((_, at) => text(`said ${at}`)),
      bodies,
    );
    await recorder.close();
    const [, ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('word word'))).toHaveLength(2);
    const player = await play(file);
    expect(player.exchanges.map(({ request }) => request.body)).toEqual(bodies);
    for (const [at, body] of bodies.entries()) {
      expect((await post(`${player.url}/v1/messages`, body)).text).toBe(answers[at]);
    }
    player.assertDone();
  });

  it('is read if it was written before bodies shared what they have in common', async () => {
    const { file, recorder } = await record([text('one')], [FIRST]);
    await recorder.close();
    const written = await readFile(file, 'utf8');
    await writeFile(file, written.replace('"turnwright_cassette":2', '"turnwright_cassette":1'));
    const player = await play(file);
    await post(`${player.url}/v1/messages`, FIRST);
    player.assertDone();
  });

  it('runs in another folder, which it knows by a name', async () => {
    const mock = await startMockProvider({
      chunkSize: 3,
      steps: [toolCall('Read', { file_path: '/project/a.txt' }), text('It is /project/a.txt, not /project-2.')],
    });
    onTestFinished(() => mock.close());
    const file = path.join(await folder(), 'session.jsonl');
    const run = async (url: string, cwd: string) => {
      const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY };
      const host = fakeHost({ files: { [`${cwd}/a.txt`]: 'hello\n' } });
      return collect(query({ prompt: 'Look.', options: { host, env, cwd, persistSession: false } }));
    };
    const recorder = await recordCassette(file, { upstream: mock.url, folders: { project: '/project' } });
    const recorded = await run(recorder.url, '/project');
    await recorder.close();
    expect(await readFile(file, 'utf8')).not.toMatch(/"\/project\/|: \/project\\n/);
    for (const cwd of ['/project', '/some/where.else']) {
      const player = await play(file, { folders: { project: cwd } });
      const again = await run(player.url, cwd);
      player.assertDone();
      expect(JSON.stringify(again).replaceAll(cwd, '/project')).toBe(JSON.stringify(recorded));
    }
    const strange = await play(file);
    await run(strange.url, '/some/where.else');
    expect(strange.problems[0]).toMatch(/system\.\d+\.text: recorded …?".*\{\{project\}\}/);
  });

  it('holds no secret of request or answer', async () => {
    const body = wireBody([ask(`my key is ${KEY}, the word is xyzzy`)]);
    const { file, recorder } = await record([text(`You said ${KEY}.`)], [body], '?key=plainsecret&beta=1');
    await recorder.close();
    const written = await readFile(file, 'utf8');
    expect(written).not.toContain(KEY);
    expect(written).not.toContain('plainsecret');
    expect(written).toContain('beta=1');
    expect(written).toContain('xyzzy');
    const player = await play(file);
    await post(`${player.url}/v1/messages?key=another&beta=1`, body);
    player.assertDone();
  });

  it('says which request differs, and where first', async () => {
    const { file, recorder } = await record([text('one'), text('two')], [FIRST, SECOND]);
    await recorder.close();
    const player = await play(file);
    await post(`${player.url}/v1/messages`, FIRST);
    const answer = await post(`${player.url}/v1/messages`, wireBody([ask('three')]));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('messages.0.content.0.text');
    expect(() => player.assertDone()).toThrow(
      /request 2 was not recorded; against exchange 2, first difference at messages\.0\.content\.0\.text: recorded "two", sent "three"/,
    );
    await post(`${player.url}/v1/messages`, SECOND);
    await post(`${player.url}/v1/messages`, SECOND);
    expect(player.problems.at(-1)).toMatch(/request 4 was not recorded: all exchanges/);
  });

  it('passes over what may differ', async () => {
    const { file, recorder } = await record([text('one')], [FIRST]);
    await recorder.close();
    const player = await play(file, { ignore: ['messages.*.content.0.text', 'max_tokens'] });
    await post(`${player.url}/v1/messages`, wireBody([ask('other')], { max_tokens: 5 }));
    player.assertDone();
  });

  it('answers requests in any order, also at once', async () => {
    const bodies = [1, 2, 3, 4, 5, 6].map((n) => wireBody([ask(`number ${n}`)]));
    const file = path.join(await folder(), 'session.jsonl');
    const mock = await startMockProvider({
      steps: (body) => text(`to ${JSON.stringify(body).match(/number (\d)/)?.[1]}`),
    });
    onTestFinished(() => mock.close());
    const recorder = await recordCassette(file, { upstream: mock.url });
    await Promise.all(bodies.map((body) => post(`${recorder.url}/v1/messages`, body)));
    await recorder.close();
    const player = await play(file);
    const turned = [...bodies].reverse();
    const answers = await Promise.all(turned.map((body) => post(`${player.url}/v1/messages`, body)));
    expect(answers.map(({ text: got }) => got.match(/to (\d)/)?.[1])).toEqual(['6', '5', '4', '3', '2', '1']);
    player.assertDone();
  });

  it('keeps failures: a status, a broken connection', async () => {
    const steps: MockStep[] = [{ status: 529 }, { ...reply(text('never seen whole')), cutAfterEvents: 3 }];
    const { file, recorder } = await record(steps, [FIRST, FIRST]);
    await recorder.close();
    const player = await play(file);
    expect((await post(`${player.url}/v1/messages`, FIRST)).status).toBe(529);
    const cut = await post(`${player.url}/v1/messages`, FIRST).then(
      ({ complete }) => complete,
      () => false,
    );
    expect(cut).toBe(false);
    player.assertDone();
  });

  it('is not written if the API could not be reached, and an earlier one stays', async () => {
    const file = path.join(await folder(), 'session.jsonl');
    await writeFile(file, 'earlier');
    const recorder = await recordCassette(file, { upstream: 'http://127.0.0.1:9' });
    await post(`${recorder.url}/v1/messages`, FIRST).catch(() => undefined);
    await expect(recorder.close()).rejects.toThrow(/was not recorded/);
    expect(await readFile(file, 'utf8')).toBe('earlier');
    expect(existsSync(`${file}.recording`)).toBe(false);
  });

  it('is refused if it is cut, of another version, or none', async () => {
    const { file, recorder } = await record([text('one'), text('two')], [FIRST, SECOND]);
    await recorder.close();
    const whole = await readFile(file, 'utf8');
    const lines = whole.trimEnd().split('\n');
    const refuse = async (content: string, why: RegExp) => {
      await writeFile(file, content);
      await expect(replayCassette(file)).rejects.toThrow(why);
    };
    await refuse(whole.slice(0, -10), /cut or damaged behind exchange 2/);
    await refuse(`${lines.slice(0, 2).join('\n')}\n`, /cut or damaged behind exchange 1/);
    await refuse(whole.replace('"exchange":0', '"exchange":7'), /cut or damaged behind exchange 1/);
    await refuse([lines[0], lines[2], lines[3]].join('\n'), /cut or damaged behind exchange 0/);
    await refuse(
      whole.replace('"turnwright_cassette":2', '"turnwright_cassette":3'),
      /has version 3, this reads 1 and 2/,
    );
    await refuse('{"type":"user"}\n', /is not a cassette/);
    await refuse('', /is not a cassette/);
  });
});

describe('createScrubber', () => {
  it('takes a credential out of what it saw before it knew of it', () => {
    const scrubber = createScrubber();
    const said = 'It is called harmless-word, as far as anybody knows.';
    const body = Buffer.from(JSON.stringify({ note: said, messages: [{ role: 'user', content: said }] }));
    expect(scrubber.body(body)).toEqual({ note: said, messages: [{ role: 'user', content: said }] });
    scrubber.note({ 'x-api-key': 'harmless-word' });
    expect(JSON.stringify(scrubber.body(body))).not.toContain('harmless-word');
  });
});

describe('findDrift', () => {
  it.each([
    [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, undefined],
    [{ a: { b: [1, 2] } }, { a: { b: [1] } }, 'a.b.1'],
    [{ a: 1 }, { a: 1, c: null }, 'c'],
    [[1], { 0: 1 }, ''],
    [{ a: '1' }, { a: 1 }, 'a'],
  ])('between %j and %j', (recorded, sent, where) => {
    expect(findDrift(recorded, sent, [])?.path).toBe(where);
  });

  it('finds what changed in a list that began like an equal one, wherever it is', () => {
    const items = () => Array.from({ length: 5 }, (_, at) => ({ at, text: 'the same' }));
    const [recorded, sent] = [items(), items()];
    const drifts = createDriftFinder([]);
    const find = (one: readonly unknown[], other: readonly unknown[]) =>
      drifts.find({ list: one }, { list: other })?.path;
    expect(find(recorded, sent)).toBeUndefined();
    for (const at of [0, 2, 4]) {
      const changed = { at, text: 'another' };
      expect(find(recorded, sent.with(at, changed))).toBe(`list.${at}.text`);
      expect(find(recorded.with(at, changed), sent)).toBe(`list.${at}.text`);
      expect(find(recorded.with(at, changed), sent.with(at, { ...changed }))).toBeUndefined();
    }
    expect(find([...recorded, 'more'], sent)).toBe('list.5');
    expect(find(recorded, [...sent, 'more'])).toBe('list.5');
    expect(find(recorded, sent)).toBeUndefined();
  });
});

describe('a replayed transcript', () => {
  const call = { type: 'tool_use', id: 'toolu_9', name: 'Read', input: { file_path: 'a.txt' } };
  const result = { type: 'tool_result', tool_use_id: 'toolu_9', content: 'hello' };
  const lines = [
    prompt('Look.'),
    { type: 'assistant', message: { id: 'msg_1', role: 'assistant', content: [call] } },
    prompt([result]),
    answer('It says hello.'),
    prompt('Thanks.'),
    answer('Gladly.'),
  ];

  it('is a script of its replies, with what the user said', async () => {
    const { file } = await writeSession(await folder(), lines, { sessionId: randomUUID() });
    const { model, prompts } = await replayTranscript(file);
    expect(prompts).toEqual(['Look.', 'Thanks.']);
    const host = fakeHost({ files: { '/project/a.txt': 'hello\n' } });
    const said = prompts.map((one) => ({
      type: 'user' as const,
      message: { role: 'user' as const, content: one },
      parent_tool_use_id: null,
    }));
    async function* speak() {
      yield* said;
    }
    const messages = await collect(query({ prompt: speak(), options: { provider: model, host } }));
    const results = messages.flatMap((message) =>
      message.type === 'result' && 'result' in message ? [message.result] : [],
    );
    expect(results.at(-1)).toBe('Gladly.');
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('toolu_9');
    model.assertDone();
  });

  it('is refused if it is none, or cut', async () => {
    const { file } = await writeSession(await folder(), lines);
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, -40));
    await expect(replayTranscript(file)).rejects.toThrow(/Line 6 of .* is not JSON/);
    await writeFile(file, whole.split('\n').slice(2).join('\n'));
    await expect(replayTranscript(file)).rejects.toThrow(/beginning is missing/);
    await writeFile(file, '');
    await expect(replayTranscript(file)).rejects.toThrow(/holds no conversation/);
  });
});
