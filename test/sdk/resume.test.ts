// The options that go on with an earlier session: which one, from where, and in whose name.
import { mkdir, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { MessageParam } from '../../src/protocol/content.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const host = createNodeHost();
const ID = '22222222-2222-4222-8222-222222222222';
const OTHER = '33333333-3333-4333-8333-333333333333';

const PRICED = 'claude-sonnet-4-5';
/** The model as one whose price is known. */
const priced = (model: ScriptedModel) => ({ id: 'anthropic', stream: model.stream });

interface Place {
  readonly cwd: string;
  readonly home: string;
  /** Where the transcripts of `cwd` are. */
  readonly folder: string;
}

async function place(home?: string): Promise<Place> {
  const cwd = await temporaryFolder();
  const at = home ?? (await temporaryFolder());
  return { cwd, home: at, folder: await projectFolder(host, at, cwd) };
}

function run({ cwd, home }: Place, prompt: string, model: ScriptedModel, more: Options = {}): Promise<SDKMessage[]> {
  const options = { provider: model, cwd, env: { TURNWRIGHT_HOME: home }, limits: { maxRetries: 0 }, ...more };
  return collect(query({ prompt, options }));
}

/** One session of prompts, each answered by "answer to …". */
async function talk(at: Place, prompts: readonly string[], more: Options = {}): Promise<string> {
  let resume: string | undefined;
  for (const prompt of prompts) {
    const answer = scriptedModel([text(`answer to ${prompt}`)]);
    const options = resume === undefined ? more : { resume };
    resume = lastResult(await run(at, prompt, answer, options)).session_id;
  }
  return resume ?? '';
}

const readLines = async (at: Place, id: string) =>
  (await readFile(path.join(at.folder, `${id}.jsonl`), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const entriesOf = async (at: Place, id: string) =>
  (await readLines(at, id)).filter(({ type }) => type === 'user' || type === 'assistant');

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.code] : []));

const saidTo = (model: ScriptedModel): readonly MessageParam[] => model.requests[0]?.messages ?? [];
const prompts = (messages: readonly MessageParam[]) =>
  messages.flatMap(({ role, content }) => (role === 'user' && typeof content === 'string' ? [content] : []));

