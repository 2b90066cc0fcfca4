// Slots of a phrase: paths, folders, kinds of files, counts, pronouns. A slot is taken out of the phrase, so what is
// left at the end shows whether every word was understood.

import { LITERAL, type Phrase } from './phrase.js';
import type { FileQuery, LineRange, Target } from './step.js';
import {
  BARE_FILE_NAMES,
  FILE_KINDS,
  FILE_NOUN,
  FILLER,
  NOT_A_FILE,
  NOT_A_FOLDER,
  NUMBER_WORDS,
} from './vocabulary.js';

/** One word that can be a path: a stand-in for a quoted one, or characters that paths use. */
export const TOKEN = `(?:${LITERAL}|[\\p{L}\\p{N}_@.~+/\\\\-]+)`;

/** Words not accounted for by a slot or by the list of words that mean nothing. */
export function leftover(phrase: Phrase): string[] {
  return phrase.text
    .toLowerCase()
    .split(/[\s,:;()?!]+/)
    .map((word) => word.replace(/[.'’]+$/, '').replace(/['’]s$/, ''))
    .filter((word) => word !== '' && word !== '-' && !FILLER.has(word));
}

/** The path a token names, or null where it is no path. A quoted token is one where it looks like one. */
export function pathOf(phrase: Phrase, token: string): string | null {
  const literal = phrase.literalOf(token);
  const text = (literal?.text ?? token.replace(/[.,;:!?]+$/, '')).trim();
  if (text === '' || text.length > 400 || text.includes('\n') || text.includes('://')) return null;
  if (NOT_A_FILE.has(text.toLowerCase()) || /[*?]/.test(text)) return null;
  if (hasExtension(text) || BARE_FILE_NAMES.has(text) || /^\.[a-z][\w.-]+$/i.test(text)) return text;
  if (/^[\w@.~+-]*(?:\/[\w@.+-]*)+$/.test(text) && text !== '/' && text !== 'and/or') return text;
  return null;
}

function hasExtension(text: string): boolean {
  return /[\p{L}\p{N}_)\]-]\.[\p{L}]\w{0,9}$/u.test(text) && !/^\d+(?:\.\d+)*$/.test(text);
}

