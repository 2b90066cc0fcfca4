// What one command leaves behind for the next, for another session, and for who clears up: none of it opens anything.
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { WrappedCommand } from '../../src/sandbox/command-sandbox.js';
import { findProcesses } from '../support/process-scan.js';
import { type Sandboxed, sandboxed } from '../support/sandboxed.js';

const SECRET = 'canary-secret';
const MARK = `turnwright-later-${process.pid}`;
/** Ends when `file` is there, which it does within its 30 seconds. */
const until = (file: string) => `for i in $(seq 1500); do [ -e ${file} ] && break; sleep 0.02; done`;

async function whenThere(file: string): Promise<void> {
  await expect.poll(() => existsSync(file), { interval: 10 }).toBe(true);
}

function place({ workspace, env = {} }: Pick<Sandboxed, 'workspace'> & { env?: Record<string, string> }) {
  return { cwd: workspace, env: { PATH: '/usr/bin:/bin', ...env }, signal: new AbortController().signal };
}

/** The command as it was wrapped, run without another look at the disk. */
async function runWrapped({ command, env, ended }: WrappedCommand, before: readonly string[] = []) {
  let said = '';
  const take = (chunk: Uint8Array): void => {
    said += Buffer.from(chunk).toString();
  };
  const { exitCode } = await createNodeHost().exec.run({
    command: [...before, ...command],
    cwd: '/',
    env,
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    onStdout: take,
    onStderr: take,
  });
  await ended(said);
  return { exitCode, said };
}

