// Each setting of the sandbox, by what a command can do with it and cannot do without.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { findProcesses } from '../support/process-scan.js';
import { sandboxed } from '../support/sandboxed.js';

const OK = expect.objectContaining({ code: 0 });

describe('what a command may always do', () => {
  it('work in its workspace, and in temporary files of its own', async () => {
    const { run, workspace } = await sandboxed();
    const ran = await run(
      'echo x > a; mkdir -p b/c; mv a b/c; cat b/c/a; f=$(mktemp); echo y > $f; cat $f; stat -c %a $TMPDIR; echo z >&2; exit 3',
    );
    expect(ran).toMatchObject({ code: 3, stdout: 'x\ny\n700', stderr: 'z' });
    expect(await readFile(path.join(workspace, 'b/c/a'), 'utf8')).toBe('x\n');
  });

  it('find its temporary files again in the next command, and no session finds those of another', async () => {
    const [first, second] = [await sandboxed(), await sandboxed()];
    await first.run('echo x > /tmp/kept');
    expect(await first.run('cat /tmp/kept')).toMatchObject({ stdout: 'x' });
    expect(await second.run('cat /tmp/kept')).toMatchObject({ code: 1 });
  });

  it('read what is not denied, and see which machine it is on', async () => {
    const { run, outside } = await sandboxed({ files: { 'outside/a': 'text' } });
    expect(await run(`cat ${outside}/a; ls /usr/bin > /dev/null && echo found`)).toMatchObject({ stdout: 'textfound' });
  });

  it('use git: commits, branches, stashes', async () => {
    const { run, workspace } = await sandboxed();
    const host = createNodeHost();
    const quiet = {
      signal: new AbortController().signal,
      timeoutMs: 0,
      onStdout: () => undefined,
      onStderr: () => undefined,
    };
    const env = { PATH: process.env['PATH'] ?? '', HOME: workspace };
    const script = 'git init -q . && git config user.email a@b.invalid && git config user.name a';
    await host.exec.run({ command: ['/bin/sh', '-c', script], cwd: workspace, env, ...quiet });
    const ran = await run(
      'echo a > a; git add -A && git commit -qm one && git checkout -qb two && echo b > a && git stash -q && git status --short && git log --oneline | wc -l',
    );
    expect(ran).toMatchObject({ code: 0, stdout: '1', stderr: '' });
    expect(await readdir(workspace)).toEqual(['.git', 'a']);
  });

  it('let the last lines of what it started be read, and leave nothing running', async () => {
    const { run } = await sandboxed();
    const word = `left-${process.pid}-${path.basename(import.meta.url)}`;
    const ran = await run(
      `exec > >(while read -r line; do echo "got $line"; done); echo one; (WORD=${word} setsid sleep 60 &) ; WORD=${word} nohup sleep 60 > /dev/null & echo two`,
    );
    expect(ran.stdout).toBe('got one\ngot two');
    expect(findProcesses(word)).toEqual([]);
  });

  it('be stopped: by its time, and by the session', async () => {
    const { run } = await sandboxed();
    const word = `stopped-${process.pid}`;
    expect(await run(`WORD=${word} sleep 60`, { timeout: 300 })).toMatchObject({ code: 124 });
    const stop = new AbortController();
    const running = run(`echo > started; WORD=${word} sleep 60`, { signal: stop.signal });
    stop.abort();
    await expect(running).rejects.toThrow(/interrupted/i);
    expect(findProcesses(word)).toEqual([]);
  });
});

