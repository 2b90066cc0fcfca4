// The option `sandbox` with what settings say of it, checked before anything starts. Loaded if there is one.

import path from 'node:path';
import type { Host } from '../../host/host.js';
import { isWithin } from '../../host/is-inside.js';
import { parseCommandPattern } from '../../permissions/command-pattern.js';
import { parseDomainPattern } from '../../permissions/domain-pattern.js';
import { type PathPattern, type PatternPlace, restrictsPath } from '../../permissions/path-pattern.js';
import type { SandboxedCommands } from '../../permissions/permission-call.js';
import { type PermissionRule, parseRule, restrictsAccess } from '../../permissions/rule.js';
import type { SandboxSettings } from '../../protocol/options.js';
import { type SandboxPolicy, sandboxOptions } from '../../sandbox/policy.js';
import { type Bounds, findBelow } from '../../sandbox/protected-paths.js';
import { sessionPolicy } from '../../session/sandbox/index.js';
import { isMagic } from '../../util/posix-path.js';

export interface SandboxPlace {
  readonly host: Host;
  readonly env: Host['env'];
  readonly cwd: string;
  readonly directories: readonly string[];
}

export interface ReadSandbox {
  readonly sandbox: SandboxSettings;
  /** What it changes about permissions. */
  readonly commands: SandboxedCommands;
  /** For the tools for files and for the web: what it keeps from commands. */
  readonly deny: readonly PermissionRule[];
}

/**
 * Null if it is not switched on.
 * @param rules those that deny something
 * @throws ConfigError for what is not understood: it would be a hole
 */
export async function readSandboxOption(
  option: SandboxSettings,
  managed: unknown,
  { host, env, cwd, directories }: SandboxPlace,
  rules: readonly PermissionRule[],
): Promise<ReadSandbox | null> {
  const sandbox = sandboxOptions({ option, managed });
  if (sandbox?.enabled !== true) return null;
  const policy = sessionPolicy({ cwd, additionalDirectories: directories }, sandbox, host, env);
  const { autoAllowBash, allowUnsandboxed } = policy;
  const kept = await pathsOfRules(rules, { host, cwd, home: host.platform.homedir, roots: [cwd, ...directories] });
  const { filesystem = {} } = sandbox;
  return {
    sandbox: {
      ...sandbox,
      filesystem: {
        ...filesystem,
        denyRead: [...(filesystem.denyRead ?? []), ...kept.denyRead],
        denyWrite: [...(filesystem.denyWrite ?? []), ...kept.denyWrite],
      },
    },
    commands: {
      autoAllowBash,
      allowUnsandboxed,
      excluded: await patternsOf(policy.excludedCommands),
      reach: reachOf(policy, sandbox),
    },
    deny: [...rulesOfPaths(policy), ...rulesOfDomains(sandbox.network?.deniedDomains ?? [])],
  };
}

/** What policies on untrusted content go by: anything but plain domains is more than can be told. */
function reachOf({ allowWrite, network }: SandboxPolicy, sandbox: SandboxSettings): readonly string[] | null {
  const hasOtherWays =
    network.httpProxyPort !== null || network.socksProxyPort !== null || network.unixSockets === 'all';
  if (hasOtherWays || network.unixSockets.length > 0 || allowWrite.length > 0) return null;
  return sandbox.network?.allowedDomains ?? [];
}

/** A command that is named without a sign for anything is meant with whatever follows it. */
async function patternsOf(contents: readonly string[]): Promise<SandboxedCommands['excluded']> {
  if (contents.length === 0) return [];
  return contents.map((content) => parseCommandPattern(content.includes('*') ? content : `${content.trim()}:*`));
}

// Deny rules and the sandbox are one policy: what a rule keeps from tools the sandbox keeps from commands, which may open
// files that no command line names; and what the sandbox keeps from commands, rules keep from the tools for files.

interface KeptPaths {
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
}

interface RulePlace {
  readonly host: Pick<Host, 'fs'>;
  readonly cwd: string;
  readonly home: string;
  /** Workspace folders, absolute. */
  readonly roots: readonly string[];
}

/** How far down files are looked for that a rule names without a folder. */
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
async function pathsOfRules(rules: readonly PermissionRule[], place: RulePlace): Promise<KeptPaths> {
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
function rulesOfPaths({ denyRead, denyWrite }: KeptPaths): PermissionRule[] {
  const rule = (tool: string) => (target: string) =>
    parseRule(`${tool}(/${target.replace(/[\\*?[\]{}()]/g, '\\$&')})`, { origin: 'flag' });
  return [...denyRead.map(rule('Read')), ...denyWrite.map(rule('Edit'))];
}

/** What the sandbox keeps commands from reaching, no tool fetches. Ranges and ports are looked at when it connects. */
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
