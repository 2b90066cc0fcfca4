import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryHost, type MemoryHost } from '../../src/host/memory/memory-host.js';
import {
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
} from '../../src/sdk/sessions.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn } from '../../src/session/store/session-places.js';
import { plainStore } from '../support/plain-store.js';
import { answer, type Line, prompt, toText, transcriptLines } from '../support/transcripts.js';

const HOME = '/home/user/.turnwright';
const FOLDER = `${HOME}/projects/-project`;
const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });
const result = (id: string) =>
  prompt([{ type: 'tool_result', tool_use_id: id, content: id }], { toolUseResult: { id } });
const reply = (id: string, ...content: object[]): Line => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'claude-x', content, stop_reason: 'tool_use', usage: { input_tokens: 1 } },
});

/** A reply of two calls whose answers branch off, as other writers keep it; then a compaction; then one more turn. */
function conversation(): { lines: Line[]; uuid: Record<string, string> } {
  const uuid: Record<string, string> = {};
  for (const name of ['p1', 'a1', 'a1b', 'r1', 'r2', 'a2', 'note', 'a3', 'boundary', 'sum', 'p2', 'a4'])
    uuid[name] = randomUUID();
  const named = (name: string, line: Line, parent?: string | null): Line => ({
    ...line,
    uuid: uuid[name],
    ...(parent === undefined ? {} : { parentUuid: parent === null ? null : uuid[parent] }),
  });
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    parentUuid: null,
    logicalParentUuid: uuid['a3'],
    compactMetadata: { trigger: 'auto', preTokens: 10, preservedSegment: { headUuid: uuid['p1'] } },
  };
  const lines = transcriptLines(
    [
      named('p1', prompt('first')),
      named('a1', reply('m1', call('t1'))),
      named('a1b', reply('m1', call('t2'))),
      named('r1', result('t1'), 'a1'),
      named('r2', result('t2'), 'a1b'),
      named('a2', answer('ok')),
      named('note', prompt('for the model', { isMeta: true })),
      named('a3', answer('ok too')),
      named('boundary', { ...boundary, type: 'user' }),
      named('sum', prompt('summary', { isCompactSummary: true }), 'boundary'),
      named('p2', prompt('second')),
      named('a4', answer('end')),
      { type: 'custom-title', customTitle: 'Mine' },
      { type: 'tag', tag: 'kept here' },
      { type: 'turnwright-state', leafUuid: uuid['a4'], state: { turns: 3 } },
    ],
    { sessionId: ID, cwd: '/project' },
  ).map((line) => (line['uuid'] === uuid['boundary'] ? { ...line, ...boundary } : line));
  return { lines, uuid };
}

function machine(lines: readonly Line[]): MemoryHost {
  const host = createMemoryHost();
  host.fs.addFile(`${FOLDER}/${ID}.jsonl`, toText(lines));
  return host;
}