describe('forkSession', () => {
  it('goes on in a session of its own, and leaves the other as it is', async () => {
    const at = await place();
    const parent = await talk(at, ['one', 'two'], { sessionId: ID });
    const before = await readFile(path.join(at.folder, `${parent}.jsonl`), 'utf8');
    const model = scriptedModel([text('in the fork')]);
    const result = lastResult(await run(at, 'three', model, { resume: parent, forkSession: true }));
    expect(prompts(saidTo(model))).toEqual(['one', 'two', 'three']);
    expect(await readFile(path.join(at.folder, `${parent}.jsonl`), 'utf8')).toBe(before);

    const [old, forked] = [await entriesOf(at, parent), await entriesOf(at, result.session_id)];
    expect(forked).toHaveLength(6);
    expect(forked.every(({ sessionId }) => sessionId === result.session_id)).toBe(true);
    expect(forked.slice(0, 4).map(({ message }) => message)).toEqual(old.map(({ message }) => message));
    expect(forked.slice(0, 4).map(({ forkedFrom }) => forkedFrom)).toEqual(
      old.map(({ uuid }) => ({ sessionId: parent, messageUuid: uuid })),
    );
    // New ids, in one chain.
    const ids = forked.map(({ uuid }) => uuid);
    expect(new Set([...ids, ...old.map(({ uuid }) => uuid)]).size).toBe(10);
    expect(forked.map(({ parentUuid }) => parentUuid)).toEqual([null, ...ids.slice(0, 5)]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const title = (await readLines(at, result.session_id)).find(({ type }) => type === 'custom-title');
    expect(title).toMatchObject({ customTitle: 'one (fork)', sessionId: result.session_id });
  });

  it('takes the given id, starts from a given message, and can be resumed and forked again', async () => {
    const at = await place();
    const parent = await talk(at, ['one', 'two', 'three']);
    const [, answer] = await entriesOf(at, parent);
    const fork = { resume: parent, forkSession: true, resumeSessionAt: String(answer?.uuid) };
    await run(at, 'other', scriptedModel([text('ok')]), { ...fork, sessionId: OTHER });
    const model = scriptedModel([text('ok')]);
    await run(at, 'more', model, { resume: OTHER });
    expect(prompts(saidTo(model))).toEqual(['one', 'other', 'more']);
    expect(JSON.stringify(await readLines(at, OTHER))).not.toContain('three');
    const again = scriptedModel([text('ok')]);
    const third = lastResult(await run(at, 'again', again, { resume: OTHER, forkSession: true }));
    expect(prompts(saidTo(again))).toEqual(['one', 'other', 'more', 'again']);
    const [first] = await entriesOf(at, third.session_id);
    expect(first?.forkedFrom).toMatchObject({ sessionId: OTHER });
  });

  it('has spent nothing yet, and has the todos', async () => {
    const at = await place();
    const todos = [{ id: '1', content: 'think', status: 'pending' }];
    const first = scriptedModel([toolCall('TodoWrite', { todos }), text('ok')]);
    const { session_id: resume, usage } = lastResult(await run(at, 'plan', first, { allowedTools: ['TodoWrite'] }));
    const forked = lastResult(await run(at, 'x', scriptedModel([text('ok')]), { resume, forkSession: true }));
    expect(forked.usage.output_tokens).toBeLessThan(usage.output_tokens);
    const [state] = (await readLines(at, forked.session_id)).filter(({ type }) => type === 'turnwright-state');
    expect(state).toMatchObject({ state: { ledger: { models: {} }, todos } });
  });

  it('carries what belongs to the session, under its own ids', async () => {
    const at = await place();
    const parent = await talk(at, ['one']);
    const [prompt] = await entriesOf(at, parent);
    const own = path.join(at.folder, parent);
    await mkdir(path.join(own, 'subagents'), { recursive: true });
    await mkdir(path.join(own, 'checkpoints', 'blobs'), { recursive: true });
    await mkdir(path.join(own, 'tool-results'), { recursive: true });
    const aside = { parentUuid: null, uuid: OTHER, isSidechain: true, sessionId: parent, type: 'user', message: {} };
    await writeFile(path.join(own, 'subagents', 'agent-1.jsonl'), `${JSON.stringify(aside)}\nnot json\n{"half`);
    await writeFile(path.join(own, 'subagents', 'agent-1.meta.json'), JSON.stringify({ sessionId: parent, a: 1 }));
    await writeFile(
      path.join(own, 'checkpoints', 'journal.jsonl'),
      `${JSON.stringify({ type: 'prompt', uuid: prompt?.uuid })}\n`,
    );
    await writeFile(path.join(own, 'checkpoints', 'blobs', 'abc'), Buffer.from([0, 255, 1]));
    await writeFile(path.join(own, 'tool-results', 'a.txt'), 'named by its path');
    const { session_id: id } = lastResult(
      await run(at, 'x', scriptedModel([text('ok')]), { resume: parent, forkSession: true }),
    );
    const copy = path.join(at.folder, id);
    expect((await readdir(copy)).sort()).toEqual(['checkpoints', 'subagents']);
    const [line, ...rest] = (await readFile(path.join(copy, 'subagents', 'agent-1.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ sessionId: id, isSidechain: true });
    expect(rest).toEqual(['not json', '{"half']);
    expect(JSON.parse(await readFile(path.join(copy, 'subagents', 'agent-1.meta.json'), 'utf8'))).toEqual({
      sessionId: id,
      a: 1,
    });
    const [forked] = await entriesOf(at, id);
    expect(JSON.parse(await readFile(path.join(copy, 'checkpoints', 'journal.jsonl'), 'utf8'))).toMatchObject({
      uuid: forked?.uuid,
    });
    expect(await readFile(path.join(copy, 'checkpoints', 'blobs', 'abc'))).toEqual(Buffer.from([0, 255, 1]));
  });

  it('writes nothing with persistSession false', async () => {
    const at = await place();
    const parent = await talk(at, ['one']);
    const model = scriptedModel([text('ok')]);
    await run(at, 'two', model, { resume: parent, forkSession: true, persistSession: false });
    expect(prompts(saidTo(model))).toEqual(['one', 'two']);
    expect(await readdir(at.folder)).toEqual([`${parent}.jsonl`]);
  });

  it('sends at every message what the other session had sent, byte for byte', async () => {
    const at = await place();
    const calls = (n: number) => [1, 2, 3, 4].map((k) => toolCall('Glob', { pattern: `${n}-${k}` }, `toolu_${n}_${k}`));
    const script: ScriptedStep[] = [
      reply(thinking('first \ud800 thought', 'c2ln'), text('looking'), ...calls(1)),
      reply(thinking('second', 'c2lnbg=='), ...calls(2)),
      text('done'),
    ];
    const first = scriptedModel(script);
    const parent = lastResult(await run(at, 'go', first)).session_id;
    const second = scriptedModel([reply(...calls(3)), text('end')]);
    expect(lastResult(await run(at, 'more', second, { resume: parent })).subtype).toBe('success');
    const sent = [...first.requests, ...second.requests].map(({ messages }) => messages);
    const entries = await entriesOf(at, parent);
    expect(entries).toHaveLength(19); // the last of them was never sent
    for (const { uuid } of entries.slice(0, -1)) {
      for (const forkSession of [true, false]) {
        const model = scriptedModel([text('ok')]);
        const options = { resume: parent, resumeSessionAt: String(uuid), forkSession };
        await run(at, 'and now', model, { ...options, persistSession: false });
        const messages = saidTo(model);
        expect(JSON.stringify(messages)).toContain('and now');
        // All but the last message, which the new prompt is a part of or follows, was sent before as it is.
        const prefix = JSON.stringify(messages.slice(0, -1)).slice(0, -1);
        expect(sent.some((earlier) => JSON.stringify(earlier).startsWith(prefix))).toBe(true);
      }
    }
    // At the end of a turn the whole request of the other session is the beginning of the fork's.
    for (const request of [...first.requests.slice(1), ...second.requests.slice(1)]) {
      const lastId = JSON.stringify(request.messages.at(-1)).match(/toolu_\d_4/)?.[0] ?? '';
      const entry = entries.find(({ type, message }) => type === 'user' && JSON.stringify(message).includes(lastId));
      const model = scriptedModel([text('ok')]);
      await run(at, 'and now', model, { resume: parent, resumeSessionAt: String(entry?.uuid), forkSession: true });
      const whole = JSON.stringify(request.messages).slice(0, -3);
      expect(JSON.stringify(saidTo(model)).startsWith(whole)).toBe(true);
    }
  });
});

describe('resumeSessionAt', () => {
  it('goes on behind that message; what came after it stays in the file', async () => {
    const at = await place();
    const id = await talk(at, ['one', 'two', 'three']);
    const entries = await entriesOf(at, id);
    const model = scriptedModel([text('other')]);
    await run(at, 'not two', model, { resume: id, resumeSessionAt: String(entries[1]?.uuid) });
    expect(prompts(saidTo(model))).toEqual(['one', 'not two']);
    const next = scriptedModel([text('ok')]);
    await run(at, 'more', next, { continue: true });
    expect(prompts(saidTo(next))).toEqual(['one', 'not two', 'more']);
    const back = scriptedModel([text('ok')]);
    await run(at, 'back', back, { resume: id, resumeSessionAt: String(entries[5]?.uuid) });
    expect(prompts(saidTo(back))).toEqual(['one', 'two', 'three', 'back']);
  });

  it('names messages that there are if there is none of that id', async () => {
    const at = await place();
    const id = await talk(at, ['one']);
    const [, answer] = await entriesOf(at, id);
    const failed = run(at, 'x', scriptedModel([]), { resume: id, resumeSessionAt: OTHER });
    await expect(failed).rejects.toThrow(
      new RegExp(`no message "${OTHER}".*${answer?.uuid} \\(assistant: "answer to one"\\)`),
    );
  });

  it('keeps the cost of the whole session', async () => {
    const at = await place();
    const id = await talk(at, ['one', 'two']);
    const [, answer] = await entriesOf(at, id);
    const plain = lastResult(await run(at, 'x', scriptedModel([text('ok')]), { resume: id, persistSession: false }));
    const cut = lastResult(
      await run(at, 'x', scriptedModel([text('ok')]), {
        resume: id,
        resumeSessionAt: String(answer?.uuid),
        persistSession: false,
      }),
    );
    expect(plain.usage.output_tokens).toBeGreaterThan(3);
    expect(cut.usage.output_tokens).toBe(plain.usage.output_tokens);
  });
});

describe('a message that is named by what is no text', () => {
  it.each([{ resumeSessionAt: 5 }, { resumeSessionAt: null }, { resumeSessionAt: ID, resumeDropsTurn: 5 }])(
    'is refused: %j',
    async (options) => {
      const at = await place();
      const given = { resume: ID, ...options } as never;
      await expect(run(at, 'x', scriptedModel([]), given)).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringMatching(/`resume(SessionAt|DropsTurn)` must be a text, not (a number|null)\./) as string,
      });
    },
  );
});

describe('a switch that is neither on nor off', () => {
  it.each([{ continue: 'yes' }, { resume: ID, forkSession: 'no' }, { resume: ID, forkSession: null }])(
    'is refused: %j',
    async (options) => {
      const at = await place();
      await expect(run(at, 'x', scriptedModel([]), options as never)).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringMatching(/`(continue|forkSession)` must be true or false, not (a text|null)\./) as string,
      });
    },
  );
});