/** Takes every file path, in order. "the readme" counts. */
export function takePaths(phrase: Phrase): string[] {
  const paths: string[] = [];
  const words = phrase.text.split(' ');
  const kept = words.filter((word, index) => {
    const bare = word.replace(/[,;:!?]+$/, '').replace(/['’]s$/, '');
    const path = pathOf(phrase, bare) ?? wellKnownName(bare);
    if (path === null || (path.endsWith('/') && path.length > 1)) return true;
    // "in src/tools" is a folder: the folder slot takes it.
    if (!hasExtension(path) && /^(?:in|under|inside|within|below|across)$/i.test(words[index - 1] ?? '')) return true;
    paths.push(path);
    return false;
  });
  phrase.text = kept.join(' ');
  return [...new Set(paths)];
}

function wellKnownName(word: string): string | null {
  const name = /^(readme|changelog|contributing|licen[sc]e)$/i.exec(word)?.[1];
  return name === undefined ? null : name.toUpperCase();
}

const CWD_PHRASE =
  /\b(?:in|under|of|from|within|inside|across|throughout|at)\s+(?:this|the|my|our|your)\s+(?:(?:current|whole|entire|working|root|top[- ]level|project)\s+)*(?:folder|directory|dir|project|repo|repository|codebase|code base|workspace|tree|package|root|cwd)(?:\s+(?:folder|directory))?\b|\b(?:in\s+)?(?:here|cwd|everywhere)\b|\bthis (?:project|repo|repository|codebase|workspace|folder|directory)\b/i;
const FOLDER = new RegExp(
  `\\b(?:under|underneath|inside|within|below|beneath|in|from|across|throughout)\\s+(?:the\\s+|my\\s+|our\\s+)?` +
    `(?:(?:folders?|director(?:y|ies)|dirs?)\\s+(?:called\\s+|named\\s+)?)?(${TOKEN})(?=$|[\\s,;:!?)])` +
    `(\\s+(?:folder|directory|dir|subfolder|tree|package)\\b)?`,
  'iu',
);
const OF_FOLDER = new RegExp(
  `\\bof\\s+(?:the\\s+)?(${TOKEN}\\/|${TOKEN}(?=\\s+(?:folder|directory|dir)\\b))(?:\\s+(?:folder|directory|dir)\\b)?`,
  'iu',
);
const MORE_FOLDERS = new RegExp(
  `^\\s*(?:,\\s*and|,|and|or)\\s+(?:in\\s+|under\\s+)?(?:the\\s+)?(${TOKEN})(?=$|[\\s,])(?:\\s+(?:folders?|directories)\\b)?`,
  'iu',
);

/** Takes "under src", "in src and test", "in this project". No folder named: the working directory. */
export function takeFolders(phrase: Phrase): string[] {
  if (phrase.take(CWD_PHRASE) !== null) return [];
  for (const pattern of [FOLDER, OF_FOLDER]) {
    for (const match of phrase.text.matchAll(new RegExp(pattern.source, 'giu'))) {
      const first = match[1] === undefined ? null : folderName(phrase, match[1], match[2] !== undefined);
      if (first === null || speaksOfFiles(phrase, match)) continue;
      return takeFolderList(phrase, first, match.index, match.index + match[0].length);
    }
  }
  return [];
}

/** "in test files" is no folder called test. */
function speaksOfFiles(phrase: Phrase, match: RegExpExecArray): boolean {
  const after = phrase.text.slice(match.index + match[0].length);
  return match[2] === undefined && new RegExp(`^\\s+(?:\\w+\\s+)?${FILE_NOUN}\\b`, 'i').test(after);
}

/** The folders from `start` on: the first is known, "and test" may follow from `end`. Takes them all. */
function takeFolderList(phrase: Phrase, first: string, start: number, end: number): string[] {
  const folders = [first];
  let after = end;
  for (;;) {
    const more = MORE_FOLDERS.exec(phrase.text.slice(after));
    const next = more?.[1] === undefined ? null : folderName(phrase, more[1], false);
    if (more === null || next === null) break;
    folders.push(next);
    after += more[0].length;
  }
  phrase.text = `${phrase.text.slice(0, start)} ${phrase.text.slice(after)}`.replace(/\s+/g, ' ').trim();
  return folders.filter((folder) => folder !== '.');
}

function folderName(phrase: Phrase, token: string, saysFolder: boolean): string | null {
  const literal = phrase.literalOf(token);
  const text = (literal?.text ?? token).replace(/(?<=.)\/+$/, '');
  if (text === '' || /[\n*?]/.test(text)) return null;
  if (text === '.' || text === './') return '.';
  if (literal !== null) return text;
  if (!saysFolder && (NOT_A_FOLDER.has(text.toLowerCase()) || hasExtension(text) || BARE_FILE_NAMES.has(text)))
    return null;
  if (/^(?:readme|changelog|licen[sc]e)$/i.test(text)) return null;
  return text;
}

interface Kinds {
  readonly label: string;
  readonly globs: readonly string[];
}

/** Takes "TypeScript", "Markdown and JSON", "Python test", ".md", "*.css", "named foo". Null where none is named. */
export function takeKinds(phrase: Phrase): Kinds | null {
  const named = takeNamePattern(phrase);
  if (named !== null) return named;
  const labels: string[] = [];
  const extensions: string[] = [];
  for (const kind of FILE_KINDS) {
    const words = kind.words.join('|');
    const tail =
      kind.noun === true ? `(?=(?:\\s*(?:,|and|or|test|code)\\s*|\\s+[\\w+#]+)?\\s+${FILE_NOUN}\\b)` : '(?![\\w.+#/-])';
    const match = phrase.take(new RegExp(`(?<![\\w./*-])(?:${words})${tail}`, 'iu'));
    if (match === null) continue;
    labels.push(kind.label);
    extensions.push(...kind.extensions);
  }
  for (;;) {
    const match = phrase.take(
      /(?<=^|\s)(?:with\s+(?:the\s+)?(?:extension|suffix)\s+|ending\s+(?:in|with)\s+|that\s+end\s+(?:in|with)\s+)?\.([A-Za-z]\w{0,8})(?=\s+(?:files?|and|or|documents?)\b|\s*,|$)/i,
    );
    if (match?.[1] === undefined) break;
    labels.push(`.${match[1]}`);
    extensions.push(match[1]);
  }
  const tests =
    phrase.take(/\b(?:unit )?tests?(?=\s+(?:files?|modules?|scripts?|cases?)\b|$)|\bspecs?(?=\s+files?\b|$)/i) !== null;
  if (extensions.length === 0 && !tests) return null;
  const label = [...new Set(labels)].join(' and ');
  if (tests) return { label: `${label} test`.trim(), globs: testGlobs([...new Set(extensions)]) };
  return { label, globs: [...new Set(extensions)].map((extension) => `*.${extension}`) };
}

function testGlobs(extensions: readonly string[]): string[] {
  if (extensions.length === 0) return ['*.test.*', '*.spec.*', '*_test.*', 'test_*.*'];
  return extensions.flatMap((extension) => [
    `*.test.${extension}`,
    `*.spec.${extension}`,
    `*_test.${extension}`,
    `test_*.${extension}`,
  ]);
}

function takeNamePattern(phrase: Phrase): Kinds | null {
  const glob = phrase.take(
    /(?:\b(?:matching|named|called|like|of the form)\s+(?:the\s+)?(?:pattern\s+|glob\s+)?)?(?<=^|\s)([^\s\uE000]*\*[^\s\uE000,;]*)/i,
  );
  if (glob?.[1] !== undefined) return { label: glob[1], globs: [glob[1]] };
  const forms: readonly [string, (name: string) => string[]][] = [
    [
      '(?:whose\\s+names?\\s+contains?|with\\s+names?\\s+containing|whose\\s+names?\\s+includes?|with)\\s+(T)\\s+in\\s+(?:the|their|its)\\s+(?:file)?names?',
      (name) => [`*${name}*`],
    ],
    [
      '(?:whose\\s+names?\\s+(?:contains?|includes?)|with\\s+names?\\s+containing|(?:file)?names?\\s+containing)\\s+(T)',
      (name) => [`*${name}*`],
    ],
    [
      '(?:whose\\s+names?\\s+)?(?:starting|beginning|that\\s+starts?|that\\s+begins?|starts?|begins?)\\s+with\\s+(T)',
      (name) => [`${name}*`],
    ],
    ['(?:whose\\s+names?\\s+)?(?:ending|that\\s+ends?|ends?)\\s+(?:with|in)\\s+(T)', (name) => [`*${name}`]],
    ['with\\s+(?:the\\s+)?(?:file\\s+)?(?:extension|suffix)\\s+(T)', (name) => [`*.${name.replace(/^\./, '')}`]],
    [
      '(?:matching|like)\\s+(?:the\\s+)?(?:pattern\\s+|glob\\s+)?(T)',
      (name) => (/[*?[{]/.test(name) ? [name] : [`*${name}*`]),
    ],
    ['(?:named|called|with\\s+the\\s+name|by\\s+the\\s+name(?:\\s+of)?)\\s+(T)', exactName],
  ];
  for (const [source, globs] of forms) {
    const match = phrase.take(new RegExp(`\\b${source.replace('T', TOKEN)}(?=$|[\\s,;:!?])`, 'iu'));
    const name = match?.[1] === undefined ? '' : phrase.reveal(match[1]);
    if (name !== '' && !/\s*\n/.test(name)) return { label: name, globs: globs(name) };
  }
  const literal = new RegExp(LITERAL).exec(phrase.text)?.[0];
  const text = literal === undefined ? undefined : phrase.literalOf(literal)?.text;
  if (literal === undefined || text === undefined || !/^\S*\*\S*$/.test(text)) return null;
  phrase.take(new RegExp(literal));
  return { label: text, globs: [text] };
}

function exactName(name: string): string[] {
  return /[*?[{]/.test(name) || hasExtension(name) ? [name] : [name, `${name}.*`];
}

/** Takes kinds and folders together and says them in words. Null where nothing in the phrase speaks of files. */
export function takeQuery(phrase: Phrase): FileQuery | null {
  const folders = takeFolders(phrase);
  const kinds = takeKinds(phrase);
  const noun = phrase.take(new RegExp(`\\b${FILE_NOUN}\\b`, 'i')) !== null;
  if (kinds === null && !noun && folders.length === 0) return null;
  return makeQuery(kinds, folders);
}

export function makeQuery(kinds: Kinds | null, folders: readonly string[]): FileQuery {
  const what =
    kinds === null
      ? 'files'
      : /[*.]/.test(kinds.label) || kinds.globs.includes(kinds.label)
        ? `files matching ${kinds.label}`
        : `${kinds.label} files`;
  const where = folders.length === 0 ? '' : ` under ${folders.join(' and ')}`;
  return { label: what + where, globs: kinds?.globs ?? [], folders };
}

const PRONOUN =
  /\b(?:(?:the|this|that|these|those|its|their)\s+(?:same\s+|resulting\s+|first\s+)?(?:files?|results?|list|one|ones|documents?|matches|paths?|findings?)|it|its|them|they|their|those|these|this|that)\b/i;

/** Takes "it", "that file", "them": what an earlier part found. */
export function takePronoun(phrase: Phrase): boolean {
  return phrase.take(PRONOUN) !== null;
}

/** Takes a number, in digits or as a word. */
export function numberOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : NUMBER_WORDS[text.toLowerCase()];
  return value === undefined || value === 0 ? null : value;
}

export const NUMBER = `\\d{1,6}|${Object.keys(NUMBER_WORDS).join('|')}`;

/** Takes "the first 20 lines", "lines 10-20", "line 7", "the last 5 lines". */
export function takeRange(phrase: Phrase): LineRange | null {
  const edge = phrase.take(
    new RegExp(`\\b(first|top|last|final)\\s+(${NUMBER})\\s+lines?\\b|\\b(first|last)\\s+line\\b`, 'i'),
  );
  if (edge !== null) {
    const count = numberOf(edge[2]) ?? 1;
    return /last|final/i.test(edge[1] ?? edge[3] ?? '') ? { kind: 'last', count } : { kind: 'span', from: 1, count };
  }
  const span = phrase.take(/\blines?\s+(\d{1,7})(?:\s*(?:-|–|to|through|until|and)\s*(\d{1,7}))?\b/i);
  if (span?.[1] === undefined) return null;
  const from = Math.max(1, Number(span[1]));
  return { kind: 'span', from, count: Math.max(1, Number(span[2] ?? span[1]) - from + 1) };
}

/** A target named in the phrase: paths first, then a pronoun, then a kind of files. Null where there is none. */
export function takeTarget(phrase: Phrase): Target | null {
  const query = phrase.copy();
  const paths = takePaths(phrase);
  if (paths.length > 0) return { kind: 'paths', paths };
  if (new RegExp(LITERAL).test(query.text) === false && hasPronounOnly(query)) {
    takePronoun(phrase);
    return { kind: 'previous' };
  }
  const files = takeQuery(phrase);
  return files === null ? null : { kind: 'query', query: files };
}

/** "the files" is a pronoun, "the files in src" is not. */
function hasPronounOnly(phrase: Phrase): boolean {
  const rest = phrase.copy();
  const query = takeQuery(rest);
  if (query !== null && (query.globs.length > 0 || query.folders.length > 0)) return false;
  return (
    PRONOUN.test(phrase.text) &&
    !/\b(?:this|the)\s+(?:project|repo|repository|folder|directory|codebase)\b/i.test(phrase.text)
  );
}
