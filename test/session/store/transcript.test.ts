import { appendFile, chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileError } from '../../../src/host/host.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { resumeSession } from '../../../src/session/store/resume.js';
import { checkSessionId, placeIn, projectFolder, projectKey } from '../../../src/session/store/session-places.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';

const ID = '22222222-2222-4222-8222-222222222222';
const host = createNodeHost();

async function readEntries(home: string, cwd: string): Promise<Record<string, unknown>[]> {
  const folder = await projectFolder(host, home, cwd);
  const [name] = (await readdir(folder)).filter((file) => file.endsWith('.jsonl'));
  const lines = (await readFile(path.join(folder, name ?? ''), 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const noticeCodes = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.code] : []));

describe('the transcript', () => {
  it('has one line a message, each naming the one before it', async () => {
    const model = scriptedModel([toolCall('Probe'), text('done')]);
    const { engine, home, folder } = await testEngine(model, { tools: [probeTool()], sessionId: ID });
    const messages = await collect(engine.submitMessage('go'));
    const lines = await readEntries(home, folder);
    expect(lines.map((entry) => entry.type)).toEqual([
      ...['user', 'assistant', 'user', 'assistant'],
      ...['last-prompt', 'turnwright-state'],
    ]);
    const entries = lines.slice(0, 4);
    expect(entries.map((entry) => entry.parentUuid)).toEqual([null, ...entries.slice(0, 3).map((entry) => entry.uuid)]);
    expect(entries[0]).toMatchObject({
      sessionId: ID,
      isSidechain: false,
      userType: 'external',
      cwd: folder,
      message: { role: 'user', content: 'go' },
    });
    // What was shown has the id under which it is kept.
    expect(messages.filter((message) => message.type === 'assistant').map((message) => message.uuid)).toEqual([
      entries[1]?.uuid,
      entries[3]?.uuid,
    ]);
  });

  it('has the prompt before the request, the call before the tool runs, the result before the next request', async () => {
    const seen: string[][] = [];
    const cwd = await temporaryFolder();
    let home = '';
    const look = async () => void seen.push((await readEntries(home, cwd)).map((entry) => String(entry.type)));
    const probe = probeTool({
      run: async () => {
        await look();
        return 'ok';
      },
    });
    const model = scriptedModel([
      async () => {
        await look();
        return toolCall('Probe');
      },
      async () => {
        await look();
        return text('done');
      },
    ]);
    const test = await testEngine(model, { cwd, tools: [probe] });
    home = test.home;
    await collect(test.engine.submitMessage('go'));
    expect(seen).toEqual([['user'], ['user', 'assistant'], ['user', 'assistant', 'user']]);
  });

  it('is not written with persistSession false', async () => {
    const { engine, home } = await testEngine(scriptedModel([text('hi')]), { persistSession: false });
    await collect(engine.submitMessage('go'));
    expect(await readdir(home)).toEqual([]);
  });

  it('is only for its owner', async () => {
    const { engine, home, folder } = await testEngine(scriptedModel([text('hi')]), { sessionId: ID });
    await collect(engine.submitMessage('go'));
    const stat = await host.fs.stat(path.join(await projectFolder(host, home, folder), `${ID}.jsonl`));
    expect(stat.mode & 0o077).toBe(0);
  });

  it('says once that it cannot be written, and the session goes on', async () => {
    const blocked = path.join(await temporaryFolder(), 'a-file');
    await writeFile(blocked, '');
    const { engine } = await testEngine(scriptedModel([text('one'), text('two')]), {
      env: { TURNWRIGHT_HOME: blocked },
    });
    const first = await collect(engine.submitMessage('go'));
    expect(first.filter((message) => message.type === 'system' && message.subtype === 'notice')).toEqual([
      expect.objectContaining({ code: 'transcript_unavailable', remedy: expect.stringContaining('TURNWRIGHT_HOME') }),
    ]);
    expect(lastResult(first).subtype).toBe('success');
    const second = await collect(engine.submitMessage('again'));
    expect(second.filter((message) => message.type === 'system' && message.subtype === 'notice')).toEqual([]);
  });

  it('says that it is written again, and then has what waited', async () => {
    let isFull = true;
    const memory = createMemoryHost({
      cwd: '/project',
      homedir: '/home/u',
      onOperation: (operation, at) => {
        if (isFull && operation === 'openAppend') throw new FileError('ENOSPC', at, 'no space left');
      },
    });
    const { engine } = await testEngine(scriptedModel([text('one'), text('two')]), {
      host: memory,
      cwd: '/project',
      env: { TURNWRIGHT_HOME: '/home/u/.turnwright' },
    });
    const first = await collect(engine.submitMessage('go'));
    expect(noticeCodes(first)).toEqual(['transcript_unavailable']);
    isFull = false;
    const second = await collect(engine.submitMessage('again'));
    expect(noticeCodes(second)).toEqual(['transcript_recovered']);
    const [, written = ''] = Object.entries(memory.files()).find(([name]) => name.endsWith('.jsonl')) ?? [];
    expect(written).toContain('"go"');
    expect(written).toContain('two');
  });

  it('says that messages are lost once memory does not hold them any more, and of whom', async () => {
    const memory = createMemoryHost({
      cwd: '/project',
      homedir: '/home/u',
      onOperation: (operation, at) => {
        if (operation === 'openAppend') throw new FileError('ENOSPC', at, 'no space left');
      },
    });
    const long = 'x'.repeat(12 * 1024 * 1024);
    const { engine } = await testEngine(scriptedModel([text(long), text(long), text(long), text('end')]), {
      host: memory,
      cwd: '/project',
      env: { TURNWRIGHT_HOME: '/home/u/.turnwright' },
      redactSecrets: false,
      contextWindow: 100_000_000,
    });
    const messages: SDKMessage[] = [];
    for (const prompt of ['1', '2', '3', '4']) messages.push(...(await collect(engine.submitMessage(prompt))));
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'session_writes_lost', error_code: 'ENOSPC', lost: ['transcript'] }),
    );
    expect(noticeCodes(messages)).toContain('transcript_entries_lost');
  });

  it('survives the failure of every single file operation, without a silent loss', async () => {
    const count = async (failAt: number): Promise<{ operations: number; ok: boolean }> => {
      let operations = 0;
      const memory = createMemoryHost({
        cwd: '/project',
        homedir: '/home/u',
        files: { '/project/a.txt': 'a' },
        onOperation: (operation, at) => {
          operations += 1;
          if (operations === failAt) throw new FileError('EIO', at, `${operation} failed`);
        },
      });
      const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('done')]), {
        host: memory,
        cwd: '/project',
        tools: [probeTool()],
        env: { TURNWRIGHT_HOME: '/home/u/.turnwright' },
      });
      const messages = await collect(engine.submitMessage('go'));
      const told = messages.some(
        (message) =>
          message.type === 'system' && message.subtype === 'notice' && message.code === 'transcript_unavailable',
      );
      const result = lastResult(messages);
      const files = Object.entries(memory.files()).find(([name]) => name.endsWith('.jsonl'))?.[1] ?? '';
      const whole = files.split('\n').filter((line) => line !== '').length === 6;
      return { operations, ok: result.subtype === 'success' ? whole || told : result.errors[0] !== '' };
    };
    const { operations } = await count(0);
    expect(operations).toBeGreaterThan(5);
    for (let failAt = 1; failAt <= operations; failAt++)
      expect({ failAt, ...(await count(failAt)) }).toMatchObject({ failAt, ok: true });
  });
});

