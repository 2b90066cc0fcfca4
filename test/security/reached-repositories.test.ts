// What version control starts in repositories that a command reaches. Real repositories, real git: a program that leaves a
// trace stands in each configuration, and the same command without the engine shows that it would run.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Reach } from '../../src/context/git/git-starts.js';
import { createGitWatch } from '../../src/context/git/git-watch.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { CanUseTool } from '../../src/protocol/permissions.js';
import type { Options } from '../../src/sdk/options/options.js';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';
import { query } from '../../src/sdk/query.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';

/** A workspace that is a repository, a home beside it, and a program that leaves a trace. */
function workspace() {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'turnwright-reach-')));
  const remove = () => rmSync(base, { recursive: true, force: true });
  const [top, home, trace, evil] = ['ws', 'home', 'trace', 'evil.sh'].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [top, home]) mkdirSync(folder);
  writeFileSync(evil, `#!/bin/sh\n: > "${trace}"\nexit 0\n`);
  chmodSync(evil, 0o755);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TURNWRIGHT_HOME: path.join(home, '.turnwright'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
  writeFileSync(
    path.join(home, '.gitconfig'),
    '[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n[safe]\ndirectory = *\n',
  );
  const sh = (command: string, cwd = top) => spawnSync('bash', ['-c', command], { cwd, env, encoding: 'utf8' });
  const git = (...words: string[]) => execFileSync('git', words, { cwd: top, env, encoding: 'utf8', stdio: 'pipe' });
  git('init', '-q');
  writeFileSync(path.join(top, 'a'), 'one\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  return { base, top, home, trace, evil, env, sh, git, remove };
}

type Workspace = ReturnType<typeof workspace>;

/** One of the running test alone. */
function ownWorkspace(): Workspace {
  const at = workspace();
  onTestFinished(at.remove);
  return at;
}

/** Another repository, in a folder that the workspace leaves out. */
function inner(at: Workspace, name = 'sub'): string {
  const folder = path.join(at.top, name);
  mkdirSync(folder, { recursive: true });
  at.git('init', '-q', name);
  writeFileSync(path.join(folder, 'f'), 'one\n');
  at.git('-C', name, 'add', '.');
  at.git('-C', name, 'commit', '-qm', 'one');
  writeFileSync(path.join(folder, 'f'), 'two\n');
  return folder;
}

interface Ran {
  readonly hasRun: boolean;
  readonly reasons: readonly string[];
  readonly asked: readonly string[];
}

async function run(
  at: Workspace,
  commands: readonly string[],
  options: Partial<Options> & { answer?: CanUseTool } = {},
) {
  rmSync(at.trace, { force: true });
  const asked: string[] = [];
  const { answer, ...given } = options;
  const model = scriptedModel([...commands.map((command) => toolCall('Bash', { command })), text('done')]);
  const reasons: string[] = [];
  const stream = query({
    prompt: 'go',
    options: {
      provider: model,
      cwd: at.top,
      env: at.env,
      ...(answer === undefined
        ? {}
        : {
            canUseTool: async (name, input, more) => {
              asked.push(more.decisionReason ?? '');
              return answer(name, input, more);
            },
          }),
      ...given,
    } as Options,
  });
  for await (const message of stream)
    if (message.type === 'result')
      reasons.push(...(message.permission_denials ?? []).map(({ reason }) => reason ?? ''));
  return { hasRun: existsSync(at.trace), reasons, asked } satisfies Ran;
}

/** Programs of a configuration, and a command that starts them; each in a folder of its own. */
const PROGRAMS: Readonly<
  Record<string, { set(at: Workspace, sub: string): void; command: string; needsTerminal?: true }>
> = {
  'core.fsmonitor': { set: config('core.fsmonitor'), command: 'git -C sub status' },
  'a hook': {
    set: (at, sub) => hook(at, path.join(sub, '.git/hooks'), 'pre-commit'),
    command: 'git -C sub commit -qam x',
  },
  'core.hooksPath': {
    set: (at, sub) => {
      hook(at, path.join(sub, 'tools'), 'pre-commit');
      config('core.hooksPath', 'tools')(at, sub);
    },
    command: 'git -C sub commit -qam x',
  },
  'a hook of status': {
    set: (at, sub) => hook(at, path.join(sub, '.git/hooks'), 'post-index-change'),
    command: 'touch sub/f && git -C sub update-index -q --really-refresh; git -C sub add f',
  },
  'diff.textconv': { set: driver('diff=x', 'diff.x.textconv'), command: 'git -C sub diff' },
  'diff.external': { set: config('diff.external'), command: 'git -C sub diff' },
  'filter.clean': { set: driver('filter=x', 'filter.x.clean'), command: 'git -C sub add f' },
  'an alias': { set: (at, sub) => config('alias.go', `!${at.evil}`)(at, sub), command: 'git -C sub go' },
  'an alias of an alias': {
    set: (at, sub) => config('alias.go', `grep -O${at.evil} one`)(at, sub),
    command: 'git -C sub checkout -q f; git -C sub go',
  },
  'core.pager': { set: config('core.pager'), command: 'git -C sub --paginate log', needsTerminal: true },
  'core.editor': { set: config('core.editor'), command: 'git -C sub commit -a' },
  'sequence.editor': { set: config('sequence.editor'), command: 'git -C sub stash -q; git -C sub rebase -i --root' },
  'gpg.program': { set: config('gpg.program'), command: 'git -C sub commit -S -qam x' },
  includeIf: {
    set: (at, sub) => {
      writeFileSync(path.join(sub, '.git/more'), `[core]\n\tfsmonitor = ${at.evil}\n`);
      config('includeIf.gitdir:**.path', 'more')(at, sub);
    },
    command: 'git -C sub status',
  },
  'credential.helper': {
    set: (at, sub) => config('credential.helper', `!${at.evil}`)(at, sub),
    command: "printf 'protocol=https\\nhost=x.test\\n\\n' | git -C sub credential fill",
  },
  'core.sshCommand': { set: config('core.sshCommand'), command: 'git -C sub fetch ssh://x.invalid/y' },
  'remote.uploadpack': {
    set: (at, sub) => {
      config('remote.o.uploadpack')(at, sub);
      config('remote.o.url', at.top)(at, sub);
    },
    command: 'git -C sub fetch o',
  },
  'an address that is a command': {
    set: (at, sub) => {
      config('protocol.ext.allow', 'always')(at, sub);
      config('remote.o.url', `ext::${at.evil}`)(at, sub);
    },
    command: 'git -C sub fetch o',
  },
  'trailer.cmd': {
    set: (at, sub) => {
      config('trailer.x.key', 'x')(at, sub);
      config('trailer.x.command')(at, sub);
    },
    command: 'echo hi | git -C sub interpret-trailers --trailer x=1',
  },
  'tar.command': { set: config('tar.zz.command'), command: 'git -C sub archive --format=zz HEAD' },
};

function config(key: string, value?: string) {
  return (at: Workspace, sub: string): void => void at.git('-C', sub, 'config', key, value ?? at.evil);
}

function driver(attribute: string, key: string) {
  return (at: Workspace, sub: string): void => {
    writeFileSync(path.join(sub, '.gitattributes'), `f ${attribute}\n`);
    config(key)(at, sub);
  };
}

function hook(at: Workspace, folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), `#!/bin/sh\nexec ${at.evil}\n`);
  chmodSync(path.join(folder, name), 0o755);
}

