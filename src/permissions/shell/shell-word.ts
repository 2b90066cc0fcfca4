// Words of a command as the program would get them. One rule: a word is static only where no expansion of any kind
// could change it.
import type { DoubleQuotedChild, Word, WordPart } from 'unbash';
import { escapeSpaces, escapeWord } from '../command-text.js';

export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** After quote removal; null where it is not static. */
  readonly value: string | null;
  /** Its known beginning; all of it where it is static. */
  readonly head: string;
  /** Its beginning stands for one word of many: a glob, braces, or an expansion without quotes. */
  readonly isMany: boolean;
  /** Words that it becomes may begin otherwise than `head`. */
  readonly splits: boolean;
  /** Only globs are unknown in it, in its last part: what it matches lies in the folder that `head` names. */
  readonly isGlob: boolean;
  /** A tilde without quotes stands at its start. */
  readonly tilde: boolean;
  /** Process substitution: a pipe, no file. */
  readonly isPipe: boolean;
}

const STATIC = { isMany: false, splits: false, isGlob: false, tilde: false, isPipe: false };

/** A static word that does not stand in the command as such. */
export function literalWord(value: string): ShellWord {
  return { ...STATIC, text: escapeWord(value), value, head: value };
}

/** Words that another program fills in: `xargs` appends any number of them. */
export const MORE_WORDS: ShellWord = { ...STATIC, text: '…', value: null, head: '', isMany: true, splits: true };

/** The same word with something unknown put in by another program, such as the `{}` of find. */
export function filledWord(word: ShellWord, mark: string): ShellWord {
  const at = word.head.indexOf(mark);
  if (at === -1 && (word.value !== null || !word.text.includes(mark))) return word;
  return { ...word, value: null, head: at === -1 ? word.head : word.head.slice(0, at) };
}

/** The end of a word from `start` on, for values that stand in one word with their option. */
export function tailWord(word: ShellWord, start: number): ShellWord {
  const value = word.value === null ? null : word.value.slice(start);
  return { ...word, value, head: word.head.slice(start), text: value ?? word.text, tilde: false };
}

/** True where the program could take the word for an option. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.value !== null) return word.value.length > 1 && word.value.startsWith('-');
  return word.head === '' ? !word.isPipe : word.head.startsWith('-') || word.splits;
}

/** The words in the form that rules are held against. */
export function ruleText(words: readonly ShellWord[]): string {
  return words.map((word) => (word.value === null ? escapeSpaces(word.text) : escapeWord(word.value))).join(' ');
}

/** Reads one word of the grammar. Substitutions in it are the walker's. */
export function readWord(word: Word): ShellWord {
  const text = word.text;
  const tilde = text.startsWith('~') || /^[A-Za-z_]\w*=~/.test(text);
  const reading = { value: '', head: null as string | null, many: false, splits: false, globs: false, pipe: false };
  if (word.parts === undefined && !looksLikeBraces(text))
    return { ...STATIC, text, value: word.value, head: word.value, tilde };
  const parts = word.parts ?? [];
  if (word.parts === undefined) openBraces(reading);
  for (const part of parts) readPart(part, reading);
  const isStatic = reading.head === null;
  return {
    text,
    value: isStatic ? reading.value : null,
    head: reading.head ?? reading.value,
    isMany: reading.many,
    splits: reading.splits,
    isGlob: reading.globs && !isStatic && !reading.splits && !text.includes('**') && onlyGlobs(parts),
    tilde,
    isPipe: reading.pipe && parts.length === 1,
  };
}

interface WordState {
  value: string;
  /** The value up to the first part that is not static; null while there is none. */
  head: string | null;
  many: boolean;
  splits: boolean;
  globs: boolean;
  pipe: boolean;
}

function readPart(part: WordPart, state: WordState): void {
  switch (part.type) {
    case 'Literal':
      if (looksLikeBraces(part.text)) openBraces(state);
      state.value += part.value;
      return;
    case 'SingleQuoted':
      state.value += part.value;
      return;
    case 'AnsiCQuoted':
      // What stands beyond ASCII depends on the locale.
      if (isAscii(part.value)) state.value += part.value;
      else open(state);
      return;
    case 'DoubleQuoted':
      for (const child of part.parts) readQuoted(child, state);
      return;
    case 'LocaleString':
      open(state);
      return;
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      openBraces(state);
      return;
    case 'ProcessSubstitution':
      open(state);
      state.pipe = true;
      return;
    default:
      open(state);
      state.many = true;
      state.splits = true;
  }
}

function readQuoted(part: DoubleQuotedChild, state: WordState): void {
  if (part.type === 'Literal') {
    state.value += part.value;
    return;
  }
  open(state);
  if ((part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion') && part.text.includes('@')) {
    state.many = true;
    state.splits = true;
  }
}

function open(state: WordState): void {
  state.head ??= state.value;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** Braces that expand begin one word of many. */
function openBraces(state: WordState): void {
  open(state);
  state.many = true;
  state.globs = true;
}

/** The grammar tells braces apart; what it takes for text although a list stands in braces is not trusted to be one. */
function looksLikeBraces(text: string): boolean {
  const start = text.indexOf('{');
  if (start === -1) return false;
  const inner = text.slice(start);
  return inner.includes('}') && (inner.includes(',') || inner.includes('..'));
}

/** True where nothing but globs and literal text is in the word, so that what it matches lies in a known folder. */
function onlyGlobs(parts: readonly WordPart[]): boolean {
  let isBehind = false;
  return (
    parts.length > 0 &&
    parts.every((part) => {
      // Behind a glob a slash would lead into folders that are not known.
      if (part.type === 'Literal' || part.type === 'SingleQuoted') return !isBehind || !part.value.includes('/');
      if (part.type === 'DoubleQuoted')
        return part.parts.every((child) => child.type === 'Literal' && (!isBehind || !child.value.includes('/')));
      isBehind = true;
      if (part.type === 'Glob') return part.kind !== 'bracket' || part.parts.every(({ type }) => type === 'Literal');
      if (part.type === 'BraceExpansion') return !/[/$`~]|\.\./.test(part.text);
      return false;
    })
  );
}
