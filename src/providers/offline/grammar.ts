// The grammar of requests. A request is parts joined by "then", "and", commas or the ends of sentences; a part is a verb
// with its operands in one of the forms that the jobs name, written as it is read: `find|list KIND [PLACE]`.

/** Which files are meant. No glob: any; no path: the working directory. */
export interface FileQuery {
  /** For people: `TypeScript files in src`. */
  readonly label: string;
  readonly globs: readonly string[];
  /** A folder, or one file. */
  readonly path?: string | undefined;
}

/** What of earlier results is written: a fact of the newest, or all of it. */
export type Facet = 'path' | 'lines' | 'count' | 'all';

/** Those that a form does not name are absent. */
export interface Operands {
  readonly kind?: FileQuery;
  readonly folder?: string;
  /** "it" or "them": what an earlier part found. */
  readonly it?: true;
  readonly file?: string;
  readonly text?: string;
  readonly newText?: string;
  readonly command?: string;
  readonly facets?: readonly Facet[];
  readonly number?: number;
  readonly order?: 'Largest' | 'Smallest';
}

export interface Part<Job> {
  readonly job: Job;
  readonly operands: Operands;
  /** The part as the user put it. */
  readonly source: string;
}

/** `misunderstood` is the first part that is in no form: nothing of such a request is to be done. */
type Parsed<Job> =
  | { readonly parts: readonly Part<Job>[]; readonly misunderstood: null }
  | { readonly parts: null; readonly misunderstood: string };

/** Longer requests are not looked at, so that reading one takes a bounded time. Characters. */
const MAX_LENGTH = 20_000;
/** An "and" may stand inside a part, as in "its path and line count"; so many are tried. */
const MAX_JOINS_INSIDE = 6;

interface Token {
  /** What it says, without quotation marks. */
  readonly text: string;
  /**
   * What patterns see of it: a space, what it is (`"` quoted, `/` may be a path, `-` another word, `~` says nothing, `,` a
   * comma, `;` the end of a sentence), and its text in lower case. So no quoted text is ever taken for a word of the grammar.
   */
  readonly sign: string;
  /** Its place in the request. */
  readonly start: number;
  readonly end: number;
}

// A dot, colon or question mark belongs to a word if more of the word follows, as in "a.ts".
const TOKEN =
  /`([^`]+)`|"([^"]*)"|“([^”]*)”|'([^'\n]*)'(?!\w)|([;!?\n…]|\.(?=\s|$))|(,)|:(?=\s|$)|((?:"[^"\n]*"|[^\s,;"`“”.:!?…]|[.:!?](?=[^\s,;]))+)|\S/g;
const FILLER = /^(?:the|a|an|all|me|please|there|thanks)$/i;

function tokenise(text: string): Token[] {
  return [...text.matchAll(TOKEN)].flatMap((found): Token[] => {
    const [whole, ticked, double, curly, single, stop, comma] = found;
    // In double quotes `\n` and `\t` are a line break and a tab.
    const broken = double?.replace(/\\([nt])/g, (_, sign) => (sign === 'n' ? '\n' : '\t'));
    const quoted = ticked ?? curly ?? single ?? broken;
    const said = quoted ?? whole;
    const word = FILLER.test(said) ? '~' : /[./]|^[A-Z]/.test(said) ? '/' : '-';
    const mark = quoted !== undefined ? '"' : stop !== undefined ? ';' : comma !== undefined ? ',' : word;
    const sign = ` ${mark}${said.toLowerCase().replace(/\s/g, '_')}`;
    return whole === ':' ? [] : [{ text: said, sign, start: found.index, end: found.index + whole.length }];
  });
}

// Patterns over the signs of tokens. Each begins at a token and ends behind one.

const END = '(?= |$)';
const words = (choice: string): string => ` [/~-](?:${choice})${END}`;
const JOIN = `(?: ,,|${words('and')})`;
const OPENING = `(?:${JOIN}|${words('please|can|could|would|you|now|first|also|finally|next|just|kindly')})*`;
const FILLERS = '(?: ~\\S+)*';
const ANY = ' ["/-]\\S+';
const FOLDER = `(?:${words('this|current')}${words('folder|project|repository')}| "\\S+| [/-][\\w@.~/+-]+${END})`;
const PLACE = `${words('in|under|inside|below|from|of')}${FILLERS}${FOLDER}`;
const IT = words('it|them|that|these|those|its|their');

