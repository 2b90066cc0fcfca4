// What may be said of a command line, from its reading. One rule: what denies or asks needs one part of it, what allows
// needs all, and what cannot be told is allowed by no rule about a part.

import { count, shorten } from '../util/text.js';
import { allowsRun, type CommandPattern, mayRestrictRun, namesRun, restrictsRun } from './command-pattern.js';
import { allowingRule, isHarmless, isInWorkspace, namedFile, placeRules, restrictingPlaced } from './match-files.js';
import { criticalRemoval, protectedPart, specialFile } from './paths.js';
import type { CommandSubject, GitStart, PermissionContext, TouchedFile } from './permission-call.js';
import type { PermissionRule } from './rule.js';
import type { CommandReading, ProgramRun } from './shell/index.js';
import { unseenByRules } from './unseen-files.js';

/** A rule about commands or files, and the part of the command line it speaks of. */
export interface CommandMatch {
  readonly rule: PermissionRule;
  readonly subcommand: string;
  readonly blockedPath?: string;
}

const NOT_READ: CommandReading = { unknown: 'it was not read', programs: [], files: [] };

function readingOf(subject: CommandSubject): CommandReading {
  return subject.reading ?? NOT_READ;
}

/** The first of `rules` that speaks of a part of the command: of a program it could start, or of a file it names. */
export function restrictingMatch(
  rules: readonly PermissionRule[],
  subject: CommandSubject,
  context: PermissionContext,
): CommandMatch | null {
  const { programs } = readingOf(subject);
  for (const rule of rules) {
    if (rule.content?.kind !== 'command') continue;
    const { pattern } = rule.content;
    const run = programs.find((program) => restrictsRun(pattern, program));
    if (run !== undefined) return { rule, subcommand: run.text };
  }
  const placed = placeRules(rules, context);
  for (const file of placed.length === 0 ? [] : (subject.files ?? [])) {
    const named = file.isMaybe === true ? null : namedFile(file);
    const rule = named === null ? null : restrictingPlaced(placed, named);
    if (rule !== null && named !== null)
      return { rule, subcommand: file.program ?? subject.command, blockedPath: named.path };
  }
  return null;
}

/**
 * Why nobody but a person may approve the command, or null.
 * @param isHeld it runs inside the sandbox, which keeps it from writing what is protected
 */
export function commandSafety(
  context: PermissionContext,
  subject: CommandSubject,
  isHeld: boolean,
): { readonly reason: string; readonly blockedPath?: string } | null {
  for (const file of subject.files ?? []) {
    if (isHarmless(file)) continue;
    const untold = whyUntold(file, isHeld);
    if (untold !== null) return { reason: untold, ...(file.path === null ? {} : { blockedPath: file.path }) };
    const isPartOfFolder = file.isAnyWithin === true && (!isRecursive(subject) || isSomeOfRoot(context, file));
    for (const target of namesOf(file)) {
      const why = fileSafety(context, file, target, isPartOfFolder) ?? ownHomeSafety(subject, file, target);
      if (why !== null) return { reason: why, blockedPath: target };
    }
  }
  return null;
}

/** The home that the command sees is a home folder too. */
function ownHomeSafety({ home }: CommandSubject, { access }: TouchedFile, target: string): string | null {
  if (home === undefined || access !== 'remove' || criticalRemoval([], home, target) === null) return null;
  return 'it would remove a home folder, which is always asked for';
}

/** Why it is asked about in every mode what the command removes or overwrites, or null: it cannot be told. */
function whyUntold({ access, path, realPath, isUnpacked, program, why }: TouchedFile, isHeld: boolean): string | null {
  if (access === 'read' || (path !== null && realPath !== null) || isUnpacked === true) return null;
  // What it removes may still be the workspace.
  if (isHeld && access === 'write') return null;
  const act = access === 'write' ? 'writes' : 'removes';
  const by = program === null ? 'the shell' : program;
  if (path !== null) return `${by} ${act} ${path}, a link to a place that is not there yet, which is always asked for`;
  return `which file ${by} ${act} cannot be told${why === undefined ? '' : ` (${why})`}, so it is always asked for`;
}

/** True if some of what lies in a folder of the workspace goes, and nothing goes that one lies in. */
function isSomeOfRoot({ roots }: PermissionContext, { isSome, path: target, realPath }: TouchedFile): boolean {
  if (isSome !== true || target === null || realPath === null) return false;
  const isRoot = (folder: string) => roots.includes(folder) && !roots.some((root) => root.startsWith(`${folder}/`));
  return isRoot(target) && isRoot(realPath);
}

