// Rules about files, held against what a call would touch. What is denied is denied by either of its names, as written
// and with its links resolved; what is allowed must be allowed by both.

import { isInside } from '../host/is-inside.js';
import { allowsPath, type PathPattern, type PatternPlace, restrictsPath } from './path-pattern.js';
import { isHarmlessDevice } from './paths.js';
import type { PermissionContext, TouchedFile } from './permission-call.js';
import { allowsAccess, type PermissionRule, restrictsAccess, ruleMatchesTool } from './rule.js';

type Place = Pick<PermissionContext, 'roots' | 'home'>;

/** A file by both its names. */
export interface NamedFile {
  readonly path: string;
  readonly realPath: string;
  readonly access: TouchedFile['access'];
  /** True if it is a regular file. */
  readonly isFile?: boolean;
}

/** A rule about files, and where its pattern starts. */
export interface PlacedRule {
  readonly rule: PermissionRule;
  readonly pattern: PathPattern;
  readonly place: PatternPlace;
}

/** Those of the rules that are about files: made once for all files of a call. */
export function placeRules(rules: readonly PermissionRule[], place: Place): readonly PlacedRule[] {
  const placed: PlacedRule[] = [];
  for (const rule of rules)
    if (rule.content?.kind === 'path')
      placed.push({ rule, pattern: rule.content.pattern, place: patternPlace(rule, place) });
  return placed;
}

/** The first rule that keeps such an access out, or null. */
export function restrictingPlaced(rules: readonly PlacedRule[], file: NamedFile): PermissionRule | null {
  for (const { rule, pattern, place } of rules) {
    if (!restrictsAccess(rule, file.access)) continue;
    if (restrictsPath(pattern, file, place)) return rule;
    if (file.realPath !== file.path && restrictsPath(pattern, { ...file, path: file.realPath }, place)) return rule;
  }
  return null;
}

/** As `restrictingPlaced`, for one file. */
export function restrictingRule(
  rules: readonly PermissionRule[],
  file: NamedFile,
  place: Place,
): PermissionRule | null {
  return restrictingPlaced(placeRules(rules, place), file);
}

/** The rule that lets `toolName` do it, or null. Commands count as Read and Edit. */
export function allowingRule(
  rules: readonly PermissionRule[],
  file: NamedFile,
  toolName: string,
  place: Place,
): PermissionRule | null {
  const means = (rule: PermissionRule, target: string) =>
    rule.content?.kind === 'path' &&
    allowsAccess(rule, file.access, toolName) &&
    allowsPath(rule.content.pattern, { ...file, path: target }, patternPlace(rule, place));
  const whole = rules.find((rule) => ruleMatchesTool(rule, toolName) || isWholeAccess(rule, file, toolName));
  if (whole !== undefined) return whole;
  const written = rules.find((rule) => means(rule, file.path));
  if (written === undefined) return null;
  return rules.some((rule) => means(rule, file.realPath)) ? written : null;
}

/** True if both names lie in the workspace. */
export function isInWorkspace(roots: readonly string[], { path, realPath }: NamedFile): boolean {
  const isBelow = (target: string): boolean => roots.some((root) => isInside(root, target));
  return isBelow(path) && (realPath === path || isBelow(realPath));
}

/** A file that a command names, if both its names are known. */
export function namedFile(file: TouchedFile): NamedFile | null {
  return isNamed(file) ? file : null;
}

function isNamed(file: TouchedFile): file is TouchedFile & NamedFile {
  return file.path !== null && file.realPath !== null;
}

/** True if nothing is read or written that anybody could miss. */
export function isHarmless({ path, access }: TouchedFile): boolean {
  return path !== null && access !== 'remove' && isHarmlessDevice(path, access !== 'read');
}

/** `Read` and `Edit` alone allow commands the same. */
function isWholeAccess(rule: PermissionRule, { access }: NamedFile, toolName: string): boolean {
  return toolName === 'Bash' && rule.content === null && rule.toolName === (access === 'read' ? 'Read' : 'Edit');
}

export function patternPlace(rule: PermissionRule, { roots, home }: Place): PatternPlace {
  return { base: rule.base ?? roots[0] ?? '/', home: home ?? null, roots };
}
