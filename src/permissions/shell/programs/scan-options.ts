// Tells options from operands by a program's table. One rule: a word that may or may not be an option that acts makes
// the run unknown.
import { added, shortList } from '../../../util/lists.js';
import { mayBeOption, openWord, type ShellWord, tailWord } from '../syntax/shell-word.js';
import { type FoundOperand, isActing, isOfFiles, type OptionEffect, type ProgramTable } from './program-table.js';

export interface FoundOption {
  /** As written, an abbreviation in full. */
  readonly name: string;
  /** The main name of the same option. */
  readonly main: string;
  /** undefined: not in the table. */
  readonly effect: OptionEffect | undefined;
  readonly value: ShellWord | null;
  /** Place of the last word that belongs to it. */
  readonly at: number;
}

export type { FoundOperand };

export interface ScannedWords {
  readonly options: readonly FoundOption[];
  readonly operands: readonly FoundOperand[];
  /** A word that may be an option which acts, as written; null if there is none. */
  readonly lost: string | null;
  /** A word that may be an option which names a file, and its place. Null if there is none, or if its file is told anyway. */
  readonly mayReach: FoundOperand | null;
  /** What may be the values of options that are not in the table; of these, the next words are operands too. */
  readonly strays: readonly ShellWord[];
}

const TAKES_NEXT: ReadonlySet<OptionEffect> = new Set([
  'value',
  'read',
  'list',
  'write',
  'remove',
  'uses',
  'folder',
  'shell',
  'code',
  'module',
  'acts',
]);

const RUNS_VALUE: ReadonlySet<OptionEffect> = new Set(['shell', 'code', 'module', 'acts']);

/**
 * Reads the words after the program.
 * @param start place of the first of them: behind a subcommand it is another one
 * @param limit the operand of this number ends the options
 */
export function scanOptions(
  words: readonly ShellWord[],
  table: ProgramTable,
  start = 1,
  limit = limitOf(table),
): ScannedWords {
  const scan: Scan = {
    words,
    table,
    at: start,
    options: shortList(),
    operands: shortList(),
    lost: null,
    mayReach: null,
    strays: shortList(),
    openAt: -1,
    split: null,
  };
  let areOperands = false;
  for (; scan.at < words.length; scan.at++) {
    const word = words[scan.at] as ShellWord;
    if (!areOperands && word.value === '--') areOperands = true;
    else if (areOperands || !mayBeOption(word)) addOperand(scan, word, scan.at);
    else if (word.value !== null) readOption(scan, word.value, word);
    else readOpenOption(scan, word);
    if (scan.operands.length >= limit) {
      for (scan.at++; scan.at < words.length; scan.at++) addOperand(scan, words[scan.at] as ShellWord, scan.at);
    }
  }
  // Where they stand is not known; those that are read for what they mean come first.
  if (scan.split !== null) scan.operands = added(scan.operands, scan.split);
  return scan;
}

function addOperand(scan: Scan, word: ShellWord, at: number): void {
  scan.operands = added(scan.operands, { word, at });
}

/** Adds what may also be the value of an option, so that there may be no operand at all. */
function addMaybe(scan: Scan, word: ShellWord, at: number): void {
  scan.operands = added(scan.operands, { word, at, isMaybe: true });
}

function limitOf({ isStrict, before = 0 }: ProgramTable): number {
  return isStrict === true ? before + 1 : Number.POSITIVE_INFINITY;
}

interface Scan {
  readonly words: readonly ShellWord[];
  readonly table: ProgramTable;
  at: number;
  options: readonly FoundOption[];
  operands: readonly FoundOperand[];
  lost: string | null;
  mayReach: FoundOperand | null;
  strays: readonly ShellWord[];
  /** The place of a word that may be the value of the option before it; -1 if there is none. */
  openAt: number;
  /** An option that becomes several words: all but the first are operands, or options. */
  split: FoundOperand | null;
}