describe('resumeDropsTurn', () => {
  async function three() {
    const at = await place();
    const id = await talk(at, ['one', 'two', 'three']);
    return { at, id, uuids: (await entriesOf(at, id)).map(({ uuid }) => String(uuid)) };
  }

  it('goes on if only that turn is cut off', async () => {
    const { at, id, uuids } = await three();
    const model = scriptedModel([text('ok')]);
    await run(at, 'x', model, { resume: id, resumeSessionAt: uuids[3] ?? '', resumeDropsTurn: uuids[4] ?? '' });
    expect(prompts(saidTo(model))).toEqual(['one', 'two', 'x']);
  });

  it.each([
    ['another prompt would go too', 1, 2, /came later/],
    ['the turn is not among what would go', 3, 2, /is not behind/],
    ['a reply of the turn that is kept would go', 2, 4, /belongs to the turn that is kept/],
    ['the message is not in the conversation', 9, 4, /is not in the conversation/],
  ])('is refused where %s', async (_name, keep, drop, why) => {
    const { at, id, uuids } = await three();
    const options = { resume: id, resumeSessionAt: uuids[keep] ?? OTHER, resumeDropsTurn: uuids[drop] ?? '' };
    const model = scriptedModel([]);
    const messages = await run(at, 'x', model, options);
    const result = lastResult(messages);
    if (result.subtype !== 'error_during_execution') throw new Error(`It ended as ${result.subtype}.`);
    expect(result).toMatchObject({ is_error: true, session_id: id });
    expect(result.errors[0]).toMatch(/^Resume rejected by --resume-drops-turn: /);
    expect(result.errors[0]).toMatch(why);
    expect(await entriesOf(at, id)).toHaveLength(6);
  });
});

