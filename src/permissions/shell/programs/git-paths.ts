// What the words of git mean in a work tree: paths that git matches by itself, revisions with a path behind them. One
// rule: what cannot be told of such a word is all of the work tree, because git goes nowhere else by it.
import path from 'node:path';
import type { FileUse, Untracked } from '../command-reading.js';
import { type Bases, joinBases } from '../reader.js';
import { literalWord, replacedWord, type ShellWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { addMade } from './file-uses.js';
import { useFile, useUnknownFile } from './operands.js';
import type { FoundOperand, FoundOption } from './scan-options.js';

/** One subcommand with its words. */
export interface GitRun {
  readonly task: Task;
  /** The subcommand, by its main name. */
  readonly name: string;
  readonly options: readonly FoundOption[];
  readonly operands: readonly FoundOperand[];
  /** Place of the `--` that all behind are paths of; beyond all words if there is none. */
  readonly dashes: number;
  /** Folders that the work tree may begin at, as far as the line tells. */
  readonly tops: Bases;
  /** Uses of files that were known before. */
  readonly from: number;
}

type Access = FileUse['access'];
type Reach = FileUse['reach'];

export function optionValue({ options }: GitRun, name: string): ShellWord | null {
  return options.findLast(({ main }) => main === name)?.value ?? null;
}

/** The folder that the work tree begins at: below the folder of the session it may be that one. */
export function topsOf({ bases, reader: { folder } }: Task): Bases {
  const isBelow = (base: string | null) => base?.startsWith(`${folder}/`) === true && !base.split('/').includes('..');
  const tops = bases.map((base) => (base === folder || isBelow(base) ? folder : base));
  return [...new Set(tops)];
}

/** Notes that it works on the work tree as a whole. */
export function useTop(run: GitRun, access: Access, reach: Reach = 'tree'): void {
  within(run, run.tops, () => useFile(run.task, literalWord('.'), access, { reach }));
}

/** Says of all that was noted since `from` that files which git does not track are meant too. */
export function alsoUntracked({ task: { reader } }: GitRun, from: number, untracked: Untracked): void {
  for (let at = from; at < reader.files.length; at++) {
    const use = reader.files[at];
    if (use !== undefined) reader.files[at] = { ...use, untracked };
  }
}

/** Notes what an option names that git looks for from the top of the work tree, besides from the folder that it is in. */
export function useFromTop(run: GitRun, option: string, reach: Reach = 'itself'): void {
  const named = optionValue(run, option);
  const tops = run.tops.filter((top) => !run.task.bases.includes(top));
  if (named !== null && tops.length > 0) within(run, tops, () => useFile(run.task, named, 'write', { reach }));
}

/** Notes that it works on the folder that it is in, and below. */
export function useFolder({ task }: GitRun, access: Access, reach: Reach = 'tree'): void {
  useFile(task, literalWord('.'), access, { reach });
}

/** Does something as if it worked in other folders. */
export function within({ task }: Pick<GitRun, 'task'>, bases: Bases, use: () => void): void {
  const kept = task.bases;
  task.bases = bases;
  use();
  task.bases = kept;
}

const PUTS_BACK: ReadonlySet<string> = new Set(['checkout', 'restore', 'stash', 'add']);

/** True if no option and no variable says where the work tree is: what they name may be a link. */
function isItsOwnTop({ task }: GitRun): boolean {
  return task.draft.assigned.length === 0 && task.words[1]?.head.startsWith('-') === false;
}

/** Notes what a path of git means: a name, a pattern of its own, one from the top of the work tree. */
function useSpec(run: GitRun, word: ShellWord, access: Access, reach: Reach = 'tree'): void {
  const { task } = run;
  const { value, head, tilde, below } = word;
  // Names that another program lists: below its folders, wherever those lie.
  if (below !== null) for (const root of below.roots) useSpec(run, root, access, reach);
  if (below !== null && head !== '') return;
  if (tilde && head.startsWith('~')) {
    useFile(task, word, access, { reach });
    return;
  }
  if (head.startsWith(':')) {
    if (/^:\/[^*?[\\]*$/.test(value ?? '*'))
      within(run, run.tops, () => useFile(task, replacedWord(word, `./${value?.slice(2)}`), access, { reach }));
    else useTop(run, access, reach);
    return;
  }
  const plain = value ?? head;
  const magic = plain.search(/[*?[\\]/);
  // Git puts nothing into its work tree through a link, and compares nothing behind one with what it puts there.
  const isPutBack = (access === 'write' || PUTS_BACK.has(run.name)) && isItsOwnTop(run);
  const how = isPutBack ? ({ reach, throughNoLink: true } as const) : { reach };
  if (value !== null && magic === -1) useFile(task, word, access, how);
  // A name that is open may be a path from the top too.
  else if (value === null && (magic === -1 ? head : head.slice(0, magic)) === '') useTop(run, access, reach);
  else useFile(task, replacedWord(word, folderOf(plain, magic)), access, { reach });
}

/** The folder in front of a pattern. */
function folderOf(text: string, magic: number): string {
  const slash = text.lastIndexOf('/', magic === -1 ? text.length : magic);
  return slash === -1 ? '.' : slash === 0 ? '/' : text.slice(0, slash);
}

/** True for a path that only says what is left out. */
function leavesOut({ word: { head } }: FoundOperand): boolean {
  return /^:(?:[!^]|\([^)]*exclude)/.test(head);
}

/** Notes paths. Returns false if there is none that says what is meant. */
export function useSpecs(run: GitRun, operands: readonly FoundOperand[], access: Access, reach?: Reach): boolean {
  const named = operands.filter((operand) => !leavesOut(operand));
  for (const { word } of named) useSpec(run, word, access, reach);
  return named.length > 0;
}

/** Notes what a revision with a path behind it names, or a word that may be a path. Returns false for a plain revision. */
export function useRevision(run: GitRun, word: ShellWord, reach: Reach): boolean {
  const access = 'read';
  const spoken = pathOfRevision(word.value ?? word.head);
  if (spoken === null) {
    useSpec(run, word, access, reach);
    return false;
  }
  const target = replacedWord(literalWord(''), spoken === '' ? '.' : spoken);
  const isOpen = word.value === null || /[*?[\\]/.test(spoken);
  if (isOpen) useTop(run, access, reach);
  else if (/^\.{1,2}(?:\/|$)/.test(spoken)) useFile(run.task, target, access, { reach });
  else within(run, [...new Set([...run.tops, ...run.task.bases])], () => useFile(run.task, target, access, { reach }));
  return true;
}

/** The path of `main:src/a.ts`, `:src/a.ts` and `:2:src/a.ts`, from the top of the work tree; null for other words. */
export function pathOfRevision(text: string): string | null {
  if (/^:[/(!^]/.test(text)) return null;
  if (text.startsWith(':')) return text.replace(/^:(?:[0-3]:)?/, '');
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '{') depth++;
    else if (sign === '}') depth--;
    else if (sign === ':' && depth <= 0) return text.slice(at + 1);
  }
  return null;
}

/** Revisions and paths: files that they name are read. Returns true if a path says what is meant. */
export function useRevisions(run: GitRun, reach: Reach, operands: readonly FoundOperand[] = run.operands): boolean {
  let isNamed = false;
  // A word that is no path for sure may be a revision.
  for (const { word } of operands.filter(({ at }) => at < run.dashes))
    if (useRevision(run, word, reach)) isNamed = true;
  return (
    useSpecs(
      run,
      operands.filter(({ at }) => at > run.dashes),
      'read',
      reach,
    ) || isNamed
  );
}

/** Later parts of the line may find links below the work tree. */
export function noteMadeTop({ task, tops, from }: GitRun): void {
  addMade(task, literalWord('.'), tops, { kind: 'contents', from });
}

/** The same of the paths that were brought back. */
export function noteMadePaths(run: GitRun, operands: readonly FoundOperand[]): void {
  for (const { word } of operands) {
    const { value } = word;
    if (value !== null && !/^:|[*?[\\]/.test(value))
      addMade(run.task, word, run.task.bases, { kind: isFolderName(value) ? 'contents' : 'file', from: run.from });
    else noteMadeTop(run);
  }
}

function isFolderName(value: string): boolean {
  return path.posix.normalize(value) === '.' || /(?:^|\/)\.\.?\/?$/.test(value);
}

/** A folder that it makes and fills. */
export function useMadeFolder({ task, from }: GitRun, word: ShellWord): void {
  useFile(task, word, 'write', { reach: 'tree' });
  addMade(task, word, task.bases, { kind: 'contents', from });
}

/** A repository of this machine that is read, or written by a push; names of remotes and other addresses are none. */
export function useSource(run: GitRun, word: ShellWord, access: Access): void {
  const { task } = run;
  const { value, head } = word;
  // Some go to the top of the work tree before they look for it.
  const use = (source: ShellWord): void =>
    within(run, joinBases(run.tops, task.bases), () => useFile(task, source, access, { reach: 'tree' }));
  if (/^file:/i.test(head)) {
    const target = value === null || value.includes('%') ? null : value.replace(/^file:\/\/[^/]*/i, '');
    if (target === null) useUnknownFile(task, access, 'the address of a repository is not static');
    else use(replacedWord(literalWord(''), target));
  } else if (!/^[^/]*:/.test(head)) use(word);
}
