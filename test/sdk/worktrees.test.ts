// Worktrees as people look after them, outside of a session: `turnwright worktrees` over streams of the test's own, with a
// real git.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runWorktrees } from '../../src/cli/commands/worktrees.js';
import { createWorktree, keepWorktree } from '../../src/session/worktrees/index.js';
import { changeRecord, findWorktree } from '../../src/session/worktrees/worktree-records.js';
import { temporaryFolder } from '../support/engine.js';
import { commitIn, gitIn, repository, worktreePlace } from '../support/worktrees.js';

async function command({ folder, home }: { folder: string; home: string }, ...argv: string[]) {
  const written = { out: '', err: '' };
  const to = (key: 'out' | 'err') => ({
    write: async (text: string) => {
      written[key] += text;
    },
  });
  const io = {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TURNWRIGHT_HOME: home },
    startedIn: () => folder,
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    out: to('out'),
    err: to('err'),
  };
  const code = await runWorktrees(argv, io as never);
  return { code, ...written };
}

/** As if the process that worked in it had been killed. */
async function crash(place: Awaited<ReturnType<typeof worktreePlace>>, name: string) {
  const found = await findWorktree(place, name);
  if (found?.process == null) throw new Error('nobody worked in it');
  const { state: _, isThere: __, ...record } = found;
  await changeRecord(place, {
    ...record,
    process: { ...found.process, pid: 999_999_99, started: '1' },
  });
}

describe('turnwright worktrees', () => {
  it('says that there are none', async () => {
    expect(await command(await worktreePlace(await temporaryFolder()), 'list')).toMatchObject({
      code: 0,
      out: 'No worktrees here.\n',
    });
  });

  it('lists each with who works in it and what would be lost, and removes only what loses nothing', async () => {
    const folder = await repository();
    const place = await worktreePlace(folder);
    const [used, kept, left] = [
      await createWorktree(place, { name: 'used' }),
      await createWorktree(place, { name: 'kept' }),
      await createWorktree(place, { name: 'left' }),
    ];
    await keepWorktree(place, 'kept');
    await crash(place, 'left');
    writeFileSync(path.join(kept.path, 'new.txt'), 'x');
    commitIn(kept.path, 'more.txt', 'more');

    const { out } = await command(place, 'list');
    expect(out).toMatch(/^kept {2}kept\n.*worktree-kept\n {4}1 unmerged commit: \w+ Change more\.txt\n/m);
    expect(out).toMatch(/^left {2}left by a session that ended without a word\n/m);
    expect(out).toMatch(/^used {2}a session works in it\n/m);
    const [first] = JSON.parse((await command(place, 'list', '--json')).out);
    expect(first).toMatchObject({ name: 'kept', state: 'kept', branch: 'worktree-kept', problem: null });

    const refused = await command(place, 'remove', 'kept');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('remove kept --discard') });
    expect(existsSync(kept.path)).toBe(true);
    await expect(command(place, 'remove', 'used', '--discard')).rejects.toThrow(/a session works in the worktree used/);
    await expect(command(place, 'remove', 'none')).rejects.toThrow(/there is no worktree "none" here/);

    expect(await command(place, 'clean')).toMatchObject({ code: 0, err: 'Removed left.\n' });
    expect([existsSync(left.path), existsSync(used.path)]).toEqual([false, true]);
    expect((await command(place, 'remove', 'kept', '--discard')).out).toBe('Removed kept and worktree-kept.\n');
    expect(gitIn(folder, 'branch', '--format=%(refname:short)')).toBe('main\nworktree-used\n');
  });

  it('keeps what a crash left and something would be lost with, and forgets what is gone', async () => {
    const folder = await repository();
    const place = await worktreePlace(folder);
    const [left, gone] = [await createWorktree(place, { name: 'left' }), await createWorktree(place, { name: 'gone' })];
    for (const name of ['left', 'gone']) await crash(place, name);
    writeFileSync(path.join(left.path, 'new.txt'), 'x');
    await place.host.fs.remove(gone.path);
    const { out, err } = await command(place, 'clean');
    expect(err).toBe('Removed gone.\n');
    expect(out).toMatch(/^left {2}left by a session.*\n.*\n {4}1 uncommitted file: .*new\.txt\n$/);
    expect(existsSync(path.join(left.path, 'new.txt'))).toBe(true);
  });

  it.each([
    [['frob'], /unknown command "worktrees frob"\. Commands: list, remove and clean\./],
    [['remove'], /name one/],
    [['list', 'x'], /unexpected argument "x"/],
    [['list', '--discard'], /--discard is for remove/],
  ])('refuses %j', async (argv, why) => {
    await expect(command(await worktreePlace(await temporaryFolder()), ...argv)).rejects.toThrow(why);
  });
});
