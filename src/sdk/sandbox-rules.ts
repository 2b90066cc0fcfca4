// Deny rules and the sandbox are one policy: what a rule keeps from tools the sandbox keeps from commands, which may open
// files that no command line names; and what the sandbox keeps from commands, rules keep from the tools for files.
import path from 'node:path';
import type { Host } from '../host/host.js';
import { parseDomainPattern } from '../permissions/domain-pattern.js';
import { type PathPattern, type PatternPlace, restrictsPath } from '../permissions/path-pattern.js';
import { type PermissionRule, parseRule, restrictsAccess } from '../permissions/rule.js';
import { type Bounds, findBelow } from '../sandbox/find-nested.js';
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

/** How far down files are looked for that a rule names without saying where. */
const BOUNDS: Bounds = { maxDepth: 8, maxFolders: 3_000 };

interface KnownRule {
  readonly pattern: PathPattern;
  readonly from: PatternPlace;
  readonly access: 'read' | 'write';
}

/**
 * The files and folders that deny rules about paths speak of: those spelled out, and those that are in the workspace now,
 * within bounds. What is denied to be read is hidden, so that nothing is written there either: it needs no refusal of its
 * own, which would put something in the place of a file that is missing. A folder that holds the workspace is left to the
 * tools: hidden from commands, it would leave them nothing to run.
 */
export async function pathsOfRules(rules: readonly PermissionRule[], place: RulePlace): Promise<KeptPaths> {
  const known = rules.flatMap((rule): KnownRule[] => {
    if (rule.content?.kind !== 'path') return [];
    const access = restrictsAccess(rule, 'read') ? 'read' : 'write';
    return [{ pattern: rule.content.pattern, from: placeOf(rule, place), access }];
  });
  if (known.length === 0) return { denyRead: [], denyWrite: [] };
  const { fs } = place.host;
  const there = new Map<string, boolean>();
  const isMeant = (path: string, isFile: boolean) => known.some((rule) => means(rule, path, isFile));
  await findBelow(
    fs,
    place.roots,
    (target, kind) => {
      const isFound = isMeant(target, kind === 'file');
      if (isFound) there.set(target, kind === 'file');
      return isFound;
    },
    BOUNDS,
  );
  const keptFrom = async (access: 'read' | 'write'): Promise<string[]> => {
    const mine = known.filter((rule) => rule.access === access);
    const found = [...there].filter(([target, isFile]) => mine.some((rule) => means(rule, target, isFile)));
    const spelled = await Promise.all(mine.map((rule) => spelledPaths(rule, place)));
    // A name with such a sign cannot be said to the sandbox.
    const usable = [...spelled.flat(), ...found.map(([target]) => target)].filter((target) => !/[*?]/.test(target));
    return [...new Set(usable)].filter((target) => !place.roots.some((root) => isWithin(target, root)));
  };
  const [denyRead, denyWrite] = await Promise.all([keptFrom('read'), keptFrom('write')]);
  return { denyRead, denyWrite };
}

function means({ pattern, from }: KnownRule, path: string, isFile: boolean): boolean {
  return restrictsPath(pattern, { path, isFile }, from);
}

/** What a rule spells out, but for files in the place of folders that it means. */
async function spelledPaths({ pattern, from }: KnownRule, { host, roots }: RulePlace): Promise<readonly string[]> {
  const spelled = spelledOut(pattern, from, roots);
  const meansFolder = pattern.endsAtFolder || pattern.source.endsWith('/**');
  if (!meansFolder || spelled.length === 0) return spelled;
  const stats = await host.fs.lstatAll(spelled);
  return spelled.filter((_, at) => stats[at]?.kind !== 'file');
}

/** Rules for tools that say of these paths what the sandbox says of them. */
export function rulesOfPaths({ denyRead, denyWrite }: KeptPaths): PermissionRule[] {
  const rule = (tool: string) => (target: string) =>
    parseRule(`${tool}(/${target.replace(/[\\*?[\]{}()]/g, '\\$&')})`, { origin: 'flag' });
  return [...denyRead.map(rule('Read')), ...denyWrite.map(rule('Edit'))];
}

/** What the sandbox keeps commands from reaching, no tool fetches. Ranges and ports are looked at where it is connected. */
export function rulesOfDomains(denied: readonly string[]): PermissionRule[] {
  return denied.flatMap((domain) => {
    if (domain.trim() === '*') return [parseRule('WebFetch', { origin: 'flag' })];
    return parseDomainPattern(domain) === null ? [] : [parseRule(`WebFetch(domain:${domain})`, { origin: 'flag' })];
  });
}

function placeOf({ base }: PermissionRule, { cwd, home, roots }: RulePlace): PatternPlace {
  return { base: base ?? cwd, home, roots };
}

/** The path itself if the pattern is one, or all of one folder; a bare name stands at the top of each root. */
function spelledOut({ source, anchor, name }: PathPattern, from: PatternPlace, roots: readonly string[]): string[] {
  const plain = source.replace(/\/\*\*$/, '').replace(/\/$/, '');
  if (plain === '' || isMagic(plain)) return [];
  switch (anchor) {
    case 'root':
      return [path.resolve(plain.slice(1))];
    case 'home':
      return from.home === null ? [] : [path.join(from.home, plain.slice(1))];
    case 'base':
      return [from.base, ...(name === null ? [] : roots)].map((folder) => path.join(folder, plain));
    default:
      return roots.map((root) => path.join(root, plain));
  }
}