/** A path has a dot or a slash in it or begins with a capital, as "Makefile" does; any other has to be quoted. */
const FILE = ` ["/][^\\s*]+${END}`;
/** Kinds of files by their name: how it is written, and the extensions. */
const KINDS = new Map(
  `TypeScript ts tsx|JavaScript js jsx mjs cjs|Python py|Markdown md|Rust rs|Ruby rb|Go go|Java java|C c h|C++ cpp cc hpp
  |shell sh bash|HTML html|CSS css|JSON json|YAML yml yaml|text txt`
    .split(/\s*\|/)
    .map((kind) => [kind.replace(/ .*/, '').toLowerCase(), kind.split(' ')]),
);
const GLOB = ' ["/-][^\\s*]*\\*\\S*';
const NAMED = words('named|called|matching');
const OF_KIND = `(?:${GLOB}| ["/-]\\.\\w+|${words([...KINDS.keys()].join('|').replaceAll('+', '\\+'))})`;
/** `TypeScript files`, `.ts files`, `*.md files`, `*.md`, `files`, `files named package.json`. */
const KIND = `(?:${OF_KIND}?${words('files?')}(?:${NAMED}${ANY})?|${GLOB})`;

/** Words for each fact of a result. */
const FACETS: readonly (readonly [Facet, string])[] = [
  ['path', 'paths?|names?'],
  ['lines', 'lines'],
  ['count', 'count|number'],
  ['all', 'it|them|list|matches|output|results?|text|content'],
];
const LINES = ' -number -of -lines| -line -counts?';
const FACET = `(?:${words('its|their|the')})*(?:${LINES}|${words(FACETS.map(([, choice]) => choice).join('|'))})`;
/** Who names one of these wants it made, and not its name in a file. */
const MADE =
  `answers?|class|code|comments?|component|content|documentation|docs|essay|examples?|explanation|functions?|joke
  |notes|poem|program|readme|report|script|sizes?|story|summary|tests?|todos?|translation|this|these|those|something
  |anything|everything|nothing`.replace(/\s/g, '');

type Read = (first: string, tokens: readonly Token[], source: string) => Operands;

/**
 * What a word in capitals in a form stands for: its pattern, and how it is read, from the text of its first token, all its
 * tokens, and what stands in the request. A pattern may name other operands.
 */
const OPERANDS: Readonly<Record<string, readonly [pattern: string, read: Read]>> = {
  KIND: [KIND, (_, tokens) => ({ kind: kindOf(tokens) })],
  NAME: [FILE, (name) => ({ kind: namedKind(name) })],
  PLACE: [PLACE, (_, tokens) => ({ folder: folderOf(tokens) })],
  FOLDER: [FOLDER, (_, tokens) => ({ folder: folderOf(tokens) })],
  IT: [IT, () => ({ it: true })],
  PATH: [FOLDER, (_, tokens) => ({ file: folderOf(tokens) })],
  TARGET: [`(?<IT>${IT})|(?<KIND>${KIND})(?<PLACE>${PLACE})?|(?<PATH>${FOLDER})`, () => ({})],
  FILE: [FILE, (file) => ({ file })],
  TEXT: [ANY, (text) => ({ text })],
  NEW: [ANY, (newText) => ({ newText })],
  QUOTED: [' "\\S+', (text) => ({ text })],
  WORD: [`(?!${words(MADE)})${ANY}`, (text) => ({ text })],
  // One quoted text, or the rest of the part to the letter. "the tests" is not a command.
  COMMAND: [
    ` "\\S+| [/-]\\S+(?: \\S+)*(?<!${JOIN})`,
    (first, [token], source) => ({ command: token?.sign.startsWith(' "') ? first : source }),
  ],
  RESULT: [`${FACET}(?:${JOIN}+${FACET})*`, (_, tokens) => ({ facets: facetsOf(tokens) })],
  NUMBER: [` -\\d{1,4}${END}`, (digits) => ({ number: Number(digits) })],
  SIZE: [
    words('largest|biggest|longest|smallest|shortest'),
    (size) => ({ order: /^s/i.test(size) ? 'Smallest' : 'Largest' }),
  ],
};

function kindOf(tokens: readonly Token[]): FileQuery {
  const [{ text = '', sign = '' } = {}] = tokens;
  if (new RegExp(NAMED).test(tokens.at(-2)?.sign ?? '')) return namedKind(tokens.at(-1)?.text ?? '');
  const [name = text, ...extensions] = KINDS.get(sign.slice(2)) ?? [];
  const globs = text.includes('*') ? [text] : text.startsWith('.') ? [`*${text}`] : extensions.map((end) => `*.${end}`);
  const noun = tokens.some((token) => token.sign === ' -file') ? 'file' : 'files';
  return { label: globs.length === 0 ? noun : `${name} ${noun}`, globs };
}

function namedKind(name: string): FileQuery {
  return { label: `files named ${name}`, globs: [name] };
}

