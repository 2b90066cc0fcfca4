// Variables of `for` loops whose words are known, so that `for f in *.ts; do cat "$f"; done` names files of the folder.
// One rule: a variable counts only within its loop, and only where nothing else could set it.
import type { For, Word, WordPart } from 'unbash';
import { type LoopWords, type Reader, type ShellState, sayUnknown } from '../reader.js';
import { chosenWord, readWord, type ShellWord } from './shell-word.js';

/** Loops over more words are not followed. */
const MAX_WORDS = 50;

/** The words of the loop beside those around it; null where they, or what becomes of the variable, cannot be told. */
export function enterLoop(reader: Reader, { loops, text }: ShellState, { name, wordlist = [] }: For): LoopWords | null {
  if (wordlist.length === 0 || wordlist.length > MAX_WORDS) return null;
  const words = wordlist.map((word) => readWord(word));
  if (!words.every(({ value, isGlob }) => value !== null || isGlob)) return null;
  // Others, such as `_` and `RANDOM`, are set by the shell itself.
  if (!/^[a-z][a-z0-9_]*$/.test(name.value)) return null;
  text.names ??= countNames(text.code);
  // Once: in its head.
  if (text.names.get(name.value) !== 1) return null;
  reader.loopVariables.add(name.value);
  return new Map([...(loops ?? []), [name.value, words]]);
}

/** A word of a command: that of a loop where it is nothing but the variable in quotes. */
export function readOperand({ loops }: ShellState, word: Word): ShellWord {
  const read = readWord(word);
  if (loops === null || read.value !== null) return read;
  const choices = loops.get(variableIn(word.parts) ?? '');
  return choices === undefined ? read : chosenWord(read, choices);
}

/** What was taken for the words of a loop may be anything after all, where something set the variable unseen by its name. */
export function checkLoops(reader: Reader): void {
  for (const name of reader.loopVariables)
    if (reader.setVariables.has(name)) sayUnknown(reader, `${name} is set by more than its loop`);
}

function variableIn(parts: readonly WordPart[] | undefined): string | null {
  const [quoted, another] = parts ?? [];
  if (quoted?.type !== 'DoubleQuoted' || another !== undefined) return null;
  const [part, more] = quoted.parts;
  if (part === undefined || more !== undefined) return null;
  if (part.type === 'SimpleExpansion') return part.text.slice(1);
  if (part.type !== 'ParameterExpansion') return null;
  const { parameter, prefix, index, operation } = part;
  return prefix === undefined && index === undefined && operation === undefined ? parameter : null;
}

function countNames(code: string): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const { 0: name, index } of code.matchAll(/[A-Za-z_]\w*/g))
    if (!isOnlyRead(code, index, index + name.length)) names.set(name, (names.get(name) ?? 0) + 1);
  return names;
}

/** `$f`, `${f}`, `${f%.ts}`, `${#f}`; or the letter of an option: `[ -f "$f" ]`. */
function isOnlyRead(code: string, start: number, end: number): boolean {
  const before = code.slice(Math.max(0, start - 3), start);
  if (before.endsWith('$')) return true;
  if (before.endsWith('-')) return /\s-$/.test(before);
  if (before.endsWith('${#')) return code[end] === '}';
  return before.endsWith('${') && /^(?:[}%#/^,]|:[^=])/.test(code.slice(end, end + 2));
}
