// Worktrees of a session that lives: workplace, rules and sandbox follow the session wherever it goes.
import type { GitWatch } from '../../context/git/git-watch.js';
import { CWD_NOTE, type LoopHooks, type MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { rulesInWorktree } from '../../permissions/moved-rules.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import type { PermissionGate } from '../permission/index.js';
import type { Workplace } from '../workplace/index.js';
import { createSessionWorktrees, type SessionWorktrees } from './session-worktrees.js';
import { leftBehind } from './worktree-records.js';

export interface WorktreeParts {
  readonly config: Pick<QueryEngineConfig, 'cwd'>;
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
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
export async function leftNotices(host: Host, folder: string): Promise<readonly PendingNotice[]> {
  const left = await leftBehind(host, folder);
  if (left.length === 0) return [];
  const names = left.map(({ name }) => name).join(', ');
  const message = `Worktrees were left behind by sessions that ended without a word: ${names}.`;
  const remedy = 'Ask for EnterWorktree with the name to go on there, or look after them with "turnwright worktrees".';
  return [{ code: 'worktree_left', message, remedy }];
}