/** Each with its own copy of the repository, so that the commands can run in one session. */
function programs() {
  const at = workspace();
  const cases = Object.entries(PROGRAMS).map(([name, { set, command, needsTerminal }], index) => {
    const sub = inner(at, `sub${index}`);
    set(at, sub);
    return { name, command: command.replaceAll('sub', `sub${index}`), needsTerminal };
  });
  return { at, cases };
}

const MODES: Readonly<Record<string, (commands: readonly string[]) => Partial<Options>>> = {
  'rules for programs': () => ({
    allowedTools: [
      'Bash(git *)',
      'Bash(cd *)',
      'Bash(bash *)',
      'Bash(cp *)',
      'Bash(ln *)',
      'Bash(printf *)',
      'Bash(touch *)',
    ],
  }),
  'rules for the very commands': (commands) => ({
    allowedTools: [...commands.map((command) => `Bash(${command})`).filter((rule) => !/[|;&]/.test(rule)), 'Bash'],
  }),
  acceptEdits: () => ({ permissionMode: 'acceptEdits', allowedTools: ['Bash'] }),
  bypassPermissions: () => ({ permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }),
};

describe('what a repository in a folder makes git start', () => {
  let made: ReturnType<typeof programs>;
  beforeAll(() => {
    made = programs();
  });
  afterAll(() => made.at.remove());

  it.each(Object.keys(MODES))('never runs with nobody to ask: %s', async (mode) => {
    const { at, cases } = made;
    const commands = cases.map(({ command }) => command);
    const ran = await run(at, commands, MODES[mode]?.(commands));
    expect(ran.hasRun).toBe(false);
    expect(ran.reasons).toHaveLength(commands.length);
    if (mode === 'bypassPermissions')
      for (const reason of ran.reasons) expect(reason).toMatch(/would start a program, and nobody vouched for it/);
  });

  it('runs where a plain shell runs each of these commands', () => {
    const { at, cases } = made;
    const started: string[] = [];
    for (const { name, command } of cases) {
      rmSync(at.trace, { force: true });
      at.sh(command);
      if (existsSync(at.trace)) started.push(name);
    }
    expect(started).toEqual(cases.filter(({ needsTerminal }) => needsTerminal !== true).map(({ name }) => name));
  });
});

