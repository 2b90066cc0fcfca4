// The worktree that a session works in: entered, left, and not forgotten when the session ends. Loaded with the first. One
// rule: whatever way the session ends, no work is lost, and what stays is told.
import path from 'node:path';
import { findRepository } from '../../context/git/git-repository.js';
import { ToolError } from '../../protocol/errors.js';
import type { ToolWorktrees } from '../../tools/tool.js';
import { errorText } from '../../util/text.js';
import { createWorktree, enterWorktree, keepWorktree } from './create-worktree.js';
import { removeWorktree } from './remove-worktree.js';
import type { Worktree, WorktreePlace } from './worktree.js';
import { findWorktree } from './worktree-records.js';

export interface WorktreeMove {
  /** Folders of the repository, and where the same are in the worktree. Absolute. */
  readonly from: string;
  readonly to: string;
  /** Where the work goes on. */
  readonly folder: string;
}

export interface SessionWorktreesPlace extends Omit<WorktreePlace, 'signal'> {
  /** The session works there from now on; null: in its own folder again. @returns what the model is told */
  move(to: WorktreeMove | null): Promise<string>;
  /** Something to tell people. */
  tell(message: string, remedy: string): void;
}

export interface SessionWorktrees extends ToolWorktrees {
  /** The session ends: one in which nothing would be lost goes, any other stays and is told. Never throws. */
  close(): Promise<void>;
}

export function createSessionWorktrees(place: SessionWorktreesPlace): SessionWorktrees {
  const { host, folder } = place;
  let current: Worktree | null = null;
  const leaveTo = async () => {
    current = null;
    return place.move(null);
  };
  return {
    async enter(name, signal) {
      if (current !== null)
        throw new ToolError(`The session is in the worktree ${current.name}. Leave it first with ExitWorktree.`);
      const known = name === undefined ? null : await findWorktree(host, folder, name);
      const worktree =
        known === null
          ? await createWorktree({ ...place, signal }, { name })
          : await enterWorktree({ ...place, signal }, known.name);
      current = worktree;
      const top = (await findRepository(host, folder).catch(() => null))?.top ?? folder; // a hook needs no repository
      const from = worktree.madeBy === 'git' && isWithin(top, folder) ? top : folder;
      const note = await place.move({ from, to: worktree.path, folder: worktree.folder });
      return { path: worktree.path, branch: worktree.branch, note, isNew: known === null };
    },
    async leave(how, signal) {
      if (current === null) throw new ToolError('The session is in no worktree, so there is none to leave.');
      const worktree = current;
      if (how === 'keep') {
        await keepWorktree(place, worktree.name);
        return { isLeft: true, note: `The worktree ${worktree.name} stays at ${worktree.path}. ${await leaveTo()}` };
      }
      const { isRemoved, ...loss } = await removeWorktree({ ...place, signal }, worktree, {
        discard: how === 'discard',
      });
      if (!isRemoved) return { isLeft: false, ...loss };
      return { isLeft: true, note: `The worktree ${worktree.name} was removed. ${await leaveTo()}` };
    },
    async close() {
      if (current === null) return;
      const worktree = current;
      current = null;
      const staying = `The worktree ${worktree.name} stays at ${worktree.path}`;
      const remedy = `Ask for EnterWorktree with the name ${worktree.name} to go on there, or remove it with git worktree remove.`;
      try {
        const { signal } = new AbortController();
        if (worktree.madeBy === 'git' && (await removeWorktree({ ...place, signal }, worktree)).isRemoved) return;
        place.tell(`${staying}, as it has work that is nowhere else.`, remedy);
      } catch (error) {
        place.tell(`${staying}: ${errorText(error)}`, remedy);
      }
      await keepWorktree(place, worktree.name).catch(() => undefined); // then it is told as left behind at the next start
    },
  };
}

function isWithin(folder: string, target: string): boolean {
  return target === folder || target.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}