const linesOf = (host: MemoryHost, sessionId: string) =>
  (host.files()[`${FOLDER}/${sessionId}.jsonl`] ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('getSessionMessages', () => {
  const { lines, uuid } = conversation();
  const names = new Map(Object.entries(uuid).map(([name, id]) => [id, name]));
  const host = machine(lines);
  const read = async (options: object = {}) =>
    (await getSessionMessages(ID, { host, ...options })).map((message) => names.get(message.uuid));

  it('gives what a resumed session goes on with, or all of it', async () => {
    expect(await read()).toEqual(['sum', 'p2', 'a4']);
    expect(await read({ includeSystemMessages: true })).toEqual(['boundary', 'sum', 'p2', 'a4']);
    expect(await read({ view: 'historical' })).toEqual(['p1', 'a1', 'a1b', 'r1', 'r2', 'a2', 'a3', 'p2', 'a4']);
    expect(await read({ offset: 1, limit: 1 })).toEqual(['p2']);
    expect(await read({ dir: '/elsewhere' })).toEqual([]);
    expect(await getSessionMessages(OTHER, { host })).toEqual([]);
  });

  it('has the fields of the published SDKs', async () => {
    const [system, , second] = await getSessionMessages(ID, { host, includeSystemMessages: true });
    expect(system).toMatchObject({
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto', pre_tokens: 10 },
      parent_tool_use_id: null,
      parent_agent_id: null,
    });
    expect(second).toMatchObject({
      type: 'user',
      session_id: ID,
      message: { role: 'user', content: 'second' },
      timestamp: expect.any(String) as string,
    });
    const historical = await getSessionMessages(ID, { host, view: 'historical' });
    expect(historical[3]).toMatchObject({ type: 'user', tool_use_result: { id: 't1' } });
  });

  it('reads a store as it reads the disk', async () => {
    const sessionStore = plainStore();
    await sessionStore.append({ projectKey: '-project', sessionId: ID }, lines as { type: string }[]);
    expect(await read({ sessionStore })).toEqual(await read());
    expect(await read({ sessionStore, view: 'historical' })).toEqual(await read({ view: 'historical' }));
    expect(await getSessionMessages(OTHER, { host, sessionStore })).toEqual([]);
  });

  it('refuses what it cannot understand', async () => {
    await expect(read({ view: 'all' })).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(read({ limit: Number.NaN })).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(getSessionMessages('../x', { host })).rejects.toMatchObject({ code: 'session_invalid' });
    host.failNext('openRead', 'EACCES');
    await expect(read()).rejects.toMatchObject({ code: 'session_invalid' });
  });
});

describe('subagents', () => {
  const subagent = (agentId: string) =>
    toText(
      transcriptLines([prompt('task', { isSidechain: true, agentId }), answer('did', { isSidechain: true, agentId })], {
        sessionId: ID,
      }),
    );

  it('are listed and read, with who started them', async () => {
    const host = machine(conversation().lines);
    const folder = `${FOLDER}/${ID}/subagents`;
    host.fs.addFile(`${folder}/agent-b2.jsonl`, subagent('b2'));
    host.fs.addFile(`${folder}/agent-a1.jsonl`, subagent('a1'));
    host.fs.addFile(`${folder}/agent-a1.meta.json`, '{"toolUseId":"t1","parentAgentId":"b2"}');
    host.fs.addFile(`${folder}/agent-b2.meta.json`, 'not json');
    host.fs.addFile(`${folder}/agent-..jsonl`, 'x');
    host.fs.addDirectory(`${folder}/agent-c3.jsonl`);
    expect(await listSubagents(ID, { host })).toEqual(['a1', 'b2']);
    expect(await listSubagents(OTHER, { host })).toEqual([]);
    const messages = await getSubagentMessages(ID, 'a1', { host });
    expect(messages).toMatchObject([
      { type: 'user', parent_tool_use_id: 't1', parent_agent_id: 'b2', message: { content: 'task' } },
      { type: 'assistant', parent_tool_use_id: 't1' },
    ]);
    expect(
      (await getSubagentMessages(ID, 'b2', { host, offset: 1 })).map((message) => message.parent_tool_use_id),
    ).toEqual([null]);
    expect(await getSubagentMessages(ID, 'none', { host })).toEqual([]);
    for (const agentId of ['../x', '', 'a/b', '.']) {
      await expect(getSubagentMessages(ID, agentId, { host })).rejects.toMatchObject({ code: 'config_invalid' });
    }
  });

  it('of a store need listSubkeys to be listed', async () => {
    const host = createMemoryHost();
    const entries = transcriptLines([prompt('task', { isSidechain: true })], { sessionId: ID }) as { type: string }[];
    const key = { projectKey: '-project', sessionId: ID, subpath: 'subagents/agent-a1' };
    const sessionStore = plainStore('listSubkeys');
    await sessionStore.append(key, entries);
    await sessionStore.append({ ...key, subpath: 'other/thing' }, entries);
    expect(await listSubagents(ID, { host, sessionStore })).toEqual(['a1']);
    expect((await getSubagentMessages(ID, 'a1', { host, sessionStore })).length).toBe(1);
    await expect(listSubagents(ID, { host, sessionStore: plainStore() })).rejects.toMatchObject({
      code: 'not_supported',
    });
  });
});

describe('forkSession', () => {
  it('copies all branches under new ids, and leaves the original alone', async () => {
    const { lines, uuid } = conversation();
    const host = machine(lines);
    const before = host.files()[`${FOLDER}/${ID}.jsonl`];
    const { sessionId } = await forkSession(ID, { host });
    expect(host.files()[`${FOLDER}/${ID}.jsonl`]).toBe(before);
    const fork = linesOf(host, sessionId);
    expect(fork.map((line) => line['type'])).toEqual([
      ...lines.slice(0, 12).map((line) => line['type']),
      'custom-title',
      'turnwright-state',
    ]);
    const text = JSON.stringify(fork);
    for (const line of fork.slice(0, 12)) {
      const { forkedFrom, uuid: fresh } = line as { forkedFrom: { messageUuid: string }; uuid: string };
      expect(forkedFrom).toEqual({ sessionId: ID, messageUuid: expect.any(String) as string });
      expect(fresh).not.toBe(forkedFrom.messageUuid);
      // The original's uuid stands only where it is named as such.
      expect(text.split(forkedFrom.messageUuid).length).toBe(2);
    }
    const freshOf = new Map(
      fork.map((line) => [(line['forkedFrom'] as { messageUuid?: string } | undefined)?.messageUuid, line['uuid']]),
    );
    expect(fork.slice(0, 12).map((line) => line['parentUuid'])).toEqual(
      lines
        .slice(0, 12)
        .map((line) => (line['parentUuid'] === null ? null : freshOf.get(line['parentUuid'] as string))),
    );
    expect(fork[8]).toMatchObject({
      logicalParentUuid: freshOf.get(uuid['a3'] as string),
      compactMetadata: { preservedSegment: { headUuid: freshOf.get(uuid['p1'] as string) } },
    });
    expect(fork[13]).toMatchObject({ leafUuid: freshOf.get(uuid['a4'] as string), sessionId, state: { turns: 3 } });
    expect(fork.every((line) => line['sessionId'] === sessionId)).toBe(true);
    const [read, forked] = [await getSessionMessages(ID, { host }), await getSessionMessages(sessionId, { host })];
    expect(forked.map(({ message }) => message)).toEqual(read.map(({ message }) => message));
    const info = await getSessionInfo(sessionId, { host });
    expect(info).toMatchObject({ customTitle: 'Mine (fork)', firstPrompt: 'first' });
    expect(info).not.toHaveProperty('tag');
    expect((await resumeSession(host, placeIn(FOLDER, sessionId))).messages.length).toBe(3);
  });

  it.each([
    ['p1', ['p1']],
    ['a1b', ['p1', 'a1', 'a1b']],
    ['r1', ['p1', 'a1', 'a1b', 'r1']],
    ['a3', ['p1', 'a1', 'a1b', 'r1', 'r2', 'a2', 'note', 'a3']],
    ['boundary', ['p1', 'a1', 'a1b', 'r1', 'r2', 'a2', 'note', 'a3']],
    ['sum', ['p1', 'a1', 'a1b', 'r1', 'r2', 'a2', 'note', 'a3', 'boundary', 'sum']],
  ])('ends with the message %s', async (name, expected) => {
    const { lines, uuid } = conversation();
    const host = machine(lines);
    const { sessionId } = await forkSession(ID, { host, upToMessageId: uuid[name] as string, title: 'Branch' });
    const names = new Map(Object.entries(uuid).map(([key, id]) => [id, key]));
    const origins = linesOf(host, sessionId)
      .slice(0, -2)
      .map((line) => names.get((line['forkedFrom'] as { messageUuid: string }).messageUuid));
    expect(origins).toEqual(expected);
    expect(linesOf(host, sessionId).at(-2)).toEqual({ type: 'custom-title', customTitle: 'Branch', sessionId });
  });

  it('copies what is whole of a damaged transcript, and nothing that was signed and is not whole', async () => {
    const { lines } = conversation();
    const host = createMemoryHost();
    const signed = reply('m9', { type: 'thinking', thinking: 'LOST', signature: 's' }, { type: 'text', text: 'kept' });
    const [last] = transcriptLines([signed], { sessionId: ID });
    const broken = new TextEncoder().encode(
      `${toText(lines.slice(0, 3))}{"half\n\0\0\n${toText([last as Line])}{"type":"user","uu`,
    );
    const at = new TextDecoder('latin1').decode(broken).indexOf('LOST');
    broken[at] = 0xff;
    host.fs.addFile(`${FOLDER}/${ID}.jsonl`, broken);
    const { sessionId } = await forkSession(ID, { host });
    const fork = linesOf(host, sessionId);
    expect(fork.length).toBe(6);
    expect(fork[3]).toMatchObject({ message: { content: [{ type: 'text', text: 'kept' }] } });
    expect(JSON.stringify(fork)).not.toContain('signature');
  });

  it('leaves nothing behind if it fails', async () => {
    const { lines } = conversation();
    const host = machine(lines);
    const before = host.files();
    const failures: readonly [object, string][] = [
      [{ upToMessageId: randomUUID() }, 'session_invalid'],
      [{ upToMessageId: 5 as never }, 'config_invalid'],
      [{ title: `AKIA${'IOSFODNN7EXAMPL2'} and ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8` }, 'config_invalid'],
      [{ title: ' ' }, 'config_invalid'],
      [{ dir: '/elsewhere' }, 'session_not_found'],
    ];
    for (const [options, code] of failures) {
      await expect(forkSession(ID, { host, ...options })).rejects.toMatchObject({ code });
      expect(host.files()).toEqual(before);
    }
    for (const operation of ['append', 'sync', 'rename', 'read', 'openAppend'] as const) {
      host.failNext(operation, 'EIO');
      await expect(forkSession(ID, { host })).rejects.toMatchObject({ code: 'session_invalid' });
      expect(host.files()).toEqual(before);
    }
    await expect(forkSession('../../x', { host })).rejects.toMatchObject({ code: 'session_invalid' });
  });

  it('forks within a store', async () => {
    const { lines } = conversation();
    const host = createMemoryHost();
    const sessionStore = plainStore('listSessions');
    await sessionStore.append({ projectKey: '-project', sessionId: ID }, lines as { type: string }[]);
    const { sessionId } = await forkSession(ID, { host, sessionStore });
    expect((await listSessions({ host, sessionStore })).map((info) => info.summary).sort()).toEqual([
      'Mine',
      'Mine (fork)',
    ]);
    expect((await getSessionMessages(sessionId, { host, sessionStore })).length).toBe(3);
    expect(host.files()).toEqual({});
    await expect(forkSession(OTHER, { host, sessionStore })).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('importSessionToStore', () => {
  it('copies the session and its subagents in batches, and may be repeated', async () => {
    const { lines } = conversation();
    const host = machine([...lines, { type: 'user', uuid: 1 } as Line]);
    host.fs.addFile(
      `${FOLDER}/${ID}/subagents/agent-a1.jsonl`,
      toText(transcriptLines([prompt('task')], { sessionId: ID })),
    );
    const store = plainStore('listSubkeys');
    await importSessionToStore(ID, store, { host, batchSize: 7 });
    expect(store.calls).toEqual([
      `append ${ID} 7`,
      `append ${ID} 7`,
      `append ${ID} 2`,
      `append ${ID} subagents/agent-a1 1`,
    ]);
    expect(store.data.get(`-project|${ID}|`)).toEqual([...lines, { type: 'user', uuid: 1 }]);
    const withUuid = () => [...store.data.values()].flat().filter(({ uuid }) => typeof uuid === 'string').length;
    const count = withUuid();
    await importSessionToStore(ID, store, { host });
    expect(withUuid()).toBe(count);
    const alone = plainStore();
    await importSessionToStore(ID, alone, { host, dir: '/project', includeSubagents: false });
    expect([...alone.data.keys()]).toEqual([`-project|${ID}|`]);
  });

  it('refuses what it cannot do', async () => {
    const host = machine(conversation().lines);
    await expect(importSessionToStore(OTHER, plainStore(), { host })).rejects.toMatchObject({
      code: 'session_not_found',
    });
    await expect(importSessionToStore(ID, {} as never, { host })).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(importSessionToStore(ID, plainStore(), { host, batchSize: 0 })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    const failing = { ...plainStore(), append: () => Promise.reject(new Error('quota')) };
    await expect(importSessionToStore(ID, failing, { host })).rejects.toThrow('quota');
  });
});
