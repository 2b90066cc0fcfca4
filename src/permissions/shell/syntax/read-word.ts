// Reads the words of the grammar. Substitutions in them are the walker's.
import type { DoubleQuotedChild, Word, WordPart } from 'unbash';
import {
  hasTilde,
  type ListedNames,
  literalWord,
  looksLikeBraces,
  openWord,
  type ShellWord,
  StaticWord,
  withLaterTilde,
  wordWith,
} from './shell-word.js';

const BARE = /^[\w./:@%+,=-]+$/;

/** True for a word in which nothing is quoted or expanded: most are. */
export function isBare({ text }: Word): boolean {
  return BARE.test(text);
}

/** One text in quotes, in which nothing is expanded or escaped. */
const QUOTED = /^(?:'[^']*'|"[^"$`\\]*")$/;

/** The parts of a word of a command; undefined for one that is only text. The grammar finds them when asked, which takes long. */
export function partsOf(word: Word): readonly WordPart[] | undefined {
  return isBare(word) || QUOTED.test(word.text) ? undefined : word.parts;
}

/** Reads one word of the grammar. */
export function readWord(word: Word): ShellWord {
  const { text } = word;
  if (QUOTED.test(text)) return new StaticWord(text, text.slice(1, -1), false);
  const later = withLaterTilde(text);
  if (later !== null) return later;
  const tilde = hasTilde(text);
  const found = isBare(word) ? undefined : word.parts;
  if (found === undefined && !looksLikeBraces(text)) return new StaticWord(text, word.value, tilde);
  const reading: WordState = {
    value: '',
    head: null,
    isMany: false,
    splits: false,
    isGlob: false,
    isPipe: false,
    tilde,
  };
  const parts = found ?? [];
  if (found === undefined) openBraces(reading);
  for (const part of parts) readPart(part, reading);
  if (reading.head === null) return new StaticWord(text, reading.value, tilde);
  reading.isGlob &&= !reading.splits && !text.includes('**') && onlyGlobs(parts);
  reading.isPipe &&= parts.length === 1;
  const open = openWord(reading, text, reading.head);
  return open.isGlob || !isDeepGlob(parts, text) ? open : wordWith(open, { below: matchedBelow(open) });
}

/** Wildcards of the plain kind, in front of a slash too. A name with a dot in front may be `..`. */
function isDeepGlob(parts: readonly WordPart[], text: string): boolean {
  const isPlain = parts.every((part) => part.type === 'Literal' || (part.type === 'Glob' && part.kind !== 'bracket'));
  return isPlain && !/(?:^|\/)[^/]*[*?][^/]*\.\.|(?:^|\/)\.|["'\\$`~{[(]/.test(text.replace(/^(?:\.{1,2}\/)+/, ''));
}

/** What it matches lies below the folder in front of its first wildcard. */
function matchedBelow({ head }: ShellWord): ListedNames {
  const folder = head.slice(0, head.lastIndexOf('/') + 1);
  const root = folder === '' ? '.' : folder.replace(/(?<=.)\/+$/, '');
  return {
    roots: [literalWord(root)],
    arePrefixed: folder !== '',
    areSplit: false,
    areMatched: true,
    areForReading: true,
  };
}

interface WordState {
  value: string;
  /** The value up to the first part that is not static; null while there is none. */
  head: string | null;
  isMany: boolean;
  splits: boolean;
  isGlob: boolean;
  isPipe: boolean;
  readonly tilde: boolean;
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
      state.isPipe = true;
      return;
    default:
      open(state);
      state.isMany = true;
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
    state.isMany = true;
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
  state.isMany = true;
  state.isGlob = true;
}

/** True if nothing but globs and literal text is in the word, so that what it matches lies in a known folder. */
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
