// Words of lines of chance: files of each kind, in each way that a shell writes them. `@R` is the root of the fixture.
import type { Random } from '../random.js';
import { fixtureLines } from './templates.js';

type Kind = 'here' | 'missing' | 'folders' | 'links' | 'away' | 'globs' | 'guarded' | 'variables';

/** How often each kind is taken. */
const SHARES: Readonly<Record<Kind, number>> = {
  here: 0.38,
  missing: 0.12,
  folders: 0.1,
  links: 0.1,
  away: 0.13,
  globs: 0.09,
  guarded: 0.03,
  variables: 0.05,
};

const LINES = fixtureLines('words');
const WORDS = new Map(
  Object.keys(SHARES).map((kind) => [
    kind,
    LINES.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1)),
  ]),
);

function wordsOf(kind: Kind): readonly string[] {
  return WORDS.get(kind) ?? [];
}

/** A word for a file or a folder. */
export function fileWord(random: Random): string {
  let left = random.next();
  for (const [kind, share] of Object.entries(SHARES)) {
    left -= share;
    if (left < 0) return random.pick(wordsOf(kind as Kind));
  }
  return random.pick(wordsOf('here'));
}

const NUMBERS = ['1', '2', '3', '10', '+2', '-1', '1k'];
const SUFFIXES = ['.bak', '.orig', '~', '/../../outside/made', '.git', '/x', 'bak/', '../outside/'];
const PATTERNS = ['a', 'alpha', "'b$'", "'*.txt'", 'x', "'^.'", '"o*"', 'txt'];

const FILLERS: Readonly<Record<string, (random: Random) => string>> = {
  f: fileWord,
  r: (random) => random.pick(wordsOf('here')),
  n: (random) =>
    random.pick([
      ...wordsOf('missing'),
      ...wordsOf('missing'),
      '../outside/new6',
      'dir-out/new9',
      'link-missing',
      'a.txt',
      'sub',
    ]),
  d: (random) => random.pick([...wordsOf('folders'), 'dir-out', '../outside', '~', 'newdir', '$HOME', '*/']),
  g: (random) => random.pick(wordsOf('globs')),
  o: (random) => random.pick(wordsOf('away')),
  i: (random) => random.pick(NUMBERS),
  s: (random) => random.pick(SUFFIXES),
  p: (random) => random.pick(PATTERNS),
  l: (random) => random.pick(wordsOf('links')),
  e: (random) => random.pick(['odd', 'odd', 'src', 'docs', 'sub', 'twin', './src', 'empty']),
  u: (random) =>
    random.pick([
      'cat',
      'wc -l',
      'head -n 1',
      'grep -c a',
      'ls -la',
      'stat',
      'sort',
      'sed -n 1p',
      'diff a.txt',
      'jq .',
    ]),
};

/** A template with its marks (`{f}` a file, `{n}` a new name, …) filled in. */
export function fill(template: string, random: Random): string {
  return template.replaceAll(/\{([a-z])\}/g, (mark, kind: string) => FILLERS[kind]?.(random) ?? mark);
}

/** A value for an option. `called`: how the help of the program calls it, or what the description says it does. */
export function valueWord(random: Random, called: string): string {
  const name = called.toLowerCase();
  // `header/@file`: a file behind a sign.
  if (name.includes('@') || random.chance(0.04)) return `@${fileWord(random)}`;
  if (/file|path|read|write|remove|prefix|output|input|from|archive|log|config|script/.test(name))
    return fileWord(random);
  if (/dir|folder|root/.test(name)) return fill('{d}', random);
  if (/^n$|num|count|size|bytes|lines|level|cols|width|secs|time/.test(name)) return random.pick(NUMBERS);
  if (/suffix|ext/.test(name)) return random.pick(SUFFIXES);
  if (/shell|code|command|prog|acts/.test(name))
    return random.pick(["'cat a.txt'", 'cat', "'cat ../outside/o.txt'", 'tee']);
  return random.chance(0.45) ? fileWord(random) : random.pick([...NUMBERS, ...PATTERNS, ...SUFFIXES]);
}