describe('filesystem', () => {
  it('allowWrite opens a folder and a file, with what is protected in them', async () => {
    const files = { 'outside/file': 'old', 'open/a': 'a', 'outside/other': 'old' };
    const closed = await sandboxed({ files });
    expect((await closed.run('echo new > ../outside/file')).code).not.toBe(0);
    const { run, outside, workspace } = await sandboxed({
      files,
      settings: { filesystem: { allowWrite: ['../outside/file', '../open', '../missing'] } },
    });
    expect(await run('echo new > ../outside/file; echo b > ../open/b')).toEqual(OK);
    expect(await readFile(path.join(outside, 'file'), 'utf8')).toBe('new\n');
    for (const script of ['echo new > ../outside/other', 'echo x > ../missing', 'echo x > ../open/.mcp.json']) {
      expect((await run(script)).code, script).not.toBe(0);
    }
    expect(await readdir(path.join(workspace, '../open'))).toEqual(['a', 'b']);
  });

  it('denyWrite closes what is there and what is not, at any depth, and wins over allowWrite', async () => {
    const files = { 'ws/locked/a': 'old', 'ws/deep/er/b': 'old' };
    const { run, workspace } = await sandboxed({
      files,
      settings: { filesystem: { denyWrite: ['locked', 'deep/er/b', 'not/there'], allowWrite: ['locked/a'] } },
    });
    for (const script of [
      'echo x > locked/a',
      'echo x > locked/new',
      'mv locked x',
      'echo x > deep/er/b',
      'mv deep x',
      'rm -f deep/er/b',
      'mkdir -p not && echo x > not/there',
    ]) {
      expect((await run(script)).code, script).not.toBe(0);
    }
    expect(await run('echo x > deep/er/c; echo y > d')).toEqual(OK);
    expect((await readdir(workspace)).sort()).toEqual(['d', 'deep', 'locked']);
  });

  it('denyWrite of the workspace leaves it readable', async () => {
    const { run } = await sandboxed({ files: { 'ws/a': 'x' }, settings: { filesystem: { denyWrite: ['.'] } } });
    expect(await run('cat a; echo y > b')).toMatchObject({ code: 1, stdout: 'x' });
  });

  it('denyRead hides files and folders; allowRead opens parts of them again, to read', async () => {
    const files = {
      'secrets/key': 'k',
      'secrets/open/a': 'a',
      'secrets/sub/b': 'b',
      'ws/hidden.txt': 'h',
      'ws/a': 'a',
    };
    const open = await sandboxed({ files });
    expect(await open.run('cat ../secrets/key ../secrets/open/a hidden.txt')).toMatchObject({ stdout: 'kah' });
    const denyRead = ['../secrets', 'hidden.txt'];
    const { run } = await sandboxed({ files, settings: { filesystem: { denyRead, allowRead: ['../secrets/open'] } } });
    expect(await run('cat ../secrets/open/a a')).toMatchObject({ code: 0, stdout: 'aa' });
    for (const script of [
      'cat ../secrets/key',
      'ls ../secrets',
      'cat ../secrets/sub/b',
      'cat hidden.txt',
      'ln hidden.txt h && cat h',
      'cp hidden.txt h && cat h',
      'mv hidden.txt h',
      'echo x > ../secrets/new',
      'echo x > ../secrets/open/a',
    ]) {
      expect((await run(script)).code, script).not.toBe(0);
    }
    const alone = await sandboxed({ files, settings: { filesystem: { denyRead } } });
    expect(await alone.run('cat ../secrets/open/a')).toMatchObject({
      stderr: expect.stringContaining('Permission denied'),
    });
  });

  it('a workspace in a denied folder can be worked in', async () => {
    const { run, home } = await sandboxed({ files: { 'home/a': 'x' }, settings: { filesystem: { denyRead: ['..'] } } });
    expect(await run('echo x > b; cat b')).toMatchObject({ stdout: 'x' });
    expect((await run(`cat ${home}/a`)).code).not.toBe(0);
  });

  it('denyRead follows links to what it names', async () => {
    const place = await sandboxed({ files: { 'real/key': 'k' }, settings: { filesystem: { denyRead: ['~/link'] } } });
    await symlink('../real', path.join(place.home, 'link'));
    expect((await place.run(`cat ${place.home}/link/key`)).code).not.toBe(0);
    expect((await place.run('cat ../real/key')).code).not.toBe(0);
  });

  it('workspace folders beside the first are written and protected as that', async () => {
    const { run } = await sandboxed({ files: { 'second/a': 'x' }, roots: ['second'] });
    expect(await run('echo y > ../second/b')).toEqual(OK);
    expect((await run('mkdir -p ../second/.claude && echo x > ../second/.claude/settings.json')).code).not.toBe(0);
  });

  it('what stands for missing files is gone after each command, and what a person put there stays', async () => {
    const { run, workspace } = await sandboxed();
    const running = run('ls -A | grep -c . ; cat a');
    expect((await running).stdout).toBe('10');
    expect(await readdir(workspace)).toEqual([]);
    await mkdir(path.join(workspace, '.vscode'));
    await writeFile(path.join(workspace, '.mcp.json'), '{}');
    await run('true');
    expect(await readdir(workspace)).toEqual(['.mcp.json', '.vscode']);
  });

  it('commands at the same time guard for each other', async () => {
    const { run, workspace } = await sandboxed();
    const runs = Array.from({ length: 6 }, (_, at) =>
      run(`sleep 0.${at}; mkdir -p .claude; echo x > .claude/settings.json`),
    );
    for (const { code } of await Promise.all(runs)) expect(code).not.toBe(0);
    expect(await readdir(workspace)).toEqual([]);
  });
});

describe('network', () => {
  const listen = async (at: string) => {
    const server = net.createServer((socket) => socket.on('error', () => undefined).end('hello'));
    await new Promise<void>((resolve) => server.listen(at, resolve));
    onTestFinished(() => void server.close());
  };
  const connect = (at: string) =>
    `"${process.execPath}" -e 'require("net").connect("${at}").on("data", (data) => console.log(String(data))).on("error", () => process.exit(7))'`;

  it('allowUnixSockets opens the sockets it names and no other; allowAllUnixSockets all of them', async () => {
    const [one, other] = [`/var/tmp/tw-one-${process.pid}`, `/var/tmp/tw-other-${process.pid}`];
    await listen(one);
    await listen(other);
    const none = await sandboxed();
    expect(await none.run(connect(one))).toMatchObject({ code: 7 });
    const some = await sandboxed({ settings: { network: { allowUnixSockets: [one] } } });
    expect(await some.run(connect(one))).toMatchObject({ stdout: 'hello' });
    expect(await some.run(connect(other))).toMatchObject({ code: 7 });
    const all = await sandboxed({ settings: { network: { allowAllUnixSockets: true } } });
    expect(await all.run(connect(other))).toMatchObject({ stdout: 'hello' });
  });

  it('loopback of a command is its own', async () => {
    const { run } = await sandboxed();
    const script =
      'const s = require("net").createServer((c) => c.end("own")).listen(0, "127.0.0.1", () => require("net").connect(s.address().port).on("data", (d) => { console.log(String(d)); process.exit(); }))';
    expect(await run(`"${process.execPath}" -e '${script}'`)).toMatchObject({ stdout: 'own' });
  });
});

