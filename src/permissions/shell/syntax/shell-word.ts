// Words of a command as the program would get them. One rule: a word is static only if no expansion of any kind
// could change it.
import { escapeSpaces, escapeWord } from '../../command-text.js';

export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** After quote removal; null if it is not static. */
  readonly value: string | null;
  /** In the form that rules are held against. */
  readonly rule: string;
  /** Its known beginning; all of it if it is static. */
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
  /** It is one of these, taken as they would be in its place; null if nothing is known of it. */
  readonly choices: readonly ShellWord[] | null;
  /** It is files at and below these, as another program lists them; null if nothing is known of it. */
  readonly below: ListedNames | null;
}

/** Names that a program lists. */
export interface ListedNames {
  readonly roots: readonly ShellWord[];
  /** Each begins with the root that it lies below. */
  readonly arePrefixed: boolean;
  /** They are split at blanks on their way. */
  readonly areSplit: boolean;
  /** The index of git has them, all or some: such a file need not be there. */
  readonly areRecorded?: 'all' | 'some';
  /** The shell finds them, by wildcards in front of a slash. */
  readonly areMatched?: true;
  /** The shell takes them from the output of a command: wildcards in them count. */
  readonly isOutput?: true;
  /** Nothing is said of what is written or removed by these names. */
  readonly areForReading?: true;
  /** Each ends with a NUL in place of the end of a line. */
  readonly areEnded?: true;
  /** They are names of commits. */
  readonly areHashes?: true;
  /** Of what lies in a folder only the last part is listed, so that it may begin with a dash. */
  readonly areLastParts?: true;
}

/** Most words are static, and a line has hundreds of them: each holds only what differs between them. */
export class StaticWord implements ShellWord {
  readonly text: string;
  readonly value: string;
  readonly rule: string;
  readonly tilde: boolean;

  constructor(text: string, value: string, tilde: boolean, rule: string = escapeWord(value)) {
    this.text = text;
    this.value = value;
    this.rule = rule;
    this.tilde = tilde;
  }

  get head(): string {
    return this.value;
  }

  get isMany(): boolean {
    return false;
  }

  get splits(): boolean {
    return false;
  }

  get isGlob(): boolean {
    return false;
  }

  get isPipe(): boolean {
    return false;
  }

  get choices(): null {
    return null;
  }

  get below(): null {
    return null;
  }
}

/** What is known of a word beside its text. */
type WordKind = Pick<ShellWord, 'isMany' | 'splits' | 'isGlob' | 'tilde' | 'isPipe'>;

/** Any other word, so that all of them have one of two shapes. */
class OtherWord implements ShellWord {
  readonly text: string;
  readonly value: string | null;
  readonly rule: string;
  readonly head: string;
  readonly isMany: boolean;
  readonly splits: boolean;
  readonly isGlob: boolean;
  readonly tilde: boolean;
  readonly isPipe: boolean;
  readonly choices: readonly ShellWord[] | null;
  readonly below: ListedNames | null;

  constructor(
    kind: WordKind,
    text: string,
    value: string | null,
    rule: string,
    head: string,
    choices: readonly ShellWord[] | null,
    below: ListedNames | null,
  ) {
    this.text = text;
    this.value = value;
    this.rule = rule;
    this.head = head;
    this.isMany = kind.isMany;
    this.splits = kind.splits;
    this.isGlob = kind.isGlob;
    this.tilde = kind.tilde;
    this.isPipe = kind.isPipe;
    this.choices = choices;
    this.below = below;
  }
}

/** The same word with some of it changed. A copy by its own fields would not have what static words have in common. */
export function wordWith(word: ShellWord, change: Partial<ShellWord>): ShellWord {
  const { isMany, splits, isGlob, tilde, isPipe } = word;
  const { text = word.text, value = word.value, rule = word.rule, head = word.head } = change;
  const { choices = word.choices, below = word.below } = change;
  return new OtherWord({ isMany, splits, isGlob, tilde, isPipe, ...change }, text, value, rule, head, choices, below);
}

/** A static word that does not stand in the command as such, with a tilde at its start that counts, or not. */
export function tildeWord(value: string, tilde: boolean): ShellWord {
  return new StaticWord(escapeWord(value), value, tilde);
}

/** A word of which only the beginning is known. */
export function openWord(kind: WordKind, text: string, head: string): ShellWord {
  return new OtherWord(kind, text, null, escapeSpaces(text), head, null, null);
}

/**
 * A word that is one of several. What they begin with is not told: rules see it as it is written. If one of them may be more
 * than a name to a program (`@list`, `host:path`), nothing is told of it at all, for programs are known by how words begin.
 */
export function chosenWord(word: ShellWord, choices: readonly ShellWord[]): ShellWord {
  if (word.head === '' && choices.some(({ head }) => MORE_THAN_NAME.test(head))) return word;
  return wordWith(word, { choices });
}

