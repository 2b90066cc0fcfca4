// What checkpoints do not cover, and that they say so.
import { describe, expect, it } from 'vitest';
import { memorySession, ROOT, STORE } from '../../support/memory-checkpoints.js';

const reasons = (entries: readonly { path: string | null; reason: string }[] | undefined) =>
  (entries ?? []).map(({ path, reason }) => [path, reason]);

describe('what is not covered', () => {
  it('is what another call is about to write: it is no file of the workspace', async () => {
    const unfinished = `${ROOT}/.turnwright-0123456789abcdef01.tmp`;
    const session = memorySession({ [`${ROOT}/a`]: 'one', [unfinished]: 'two' });
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(async () => {
      await host.fs.rename(unfinished, `${ROOT}/a`);
    });
    const result = await checkpoints.rewind('p1');
    expect(result.filesChanged).toEqual([`${ROOT}/a`]);
    expect((await host.fs.readdir(ROOT)).sort()).toEqual(['a']);
  });

  it('is a file that is too large, once it was changed', async () => {
    const session = memorySession(
      { [`${ROOT}/big`]: 'x'.repeat(2_000), [`${ROOT}/other`]: 'y'.repeat(2_000) },
      { fileBytes: 1_000 },
    );
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(async () => host.fs.writeFileAtomic(`${ROOT}/big`, 'small'));
    await session.command(async () => undefined);
    expect(checkpoints.takeNotices()).toEqual([
      { code: 'checkpoint_incomplete', message: expect.stringContaining(`${ROOT}/big is too large`) },
    ]);
    expect(checkpoints.takeChanges()).toMatchObject({ files: [], failed: [{ filename: `${ROOT}/big` }] });
    const result = await checkpoints.rewind('p1');
    expect(result.filesChanged).toEqual([]);
    expect(reasons(result.notCovered)).toEqual([
      [`${ROOT}/big`, 'too_large'],
      [null, 'outside_workspace'],
    ]);
  });

  it('is not a large file that a call made: it is removed, unless somebody changed it', async () => {
    const session = memorySession({}, { fileBytes: 1_000 });
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(async () => {
      await host.fs.writeFileAtomic(`${ROOT}/big`, 'x'.repeat(2_000));
      await host.fs.writeFileAtomic(`${ROOT}/bigger`, 'x'.repeat(3_000));
    });
    await session.aside(() => host.fs.writeFileAtomic(`${ROOT}/bigger`, 'y'.repeat(3_000)));
    const result = await checkpoints.rewind('p1');
    expect(result.filesChanged).toEqual([`${ROOT}/big`]);
    expect(reasons(result.conflicts)).toEqual([[`${ROOT}/bigger`, 'changed_since']]);
  });

  it('is what goes beyond the bytes that are held or kept', async () => {
    const files = { [`${ROOT}/a`]: 'a'.repeat(400), [`${ROOT}/b`]: 'b'.repeat(500), [`${ROOT}/c`]: 'c'.repeat(600) };
    const held = memorySession(files, { captureBytes: 1_000 });
    await held.checkpoints.beginPrompt('p1');
    await held.command(async () => {
      for (const name of Object.keys(files)) await held.host.fs.writeFileAtomic(name, 'agent');
    });
    const first = await held.checkpoints.rewind('p1');
    expect(first.filesChanged).toEqual([`${ROOT}/a`, `${ROOT}/b`]);
    expect(reasons(first.notCovered)).toContainEqual([`${ROOT}/c`, 'too_much']);

    const kept = memorySession(files, { keptBytes: 1_000 });
    await kept.checkpoints.beginPrompt('p1');
    for (const name of Object.keys(files)) await kept.pathCall(name, () => kept.host.fs.writeFileAtomic(name, 'agent'));
    const second = await kept.checkpoints.rewind('p1');
    // What is set back is kept as well, so that it can be taken back.
    expect(second.filesChanged).toEqual([`${ROOT}/a`, `${ROOT}/b`]);
    expect(reasons(second.notCovered)).toEqual([[`${ROOT}/c`, 'too_much']]);
  });

  it('are generated folders and version control, and files that mark a folder as generated', async () => {
    const files = [`node_modules/x/index.js`, `.git/HEAD`, `target/CACHEDIR.TAG`, `target/out`, `src/a`];
    const session = memorySession(Object.fromEntries(files.map((name) => [`${ROOT}/${name}`, 'x'])));
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(async () => {
      for (const name of files) await host.fs.writeFileAtomic(`${ROOT}/${name}`, 'agent');
      await host.fs.writeFileAtomic(`${ROOT}/src/node_modules/new`, 'agent');
      for (const folder of ['node_modules', '.git', 'target'])
        await host.fs.writeFileAtomic(`${ROOT}/${folder}/new`, 'agent');
    });
    const result = await checkpoints.rewind('p1');
    expect(result.filesChanged).toEqual([`${ROOT}/src/a`]);
    expect(reasons(result.notCovered).sort()).toEqual(
      [
        [null, 'outside_workspace'],
        [`${ROOT}/.git`, 'version_control'],
        [`${ROOT}/node_modules`, 'generated_folder'],
        [`${ROOT}/src/node_modules`, 'generated_folder'],
        [`${ROOT}/target`, 'generated_folder'],
      ].sort(),
    );
    expect(host.files()).toMatchObject({ [`${ROOT}/.git/HEAD`]: 'agent', [`${ROOT}/src/node_modules/new`]: 'agent' });
  });

  it('does not take a folder for emptied because it became a generated one', async () => {
    const session = memorySession({
      [`${ROOT}/src/a`]: 'one',
      [`${ROOT}/out/pyvenv.cfg`]: 'x',
      [`${ROOT}/out/b`]: 'two',
    });
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(async () => {
      await host.fs.writeFileAtomic(`${ROOT}/src/CACHEDIR.TAG`, 'x');
      await host.fs.writeFileAtomic(`${ROOT}/src/a`, 'agent');
      await host.fs.remove(`${ROOT}/out/pyvenv.cfg`);
    });
    const result = await checkpoints.rewind('p1');
    expect(result.filesChanged?.toSorted()).toEqual([`${ROOT}/src/CACHEDIR.TAG`, `${ROOT}/src/a`]);
    expect(Object.keys(host.files()).filter((name) => name.startsWith(ROOT))).toEqual([
      `${ROOT}/out/b`,
      `${ROOT}/src/a`,
    ]);
  });

  it('are folders with too many files; what is near the root is covered first', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${ROOT}/many/deep/${n}`, 'x']));
    const session = memorySession({ [`${ROOT}/a`]: 'one', [`${ROOT}/many/b`]: 'two', ...many }, { entries: 20 });
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(async () => {
      await host.fs.writeFileAtomic(`${ROOT}/a`, 'agent');
      await host.fs.writeFileAtomic(`${ROOT}/many/b`, 'agent');
      await host.fs.writeFileAtomic(`${ROOT}/many/deep/3`, 'agent');
      await host.fs.remove(`${ROOT}/many/deep/4`);
    });
    const result = await checkpoints.rewind('p1');
    expect(result.filesChanged?.toSorted()).toEqual([`${ROOT}/a`, `${ROOT}/many/b`]);
    expect(reasons(result.notCovered)).toContainEqual([`${ROOT}/many/deep`, 'too_many_files']);
  });

  it('is every command, once the workspace grew beyond what is looked at', async () => {
    const session = memorySession({ [`${ROOT}/src/a`]: 'one' }, { entries: 10 });
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(async () => {
      for (let n = 0; n < 40; n++) await host.fs.writeFileAtomic(`${ROOT}/src/${n}`, 'agent');
    });
    await session.command(async () => host.fs.writeFileAtomic(`${ROOT}/src/a`, 'agent'));
    await session.pathCall(`${ROOT}/b`, () => host.fs.writeFileAtomic(`${ROOT}/b`, 'agent'));
    expect(checkpoints.takeNotices()).toHaveLength(1);
    const result = await checkpoints.rewind('p1');
    expect(result.filesChanged).toEqual([`${ROOT}/b`]);
    expect(reasons(result.notCovered)).toEqual([
      [null, 'too_many_files'],
      [null, 'outside_workspace'],
    ]);
  });

  it('is what happened while the session ran without checkpoints', async () => {
    const session = memorySession({ [`${ROOT}/a`]: 'one' });
    await session.checkpoints.beginPrompt('p1');
    await session.pathCall(`${ROOT}/a`, () => session.host.fs.writeFileAtomic(`${ROOT}/a`, 'agent'));
    const { markPause } = await import('../../../src/session/checkpoints/checkpoints.js');
    await markPause(session.host, STORE);
    session.reopen();
    await session.checkpoints.beginPrompt('p2');
    expect(reasons((await session.checkpoints.rewind('p1', { dryRun: true })).notCovered)).toEqual([
      [null, 'not_recorded'],
    ]);
    expect(reasons((await session.checkpoints.rewind('p2', { dryRun: true })).notCovered)).toEqual([]);
  });
});

describe('a look at the workspace', () => {
  it('sees a change that left no trace in the times of the file', async () => {
    const session = memorySession({ [`${ROOT}/a`]: 'one' });
    const { checkpoints, host } = session;
    const subject = () => ({ kind: 'none' }) as const;
    await checkpoints.beginPrompt('p1');
    for (const content of ['two', 'six']) {
      const end = await checkpoints.beforeCall({ toolName: 'Probe', toolUseId: content, subject });
      // Time stands still: size and times stay, and so does the file.
      await session.aside(async () => {
        await host.fs.removeEntry(`${ROOT}/a`);
        await host.fs.createFile(`${ROOT}/a`, content);
      });
      await end?.();
    }
    await checkpoints.rewind('p1');
    expect(host.files()[`${ROOT}/a`]).toBe('one');
  });

  it('does not take content for changed that was only touched or written again', async () => {
    const session = memorySession({ [`${ROOT}/a`]: 'one' });
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await session.command(() => host.fs.writeFileAtomic(`${ROOT}/a`, 'one'));
    await session.pathCall(`${ROOT}/a`, () => host.fs.writeFileAtomic(`${ROOT}/a`, 'one'));
    expect(checkpoints.takeChanges()).toBeNull();
    expect(Object.keys(host.files()).filter((name) => name.includes('blobs'))).toEqual([]);
  });

  it('tells apart what calls at the same time did, and does not record it twice', async () => {
    const session = memorySession({ [`${ROOT}/a`]: 'one', [`${ROOT}/b`]: 'two' });
    const { checkpoints, host } = session;
    await checkpoints.beginPrompt('p1');
    await Promise.all([
      session.command(async () => {
        await host.fs.writeFileAtomic(`${ROOT}/b`, 'agent');
        await session.pathCall(`${ROOT}/a`, () => host.fs.writeFileAtomic(`${ROOT}/a`, 'agent'));
        await session.pathCall(`${ROOT}/b`, () => host.fs.writeFileAtomic(`${ROOT}/b`, 'agent again'));
        await session.command(async () => host.fs.writeFileAtomic(`${ROOT}/b`, 'agent at last'));
      }),
    ]);
    await session.aside(() => host.fs.writeFileAtomic(`${ROOT}/mine`, 'user'));
    expect(await checkpoints.rewind('p1')).toMatchObject({ conflicts: [], failed: [] });
    expect(host.files()).toMatchObject({ [`${ROOT}/a`]: 'one', [`${ROOT}/b`]: 'two', [`${ROOT}/mine`]: 'user' });
  });
});
