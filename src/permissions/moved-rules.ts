// The rules of a session that works in a worktree: what they say of a file of its folder, they say of the same file in the
// worktree as well. One rule: nothing is denied less for it.
import path from 'node:path';
import { isInside } from '../host/is-inside.js';
import { parsePathPattern } from './path-pattern.js';
import type { PermissionContext } from './permission-call.js';
import type { PermissionRule } from './rule.js';

export interface WorktreePlace {
  /** A folder of the session, and where its files are in the worktree. Absolute, links resolved. */
  readonly from: string;
  readonly to: string;
  /** Where the session works: a folder of the workspace in place of `left`. */
  readonly folder: string;
  /** Names of the folder that it left, the first of them where rules begin that name no folder. */
  readonly left: readonly string[];
  /** True: what it left stays a folder of the workspace. */
  readonly keepsLeft?: boolean;
}

export function rulesInWorktree<Context extends Pick<PermissionContext, 'deny' | 'ask' | 'allow' | 'roots' | 'home'>>(
  context: Context,
  place: WorktreePlace,
): Context {
  const both = (rules: readonly PermissionRule[]) => rules.flatMap((rule) => inBoth(rule, context.home ?? null, place));
  return {
    ...context,
    roots: [place.folder, ...context.roots.filter((root) => place.keepsLeft === true || !place.left.includes(root))],
    deny: both(context.deny),
    ask: both(context.ask),
    allow: both(context.allow),
  };
}

function inBoth(
  rule: PermissionRule,
  home: string | null,
  { from, to, left }: WorktreePlace,
): readonly PermissionRule[] {
  const { content } = rule;
  const base = rule.base ?? left[0] ?? from;
  if (content?.kind !== 'path') return [rule];
  const there = (target: string): string | null =>
    isInside(from, target) && !isInside(to, target) ? path.join(to, path.relative(from, target)) : null;
  const { anchor, source } = content.pattern;
  if (anchor === 'base' || anchor === 'anywhere') {
    const moved = there(base);
    return [{ ...rule, base }, ...(moved === null ? [] : [{ ...rule, base: moved }])];
  }
  const start = anchor === 'root' ? source.slice(1) : home === null ? null : path.join(home, source.slice(1));
  const moved = start === null ? null : there(start);
  return moved === null ? [rule] : [rule, { ...rule, content: { ...content, pattern: parsePathPattern(`/${moved}`) } }];
}