/** Of the words of a place or a folder, the last names it. */
function folderOf(tokens: readonly Token[]): string {
  const isThis = new RegExp(words('this|current')).test(tokens.at(-2)?.sign ?? '');
  return isThis ? '.' : (tokens.at(-1)?.text ?? '.');
}

function facetsOf(tokens: readonly Token[]): Facet[] {
  const said = signOf(tokens).replace(new RegExp(LINES, 'g'), ' -lines');
  return FACETS.flatMap(([name, choice]) => (new RegExp(words(choice)).test(said) ? [name] : []));
}

/** The files that KIND and PLACE name together, or a path by itself. */
export function queryOf({ kind, folder, file }: Operands): FileQuery {
  if (file !== undefined) return { label: file, globs: [], path: file };
  const { label, globs } = kind ?? { label: 'files', globs: [] };
  return { label: folder === undefined ? label : `${label} in ${folder}`, globs, path: folder };
}

function signOf(tokens: readonly Token[]): string {
  return tokens.map(({ sign }) => sign).join('');
}

function tokensIn(sign: string): number {
  return sign.split(' ').length - 1;
}

/** One parser for all jobs. */
export function createParser<Job extends { readonly forms: readonly string[] }>(
  jobs: readonly Job[],
): (request: string) => Parsed<Job> {
  const forms = jobs.flatMap((job) => job.forms.map((form) => ({ job, pattern: patternOf(form) })));
  const verbs = jobs.flatMap((job) => job.forms.map((form) => form.replace(/ .*/, ''))).join('|');
  const between = new RegExp(`(?<!^|${JOIN})${JOIN}(?=${OPENING}${words(verbs)})`, 'g');

  const parsePart = (tokens: readonly Token[], request: string): Part<Job> | null => {
    const sign = signOf(tokens);
    for (const { job, pattern } of forms) {
      const groups = pattern.exec(sign)?.indices?.groups;
      if (groups === undefined) continue;
      const operands = Object.entries(groups).map(([name, place]) => {
        if (place === undefined) return {};
        const [start, end] = place.map((index) => tokensIn(sign.slice(0, index)));
        const said = tokens.slice(start, end);
        return OPERANDS[name]?.[1](said[0]?.text ?? '', said, sourceOf(said, request));
      });
      return { job, operands: Object.assign({}, ...operands), source: sourceOf(tokens, request) };
    }
    return null;
  };

  return (request) => {
    const parts: Part<Job>[] = [];
    for (const sentence of request.length > MAX_LENGTH ? [] : sentencesOf(request)) {
      for (let rest = sentence; rest.length > 0; ) {
        const sign = signOf(rest);
        const ends: number[] = [];
        for (const { index } of sign.matchAll(between)) {
          if (ends.push(tokensIn(sign.slice(0, index))) === MAX_JOINS_INSIDE) break;
        }
        ends.push(rest.length);
        // The shortest beginning that is in a form is the first part.
        const end = ends.find((at) => parsePart(rest.slice(0, at), request) !== null) ?? 0;
        const part = parsePart(rest.slice(0, end), request);
        if (part === null) return { parts: null, misunderstood: sourceOf(rest.slice(0, ends[0]), request) };
        parts.push(part);
        rest = rest.slice(end);
      }
    }
    return parts.length === 0 ? { parts: null, misunderstood: request } : { parts, misunderstood: null };
  };
}

/** A form as a pattern. "the", "all" and the like say nothing; only a command is taken word for word. */
function patternOf(form: string): RegExp {
  const symbols = [...form.matchAll(/[[\]]|[^\s[\]]+/g)].map(([symbol]) => {
    if (symbol === '[' || symbol === ']') return symbol === '[' ? '(?:' : ')?';
    const [pattern] = OPERANDS[symbol] ?? [];
    const element = pattern === undefined ? words(symbol) : `(?<${symbol}>${pattern})`;
    return symbol === 'COMMAND' ? element : FILLERS + element;
  });
  return new RegExp(`^${OPENING}${symbols.join('')}(?: ~\\S+|${JOIN})*$`, 'd');
}

/** What "then", line breaks and the ends of sentences part, without what says nothing. */
function sentencesOf(request: string): Token[][] {
  const sentences: Token[][] = [[]];
  for (const token of tokenise(request)) {
    if (/^ (?:;|[/-]then$)/.test(token.sign)) sentences.push([]);
    else sentences.at(-1)?.push(token);
  }
  return sentences.filter((tokens) => !new RegExp(`^${OPENING}$`).test(signOf(tokens)));
}

function sourceOf(tokens: readonly Token[], request: string): string {
  return request.slice(tokens[0]?.start, tokens.at(-1)?.end).replace(/^(?:[,\s]|and\s)+|[,\s]+$/g, '');
}
