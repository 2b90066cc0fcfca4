// What a worktree of the engine's is, and where it stands: `.worktrees/<name>` in the folder of the session, so that all
// that holds for the workspace holds for it. One rule: a name is one plain part of a path, whoever gives it.
import path from 'node:path';
import type { GitWatch } from '../../context/git/index.js';
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