/** The names of a file that are known, each once. */
function namesOf({ path, realPath }: TouchedFile): readonly string[] {
  if (path === null || path === realPath) return realPath === null ? [] : [realPath];
  return realPath === null ? [path] : [path, realPath];
}

/** True if something removes folders with all that is in them. */
function isRecursive(subject: CommandSubject): boolean {
  return readingOf(subject).programs.some(
    ({ name, words }) => name !== 'rm' || words.some((word) => word !== null && /^(?:-\w*[rR]|--r)/.test(word)),
  );
}

/**
 * Why such an access is always asked for, or null.
 * @param isPartOfFolder files of the folder `target` are meant, not the folder
 */
export function fileSafety(
  { roots, home }: PermissionContext,
  { access, isHook = false }: Pick<TouchedFile, 'access' | 'isHook'>,
  target: string,
  isPartOfFolder = false,
): string | null {
  const special = specialFile(target);
  if (special !== null) return `${target} is ${special}, which is always asked for`;
  if (access === 'read') return null;
  if (isHook) return `git runs what stands at ${target} (core.hooksPath), so a change to it is always asked for`;
  const guarded = protectedPart(roots, target);
  if (guarded !== null) return `${guarded} configures what runs later, so a change to it is always asked for`;
  // Some files of a folder of the workspace are not the folder.
  const critical = access === 'remove' ? criticalRemoval(isPartOfFolder ? [] : roots, home ?? null, target) : null;
  return critical === null ? null : `it would remove ${critical}, which is always asked for`;
}

/**
 * Why a command that cannot be told is asked about although all commands are allowed: a rule about a part of them might
 * speak of it. Null if there is no such rule, or all can be told.
 */
export function hiddenFromRules(context: PermissionContext, subject: CommandSubject): string | null {
  const { unknown: hidden, programs } = readingOf(subject);
  const restricting = [...context.deny, ...context.ask];
  for (const rule of restricting) {
    if (rule.content?.kind !== 'command') continue;
    if (hidden !== null) return `it cannot be told whether ${rule.source} speaks of it: ${hidden}`;
    const { pattern } = rule.content;
    // Words that are not known may make it what the rule names.
    const run = programs.find((program) => mayRestrictRun(pattern, program));
    if (run !== undefined) return `it cannot be told whether ${rule.source} speaks of it: ${run.text}`;
  }
  const unseen = unseenByRules(restricting, programs, subject.files ?? [], context);
  if (unseen === null) return null;
  const { rule, path } = unseen;
  return path === null
    ? `it cannot be told whether ${rule.source} speaks of a file it touches`
    : `it may read ${path}, which ${rule.source} keeps`;
}

/** True if the command only reads, inside the workspace, by programs known to do nothing else. */
export function onlyReads(context: PermissionContext, subject: CommandSubject): boolean {
  const { unknown, programs } = readingOf(subject);
  if (unknown !== null || programs.length === 0 || !programs.every((run) => isReadOnly(context, subject, run)))
    return false;
  return (subject.files ?? []).every((file) => isHarmless(file) || isReadInside(context, file));
}

/** True if the command only reads, wherever that is, by programs known to do nothing else. */
export function onlyReadsAnywhere(context: PermissionContext, subject: CommandSubject): boolean {
  const { unknown, programs } = readingOf(subject);
  if (unknown !== null || programs.length === 0 || !programs.every((run) => isReadOnly(context, subject, run)))
    return false;
  return (subject.files ?? []).every((file) => isHarmless(file) || file.access === 'read');
}

/** Programs whose whole work is on the files they name. */
const FILE_PROGRAMS = new Set(['cp', 'mkdir', 'mv', 'sed', 'tee', 'touch']);
const REMOVING_PROGRAMS = new Set(['rm', 'rmdir']);

/** True if the program does nothing but change the files it names, in a way that can be taken back. */
function isFileWork({ keepsRemoved }: PermissionContext, subject: CommandSubject, run: ProgramRun): boolean {
  const { files = [] } = subject;
  const name = run.name ?? '';
  if (ownProgram(subject, run) !== undefined) return false;
  if (run.unknown !== null || run.words[0] !== name) return false;
  // A variable in front may make other names of what it works on.
  if (run.allowText !== name && run.allowText?.startsWith(`${name} `) !== true) return false;
  if (FILE_PROGRAMS.has(name)) return true;
  if (keepsRemoved !== true || !REMOVING_PROGRAMS.has(name)) return false;
  // Of a folder not all may be kept: what is generated, or too large.
  return (
    name === 'rmdir' || files.every(({ program, access, isFile }) => program !== name || access !== 'remove' || isFile)
  );
}

