import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createJournal, parseRecord } from '../../../src/session/checkpoints/journal.js';
import { memorySession, ROOT, STORE } from '../../support/memory-checkpoints.js';

const FILE = '/store/journal.jsonl';
const prompt = (uuid: string) => ({ type: 'prompt', uuid, at: 'now' }) as const;

describe('the checkpoint journal', () => {
  it('goes on behind half a line, which is not taken for damage', async () => {
    const host = createMemoryHost();
    const first = createJournal(host, FILE);
    await first.read();
    await first.append(prompt('p1'));
    const handle = await host.fs.openAppend(FILE);
    await handle.append('{"type":"prompt","uu');
    const second = createJournal(host, FILE);
    expect(await second.read()).toEqual({ records: [prompt('p1')], damaged: 0 });
    await second.append(prompt('p2'));
    expect(await second.read()).toEqual({ records: [prompt('p1'), prompt('p2')], damaged: 0 });
  });

  it('writes later what it could not write, and once', async () => {
    const host = createMemoryHost();
    const journal = createJournal(host, FILE);
    await journal.read();
    host.failNext('append', 'ESHORT');
    await expect(journal.append(prompt('p1'))).rejects.toMatchObject({ code: 'ESHORT' });
    expect((await journal.read()).records).toEqual([prompt('p1')]);
    await journal.append(prompt('p2'));
    expect(await createJournal(host, FILE).read()).toEqual({ records: [prompt('p1'), prompt('p2')], damaged: 0 });
  });

  it('counts lines that are none of its records', async () => {
    const lines = [
      '{}',
      'null',
      'nonsense',
      '\0',
      JSON.stringify(prompt('p1')),
      '{"type":"prompt"}',
      '{"type":"later"}',
    ];
    const host = createMemoryHost({ files: { [FILE]: `${lines.join('\n')}\n` } });
    expect(await createJournal(host, FILE).read()).toEqual({ records: [prompt('p1')], damaged: 6 });
  });

  it('takes no path, mode or name of content that could lead elsewhere', () => {
    const before = { kind: 'file', mode: 0o644, size: 1, hash: 'a'.repeat(64) };
    const line = (change: object) =>
      JSON.stringify({ type: 'changes', changes: [{ path: '/a', before, after: null, ...change }], gaps: [] });
    expect(parseRecord(line({}))).not.toBeNull();
    for (const path of ['a', '', '/a/../b', '/a/', '/a//b', '/a\0', 7, null])
      expect(parseRecord(line({ path }))).toBeNull();
    for (const hash of ['../x', 'A'.repeat(64), '', 7])
      expect(parseRecord(line({ before: { ...before, hash } }))).toBeNull();
    for (const mode of [-1, 0o10000, 1.5, '644']) expect(parseRecord(line({ before: { ...before, mode } }))).toBeNull();
  });

  it('that was tampered with brings nothing back into version control', async () => {
    const session = memorySession({ [`${ROOT}/a`]: 'one' });
    await session.checkpoints.beginPrompt('p1');
    await session.pathCall(`${ROOT}/a`, () => session.host.fs.writeFileAtomic(`${ROOT}/a`, 'agent'));
    await session.aside(async () => {
      const { fs } = session.host;
      const journal = new TextDecoder().decode(await fs.readFile(`${STORE}/journal.jsonl`));
      await fs.remove(`${STORE}/journal.jsonl`);
      await fs.createFile(`${STORE}/journal.jsonl`, journal.replaceAll(`${ROOT}/a`, `${ROOT}/.git/hooks/pre-commit`));
    });
    session.reopen();
    const result = await session.checkpoints.rewind('p1');
    expect(result).toMatchObject({ filesChanged: [], notCovered: [{ reason: 'version_control' }] });
    expect(Object.keys(session.host.files()).filter((name) => name.includes('.git/'))).toEqual([]);
  });

  it('says that lines are damaged, if that may matter', async () => {
    const session = memorySession({ [`${ROOT}/a`]: 'one' });
    await session.checkpoints.beginPrompt('p1');
    await session.aside(async () => {
      const handle = await session.host.fs.openAppend(`${STORE}/journal.jsonl`);
      await handle.append('garbage\n');
    });
    expect(await session.checkpoints.rewind('p1')).toMatchObject({
      notCovered: [{ path: null, reason: 'journal_damaged' }],
    });
  });
});
