// A rule that keeps a file from being read keeps it from everything that shows it, replaces it or takes it elsewhere:
// named, in a folder that is moved, copied, linked or removed as a whole, or found by a search.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { PermissionBehavior } from '../../src/protocol/permissions.js';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';

const host = createNodeHost();
let top = '';
let root = '';

beforeAll(async () => {
  top = await realpath(await mkdtemp(path.join(tmpdir(), 'kept-')));
  root = path.join(top, 'app');
  const files = [
    '.env',
    'src/a.ts',
    'packages/x/secrets/key',
    'packages/y/b.ts',
    'build/out.js',
    'plain/.env',
    'docs/secrets',
  ];
  for (const file of files) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), 'x');
  }
  await mkdir(path.join(root, 'secrets'));
  await writeFile(path.join(root, 'secrets', 'key'), 'x');
  await symlink('packages', path.join(root, 'pkgs'));
});
afterAll(() => rm(top, { recursive: true, force: true, maxRetries: 5 }));

async function decide(command: string, rules: Partial<Record<PermissionBehavior, string[]>>) {
  const given = { tool: 'Bash', input: { command }, cwd: root, home: '/home/u', mode: 'bypassPermissions' } as const;
  return (await checkPermission({ ...given, rules }, host)).behavior;
}

const NAMED = [
  '> .env',
  'echo x >> .env',
  'echo x | tee .env',
  'rm .env',
  'rm -f ./.env',
  'cp src/a.ts .env',
  'cp .env x',
  'mv .env x',
  'mv src/a.ts .env',
  'ln -s .env x',
  'ln .env x',
  'sed -i s/a/b/ .env',
  'touch .env',
  'truncate -s 0 .env',
  'chmod 644 .env',
  'cat < .env',
  'cd src && cat ../.env',
  'base64 .env',
];
const WHOLE = [
  'mv secrets s2',
  'mv packages/x/secrets s2',
  'mv packages/x x2',
  'mv packages p2',
  'cp -r packages /tmp/x',
  'cp -a . /tmp/x',
  'cp -r . /tmp/x',
  'rm -rf packages',
  'rm -r packages/x',
  'rm -rf secrets',
  'ln -s secrets x',
  'ln -s packages x',
  'ln -s . x',
  'rsync -a packages/ /tmp/x',
  'mv pkgs/x x2',
  'cd packages && mv x x2',
  'mv -t /tmp packages',
];

