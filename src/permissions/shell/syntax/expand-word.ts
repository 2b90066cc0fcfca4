// What variables hold, as far as a line says so: those of loops over known words, those set once to a known text, `HOME`
// and `PWD`. So `for f in *.ts; do cat "$f"; done` names files of the folder, and `rm -rf $HOME` the home. One rule: a
// value counts only if nothing else could set the variable.
import type { BraceExpansionPart, CommandExpansionPart, DoubleQuotedChild, For, Word, WordPart } from 'unbash';
import { escapeWord, UNSPELLED } from '../../command-text.js';
import { type KnownValues, type Reader, type ShellState, type ShellText, sayUnknown } from '../reader.js';
import { partsOf, readWord } from './read-word.js';
import {
  chosenWord,
  globWord,
  knownWord,
  type ListedNames,
  listedWord,
  literalWord,
  openWord,
  type ShellWord,
  tildeWord,
  wordWith,
} from './shell-word.js';

/** More words than these are not followed. */
const MAX_WORDS = 50;

/**
 * What is known in the loop, beside what is known around it; null if its words, or what becomes of the variable, cannot be told.
 * @param expanded its words, but for what lists in braces become
 */
export function enterLoop(
  reader: Reader,
  state: ShellState,
  { name, wordlist = [] }: For,
  expanded: readonly ShellWord[],
): KnownValues | null {
  if (wordlist.length === 0 || wordlist.length > MAX_WORDS) return null;
  const hasLists = wordlist.some(({ text }) => text.includes('{'));
  const words = hasLists ? wordlist.flatMap((word) => expandOperands(reader, state, word)) : expanded;
  const choices = words.flatMap((word) => word.choices ?? [word]);
  if (
    choices.length > MAX_WORDS ||
    !choices.every(({ value, isGlob, below }) => value !== null || isGlob || below !== null)
  )
    return null;
  return isSetOnce(reader, state, name.value) ? new Map([...(state.values ?? []), [name.value, choices]]) : null;
}

/** What is known in a loop that reads names into a variable; null if something else sets that too. */
export function enterLines(reader: Reader, state: ShellState, name: string, names: ListedNames): KnownValues | null {
  if (!isSetOnce(reader, state, name) || !hasUsualSplits(reader, state.text)) return null;
  reader.readsLines = true;
  const kind = { isMany: false, splits: false, isGlob: false, tilde: false, isPipe: false };
  return new Map([...(state.values ?? []), [name, [listedWord(openWord(kind, `$${name}`, ''), names)]]]);
}

/** Notes what an assignment sets its variable to, if it is certain to be made and nothing else sets it. */
export function learnValue(reader: Reader, state: ShellState, name: string, word: Word): void {
  if (!state.isCertain || INNER_TILDE.test(word.text)) return;
  const expanded = expandWord(reader, state, word);
  const values = expanded.choices ?? [expanded];
  if (!values.every(({ value, tilde, below }) => (value !== null && !tilde) || below?.areHashes === true)) return;
  if (isSetOnce(reader, state, name)) state.values = new Map([...(state.values ?? []), [name, values]]);
}

/** A tilde within a value: the shell replaces it behind a colon, and not behind a sign of equality. */
export const INNER_TILDE = /[:=]~/;

/** Variables that the shell sets itself. */
const OWN_VARIABLES =
  /^(?:_|BASH.*|COMP_.*|COPROC|DIRSTACK|E?UID|EPOCH.*|FUNCNAME|GROUPS|HISTCMD|HOME|HOSTNAME|IFS|LINENO|MAPFILE|OLDPWD|OPT.*|PIPESTATUS|PPID|PWD|RANDOM|REPLY|SECONDS|SHLVL|SRANDOM)$/;

/** True if it stands in the text once other than to be read. What sets it unseen by its name is found by `checkValues`. */
function isSetOnce(reader: Reader, { text }: ShellState, name: string): boolean {
  if (OWN_VARIABLES.test(name)) return false;
  if (timesSet(text, name) !== 1) return false;
  reader.knownVariables.add(name);
  return true;
}

/** What was taken for known may be anything after all, if something set the variable unseen by its name. */
export function checkValues(reader: Reader): void {
  if (reader.readsLines && reader.changesInput) sayUnknown(reader, 'what a loop reads is not the same all the time');
  for (const name of reader.knownVariables)
    if (reader.setVariables.has(name)) sayUnknown(reader, `${name} is set in more than one way`);
}

