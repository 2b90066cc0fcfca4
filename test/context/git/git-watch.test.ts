// What git's configuration means for a call, held against git itself where it is about what git does.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gitlinksIn, mayHaveGitlinks } from '../../../src/context/git/git-files.js';
import { gitPrograms } from '../../../src/context/git/git-programs.js';
import { gitLeaf } from '../../../src/context/git/git-starts.js';
import { createGitWatch } from '../../../src/context/git/git-watch.js';
import { trustItem } from '../../../src/context/trust.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { keepTrust } from '../../../src/session/settings/keep-trust.js';

function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'turnwright-git-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A repository with its home beside it. */
function repository(...init: string[]) {
  const base = freshFolder();
  const [top, home] = [path.join(base, 'ws'), path.join(base, 'home')];
  for (const folder of [top, home]) mkdirSync(folder);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', top, ...words], {
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const write = (name: string, text: string, mode = 0o644) => {
    mkdirSync(path.dirname(path.join(top, name)), { recursive: true });
    writeFileSync(path.join(top, name), text);
    chmodSync(path.join(top, name), mode);
  };
  git('init', '-q', ...init);
  const node = createNodeHost();
  const host = { ...node, platform: { ...node.platform, homedir: home } };
  const place = { host, env, cwd: top, home: path.join(home, '.turnwright') };
  return { top, home, git, write, host, place, watch: createGitWatch(place) };
}

/** A repository in a folder of another, recorded there, as a command could make it. */
function recorded(init: readonly string[] = [], at = 'lib/inner') {
  const made = repository(...init);
  const { top, git, write } = made;
  git('init', '-q', ...init, at);
  write(`${at}/a`, 'x');
  git('-C', at, 'add', 'a');
  git('-C', at, 'commit', '-qm', 'one');
  for (const name of ['a', 'lib/b', 'z/linked.ts']) write(name, name);
  git('add', '.');
  const mark = path.join(top, '..', 'mark');
  const evil = (key = 'core.fsmonitor') => {
    write('evil.sh', `#!/bin/sh\n: > ${mark}\n`, 0o755);
    git('-C', at, 'config', key, path.join(top, 'evil.sh'));
  };
  return { ...made, at, evil, hasRun: () => existsSync(mark) };
}

describe('the repositories that an index records', () => {
  it.each([
    { name: 'of version 2', init: [], set: [] },
    { name: 'of version 3', init: [], set: [['add', '-N', 'later']] },
    { name: 'of version 4', init: [], set: [['update-index', '--index-version', '4']] },
    { name: 'of SHA-256', init: ['--object-format=sha256'], set: [] },
    { name: 'that is shared', init: [], set: [['update-index', '--split-index']] },
    {
      name: 'of SHA-256 and version 4',
      init: ['--object-format=sha256'],
      set: [['update-index', '--index-version', '4']],
    },
  ])('$name are found', async ({ init, set }) => {
    const { write, git, evil, watch } = recorded(init);
    write('later', 'x');
    for (const words of set) git(...words);
    expect(git('ls-files', '-s')).toContain('160000');
    expect(await watch.foreignPrograms()).toBeNull();
    evil();
    expect(await watch.foreignPrograms()).toMatch(/lib\/inner\/\.git\/config says what git starts \(core\.fsmonitor\)/);
  });

  it('are none of a plain index, and cannot be told of what is no index', () => {
    expect(mayHaveGitlinks(new TextEncoder().encode('DIRC'))).toBe(false);
    expect(gitlinksIn(new TextEncoder().encode('nothing of the kind'))).toBeNull();
    expect(gitlinksIn(Uint8Array.from([68, 73, 82, 67, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0xe0, 0]))).toBeNull();
  });

  it('and that cannot be told are no reason to trust', async () => {
    const { top, watch } = repository();
    writeFileSync(path.join(top, '.git/index'), Uint8Array.from([1, 2, 0, 0, 0xe0, 0, 7]));
    expect(await watch.foreignPrograms()).toContain('(unreadable)');
  });
});

