// `sed`: its script can run commands and write files, so the script is read sign by sign. What is not understood is
// unknown.

import path from 'node:path';
import { literalWord, type ShellWord, tildeWord } from '../syntax/shell-word.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readOptions } from './read-by-table.js';
import { scanOptions } from './scan-options.js';

export const SED_PROGRAMS: Programs = {
  'sed gsed': {
    options: {
      value: '-l,--line-length -e,--expression',
      read: '-f,--file',
      attached: '-i,-I,--in-place',
      flag: '-n,--quiet,--silent -r,-E,--regexp-extended -s,--separate -u,--unbuffered -z,--null-data -b,--binary --posix --debug --sandbox --follow-symlinks --help --version -a',
    },
    read: readSed,
  },
};

function readSed(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const { options, operands, lost } = scanned;
  // The table says nothing that acts, but -i does.
  if (lost === null && task.words.some(mayChange)) sayLost(task, 'an expansion may be an option of sed');
  const scripts = options.filter(({ main }) => main === '--expression').map(({ value }) => value);
  const hasFile = options.some(({ effect }) => effect === 'read');
  const files = scripts.length === 0 && !hasFile ? operands.slice(1) : operands;
  if (scripts.length === 0 && !hasFile) scripts.push(operands[0]?.word ?? null);
  const inPlace = options.findLast(({ main }) => main === '--in-place');
  const changes = inPlace !== undefined;
  for (const { word } of files) {
    useFile(task, word, changes ? 'write' : 'read');
    // Whose name is not told may be one that must not be read.
    if (changes && word.value === null) useFile(task, word, 'read');
  }
  // A backup stands beside the file itself then, wherever a link leads.
  const isFollowing = options.some(({ main }) => main === '--follow-symlinks');
  if (inPlace?.value != null && isFollowing)
    useUnknownFile(task, 'write', 'where sed makes a backup of what a link leads to is not known');
  else if (inPlace?.value != null) for (const { word } of files) useBackup(task, word, inPlace.value.value);
  if (hasFile) sayActing(task, 'the script of sed is not read');
  let isHarmless = !changes;
  for (const script of scripts) {
    if (script === null) continue;
    if (script.value === null) {
      sayLost(task, 'the script of sed is not static');
      continue;
    }
    const acts = readScript(script.value);
    if (acts === null || acts.runs) sayActing(task, 'the script of sed may run commands');
    for (const file of acts?.writes ?? []) useFile(task, literalWord(file), 'write');
    for (const file of acts?.reads ?? []) useFile(task, literalWord(file), 'read');
    if (acts === null || acts.runs || acts.writes.length > 0) isHarmless = false;
  }
  const isKnown = options.every(({ effect }) => effect !== undefined);
  const { draft, words } = task;
  draft.readOnly =
    isHarmless && isKnown && draft.unknown === null && draft.assigned.length === 0 && words[0]?.value === 'sed';
}

/** True for what is not static and may be an option. Whoever looks at the disk finds names with a dash that are listed or matched. */
function mayChange(word: ShellWord): boolean {
  const { value, head, splits, below, isGlob, text } = word;
  if (value !== null) return false;
  if (head === '') return below === null && !(isGlob && !text.includes('{'));
  return head.startsWith('-') || splits;
}

/** What was there before gets a name that the ending makes: behind it, or with `*` for it, also in another folder. */
function useBackup(task: Task, word: ShellWord, ending: string | null): void {
  const { value, tilde } = word;
  if (value === null || ending === null) {
    useUnknownFile(task, 'write', 'the name of a backup that sed makes is not known');
    return;
  }
  const base = path.basename(value);
  const name = ending.includes('*') ? ending.replaceAll('*', base) : base + ending;
  for (const made of [name, `${path.dirname(value)}/${name}`])
    useFile(task, tildeWord(made, tilde && made !== name), 'write');
}

interface SedActs {
  runs: boolean;
  readonly writes: string[];
  readonly reads: string[];
}

const BETWEEN = /[\s;}]/;
const ADDRESS_SIGNS = /[\s,!~+0-9$]/;
const ADDRESS_FLAGS = /[IM]/;
const NUMBERS = /[ \t0-9]/;
const FLAGS = /[gpIiMm0-9]/;
const LABEL = /^\s*[\w.-]*\s*$/;
const LABEL_BEFORE_STOP = /^\s*[\w.-]*\s*[;}]/;
const ENDS_COMMAND = /[\s;}#]/;