describe('a file that is kept from being read', () => {
  it.each(NAMED)('by name: %s', async (command) => {
    expect(await decide(command, { deny: ['Read(.env)'] })).toBe('deny');
    expect(await decide(command, { ask: ['Read(.env)'] })).toBe('ask');
    expect(await decide(command, { deny: ['Read(.envrc)'] })).toBe('allow');
  });

  it('counts for a copy in an archive that is printed', async () => {
    execFileSync('tar', ['-cf', 'pack.tar', 'packages/x/secrets/key', 'src/a.ts'], { cwd: root });
    const rules = { deny: ['Read(secrets/**)'] };
    expect(await decide('tar -xOf pack.tar', rules)).toBe('deny');
    expect(await decide('tar -xOf pack.tar src/a.ts', rules)).toBe('ask');
    // Of what is no archive yet it cannot be told what is in it.
    expect(await decide('unzip -p later.zip', rules)).toBe('ask');
    expect(await decide('unzip -l later.zip', rules)).toBe('allow');
    await rm(path.join(root, 'pack.tar'));
  });

  it.each([
    // What programs look for by themselves, in the folder or above.
    'docker compose config',
    'cd src && docker compose -p x up -d',
    'docker-compose up',
    'podman compose -f deploy/compose.yaml config',
    'docker compose -f plain/compose.yaml --env-file src/a.ts config',
    'deno run --env-file x.ts',
    'bun run x.ts',
    'npx vite build',
    'foreman start',
    'npx dotenv -- node x.js',
    'pipenv run python x.py',
    'cd src; flask run',
    'supabase start',
    // Names in a longer word.
    "node -e \"require('fs').readFileSync('.env')\"",
    'make ARGS="--env-file .env" run',
    'gradle run --args="a .env"',
    'mvn exec:java -Dexec.args="a .env"',
    'npm run x -- "--files a .env"',
    'mycli "cat .env"',
    'nodemon --exec "cat .env"',
    'sqlite3 a.db ".read .env"',
    'ssh -i .env host ls',
    // Variables of programs.
    'NODE_OPTIONS="--env-file=.env" node x.js',
    'FOO=.env mycli',
    'env FOO="a .env" mycli',
    'export FOO=.env; mycli',
    'FOO=.env; export FOO; mycli',
    'declare -x FOO=.env; mycli',
    // Options that act, and what they hand on.
    'curl -K .env',
    'pytest -c .env',
    'go build -modfile=.env',
    'git -c include.path=.env log',
    'gcc -Wl,@.env a.c',
    'gcc -Wl,-T,.env a.c',
    'parallel echo :::: .env',
  ])('may be what a program finds by itself, or in a longer text: %s', async (command) => {
    expect(await decide(command, { deny: ['Read(.env)'] })).toBe('ask');
    expect(await decide(command, { ask: ['Read(.env)'] })).toBe('ask');
    expect(await decide(command, { deny: ['Read(.envrc)'] })).toBe('allow');
  });

  it.each([
    'docker compose ls',
    'docker compose version',
    'bun --version',
    'deno run x.ts',
    'npm test',
    'vite --version',
    // Texts for people.
    'gh pr create --title x --body "reads .env now"',
    'gh issue create -t "load .env" -b "we should load .env"',
  ])('is not looked for: %s', async (command) => {
    expect(await decide(command, { deny: ['Read(.env)'] })).toBe('allow');
  });

  it('is told by its path if a program may read it by itself', async () => {
    const given = {
      tool: 'Bash',
      input: { command: 'docker compose up' },
      cwd: root,
      mode: 'bypassPermissions',
    } as const;
    const { reason } = await checkPermission({ ...given, rules: { deny: ['Read(.env)'] } }, host);
    expect(reason).toBe(`it may read ${path.join(root, '.env')}, which Read(.env) keeps`);
  });

  it.each(['zip a.zip src/a.ts -i@.env', 'zip a.zip src/a.ts -x@.env', '7z a a.7z -ir@.env', 'bash --rcfile .env'])(
    'is named in a word: %s',
    async (command) => {
      expect(await decide(command, { deny: ['Read(.env)'] })).toBe('deny');
    },
  );

  it.each(['find . -type f | xargs fold', 'find . -name "*" -exec rev {} +', 'find plain | xargs -n1 tac'])(
    'may be among what another program lists: %s',
    async (command) => {
      expect(await decide(command, { deny: ['Read(.env)'] })).toBe('ask');
      expect(await decide(command, { deny: ['Read(.envrc)'] })).toBe('allow');
    },
  );

  it.each(WHOLE)('with all that lies around it: %s', async (command) => {
    for (const rule of ['Read(secrets/**)', 'Read(secrets/)', 'Read(key)', 'Read(**/secrets/*)'])
      expect(`${rule} ${await decide(command, { deny: [rule] })}`).toBe(`${rule} deny`);
    expect(await decide(command, { ask: ['Read(secrets/**)'] })).toBe('ask');
  });

  it.each([
    'mv src s2',
    'mv packages/y y2',
    'cp -r src /tmp/x',
    'rm -rf build',
    'rm -rf src build',
    'ln -s src x',
    'rm src/a.ts',
  ])('is not in it: %s', async (command) => {
    expect(await decide(command, { deny: ['Read(secrets/**)', 'Read(.env)', 'Read(//etc/**)'] })).toBe('allow');
  });

  it.each(['cat *', 'wc -l src/*.ts', 'head packages/y/*'])('is not among what a glob matches: %s', async (command) => {
    expect(await decide(command, { deny: ['Read(secrets/**)', 'Read(.env)'] })).toBe('allow');
  });

  it('may be among what a glob matches', async () => {
    expect(await decide('cat src/*.ts', { deny: ['Read(a.ts)'] })).toBe('ask');
    expect(await decide('cat secrets/*', { deny: ['Read(secrets/**)'] })).toBe('deny');
    expect(await decide('cp -r * /tmp/x', { deny: ['Read(secrets/**)'] })).not.toBe('allow');
  });

  it('may have been put there by another part of the line', async () => {
    for (const command of ['./make.sh && rm -rf build', 'git checkout x; mv src s2', './make.sh & cp -r src /tmp/x'])
      expect(`${command}: ${await decide(command, { deny: ['Read(.env)'] })}`).toBe(`${command}: ask`);
    expect(await decide('ls; rm -rf build', { deny: ['Read(.env)'] })).toBe('allow');
  });

  it('is what changes below a folder that is kept from being changed', async () => {
    for (const command of ['rm -rf packages', 'mv packages p2', 'rm -rf packages/x'])
      expect(await decide(command, { deny: ['Edit(secrets/**)'] })).toBe('deny');
    expect(await decide('cp -r packages /tmp/x', { deny: ['Edit(secrets/**)'] })).toBe('allow');
    expect(await decide('cat secrets/key', { deny: ['Edit(secrets/**)'] })).toBe('allow');
  });

  it('is no file that has the name of a folder', async () => {
    expect(await decide('cat docs/secrets', { deny: ['Read(secrets/**)'] })).toBe('allow');
    expect(await decide('cat docs/secrets', { deny: ['Read(secrets/)'] })).toBe('allow');
    expect(await decide('cat docs/secrets', { deny: ['Read(secrets)'] })).toBe('deny');
    expect(await decide('ls secrets', { deny: ['Read(secrets/**)'] })).toBe('deny');
    // What comes to stand there may be a folder, but for what the shell itself makes.
    expect(await decide('mkdir src/secrets', { deny: ['Read(secrets/**)'] })).toBe('deny');
    expect(await decide('echo x > src/secrets', { deny: ['Read(secrets/**)'] })).toBe('allow');
  });

  it.each([
    ['Edit', { file_path: '.env', old_string: 'x', new_string: 'y' }, 'deny'],
    ['Write', { file_path: 'plain/.env', content: 'y' }, 'deny'],
    ['Write', { file_path: 'src/.env', content: 'y' }, 'deny'],
    ['NotebookEdit', { notebook_path: 'secrets/a.ipynb', new_source: '' }, 'deny'],
    ['Read', { file_path: 'docs/secrets' }, 'allow'],
    ['Write', { file_path: 'docs/secrets', content: 'y' }, 'allow'],
    ['Write', { file_path: 'src/secrets', content: 'y' }, 'allow'],
    ['Read', { file_path: 'packages/x/secrets/key' }, 'deny'],
    ['Read', { file_path: 'pkgs/x/secrets/key' }, 'deny'],
    ['Grep', { pattern: 'x', path: 'packages/x/secrets' }, 'deny'],
    ['Glob', { pattern: 'packages/x/secrets/*' }, 'deny'],
  ] as const)('%s of %j: %s', async (tool, input, expected) => {
    const rules = { deny: ['Read(.env)', 'Read(secrets/**)'] };
    const decision = await checkPermission(
      { tool, input, cwd: root, home: '/home/u', mode: 'bypassPermissions', rules },
      host,
    );
    expect(decision.behavior).toBe(expected);
  });

  it('counts for git if it is tracked, and is asked about then', async () => {
    const folder = path.join(top, 'repository');
    await mkdir(folder);
    for (const file of ['.env', 'a.ts', 'tracked.env']) await writeFile(path.join(folder, file), 'x');
    const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'pipe' });
    git('init', '-q');
    const asked = async (command: string, rule: string) => {
      const given = { tool: 'Bash', input: { command }, cwd: folder, mode: 'bypassPermissions' } as const;
      return (await checkPermission({ ...given, rules: { deny: [rule] } }, host)).behavior;
    };
    expect(await asked('git diff', 'Read(*.env)')).toBe('allow');
    git('add', 'a.ts', 'tracked.env');
    for (const command of ['git diff', 'npm test && git diff', 'git revert HEAD'])
      expect(`${command}: ${await asked(command, 'Read(.env)')}`).toBe(`${command}: allow`);
    expect(await asked('git diff', 'Read(tracked.env)')).toBe('ask');
    expect(await asked('git restore .', 'Edit(tracked.env)')).toBe('ask');
    expect(await asked('git clean -fdx', 'Read(.env)')).toBe('deny');
    // Of an index that is not understood nothing is told.
    await writeFile(path.join(folder, '.git', 'index'), 'x');
    expect(await asked('git diff', 'Read(.env)')).toBe('ask');
  });

  it('counts for git if it takes what it does not track', async () => {
    const folder = path.join(top, 'taking');
    const files = {
      '.env': 'x',
      'a.ts': 'x',
      'sub/b.log': 'x',
      'sub/keep.log': 'x',
      'out/c.pem': 'x',
      '.gitignore': '',
    };
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
    const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'pipe' });
    git('init', '-q');
    const asked = async (command: string, ...deny: string[]) => {
      const given = { tool: 'Bash', input: { command }, cwd: folder, mode: 'bypassPermissions' } as const;
      return (await checkPermission({ ...given, rules: { deny } }, host)).behavior;
    };
    for (const command of ['git add .', 'git add -A', 'git stash -u', 'git add -v -- .', 'git stage .'])
      expect(`${command}: ${await asked(command, 'Read(.env)')}`).toBe(`${command}: ask`);
    expect(await asked('git add -u', 'Read(.env)')).toBe('allow');
    expect(await asked('git stash', 'Read(.env)')).toBe('allow');
    // What is ignored is passed over, unless the words or the line say otherwise.
    await writeFile(path.join(folder, '.gitignore'), '.env\n*.log\n!keep.log\n/out/\n');
    await writeFile(path.join(folder, 'out/.gitignore'), '!c.pem\n');
    const denied = ['Read(.env)', 'Read(b.log)', 'Read(c.pem)'];
    for (const command of ['git add .', 'git add -A && git commit -m x', 'npm test && git add sub', 'git stash -u'])
      expect(`${command}: ${await asked(command, ...denied)}`).toBe(`${command}: allow`);
    expect(await asked('git add sub', 'Read(keep.log)')).toBe('ask');
    for (const command of [
      'git add -f .',
      'git add --force -- sub out',
      'git stash -a',
      'rm .gitignore; git add .',
      'git add . && > .gitignore',
      'git checkout x; git add .',
      'git diff --no-index sub out',
      'git diff out ../taking/sub',
      'git diff; diff . out',
    ])
      expect(`${command}: ${await asked(command, ...denied)}`).toBe(`${command}: ask`);
    // More than are named before one that is tracked.
    for (let at = 0; at < 12; at++) await writeFile(path.join(folder, 'sub', `a${at}.pem`), 'x');
    await writeFile(path.join(folder, 'sub', 'z.pem'), 'x');
    git('add', 'sub/z.pem');
    expect(await asked('git diff', 'Read(*.pem)')).toBe('ask');
  });

  it.each([
    'sdiff . plain',
    'colordiff plain .',
    'zdiff . plain',
    'zdiff packages/x/a .',
    'icdiff . plain',
    'ssdeep -r plain',
    '7z a x.7z plain',
    'cloc .',
  ])('counts for what compares or shows the files of a folder, hidden or not: %s', async (command) => {
    expect(await decide(command, { deny: ['Read(.env)'] })).toBe('ask');
    expect(await decide(command, { deny: ['Read(.envrc)'] })).toBe('allow');
  });

  it('is passed over by formatters and checkers if it is hidden', async () => {
    for (const command of ['eslint .', 'prettier --check .', 'ruff check .', 'mypy .', 'tsc --noEmit', 'go vet ./...'])
      expect(`${command}: ${await decide(command, { deny: ['Read(.env)'] })}`).toBe(`${command}: allow`);
    expect(await decide('eslint .', { deny: ['Read(a.ts)'] })).toBe('ask');
  });

  it('may be what a word that nobody described makes', async () => {
    for (const command of [
      'shuf --unheard-of=made.txt src/a.ts',
      'jq --unheard-of made.txt . src/a.ts',
      'mycli made.txt',
      'gcc -time=made.txt a.c',
      'cd src && mycli ../made.txt',
    ]) {
      expect(`${command}: ${await decide(command, { deny: ['Edit(made.txt)'] })}`).toBe(`${command}: ask`);
      expect(`${command}: ${await decide(command, { deny: ['Edit(other.txt)'] })}`).toBe(`${command}: allow`);
    }
  });

  it('may be among the files that one program lists for another', async () => {
    for (const shows of ['tail', 'fold', 'rev', 'diff a.txt'])
      expect(await decide(`find . -type f | xargs ${shows}`, { deny: ['Read(.env)'] })).toBe('ask');
  });

  it('is looked for only as far as can be gone through in reasonable time', async () => {
    const many = path.join(top, 'many');
    await mkdir(many);
    const entries = Array.from({ length: 81_000 }, (_, at) => ({ name: `f${at}`, kind: 'file' as const }));
    const fs = { ...host.fs, entries: async (folder: string) => (folder === many ? entries : host.fs.entries(folder)) };
    const given = { tool: 'Bash', input: { command: 'rm -rf many' }, cwd: top, mode: 'bypassPermissions' } as const;
    const asked = async (rule: string) =>
      (await checkPermission({ ...given, rules: { deny: [rule] } }, { ...host, fs })).behavior;
    expect(await asked('Read(.env)')).toBe('ask');
    // A rule about another place needs no look.
    expect(await asked('Read(//etc/**)')).toBe('allow');
  });
});
