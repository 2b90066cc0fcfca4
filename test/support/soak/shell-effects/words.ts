// Words of lines of chance: files of each kind, in each way that a shell writes them. `@R` is the root of the fixture.
import type { Random } from '../random.js';

const HERE = [
  ...['a.txt', 'b.txt', 'numbers.txt', 'c.csv', 'data.json', 'sub/s1.txt', 'src/util.js', 'docs/readme.md', './a.txt'],
  ...['src/deep/x.txt', '"sp ace.txt"', "'sp ace.txt'", 'sp\\ ace.txt', '.env', '.hidden', 'sub/.dot', 'sub/../b.txt'],
  ...['hard.txt', 'list.txt', "$'a.txt'", '"a.txt"', './-dash'],
];
const MISSING = ['new1', 'new2.txt', 'sub/new3', './new4', 'newdir/x', 'src/new5.js', 'out.o'];
const FOLDERS = ['.', 'sub', 'src', './sub', 'empty', 'docs/', 'src/deep', '..', './', '""', 'dir-in', 'sub/..'];
const LINKS = [
  ...['link-in', 'link-out', 'dir-out', 'dir-out/o.txt', 'dir-in/util.js', 'link-missing', 'link-ssh', 'sub/link-up'],
  ...['dir-out/', 'dir-out/dir', 'dir-in/../a.txt', 'dir-out/../home/notes.txt'],
];
const AWAY = [
  ...['../outside/o.txt', '../outside/p.txt', '../outside', '../outside/dir', '@R/outside/o.txt', '@R/home/notes.txt'],
  ...['~/notes.txt', '~', '~/.ssh/id_rsa', '$HOME/notes.txt', '"$HOME/.ssh/id_rsa"', '${HOME}/notes.txt', '~+/a.txt'],
  ...['"$PWD/../outside/p.txt"', '$PWD/a.txt', '@R/outside/dir/q.txt', '../outside/new6', '~/new7', '@R/ws/a.txt'],
  ...['../outside/../home/notes.txt', '~/../outside/o.txt', '../home/.aws/credentials', '../outside/repo/a.txt'],
];
const GLOBS = [
  ...['*.txt', '*', './*', 'sub/*', '../outside/*', '../outside/*.txt', '{a,b}.txt', '?.txt', '[ab].txt', 'src/*.js'],
  ...['*/*.txt', '../{outside,home}/*.txt', 'link-*', 'dir-*/*', '{a.txt,../outside/o.txt}', '.h*', '**/*.txt'],
  ...['~/*.txt', '@R/outside/?.txt', 'sub/{s1.txt,new8}', 'su[a-c]/s1.txt', '"$HOME"/*'],
];
const GUARDED = ['.git/config', '.git/hooks/pre-commit', '.bashrc', '~/.bashrc', '.npmrc', '.vscode/tasks.json'];
const VARIABLES = [
  '$X',
  '"$X"',
  '${X}',
  '"${X}"',
  '$X/s1.txt',
  '"$X".bak',
  '${X:-a.txt}',
  '${NONE:-a.txt}',
  '${X%.*}.txt',
];

const KINDS: readonly (readonly [number, readonly string[]])[] = [
  [0.38, HERE],
  [0.12, MISSING],
  [0.1, FOLDERS],
  [0.1, LINKS],
  [0.13, AWAY],
  [0.09, GLOBS],
  [0.03, GUARDED],
  [0.05, VARIABLES],
];

/** A word for a file or a folder. */
export function fileWord(random: Random): string {
  let left = random.next();
  for (const [share, words] of KINDS) {
    left -= share;
    if (left < 0) return random.pick(words);
  }
  return random.pick(HERE);
}

const NUMBERS = ['1', '2', '3', '10', '+2', '-1', '1k'];
const SUFFIXES = ['.bak', '.orig', '~', '/../../outside/made', '.git', '/x', 'bak/', '../outside/'];
const PATTERNS = ['a', 'alpha', "'b$'", "'*.txt'", 'x', "'^.'", '"o*"', 'txt'];

const FILLERS: Readonly<Record<string, (random: Random) => string>> = {
  f: fileWord,
  r: (random) => random.pick(HERE),
  n: (random) =>
    random.pick([...MISSING, ...MISSING, '../outside/new6', 'dir-out/new9', 'link-missing', 'a.txt', 'sub']),
  d: (random) => random.pick([...FOLDERS, 'dir-out', '../outside', '~', 'newdir', '$HOME', '*/']),
  g: (random) => random.pick(GLOBS),
  o: (random) => random.pick(AWAY),
  i: (random) => random.pick(NUMBERS),
  s: (random) => random.pick(SUFFIXES),
  p: (random) => random.pick(PATTERNS),
  l: (random) => random.pick(LINKS),
};

/** A template with its marks (`{f}` a file, `{n}` a new name, …) filled in. */
export function fill(template: string, random: Random): string {
  return template.replaceAll(/\{([a-z])\}/g, (mark, kind: string) => FILLERS[kind]?.(random) ?? mark);
}

/** A value for an option. `called`: how the help of the program calls it, or what the description says it does. */
export function valueWord(random: Random, called: string): string {
  const name = called.toLowerCase();
  if (/file|path|read|write|remove|prefix|output|input|from|archive|log|config|script/.test(name))
    return fileWord(random);
  if (/dir|folder|root/.test(name)) return fill('{d}', random);
  if (/^n$|num|count|size|bytes|lines|level|cols|width|secs|time/.test(name)) return random.pick(NUMBERS);
  if (/suffix|ext/.test(name)) return random.pick(SUFFIXES);
  if (/shell|code|command|prog|acts/.test(name))
    return random.pick(["'cat a.txt'", 'cat', "'cat ../outside/o.txt'", 'tee']);
  return random.chance(0.45) ? fileWord(random) : random.pick([...NUMBERS, ...PATTERNS, ...SUFFIXES]);
}
