// Commands of some days of work, each with what a sensible user expects of it, and a workspace in which they are decided.
// One rule: what is expected stands in the fixture, by heading, and says nothing of what the engine does.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGitWatch } from '../../../src/context/git/git-watch.js';
import { resolveSubject } from '../../../src/engine/subject/index.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { decidePermission } from '../../../src/permissions/decide.js';
import type { PermissionDecision } from '../../../src/permissions/permission-call.js';
import { parseRule } from '../../../src/permissions/rule.js';
import type { PermissionMode } from '../../../src/protocol/permissions.js';

/** The rules that somebody has who works on such projects: the programs that they use all day. */
export const USUAL_RULES: readonly string[] = (
  'npm npx yarn pnpm bun node deno tsc eslint prettier jest vitest python python3 pip pytest mypy ruff black flake8 isort ' +
  'poetry uv cargo rustc rustup go gofmt golangci-lint make cmake ninja gcc g++ mvn bundle rake php composer dotnet swift ' +
  'git gh docker docker-compose kubectl terraform psql sqlite3 redis-cli curl wget openssl ssh-keygen nc ping ps lsof kill sort ' +
  'watch man bash sh tar zip unzip gzip gunzip rsync chmod rm ln patch ./app ./scripts/build.sh ./gradlew'
)
  .split(' ')
  .map((program) => `Bash(${program} *)`);

export interface EverydayPlace {
  readonly root: string;
  decide(command: string, mode: PermissionMode, allow?: readonly string[]): Promise<PermissionDecision>;
  close(): void;
}

const FILES: readonly string[] = (
  'README.md CHANGELOG.md package.json package-lock.json tsconfig.json .gitignore .env .env.example notes.txt notes.md data.csv ' +
  'data.json a.txt b.txt a.json b.json names.txt words.txt list.txt input.txt config.yml config.json Makefile main.py main.c ' +
  'src/app.ts src/index.ts src/cli.ts src/server.ts src/utils.ts src/app.js src/a.ts src/b.ts src/components/Button.tsx ' +
  'test/app.test.ts tests/test_app.py docs/guide.md logs/app.log dist/bundle.js dist/index.js dist/app.tar.gz config/local.json ' +
  'packages/api/package.json packages/web/package.json scripts/build.sh k8s/deploy.yaml templates/base/index.html public/x.html ' +
  'node_modules/.bin/tool node_modules/lodash/index.js tmp.txt lefthook.yml .vscode/settings.json fix.patch app.db schema.sql cert.pem'
).split(' ');

/** An archive that holds nothing. */
const EMPTY_ZIP = 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==';

/** A repository, files of the usual names, and a home beside it. */
export function openEverydayPlace(): EverydayPlace {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'everyday-')));
  const root = path.join(top, 'app');
  const home = path.join(top, 'home');
  for (const folder of [root, home]) mkdirSync(folder, { recursive: true });
  for (const file of FILES) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), 'x\n');
  }
  const made = spawnSync('tar', ['-czf', 'archive.tar.gz', 'docs', 'logs'], { cwd: root });
  if (made.status !== 0) throw new Error(`tar: ${String(made.stderr)}`);
  writeFileSync(path.join(root, 'archive.zip'), Buffer.from(EMPTY_ZIP, 'base64'));
  writeFileSync(path.join(root, 'fix.patch'), '--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-x\n+y\n');
  symlinkSync('../lodash/index.js', path.join(root, 'node_modules/.bin/lodash'));
  const git = (...words: string[]) =>
    spawnSync('git', words, { cwd: root, env: { PATH: '/usr/bin:/bin', HOME: home } });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', 'https://example.com/project.git');
  const host = createNodeHost();
  const own = { ...host, platform: { ...host.platform, homedir: home } };
  const watch = { host: own, env: {}, cwd: root, home, isGranted: true };
  return {
    root,
    async decide(command, mode, allow = []) {
      const subject = await resolveSubject(
        { kind: 'command', command },
        { host: own, cwd: root, gitWatch: async () => createGitWatch(watch) },
      );
      const rules = allow.map((rule) => parseRule(rule, { origin: 'cliArg', base: root }));
      return decidePermission(
        { mode, deny: [], ask: [], allow: rules, roots: [root], home, isTrusted: true, keepsRemoved: true },
        { toolName: 'Bash', readOnly: false, subject },
      );
    },
    close: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** What somebody expects of a command, by the headings of the fixture. */
export type Expected = 'reads' | 'edits' | 'named' | 'asked';

export function expectedOf(): ReadonlyMap<string, Expected> {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/shell-effects/everyday.txt'), 'utf8');
  const found = new Map<string, Expected>();
  let heading: Expected | null = null;
  for (const line of text.split('\n')) {
    const named = /^# (reads|edits|named|asked): /.exec(line)?.[1];
    if (named !== undefined) heading = named as Expected;
    else if (line !== '' && !line.startsWith('# ') && heading !== null) found.set(line, heading);
  }
  return found;
}