describe('violations', () => {
  it('are told to the model and to the session, but for those that are ignored', async () => {
    const { run, told, outside } = await sandboxed();
    const { model } = await run(`echo x > ${outside}/a; getent hosts example.com || curl -sS http://example.com`);
    expect(model).toContain(`[Sandbox: ${outside}/a cannot be written in the sandbox.]`);
    expect(model).toContain('dangerouslyDisableSandbox');
    expect(told[0]).toEqual({ kind: 'file', target: `${outside}/a`, message: expect.any(String) });
    const quiet = await sandboxed({ settings: { ignoreViolations: { file: ['/'], network: ['*'] } } });
    expect((await quiet.run(`echo x > ${quiet.outside}/a`)).model).not.toContain('[Sandbox');
    expect(quiet.told).toEqual([]);
  });

  it('say why nothing new can be made beside a linked folder of settings, where the rest is written as ever', async () => {
    const { run, workspace } = await sandboxed({ files: { 'ws/real/a': 'x', 'ws/src/a': 'x' } });
    await symlink('real', path.join(workspace, '.claude'));
    expect((await run('echo x > new')).model).toContain(
      '.claude is a symbolic link, so nothing new can be made beside it',
    );
    expect(await run('echo x > src/new && echo y > src/a')).toEqual(OK);
  });

  it('do not offer a way out if there is none', async () => {
    const { run, outside } = await sandboxed({ settings: { allowUnsandboxedCommands: false } });
    expect((await run(`echo x > ${outside}/a`)).model).not.toContain('dangerouslyDisableSandbox');
  });
});

describe('what runs before the sandbox stands', () => {
  it('loads nothing that a command could have made', async () => {
    const { sandbox, workspace } = await sandboxed();
    const env = { LD_PRELOAD: './evil.so', LD_LIBRARY_PATH: workspace, BASH_ENV: './evil.sh', PLAIN: 'x' };
    const wrapped = await sandbox.wrap(['/bin/true'], { cwd: workspace, env, signal: new AbortController().signal });
    await wrapped.ended('');
    expect(Object.keys(wrapped.env).sort()).toEqual(['PLAIN', 'TMPDIR', 'TURNWRIGHT_SANDBOX']);
    expect(wrapped.command.join(' ')).toContain('--setenv LD_PRELOAD ./evil.so');
  });
});

describe('a machine that refuses /proc', () => {
  it('is worked on with enableWeakerNestedSandbox', async () => {
    const { run, sandbox } = await sandboxed({ settings: { enableWeakerNestedSandbox: true } });
    expect(sandbox.status.available).toBe(true);
    expect(await run('echo x > a; cat a')).toMatchObject({ stdout: 'x' });
    expect((await run('echo x > ../outside/a')).code).not.toBe(0);
  });
});

describe('the end of a session', () => {
  it('takes all files of the sandbox along, and no command runs after it', async () => {
    const tmp = await mkdtemp('/var/tmp/tw-tmp-');
    onTestFinished(() => rm(tmp, { recursive: true, force: true, maxRetries: 5 }));
    const { run, sandbox } = await sandboxed({ tmp });
    await run('mkdir -p /tmp/a/b; echo x > /tmp/a/b/c; chmod 000 /tmp/a/b /tmp/a');
    expect(await readdir(tmp)).toHaveLength(1);
    expect((await run(`cat ${tmp}/*/filter`)).code).not.toBe(0);
    await sandbox.close();
    await sandbox.close();
    expect(await readdir(tmp)).toEqual([]);
    await expect(run('true')).rejects.toThrow(/session has ended/);
  });
});

it('what is kept in the workspace is kept in a worktree of it, once the session moved there', async () => {
  const { run, sandbox, workspace } = await sandboxed({
    settings: { filesystem: { denyRead: ['secret'] } },
  });
  const make = 'mkdir -p .worktrees/w/secret && echo y > .worktrees/w/secret/a';
  expect(await run(`${make}; cat .worktrees/w/secret/a`)).toMatchObject({ code: 0, stdout: 'y' });
  sandbox.alsoBelow?.(workspace, path.join(workspace, '.worktrees/w'));
  expect(await run('cat .worktrees/w/secret/a')).not.toMatchObject({ code: 0 });
});
