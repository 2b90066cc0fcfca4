import { describe, expect, it } from 'vitest';
import { gitPrograms } from '../../../src/context/git/git-programs.js';
import { isGitSuspicious } from '../../../src/context/git/git-suspicion.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';

const PLAIN = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[remote "origin"]
	url = https://example.com/a.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`;
const repository = (config: string, more: Record<string, string> = {}) =>
  createMemoryHost({ files: { '/project/.git/HEAD': 'ref: x', '/project/.git/config': config, ...more } });
const keys = async (config: string, more: Record<string, string> = {}) =>
  (await gitPrograms(repository(config, more), '/project')).map(({ key, value }) => `${key}=${value}`);

describe('what git starts while it reads', () => {
  it('is nothing in a repository as it is cloned, nor outside of one', async () => {
    expect(await isGitSuspicious(repository(PLAIN), '/project')).toBe(false);
    expect(await keys(PLAIN)).toEqual([]);
    expect(await isGitSuspicious(createMemoryHost(), '/project')).toBe(false);
    expect(await gitPrograms(createMemoryHost(), '/project')).toEqual([]);
  });

  it.each([
    ['[core]\n fsmonitor = x y # z\n', ['core.fsmonitor=x y']],
    ['[core] fsmonitor = "x;y"', ['core.fsmonitor=x;y']],
    ['[CORE]\nFsMonitor=x', ['core.fsmonitor=x']],
    ['[core]\nfsmon\\\nitor = x', ['core.fsmonitor=x']],
    ['[core]\nfsmonitor', ['core.fsmonitor=true']],
    ['[diff]\nexternal = x', ['diff.external=x']],
    ['[diff "a \\" b"]\ntextconv = x\ncommand = y', ['diff.a \\" b.textconv=x', 'diff.a \\" b.command=y']],
    ['[diff.old]\ntextconv = x', ['diff.old.textconv=x']],
    ['[filter "f"]\nclean = x\nprocess = y', ['filter.f.clean=x', 'filter.f.process=y']],
    ['[gpg "ssh"]\nprogram = x', ['gpg.ssh.program=x']],
    ['[gpg]\nprogram = x', ['gpg.program=x']],
    ['[remote "o"]\nurl = ssh://x\npromisor', ['remote.o.promisor=true']],
    ['[extensions]\npartialClone = o', ['extensions.partialclone=o']],
    ['[merge "x"]\ndriver = y', ['merge.x.driver=y']],
    ['[core]\nalternateRefsCommand = x', ['core.alternaterefscommand=x']],
    ['[alias]\nwhatchanged = !x', ['alias.whatchanged=!x']],
    ['[include]\npath = ../evil', ['include.path=../evil']],
    ['[includeIf "gitdir:/"]\npath = e', ['includeif.gitdir:/.path=e']],
  ])('%j', async (config, found) => {
    expect(await keys(config)).toEqual(found);
    expect(await isGitSuspicious(repository(config), '/project')).toBe(true);
  });

  it.each([
    '[core]\nfsmonitor = false',
    '[filter "lfs"]\nclean = git-lfs clean -- %f\nsmudge = git-lfs smudge -- %f\nprocess = git-lfs filter-process',
    '[core]\nhooksPath = .husky/_',
    '[alias]\nst = status\n[core]\neditor = vim',
    '[remote "o"]\npromisor = false\nuploadpack = x',
    '# fsmonitor = x\n; [diff]\n',
  ])('is nothing by %j', async (config) => {
    expect(await keys(config, { '/project/.husky/_/pre-commit': '' })).toEqual([]);
  });

  it('may be said in submodules, which are looked at if there are some', async () => {
    const host = repository(PLAIN, { '/project/.git/modules/a/HEAD': 'x' });
    expect(await isGitSuspicious(host, '/project')).toBe(true);
  });

  it('is what included files say, on whatever condition, however deep, and of each other', async () => {
    const files = {
      '/project/.gitconfig': '[include]\npath = more/deep\n[diff]\nexternal = one',
      '/project/more/deep': '[include]\npath = ../.gitconfig\n[core]\nfsmonitor = two',
      '/home/user/shared': '[diff "x"]\ntextconv = three',
    };
    const config = '[include]\npath = ../.gitconfig\n[includeIf "gitdir:/"]\npath = ~/shared\npath = ../missing';
    expect(await keys(config, files)).toEqual([
      'include.path=../.gitconfig',
      'includeif.gitdir:/.path=~/shared',
      'includeif.gitdir:/.path=../missing',
      'include.path=more/deep',
      'diff.external=one',
      'include.path=../.gitconfig',
      'core.fsmonitor=two',
      'diff.x.textconv=three',
    ]);
  });

  it('is what stands in files of the repository that its programs name', async () => {
    const config =
      '[core]\nfsmonitor = tools/watch.sh --fast\n[filter "f"]\nclean = sh -c \'"./tools/long" %f\' /etc/x';
    const files = { '/project/tools/watch.sh': 'echo 1', '/project/tools/long': 'x'.repeat(5_000), '/etc/x': 'y' };
    const [, , script, long, ...rest] = await keys(config, files);
    expect(script).toBe('script=echo 1');
    expect(long).toMatch(/^script=5000 characters, SHA-256 [0-9a-f]{64}$/);
    expect(rest).toEqual([]);
    const changed = { ...files, '/project/tools/long': `${'x'.repeat(4_999)}y` };
    expect((await keys(config, changed))[3]).not.toBe(long);
  });

  it('is a hook that status runs, wherever hooks are kept', async () => {
    const hook = { '/project/.git/hooks/post-index-change': 'run' };
    expect(await isGitSuspicious(repository(PLAIN, hook), '/project')).toBe(true);
    expect(await keys(PLAIN, hook)).toEqual(['post-index-change=run']);
    const moved = await keys('[core]\nhooksPath = .hooks', { '/project/.hooks/post-index-change': 'go' });
    expect(moved).toEqual(['post-index-change=go']);
  });

  it('is found in folders of the repository, in linked ones, and in a folder that is a repository itself', async () => {
    const evil = '[core]\nfsmonitor = x';
    const inside = repository(evil, { '/project/a/b/c': '' });
    const linked = createMemoryHost({
      files: {
        '/project/.git': 'gitdir: /main/.git/worktrees/w\n',
        '/main/.git/worktrees/w/commondir': '../..\n',
        '/main/.git/config': evil,
      },
    });
    const bare = createMemoryHost({ files: { '/project/HEAD': 'ref: x', '/project/config': evil } });
    for (const [host, cwd] of [
      [inside, '/project/a/b'],
      [linked, '/project'],
      [bare, '/project'],
    ] as const) {
      expect(await isGitSuspicious(host, cwd)).toBe(true);
      expect((await gitPrograms(host, cwd)).map(({ key }) => key)).toEqual(['core.fsmonitor']);
    }
  });

  it('cannot be told of what cannot be read', async () => {
    const host = repository(PLAIN);
    await host.fs.remove('/project/.git/config');
    host.fs.special('/project/.git/config');
    expect(await isGitSuspicious(host, '/project')).toBe(true);
    expect((await gitPrograms(host, '/project')).map(({ key }) => key)).toEqual(['(unreadable)']);
  });
});
