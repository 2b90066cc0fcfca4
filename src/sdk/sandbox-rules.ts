// Deny rules and the sandbox are one policy: what a rule keeps from tools the sandbox keeps from commands, which may open
// files that no command line names; and what the sandbox keeps from commands, rules keep from the tools for files.
import path from 'node:path';
import type { Host } from '../host/host.js';
import { type PathPattern, type PatternPlace, restrictsPath } from '../permissions/path-pattern.js';
import { type PermissionRule, parseRule, restrictsAccess } from '../permissions/rule.js';
import { findBelow } from '../sandbox/find-nested.js';
import { isWithin } from '../sandbox/mount-plan.js';
import { isMagic } from '../util/glob-root.js';

export interface KeptPaths {
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
}

export interface RulePlace {
  readonly host: Pick<Host, 'fs'>;
  readonly cwd: string;
  readonly home: string;
  /** Workspace folders, absolute. */
  readonly roots: readonly string[];
}

/**
 * The files and folders that deny rules about paths speak of: those spelled out, and those that are in the workspace now,
 * as far down as the sandbox looks for what it protects. A folder that holds the workspace is left to the tools: hidden
 * from commands, it would leave them nothing to run.
 */
export async function pathsOfRules(rules: readonly PermissionRule[], place: RulePlace): Promise<KeptPaths> {
  const known = rules.flatMap((rule) =>
    rule.content?.kind === 'path' ? [{ rule, pattern: rule.content.pattern, from: placeOf(rule, place) }] : [],
  );
  if (known.length === 0) return { denyRead: [], denyWrite: [] };
  const isMeant = (target: string) => known.filter(({ pattern, from }) => restrictsPath(pattern, target, from));
  const there = await findBelow(place.host.fs, place.roots, (target) => isMeant(target).length > 0);
  const keptFrom = (access: 'read' | 'write'): string[] => {
    const mine = known.filter(({ rule }) => restrictsAccess(rule, access));
    const spelled = mine.flatMap(({ pattern, from }) => spelledOut(pattern, from, place.roots));
    const found = there.filter((target) => mine.some(({ pattern, from }) => restrictsPath(pattern, target, from)));
    // A name with such a sign cannot be said to the sandbox.
    const usable = [...spelled, ...found].filter((target) => !/[*?]/.test(target));
    return [...new Set(usable)].filter((target) => !place.roots.some((root) => isWithin(target, root)));
  };
  return { denyRead: keptFrom('read'), denyWrite: keptFrom('write') };
}

/** Rules for tools that say of these paths what the sandbox says of them. */
export function rulesOfPaths({ denyRead, denyWrite }: KeptPaths): PermissionRule[] {
  const rule = (tool: string) => (target: string) =>
    parseRule(`${tool}(/${target.replace(/[\\*?[\]{}()]/g, '\\$&')})`, { origin: 'flag' });
  return [...denyRead.map(rule('Read')), ...denyWrite.map(rule('Edit'))];
}

function placeOf({ base }: PermissionRule, { cwd, home }: RulePlace): PatternPlace {
  return { base: base ?? cwd, home };
}

/** The path itself where the pattern is one, or all of one folder; a bare name stands at the top of each root. */
function spelledOut({ source, anchor }: PathPattern, from: PatternPlace, roots: readonly string[]): string[] {
  const plain = source.replace(/\/\*\*$/, '').replace(/\/$/, '');
  if (plain === '' || isMagic(plain)) return [];
  switch (anchor) {
    case 'root':
      return [path.resolve(plain.slice(1))];
    case 'home':
      return from.home === null ? [] : [path.join(from.home, plain.slice(1))];
    case 'base':
      return [path.join(from.base, plain)];
    default:
      return roots.map((root) => path.join(root, plain));
  }
}
