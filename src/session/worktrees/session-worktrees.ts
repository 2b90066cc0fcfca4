// The worktree that a session works in: entered, left, and not forgotten when the session ends. Loaded with the first. One
// rule: whatever way the session ends, no work is lost, and what stays is told.

import { findRepository, type GitWatch } from '../../context/git/index.js';
import { CWD_NOTE, type LoopHooks, type MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { isWithin } from '../../host/is-inside.js';
import { rulesInWorktree } from '../../permissions/moved-rules.js';
import { ToolError } from '../../protocol/errors.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { ToolWorktrees } from '../../tools/tool.js';
import { errorText } from '../../util/text.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import type { PermissionGate } from '../permission/index.js';
import type { Workplace } from '../workplace/index.js';
import { createWorktree, enterWorktree, keepWorktree } from './create-worktree.js';
import { removeWorktree } from './remove-worktree.js';
import type { Worktree, WorktreePlace } from './worktree.js';
import { findWorktree, leftBehind, type RecordPlace } from './worktree-records.js';

export interface WorktreeMove {
  /** A folder of the repository, and the same folder in the worktree. Absolute. */
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

/** @param folder of the session, links resolved */
export async function moveInto(host: Host, folder: string, worktree: Worktree): Promise<WorktreeMove> {
  const top = (await findRepository(host, folder).catch(() => null))?.top ?? folder; // a hook needs no repository
  const from = worktree.madeBy === 'git' && isWithin(top, folder) ? top : folder;
  return { from, to: worktree.path, folder: worktree.folder };
}

function createSessionWorktrees(place: SessionWorktreesPlace): SessionWorktrees {
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
      const known = name === undefined ? null : await findWorktree(place, name);
      const worktree =
        known === null
          ? await createWorktree({ ...place, signal }, { name })
          : await enterWorktree({ ...place, signal }, known.name);
      current = worktree;
      const note = await place.move(await moveInto(host, folder, worktree));
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

// Worktrees of a session that lives: workplace, rules and sandbox follow the session wherever it goes.

interface WorktreeParts {
  readonly config: Pick<QueryEngineConfig, 'cwd'>;
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly sessionId: string;
  readonly hooks: LoopHooks;
  readonly gitWatch: () => Promise<GitWatch>;
  readonly workplace: Workplace;
  readonly gate: Pick<PermissionGate, 'setView'>;
  readonly sandbox: CommandSandbox | null;
  onDraft(draft: MessageDraft): void;
}

export async function openWorktrees(parts: WorktreeParts): Promise<SessionWorktrees> {
  const { config, host, workplace, gate, sandbox, onDraft, ...rest } = parts;
  const folder = await host.fs.realpath(config.cwd);
  const left = [...new Set([config.cwd, folder])];
  return createSessionWorktrees({
    ...rest,
    host,
    folder,
    async move(to) {
      // The rules first: nothing is decided by those of another folder.
      gate.setView(to === null ? null : (rules) => rulesInWorktree(rules, { ...to, left }));
      if (to !== null) sandbox?.alsoBelow?.(to.from, to.to);
      await workplace.enter(to?.folder ?? config.cwd);
      return `${CWD_NOTE}${workplace.cwd}.]`;
    },
    tell: (message, remedy) =>
      onDraft({ type: 'system', subtype: 'notice', level: 'warning', code: 'worktree_left', message, remedy }),
  });
}

/** What sessions left behind that ended without a word. */
export async function leftNotices(place: RecordPlace): Promise<readonly PendingNotice[]> {
  const left = await leftBehind(place);
  if (left.length === 0) return [];
  const names = left.map(({ name }) => name).join(', ');
  const message = `Worktrees were left behind by sessions that ended without a word: ${names}.`;
  const remedy = 'Ask for EnterWorktree with the name to go on there, or look after them with "turnwright worktrees".';
  return [{ code: 'worktree_left', message, remedy }];
}
