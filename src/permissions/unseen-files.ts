// Files that a command reads or changes without naming them one by one: those below a folder that it goes through, those
// of a glob, those in words that are not static, and words of programs that nobody knows. A rule that may speak of one of
// them is not got around.
import path from 'node:path';
import { patternPlace } from './match-files.js';
import { mayRestrictBelow, restrictsPath } from './path-pattern.js';
import type { PermissionContext, TouchedFile } from './permission-call.js';
import { type PermissionRule, restrictsAccess } from './rule.js';
import type { ProgramRun } from './shell/command-reading.js';

type Place = Pick<PermissionContext, 'roots' | 'home'>;

/** The first rule about files that may speak of one that the command does not name, or null. */
export function unseenByRules(
  rules: readonly PermissionRule[],
  programs: readonly ProgramRun[],
  files: readonly TouchedFile[],
  place: Place,
): PermissionRule | null {
  const about = rules.filter(({ content }) => content?.kind === 'path');
  if (about.length === 0) return null;
  for (const file of files) {
    const { path, realPath } = file;
    // A link that leads nowhere yet is written through all the same.
    const rule = about.find(
      (candidate) =>
        restrictsAccess(candidate, file.access) &&
        (path === null ||
          realPath === null ||
          (file.isAnyWithin === true && mayMeanBelow(candidate, path, false, place))),
    );
    if (rule !== undefined) return rule;
  }
  for (const run of programs) {
    const spoken = wordRule(run, about, place);
    if (spoken !== null) return spoken;
    const search = searchOf(run);
    if (search === null) continue;
    const named = files.filter(({ program, access }) => program === run.name && access === 'read');
    const folders = named.length === 0 ? place.roots.slice(0, 1) : named.flatMap(({ path }) => path ?? []);
    const rule = about.find(
      (candidate) =>
        restrictsAccess(candidate, 'read') &&
        folders.some((folder) => mayMeanBelow(candidate, folder, search.readsHidden, place)),
    );
    if (rule !== undefined) return rule;
  }
  return null;
}

/** Words of a program that nobody knows may be files: the first rule that speaks of one of them. */
function wordRule(
  { mayStart, words }: ProgramRun,
  about: readonly PermissionRule[],
  place: Place,
): PermissionRule | null {
  if (mayStart.length === 0) return null;
  for (const word of words.slice(1, MAX_WORDS + 1)) {
    const text = word === null ? '' : word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
    if (text === '' || text.startsWith('-')) continue;
    const home = place.home !== undefined && text.startsWith('~/') ? place.home + text.slice(1) : text;
    const target = path.resolve(place.roots[0] ?? '/', home);
    const rule = about.find(
      (candidate) =>
        candidate.content?.kind === 'path' &&
        restrictsPath(candidate.content.pattern, { path: target }, patternPlace(candidate, place)),
    );
    if (rule !== undefined) return rule;
  }
  return null;
}

/** Words of one program that are looked at. */
const MAX_WORDS = 20;

function mayMeanBelow(rule: PermissionRule, folder: string, hidden: boolean, place: Place): boolean {
  return (
    rule.content?.kind === 'path' && mayRestrictBelow(rule.content.pattern, folder, hidden, patternPlace(rule, place))
  );
}

/** Programs that read all files of the folders they are given; the flag that makes them, where one is needed. */
const SEARCHES: ReadonlyMap<string, RegExp | null> = new Map([
  ['ack', null],
  ['ag', null],
  ['cp', /^(?:-\w*[rRa]|--recursive|--archive)/],
  ['egrep', /^(?:-\w*[rR]|--recursive|--dereference-recursive)/],
  ['fgrep', /^(?:-\w*[rR]|--recursive|--dereference-recursive)/],
  ['grep', /^(?:-\w*[rR]|--recursive|--dereference-recursive)/],
  ['rg', null],
  ['rsync', null],
  ['scp', /^-\w*r/],
  ['tar', null],
  ['zip', null],
]);

/** Those that pass over names with a leading dot unless they are told not to. */
const SKIPS_HIDDEN: ReadonlySet<string> = new Set(['ag', 'rg']);

function searchOf({ name, words, isGit }: ProgramRun): { readonly readsHidden: boolean } | null {
  if (name === null) return null;
  if (isGit) return words.includes('grep') ? { readsHidden: true } : null;
  const flag = SEARCHES.get(name);
  if (flag === undefined) return null;
  if (flag !== null && !words.some((word) => word === null || flag.test(word))) return null;
  const isTold = words.some((word) => word === null || /^(?:-\w*[.u]|--hidden|--unrestricted)/.test(word));
  return { readsHidden: !SKIPS_HIDDEN.has(name) || isTold };
}
