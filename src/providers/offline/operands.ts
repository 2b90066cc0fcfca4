// The operands of the grammar: what a word in capitals in a form stands for, and how it is read.

// A request as tokens: words, quoted texts and what parts sentences. What is quoted is taken as it is.

export interface Token {
  readonly kind: 'word' | 'quoted' | 'comma' | 'stop';
  /** What it says, without quotation marks. */
  readonly text: string;
  /** The same in lower case if it is a word, else empty: no quoted text is ever taken for a word of the grammar. */
  readonly word: string;
  /** Its place in the request. */
  readonly start: number;
  readonly end: number;
}

// A dot, colon or question mark belongs to a word if more of the word follows, as in "a.ts".
const TOKEN =
  /`([^`]+)`|"([^"]*)"|“([^”]*)”|'([^'\n]*)'(?!\w)|([;!?\n…]|\.(?=\s|$))|(,)|:(?=\s|$)|((?:"[^"\n]*"|[^\s,;"`“”.:!?…]|[.:!?](?=[^\s,;]))+)|\S/g;
const FILLERS = new Set('the a an all me please there thanks'.split(' '));

export function tokenise(text: string): Token[] {
  return [...text.matchAll(TOKEN)].flatMap((found): Token[] => {
    const [whole, ticked, double, curly, single, stop, comma, word] = found;
    const place = { start: found.index, end: found.index + whole.length };
    const exact = ticked ?? curly ?? single ?? (double === undefined ? undefined : withBreaks(double));
    if (exact !== undefined) return [{ kind: 'quoted', text: exact, word: '', ...place }];
    if (stop !== undefined) return [{ kind: 'stop', text: stop, word: '', ...place }];
    if (comma !== undefined) return [{ kind: 'comma', text: ',', word: '', ...place }];
    if (whole === ':') return [];
    return [{ kind: 'word', text: word ?? whole, word: (word ?? whole).toLowerCase(), ...place }];
  });
}

/** In double quotes `\n` and `\t` are a line break and a tab. */
function withBreaks(text: string): string {
  return text.replace(/\\([nt])/g, (_, sign) => (sign === 'n' ? '\n' : '\t'));
}

export function isWord(token: Token | undefined, words: readonly string[]): boolean {
  return token !== undefined && token.word !== '' && words.includes(token.word);
}

export function isFiller(token: Token | undefined): boolean {
  return token !== undefined && FILLERS.has(token.word);
}

/** Which files are meant. No glob: any; no path: the working directory. */
export interface FileQuery {
  /** For people: `TypeScript files in src`. */
  readonly label: string;
  readonly globs: readonly string[];
  /** A folder, or one file. */
  readonly path?: string;
}

/** What of earlier results is written: a fact of the newest, or all of it. */
export type Facet = 'path' | 'lines' | 'count' | 'all';

/** Those that a form does not name are absent. */
export interface Operands {
  readonly kind?: { readonly label: string; readonly globs: readonly string[]; readonly isOne: boolean };
  readonly folder?: string;
  /** Null is "it" or "them": what an earlier part found. */
  readonly target?: FileQuery | null;
  readonly file?: string;
  readonly text?: string;
  readonly newText?: string;
  readonly command?: string;
  readonly facets?: readonly Facet[];
  readonly number?: number;
  readonly order?: 'largest' | 'smallest';
}

/** All that the tokens from `at` on can be read as, the longest first; `next` is the token behind it. */
type Reader = (tokens: readonly Token[], at: number, text: string) => readonly Reading[];

interface Reading {
  readonly value: Operands;
  readonly next: number;
}