/** Ways to reach a repository whose configuration starts a program; `no` if it cannot be told which one it is. */
const WAYS: Readonly<Record<string, string>> = {
  'by -C': 'git -C sub status',
  'by a chain of -C': 'git -C lib -C ../sub status',
  'by --git-dir': 'git --git-dir=sub/.git --work-tree=sub status',
  'by --git-dir in two words': 'git --git-dir sub/.git --work-tree sub status',
  'by variables': 'GIT_DIR=sub/.git GIT_WORK_TREE=sub git status',
  'by a variable that is exported': 'export GIT_DIR=$PWD/sub/.git; export GIT_WORK_TREE=$PWD/sub; git status',
  'by env': 'env GIT_DIR=sub/.git GIT_WORK_TREE=sub git status',
  'by a move': 'cd sub && git status',
  'by a move in a shell of its own': '(cd lib/../sub; git status)',
  'by pushd': 'pushd sub; git status',
  'by a shell': "bash -c 'cd sub && git status'",
  'by a folder that a variable names': 'd=sub; cd "$d" && git status',
  'by a folder that cannot be told': 'cd "$(echo sub)" && git status',
  'by a function': 'f() { git status; }; cd sub; f',
  'by a link': 'git -C link status',
  'by a file that names it': 'git -C named status',
  'by a worktree of it': 'git -C tree status',
  'by a folder below it': 'git -C sub/deep status',
  'as a repository without .git': 'cd plain && git status',
  'as one without .git in a folder that has a broken one': 'cd broken && git status',
  'as one that is recorded': 'cd outer && git status',
  'as one that is recorded, where changes are shown': 'cd outer && git diff',
  'as one that is copied here by the same line': 'cp -r ../brought here && cd here && git status',
  'as one that is linked here by the same line': 'ln -s ../brought there && cd there && git status',
  'as one that is moved here by the same line': 'mv ../brought again && git -C again status',
  'as one that is pushed to': 'git push -q ../bare HEAD:refs/heads/x',
  'as one that is pushed to by a name': 'git push -q friend HEAD:refs/heads/y',
  'as one that is pushed to by an address': 'git push -q file://$PWD/../bare HEAD:refs/heads/z',
  'as a template': 'git clone -q --template=../template . copy',
  'as a template of a new one': 'git init -q --template ../template fresh && git -C fresh commit -q --allow-empty -m x',
};