describe('sessionId', () => {
  it('is not taken if there is a session of that id', async () => {
    const at = await place();
    await talk(at, ['one'], { sessionId: ID });
    await expect(run(at, 'x', scriptedModel([]), { sessionId: ID })).rejects.toThrow(
      /There is a session 2222.* already/,
    );
    await expect(run(at, 'x', scriptedModel([]), { resume: ID, forkSession: true, sessionId: ID })).rejects.toThrow(
      /already/,
    );
    expect(lastResult(await run(at, 'x', scriptedModel([text('ok')]), { sessionId: OTHER })).session_id).toBe(OTHER);
  });

  it('is taken if a crash left nothing but half of a first line', async () => {
    const at = await place();
    await mkdir(at.folder, { recursive: true });
    await writeFile(path.join(at.folder, `${ID}.jsonl`), '{"parentUuid":null,"isSidechain":false,"mess');
    await run(at, 'one', scriptedModel([text('ok')]), { sessionId: ID });
    const model = scriptedModel([text('ok')]);
    const messages = await run(at, 'two', model, { resume: ID });
    expect(prompts(saidTo(model))).toEqual(['one', 'two']);
    expect(notices(messages)).toEqual([]);
  });

  it.each([
    ['resume and continue', { resume: ID, continue: true }, /different sessions/],
    ['sessionId and resume', { resume: ID, sessionId: OTHER }, /Add forkSession/],
    ['sessionId and continue', { continue: true, sessionId: OTHER }, /Add forkSession/],
    ['forkSession alone', { forkSession: true }, /Name that one by resume/],
    ['resumeSessionAt alone', { resumeSessionAt: ID }, /Name that one by resume/],
    ['resumeDropsTurn alone', { resume: ID, resumeDropsTurn: ID }, /Give both/],
    ['an id that is a path', { resume: '../../../etc/passwd' }, /not the id of a session/],
    ['a new id that is a path', { sessionId: `../${ID}` }, /not the id of a session/],
  ])('refuses %s', async (_name, options, message) => {
    await expect(run(await place(), 'x', scriptedModel([]), options)).rejects.toThrow(message);
  });
});

