// Edits of real files as a model might get them wrong: the same change with other line endings, quotes, indentation or
// ends of lines, and two whose meaning is not kept.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { ToolError } from '../../../src/protocol/errors.js';
import { editTool } from '../../../src/tools/files.js';
import { markSeen } from '../seen-file.js';
import { createToolContext } from '../tool-context.js';
import { createRandom } from './random.js';

interface Call {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

interface Pair extends Call {
  /** The file around the place. */
  readonly head: string;
  readonly tail: string;
}

const crlf = (text: string) => text.replaceAll('\n', '\r\n');
const mapLines = (text: string, of: (line: string) => string) => text.split('\n').map(of).join('\n');
const indented = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
const commonIndent = (text: string) => Math.min(...indented(text).map((line) => line.length - line.trimStart().length));
const curly = (text: string) =>
  text
    .replace(/(^|[\s([{=])"/gm, '$1\u201c')
    .replaceAll('"', '\u201d')
    .replaceAll("'", '\u2019');
const straight = (text: string) => text.replace(/[\u201c\u201d]/g, '"').replaceAll('\u2019', "'");
const trimEnds = (text: string) => mapLines(text, (line) => line.trimEnd());
const tabs = (text: string) => mapLines(text, (line) => line.replace(/^(?: {2})+/, (s) => '\t'.repeat(s.length / 2)));
const wide = (text: string) => mapLines(text, (line) => line.replace(/^(?: {2})+/, (spaces) => spaces + spaces));
/** Both strings of the call. */
const call = (pair: Pair, of: (text: string) => string): Pair => ({
  ...pair,
  before: of(pair.before),
  after: of(pair.after),
});
/** All of the file. */
const file = (pair: Pair, of: (text: string) => string): Pair => ({
  ...pair,
  file: of(pair.file),
  head: of(pair.head),
  tail: of(pair.tail),
});

/** With what is expected at the place. */
const KEPT: Readonly<Record<string, (pair: Pair) => readonly [Pair, string, ((text: string) => string)?]>> = {
  'file with CRLF': (pair) => [file(pair, crlf), crlf(pair.after)],
  'call with CRLF': (pair) => [call(pair, crlf), pair.after],
  'typographic quotes in the file': (pair) => [file(pair, curly), pair.after, straight],
  'typographic quotes in the call': (pair) => [call(pair, curly), pair.after],
  'call without the common indentation': (pair) => {
    const depth = Math.min(commonIndent(pair.before), commonIndent(pair.after));
    return [call(pair, (text) => mapLines(text, (line) => line.slice(Math.min(depth, line.length)))), pair.after];
  },
  'call four spaces further in': (pair) => [
    call(pair, (text) => mapLines(text, (line) => (line === '' ? line : `    ${line}`))),
    pair.after,
  ],
  'call with tabs': (pair) => [call(pair, tabs), pair.after],
  'file with tabs': (pair) => [file(pair, tabs), tabs(pair.after)],
  'call with a wider indentation': (pair) => [call(pair, wide), pair.after],
  'white space at the end of lines in the file': (pair) => [
    { ...pair, file: `${pair.head}${pair.before.replaceAll('\n', '  \n')}${pair.tail}` },
    pair.after,
    trimEnds,
  ],
};

/** What must be refused. */
const LOST: Readonly<Record<string, (pair: Pair, random: (below: number) => number) => Call | null>> = {
  'a word that is another': ({ before, ...rest }, random) => {
    const words = [...before.matchAll(/[A-Za-z]{4,}/g)];
    const word = words[random(words.length)];
    if (word === undefined) return null;
    const other = `${before.slice(0, word.index)}qwxyz${before.slice(word.index + word[0].length)}`;
    return { ...rest, before: other };
  },
  'a twin in another indentation': (pair) => {
    const moved = mapLines(pair.before, (line) => (line === '' ? line : `      ${line}`));
    const asked = (text: string) => mapLines(text, (line) => (line === '' ? line : ` ${line}`));
    return { file: `${pair.file}\n${moved}\n`, before: asked(pair.before), after: asked(pair.after) };
  },
};

export interface EditFigures {
  /** Edits whose call or file was made different. */
  readonly perturbed: number;
  readonly right: number;
  readonly refused: number;
  /** A change that was not at the place, or that should not have been made. */
  readonly wrongPlace: readonly string[];
  /** At the place, but not what was meant. */
  readonly wrongText: readonly string[];
  readonly lost: number;
}

/** @param files paths from the root of the repository, indented by two spaces */
export async function checkEdits(files: readonly string[], pairs: number, seed: number): Promise<EditFigures> {
  const { int } = createRandom(seed);
  const random = (below: number): number => int(0, below - 1);
  const figures = {
    perturbed: 0,
    right: 0,
    refused: 0,
    lost: 0,
    wrongPlace: [] as string[],
    wrongText: [] as string[],
  };
  const texts = files.map((path) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8'));
  for (let done = 0; done < pairs; ) {
    const pair = makePair(texts[random(texts.length)] ?? '', random);
    if (pair === null) continue;
    done += 1;
    for (const [name, perturb] of Object.entries(KEPT)) {
      const [made, wanted, compare = (text: string) => text] = perturb(pair);
      if (made.before === pair.before && made.file === pair.file) continue;
      figures.perturbed += 1;
      const after = await edit(made);
      const expected = `${made.head}${wanted}${made.tail}`;
      if (after === null) figures.refused += 1;
      else if (!after.startsWith(made.head) || !after.endsWith(made.tail))
        figures.wrongPlace.push(told(name, made, after));
      else if (compare(after) === compare(expected)) figures.right += 1;
      else figures.wrongText.push(told(name, made, after.slice(made.head.length, after.length - made.tail.length)));
    }
    for (const [name, perturb] of Object.entries(LOST)) {
      const made = perturb(pair, random);
      if (made === null || made.file.includes(made.before)) continue;
      figures.lost += 1;
      if ((await edit(made)) !== null) figures.wrongPlace.push(`${name}: ${JSON.stringify(made.before)}`);
    }
  }
  return figures;
}

function told(name: string, { before, after }: Call, got: string): string {
  return `${name}\n--- old_string\n${before}\n--- new_string\n${after}\n--- became\n${got.slice(0, 2_000)}`;
}

/** Some whole lines that stand once in the file, and a change of them. */
function makePair(text: string, random: (below: number) => number): Pair | null {
  const lines = text.split('\n');
  const from = random(lines.length);
  const picked = lines.slice(from, from + 1 + random(8));
  while (picked.at(-1)?.trim() === '') picked.pop();
  const before = picked.join('\n');
  if (picked[0] === undefined || picked[0].trim() === '' || !/[A-Za-z]{4}/.test(before)) return null;
  const form = (some: string) => mapLines(some, (line) => line.trim());
  if (form(text).split(form(before)).length !== 2) return null;
  const after = change(picked, random);
  if (form(after) === form(before)) return null;
  const at = lines.slice(0, from).reduce((sum, line) => sum + line.length + 1, 0);
  return { file: text, before, after, head: text.slice(0, at), tail: text.slice(at + before.length) };
}

function change(lines: readonly string[], random: (below: number) => number): string {
  const at = random(lines.length);
  const line = lines[at] ?? '';
  const indent = line.slice(0, line.length - line.trimStart().length);
  switch (random(4)) {
    case 0:
      return lines.with(at, line.replace(/[A-Za-z]{4,}/, 'renamedThing')).join('\n');
    case 1:
      return lines.toSpliced(at + 1, 0, `${indent}addedCall(first, 2);`).join('\n');
    case 2:
      return lines.length === 1 ? `${line} // noted` : lines.toSpliced(at, 1).join('\n');
    default:
      return [`${indent}if (isWanted) {`, ...lines.map((each) => (each === '' ? '' : `  ${each}`)), `${indent}}`].join(
        '\n',
      );
  }
}

/** What the file is then; null if the edit was refused. */
async function edit({ file: content, before, after }: Call): Promise<string | null> {
  const host = createMemoryHost({ files: { '/w/a.ts': content } });
  const context = createToolContext({ host, cwd: '/w' });
  await markSeen(context, 'a.ts');
  try {
    await editTool.run({ file_path: '/w/a.ts', old_string: before, new_string: after }, context);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
  return new TextDecoder().decode(await host.fs.readFile('/w/a.ts'));
}