describe('a repository that another records', () => {
  it('starts what its configuration says if git only reads, and is told before', async () => {
    const { git, evil, hasRun, watch } = recorded();
    expect(await watch.foreignPrograms()).toBeNull();
    evil();
    expect(await watch.foreignPrograms()).not.toBeNull();
    git('status', '--short');
    expect(hasRun()).toBe(true);
  });

  it('is looked at anew when it changes, and when it is recorded later', async () => {
    const { top, git, write, watch } = repository();
    expect(await watch.foreignPrograms()).toBeNull();
    git('init', '-q', 'sub');
    write('sub/a', 'x');
    git('-C', 'sub', 'add', 'a');
    git('-C', 'sub', 'commit', '-qm', 'one');
    git('-C', 'sub', 'config', 'diff.x.textconv', 'evil');
    expect(await watch.foreignPrograms()).toBeNull();
    git('add', 'sub');
    expect(await watch.foreignPrograms()).toContain('diff.x.textconv');
    git('-C', 'sub', 'config', '--unset', 'diff.x.textconv');
    expect(await watch.foreignPrograms()).toBeNull();
    rmSync(path.join(top, 'sub/.git'), { recursive: true });
    writeFileSync(path.join(top, 'sub/.git'), 'gitdir: ../elsewhere\n');
    write('elsewhere/config', '[core]\nfsmonitor = evil\n');
    expect(await watch.foreignPrograms()).toContain('elsewhere/config');
  });

  it('is found in one that is recorded itself', async () => {
    const { git, write, watch } = recorded([], 'outer');
    git('init', '-q', 'outer/deep');
    write('outer/deep/a', 'x');
    git('-C', 'outer/deep', 'add', 'a');
    git('-C', 'outer/deep', 'commit', '-qm', 'one');
    git('-C', 'outer', 'add', 'deep');
    git('-C', 'outer/deep', 'config', 'filter.x.clean', 'evil');
    expect(await watch.foreignPrograms()).toContain('outer/deep/.git/config');
  });

  it('is found if the worktree is said to be elsewhere', async () => {
    const { top, git, evil, watch } = recorded();
    evil();
    git('config', 'core.worktree', path.join(top, 'moved'));
    rmSync(path.join(top, 'lib'), { recursive: true });
    expect(await watch.foreignPrograms()).toBeNull();
    execFileSync('git', ['init', '-q', path.join(top, 'moved/lib/inner')], { stdio: 'pipe' });
    writeFileSync(path.join(top, 'moved/lib/inner/.git/config'), '[core]\nfsmonitor = evil\n');
    expect(await watch.foreignPrograms()).toContain('core.fsmonitor');
  });

  it('counts once the user vouched for it as it stands, and no longer', async () => {
    const { top, git, evil, place, watch, host } = recorded();
    evil();
    const items = await Promise.all(
      (await gitPrograms(host, top)).map((each) => trustItem(host, top, gitLeaf(each), top)),
    );
    expect(items.map(({ leaf }) => leaf.key)).toEqual(['core.fsmonitor']);
    await keepTrust(host, place.home, top, items);
    expect(await watch.foreignPrograms()).toBeNull();
    git('-C', 'lib/inner', 'config', 'core.fsmonitor', 'another');
    expect(await watch.foreignPrograms()).not.toBeNull();
  });
});

