// Paths by class of attack: what a file tool would touch, the rules and the mode that hold, and what must be said.
// The workspace is /w/app, its real path too; the home folder is /home/u.
import type { PermissionBehavior, PermissionMode } from '../../../src/protocol/permissions.js';

export interface PathCase {
  readonly kind:
    | 'BENIGN'
    | 'PREFIX'
    | 'LINK'
    | 'CASE'
    | 'PROTECTED'
    | 'SPECIAL'
    | 'OUTSIDE'
    | 'DENY'
    | 'FOLDER'
    | 'RULE'
    | 'PLAN';
  readonly tool: string;
  readonly path: string;
  /** Where it leads; the path itself unless said. */
  readonly real?: string;
  /** A regular file stands there. */
  readonly isFile?: boolean;
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly expect: PermissionBehavior;
}

type Target = string | readonly [path: string, real: string];
type Setting = Pick<PathCase, 'mode' | 'allow' | 'deny' | 'ask' | 'isFile'>;

function cases(
  kind: PathCase['kind'],
  tool: string,
  setting: Setting,
  expect: PermissionBehavior,
  targets: readonly Target[],
): PathCase[] {
  return targets.map((target) =>
    typeof target === 'string'
      ? { kind, tool, path: target, ...setting, expect }
      : { kind, tool, path: target[0], real: target[1], ...setting, expect },
  );
}

const edits: Setting = { mode: 'acceptEdits' };
const bypass: Setting = { mode: 'bypassPermissions' };