describe('a link that a command made', () => {
  it.each([
    { field: 'allowWrite', names: 'out/x' },
    { field: 'allowRead', names: 'shared' },
  ])('in the place of $names does not lead $field elsewhere', async ({ field, names }) => {
    const filesystem = { denyRead: ['../vault'], [field]: [names] };
    const made = await sandboxed({ settings: { filesystem }, files: { 'vault/in/secret': SECRET } });
    const { code, stderr } = await made.run(`mkdir -p "$(dirname ${names})"; ln -s "$PWD/../vault/in" ${names}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const next = made.run(`cat ${names}/secret; echo x > ${names}/new`);
    await expect(next).rejects.toThrow(/symbolic link .*Commands can make such a link, so nothing was run\. Name/);
    expect(existsSync(path.join(made.workspace, '..', 'vault', 'in', 'new'))).toBe(false);
  });

  it('and took away again leaves what it led to refused', async () => {
    const filesystem = { denyRead: ['hidden'], denyWrite: ['fixed'] };
    const made = await sandboxed({ settings: { filesystem }, files: { 'ws/one': SECRET, 'ws/two': 'as it was' } });
    symlinkSync('one', path.join(made.workspace, 'hidden'));
    symlinkSync('two', path.join(made.workspace, 'fixed'));
    await made.run('rm hidden fixed');
    expect((await made.run('cat one; echo x > two')).stdout).toBe('');
    expect(readFileSync(path.join(made.workspace, 'two'), 'utf8')).toBe('as it was');
  });

  it('before the session began is a link all the same, if it lies in a workspace', async () => {
    const made = await sandboxed({ settings: { filesystem: { allowWrite: ['data'] } } });
    symlinkSync(made.outside, path.join(made.workspace, 'data'));
    await expect(made.run('echo x > data/new')).rejects.toThrow(made.outside);
  });

  it('and that lies in no place of commands is followed', async () => {
    const made = await sandboxed({ settings: { filesystem: { allowWrite: ['../link'] } } });
    symlinkSync(made.outside, path.join(made.workspace, '..', 'link'));
    expect((await made.run('echo x > ../outside/new')).code).toBe(0);
  });
});

describe('a home that may be written', () => {
  it('keeps what runs with the next login, whether it is there or not', async () => {
    const made = await sandboxed({ settings: { filesystem: { allowWrite: ['~'] } }, files: { 'home/.vimrc': 'x' } });
    const files = [
      '.bash_aliases',
      '.xprofile',
      '.ssh/authorized_keys',
      '.config/systemd/user/a.service',
      '.config/autostart/a.desktop',
      '.config/environment.d/a.conf',
      '.local/bin/ls',
      'bin/ls',
      '.vimrc',
      '.turnwright/settings.json',
    ];
    const write = files.map((file) => `mkdir -p "$(dirname ~/${file})"; echo evil >> ~/${file}`).join('; ');
    await made.run(`echo fine > ~/note; ${write}`);
    expect(readdirSync(made.home).sort()).toEqual(['.turnwright', '.vimrc', 'note']);
    expect(readFileSync(path.join(made.home, '.vimrc'), 'utf8')).toBe('x');
    expect(readdirSync(path.join(made.home, '.turnwright'))).toEqual(['sandbox']);
  });
});

describe('what cannot be read', () => {
  it('is not moved to where the next command does not look', async () => {
    const filesystem = { denyRead: ['a/b/secret', 'c/all'] };
    const made = await sandboxed({
      settings: { filesystem },
      files: { 'ws/a/b/secret': SECRET, 'ws/c/all/secret': SECRET },
    });
    await made.run('mv a moved; mv a/b a/moved; mv c moved2; mv c/all c/moved');
    expect((await made.run('cat $(find . -name secret)')).stdout).not.toContain(SECRET);
  });
});

describe('while a command runs', () => {
  const REPOSITORY = 'git init -q . && git config user.email a@b.invalid && git config user.name a';

  it('a folder that is swapped for a link before it starts leads no mount elsewhere', async () => {
    const made = await sandboxed({ files: { 'ws/.git/HEAD': 'ref: refs/heads/main', 'outside/canary': 'c' } });
    const wrapped = await made.sandbox.wrap(['/bin/sh', '-c', 'echo x > ../outside/new'], place(made));
    rmSync(path.join(made.workspace, '.git'), { recursive: true });
    for (const name of ['hooks', 'config']) mkdirSync(path.join(made.outside, name));
    symlinkSync('../outside', path.join(made.workspace, '.git'));
    const { exitCode, said } = await runWrapped(wrapped);
    expect({ exitCode, said }).toEqual({
      exitCode: 125,
      said: expect.stringContaining('disturbed while it was set up'),
    });
    expect(existsSync(path.join(made.outside, 'new'))).toBe(false);
  });

  it('what somebody left open does not come along', async () => {
    const made = await sandboxed({});
    const script = 'for fd in 5 7 12 200; do echo x > /proc/self/fd/$fd/new; done; ls -l /proc/self/fd';
    const wrapped = await made.sandbox.wrap(['/bin/bash', '-c', script], place(made));
    const open = `exec 5<"$0" 7<"$0" 12<"$0" 200<"$0"; exec "$@"`;
    const { said } = await runWrapped(wrapped, ['/bin/bash', '-c', open, made.outside]);
    expect(said).toContain('/dev/null');
    expect(said).not.toContain(made.outside);
    expect(existsSync(path.join(made.outside, 'new'))).toBe(false);
  });

  it('a file that another program replaces is told, since the command could reach it', async () => {
    const made = await sandboxed({});
    await made.run('true');
    const outside = (script: string) =>
      new Promise((resolve) => spawn('/bin/sh', ['-c', script], { cwd: made.workspace }).on('exit', resolve));
    await outside(REPOSITORY);
    const running = made.run(`touch started; ${until('go')}`);
    await whenThere(path.join(made.workspace, 'started'));
    await outside('git config a.b c; touch go');
    expect((await running).model).toContain('.git/config was replaced by another program while the command ran');
    expect(made.told.map(({ target }) => target)).toEqual([path.join(made.workspace, '.git', 'config')]);
  });
});

describe('two sessions in one workspace', () => {
  it('do not take away what guards the other, and the last takes all', async () => {
    const one = await sandboxed({});
    const two = await one.another();
    const first = one.run(`touch one; ${until('two')}`);
    await whenThere(path.join(one.workspace, 'one'));
    const second = two.run(`touch two; ${until('three')}; mkdir -p .claude; echo x > .claude/settings.json`);
    await first;
    writeFileSync(path.join(one.workspace, 'three'), '');
    expect((await second).code).not.toBe(0);
    expect(readdirSync(path.join(one.workspace, '.claude'))).toEqual([]);
    await one.sandbox.close();
    await two.sandbox.close();
    expect(readdirSync(one.workspace).sort()).toEqual(['one', 'three', 'two']);
    expect(readdirSync(path.join(one.home, '.turnwright', 'sandbox'))).toEqual([]);
  });
});

describe('a session that was killed', () => {
  /** A process that starts what it is told, as an engine does, until it is killed. */
  function startEngine() {
    const program =
      "process.on('message', ({ command, env }) => require('child_process').spawn(command[0], command.slice(1), { env }));";
    const engine = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    onTestFinished(() => void engine.kill('SIGKILL'));
    return engine;
  }

  it('leaves no process, and what it left on the disk goes with the next', async () => {
    const engine = startEngine();
    const machine = createNodeHost();
    const owner = { ...(await machine.processes.self()), pid: engine.pid ?? 0, started: '' };
    const host = { ...machine, processes: { ...machine.processes, self: async () => owner } };
    const made = await sandboxed({ host, files: { 'ws/.git/HEAD': 'ref: refs/heads/main', 'ws/mine/.keep': '' } });
    const before = privateFolders(made.home);
    const script = 'mkdir d; echo evil > .git/commondir; touch started; sleep 600 & sleep 600';
    const { command, env } = await made.sandbox.wrap(['/bin/bash', '-c', script], place({ ...made, env: { MARK } }));
    engine.send({ command, env });
    await whenThere(path.join(made.workspace, 'started'));
    engine.kill('SIGKILL');
    await expect.poll(() => findProcesses(MARK)).toEqual([]);
    expect(readdirSync(made.workspace)).toContain('.mcp.json');
    expect(before.map((folder) => existsSync(folder))).toEqual([true]);
    await made.another();
    expect(readdirSync(made.workspace).sort()).toEqual(['.git', 'd', 'mine', 'started']);
    expect(readdirSync(path.join(made.workspace, '.git')).sort()).toEqual(['HEAD']);
    expect(before.map((folder) => existsSync(folder))).toEqual([false]);
  });

  it('and cannot be seen from here, as in a container that is gone, counts as living for a week', async () => {
    const made = await sandboxed({});
    await made.sandbox.close();
    const file = path.join(made.home, '.turnwright', 'sandbox', 'other.jsonl');
    const owner = { ...(await createNodeHost().processes.self()), space: 'pid:[1]' };
    const stub = path.join(made.workspace, '.idea');
    const days = async (age: number) => {
      mkdirSync(stub, { recursive: true });
      writeFileSync(
        file,
        [{ owner, areas: [made.workspace] }, { stub }].map((line) => JSON.stringify(line)).join('\n'),
      );
      const at = Date.now() / 1_000 - age * 86_400;
      utimesSync(file, at, at);
      await (await made.another()).sandbox.close();
      return [existsSync(file), existsSync(stub)];
    };
    expect(await days(6)).toEqual([true, true]);
    expect(await days(8)).toEqual([false, false]);
  });

  it('takes nothing along that somebody put there since, or that its file does not say rightly', async () => {
    const made = await sandboxed({});
    await made.sandbox.close();
    const lines = (more: readonly unknown[]) => more.map((line) => JSON.stringify(line)).join('\n');
    const owner = { ...(await createNodeHost().processes.self()), pid: 2 ** 22 + 1, started: '1' };
    const at = (name: string) => path.join(made.workspace, name);
    for (const name of ['.idea', '.vscode', 'full']) mkdirSync(at(name));
    for (const name of ['full/mine', 'file', 'HEAD']) writeFileSync(at(name), 'mine');
    const file = path.join(made.home, '.turnwright', 'sandbox', 'old.jsonl');
    const said = [{ owner, areas: [], folder: made.outside }, { stub: at('.idea') }, { stub: at('full') }];
    writeFileSync(file, `${lines([...said, { stub: at('file') }, { missing: at('HEAD') }])}\n{"stub":"${at('.vsc')}`);
    await made.another();
    expect(readdirSync(made.workspace).sort()).toEqual(['.vscode', 'HEAD', 'file', 'full']);
    expect(existsSync(made.outside)).toBe(true);
    expect(existsSync(file)).toBe(false);
  });
});

/** Of a session, as its file tells. */
function privateFolders(home: string): string[] {
  const folder = path.join(home, '.turnwright', 'sandbox');
  return readdirSync(folder).map((name) => {
    const [first = ''] = readFileSync(path.join(folder, name), 'utf8').split('\n');
    return (JSON.parse(first) as { folder: string }).folder;
  });
}

describe('what core.hooksPath names', () => {
  const config = (value: string) => ({
    'ws/.git/HEAD': 'ref: x',
    'ws/.git/config': `[core]\n\thooksPath = ${value}\n`,
  });

  it.each([
    { name: 'a folder that is there', files: { 'ws/tools/hooks/pre-commit': 'as it was' } },
    { name: 'a folder that is not there', files: {} },
  ])('$name takes no hooks, and does not move', async ({ files }) => {
    const made = await sandboxed({ files: { ...config('tools/hooks'), ...files, 'ws/evil/pre-commit': 'evil' } });
    const { code, stdout } = await made.run(
      'echo evil > tools/hooks/pre-commit; mkdir -p tools/hooks; cp evil/pre-commit tools/hooks; mv tools old; ' +
        'mv evil tools/hooks; rm -rf tools/hooks; mkdir -p tools/other && echo fine > tools/other/file; echo through',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'through' });
    expect(existsSync(path.join(made.workspace, 'old'))).toBe(false);
    expect(readFileSync(path.join(made.workspace, 'tools/other/file'), 'utf8')).toBe('fine\n');
    const hook = path.join(made.workspace, 'tools/hooks/pre-commit');
    if ('ws/tools/hooks/pre-commit' in files) expect(readFileSync(hook, 'utf8')).toBe('as it was');
    else expect(existsSync(hook)).toBe(false);
  });

  it('counts from the next command on, wherever it was set', async () => {
    const made = await sandboxed({ files: config('.git/hooks') });
    const target = path.join(made.workspace, 'later/pre-commit');
    expect((await made.run('mkdir later && echo x > later/pre-commit')).code).toBe(0);
    writeFileSync(path.join(made.home, '.gitconfig'), `[core]\n\thooksPath = ${path.dirname(target)}\n`);
    await made.run('echo evil > later/pre-commit');
    expect(readFileSync(target, 'utf8')).toBe('x\n');
  });

  it('is held if a link leads to it, and so is the link', async () => {
    const made = await sandboxed({ files: { ...config('way/hooks'), 'ws/real/hooks/pre-commit': 'as it was' } });
    symlinkSync('real', path.join(made.workspace, 'way'));
    await made.run('echo evil > real/hooks/pre-commit; mkdir evil; rm way; ln -s evil way; mv way gone');
    expect(readFileSync(path.join(made.workspace, 'way/hooks/pre-commit'), 'utf8')).toBe('as it was');
  });

  it('is the hooks alone if the folder holds the work', async () => {
    const made = await sandboxed({ files: config('.') });
    await made.run('echo evil > pre-commit; echo fine > other');
    expect(readdirSync(made.workspace).sort()).toEqual(['.git', 'other']);
  });
});

describe('a repository that a command makes and records', () => {
  const git = 'git -c user.name=a -c user.email=a@b';
  const record = `git init -q lib; ${git} -C lib commit -q --allow-empty -m one; git add lib`;

  it('is told once it would make git start something, and once only', async () => {
    const made = await sandboxed();
    execFileSync('git', ['init', '-q', made.workspace], { stdio: 'pipe' });
    await made.run(record);
    expect(made.told).toEqual([]);
    const { model } = await made.run('git -C lib config core.fsmonitor /evil');
    expect(made.told.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^After this command git looks into .*lib\/\.git\/config says what git starts \(core\.fsmon/,
      ),
    ]);
    expect(model).toContain('Look at it before you run git there');
    await made.run('git status; echo more');
    expect(made.told).toHaveLength(1);
  });
});
