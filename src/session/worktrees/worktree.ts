// What a worktree of the engine's is: `.worktrees/<name>` in the folder of the session, so that all that holds for the
// workspace holds for it, and what git knows of it. One rule: a name is one plain part of a path, whoever gives it.
import path from 'node:path';
import {
  findGit,
  findRepository,
  type GitRepository,
  type GitWatch,
  QUIET_SETTINGS,
  quietEnvironment,
} from '../../context/git/index.js';
import type { LoopHooks } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { shorten } from '../../util/text.js';

/** What worktrees are made from and for. */
export interface WorktreePlace {
  readonly host: Host;
  /** What the session's programs see of the user: PATH and HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the session, absolute, links resolved. */
  readonly folder: string;
  /** `$TURNWRIGHT_HOME`, where it is kept which worktrees there are. */
  readonly home: string;
  readonly sessionId: string;
  readonly hooks: LoopHooks;
  readonly gitWatch: () => Promise<Pick<GitWatch, 'foreignStart'>>;
  readonly signal: AbortSignal;
}

export interface Worktree {
  readonly name: string;
  /** Its top, absolute, links resolved. */
  readonly path: string;
  /** The folder in it that stands for the session's: where work begins. */
  readonly folder: string;
  /** The branch that was made for it; null for one that a hook made. */
  readonly branch: string | null;
  /** The commit that it began at; null for one that a hook made. */
  readonly base: string | null;
  readonly madeBy: 'git' | 'hook';
}

/** The folder that holds them. */
const AREA = '.worktrees';

export function areaOf(folder: string): string {
  return path.join(folder, AREA);
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

/** @throws ToolError for what is no plain name */
export function checkName(name: string): string {
  if (NAME.test(name) && !name.includes('..') && !name.toLowerCase().endsWith('.lock')) return name;
  throw new ToolError(
    `"${shorten(name, 80)}" cannot be the name of a worktree. Use letters, digits, ".", "_" and "-", at most 64, such as fix-login.`,
  );
}

/** What would be lost with a worktree. */
export interface WorktreeLoss {
  /** Files that no commit holds as they are, as `git status --porcelain` tells them. */
  readonly uncommitted: readonly string[];
  /** Commits that no other branch, tag or remote holds: a short id and a subject. */
  readonly unmerged: readonly string[];
}

/** A git that works in one folder. */
interface WorktreeGit {
  /** @throws ToolError if it fails: `what` says what was wanted */
  ask(args: readonly string[], what: string): Promise<string>;
  /** True if it ends well. */
  succeeds(args: readonly string[]): Promise<boolean>;
}

type GitPlace = Pick<WorktreePlace, 'host' | 'env' | 'gitWatch' | 'signal'>;

/** A large repository takes its time to check out. */
const TIMEOUT_MS = 300_000;
const MAX_OUTPUT = 4 * 1024 * 1024;
const MAX_ERROR = 600;
/** Entries of a list that are told. */
const MAX_LISTED = 50;
const QUIET = [
  ...QUIET_SETTINGS,
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
];

/** The repository that a folder is in. @throws ToolError if there is none */
export async function repositoryOf(host: Host, folder: string): Promise<GitRepository> {
  const repository = await findRepository(host, folder);
  if (repository === null)
    throw new ToolError(
      `${folder} is in no git repository, so there is nothing to make a worktree of. A WorktreeCreate hook can make one in another way.`,
    );
  return repository;
}

/** @throws ToolError if git would start a program that nobody vouched for, or cannot be run */
export async function openGit({ host, env, gitWatch, signal }: GitPlace, folder: string): Promise<WorktreeGit> {
  const { top } = await repositoryOf(host, folder);
  const reach = { system: 'git', folder, gitFolder: null, workTree: null, isReading: true } as const;
  const start = await (await gitWatch()).foreignStart({ ...reach, peers: [], templates: [], transfer: null });
  if (start !== null)
    throw new ToolError(
      `Git would start a program of the repository, and nobody vouched for that: ${start.why}. Run git status with Bash, which asks the user.`,
    );
  const { git, folders } = await findGit(host, env['PATH'] ?? '', top);
  if (git === null) throw new ToolError('No git was found on the PATH outside of the repository. Install it.');
  const run = async (args: readonly string[]) => {
    const out = collect();
    const err = collect();
    const outcome = await host.exec.run({
      command: [git, ...QUIET.flatMap((setting) => ['-c', setting]), ...args],
      cwd: folder,
      env: quietEnvironment(env, folders),
      signal,
      timeoutMs: TIMEOUT_MS,
      onStdout: out.take,
      onStderr: err.take,
    });
    return { ...outcome, stdout: out.text(), stderr: err.text() };
  };
  return {
    async ask(args, what) {
      const { ended, exitCode, stdout, stderr } = await run(args);
      if (ended === 'aborted') throw new ToolError(`${what} was interrupted.`);
      if (ended === 'timed_out') throw new ToolError(`${what} took longer than ${TIMEOUT_MS / 1000} s.`);
      if (exitCode !== 0) throw new ToolError(`${what} failed. Git said: ${shorten(stderr.trim(), MAX_ERROR)}`);
      return stdout;
    },
    succeeds: async (args) => (await run(args)).exitCode === 0,
  };
}

/** @param git one that works in the worktree @param branch the branch that goes with it */
export async function lossOf(git: WorktreeGit, branch: string | null): Promise<WorktreeLoss> {
  const status = await git.ask(
    ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=none'],
    'Looking for uncommitted files',
  );
  return { uncommitted: listed(status.split('\0')), unmerged: await unmergedOf(git, branch, true) };
}

/**
 * Commits that are nowhere else.
 * @param hasHead false: the worktree is gone, and `git` works beside it
 */
export async function unmergedOf(
  git: WorktreeGit,
  branch: string | null,
  hasHead: boolean,
): Promise<readonly string[]> {
  const own = branch === null ? [] : [`--exclude=${branch}`];
  const hasBranch = branch !== null && (await git.succeeds(exists(branch)));
  const heads = [...(hasHead ? ['HEAD'] : []), ...(hasBranch ? [`refs/heads/${branch}`] : [])];
  if (heads.length === 0) return [];
  // `--all` would take in the HEAD of this very worktree.
  const others = [...own, '--branches', '--remotes', '--tags', '--glob=refs/stash'];
  const log = await git.ask(
    ['log', `-n${MAX_LISTED + 1}`, '--no-color', '--no-decorate', '--format=%h %s', ...heads, '--not', ...others],
    'Looking for unmerged commits',
  );
  return listed(log.split('\n'));
}

export function exists(branch: string): readonly string[] {
  return ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`];
}

function listed(entries: readonly string[]): readonly string[] {
  const all = entries.filter((entry) => entry.trim() !== '');
  return all.length <= MAX_LISTED ? all : [...all.slice(0, MAX_LISTED), 'and more'];
}

function collect() {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    take(chunk: Uint8Array): void {
      if (size < MAX_OUTPUT) chunks.push(chunk.slice());
      size += chunk.length;
    },
    text: () => new TextDecoder().decode(Buffer.concat(chunks)),
  };
}
