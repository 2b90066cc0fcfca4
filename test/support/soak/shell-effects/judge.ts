// Holds what a line did against what the engine reported of it before it ran.
//
// The definition. Whoever decides about a line sees its report: programs, files, what is unknown. An effect is covered
// where the report would not have been decided otherwise had it named the effect too. So for each effect the same call is
// decided twice in each of some contexts that leave nobody to ask: as it was reported, and with one more file, exactly
// that of the effect. If the first is allowed and the second is not, the line would have run on the strength of a
// report that hid what mattered. Besides, a rule that denies exactly that file, added to a context that allows the line,
// must stop it: a line that reads, writes or removes a file is no way around a rule about it.
//
// The contexts: no rules in mode `default` (what reads only runs) and in `acceptEdits`; a rule `Bash(program:*)` for each
// program of the report in both; and `bypassPermissions`, if nothing but guards and denials counts. A line of which
// anything is unknown is not held against the last: its user wanted no questions.
//
// What is left out, and why:
// - Names in a folder that were read (`list`) are held against the contexts, not against a rule that denies: such rules
//   are about content.
// - What a script does. Of a program that runs a file of its language, of the project or of its input (`howKnown` says
//   `script`), and of all it starts, no effect counts but the first file that it reads, which must not be a surprise: the
//   rule allows what the file says. So it is with awk, sed and jq that take their text from a file, and with a program of
//   the report that has no description.
// - What git does in its own folder counts as reading or changing the folder of the repository, but for configuration and
//   hooks, which count as themselves. What it reads of a file only to see whether that has changed, or what to pass over,
//   is held against the contexts only.
// - What a source includes is held against the contexts only: to compile is to read what sources name.
// - A file that was there only while the line ran counts as a change of its folder: nobody could have named it. So does a new
//   one of a program that something ended before it could remove it. A new file
//   in a folder that the report says is written, or one that the line made itself and reads, is held against the contexts
//   only.
import path from 'node:path';
import { resolveSubject } from '../../../../src/engine/subject/resolve-subject.js';
import type { Host } from '../../../../src/host/host.js';
import { isInside } from '../../../../src/host/is-inside.js';
import { createNodeHost } from '../../../../src/host/node-host.js';
import { decidePermission } from '../../../../src/permissions/decide.js';
import type {
  CommandSubject,
  PermissionCall,
  PermissionContext,
  TouchedFile,
} from '../../../../src/permissions/permission-call.js';
import { type PermissionRule, parseRule } from '../../../../src/permissions/rule.js';
import { keptFiles } from '../../../../src/permissions/unseen-files.js';
import { howKnown } from './description.js';
import type { Fixture } from './fixture.js';
import type { Effect, Image } from './read-effects.js';

/** An effect that the report hid. */
export interface Unreported {
  readonly effect: Effect;
  /** What the decision would have been made by: `outside`, `guarded`, `started`, or `rule` with what was told of the file. */
  readonly why: string;
  /** The first context that lets the line run. */
  readonly context: string;
}

export interface Report {
  readonly subject: CommandSubject;
  /** Why not all of it can be told; null if it can. */
  readonly unknown: string | null;
}

/**
 * What the engine says of the line before it runs.
 * @param context whose rules about files are looked for below folders; absent: each folder may hold such files
 */
export async function reportOf(line: string, fixture: Fixture, context?: PermissionContext): Promise<Report> {
  const machine = createNodeHost();
  const host: Host = { ...machine, platform: { ...machine.platform, homedir: fixture.home } };
  const place = {
    host,
    cwd: fixture.workspace,
    ...(context === undefined ? {} : { askKept: async (access: Kept) => keptFiles(context, null, access) }),
  };
  const subject = await resolveSubject({ kind: 'command', command: line }, place);
  if (subject.kind !== 'command') throw new Error(`The subject of a command is a ${subject.kind}.`);
  const hidden = subject.files?.find((file) => file.path === null);
  const unknown =
    subject.reading?.unknown ?? (hidden === undefined ? null : `a file of ${hidden.program ?? 'the shell'}`);
  return { subject, unknown };
}

type Kept = Parameters<typeof keptFiles>[2];

/** Effects of a line for which the folders are looked through: each costs as much as a report. */
const MAX_LOOKS = 4;