function readOption(scan: Scan, text: string, word: ShellWord): void {
  const equals = text.indexOf('=');
  if (text.startsWith('--') || scan.table.isSingleDash === true) {
    const name = longName(scan.table, equals === -1 ? text : text.slice(0, equals));
    const short = text.slice(0, 2);
    const joined = scan.table.options.has(name) ? null : joinedName(scan.table, text);
    // A value may follow a letter at once: `-B/folder`.
    if (joined !== null) add(scan, joined, tailWord(word, text.lastIndexOf(joined, 1) + joined.length));
    else if (
      scan.table.keepsApart !== true &&
      !scan.table.options.has(name) &&
      TAKES_NEXT.has(scan.table.options.get(short) ?? 'flag')
    ) {
      // What goes on behind a longer name may be that option too, whose value is the next word: `-cols+2` of xxd.
      if (beginsWithLonger(scan.table, text)) scan.lost ??= text;
      add(scan, short, tailWord(word, 2));
    } else {
      const { at } = scan;
      add(scan, name, equals === -1 ? null : tailWord(word, equals + 1));
      const attached = scan.table.options.has(name) ? -1 : attachedPath(text);
      if (attached !== -1) addStray(scan, tailWord(word, attached));
      // It may be another one that is not in the table and takes no value.
      if (!text.startsWith(name)) keepNext(scan, at);
    }
    return;
  }
  // Some have names of several letters behind one dash.
  if (text.length > 2 && scan.table.options.has(text)) {
    add(scan, text, null);
    return;
  }
  // Behind a letter that is not in the table nothing of the word is sure.
  let isTold = true;
  const isAlone = ONE_LETTER.test(text);
  for (let at = 1; at < text.length; at++) {
    const pair = scan.table.hasPairs === true ? `-${text.slice(at, at + 2)}` : '';
    const name = pair.length === 3 && scan.table.options.has(pair) ? pair : `-${text[at]}`;
    at += name.length - 2;
    const known = scan.table.options.get(name);
    // Among others it may be part of a longer name.
    const effect = known === 'tells' && !isAlone ? 'flag' : known;
    const rest = text.slice(at + 1);
    if (effect === undefined && (isTold || rest === '')) {
      isTold = false;
      addStray(scan, rest === '' ? null : tailWord(word, at + 1));
      // Some of the letters may be options too.
      const attached = attachedPath(text);
      if (attached > at + 1) addStray(scan, tailWord(word, attached));
    }
    if (effect === 'attached') {
      add(scan, name, rest === '' ? null : tailWord(word, at + 1));
      return;
    }
    if (effect !== undefined && TAKES_NEXT.has(effect)) {
      const { at: place } = scan;
      add(scan, name, rest === '' ? null : tailWord(word, at + 1));
      if (!isTold) keepNext(scan, place);
      return;
    }
    if (effect === 'number') while (/\d/.test(text[at + 1] ?? '')) at++;
    add(scan, name, null, effect);
  }
}

/** One letter, once or several times. */
const ONE_LETTER = /^-(\w)\1*$/;

/**
 * The longest option of several letters behind one dash that names a file and that the text goes on behind: `-MF` of
 * `-MFx.d`; null if there is none.
 */
function joinedName({ options, isSingleDash, keepsApart }: ProgramTable, text: string): string | null {
  if (isSingleDash !== true || keepsApart === true) return null;
  const plain = text.startsWith('--') ? text.slice(1) : text;
  let found: string | null = null;
  for (const [name, effect] of options)
    if (name.length > Math.max(2, found?.length ?? 0) && isOfFiles(effect) && plain.startsWith(name)) found = name;
  return found;
}

function beginsWithLonger({ options }: ProgramTable, text: string): boolean {
  for (const [name, effect] of options)
    if (name.length > 2 && TAKES_NEXT.has(effect) && text.startsWith(name)) return true;
  return false;
}

/** Takes back that the word behind `at` belongs to an option: it may be an operand, or an option. */
function keepNext(scan: Scan, at: number): void {
  const next = scan.words[at + 1];
  if (scan.at === at || next === undefined) return;
  if (mayBeOption(next)) {
    scan.at = at;
    // As the value of an option it would be none itself: `tar -c?f -Cfolder`.
    scan.lost ??= next.text;
  } else if (scan.table.hasAllOptions !== true) addMaybe(scan, next, at + 1);
}

/** Letters behind one dash, in front of a path that leads away. */
const ATTACHED = /^-\w{1,2}(?=[~/]|\.{1,2}\/)/;

/** Where a path begins that stands in the same word as letters; -1 if none does. */
function attachedPath(text: string): number {
  return ATTACHED.exec(text)?.[0].length ?? -1;
}

/** An option of which only the beginning is known, such as `--output="$X"`. */
function readOpenOption(scan: Scan, word: ShellWord): void {
  const { table } = scan;
  const equals = word.head.indexOf('=');
  if (word.head.startsWith('--') && equals !== -1) {
    noteSplit(scan, word);
    add(scan, longName(table, word.head.slice(0, equals)), tailWord(word, equals + 1));
    return;
  }
  const effect = table.options.get(word.head.slice(0, 2));
  if (!word.head.startsWith('--') && word.head.length >= 2 && effect !== undefined && TAKES_NEXT.has(effect)) {
    noteSplit(scan, word);
    add(scan, word.head.slice(0, 2), tailWord(word, 2));
    return;
  }
  const isUsed = isListed(word) && (table.operands === 'read' || table.operands === 'search');
  if (table.isStrict === true || (table.hasActing && !isUsed)) scan.lost ??= word.text;
  else if (table.reaches !== null && !isListed(word)) scan.mayReach ??= { word, at: scan.at };
  addOperand(scan, word, scan.at);
}