describe('resume', () => {
  it('names the folder that the session belongs to', async () => {
    const at = await place();
    const id = await talk(at, ['one']);
    const elsewhere = await place(at.home);
    const failed = run(elsewhere, 'x', scriptedModel([]), { resume: id });
    await expect(failed).rejects.toThrow(`belongs to another folder: ${at.cwd}`);
    await expect(run(elsewhere, 'x', scriptedModel([]), { resume: OTHER })).rejects.toThrow(/There is no session 3333/);
  });

  it('brings back usage, cost and todos; rules and modes it does not', async () => {
    const at = await place();
    const todos = [{ id: '1', content: 'think', status: 'in_progress' }];
    const first = scriptedModel([
      toolCall('TodoWrite', { todos }),
      toolCall('Bash', { command: 'touch x' }),
      text('ok'),
    ]);
    const price = (model: ScriptedModel) => ({ provider: priced(model), model: PRICED });
    const before = lastResult(
      await run(at, 'plan', first, {
        ...price(first),
        allowedTools: ['TodoWrite', 'Bash'],
        permissionMode: 'acceptEdits',
      }),
    );
    expect(before.permission_denials).toEqual([]);
    const second = scriptedModel([toolCall('Bash', { command: 'touch x' }), text('ok')]);
    const messages = await run(at, 'again', second, { ...price(second), resume: before.session_id });
    const after = lastResult(messages);
    expect(messages[0]).toMatchObject({ permissionMode: 'default' });
    expect(after.permission_denials).toMatchObject([{ tool_name: 'Bash' }]);
    expect(after.total_cost_usd).toBeGreaterThan(before.total_cost_usd);
    expect(after.usage.output_tokens).toBeGreaterThan(before.usage.output_tokens);
    const [, state] = (await readLines(at, before.session_id)).filter(({ type }) => type === 'turnwright-state');
    expect(state).toMatchObject({ state: { todos, turns: 5 } });
  });

  it('counts what was spent before against maxBudgetUsd', async () => {
    const at = await place();
    const model = scriptedModel([{ ...reply(text('ok')), usage: { input_tokens: 100_000, output_tokens: 1 } }]);
    const provider = priced(model);
    const first = lastResult(await run(at, 'one', model, { provider, model: PRICED, maxBudgetUsd: 0.5 }));
    expect(first.total_cost_usd).toBeGreaterThan(0.29);
    const options = { provider, model: PRICED, maxBudgetUsd: 0.3, resume: first.session_id };
    const second = lastResult(await run(at, 'two', model, options));
    expect(second.subtype).toBe('error_max_budget_usd');
    expect(model.calls).toBe(1);
  });

  it('counts replies whose prompt did not end', async () => {
    const at = await place();
    const id = await talk(at, ['one', 'two']);
    const file = path.join(at.folder, `${id}.jsonl`);
    const lines = (await readFile(file, 'utf8')).split('\n');
    const isState = (line: string) => line.includes('"turnwright-state"');
    const whole = lastResult(await run(at, 'x', scriptedModel([text('ok')]), { resume: id, persistSession: false }));
    // Killed before the state of the last prompt, or of any, was written.
    for (const kept of [
      lines.filter((line, n) => !isState(line) || n < lines.findLastIndex(isState)),
      lines.filter((line) => !isState(line)),
    ]) {
      await writeFile(file, kept.join('\n'));
      const again = lastResult(await run(at, 'x', scriptedModel([text('ok')]), { resume: id, persistSession: false }));
      expect(again.usage).toEqual(whole.usage);
    }
  });
});