/** Signs in front of the first slash by which programs take a word for an address, an assignment, a list or a pattern. */
const MORE_THAN_NAME = /^(?:\+|[^/]*[@:=%|!,#[{])/;

/** A word whose value is known from what the line sets before. Rules see it as it is written. */
export function knownWord({ text, rule }: Pick<ShellWord, 'text' | 'rule'>, value: string, tilde: boolean): ShellWord {
  return new StaticWord(text, value, tilde, rule);
}

/** The same word with wildcards behind a beginning that is known. */
export function globWord(word: ShellWord, head: string): ShellWord {
  return openWord({ isMany: true, splits: false, isGlob: true, tilde: word.tilde, isPipe: false }, word.text, head);
}

/** A static word that does not stand in the command as such. */
export function literalWord(value: string): ShellWord {
  return tildeWord(value, false);
}

/** The same word with another static text in its place, which is taken as it stands. */
export function replacedWord({ tilde }: ShellWord, value: string): ShellWord {
  return new StaticWord(value, value, tilde);
}

/**
 * A name that a program makes of the word's: of a glob any in the same folder. Of a word of which less is known, nothing is
 * known of it either.
 */
export function derivedWord(word: ShellWord, make: (value: string) => string): ShellWord {
  if (word.value !== null) return replacedWord(word, make(word.value));
  return word.isGlob ? globWord(wordWith(word, { text: '*' }), folderIn(word.head)) : wordWith(word, { below: null });
}

/** The folder that the file lies in which the word names; of a word of which less is known, the word. */
export function folderWord(word: ShellWord): ShellWord {
  return word.value === null && !word.isGlob ? word : replacedWord(word, folderIn(word.head) || '.');
}

/** Up to the last slash. */
function folderIn(head: string): string {
  return head.slice(0, head.lastIndexOf('/') + 1);
}

/** An assignment as one word: `start` and its value, which is never split. */
export function assignmentWord(text: string, start: string, { value, head, tilde, isPipe }: ShellWord): ShellWord {
  if (value !== null) return new StaticWord(text, start + value, tilde);
  return openWord({ isMany: false, splits: false, isGlob: false, tilde, isPipe }, text, start + head);
}

/** An assignment to an element, or of several values. */
export function openAssignment(text: string, name: string): ShellWord {
  const isMany = looksLikeBraces(text);
  return openWord({ isMany, splits: false, isGlob: false, tilde: hasTilde(text), isPipe: false }, text, name);
}

/** The same word if it may also become no word at all. */
export function vanishingWord({ text, tilde }: ShellWord): ShellWord {
  return openWord({ isMany: true, splits: true, isGlob: false, tilde, isPipe: false }, text, '');
}

/** Words that another program fills in: `xargs` appends any number of them. */
export const MORE_WORDS: ShellWord = openWord(
  { isMany: true, splits: true, isGlob: false, tilde: false, isPipe: false },
  '…',
  '',
);

/** Names that another program listed: any number of words, or one in the place of a mark. */
export function listedWord(word: ShellWord, names: ListedNames, isMany = word.isMany): ShellWord {
  // A name that begins as its folder does is no option.
  const [root, another] = names.arePrefixed ? names.roots : [];
  return wordWith(word, {
    head: another === undefined ? (root?.value ?? '') : '',
    isMany,
    splits: false,
    below: names,
  });
}

/** The same word with something unknown put in by another program, such as the `{}` of find. */
export function filledWord(word: ShellWord, mark: string): ShellWord {
  const at = word.head.indexOf(mark);
  if (at === -1 && (word.value !== null || !word.text.includes(mark))) return word;
  return openWord(word, word.text, at === -1 ? word.head : word.head.slice(0, at));
}

/** The end of a word from `start` on, for values that stand in one word with their option. */
export function tailWord(word: ShellWord, start: number): ShellWord {
  const { value } = word;
  if (value !== null) return new StaticWord(value.slice(start), value.slice(start), false);
  return openWord(wordWith(word, { tilde: false }), word.text, word.head.slice(start));
}

/** True if the program could take the word for an option. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.choices !== null)
    return !word.choices.every(({ head, below }) => PATH_START.test(head) || below?.areHashes === true);
  if (word.below?.areHashes === true) return false;
  if (word.value !== null) return word.value.length > 1 && word.value.startsWith('-');
  return word.head === '' ? !word.isPipe : word.head.startsWith('-') || word.splits;
}

/** What looks like a path as far as it is known is no option, assignment or letters of a mode to any program. */
const PATH_START = /^(?![-+])[^=]*[./][^=]*$/;

/** The words in the form that rules are held against. */
export function ruleText(words: readonly ShellWord[]): string {
  const [first] = words;
  return words.length === 1 && first !== undefined ? first.rule : words.map(({ rule }) => rule).join(' ');
}

/**
 * A tilde that the shell replaces begins the word, or what is assigned. Up to the first slash nothing is quoted or expanded:
 * `~"/x"` and `~$x` name what they say.
 */
export function hasTilde(text: string): boolean {
  return text.includes('~') && REPLACED_TILDE.test(text);
}

const REPLACED_TILDE = /^(?:[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=)?~[^/"'\\$`]*(?:\/|$)/;

/** In the form of an assignment, in which a tilde behind a colon counts too. */
const LATER_TILDE = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=.*:~/s;

/** The word if the shell replaces more of it than a tilde at its beginning, so that only its name is known; else null. */
export function withLaterTilde(text: string): ShellWord | null {
  return text.includes(':~') && LATER_TILDE.test(text) ? openAssignment(text, text.slice(0, text.indexOf('='))) : null;
}

/** The grammar tells braces apart; what it takes for text although a list stands in braces is not trusted to be one. */
export function looksLikeBraces(text: string): boolean {
  const start = text.indexOf('{');
  if (start === -1) return false;
  return text.includes('}', start) && (text.includes(',', start) || text.includes('..', start));
}
