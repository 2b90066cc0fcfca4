// Worktrees over real repositories: made, kept, looked at, removed; and what must not happen to work that is nowhere else.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createWorktree,
  enterWorktree,
  findWorktree,
  inspectWorktree,
  keepWorktree,
  listWorktrees,
  removeWorktree,
} from '../../../src/session/worktrees/index.js';
import { temporaryFolder } from '../../support/engine.js';
import { commitIn, gitIn, recordsIn, repository, worktreePlace } from '../../support/worktrees.js';

describe('making a worktree', () => {
  it('gives a folder of the workspace with a branch of its own, which the repository does not see', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    const made = await createWorktree(place, { name: 'fix-login' });
    expect(made).toEqual({
      name: 'fix-login',
      path: path.join(top, '.worktrees/fix-login'),
      folder: path.join(top, '.worktrees/fix-login'),
      branch: 'worktree-fix-login',
      base: gitIn(top, 'rev-parse', 'HEAD').trim(),
      madeBy: 'git',
    });
    expect(readFileSync(path.join(made.path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(gitIn(made.path, 'branch', '--show-current').trim()).toBe('worktree-fix-login');
    expect(gitIn(top, 'status', '--porcelain')).toBe('');
  });

  it('begins in the folder that the session has in its repository', async () => {
    const top = await repository();
    const folder = path.join(top, 'packages/app');
    const made = await createWorktree(await worktreePlace(folder), { name: 'x', branch: 'topic' });
    expect(made.path).toBe(path.join(folder, '.worktrees/x'));
    expect(made.folder).toBe(path.join(folder, '.worktrees/x/packages/app'));
    expect(gitIn(made.path, 'branch', '--show-current').trim()).toBe('topic');
  });

  it('makes up a name if none is given, each time another', async () => {
    const place = await worktreePlace(await repository());
    const names = [await createWorktree(place), await createWorktree(place)].map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^w-[0-9a-f]{8}$/);
  });

  it.each(['', '.', '..', '.git', 'a/b', '../x', 'a..b', '-x', 'x.lock', 'x '.repeat(40), 'a\0b', 'x\n', '~', 'ä'])(
    'takes no name that is more than one plain part of a path: %j',
    async (name) => {
      const top = await repository();
      await expect(createWorktree(await worktreePlace(top), { name })).rejects.toThrow('cannot be the name');
      expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
    },
  );

  it('leaves nothing if it fails, and nothing of others is touched', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    gitIn(top, 'branch', 'worktree-taken');
    await expect(createWorktree(place, { name: 'taken' })).rejects.toThrow('There is a branch worktree-taken already');
    await expect(createWorktree(place, { name: 'x', branch: 'no..such' })).rejects.toThrow(
      'cannot be the name of a branch',
    );
    expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
    mkdirSync(path.join(top, '.worktrees/mine'), { recursive: true });
    writeFileSync(path.join(top, '.worktrees/mine/note'), 'mine');
    await expect(createWorktree(place, { name: 'mine' })).rejects.toThrow('stands there already');
    expect(readFileSync(path.join(top, '.worktrees/mine/note'), 'utf8')).toBe('mine');
    expect(gitIn(top, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('goes through no link that stands in the place of its folder', async () => {
    const top = await repository();
    const elsewhere = await temporaryFolder();
    symlinkSync(elsewhere, path.join(top, '.worktrees'));
    await expect(createWorktree(await worktreePlace(top), { name: 'x' })).rejects.toThrow('is not a folder');
    expect(existsSync(path.join(elsewhere, 'x'))).toBe(false);
  });

  it('says what is missing outside of a repository, and in one without a commit', async () => {
    const folder = await temporaryFolder();
    await expect(createWorktree(await worktreePlace(folder))).rejects.toThrow('is in no git repository');
    gitIn(folder, 'init', '-q');
    await expect(createWorktree(await worktreePlace(folder))).rejects.toThrow('Finding the commit to begin at failed');
    expect(existsSync(path.join(folder, '.worktrees'))).toBe(false);
  });

  it('starts no hook of the repository, and no filter that nobody vouched for', async () => {
    const top = await repository();
    const trace = path.join(top, '.git/ran');
    for (const hook of ['post-checkout', 'reference-transaction']) {
      writeFileSync(path.join(top, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> '${trace}'\n`);
      chmodSync(path.join(top, '.git/hooks', hook), 0o755);
    }
    await createWorktree(await worktreePlace(top), { name: 'plain' });
    expect(existsSync(trace)).toBe(false);
    gitIn(top, 'config', 'filter.evil.smudge', `sh -c 'echo filter >> "${trace}"; cat'`);
    writeFileSync(path.join(top, '.git/info/attributes'), '* filter=evil\n');
    await expect(createWorktree(await worktreePlace(top), { name: 'filtered' })).rejects.toThrow('nobody vouched');
    expect(existsSync(trace)).toBe(false);
  });

  it('takes nothing with it when it is interrupted', async () => {
    const top = await repository();
    const signal = AbortSignal.abort();
    await expect(createWorktree(await worktreePlace(top, {}, { signal }), { name: 'x' })).rejects.toThrow();
    expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
    expect(gitIn(top, 'branch', '--list').trim()).toBe('* main');
  });
});

describe('removing a worktree', () => {
  it('takes it away with its branch and its record, if nothing is lost', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    const made = await createWorktree(place, { name: 'x' });
    expect(await removeWorktree(place, made)).toEqual({ isRemoved: true, uncommitted: [], unmerged: [] });
    expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
    expect(gitIn(top, 'branch', '--list').trim()).toBe('* main');
    expect(gitIn(top, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['a changed file', (at: string) => writeFileSync(path.join(at, 'a.txt'), 'changed'), [' M a.txt'], 0],
    ['a new file in a new folder', (at: string) => newFile(at), ['?? new/file'], 0],
    ['a staged file', staged, ['A  new/file'], 0],
    ['a commit', (at: string) => commitIn(at, 'c.txt', 'three'), [], 1],
    ['a commit on no branch', detached, [], 1],
  ])('refuses where %s would be lost, and does it when told to', async (_what, work, uncommitted, commits) => {
    const top = await repository();
    const place = await worktreePlace(top);
    const made = await createWorktree(place, { name: 'x' });
    work(made.path);
    const refused = await removeWorktree(place, made);
    expect(refused).toMatchObject({ isRemoved: false, uncommitted });
    expect(refused.unmerged).toHaveLength(commits);
    expect(existsSync(made.path)).toBe(true);
    expect(await removeWorktree(place, made, { discard: true })).toMatchObject({ isRemoved: true });
    expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
    expect(gitIn(top, 'branch', '--list').trim()).toBe('* main');
  });

  it('counts commits as safe once another branch has them', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    const made = await createWorktree(place, { name: 'x' });
    commitIn(made.path, 'c.txt', 'three');
    gitIn(top, 'merge', '-q', 'worktree-x');
    expect(await removeWorktree(place, made)).toMatchObject({ isRemoved: true });
    expect(readFileSync(path.join(top, 'c.txt'), 'utf8')).toBe('three');
  });

  it('keeps the branch of one whose folder is gone, as long as its commits are nowhere else', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    const made = await createWorktree(place, { name: 'x' });
    commitIn(made.path, 'c.txt', 'three');
    rmSync(made.path, { recursive: true });
    expect((await removeWorktree(place, made)).unmerged).toHaveLength(1);
    expect(gitIn(top, 'branch', '--list', 'worktree-x')).toContain('worktree-x');
    expect(await removeWorktree(place, made, { discard: true })).toMatchObject({ isRemoved: true });
    expect(gitIn(top, 'branch', '--list').trim()).toBe('* main');
  });
});

describe('hooks in place of git', () => {
  it('make it and remove it, in no repository too', async () => {
    const folder = await temporaryFolder();
    const copy = path.join(await temporaryFolder(), 'copy');
    const seen: unknown[] = [];
    const place = await worktreePlace(folder, {
      WorktreeCreate(fields) {
        seen.push(fields);
        mkdirSync(copy);
        return { worktreePath: copy };
      },
      WorktreeRemove(fields) {
        seen.push(fields);
        rmSync(copy, { recursive: true });
        return {};
      },
    });
    const made = await createWorktree(place, { name: 'x' });
    expect(made).toMatchObject({ path: copy, folder: copy, branch: null, base: null, madeBy: 'hook' });
    expect(await findWorktree(place, 'x')).toMatchObject({ path: copy, state: 'in_use', isThere: true });
    expect(await removeWorktree(place, made, { discard: true })).toMatchObject({ isRemoved: true });
    expect(seen).toEqual([{ name: 'x' }, { worktree_path: copy }]);
    expect(await listWorktrees(place)).toEqual([]);
  });

  it('may refuse; one that fails, or names no folder, is not replaced by git', async () => {
    const top = await repository();
    const answers = [
      [{ block: { reason: 'not today' } }, 'A hook refused the worktree: not today'],
      [{ failures: [{ hook: 'h', error: 'broken' }] }, 'the hook h failed: broken'],
      [{ worktreePath: '/nonexistent/x' }, 'that is not a folder'],
    ] as const;
    for (const [answer, why] of answers)
      await expect(createWorktree(await worktreePlace(top, { WorktreeCreate: () => answer }))).rejects.toThrow(why);
    expect(existsSync(path.join(top, '.worktrees'))).toBe(false);
  });

  it('is needed to remove what a hook made', async () => {
    const top = await repository();
    const copy = await temporaryFolder();
    const place = await worktreePlace(top, { WorktreeCreate: () => ({ worktreePath: copy }) });
    const made = await createWorktree(place, { name: 'x' });
    await expect(removeWorktree(place, made, { discard: true })).rejects.toThrow('no WorktreeRemove hook');
    const withHook = await worktreePlace(top, { WorktreeRemove: () => ({}) });
    await expect(removeWorktree(withHook, made, { discard: true })).rejects.toThrow('left the worktree x where it is');
  });
});

describe('what is known of worktrees', () => {
  it('is who works in them, which are kept, and which were left by a process that died', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    const ended = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
    await createWorktree(place, { name: 'busy' });
    await createWorktree(place, { name: 'kept' });
    await createWorktree(place, { name: 'left' });
    await keepWorktree(place, 'kept');
    const file = path.join(await recordsIn(place), 'left.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...record, process: { ...record.process, pid: ended } }));
    const states = async () => (await listWorktrees(place)).map(({ name, state }) => `${name} ${state}`);
    expect(await states()).toEqual(['busy in_use', 'kept kept', 'left left']);
    await expect(enterWorktree(place, 'busy')).rejects.toThrow('Another session works in the worktree busy');
    await expect(enterWorktree(place, 'none')).rejects.toThrow('There is no worktree none');
    expect(await enterWorktree(place, 'left')).toMatchObject({ name: 'left', branch: 'worktree-left' });
    expect(await states()).toEqual(['busy in_use', 'kept kept', 'left in_use']);
  });

  it('is read as data: what is none of ours is passed by, and what git made stands where its name says', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    const made = await createWorktree(place, { name: 'x' });
    const records = await recordsIn(place);
    const good = JSON.parse(readFileSync(path.join(records, 'x.json'), 'utf8'));
    const lies: Record<string, unknown> = {
      away: { ...good, name: 'away', path: '/etc', folder: '/etc' },
      other: { ...good },
      list: [],
      half: { name: 'half' },
      hooked: { ...good, name: 'hooked', madeBy: 'hook', path: 'relative' },
    };
    for (const [name, value] of Object.entries(lies))
      writeFileSync(path.join(records, `${name}.json`), JSON.stringify(value));
    writeFileSync(path.join(records, 'cut.json'), '{"name":"cut"');
    writeFileSync(path.join(records, 'big.json'), ' '.repeat(100_000));
    mkdirSync(path.join(records, 'folder.json'));
    const listed = await listWorktrees(place);
    expect(listed.map(({ name, path: at }) => [name, at])).toEqual([
      ['away', path.join(top, '.worktrees/away')],
      ['x', made.path],
    ]);
    expect(listed[0]).toMatchObject({ folder: path.join(top, '.worktrees/away'), isThere: false });
  });

  it('is what would be lost, without anything being done', async () => {
    const top = await repository();
    const place = await worktreePlace(top);
    const made = await createWorktree(place, { name: 'x' });
    newFile(made.path);
    commitIn(made.path, 'c.txt', 'three');
    writeFileSync(path.join(made.path, 'd'), '');
    expect(await inspectWorktree(place, made)).toEqual({
      uncommitted: ['?? d'],
      unmerged: [expect.stringMatching(/^[0-9a-f]+ Change c\.txt$/)],
    });
  });
});

function staged(at: string): void {
  newFile(at);
  gitIn(at, 'add', '-A');
}

function detached(at: string): void {
  gitIn(at, 'checkout', '-q', '--detach');
  commitIn(at, 'c', 'x');
}

function newFile(at: string): void {
  mkdirSync(path.join(at, 'new'));
  writeFileSync(path.join(at, 'new/file'), '');
}