describe('continue', () => {
  it('takes the session that was spoken in last, whatever was written to the others since', async () => {
    const at = await place();
    const old = await talk(at, ['old']);
    const recent = await talk(at, ['recent']);
    const title = `${JSON.stringify({ type: 'custom-title', customTitle: 'x', sessionId: old })}\n`;
    await writeFile(path.join(at.folder, `${old}.jsonl`), title, { flag: 'a' });
    const future = new Date(Date.now() + 60_000);
    await utimes(path.join(at.folder, `${old}.jsonl`), future, future);
    const model = scriptedModel([text('ok')]);
    expect(lastResult(await run(at, 'x', model, { continue: true })).session_id).toBe(recent);
  });

  it('passes over what is empty, aside, unreadable or no session', async () => {
    const at = await place();
    const id = await talk(at, ['one']);
    const name = (n: number) => path.join(at.folder, `0000000${n}-0000-4000-8000-000000000000.jsonl`);
    const aside = {
      parentUuid: null,
      uuid: OTHER,
      isSidechain: true,
      type: 'user',
      message: { role: 'user', content: 'x' },
    };
    await writeFile(name(1), '');
    await writeFile(name(2), `${JSON.stringify(aside)}\n`);
    await writeFile(name(3), 'not a transcript\n');
    await mkdir(name(4));
    await symlink(path.join(at.folder, `${id}.jsonl`), name(5));
    await writeFile(path.join(at.folder, 'notes.jsonl'), '');
    const future = new Date(Date.now() + 60_000);
    for (const n of [1, 2, 3]) await utimes(name(n), future, future);
    const messages = await run(at, 'x', scriptedModel([text('ok')]), { continue: true });
    expect(lastResult(messages).session_id).toBe(id);
    expect(notices(messages)).toEqual(['transcript_damaged']);
    await rm(path.join(at.folder, `${id}.jsonl`));
    expect(notices(await run(at, 'x', scriptedModel([text('ok')]), { continue: true }))).toContain(
      'no_session_to_continue',
    );
  });
});

