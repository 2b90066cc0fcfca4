// The worktrees of a session, which most sessions have not: loaded with the first call that moves there, and at a start in a
// folder that has some.
import path from 'node:path';
import type { GitWatch } from '../../context/git/git-watch.js';
import { CWD_NOTE, type LoopHooks, type MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { ToolWorktrees } from '../../tools/tool.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import type { PermissionGate } from '../permission/index.js';
import type { Workplace } from './workplace.js';

export interface LazyWorktrees extends ToolWorktrees {
  /** As the session ends. Never throws. */
  close(): Promise<void>;
}

interface WorktreeParts {
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

/** Workplace, rules and sandbox follow the session wherever it goes. */
export function lazyWorktrees(parts: WorktreeParts): LazyWorktrees {
  const { config, host, workplace, gate, sandbox, onDraft, ...rest } = parts;
  let opening: Promise<LazyWorktrees> | null = null;
  const load = async (): Promise<LazyWorktrees> => {
    const [{ createSessionWorktrees }, { rulesInWorktree }] = await Promise.all([
      import('../worktrees/session-worktrees.js'),
      import('../../permissions/moved-rules.js'),
    ]);
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
      tell: (message, remedy) => onDraft(notice({ code: 'worktree_left', message, remedy })),
    });
  };
  const open = () => {
    opening ??= load();
    return opening;
  };
  return {
    enter: async (name, signal) => (await open()).enter(name, signal),
    leave: async (how, signal) => (await open()).leave(how, signal),
    close: async () => (await opening?.catch(() => null))?.close(), // what could not be loaded entered none
  };
}

function notice(pending: PendingNotice): MessageDraft {
  return { type: 'system', subtype: 'notice', level: 'warning', ...pending };
}

/** What sessions left behind that ended without a word. Contract: costs one look where there are no worktrees. */
export async function leftWorktrees(host: Host, folder: string): Promise<readonly PendingNotice[]> {
  const [area = null] = await host.fs.lstatAll([path.join(folder, '.worktrees', '.records')]);
  if (area?.kind !== 'directory') return [];
  const { leftBehind } = await import('../worktrees/index.js');
  const left = await leftBehind(host, folder);
  if (left.length === 0) return [];
  const names = left.map(({ name }) => name).join(', ');
  const message = `Worktrees were left behind by sessions that ended without a word: ${names}.`;
  const remedy = 'Ask for EnterWorktree with the name to go on there, or look after them with "turnwright worktrees".';
  return [{ code: 'worktree_left', message, remedy }];
}