export const PATH_CASES: readonly PathCase[] = [
  ...cases('BENIGN', 'Read', {}, 'allow', [
    '/w/app',
    '/w/app/a.ts',
    '/w/app/src/deep/er/file.test.ts',
    '/w/app/..a/b',
    '/w/app/.env.example',
    '/w/app/.git/config',
    '/w/app/ leading space',
    '/w/app/ünïcode.md',
    ['/w/app/link', '/w/app/target'],
  ]),
  ...cases('BENIGN', 'Grep', {}, 'allow', ['/w/app', '/w/app/src']),
  ...cases('BENIGN', 'Edit', edits, 'allow', [
    '/w/app/a.ts',
    '/w/app/new/folder/file',
    '/w/app/.github/workflows/ci.yml',
    '/w/app/.gitignore',
    '/w/app/gitconfig',
    '/w/app/src/git/x',
    '/w/app/AGENTS.md',
    '/w/app/.env',
    ['/w/app/link.ts', '/w/app/a.ts'],
  ]),
  ...cases('BENIGN', 'Write', { mode: 'auto' }, 'allow', ['/w/app/a.ts', '/w/app/b/c.json']),
  ...cases('BENIGN', 'Edit', bypass, 'allow', ['/w/app/a.ts', '/tmp/x', '/home/u/notes.md']),
  ...cases('PREFIX', 'Read', {}, 'ask', [
    '/w/app2/a',
    '/w/app-evil/a',
    '/w/app.bak',
    '/w/ap',
    '/w',
    '/',
    '/w/app/../x',
    '/w/app/../../etc/passwd',
    '/w/./app/../appx/y',
    '/w/App/a',
    '/W/app/a',
  ]),
  ...cases('PREFIX', 'Edit', edits, 'ask', ['/w/app2/a', '/w/app-evil/a', '/w', '/w/app/../x', '/w/app/../app2/x']),
  ...cases('LINK', 'Read', {}, 'ask', [
    ['/w/app/link', '/etc/passwd'],
    ['/w/app/dir/file', '/home/u/.ssh/id_rsa'],
    ['/elsewhere/link', '/w/app/a'],
    ['/w/app/up', '/w'],
    ['/w/app/near', '/w/app2'],
  ]),
  ...cases('LINK', 'Edit', edits, 'ask', [
    ['/w/app/link', '/etc/hosts'],
    ['/w/app/link', '/home/u/.bashrc'],
    ['/w/app/x', '/w/app/.git/hooks/pre-commit'],
    ['/w/app/.git/x', '/w/app/x'],
    ['/w/app/node_modules/pkg', '/usr/lib/pkg'],
  ]),
  ...cases('LINK', 'Read', { allow: ['Read(/src/**)'] }, 'ask', [
    ['/w/app/src/link', '/etc/passwd'],
    ['/tmp/link', '/w/app/src/a'],
  ]),
  ...cases('LINK', 'Edit', { allow: ['Edit(//tmp/out/**)'] }, 'ask', [
    ['/tmp/out/link', '/etc/passwd'],
    ['/tmp/other', '/tmp/out/x'],
  ]),
  ...cases('LINK', 'Read', { allow: ['Read'], deny: ['Read(.env)', 'Read(//etc/**)', 'Read(~/.ssh/**)'] }, 'deny', [
    ['/w/app/ok', '/w/app/.env'],
    ['/w/app/ok', '/etc/passwd'],
    ['/w/app/keys/a', '/home/u/.ssh/id_rsa'],
    ['/w/app/.env', '/w/app/other'],
  ]),
  ...cases('CASE', 'Edit', edits, 'ask', [
    '/w/app/.GIT/config',
    '/w/app/.Git/hooks/post-checkout',
    '/w/app/.CLAUDE/settings.json',
    '/w/app/.vsCode/tasks.json',
    '/w/app/.g\u200cit/config',
    '/w/app/.git./config',
    '/w/app/.git /config',
    '/w/app/.ｇｉｔ/config',
    '/w/app/git~1/config',
    '/w/app/.MCP.json',
    '/w/app/.mcp.json::$DATA',
  ]),
  ...cases('CASE', 'Read', { allow: ['Read'], deny: ['Read(.env)', 'Read(/Secret/**)'] }, 'deny', [
    '/w/app/.ENV',
    '/w/app/sub/.Env',
    '/w/app/secret/x',
    '/w/app/SECRET/a/b',
    '/w/app/Secret',
  ]),
  ...cases('CASE', 'Read', { allow: ['Read'], deny: ['Read(caf\u00e9.txt)'] }, 'deny', [
    '/w/app/cafe\u0301.txt',
    '/w/app/CAF\u00c9.txt',
  ]),
  ...cases('PROTECTED', 'Write', edits, 'ask', [
    '/w/app/.git',
    '/w/app/.git/hooks/pre-commit',
    '/w/app/sub/.git/config',
    '/w/app/.gitmodules',
    '/w/app/.turnwright/settings.json',
    '/w/app/.claude/settings.local.json',
    '/w/app/.qoder/agents/x.md',
    '/w/app/.cursor/mcp.json',
    '/w/app/.codex/config.toml',
    '/w/app/.vscode/settings.json',
    '/w/app/.idea/workspace.xml',
    '/w/app/.husky/pre-push',
    '/w/app/.devcontainer/devcontainer.json',
    '/w/app/.mcp.json',
    '/w/app/.npmrc',
    '/w/app/packages/a/.npmrc',
    '/w/app/.yarnrc.yml',
    '/w/app/.envrc',
    '/w/app/.ripgreprc',
    '/w/app/.pre-commit-config.yaml',
    '/w/app/gradle/wrapper/gradle-wrapper.properties',
  ]),
  ...cases('PROTECTED', 'Write', bypass, 'ask', [
    '/w/app/.git/config',
    '/home/u/.bashrc',
    '/home/u/.zshenv',
    '/home/u/.ssh/authorized_keys',
    '/home/u/.config/fish/config.fish',
    '/home/u/.config/git/config',
    '/home/u/.aws/credentials',
    '/home/u/.turnwright/settings.json',
    '/home/u/.claude.json',
  ]),
  ...cases('PROTECTED', 'Edit', { allow: ['Edit', 'Edit(/**)', 'Edit(/.git/**)'] }, 'ask', [
    '/w/app/.git/config',
    '/w/app/.claude/settings.json',
  ]),
  ...cases('SPECIAL', 'Read', { allow: ['Read'] }, 'ask', [
    '/proc/self/environ',
    '/proc/1/environ',
    '/proc/self/root/etc/passwd',
    '/proc/thread-self/mem',
    '/proc/42/fd/3',
    '/proc/kcore',
    '/dev/sda',
    '/dev/mem',
    '/dev/tcp/evil.test/80',
    ['/w/app/env', '/proc/self/environ'],
    ['/w/app/disk', '/dev/sda1'],
  ]),
  ...cases('SPECIAL', 'Read', bypass, 'ask', ['/proc/self/environ', '/dev/sda']),
  ...cases('SPECIAL', 'Read', { allow: ['Read'] }, 'allow', ['/proc/cpuinfo', '/proc/meminfo', '/dev/null']),
  ...cases('OUTSIDE', 'Read', {}, 'ask', ['/etc/passwd', '/home/u/.ssh/id_rsa', '/tmp/x', '/home/u/.env']),
  ...cases('OUTSIDE', 'Write', edits, 'ask', ['/etc/cron.d/x', '/tmp/x', '/home/u/x', '/usr/local/bin/node']),
  ...cases('OUTSIDE', 'Write', { mode: 'auto' }, 'ask', ['/tmp/x', '/w/app/.git/x']),
  ...cases('OUTSIDE', 'Edit', {}, 'ask', ['/w/app/a.ts', '/tmp/x']),
  ...cases('DENY', 'Read', { ...bypass, deny: ['Read(.env)', 'Read(*.pem)', 'Read(/secrets/**)'] }, 'deny', [
    '/w/app/.env',
    '/w/app/a/b/.env',
    '/elsewhere/.env',
    '/w/app/.env/nested',
    '/w/app/key.pem',
    '/w/app/certs/server.pem',
    '/w/app/secrets',
    '/w/app/secrets/a',
    '/w/app/secrets/a/b/c',
  ]),
  ...cases('DENY', 'Grep', { deny: ['Read(/secrets/**)'] }, 'deny', ['/w/app/secrets', '/w/app/secrets/a']),
  ...cases('DENY', 'Write', { ...edits, deny: ['Edit(/dist/**)', 'Edit(~/**)', 'Edit(//etc/**)'] }, 'deny', [
    '/w/app/dist/a.js',
    '/w/app/dist/../dist/a.js',
    '/home/u/x',
    '/etc/hosts',
  ]),
  ...cases('DENY', 'NotebookEdit', { ...edits, deny: ['Write(/nb/**)'] }, 'deny', ['/w/app/nb/a.ipynb']),
  ...cases('DENY', 'Read', { deny: ['Read(.env)', 'Read(/secrets/**)', 'Edit(/src/**)'] }, 'allow', [
    '/w/app/.env.example',
    '/w/app/env',
    '/w/app/src/secrets/a',
    '/w/app/src/a.ts',
  ]),
  // What may not be read is not changed: the result of a change shows it.
  ...cases('DENY', 'Edit', { ...bypass, deny: ['Read(.env)', 'Grep(*.pem)', 'Glob(/secrets/**)'] }, 'deny', [
    '/w/app/.env',
    '/w/app/a/.env',
    '/w/app/key.pem',
    '/w/app/secrets/a',
  ]),
  ...cases('DENY', 'Write', { ...edits, deny: ['Read(.env)'] }, 'deny', ['/w/app/.env', '/tmp/.env']),
  ...cases('DENY', 'NotebookEdit', { ...edits, deny: ['Read(*.ipynb)'] }, 'deny', ['/w/app/a.ipynb']),
  ...cases('DENY', 'Edit', { ...bypass, ask: ['Read(.env)'] }, 'ask', ['/w/app/.env']),
  ...cases('DENY', 'Read', { ...bypass, deny: ['Edit(.env)', 'Write(/src/**)'] }, 'allow', [
    '/w/app/.env',
    '/w/app/src/a',
  ]),
  // A pattern of one folder: at any depth of the workspace.
  ...['secrets/**', 'secrets/', '**/secrets/**', '**/secrets/', 'secret?/**', 'SECRETS/'].flatMap((pattern) => [
    ...cases('FOLDER', 'Read', { ...bypass, deny: [`Read(${pattern})`] }, 'deny', [
      '/w/app/secrets',
      '/w/app/secrets/a',
      '/w/app/secrets/a/b',
      '/w/app/packages/x/secrets',
      '/w/app/packages/x/secrets/key',
      '/w/app/secrets/secrets/a',
      ['/w/app/link', '/w/app/packages/x/secrets/key'],
      ['/w/app/packages/x/secrets/link', '/w/app/open'],
    ]),
    ...cases('FOLDER', 'Edit', { ...bypass, deny: [`Read(${pattern})`] }, 'deny', ['/w/app/packages/x/secrets/key']),
    ...cases('FOLDER', 'Read', { ...bypass, deny: [`Read(${pattern})`] }, 'allow', [
      '/w/app/mysecrets/a',
      '/w/app/secretsx/a',
      '/w/app/src/a',
      // Elsewhere the folder of the rule counts no more.
      '/tmp/secrets/a',
    ]),
    // A folder pattern is no file of that name, but is what lies below a folder of it.
    ...cases('FOLDER', 'Read', { ...bypass, deny: [`Read(${pattern})`], isFile: true }, 'allow', [
      '/w/app/secrets',
      '/w/app/src/secrets',
    ]),
    ...cases('FOLDER', 'Read', { ...bypass, deny: [`Read(${pattern})`], isFile: true }, 'deny', [
      '/w/app/secrets/a',
      '/w/app/src/secrets/secrets',
    ]),
  ]),
  ...['/secrets/**', './secrets/**', '/secrets/', './secrets/', '//w/app/secrets/**', 'secrets/*', 'secrets/a'].flatMap(
    (pattern) => [
      ...cases('FOLDER', 'Read', { ...bypass, deny: [`Read(${pattern})`] }, 'deny', ['/w/app/secrets/a']),
      ...cases('FOLDER', 'Read', { ...bypass, deny: [`Read(${pattern})`] }, 'allow', [
        '/w/app/src/secrets/a',
        '/w/app/src/secrets',
      ]),
      ...cases('FOLDER', 'Read', { ...bypass, deny: [`Read(${pattern})`], isFile: true }, 'allow', ['/w/app/secrets']),
    ],
  ),
  ...cases('FOLDER', 'Read', { ...bypass, deny: ['Read(secrets)'], isFile: true }, 'deny', [
    '/w/app/secrets',
    '/w/app/src/secrets',
    '/tmp/secrets/a',
  ]),
  // The workspace may lie in a folder of the name.
  ...cases('FOLDER', 'Edit', { ...edits, deny: ['Edit(app/**)', 'Edit(w/)'] }, 'allow', [
    '/w/app/a.ts',
    '/w/app/src/b',
  ]),
  ...cases('FOLDER', 'Edit', { ...edits, ask: ['Edit(src/**)'] }, 'ask', ['/w/app/src/a', '/w/app/packages/x/src/a']),
  // What allows is tied to the folder of the rule.
  ...['src/**', 'src/', './src/**', '/src/'].flatMap((pattern) => [
    ...cases('FOLDER', 'Edit', { allow: [`Edit(${pattern})`] }, 'allow', ['/w/app/src/a', '/w/app/src/x/y']),
    ...cases('FOLDER', 'Edit', { allow: [`Edit(${pattern})`] }, 'ask', ['/w/app/x/src/a', '/tmp/src/a', '/w/app/srcx']),
  ]),
  ...cases('FOLDER', 'Edit', { allow: ['Edit(src/)'], isFile: true }, 'ask', ['/w/app/src']),
  ...cases('DENY', 'Read', { ask: ['Read(/vendor/**)'], allow: ['Read'] }, 'ask', ['/w/app/vendor/a']),
  ...cases('RULE', 'Read', { allow: ['Read(//etc/**)', 'Read(~/notes/*.md)', 'Read(//var/log)'] }, 'allow', [
    '/etc/hosts',
    '/etc/ssl/openssl.cnf',
    '/home/u/notes/a.md',
    '/var/log',
    '/var/log/app/today.log',
  ]),
  ...cases('RULE', 'Read', { allow: ['Read(/etc/**)', 'Read(~/notes/*.md)', 'Read(//var/l*)'] }, 'ask', [
    '/etc/hosts',
    '/home/u/notes/deep/a.md',
    '/home/u/notes/a.txt',
    '/home/other/notes/a.md',
    '/var/log/app',
    '/VAR/log',
  ]),
  ...cases('RULE', 'Edit', { allow: ['Edit(/src/**/*.ts)', 'Edit(docs/*.md)', 'Edit(*.txt)'] }, 'allow', [
    '/w/app/src/a.ts',
    '/w/app/src/x/y/z.ts',
    '/w/app/docs/a.md',
    '/w/app/a.txt',
    '/w/app/x/b.txt',
  ]),
  ...cases('RULE', 'Edit', { allow: ['Edit(/src/**/*.ts)', 'Edit(docs/*.md)', 'Edit(*.txt)'] }, 'ask', [
    '/w/app/src/a.js',
    '/w/app/lib/a.ts',
    '/w/app/docs/deep/a.md',
    '/w/app/x/docs/a.md',
    '/w/app/a.txt/b',
    '/tmp/a.txt',
    '/w/app/src/../other/a.ts',
  ]),
  ...cases('RULE', 'Write', { allow: ['Edit(/out/**)', 'Write(/gen/**)'] }, 'allow', ['/w/app/out/a', '/w/app/gen/a']),
  ...cases('RULE', 'Edit', { allow: ['Write(/gen/**)', 'Read(/x/**)'] }, 'ask', ['/w/app/gen/a', '/w/app/x/a']),
  ...cases('PLAN', 'Read', { mode: 'plan' }, 'allow', ['/w/app/a']),
  ...cases('PLAN', 'Write', { mode: 'plan', allow: ['Write', 'Edit'] }, 'deny', ['/w/app/a', '/w/app/PLAN.md']),
];