/** True if the mode or a rule lets this part of a command run, as long as its files are those it may touch. */
export function isCovered(context: PermissionContext, subject: CommandSubject, run: ProgramRun): boolean {
  const isAccepted = context.mode === 'acceptEdits' && isFileWork(context, subject, run);
  return isAccepted || allowingRun(context.allow, run) !== null;
}

/** True if it only starts others, which are looked at by themselves. */
function isStarter(subject: CommandSubject, run: ProgramRun): boolean {
  return run.onlyStarts === true && run.unknown === null && ownProgram(subject, run) === undefined;
}

function isChange({ access, by }: TouchedFile): boolean {
  return access !== 'read' && by === 'redirection';
}

/** True if the command only changes files of the workspace, as the tools for it would. */
export function onlyEdits(context: PermissionContext, subject: CommandSubject): boolean {
  const { unknown, programs } = readingOf(subject);
  // A redirection alone changes a file too.
  if (unknown !== null || (programs.length === 0 && subject.files?.some(isChange) !== true)) return false;
  const mayRun = (run: ProgramRun) =>
    isReadOnly(context, subject, run) || isFileWork(context, subject, run) || isStarter(subject, run);
  const mayTouch = (file: TouchedFile) => {
    const named = namedFile(file);
    return isHarmless(file) || (named !== null && isInWorkspace(context.roots, named));
  };
  return programs.every(mayRun) && (subject.files ?? []).every(mayTouch);
}

/** What the allow rules about parts of commands say: the rule, or the part that none of them covers. */
export type AllowedParts =
  | { readonly isAllowed: true; readonly rule: string }
  | { readonly isAllowed: false; readonly why: string; readonly subcommand?: string; readonly blockedPath?: string };

export function allowedParts(context: PermissionContext, subject: CommandSubject): AllowedParts {
  const { programs } = readingOf(subject);
  if (programs.length === 0) return { isAllowed: false, why: 'it names no program that a rule could allow' };
  const whole = wholeRule(context.allow, subject);
  const rules = new Set<string>(whole === null ? [] : [whole.source]);
  /** Runs that a rule names whole: whoever wrote it knew what they unpack. */
  const spelled = new Set<string>();
  const open: ProgramRun[] = [];
  for (const run of programs) {
    const rule = allowingRun(context.allow, run);
    if (rule?.content?.kind === 'command' && rule.content.pattern.kind === 'exact') spelled.add(run.text);
    if (rule !== null) rules.add(rule.source);
    else if (whole === null && !isReadOnly(context, subject, run) && !isCovered(context, subject, run)) open.push(run);
  }
  // What cannot be told counts for more than what no rule names yet.
  const first = open.find(({ unknown }) => unknown !== null) ?? open[0];
  if (first !== undefined) return { isAllowed: false, why: whyOpen(subject, open, first), subcommand: first.text };
  const files = (subject.files ?? []).filter(
    ({ path, isUnpacked, part = '' }) => !(isUnpacked === true && path === null && spelled.has(part)),
  );
  const isSpelled = (file: TouchedFile) => whole !== null && isAsSpelled(file);
  const blocked = files.find((file) => !mayTouch(context, file, rules) && !isSpelled(file));
  if (blocked === undefined) return { isAllowed: true, rule: [...rules].join(', ') };
  if (blocked.isUnpacked === true && blocked.path === null)
    return {
      isAllowed: false,
      why: unpacksUnseen(blocked),
      ...(blocked.part === undefined ? {} : { subcommand: blocked.part }),
    };
  const target = blocked.path ?? 'a file that cannot be told';
  const why = blocked.access === 'read' ? 'reads' : blocked.access === 'write' ? 'writes' : 'removes';
  const outside = `it ${why} ${target}, which no rule allows`;
  return { isAllowed: false, why: outside, ...(blocked.path === null ? {} : { blockedPath: blocked.path }) };
}

/**
 * The rule whose text is the whole line, sign by sign: whoever wrote it allowed just this, words that are not known and
 * files outside included.
 */
function wholeRule(rules: readonly PermissionRule[], { command }: CommandSubject): PermissionRule | null {
  const line = command.trim();
  const isLine = ({ content }: PermissionRule) =>
    content?.kind === 'command' && content.pattern.kind === 'exact' && content.pattern.text === line;
  return rules.find(isLine) ?? null;
}

/** A link that leads elsewhere is not what the text names. */
function isAsSpelled({ path, realPath }: TouchedFile): boolean {
  return path === null || path === realPath;
}

function unpacksUnseen({ program }: TouchedFile): string {
  return `which files ${program} writes cannot be told beforehand, so only a rule that spells out the whole command allows it`;
}