/** A word of a command, with what variables, braces and `~` in it are known to become. */
export function expandWord(reader: Reader, state: ShellState, word: Word): ShellWord {
  const written = readWord(word);
  const { tilde } = written;
  const read = tilde ? expandTilde(reader, state, written) : written;
  if (written.value !== null) return read;
  const listed = reader.outputs === null ? null : outputOf(reader, reader.outputs, state, word);
  if (listed !== null) return listedWord(read, listed);
  const heads = word.parts === undefined || word.text.includes('**') ? null : expandParts(reader, state, word.parts);
  if (heads === null || heads.length === 0 || heads.length > MAX_WORDS) return read;
  const [only, ...others] = heads;
  if (only?.glob === false && others.length === 0) return expandTilde(reader, state, knownWord(read, only.text, tilde));
  return chosenWord(
    read,
    heads.map(({ text, glob }) => expandTilde(reader, state, glob ? globWord(written, text) : tildeWord(text, tilde))),
  );
}

/** The names that a word becomes which is nothing but a substitution; null if they are not known, or split in another way. */
function outputOf(
  reader: Reader,
  outputs: NonNullable<Reader['outputs']>,
  { text }: ShellState,
  { parts }: Word,
): ListedNames | null {
  const [part, another] = parts ?? [];
  // A pipe is no word.
  const listed = part?.type !== 'CommandExpansion' || another !== undefined ? undefined : outputs.get(part);
  return listed === undefined || !hasUsualSplits(reader, text) ? null : listed;
}

/** True if words are split at blanks alone: what `IFS= read` sets is for `read` alone. */
function hasUsualSplits(reader: Reader, text: ShellText): boolean {
  const times = timesSet(text, 'IFS');
  if (times > 0 && times > (text.code.match(SPLITS_OF_READ)?.length ?? 0)) return false;
  reader.knownVariables.add('IFS');
  return true;
}