function noteSplit(scan: Scan, word: ShellWord): void {
  if (!word.splits) return;
  if (scan.table.hasActing) scan.lost ??= word.text;
  else if (scan.table.reaches !== null) scan.mayReach ??= { word, at: scan.at };
  scan.split ??= { word: openWord(word, word.text, ''), at: scan.at };
}

/**
 * True for names that stand in a folder, or in the index of git. If they are used as files they are looked up, and one that is
 * an option makes the files unknown.
 */
function isListed(word: ShellWord): boolean {
  // What stands in braces is looked up nowhere.
  return (word.choices ?? [word]).every(({ value, head, isGlob, below, text }) =>
    value === null
      ? (below !== null && !head.startsWith('-')) || (head === '' && isGlob && !text.includes('{'))
      : !value.startsWith('-'),
  );
}

function add(scan: Scan, name: string, value: ShellWord | null, effect = scan.table.options.get(name)): void {
  const main = scan.table.mainNames.get(name) ?? name;
  let found = value;
  if (found === null && effect !== undefined && TAKES_NEXT.has(effect)) {
    found = scan.words[scan.at + 1] ?? null;
    // If the word itself is the value of an option that is not in the table, the next one is an operand.
    if (found !== null && scan.at === scan.openAt && scan.table.hasAllOptions !== true && !mayBeOption(found))
      addMaybe(scan, found, scan.at + 1);
    // Some read their words twice, and take the first operand for what is missing: `wget url -a`.
    if (found === null && !scan.table.isShared && isActing(effect)) scan.lost ??= name;
    // What looks like an option is one to another of the programs that share the description.
    const isOption = scan.table.isShared && found?.value != null && mayBeOption(found) && !RUNS_VALUE.has(effect);
    if (found !== null && !isOption) scan.at++;
    // To one of them it is no option, so what it would keep from being done is done: `gzip -S -t f`.
    if (found !== null && isOption) scan.lost ??= found.text;
    // In another of the programs that share the description it may be an operand.
    const isText = effect === 'value' || effect === 'module' || effect === 'code';
    if (found !== null && isText && scan.table.isShared && !isForPeople(main, found))
      scan.strays = added(scan.strays, found);
    // One that becomes several words makes the others options or operands.
    if (found?.value === null && found.isMany) {
      if (scan.table.hasActing || scan.table.isStrict) scan.lost ??= found.text;
      else if (scan.table.reaches !== null && !isListed(found)) scan.mayReach ??= { word: found, at: scan.at };
      addMaybe(scan, found, scan.at);
    }
  }
  const { head = '' } = scan.words[scan.at] ?? {};
  if (effect === undefined && value === null && head.startsWith('--')) scan.openAt = scan.at + 1;
  if (effect === undefined && (name.length !== 2 || scan.table.isSingleDash === true)) addStray(scan, value);
  scan.options = added(scan.options, { name, main, effect, value: found, at: scan.at });
}

/** Options behind which a text for people stands, alone or with it in one word. */
export const FOR_PEOPLE =
  /^--?(?:title|body|message|msg|desc|description|notes?|comment|subject|summary|text|prompt|reason|query|template|header|format)(?:=|$)/i;

/** True if several words behind the option are a text for people, whatever files they speak of. */
export function isForPeople(option: string, { head }: ShellWord): boolean {
  return FOR_PEOPLE.test(option) && /\s/.test(head);
}

/** @param value what stands in the same word; null: nothing, so that the next word may be the value */
function addStray(scan: Scan, value: ShellWord | null): void {
  const found = value ?? scan.words[scan.at + 1];
  if (found !== undefined && (value !== null || !mayBeOption(found))) scan.strays = added(scan.strays, found);
}

/** The full name of a long option: what could abbreviate one that acts is taken for it. */
function longName({ options, longNames, isSingleDash }: ProgramTable, name: string): string {
  if (options.has(name)) return name;
  // Those take two dashes for one, and only a name with two may be cut short.
  const single = isSingleDash === true ? name.replace(/^--/, '-') : null;
  if (single !== null && (single === name || single.length < 4 || options.has(single))) return single;
  const candidates =
    single === null
      ? longNames.filter((long) => long.startsWith(name))
      : [...options.keys()].filter((long) => long.startsWith(name) || long.startsWith(single));
  return candidates.find((long) => isActing(options.get(long))) ?? candidates[0] ?? single ?? name;
}

/** True if one of the options is there, by its main name. */
export function has({ options }: Pick<ScannedWords, 'options'>, ...names: string[]): boolean {
  return options.some(({ main }) => names.includes(main));
}