const READ = {
  KIND: readKind,
  PLACE: (tokens, at) => (isWord(tokens[at], IN) ? read(folderAt(tokens, at + 1), (folder) => ({ folder })) : []),
  FOLDER: (tokens, at) => read(folderAt(tokens, at), (folder) => ({ folder })),
  TARGET: readTarget,
  IT: (tokens, at) => (isWord(tokens[at], IT) ? [{ value: { target: null }, next: at + 1 }] : []),
  FILE: (tokens, at) => read(pathAt(tokens, at), (file) => ({ file })),
  TEXT: (tokens, at) => read(textAt(tokens, at), (text) => ({ text })),
  NEW: (tokens, at) => read(textAt(tokens, at), (newText) => ({ newText })),
  QUOTED: (tokens, at) => (tokens[at]?.kind === 'quoted' ? read(textAt(tokens, at), (text) => ({ text })) : []),
  WORD: (tokens, at) => (MADE.has(tokens[at]?.word ?? '') ? [] : read(textAt(tokens, at), (text) => ({ text }))),
  COMMAND: readCommand,
  RESULT: readResult,
  NUMBER: (tokens, at) =>
    /^\d{1,4}$/.test(tokens[at]?.word ?? '') ? [{ value: { number: Number(tokens[at]?.word) }, next: at + 1 }] : [],
  SIZE: (tokens, at) => read(wordAt(tokens, at, SIZES), (order) => ({ order })),
} as const satisfies Record<string, Reader>;

export type OperandName = keyof typeof READ;
export const READERS: Readonly<Record<OperandName, Reader>> = READ;

const IN = ['in', 'under', 'inside', 'below', 'from', 'of'];
const IT = ['it', 'them', 'that', 'these', 'those', 'its', 'their'];
/** Who names one of these wants it made, and not its name in a file. */
const MADE = new Set(
  `answer answers class code comment comments component content documentation docs essay example examples explanation
  function functions joke notes poem program readme report script size sizes story summary test tests todo todos
  translation this these those something anything everything nothing`.split(/\s+/),
);
const SIZES = {
  largest: 'largest',
  biggest: 'largest',
  longest: 'largest',
  smallest: 'smallest',
  shortest: 'smallest',
} as const;
/** Kinds of files by their name: how it is written, and the extensions. */
const KINDS: Readonly<Record<string, string>> = {
  typescript: 'TypeScript ts tsx',
  javascript: 'JavaScript js jsx mjs cjs',
  python: 'Python py',
  markdown: 'Markdown md',
  rust: 'Rust rs',
  ruby: 'Ruby rb',
  go: 'Go go',
  java: 'Java java',
  c: 'C c h',
  'c++': 'C++ cpp cc hpp',
  shell: 'shell sh bash',
  html: 'HTML html',
  css: 'CSS css',
  json: 'JSON json',
  yaml: 'YAML yml yaml',
  text: 'text txt',
};
const FACETS: Readonly<Record<string, Facet>> = {
  path: 'path',
  paths: 'path',
  name: 'path',
  names: 'path',
  lines: 'lines',
  'line count': 'lines',
  'line counts': 'lines',
  'number of lines': 'lines',
  count: 'count',
  number: 'count',
  ...Object.fromEntries(
    ['it', 'them', 'list', 'matches', 'output', 'result', 'results', 'text', 'content'].map((word) => [
      word,
      'all' as const,
    ]),
  ),
};

interface Item<Value> {
  readonly item: Value;
  readonly next: number;
}

function read<Value>(found: Item<Value> | null, toOperands: (item: Value) => Operands): Reading[] {
  return found === null ? [] : [{ value: toOperands(found.item), next: found.next }];
}

function wordAt<Value>(
  tokens: readonly Token[],
  at: number,
  words: Readonly<Record<string, Value>>,
): Item<Value> | null {
  const word = tokens[at]?.word ?? '';
  const item = Object.hasOwn(words, word) ? words[word] : undefined;
  return item === undefined ? null : { item, next: at + 1 };
}

/** `TypeScript files`, `.ts files`, `*.md files`, `*.md`, `files`, `files named package.json`. */
function readKind(tokens: readonly Token[], at: number): Reading[] {
  const kind = kindAt(tokens, at) ?? { label: '', globs: [] };
  const noun = kind.label === '' ? at : at + 1;
  const kindOf = (label: string, globs: readonly string[], next: number): Reading => {
    return { value: { kind: { label, globs, isOne: isWord(tokens[noun], ['file']) } }, next };
  };
  if (!isWord(tokens[noun], ['file', 'files']))
    return kind.label.includes('*') ? [kindOf(`${kind.label} files`, kind.globs, noun)] : [];
  const name = isWord(tokens[noun + 1], ['named', 'called', 'matching']) ? textAt(tokens, noun + 2) : null;
  const named = name === null ? [] : [kindOf(`files named ${name.item}`, [name.item], name.next)];
  return [...named, kindOf(`${kind.label} files`.trim(), kind.globs, noun + 1)];
}

