// Why old_string was not found, in words that let the next try succeed: the place that was probably meant, its exact
// text, and what differs.
import { cutAtWord } from '../../util/text.js';

/** Characters of a file that are searched for a likely place; above it only a general answer is given. */
const MAX_SEARCHED = 4_000_000;
const MAX_LINES_SHOWN = 60;
const MAX_LINE_SHOWN = 1_000;
const MAX_QUOTED = 160;

interface LineForm {
  readonly difference: string;
  readonly of: (line: string) => string;
}

/** Ways in which a line is often retold wrongly, the mildest first. */
const LINE_FORMS: readonly LineForm[] = [
  { difference: 'only white space at the start or end of lines differs', of: (line) => line.trim() },
  { difference: 'only white space differs', of: (line) => line.replace(/\s+/g, '') },
  { difference: 'only typographic characters (quotes, dashes, spaces, accents) differ', of: plainCharacters },
  { difference: 'only upper and lower case differ', of: (line) => line.trim().toLowerCase() },
];

/** Ways in which a whole text is often given wrongly: what was done to it, and how to undo it. */
const TEXT_FORMS: readonly { readonly problem: string; readonly undo: (text: string) => string }[] = [
  {
    problem:
      'old_string holds the line numbers that Read puts in front of each line. Leave out the number and the tab, in new_string too.',
    undo: (text) => text.replace(/^ *\d+\t/gm, ''),
  },
  {
    problem:
      'old_string is escaped once too often (\\n, \\t or \\" as two characters). Give the real characters, in new_string too.',
    undo: unescapeOnce,
  },
  {
    problem:
      'old_string holds HTML entities (such as &lt;) where the file has the characters. Give the characters, in new_string too.',
    undo: (text) =>
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  },
];

/**
 * Explains that `wanted` is not in `text`. Both have "\n" line breaks.
 * Contract: `text` does not contain `wanted`; the answer ends with the exact text of the likely place if there is one.
 */
export function explainMismatch(text: string, wanted: string): string {
  if (text === '') return 'The file is empty.';
  if (text.length > MAX_SEARCHED) return 'Find the place with Grep and copy its exact text.';
  const lines = text.split('\n');
  for (const { problem, undo } of TEXT_FORMS) {
    const undone = undo(wanted);
    if (undone === wanted || undone.trim() === '') continue;
    const at = text.indexOf(undone);
    if (at !== -1) return `${problem}\n${excerptAt(text, lines, at, undone)}`;
    if (problem.includes('line numbers')) return `${problem}\n${explainLines(lines, undone)}`;
  }
  return explainLines(lines, wanted);
}

function plainCharacters(line: string): string {
  return line
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, '');
}

function unescapeOnce(text: string): string {
  const plain: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
  return text.replace(/\\([ntr"'\\`])/g, (_, character: string) => plain[character] ?? character);
}

function excerptAt(text: string, lines: readonly string[], at: number, found: string): string {
  const first = text.slice(0, at).split('\n').length - 1;
  return excerpt(lines, first, found.split('\n').length);
}

function explainLines(lines: readonly string[], wanted: string): string {
  const wantedLines = withoutBlankEdges(wanted.split('\n'));
  if (wantedLines.length === 0) return 'old_string is white space that the file does not have like this.';
  for (const form of LINE_FORMS) {
    const [first, second] = findLines(lines, wantedLines, form.of);
    if (first === undefined) continue;
    const also = second === undefined ? '' : ` (the same is true at line ${second + 1})`;
    return `The closest place is line ${first + 1}${also}; ${form.difference}. ${firstDifference(lines, first, wantedLines)}\n${excerpt(lines, first, wantedLines.length)}`;
  }
  const closest = closestPlace(lines, wantedLines);
  if (closest === null) return 'Nothing in the file is close to it. Read the file, or find the place with Grep.';
  return `The closest place is line ${closest + 1}. ${firstDifference(lines, closest, wantedLines)}\n${excerpt(lines, closest, wantedLines.length)}`;
}

function withoutBlankEdges(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** Up to two places at which the lines agree in one form. The first and the last wanted line may be parts of a line. */
function findLines(lines: readonly string[], wanted: readonly string[], form: (line: string) => string): number[] {
  const forms = lines.map(form);
  const wantedForms = wanted.map(form);
  const last = wantedForms.length - 1;
  const agrees = (line: string | undefined, index: number): boolean => {
    const part = wantedForms[index] ?? '';
    if (line === undefined) return false;
    if (last === 0) return part !== '' && line.includes(part);
    if (index === 0) return line.endsWith(part);
    return index === last ? line.startsWith(part) : line === part;
  };
  const found: number[] = [];
  for (let start = 0; start + last < forms.length && found.length < 2; start++) {
    if (wantedForms.every((_, index) => agrees(forms[start + index], index))) found.push(start);
  }
  return found;
}

/**
 * The place at which most of the wanted lines stand in the same order; else the line that shares most words with the
 * longest one.
 */
function closestPlace(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const key = line.trim();
    if (key.length < 4) continue;
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else if (known.length < 50) known.push(index);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of wanted.entries()) {
    for (const place of places.get(line.trim()) ?? []) {
      const start = Math.max(0, place - index);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  }
  const [best] = [...votes].sort(([a, votesA], [b, votesB]) => votesB - votesA || a - b);
  return best?.[0] ?? mostSimilarLine(lines, wanted);
}

function mostSimilarLine(lines: readonly string[], wanted: readonly string[]): number | null {
  const longest = wanted.reduce((best, line) => (line.trim().length > best.trim().length ? line : best), '');
  const words = wordsOf(longest);
  let best = { index: -1, score: 0 };
  for (const [index, line] of lines.entries()) {
    const others = wordsOf(line);
    let shared = 0;
    for (const word of words) if (others.has(word)) shared += 1;
    const score = shared / Math.max(1, words.size + others.size - shared);
    if (score > best.score) best = { index, score };
  }
  return best.score < 0.3 ? null : Math.max(0, best.index - wanted.indexOf(longest));
}

function wordsOf(line: string): Set<string> {
  return new Set(line.match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function firstDifference(lines: readonly string[], start: number, wanted: readonly string[]): string {
  const last = wanted.length - 1;
  for (const [index, part] of wanted.entries()) {
    const line = lines[start + index];
    const isPart = (index === 0 && line?.endsWith(part)) || (index === last && line?.startsWith(part));
    if (line === part || isPart || (last === 0 && line?.includes(part))) continue;
    const has = line === undefined ? 'the file ends there' : `the file has ${quote(line)}`;
    return `First difference, at line ${start + index + 1}: ${has}, old_string has ${quote(part)}.`;
  }
  return 'The lines agree; blank lines around them differ.';
}

/** White space made visible by JSON escapes. */
function quote(line: string): string {
  return JSON.stringify(line.length <= MAX_QUOTED ? line : `${cutAtWord(line, MAX_QUOTED)}…`);
}

function excerpt(lines: readonly string[], first: number, length: number): string {
  const shown = lines.slice(first, first + Math.min(length, MAX_LINES_SHOWN));
  const range = shown.length === 1 ? `Line ${first + 1}` : `Lines ${first + 1}-${first + shown.length}`;
  const text = shown.map((line) =>
    line.length <= MAX_LINE_SHOWN ? line : `${cutAtWord(line, MAX_LINE_SHOWN)}… [line cut]`,
  );
  return `${range} of the file, exactly as they are:\n${text.join('\n')}`;
}