const SPLITS_OF_READ = /(?<=^|[\s;&|({])IFS=(?:[^\s;&|()'"$`\\]|'[^']*')*[ \t]+read(?=[ \t])/g;

/** `~` is the home folder, and `~+` the folder that the shell is in. Rules see the word as it is written. */
function expandTilde({ home }: Reader, state: ShellState, word: ShellWord): ShellWord {
  const { value, head, tilde } = word;
  if (!tilde) return word;
  const at = head.indexOf('~');
  const isFolder = head.charAt(at + 1) === '+';
  const rest = head.slice(at + (isFolder ? 2 : 1));
  // `~me`, or what is open may be a name.
  if (rest === '' ? value === null : !rest.startsWith('/')) return word;
  const start = head.slice(0, at);
  if (isFolder)
    return value === null || state.bases.includes(null)
      ? word
      : chosenWord(
          word,
          state.bases.map((base) => literalWord(`${start}${base}${rest}`)),
        );
  if (home === null || state.isNewEnvironment) return word;
  const whole = start + home + rest;
  return value === null ? wordWith(word, { head: whole, tilde: false }) : knownWord(word, whole, false);
}

/** One text that a word may become. `glob`: its beginning, up to wildcards in its last part. */
interface Text {
  readonly text: string;
  readonly glob: boolean;
}

function expandParts(reader: Reader, state: ShellState, parts: readonly WordPart[]): readonly Text[] | null {
  let texts: readonly Text[] | null = null;
  for (const part of parts) {
    const next = expandPart(reader, state, part);
    if (next === null) return null;
    if (texts === null) {
      texts = next;
      continue;
    }
    // Behind a wildcard a slash would lead into folders that are not known.
    if (next.some(({ text }) => text.includes('/')) && texts.some(({ glob }) => glob)) return null;
    texts = joinEach(texts, next);
    if (texts.length > MAX_WORDS) return null;
  }
  return texts ?? [plain('')];
}

/** Each text with each of those that may follow it. */
function joinEach(texts: readonly Text[], next: readonly Text[]): readonly Text[] {
  const [before] = texts;
  const [after] = next;
  // Nearly always there is one of both.
  if (texts.length === 1 && next.length === 1 && before !== undefined && after !== undefined)
    return before.glob ? texts : [join(before, after)];
  return texts.flatMap((each) => next.map((following) => join(each, following)));
}

/** Behind a wildcard only its own part of the path goes on. */
function join(before: Text, after: Text): Text {
  if (before.glob) return before;
  return { text: before.text + after.text, glob: after.glob };
}

const BRACE = /[{}]/;
/** Nothing in it is split, and nothing in it matches names. */
const UNSPLIT = /^[\w./@%+=:,-]+$/;
const PLAIN_LIST = /^\{([\w./@%+=:-]*(?:,[\w./@%+=:-]*)+)\}$/;

function expandPart(reader: Reader, state: ShellState, part: WordPart): readonly Text[] | null {
  switch (part.type) {
    case 'Literal':
      return BRACE.test(part.text) ? null : [plain(part.value)];
    case 'SingleQuoted':
      return [plain(part.value)];
    case 'DoubleQuoted': {
      let texts: readonly string[] = [''];
      for (const child of part.parts) {
        const next = expandQuoted(reader, state, child);
        if (next === null) return null;
        texts = joinTexts(texts, next);
        if (texts.length > MAX_WORDS) return null;
      }
      return texts.map(plain);
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const values = textsOf(reader, state, part);
      // At which signs they are split is known if nobody says otherwise.
      if (values === null || !hasUsualSplits(reader, state.text)) return null;
      // Without quotes a value is split, and its wildcards count.
      return values.every(({ text, glob }) => !glob && UNSPLIT.test(text)) ? values : patternsOf(values);
    }
    case 'CommandExpansion': {
      const folders = printed(reader, state, part);
      return folders?.every(({ text }) => UNSPLIT.test(text)) === true && hasUsualSplits(reader, state.text)
        ? folders
        : null;
    }
    case 'Glob':
      return [{ text: '', glob: true }];
    default:
      return null;
  }
}

/** As `joinEach`, of texts in quotes. */
function joinTexts(texts: readonly string[], next: readonly string[]): readonly string[] {
  const [before] = texts;
  const [after] = next;
  if (texts.length === 1 && next.length === 1 && before !== undefined && after !== undefined)
    return before === '' ? next : [before + after];
  return texts.flatMap((each) => next.map((following) => each + following));
}

/** Values without quotes of which some are patterns in their last part. */
function patternsOf(values: readonly Text[]): readonly Text[] | null {
  const taken = values.map(({ text, glob }) => {
    if (glob || UNSPLIT.test(text)) return glob ? null : plain(text);
    return PATTERN.test(text) ? { text: text.slice(0, text.search(WILDCARD)), glob: true } : null;
  });
  return taken.every((each) => each !== null) ? taken : null;
}

const WILDCARD = /[*?]/;
const PATTERN = /^[\w./@%+=:,-]*(?:[*?](?!\*)[\w.@%+=:,-]*)+$/;

function plain(text: string): Text {
  return { text, glob: false };
}

/** The texts of a plain list in braces. */
function bracedTexts({ text }: BraceExpansionPart): readonly Text[] | null {
  const range = RANGE.exec(text);
  if (range !== null) return numbersOf(Number(range[1]), Number(range[2]));
  const inner = PLAIN_LIST.exec(text)?.[1];
  return inner === undefined || inner.includes('..') ? null : inner.split(',').map(plain);
}

/** Numbers without signs in front that a shell would keep. */
const RANGE = /^\{(0|[1-9]\d{0,8})\.\.(0|[1-9]\d{0,8})\}$/;

function numbersOf(from: number, to: number): readonly Text[] | null {
  const count = Math.abs(to - from) + 1;
  if (count > MAX_WORDS) return null;
  return Array.from({ length: count }, (_, at) => plain(String(from < to ? from + at : from - at)));
}

function expandQuoted(reader: Reader, state: ShellState, child: DoubleQuotedChild): readonly string[] | null {
  if (child.type === 'Literal') return [child.value];
  if (child.type === 'CommandExpansion') return printed(reader, state, child)?.map(({ text }) => text) ?? null;
  if (child.type !== 'SimpleExpansion' && child.type !== 'ParameterExpansion') return null;
  const values = textsOf(reader, state, child);
  return values === null || values.some(({ glob }) => glob) ? null : values.map(({ text }) => text);
}

/** What a substitution puts in its place: where the shell is, the top of the work tree, a part of a known path. */
function printed(reader: Reader, state: ShellState, { script }: CommandExpansionPart): readonly Text[] | null {
  const statement = script?.commands.length === 1 ? script.commands[0] : undefined;
  if (statement?.command.type !== 'Command' || statement.background === true) return null;
  const { name, prefix, args, redirects } = statement.command;
  if (name === undefined || prefix.length > 0 || redirects.length > 0) return null;
  const first = args[0];
  const second = args[1];
  if (
    args.length > 2 ||
    (first !== undefined && first.type !== 'Word') ||
    (second !== undefined && second.type !== 'Word')
  )
    return null;
  switch (name.text) {
    case 'pwd':
      return first === undefined && !state.bases.includes(null) ? state.bases.map((base) => plain(base ?? '')) : null;
    case 'git':
      return first?.text === 'rev-parse' && second?.text === '--show-toplevel' ? topOf(reader, state) : null;
    case 'dirname':
      return second === undefined ? partsOfPaths(reader, state, first, folderPart) : null;
    case 'basename':
      if (second !== undefined && !PLAIN_ENDING.test(second.text)) return null;
      return partsOfPaths(reader, state, first, (path) => lastPart(path, second?.text ?? ''));
    default:
      return null;
  }
}

/** Nothing if git does not agree that there is a work tree: it may be somebody else's, or be broken. */
function topOf({ top }: Reader, { bases }: ShellState): readonly Text[] | null {
  return top !== null && bases.every((base) => base === top.from) ? [plain(top.path), plain('')] : null;
}

const PLAIN_ENDING = /^\.?[\w.]+$/;

function partsOfPaths(
  reader: Reader,
  state: ShellState,
  word: Word | undefined,
  partOf: (path: string) => string,
): readonly Text[] | null {
  if (word === undefined) return null;
  const read = expandWord(reader, state, word);
  const texts: Text[] = [];
  for (const { value, tilde } of read.choices ?? [read]) {
    if (value === null || tilde || value === '' || value.startsWith('-') || value.includes('\n')) return null;
    texts.push(plain(partOf(value)));
  }
  return texts;
}

const ENDING_SLASHES = /(?<=.)\/+$/;

function folderPart(path: string): string {
  const whole = path.replace(ENDING_SLASHES, '');
  const slash = whole.lastIndexOf('/');
  return slash === -1 ? '.' : whole.slice(0, slash).replace(/\/+$/, '') || '/';
}

function lastPart(path: string, ending: string): string {
  const whole = path.replace(ENDING_SLASHES, '');
  const name = whole.slice(whole.lastIndexOf('/') + 1) || '/';
  return ending !== '' && name !== ending && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/** What a variable holds, or what is left of it. */
function textsOf(
  reader: Reader,
  state: ShellState,
  part: Extract<WordPart, { type: 'SimpleExpansion' | 'ParameterExpansion' }>,
): readonly Text[] | null {
  if (part.type === 'SimpleExpansion' || part.operation?.type !== 'Remove')
    return valuesOf(reader, state, variableOf(part));
  const { parameter, prefix, index, operation } = part;
  if (prefix !== undefined || index !== undefined || !PLAIN_REMOVED.test(operation.operand.text)) return null;
  const values = valuesOf(reader, state, parameter);
  return values?.map(({ text }) => plain(without(text, operation.operator, operation.operand.text))) ?? null;
}

/** A text that is taken off, with a star on one side at most. */
const PLAIN_REMOVED = /^(?:\*[\w./@+=:,-]+|[\w./@+=:,-]+\*?)$/;

/** The text without what the operation takes off it: `${f%.ts}`, `${f##*\/}`. */
function without(text: string, operator: '#' | '##' | '%' | '%%', pattern: string): string {
  const isLongest = operator.length === 2;
  const isEnd = operator.startsWith('%');
  const fixed = pattern.replace('*', '');
  // A star on the side of the text that stays, or none.
  if (pattern === fixed || pattern.startsWith('*') === isEnd) {
    const isThere = isEnd ? text.endsWith(fixed) : text.startsWith(fixed);
    if (!isThere) return text;
    if (pattern !== fixed && isLongest) return '';
    return isEnd ? text.slice(0, text.length - fixed.length) : text.slice(fixed.length);
  }
  const at = isLongest === isEnd ? text.indexOf(fixed) : text.lastIndexOf(fixed);
  if (at === -1) return text;
  return isEnd ? text.slice(0, at) : text.slice(at + fixed.length);
}

function variableOf(part: Extract<WordPart, { type: 'SimpleExpansion' | 'ParameterExpansion' }>): string | null {
  if (part.type === 'SimpleExpansion') return part.text.slice(1);
  const { parameter, prefix, index, operation } = part;
  return prefix === undefined && index === undefined && operation === undefined ? parameter : null;
}

function valuesOf(reader: Reader, state: ShellState, name: string | null): readonly Text[] | null {
  if (name === null) return null;
  if (name === 'PWD' || name === 'HOME') return valuesOfShell(reader, state, name);
  const values = state.values?.get(name);
  return values?.every(({ value, tilde }) => value !== null && !tilde) === true
    ? values.map(({ value }) => plain(value ?? ''))
    : null;
}

/** True if nothing else sets the variables in which the shell keeps where it is and was. */
export function keepsFolders(reader: Reader, text: ShellText): boolean {
  for (const name of ['PWD', 'OLDPWD', 'DIRSTACK']) {
    if (timesSet(text, name) > 0) return false;
    reader.knownVariables.add(name);
  }
  return true;
}

/** What the shell and the session set themselves. */
function valuesOfShell(reader: Reader, state: ShellState, name: 'PWD' | 'HOME'): readonly Text[] | null {
  const { text, bases, isNewEnvironment } = state;
  if (timesSet(text, name) > 0) return null;
  reader.knownVariables.add(name);
  if (name === 'HOME') return reader.home === null || isNewEnvironment ? null : [plain(reader.home)];
  return bases.includes(null) ? null : bases.map((base) => plain(base ?? ''));
}

/** An argument as the words that it becomes: a plain list in braces is several, anything else one. */
export function expandOperands(reader: Reader, state: ShellState, word: Word): readonly ShellWord[] {
  const parts = partsOf(word);
  const braces = parts?.find((part) => part.type === 'BraceExpansion');
  const list = braces === undefined ? null : bracedTexts(braces);
  if (parts === undefined || braces === undefined || list === null) return [expandOperand(reader, state, word)];
  const at = parts.indexOf(braces);
  const before = expandParts(reader, state, parts.slice(0, at));
  const after = expandParts(reader, state, parts.slice(at + 1));
  if (before?.length !== 1 || after?.length !== 1 || hasGlob(before) || hasGlob(after)) return [readWord(word)];
  const { tilde } = readWord(word);
  const words = list.map(({ text }) =>
    expandTilde(reader, state, tildeWord(`${before[0]?.text}${text}${after[0]?.text}`, tilde)),
  );
  if (words.every(({ value }) => value !== '')) return words;
  // Nothing without quotes is no word.
  return word.text.startsWith('{') && word.text.endsWith('}')
    ? words.filter(({ value }) => value !== '')
    : [readWord(word)];
}

function hasGlob(texts: readonly Text[]): boolean {
  return texts.some(({ glob }) => glob);
}

/** The word of a redirection, or an argument that is no list in braces. */
export function expandOperand(reader: Reader, state: ShellState, word: Word): ShellWord {
  const read = expandWord(reader, state, word);
  if (read.value !== null || read.choices !== null || state.values === null) return read;
  // Values that hold wildcards are told as words of their own: `"$f"` in a loop over `*.ts`.
  const quoted = quotedVariable(word.parts);
  if (quoted === null) return takenAgain(state.values, read, word.parts);
  const choices = state.values.get(quoted);
  return choices === undefined ? read : chosenWord(read, choices);
}

/** Names that the shell has split and matched once stay as they are: `$f` in a loop over `$(git ls-files)`. */
function takenAgain(values: KnownValues, word: ShellWord, parts: readonly WordPart[] | undefined): ShellWord {
  const [part, another] = parts ?? [];
  if (another !== undefined || (part?.type !== 'SimpleExpansion' && part?.type !== 'ParameterExpansion')) return word;
  const choices = values.get(variableOf(part) ?? '');
  const isTaken = choices?.every(({ below }) => below?.isOutput === true) === true;
  return isTaken ? chosenWord(word, choices) : word;
}

/** The variable of a word that is nothing but it, in quotes. */
function quotedVariable(parts: readonly WordPart[] | undefined): string | null {
  const [quoted, another] = parts ?? [];
  if (quoted?.type !== 'DoubleQuoted' || another !== undefined) return null;
  const [part, more] = quoted.parts;
  if (part === undefined || more !== undefined) return null;
  return part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion' ? variableOf(part) : null;
}

/**
 * The word in the form that a rule which allows is held against: what a variable holds that the line itself sets, and if that
 * is not known, what no rule spells. Whoever allows `deploy $x` has not said what another line may put there.
 */
export function ruledWord(reader: Reader, state: ShellState, word: ShellWord): ShellWord {
  const { text, rule, value, tilde } = word;
  if (!text.includes('$') || (value !== null && rule === escapeWord(value))) return word;
  // What starts the shell of such a text may have set any of them.
  if (state.text.code === reader.command && !namesSet(state.text, text)) return word;
  if (value !== null) return knownWord({ text, rule: escapeWord(value) }, value, tilde);
  return wordWith(word, { rule: rule.replaceAll('$', UNSPELLED) });
}

/** True if a variable of the word is set in the text, or is one of those that a call sets (`$1`, `$@`). */
function namesSet(code: ShellText, word: string): boolean {
  for (let sign = word.indexOf('$'); sign !== -1; sign = word.indexOf('$', sign + 1)) {
    let start = sign + 1;
    while (BEFORE_NAME.includes(word[start] ?? ' ')) start++;
    let end = start;
    while (isInName(word.charCodeAt(end))) end++;
    if (end === start ? OF_CALLS.includes(word[start] ?? ' ') : isDigit(word.charCodeAt(start))) return true;
    if (end > start && timesSet(code, word.slice(start, end)) > 0) return true;
  }
  return false;
}

/** `${!x}`, `${#x}`. */
const BEFORE_NAME = '{!#';
/** All that a function or a script was given. */
const OF_CALLS = '@*';

/** Names that are looked for one by one; a text that asks more often is counted as a whole, once. */
const MAX_ASKED = 16;

/** How often the name stands in the text other than to be read. */
function timesSet(text: ShellText, name: string): number {
  if (text.asked < MAX_ASKED) {
    text.asked++;
    return countName(text.code, name);
  }
  text.names ??= countNames(text.code);
  return text.names.get(name) ?? 0;
}

function countName(code: string, name: string): number {
  let count = 0;
  for (let start = code.indexOf(name); start !== -1; start = code.indexOf(name, start + 1)) {
    const end = start + name.length;
    if (isWhole(code, start, end) && !isOnlyRead(code, start, end)) count++;
  }
  return count;
}

/** True if no more of a name stands on either side. A name may follow digits. */
function isWhole(code: string, start: number, end: number): boolean {
  if (isInName(code.charCodeAt(end))) return false;
  let at = start;
  while (isDigit(code.charCodeAt(at - 1))) at--;
  return !isLetter(code.charCodeAt(at - 1));
}

function countNames(code: string): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  // By hand, because a match is an object, and a line has hundreds of names.
  for (let at = 0; at < code.length; at++) {
    if (!isLetter(code.charCodeAt(at))) continue;
    const start = at;
    while (isInName(code.charCodeAt(at))) at++;
    if (isOnlyRead(code, start, at)) continue;
    const name = code.slice(start, at);
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  return names;
}

function isInName(sign: number): boolean {
  return isLetter(sign) || isDigit(sign);
}

/** As names may begin: a letter of ASCII, or `_`. */
function isLetter(sign: number): boolean {
  return (sign >= 0x61 && sign <= 0x7a) || (sign >= 0x41 && sign <= 0x5a) || sign === 0x5f;
}

function isDigit(sign: number): boolean {
  return sign >= 0x30 && sign <= 0x39;
}

/** `$f`, `${f}`, `${f%.ts}`, `${#f}`; or the letter of an option, or the end of a word: `[ -f "$f" ]`. */
function isOnlyRead(code: string, start: number, end: number): boolean {
  const before = code.charAt(start - 1);
  if (before === '$') return true;
  // `merge-base` is no name either, unless arithmetic counts: `x-base++`.
  if (before === '-')
    return (
      BLANK.test(code.charAt(start - 2)) || (isLetter(code.charCodeAt(start - 2)) && ENDS_WORD.test(code.charAt(end)))
    );
  if (before === '#') return code.startsWith('${', start - 3) && code.charAt(end) === '}';
  if (before !== '{' || code.charAt(start - 2) !== '$') return false;
  const behind = code.charAt(end);
  return behind === ':' ? CHANGES_NOTHING.test(code.charAt(end + 1)) : READING_SIGN.test(behind);
}

const BLANK = /\s/;
const ENDS_WORD = /^[\s;&|)"']?$/;
const READING_SIGN = /[}%#/^,]/;
const CHANGES_NOTHING = /[^=]/;