function kindAt(tokens: readonly Token[], at: number): { label: string; globs: string[] } | null {
  const { text = '' } = tokens[at] ?? {};
  if (text.includes('*')) return { label: text, globs: [text] };
  if (/^\.\w+$/.test(text)) return { label: text, globs: [`*${text}`] };
  const [label, ...extensions] = wordAt(tokens, at, KINDS)?.item.split(' ') ?? [];
  return label === undefined ? null : { label, globs: extensions.map((extension) => `*.${extension}`) };
}

/** "it", files of a kind, or a file or folder by its path. */
function readTarget(tokens: readonly Token[], at: number): Reading[] {
  const kinds = readKind(tokens, at).flatMap(({ value, next }) => {
    const places = [...READ.PLACE(tokens, next), { value: {}, next }];
    return places.map((place) => ({ value: { target: queryOf({ ...value, ...place.value }) }, next: place.next }));
  });
  const path = folderAt(tokens, at);
  const paths = read(path, (item) => ({ target: { label: item, globs: [], path: item } }));
  return [...READ.IT(tokens, at), ...kinds, ...paths];
}

/** The files that KIND and PLACE name together. */
export function queryOf({ kind = { label: 'files', globs: [], isOne: false }, folder }: Operands): FileQuery {
  const { label, globs } = kind;
  return folder === undefined ? { label, globs } : { label: `${label} in ${folder}`, globs, path: folder };
}

/** A path has a dot or a slash in it or begins with a capital, as "Makefile" does; any other has to be quoted. */
function pathAt(tokens: readonly Token[], at: number): Item<string> | null {
  const path = textAt(tokens, at);
  const isPath = tokens[at]?.kind === 'quoted' || /[./]|^[A-Z]/.test(path?.item ?? '');
  return isPath && path?.item.includes('*') === false ? path : null;
}

function folderAt(tokens: readonly Token[], at: number): Item<string> | null {
  const start = isFiller(tokens[at]) ? at + 1 : at;
  const isFolder = tokens[start]?.kind === 'quoted' || /^[\w@.~/+-]+$/.test(tokens[start]?.text ?? '');
  if (isWord(tokens[start], ['this', 'current']) && isWord(tokens[start + 1], ['folder', 'project', 'repository'])) {
    return { item: '.', next: start + 2 };
  }
  return isFolder ? textAt(tokens, start) : null;
}

function textAt(tokens: readonly Token[], at: number): Item<string> | null {
  const token = tokens[at];
  const isText = token?.kind === 'quoted' || token?.kind === 'word';
  return isText && token.text !== '' ? { item: token.text, next: at + 1 } : null;
}

/** One quoted text, or the rest of the part to the letter. "the tests" is no command. */
function readCommand(tokens: readonly Token[], at: number, text: string): Reading[] {
  const [first, last] = [tokens[at], tokens.at(-1)];
  if (first === undefined || last === undefined || isFiller(first)) return [];
  if (first.kind === 'quoted') return [{ value: { command: first.text }, next: at + 1 }];
  return [{ value: { command: text.slice(first.start, last.end) }, next: tokens.length }];
}

/** `its path and line count`, `the output`, `them`. */
function readResult(tokens: readonly Token[], at: number): Reading[] {
  const facets: Facet[] = [];
  let next = at;
  for (let start = at; ; start = next + 1) {
    while (isWord(tokens[start], ['its', 'their', 'the'])) start += 1;
    const phrase = [3, 2, 1]
      .map((size) => tokens.slice(start, start + size))
      .find((part) => Object.hasOwn(FACETS, phraseOf(part)));
    const facet = phrase === undefined ? undefined : FACETS[phraseOf(phrase)];
    if (phrase === undefined || facet === undefined) break;
    facets.push(facet);
    next = start + phrase.length;
    if (!isWord(tokens[next], ['and']) && tokens[next]?.kind !== 'comma') break;
  }
  return facets.length === 0 ? [] : [{ value: { facets }, next }];
}

function phraseOf(tokens: readonly Token[]): string {
  return tokens.map((token) => token.word).join(' ');
}