/** What a script does; null if it is not understood. */
function readScript(script: string): SedActs | null {
  const acts: SedActs = { runs: false, writes: [], reads: [] };
  let at = 0;
  while (at < script.length) {
    at = skip(script, at, BETWEEN);
    if (at >= script.length) break;
    const address = skipAddresses(script, at);
    if (address === -1) return null;
    at = readCommand(script, address, acts);
    if (at === -1) return null;
  }
  return acts;
}

function skip(text: string, at: number, signs: RegExp): number {
  let end = at;
  while (end < text.length && signs.test(text[end] as string)) end++;
  return end;
}

/** Behind addresses such as `1,/x/I` and `!`; -1 if one has no end. */
function skipAddresses(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = skip(text, at, ADDRESS_SIGNS);
    const sign = text[at];
    if (sign === '/') at = skipPart(text, at + 1, '/');
    else if (sign === '\\' && at + 1 < text.length) at = skipPart(text, at + 2, text[at + 1] as string);
    else return at;
    if (at === -1) return -1;
    at = skip(text, at, ADDRESS_FLAGS);
  }
}

/** Behind the next `end` that is not escaped and not in brackets; -1 if there is none. */
function skipPart(text: string, start: number, end: string): number {
  if (end === '\n' || end === '\\') return -1;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '\\') at++;
    else if (sign === '\n') return -1;
    else if (sign === end) return at + 1;
    else if (sign === '[') {
      at = skipBracket(text, at, end);
      if (at === -1) return -1;
    }
  }
  return -1;
}

/** Place of the end of a bracket, in which `end` ends nothing; -1 if programs may see it in different ways. */
function skipBracket(text: string, start: number, end: string): number {
  const first = text[start + 1] === '^' ? start + 2 : start + 1;
  const close = text.indexOf(']', first + 1);
  const inner = text.slice(start, close);
  if (close === -1 || text[close - 1] === '\\' || inner.includes('\n')) return -1;
  return inner.includes(end) && /[\\[]/.test(inner.slice(1)) ? -1 : close;
}

/** Reads one command. Returns the place behind it, -1 if it is not understood. */
function readCommand(text: string, at: number, acts: SedActs): number {
  const sign = text[at];
  if (sign === undefined) return at;
  if (sign === 's') return readSubstitution(text, at + 1, acts);
  if (sign === 'y') {
    const middle = skipPart(text, at + 2, text[at + 1] ?? '\n');
    return middle === -1 ? -1 : skipPart(text, middle, text[at + 1] ?? '\n');
  }
  if ('={}dDgGhHnNpPxFz'.includes(sign)) return at + 1;
  if ('qQlL'.includes(sign)) return skip(text, at + 1, NUMBERS);
  const line = text.indexOf('\n', at);
  const end = line === -1 ? text.length : line;
  if (sign === '#') return end;
  if (':btTv'.includes(sign)) {
    // A label may end at a semicolon or not; what follows one is only harmless if it cannot act.
    const label = text.slice(at + 1, end);
    if (LABEL.test(label)) return end;
    const stop = LABEL_BEFORE_STOP.exec(label);
    return stop === null ? -1 : at + 1 + stop[0].length;
  }
  if ('aic'.includes(sign)) return skipText(text, at + 1);
  if (sign === 'e') {
    acts.runs = true;
    return end;
  }
  if ('rRwW'.includes(sign)) {
    const file = text.slice(at + 1, end).trim();
    if (file !== '' && file !== '/dev/stdout' && file !== '/dev/stderr')
      (sign === 'r' || sign === 'R' ? acts.reads : acts.writes).push(file);
    return end;
  }
  return -1;
}

/** The text of a, i and c goes on over lines that end in a backslash. */
function skipText(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function readSubstitution(text: string, at: number, acts: SedActs): number {
  const end = text[at];
  if (end === undefined) return -1;
  const middle = skipPart(text, at + 1, end);
  const behind = middle === -1 ? -1 : skipReplacement(text, middle, end);
  if (behind === -1) return -1;
  const next = skip(text, behind, FLAGS);
  const sign = text[next];
  if (sign === 'e') {
    acts.runs = true;
    return text.length;
  }
  if (sign === 'w') return readCommand(text, next, acts);
  return sign === undefined || ENDS_COMMAND.test(sign) ? next : -1;
}

function skipReplacement(text: string, start: number, end: string): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === end) return at + 1;
  }
  return -1;
}