/**
 * True if the command is one of those that run outside the sandbox: the whole line does, so nothing else may be in it
 * but what only reads. A program that goes by a path may be anything that has the name.
 */
export function isExcluded(
  excluded: readonly CommandPattern[],
  subject: CommandSubject,
  roots: PermissionContext['roots'],
): boolean {
  if (excluded.length === 0) return false;
  const { programs } = readingOf(subject);
  const isNamed = (run: ProgramRun) => {
    const isPlain = run.allowText !== null && run.unknown === null && run.words[0]?.includes('/') === false;
    return isPlain && excluded.some((pattern) => namesRun(pattern, run));
  };
  if (!programs.some(isNamed)) return false;
  const others = programs.filter((run) => !isNamed(run));
  return (
    others.every(
      (run) => run.readOnly && run.unknown === null && !run.isGit && ownProgram(subject, run) === undefined,
    ) && (subject.files ?? []).every((file) => file.by === 'operand' || file.access === 'read' || isInside(roots, file))
  );
}

function isInside(roots: PermissionContext['roots'], file: TouchedFile): boolean {
  const named = namedFile(file);
  return isHarmless(file) || (named !== null && isInWorkspace(roots, named));
}

function allowingRun(rules: readonly PermissionRule[], run: ProgramRun): PermissionRule | null {
  return rules.find(({ content }) => content?.kind === 'command' && allowsRun(content.pattern, run)) ?? null;
}

/**
 * Git runs what the configuration of the folder says, so in one that nobody vouches for it does not only read. Nor does what
 * the workspace has put under the name of a program that does.
 */
function isReadOnly({ isTrusted = true }: PermissionContext, subject: CommandSubject, run: ProgramRun) {
  if (!run.readOnly || run.unknown !== null || ownProgram(subject, run) !== undefined) return false;
  return !run.isGit || (isTrusted && startOf(subject, run) === undefined);
}

/** The file of the workspace that the run would start by a bare name; undefined if there is none. */
export function ownProgram({ workspacePrograms = [] }: CommandSubject, run: ProgramRun): string | undefined {
  return workspacePrograms.find((program) => program.run === run)?.path;
}

function startOf({ gitStarts = [] }: CommandSubject, run: ProgramRun): GitStart | undefined {
  return gitStarts.find((start) => start.run === run);
}

/** Parts that are named; of more than these it is said how many. */
const MAX_NAMED = 3;
/** Signs of one. */
const MAX_PART = 200;

/** Names the parts that stand in the way, not the whole line. */
function whyOpen(subject: CommandSubject, open: readonly ProgramRun[], first: ProgramRun): string {
  if (first.unknown !== null) return `it cannot be told what would run: ${first.unknown} (${first.text})`;
  const start = first.readOnly ? startOf(subject, first) : undefined;
  if (start !== undefined) return `${start.why} (${first.text})`;
  const own = first.readOnly ? ownProgram(subject, first) : undefined;
  if (own !== undefined) return `${first.name} would start ${own}, a file of the workspace, which no rule allows`;
  const parts = [...new Set(open.map(({ text }) => shorten(text, MAX_PART)))];
  const more = parts.length - MAX_NAMED;
  const named = more > 0 ? [...parts.slice(0, MAX_NAMED), count(more, 'more part')] : parts;
  return `no rule allows ${named.length === 1 ? named[0] : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`}`;
}

/** Why a person has to vouch for a repository first, and what they would vouch for; null if nobody has to. */
export function untrustedStarts({
  gitStarts = [],
}: CommandSubject): { readonly reason: string; readonly vouches: readonly string[] } | null {
  if (gitStarts.length === 0) return null;
  const reasons = [...new Set(gitStarts.map(({ why }) => why))];
  const vouches = gitStarts.flatMap(({ seen }) => seen ?? []);
  return { reason: reasons.slice(0, MAX_REASONS).join('; '), vouches: [...new Set(vouches)] };
}

const MAX_REASONS = 3;

function isReadInside({ roots }: PermissionContext, file: TouchedFile): boolean {
  const named = namedFile(file);
  return file.access === 'read' && named !== null && isInWorkspace(roots, named);
}

/** A program that a rule allows works on files of the workspace; what the shell itself writes counts as an edit. */
function mayTouch(context: PermissionContext, file: TouchedFile, rules: Set<string>): boolean {
  if (isHarmless(file)) return true;
  const named = namedFile(file);
  if (named === null) return false;
  const inside = isInWorkspace(context.roots, named);
  if (inside && (file.access === 'read' || file.by === 'operand' || context.mode === 'acceptEdits')) return true;
  const rule = allowingRule(context.allow, named, 'Bash', context);
  if (rule !== null) rules.add(rule.source);
  return rule !== null;
}
