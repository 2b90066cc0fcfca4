// `find`: where it looks, and what its actions run, write and remove.

import { filledWord, listedWord, literalWord, mayBeOption, type ShellWord } from '../syntax/shell-word.js';
import { isPlainCall, needSpelled, sayActing, sayLost, type Task } from '../task.js';
import { useFile, useUnknownFile } from './operands.js';
import type { Programs } from './program-table.js';

export const FIND_PROGRAMS: Programs = {
  'find gfind': { read: readFind },
};

/** Tests and actions without a value. */
const PLAIN = new Set(
  (
    '-a -and -o -or -not ! ( ) , -true -false -print -print0 -ls -prune -quit -empty -executable -readable -writable ' +
    '-nouser -nogroup -daystart -depth -d -follow -ignore_readdir_race -noignore_readdir_race -mount -xdev -noleaf ' +
    '-nowarn -warn -help --help -version --version -H -L -P -E -X -s -x'
  ).split(' '),
);
/** Those with a harmless value. */
const VALUED = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime ' +
    '-ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -used -context ' +
    '-regextype -printf -newermt -newerat -newerct -newermm -D -flags'
  ).split(' '),
);
const READING = new Set(['-newer', '-anewer', '-cnewer', '-samefile']);
const WRITING = new Set(['-fprint', '-fprint0', '-fls', '-fprintf']);
const RUNNING = new Set(['-exec', '-execdir', '-ok', '-okdir']);

const IN_FRONT = /^-(?:[HLPEXsxd]|D|O.*)$/;
const NEWER = /^-newer[aBcm][aBcmt]$/;
const TELLS_MORE = /^-(?:printf|ls|exec|ok)/;

function readFind(task: Task): void {
  const { words, draft } = task;
  let at = 1;
  while (IN_FRONT.test(words[at]?.value ?? '')) at += words[at]?.value === '-D' ? 2 : 1;
  const roots: ShellWord[] = [];
  for (; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (isExpression(word)) break;
    // An expansion may become part of the expression.
    if (word.value === null && mayBeOption(word)) sayLost(task, `${word.text} may be an action of find`);
    roots.push(word);
  }
  if (roots.length === 0) roots.push(literalWord('.'));
  const isFollowing = words.some(({ value }) => value === '-L' || value === '-follow');
  const reach = isFollowing ? 'through' : 'tree';
  for (const root of roots) useFile(task, root, 'read', { reach });
  const { acts, starts } = readExpression(task, at, roots, reach);
  const tells = words.some(({ value }, place) => place >= at && TELLS_MORE.test(value ?? '-ls'));
  const areEnded = words.some(({ value }) => value === '-print0') ? ({ areEnded: true } as const) : {};
  if (!acts && !starts && !tells) task.reader.listed = { roots, arePrefixed: true, areSplit: true, ...areEnded };
  const onlyReads = !acts && isPlainCall(task) && task.name === 'find';
  draft.readOnly = onlyReads && !starts;
  draft.onlyStarts = onlyReads && starts;
}

function isExpression({ value }: ShellWord): boolean {
  return value !== null && ((value.length > 1 && value.startsWith('-')) || SIGNS.has(value));
}

const SIGNS: ReadonlySet<string> = new Set(['(', ')', '!', ',']);

interface Actions {
  /** One does more than tell, by itself. */
  readonly acts: boolean;
  /** One starts a program that does more than read. */
  readonly starts: boolean;
}

function readExpression(task: Task, start: number, roots: readonly ShellWord[], reach: 'tree' | 'through'): Actions {
  const { words } = task;
  let acts = false;
  let starts = false;
  for (let at = start; at < words.length; at++) {
    const word = words[at] as ShellWord;
    const name = word.value;
    const next = words[at + 1];
    if (name === null) {
      sayLost(task, `${word.text} may be an action of find`);
    } else if (VALUED.has(name) || NEWER.test(name)) {
      at++;
      if (next?.value === null && next.isMany) sayLost(task, `${next.text} may become an action of find`);
    } else if (READING.has(name)) {
      at++;
      if (next !== undefined) useFile(task, next, 'read');
    } else if (name === '-files0-from') {
      at++;
      if (next !== undefined) useFile(task, next, 'read');
      useUnknownFile(task, 'read', 'where find looks stands in a file');
    } else if (WRITING.has(name)) {
      acts = true;
      at += name === '-fprintf' ? 2 : 1;
      if (next !== undefined) useFile(task, next, 'write');
    } else if (name === '-delete') {
      acts = true;
      needSpelled(task, at);
      // What is left behind may obey what was removed.
      const sweeps = words.slice(start).some(({ value }) => value !== '-delete' && value !== '-depth');
      for (const root of roots) useFile(task, root, 'remove', { reach, sweeps });
    } else if (RUNNING.has(name)) {
      const { length } = task.reader.runs;
      // A prefix rule never covers it, as documented; one that spells it out does.
      at = readAction(task, at, roots);
      task.draft.startsWords = true;
      if (!task.reader.runs.slice(length).every((run) => run.readOnly && run.unknown === null)) starts = true;
    } else if (!PLAIN.has(name)) {
      acts = true;
      sayActing(task, `${name} is no known part of an expression of find`, at);
    }
  }
  return { acts, starts };
}

/** A command up to `;` or `{} +`. Returns the place of its end. */
function readAction(task: Task, at: number, roots: readonly ShellWord[]): number {
  const { words } = task;
  let end = at + 1;
  while (
    end < words.length &&
    words[end]?.value !== ';' &&
    !(words[end]?.value === '+' && words[end - 1]?.value === '{}')
  )
    end++;
  if (end >= words.length) sayLost(task, 'the command of find has no end');
  const names = { roots, arePrefixed: true, areSplit: false };
  // In front of a plus it is any number of names: one may be a pattern, or the value of an option, and the others files.
  const isMany = words[end]?.value === '+';
  const command = words
    .slice(at + 1, end)
    .map((word) => (word.value === '{}' ? listedWord(filledWord(word, '{}'), names, isMany) : filledWord(word, '{}')));
  const { bases } = task;
  // In the folder of what was found.
  if (words[at]?.value?.endsWith('dir') === true) task.bases = [null];
  task.start(command, end, { input: null });
  task.bases = bases;
  needSpelled(task, end);
  return end;
}