/** A workspace whose own repository starts nothing, with others around that do. */
function ways(): Workspace {
  const at = workspace();
  const sub = inner(at);
  mkdirSync(path.join(at.top, 'lib'));
  mkdirSync(path.join(sub, 'deep'));
  at.sh('git -C sub worktree add -q ../tree; ln -s sub link; mkdir named; echo "gitdir: ../sub/.git" > named/.git');
  config('core.fsmonitor')(at, sub);
  const files = `objects refs`.split(' ').map((name) => path.join(at.top, 'plain', name));
  for (const folder of files) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(at.top, 'plain/HEAD'), 'ref: refs/heads/x\n');
  writeFileSync(
    path.join(at.top, 'plain/config'),
    `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ${at.top}/plain\nfsmonitor = ${at.evil}\n`,
  );
  // A folder that git passes by, since it lacks what makes one.
  at.sh(
    'cp -r plain broken && sed -i s,/plain,/broken, broken/config && mkdir broken/.git && echo x > broken/.git/HEAD',
  );
  at.sh('git init -q outer && cp -r sub outer/rec && git -C outer add rec && git -C outer commit -qm x');
  at.sh('cp -r sub ../brought && git init -q --bare ../bare && git remote add friend ../bare');
  hook(at, path.join(at.base, 'bare/hooks'), 'pre-receive');
  hook(at, path.join(at.base, 'template/hooks'), 'post-checkout');
  hook(at, path.join(at.base, 'template/hooks'), 'pre-commit');
  return at;
}

describe('a repository that is reached', () => {
  let at: Workspace;
  beforeAll(() => {
    at = ways();
  });
  afterAll(() => at.remove());

  it.each(Object.keys(MODES))('starts nothing with nobody to ask: %s', async (mode) => {
    const commands = Object.values(WAYS);
    const ran = await run(at, commands, MODES[mode]?.(commands));
    expect(ran.hasRun).toBe(false);
    expect(ran.reasons).toHaveLength(commands.length);
  });

  it('would start something in each of these ways', () => {
    const started: string[] = [];
    for (const [name, command] of Object.entries(WAYS)) {
      rmSync(at.trace, { force: true });
      at.sh(command);
      if (existsSync(at.trace)) started.push(name);
    }
    expect(started).toEqual(Object.keys(WAYS));
  });
});

const yes: CanUseTool = async () => ({ behavior: 'allow' });
const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

describe('a yes', () => {
  it('is asked for once, says what would start, and holds for the sessions to come', async () => {
    const at = ownWorkspace();
    config('core.fsmonitor')(at, inner(at));
    const first = await run(at, ['git -C sub status', 'cd sub && git status', 'git -C sub add f'], {
      answer: yes,
      ...BYPASS,
    });
    expect(first.hasRun).toBe(true);
    expect(first.asked).toEqual([
      'sub/.git/config (core.fsmonitor) would start a program, and nobody vouched for it as it stands',
    ]);
    expect(await run(at, ['git -C sub status'], BYPASS)).toEqual({ hasRun: true, reasons: [], asked: [] });
  });

  it('is about the repository as it stands', async () => {
    const at = ownWorkspace();
    const sub = inner(at);
    config('core.fsmonitor')(at, sub);
    await run(at, ['git -C sub status'], { answer: yes, ...BYPASS });
    hook(at, path.join(sub, '.git/hooks'), 'pre-commit');
    const later = await run(at, ['git -C sub status', 'git -C sub commit -qam x'], BYPASS);
    expect(later).toMatchObject({
      hasRun: true,
      reasons: [expect.stringContaining('sub/.git/hooks/pre-commit (pre-commit)')],
    });
    await run(at, ['git -C sub commit -qam x'], { answer: yes, ...BYPASS });
    const text = `#!/bin/sh\nexec ${at.evil} another\n`;
    writeFileSync(path.join(sub, '.git/hooks/pre-commit'), text);
    expect((await run(at, ['git -C sub commit -qam x --allow-empty'], BYPASS)).hasRun).toBe(false);
  });

  it('that was never kept is one for the session', async () => {
    const at = ownWorkspace();
    config('core.fsmonitor')(at, inner(at));
    const options = { answer: yes, persistSession: false, ...BYPASS };
    expect((await run(at, ['git -C sub status', 'git -C sub status'], options)).asked).toHaveLength(1);
    expect((await run(at, ['git -C sub status'], options)).asked).toHaveLength(1);
  });

  it('that cannot be kept is told, and holds for the session', async () => {
    const at = ownWorkspace();
    config('core.fsmonitor')(at, inner(at));
    mkdirSync(path.join(at.home, '.turnwright/trust.json'), { recursive: true });
    const ran = await run(at, ['git -C sub status', 'git -C sub status'], { answer: yes, ...BYPASS });
    expect(ran).toMatchObject({ hasRun: true, reasons: [] });
    expect(ran.asked).toHaveLength(1);
  });

  it('to a folder that cannot be told is one to this call', async () => {
    const at = ownWorkspace();
    config('core.fsmonitor')(at, inner(at));
    const command = 'cd "$(echo sub)" && git status';
    const ran = await run(at, [command, command], { answer: yes, ...BYPASS });
    expect(ran.hasRun).toBe(true);
    expect(ran.asked).toHaveLength(2);
    expect((await run(at, ['git -C sub status'], BYPASS)).hasRun).toBe(false);
  });

  it('of a hook is none', async () => {
    const at = ownWorkspace();
    config('core.fsmonitor')(at, inner(at));
    const hooks = {
      PreToolUse: [
        { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })] },
      ],
      PermissionRequest: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
            }),
          ],
        },
      ],
    } as unknown as NonNullable<Options['hooks']>;
    expect((await run(at, ['git -C sub status'], { hooks })).hasRun).toBe(false);
  });
});