/** What of the effects the report hid. */
export async function unreportedOf(
  report: Report,
  effects: readonly Effect[],
  fixture: Fixture,
): Promise<readonly Unreported[]> {
  const contexts = contextsFor(report, fixture).filter(({ context }) => allows(context, report.subject));
  const [first] = contexts;
  if (first === undefined) return [];
  const names = new Set((report.subject.reading?.programs ?? []).map(({ name }) => name));
  const found: Unreported[] = [];
  let looks = 0;
  for (const effect of counted(effects, names, report.subject.command)) {
    if (effect.kind === 'run') {
      // Rules name what is started: what the report does not hold was started unseen.
      if (!names.has(path.basename(effect.path))) found.push({ effect, why: 'started', context: first.name });
      continue;
    }
    const { file, isNameless } = expectedOf(effect, fixture, effects);
    if (isNamed(report.subject, file)) continue;
    const more = withFile(report.subject, file);
    const hidden = isGoneWith(report.subject, file)
      ? undefined
      : contexts.find(({ context }) => !allows(context, more));
    if (hidden !== undefined) {
      const { reasonType } = decidePermission(hidden.context, callOf(more));
      found.push({ effect, why: reasonType === 'safetyCheck' ? 'guarded' : 'outside', context: hidden.name });
      continue;
    }
    if (isNameless || isNew(report.subject, file, fixture)) continue;
    const { name, context } = contexts.at(-1) ?? first;
    const deny = denying(file);
    if (deny === null) continue;
    const denied = { ...context, deny: [deny] };
    let isAllowed = allows(denied, report.subject);
    // What is stopped because something may lie below must be found there, and what a word may name is looked for by the rule.
    if (isAllowed || ((UNSEEN.test(effect.path) || looks < MAX_LOOKS / 2) && looks++ < MAX_LOOKS))
      isAllowed = allows(denied, (await reportOf(report.subject.command, fixture, denied)).subject);
    if (isAllowed) found.push({ effect, why: `rule, ${howTold(report.subject, file, fixture)}`, context: name });
  }
  return found;
}

/** What programs may pass over: hidden, and not tracked. */
const UNSEEN = /\/\.[^/]+$|\.log$/;

/** What the report says of a file that a rule about it does not keep. */
function howTold({ files = [] }: CommandSubject, { path: target }: TouchedFile, { kinds }: Fixture): string {
  const at = target ?? '';
  if (files.some((file) => file.path === at || file.realPath === at)) return 'told as another access';
  const folders = files.filter(({ reach, isAnyWithin }) => reach === 'tree' || isAnyWithin === true);
  if (folders.some(({ realPath }) => realPath !== null && isInside(realPath, at))) return 'in a folder that was told';
  return kinds.has(at) ? 'not told' : 'a new name';
}

interface NamedContext {
  readonly name: string;
  readonly context: PermissionContext;
}

function contextsFor({ subject, unknown }: Report, { workspace, home }: Fixture): readonly NamedContext[] {
  const names = [...new Set((subject.reading?.programs ?? []).map(({ words }) => words[0] ?? ''))];
  const rules = names.flatMap((name) => (/^[\w./+-]+$/.test(name) ? [ruleFor(`Bash(${name}:*)`)] : []));
  const plain: PermissionContext = {
    mode: 'default',
    deny: [],
    ask: [],
    allow: [],
    roots: [workspace],
    home,
    keepsRemoved: true,
  };
  return [
    { name: 'default', context: plain },
    { name: 'acceptEdits', context: { ...plain, mode: 'acceptEdits' } },
    { name: 'default with rules', context: { ...plain, allow: rules } },
    { name: 'acceptEdits with rules', context: { ...plain, mode: 'acceptEdits', allow: rules } },
    ...(unknown === null ? [{ name: 'bypass', context: { ...plain, mode: 'bypassPermissions' } as const }] : []),
  ];
}

const parsed = new Map<string, PermissionRule>();

function ruleFor(text: string): PermissionRule {
  const rule = parsed.get(text) ?? parseRule(text);
  parsed.set(text, rule);
  return rule;
}

function callOf(subject: CommandSubject): PermissionCall {
  return { toolName: 'Bash', readOnly: false, subject };
}

function allows(context: PermissionContext, subject: CommandSubject): boolean {
  return decidePermission(context, callOf(subject)).behavior === 'allow';
}

function withFile(subject: CommandSubject, file: TouchedFile): CommandSubject {
  return { ...subject, files: [...(subject.files ?? []), file] };
}

type Counted = Effect & { readonly isFirst?: boolean };

