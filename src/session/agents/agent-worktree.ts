// A checkout of its own for one agent. Loaded with the first that wants one. One rule: what it made there is never thrown
// away: a worktree with changes stays, and whoever asked for the agent is told where.
import { errorText } from '../../util/text.js';
import type { AgentRun } from '../core/index.js';

export interface AgentWorktree {
  readonly name: string;
  /** Null if nothing of it is left; else where what the agent made stands. Never rejects. */
  close(): Promise<string | null>;
}

/**
 * Makes one, or takes up that of an agent which goes on, and lets the agent work in it.
 * @throws ToolError if it cannot be made
 */
export async function openWorktree(
  { session, runtime }: AgentRun,
  signal: AbortSignal,
  kept: string | null,
): Promise<AgentWorktree> {
  const { features } = session;
  const { createWorktree, enterWorktree, findWorktree, keepWorktree, removeWorktree } = await features.worktrees();
  const { host, sessionId, config } = session;
  const { gitWatch } = runtime.loop;
  const { PATH, HOME } = runtime.env;
  const place = {
    host,
    env: { PATH, HOME },
    folder: await host.fs.realpath(config.cwd),
    sessionId,
    hooks: runtime.hooks,
    gitWatch: gitWatch ?? (async () => (await features.gitWatch()).openGitWatch(config, host, runtime.env)),
    signal,
  };
  const isThere = kept !== null && (await findWorktree(host, place.folder, kept))?.isThere === true;
  const worktree = isThere ? await enterWorktree(place, kept) : await createWorktree(place);
  await runtime.workplace.enter(worktree.folder);
  return {
    name: worktree.name,
    async close() {
      // Also after an abort it is put away.
      const last = { ...place, signal: new AbortController().signal };
      try {
        if ((await removeWorktree(last, worktree)).isRemoved) return null;
        await keepWorktree(last, worktree.name);
      } catch (error) {
        runtime.loop.log('worktree_not_removed', { error: errorText(error) });
      }
      const branch = worktree.branch === null ? '' : `, on the branch ${worktree.branch}`;
      return `[What it changed stands in a worktree of its own: ${worktree.path}${branch}. Merge it from there, or leave it.]`;
    },
  };
}