describe('resume', () => {
  async function firstSession() {
    const model = scriptedModel([reply(text('looking'), toolCall('Probe', { value: 'a' })), text('done')]);
    const test = await testEngine(model, { tools: [probeTool()], sessionId: ID });
    await collect(test.engine.submitMessage('go'));
    await test.engine.close();
    const folder = await projectFolder(host, test.home, test.folder);
    return { ...test, folder, cwd: test.folder, file: path.join(folder, `${ID}.jsonl`) };
  }

  it('goes on with the same history', async () => {
    const first = await firstSession();
    const resumed = await resumeSession(host, placeIn(first.folder, ID));
    expect(resumed.notices).toEqual([]);
    const model = scriptedModel([text('hello again')]);
    const { engine } = await testEngine(model, {
      cwd: first.cwd,
      sessionId: ID,
      initialMessages: resumed.messages,
      resumedFrom: resumed.lastUuid,
      env: { TURNWRIGHT_HOME: first.home },
    });
    await collect(engine.submitMessage('and now?'));
    expect(model.requests[0]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    const again = await resumeSession(host, placeIn(first.folder, ID));
    expect(again.messages).toHaveLength(6);
  });

  it('names calls that never ended, and answers them in the next request', async () => {
    const first = await firstSession();
    const lines = (await readFile(first.file, 'utf8')).split('\n');
    await writeFile(first.file, `${lines.slice(0, 2).join('\n')}\n`);
    const resumed = await resumeSession(host, placeIn(first.folder, ID));
    expect(resumed.notices).toEqual([expect.objectContaining({ code: 'session_resumed_with_open_calls' })]);
    const model = scriptedModel([text('ok')]);
    const probe = probeTool();
    const { engine } = await testEngine(model, { initialMessages: resumed.messages, tools: [probe] });
    const messages = await collect(engine.submitMessage('go on'));
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'history_repaired' }));
    expect(probe.runs).toEqual([]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('effects are unknown');
    model.assertDone();
  });

  it('goes on with the newest part of one that is longer than what can be sent, and says so', async () => {
    const first = await firstSession();
    const [question, answer] = (await readEntries(first.home, first.cwd)).filter(({ type }) => type !== 'last-prompt');
    const long = 'x'.repeat(1024 * 1024);
    let { lastUuid: parentUuid } = await resumeSession(host, placeIn(first.folder, ID));
    const lines = Array.from({ length: 18 }, (_, at) => {
      const entry =
        at % 2 === 0 ? question : { ...answer, message: { ...Object(answer?.message), content: [text(long)] } };
      const line = { ...entry, uuid: `22222222-2222-4222-8222-${String(at).padStart(12, '0')}`, parentUuid };
      parentUuid = line.uuid;
      return JSON.stringify(at % 2 === 0 ? { ...line, message: { role: 'user', content: `${at} ${long}` } } : line);
    });
    await appendFile(first.file, `${lines.join('\n')}\n`);
    const resumed = await resumeSession(host, placeIn(first.folder, ID));
    expect(resumed.notices).toEqual([expect.objectContaining({ code: 'transcript_cut' })]);
    expect(resumed.messages.length).toBeLessThan(18);
    expect(JSON.stringify(resumed.messages.at(-2))).toContain('16 xxx');
  });

  it('uses the good part of a torn file and says what is lost', async () => {
    const first = await firstSession();
    await appendFile(first.file, '{"type":"assistant","mess');
    const resumed = await resumeSession(host, placeIn(first.folder, ID));
    expect(resumed.messages).toHaveLength(4);
    expect(resumed.notices).toEqual([expect.objectContaining({ code: 'transcript_damaged' })]);
    // The next record starts on a line of its own.
    const { engine } = await testEngine(scriptedModel([text('x')]), {
      cwd: first.cwd,
      sessionId: ID,
      initialMessages: resumed.messages,
      resumedFrom: resumed.lastUuid,
      env: { TURNWRIGHT_HOME: first.home },
    });
    await collect(engine.submitMessage('more'));
    expect((await resumeSession(host, placeIn(first.folder, ID))).messages).toHaveLength(6);
  });

  it('never throws an unexpected error for a damaged transcript', async () => {
    const first = await firstSession();
    const whole = await readFile(first.file);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 12 }),
        fc.nat(whole.length),
        async (edits, length) => {
          const bytes = Buffer.from(whole.subarray(0, length));
          for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
          await writeFile(first.file, bytes);
          const resumed = await resumeSession(host, placeIn(first.folder, ID)).catch((error: Error) => {
            expect(error.name).toBe('SessionError');
            return null;
          });
          if (resumed === null) return;
          const model = scriptedModel([text('ok')]);
          const { engine } = await testEngine(model, { initialMessages: resumed.messages, persistSession: false });
          await collect(engine.submitMessage('go on'));
          model.assertDone();
        },
      ),
      { seed: 42, numRuns: 200 },
    );
  });

  it.each([
    ['a path', '../../../etc/passwd'],
    ['a name', 'latest'],
    ['nothing', ''],
    ['a NUL', `${ID.slice(0, -1)}\0`],
  ])('refuses an id that is %s', (_name, id) => {
    expect(() => checkSessionId(id)).toThrow(/not the id of a session/);
  });

  it('says that there is no such session, that it is not a file, that it is empty', async () => {
    const folder = await temporaryFolder();
    await expect(resumeSession(host, placeIn(folder, ID))).rejects.toThrow(/no session/);
    await mkdir(path.join(folder, `${ID}.jsonl`));
    await expect(resumeSession(host, placeIn(folder, ID))).rejects.toThrow(/not a file/);
    const other = '33333333-3333-4333-8333-333333333333';
    await writeFile(path.join(folder, `${other}.jsonl`), '\n');
    await expect(resumeSession(host, placeIn(folder, other))).rejects.toThrow(/holds no conversation/);
  });

  it('ends the walk at a cycle of parents', async () => {
    const folder = await temporaryFolder();
    const line = (uuid: string, parentUuid: string) =>
      JSON.stringify({ type: 'user', uuid, parentUuid, message: { role: 'user', content: uuid } });
    await writeFile(path.join(folder, `${ID}.jsonl`), `${line('a', 'b')}\n${line('b', 'a')}\n`);
    expect((await resumeSession(host, placeIn(folder, ID))).messages.map((message) => message.uuid)).toEqual([
      'a',
      'b',
    ]);
  });
});