/** Without what scripts and programs without a description do. */
function* counted(effects: readonly Effect[], names: ReadonlySet<string | null>, line: string): Generator<Counted> {
  const begun = new Set<Image>();
  for (const effect of effects) {
    const script = ruling(effect.by, names);
    if (script === null) {
      yield effect;
      continue;
    }
    if (howKnown(script.program) === 'unlisted') {
      if (effect.by === script && isSpelled(effect, line)) yield effect;
      continue;
    }
    if (begun.has(script) || effect.kind !== 'read' || effect.by !== script) continue;
    begun.add(script);
    yield { ...effect, isFirst: true };
  }
}

/** An operation on the value of a variable: what comes of it is not known. */
const OPERATION = /\$\{\w+[%#/^,:]/;

/**
 * True if a word of the program ends in the name of what it works on, and stands in the line as it is. Of words that are not
 * known nothing is promised (docs/security.md), although such a one may become what another part of the line spells.
 */
function isSpelled({ path: target, by }: Effect, line: string): boolean {
  if (OPERATION.test(line)) return false;
  const name = path.basename(target);
  const words = new Set(line.split(/[\s"';|&()<>]+/));
  const named = [...by.words.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
    .slice(1)
    .map(([, word = '']) => word)
    .filter((word) => word.endsWith(name) && /^$|[/=@]$/.test(word.slice(0, -name.length)));
  // Of several words the one that tells most of the path is it.
  const told = named.filter((word) => target.endsWith(`/${word.replace(/^.*[=@]|^(?:\.\/)+/, '')}`));
  const [first] = told.sort((one, other) => other.length - one.length);
  return first === undefined ? named.some((word) => words.has(word)) : words.has(first);
}

/** The outermost program that does what stands elsewhere, or null. */
function ruling(image: Image, names: ReadonlySet<string | null>): Image | null {
  const outer = image.parent === null ? null : ruling(image.parent, names);
  if (outer !== null || image.parent === null) return outer;
  if (!names.has(image.program)) return null;
  if (howKnown(image.program) === 'told') return isTextInFile(image) ? image : null;
  // A line in its words is read as this one is.
  return /"-\w*c", "/.test(image.words) && /^(?:ba|da)?sh$/.test(image.program) ? null : image;
}

interface Expected {
  readonly file: TouchedFile;
  /** True if nobody could have named it, so that no rule about it could hold. */
  readonly isNameless: boolean;
}

/** True for a program of a language of its own that takes its text from a file. */
function isTextInFile({ program, words }: Image): boolean {
  return /^(?:[gmn]?awk|sed|jq)$/.test(program) && /"(?:-\w*f|-E|--file\b|--from-file\b|--exec\b)/.test(words);
}

/** What an honest report would name. */
function expectedOf(effect: Counted, fixture: Fixture, all: readonly Effect[]): Expected {
  const { kind, by, path: target } = effect;
  const isShell = by.parent === null;
  const isGone = kind === 'write' && fixture.kinds.has(target) && lastOf(target, all) === 'remove';
  // What is changed on its way out is removed.
  const access = kind === 'remove' || isGone ? removal(target, fixture, all) : kind === 'write' ? 'write' : 'read';
  const use = { access, by: isShell ? 'redirection' : 'operand', program: isShell ? null : by.program } as const;
  const within = (folder: string): Expected => ({
    file: {
      path: folder,
      realPath: folder,
      ...use,
      access: kind === 'read' || kind === 'list' ? 'read' : 'write',
      isAnyWithin: true,
      reach: 'itself',
    },
    isNameless: true,
  });
  const repository = ownFolder(effect);
  if (repository !== null) return within(repository);
  // Only while the line ran was there a file of that name.
  const isOver = lastOf(target, all) === 'remove' || by.isKilled;
  if (kind !== 'read' && kind !== 'list' && !fixture.kinds.has(target) && isOver) return within(path.dirname(target));
  return {
    file: { path: target, realPath: target, ...use, reach: 'itself' },
    isNameless:
      kind === 'list' ||
      effect.isFirst === true ||
      isCompared(effect) ||
      isIncluded(effect) ||
      isTemporary(target, fixture, all),
  };
}

/** True for a file that a source names, which the compiler was not given. */
function isIncluded({ kind, path: target, by }: Effect): boolean {
  return kind === 'read' && /^(?:cc1(?:plus)?|as)$/.test(by.program) && !by.words.includes(path.basename(target));
}

/** True if git reads a file only to see whether it has changed, or what to pass over: nothing of it is shown or kept. */
function isCompared({ kind, path: target, by }: Effect): boolean {
  if (kind !== 'read') return false;
  // It opens a file for its attributes, and reads nothing that stands in it.
  if (by.program === 'chattr') return true;
  // What searches pass over.
  if (/\/\.(?:git|rg|fd)?ignore$/.test(target) && /^(?:rg|ag|fd|fdfind|tree)$/.test(by.program)) return true;
  if (by.program !== 'git') return false;
  // What it passes over, and how it treats files: only this shows lines of it.
  if (/\/\.git(?:ignore|attributes)$/.test(target)) return !by.words.includes('"check-ignore"');
  return (
    /"(?:status|describe|reset|clean)"/.test(by.words) ||
    // How many lines are others tells nothing of what stands in them.
    (/"diff(?:-files|-index)?"/.test(by.words) &&
      /"--(?:(?:num|short|dir)?stat|compact-summary)/.test(by.words) &&
      !SHOWS.test(by.words)) ||
    (by.words.includes('"commit"') && !/"-\w*a|"--all/.test(by.words))
  );
}

/** Options with which `git diff` shows lines besides. */
const SHOWS = /"(?:-[pucm]|-U|--(?:patch|unified|cc|word-diff|color-words|binary|function-context|check|output))/;

/** What was replaced is there afterwards. */
function removal(target: string, { kinds }: Fixture, all: readonly Effect[]): 'remove' | 'write' {
  return kinds.has(target) && lastOf(target, all) === 'remove' ? 'remove' : 'write';
}

function lastOf(target: string, all: readonly Effect[]): Effect['kind'] | undefined {
  return all.findLast((effect) => effect.path === target && (effect.kind === 'write' || effect.kind === 'remove'))
    ?.kind;
}

function isTemporary(target: string, { kinds }: Fixture, all: readonly Effect[]): boolean {
  return !kinds.has(target) && lastOf(target, all) === 'remove';
}

/** The folder of the repository if git works in its own; else null. What decides what it runs is not its own. */
function ownFolder({ kind, path: target, by }: Effect): string | null {
  // Some of its subcommands are scripts.
  if (!/^git(?:-|$)/.test(by.program) && !/^git-/.test(by.parent?.program ?? '')) return null;
  // Whose name stands in it decides nothing.
  if (/\/\.gitconfig(?:\.lock)?$/.test(target) && /"config".*"user\.[\w-]+", "/.test(by.words))
    return path.dirname(target);
  const [, folder = '', file = ''] = /^(.*?)\/\.git(\/.*|$)/.exec(target) ?? [];
  if (folder === '' || (kind !== 'read' && file === '/config' && /"config".*"(?!user\.)[\w-]+\.\w/.test(by.words)))
    return null;
  return /^\/hooks\/(?!.*\.sample(?:\.lock)?$)/.test(file) ? null : folder;
}

/** True if the report names exactly this file and at least this access. */
function isNamed({ files = [] }: CommandSubject, { path: target, access }: TouchedFile): boolean {
  return files.some(
    (file) =>
      (file.realPath === target || file.path === target) &&
      (file.access === access || (access === 'write' && file.access === 'remove')) &&
      (file.isAnyWithin !== true || target !== file.realPath),
  );
}

/** True for what is removed with a folder of which the report says that it and all below it may be gone. */
function isGoneWith({ files = [] }: CommandSubject, { path: target, access }: TouchedFile): boolean {
  if (target === null || access !== 'remove') return false;
  return files.some(
    ({ realPath, access: said }) => said === 'remove' && realPath !== null && isInside(realPath, target),
  );
}

/** True for a file that was not there: in a folder that the report says is written, or read after the line made it. */
function isNew({ files = [] }: CommandSubject, { path: target, access }: TouchedFile, { kinds }: Fixture): boolean {
  if (target === null || kinds.has(target)) return false;
  if (access === 'read') return true;
  return files.some(({ realPath, access: said }) => said !== 'read' && realPath !== null && isInside(realPath, target));
}

/** Null for a path that no pattern can spell. */
function denying({ path: target, access }: TouchedFile): PermissionRule | null {
  if (target === null || !/^[\w./ -]+$/.test(target)) return null;
  return parseRule(`${access === 'read' ? 'Read' : 'Edit'}(/${target})`);
}
