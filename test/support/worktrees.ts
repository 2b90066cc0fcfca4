// A repository with one commit, and what worktrees are made with there.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { createGitWatch } from '../../src/context/git/git-watch.js';
import { EMPTY_HOOK_RESULT, type HookResult } from '../../src/hooks/run-hooks.js';
import type { HookEvent } from '../../src/protocol/hooks.js';
import type { WorktreePlace } from '../../src/session/worktrees/index.js';
import { temporaryFolder } from './engine.js';
import { lastingHost } from './lasting-host.js';

export function gitIn(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.invalid',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.invalid',
  };
  return execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], { cwd: folder, env, encoding: 'utf8' });
}

export function commitIn(folder: string, file: string, content: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), content);
  gitIn(folder, 'add', '-A');
  gitIn(folder, 'commit', '-q', '-m', `Change ${file}`);
}

/** Its folder, links resolved. */
export async function repository(): Promise<string> {
  const folder = await realpath(await temporaryFolder());
  gitIn(folder, 'init', '-q');
  commitIn(folder, 'a.txt', 'one\n');
  commitIn(folder, 'packages/app/b.txt', 'two\n');
  return folder;
}

type Answers = Partial<Record<HookEvent, (fields: Readonly<Record<string, unknown>>) => Partial<HookResult>>>;

/** Where it is kept which worktrees a folder has. */
export async function recordsIn({
  host,
  folder,
  home,
}: Pick<WorktreePlace, 'host' | 'folder' | 'home'>): Promise<string> {
  return path.join(home, 'worktrees', (await host.sha256(Buffer.from(folder))).slice(0, 32));
}

/** `answers`: the hooks that there are. */
export async function worktreePlace(
  folder: string,
  answers: Answers = {},
  more: Partial<WorktreePlace> = {},
): Promise<WorktreePlace> {
  const host = lastingHost();
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const home = await temporaryFolder();
  const watch = createGitWatch({ host, env, cwd: folder, home });
  return {
    host,
    env,
    folder,
    home,
    sessionId: 'session',
    hooks: {
      has: (event) => answers[event] !== undefined,
      run: async (event, fields) => ({ ...EMPTY_HOOK_RESULT, ...answers[event]?.(fields) }),
    },
    gitWatch: async () => watch,
    signal: new AbortController().signal,
    ...more,
  };
}