describe("the workspace's own repository", () => {
  const GRANTED: Partial<Options> = { settingSources: ['user', 'project', 'local'], ...BYPASS };

  it('is looked at too if nobody vouches for the folder', async () => {
    const at = ownWorkspace();
    hook(at, path.join(at.top, '.git/hooks'), 'pre-commit');
    expect(await run(at, ['git status', 'git commit -q --allow-empty -m x'], BYPASS)).toEqual({
      hasRun: false,
      reasons: [expect.stringContaining('.git/hooks/pre-commit')],
      asked: [],
    });
  });

  it('is covered by trust in the folder as it stood', async () => {
    const at = ownWorkspace();
    hook(at, path.join(at.top, '.git/hooks'), 'pre-commit');
    expect(await run(at, ['git commit -q --allow-empty -m x'], GRANTED)).toMatchObject({ hasRun: true, reasons: [] });
  });

  it('is not covered by it once a program changed what it starts, nor is one in a folder of it', async () => {
    const at = ownWorkspace();
    writeFileSync(path.join(at.top, 'change.sh'), `git config core.fsmonitor ${at.evil}\n`);
    config('core.fsmonitor')(at, inner(at));
    const ran = await run(at, ['sh change.sh', 'git status', 'git -C sub status'], GRANTED);
    expect(ran.hasRun).toBe(false);
    expect(ran.reasons).toEqual([
      expect.stringContaining('.git/config (core.fsmonitor)'),
      expect.stringContaining('sub/.git/config (core.fsmonitor)'),
    ]);
  });
});