describe('the project key', () => {
  it.each([
    ['/home/u/my app', '-home-u-my-app'],
    ['/a.b/c_d', '-a-b-c-d'],
    ['/caf\u0065\u0301', '-caf-'],
  ])('of %s is %s', (cwd, key) => expect(projectKey(cwd)).toBe(key));

  it('is cut at 200 characters and tells long paths apart', () => {
    const long = `/${'x'.repeat(300)}`;
    expect(projectKey(long)).toMatch(/^-x{199}-[0-9a-z]+$/);
    expect(projectKey(`${long}a`)).not.toBe(projectKey(`${long}b`));
  });

  it('follows a symbolic link to the folder it names', async () => {
    const real = await temporaryFolder();
    const link = path.join(await temporaryFolder(), 'link');
    await symlink(real, link);
    expect(await projectFolder(host, '/h', link)).toBe(await projectFolder(host, '/h', real));
    await chmod(real, 0o700);
  });
});

describe('what a kept session asks of the disk', () => {
  it('is a lock and a file with the first line, one write a line, and one sync a prompt', async () => {
    const operations: string[] = [];
    const host = createMemoryHost({
      cwd: '/project',
      onOperation(operation, at) {
        if (at.includes('/projects/')) operations.push(`${operation} ${path.extname(at)}`);
      },
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('done'), text('again')]), {
      host,
      cwd: '/project',
      tools: [probeTool({ readOnly: true })],
      env: { TURNWRIGHT_HOME: '/home/user/t' },
    });
    await collect(engine.submitMessage('go'));
    const line = 'append .jsonl';
    const end = [line, line, 'sync .jsonl'];
    expect(operations.splice(0)).toEqual([
      ...['createFile .lock', 'stat .jsonl', 'openAppend .jsonl'],
      ...[line, line, line, line, ...end],
    ]);
    await collect(engine.submitMessage('more'));
    expect(operations.splice(0)).toEqual([line, line, ...end]);
    await engine.close();
    expect(operations).toEqual(['stat .jsonl', 'readFile .lock', 'removeEntry .lock']);
  });
});