describe('a folder that is made a repository by files of plain names', () => {
  it('is asked about once its configuration starts something', async () => {
    const { top, home, place } = repository();
    const folder = path.join(top, 'plain');
    for (const name of ['objects', 'refs']) mkdirSync(path.join(folder, name), { recursive: true });
    const watch = createGitWatch({ ...place, cwd: folder });
    expect(await watch.foreignPrograms()).toBeNull();
    writeFileSync(path.join(folder, 'HEAD'), 'ref: refs/heads/x\n');
    expect(await watch.foreignPrograms()).toBeNull();
    const [mark, evil] = [path.join(home, 'mark'), path.join(home, 'evil')];
    writeFileSync(evil, `#!/bin/sh\n: > ${mark}\n`, { mode: 0o755 });
    const config = `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ${folder}\nfsmonitor = ${evil}\n`;
    writeFileSync(path.join(folder, 'config'), config);
    expect(await watch.foreignPrograms()).toContain('config says what git starts here (core.fsmonitor)');
    execFileSync('git', ['-C', folder, 'status'], { stdio: 'pipe' });
    expect(existsSync(mark)).toBe(true);
  });
});

describe('what git runs hooks from', () => {
  it.each([
    ['nothing', '', []],
    ['a folder of the worktree', '[core]\nhooksPath = scripts/hooks', ['/ws/scripts/hooks', '/ws/.git/scripts/hooks']],
    ['an absolute one', '[core]\nhooksPath = /srv/hooks', ['/srv/hooks']],
    ['one of the home', '[core]\nhooksPath = ~/hooks', ['/home/user/hooks']],
    ['none', '[core]\nhooksPath = ', []],
  ])('%s', async (_, config, found) => {
    const host = createMemoryHost({ files: { '/ws/.git/HEAD': 'x', '/ws/.git/config': config, '/ws/a/b': '' } });
    expect(await createGitWatch({ host, env: {}, cwd: '/ws/a', home: '/h' }).guardedPaths()).toEqual(found);
  });

  it('is what the configuration of the user says, in each of its places', async () => {
    const files = {
      '/home/user/.gitconfig': '[core]\nhooksPath = /one',
      '/cfg/git/config': '[core]\nhooksPath = /two',
    };
    const host = createMemoryHost({ files: { ...files, '/etc/gitconfig': '[core]\nhooksPath = /three', '/ws/a': '' } });
    const watch = createGitWatch({ host, env: { XDG_CONFIG_HOME: '/cfg' }, cwd: '/ws', home: '/h' });
    expect([...(await watch.guardedPaths())].sort()).toEqual(['/one', '/three', '/two']);
  });

  it('is the hooks alone if the folder holds the work itself', async () => {
    const host = createMemoryHost({ files: { '/ws/.git/HEAD': 'x', '/ws/.git/config': '[core]\nhooksPath = .' } });
    const found = await createGitWatch({ host, env: {}, cwd: '/ws', home: '/h' }).guardedPaths();
    expect(found).toContain('/ws/pre-commit');
    expect(found).not.toContain('/ws');
  });

  it('is the folder of a repository that is not called .git', async () => {
    const host = createMemoryHost({ files: { '/ws/.git': 'gitdir: /ws/store', '/ws/store/HEAD': 'x' } });
    const found = await createGitWatch({ host, env: {}, cwd: '/ws', home: '/h' }).guardedPaths();
    expect(found).toEqual(['/ws/store/hooks', '/ws/store/config', '/ws/store/config.worktree', '/ws/store/commondir']);
  });

  it('follows what changes, also in files that are included, and a repository that is made later', async () => {
    const host = createMemoryHost({ files: { '/ws/a': '' } });
    const watch = createGitWatch({ host, env: {}, cwd: '/ws', home: '/h' });
    expect(await watch.guardedPaths()).toEqual([]);
    await host.fs.writeFileAtomic('/ws/.git/config', '[include]\npath = ../more');
    expect(await watch.guardedPaths()).toEqual([]);
    await host.fs.writeFileAtomic('/ws/more', '[core]\nhooksPath = /one');
    expect(await watch.guardedPaths()).toEqual(['/one']);
    await host.fs.writeFileAtomic('/ws/more', '[core]\nhooksPath = /another');
    expect(await watch.guardedPaths()).toEqual(['/another']);
  });
});