describe('everyday work in a plain repository', () => {
  const COMMANDS = [
    'git status && git diff',
    'git add -A && git commit -qm two',
    'git push -q origin main',
    'git fetch --all && git pull --rebase origin main',
    'git checkout -b feature/x && git push -u origin feature/x',
    'git clone https://example.test/a/repo.git && cd repo && git log --oneline',
    'git clone -q ../bare mine && git -C mine status',
    'git init -q fresh && cd fresh && git add . && git status',
    'mkdir -p build && cd build && git describe --always',
    'git worktree add -q ../other && git -C ../other status',
    'cp a b && git add b',
    'git stash && git rebase main && git stash pop',
    'git submodule update --init && git tag v1',
    'echo x > config && git add config',
    'npm test && git commit -qam three',
  ];
  const KEYS = {
    'core.editor': 'code --wait',
    'core.pager': 'less -R',
    'alias.lg': 'log --oneline --graph',
    'remote.origin.url': 'https://example.test/a/b.git',
    'remote.origin.fetch': '+refs/heads/*:refs/remotes/origin/*',
    'branch.main.remote': 'origin',
    'lfs.repositoryformatversion': '0',
    'filter.lfs.clean': 'git-lfs clean -- %f',
    'credential.helper': 'cache --timeout=3600',
    'commit.gpgsign': 'false',
    'gitflow.branch.master': 'main',
    'http.userAgent': 'x',
    'submodule.lib.update': 'rebase',
  };

  it('needs nobody who vouches for anything', async () => {
    const at = ownWorkspace();
    for (const [key, value] of Object.entries(KEYS)) at.git('config', key, value);
    at.sh('git init -q --bare ../bare');
    const host = createNodeHost({ env: at.env });
    const rules = { allow: ['Bash', 'Edit'] };
    for (const command of COMMANDS) {
      const question = { tool: 'Bash', input: { command }, cwd: at.top, home: at.home, rules };
      const { behavior, reason } = await checkPermission(question, host);
      expect({ command, behavior, reason }).toMatchObject({ command, behavior: 'allow' });
    }
  });

  it('reads nothing again while nothing changes', async () => {
    const at = ownWorkspace();
    const node = createNodeHost({ env: at.env });
    const opened: string[] = [];
    const counted = <K extends 'readEnds' | 'readFile' | 'readdir'>(name: K) => ({
      [name]: (file: string, ...rest: never[]) => {
        opened.push(file);
        return (node.fs[name] as (...words: unknown[]) => unknown)(file, ...rest);
      },
    });
    const fs = { ...node.fs, ...counted('readEnds'), ...counted('readFile'), ...counted('readdir') } as typeof node.fs;
    const watch = createGitWatch({
      host: { ...node, fs },
      env: at.env,
      cwd: at.top,
      home: path.join(at.home, '.turnwright'),
    });
    const reach: Reach = {
      system: 'git',
      folder: at.top,
      gitFolder: null,
      workTree: null,
      isReading: false,
      peers: [],
      templates: [],
      transfer: null,
    };
    expect(await watch.foreignStart(reach)).toBeNull();
    expect(opened.length).toBeGreaterThan(0);
    opened.length = 0;
    for (let call = 0; call < 3; call++) expect(await watch.foreignStart(reach)).toBeNull();
    expect(opened).toEqual([]);
  });

  it('in the sandbox is not asked about: what starts is confined as the command is', async () => {
    const at = ownWorkspace();
    hook(at, path.join(at.top, '.git/hooks'), 'pre-commit');
    const host = createNodeHost({ env: at.env });
    const ask = (input: Record<string, unknown>) =>
      checkPermission({ tool: 'Bash', input, cwd: at.top, home: at.home, sandbox: true }, host);
    const command = 'git commit -qam x';
    expect(await ask({ command })).toMatchObject({ behavior: 'allow', reason: 'it runs inside the sandbox' });
    expect(await ask({ command, dangerouslyDisableSandbox: true })).toMatchObject({
      behavior: 'ask',
      isFirm: true,
      reason: expect.stringContaining('pre-commit'),
    });
  });
});

describe('other systems of version control', () => {
  it.each([
    ['hg -R sub status', 'sub/.hg/hgrc', '[extensions]\nx = ./x.py\n', 'ask'],
    ['cd sub && hg log', 'sub/.hg/hgrc', '[paths]\ndefault = https://example.test/x\n', 'allow'],
    ['hg --cwd sub commit -m x', 'sub/.hg/hgrc', '[hooks]\ncommit = ./x\n', 'ask'],
    ['cd sub && jj log', 'sub/.jj/repo/config.toml', '[aliases]\nx = ["util", "exec"]\n', 'ask'],
    ['cd sub && jj log', 'sub/.jj/repo/config.toml', '[user]\nname = "a"\n', 'allow'],
    ['gh pr checkout 1', '.git/hooks/post-checkout', '#!/bin/sh\n', 'ask'],
  ])('%s', async (command, file, content, behavior) => {
    const at = ownWorkspace();
    mkdirSync(path.dirname(path.join(at.top, file)), { recursive: true });
    writeFileSync(path.join(at.top, file), content);
    const question = {
      tool: 'Bash',
      input: { command },
      cwd: at.top,
      home: at.home,
      mode: 'bypassPermissions',
    } as const;
    const decision = await checkPermission(question, createNodeHost({ env: at.env }));
    expect(decision).toMatchObject({ behavior });
    if (behavior === 'ask') expect(decision.reason).toContain(file);
  });
});
