// The worktrees of a folder, for people who look after them: which there are, what would be lost with each, and removing
// one. What `turnwright worktrees` does. One rule: what somebody works in is left alone.

import { createGitWatch } from '../../context/git/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { homeFolder } from '../../session/store/index.js';
import { inspectWorktree, listWorktrees, removeWorktree, type WorktreePlace } from '../../session/worktrees/index.js';
import { errorText } from '../../util/text.js';

export interface FolderWorktree {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Null for one that a hook made. */
  readonly branch: string | null;
  /** `left`: the session that worked in it ended without a word. `gone`: its folder was removed. */
  readonly state: 'in_use' | 'kept' | 'left' | 'gone';
  readonly sessionId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** What would be lost with it: files that no commit holds, and commits that nothing else holds. */
  readonly uncommitted: readonly string[];
  readonly unmerged: readonly string[];
  /** Why that cannot be told; null if it was. */
  readonly problem: string | null;
}

export interface WorktreeRemoved {
  readonly isRemoved: boolean;
  /** Of one that stays: what would have been lost. */
  readonly worktree: FolderWorktree;
}

/** By name; none if sessions of the folder made none. */
export async function listFolderWorktrees(host: Host, cwd: string): Promise<readonly FolderWorktree[]> {
  const place = await openPlace(host, cwd);
  const listed = await listWorktrees(place);
  return Promise.all(listed.map((each) => look(place, each)));
}

/** @throws ConfigError if there is none of that name, somebody works in it, or it cannot be removed */
export async function removeFolderWorktree(
  host: Host,
  cwd: string,
  name: string,
  { discard }: { readonly discard: boolean },
): Promise<WorktreeRemoved> {
  const place = await openPlace(host, cwd);
  const known = (await listWorktrees(place)).find((each) => each.name === name);
  if (known === undefined)
    throw new ConfigError(`there is no worktree "${name.slice(0, 60)}" here. "turnwright worktrees list" shows them.`);
  if (known.state === 'in_use') throw new ConfigError(`a session works in the worktree ${name}. End it first.`);
  try {
    const { isRemoved, uncommitted, unmerged } = await removeWorktree(place, known, { discard });
    return { isRemoved, worktree: { ...shown(known), uncommitted, unmerged, problem: null } };
  } catch (error) {
    throw new ConfigError(errorText(error), { cause: error });
  }
}

type Listed = Awaited<ReturnType<typeof listWorktrees>>[number];

async function look(place: WorktreePlace, listed: Listed): Promise<FolderWorktree> {
  try {
    return { ...shown(listed), ...(await inspectWorktree(place, listed)), problem: null };
  } catch (error) {
    return { ...shown(listed), uncommitted: [], unmerged: [], problem: errorText(error) };
  }
}

function shown({ name, path, branch, state, isThere, sessionId, createdAt }: Listed) {
  return { name, path, branch, state: isThere || state === 'in_use' ? state : 'gone', sessionId, createdAt } as const;
}

async function openPlace(host: Host, cwd: string): Promise<WorktreePlace> {
  const folder = await host.fs.realpath(cwd);
  const { env } = host;
  const home = homeFolder(host, env);
  const watch = createGitWatch({ host, env, cwd: folder, home });
  return {
    host,
    env,
    folder,
    home,
    sessionId: '',
    // Outside of a session no hook is asked: what one made stays, and is told.
    hooks: { has: () => false, run: () => Promise.reject(new Error('There are no hooks here.')) },
    gitWatch: async () => watch,
    signal: new AbortController().signal,
  };
}