describe('a transcript that is none', () => {
  const file = (at: Place) => path.join(at.folder, `${ID}.jsonl`);
  const FIFO = async (at: Place) => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [file(at)]);
  };
  it.each<readonly [string, (at: Place) => Promise<unknown>, RegExp]>([
    ['a directory', (at) => mkdir(file(at)), /not a file, but a directory/],
    ['a FIFO', FIFO, /not a file/],
    ['a symbolic link', (at) => symlink('/etc/passwd', file(at)), /symbolic link, which is not followed/],
    ['empty', (at) => writeFile(file(at), ''), /holds no conversation/],
    [
      'from another tool',
      (at) => writeFile(file(at), 'ELF\0\0\u0001\n{"role":"user","content":"x"}\n'),
      /holds no conversation.*could not be read/,
    ],
    [
      'two gigabytes of nothing',
      async (at) => {
        await writeFile(file(at), '');
        await truncate(file(at), 2_000_000_000);
      },
      /holds no conversation.*too long/,
    ],
    [
      'of another session',
      (at) =>
        writeFile(
          file(at),
          `${JSON.stringify({ parentUuid: null, uuid: OTHER, sessionId: OTHER, type: 'user', message: { role: 'user', content: 'x' } })}\n`,
        ),
      new RegExp(`only lines of another session, ${OTHER}`),
    ],
  ])('%s is refused with a clear word', async (_name, make, message) => {
    const at = await place();
    await mkdir(at.folder, { recursive: true });
    await make(at);
    for (const forkSession of [false, true])
      await expect(run(at, 'x', scriptedModel([]), { resume: ID, forkSession })).rejects.toThrow(message);
    expect(await readdir(at.folder)).toEqual([`${ID}.jsonl`]);
  });
});

describe('a session that somebody writes', () => {
  it('is not resumed, but may be forked, and read by who writes nothing', async () => {
    const at = await place();
    const id = await talk(at, ['one']);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const writing = query({
      prompt: 'two',
      options: {
        provider: scriptedModel([
          async () => {
            await answered;
            return text('at last');
          },
        ]),
        cwd: at.cwd,
        env: { TURNWRIGHT_HOME: at.home },
        resume: id,
      },
    });
    await writing.next();
    for (const options of [{ resume: id }, { continue: true }])
      await expect(run(at, 'x', scriptedModel([]), options)).rejects.toMatchObject({ code: 'session_in_use' });
    for (const options of [{ forkSession: true }, { persistSession: false }]) {
      const model = scriptedModel([text('ok')]);
      await run(at, 'x', model, { resume: id, ...options });
      expect(JSON.stringify(saidTo(model).at(-1)?.content)).toMatch(/"two".*"x"/);
    }
    answer();
    expect(lastResult(await collect(writing)).subtype).toBe('success');
  });
});

describe('large content', () => {
  const LONG = `${'A line of a long text that stands in a file of its own. '.repeat(4_000)}The end.`;

  it('is put back where it stood when the session is resumed', async () => {
    const at = await place();
    const id = await talk(at, [LONG]);
    expect((await readFile(path.join(at.folder, `${id}.jsonl`), 'utf8')).length).toBeLessThan(LONG.length / 2);
    const model = scriptedModel([text('read')]);
    const messages = await run(at, 'what did it say at its end?', model, { resume: id });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(JSON.stringify(LONG));
    expect(messages.filter(({ type }) => type === 'system')).not.toContainEqual(
      expect.objectContaining({ code: 'transcript_damaged' }),
    );
  });

  it('that is gone leaves the line that names it, and is told', async () => {
    const at = await place();
    const id = await talk(at, [LONG]);
    await rm(path.join(at.folder, id, 'blobs'), { recursive: true });
    const model = scriptedModel([text('gone')]);
    const messages = await run(at, 'what did it say at its end?', model, { resume: id });
    expect(lastResult(messages).subtype).toBe('success');
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('The end.');
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'transcript_damaged', message: expect.stringMatching(/large contents? /) }),
    );
  });
});
