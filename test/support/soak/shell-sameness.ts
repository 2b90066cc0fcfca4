// One call, written in many ways: quoted, wrapped, assigned, looped over. However it is written, the reader of commands must
// tell at least the files that it tells of the plain one, or that not all is known. Nothing is run, so every option of every
// described program can be tried.
import path from 'node:path';
import { isOfFiles, type ProgramTable } from '../../../src/permissions/shell/programs/program-table.js';
import { PROGRAMS } from '../../../src/permissions/shell/programs/programs.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';
import { judgeCommand } from '../shell/judge.js';

const HOME = '/home/u';
const FOLDER = '/w';
/** A folder below it, for ways that move. */
const BELOW = 'below';

/** What is told of a line, as far as two lines can be compared. */
interface Told {
  /** Each file with what happens to it. */
  readonly uses: ReadonlySet<string>;
  readonly programs: ReadonlySet<string>;
  /** No question would be asked for what it runs. */
  readonly readsOnly: boolean;
  /** Not all is known: whatever else is told, somebody is asked. */
  readonly isOpen: boolean;
}

function tell(line: string, folder: string): Told {
  const { files, unknown, programs } = readCommand(line, { cwd: folder, home: HOME });
  const uses = new Set<string>();
  let isOpen = unknown !== null;
  for (const { path: file, within, base, into, access, reach, mentions, isMaybe } of files) {
    if (mentions !== undefined || isMaybe === true) continue;
    if (base === null || (file === null && within === null)) {
      isOpen = true;
      continue;
    }
    const whole = path.resolve(base, file ?? within ?? '');
    const names = file === null ? [`${whole}/*`] : [whole, ...(into ?? []).map((name) => path.join(whole, name))];
    for (const name of names) uses.add(`${access} ${name}${reach === 'itself' ? '' : ' and below'}`);
  }
  return {
    uses,
    programs: new Set(programs.map(({ name }) => path.basename(name ?? ''))),
    readsOnly: programs.every(({ readOnly }) => readOnly),
    isOpen,
  };
}

/** A way to write a call: a function of its program and words, null if it cannot be said so. */
interface Way {
  readonly name: string;
  readonly write: (program: string, words: readonly string[]) => string | null;
  /** The call works there, not in the folder that the line starts in. */
  readonly below?: true;
}

const lastOf = (words: readonly string[]) => words.at(-1) ?? '';
const butLast = (words: readonly string[]) => words.slice(0, -1).join(' ');
/** The whole call inside a text around it. */
const around = (name: string, text: string): Way => ({
  name,
  write: (program, words) => text.replace('@', () => `${program} ${words.join(' ')}`),
});
/** As `around`, below the folder. */
const moved = (text: string): Way => ({ ...around(text, text), below: true });
/** Each word in other letters that mean the same. */
const spelled = (name: string, word: (text: string) => string): Way => ({
  name,
  write: (program, words) => `${program} ${words.map(word).join(' ')}`,
});
/** The last word from elsewhere: `before` says where from, `word` is what is written in its place. */
const lastFrom = (before: string, word: string): Way => ({
  name: `${before} ${word}`,
  write: (program, words) => {
    const last = lastOf(words);
    return before.includes('@') ? `${before.replace('@', () => last)}; ${program} ${butLast(words)} ${word}` : null;
  },
});

/** A word in other letters that mean the same. */
const SPELLINGS: readonly (readonly [name: string, word: (text: string) => string])[] = [
  ['in double quotes', (text) => `"${text}"`],
  ['in single quotes', (text) => `'${text}'`],
  ['half in quotes', (text) => `${text.slice(0, 1)}"${text.slice(1)}"`],
  ['with an empty quote', (text) => `${text}""`],
  ['with backslashes', (text) => text.replace(/[a-z]/g, '\\$&')],
  ['as $’…’', (text) => `$'${text}'`],
  ['as $’…’ with codes', (text) => `$'${text.replace(/[a-z]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`)}'`],
  ['with a line that goes on', (text) => `\\\n${text}`],
];

/** Where a word is from, and what is written in its place. */
const SOURCES = [
  ['', '@'],
  ['zz=@; ', '"$zz"'],
  ['zz=@; ', '$zz'],
  ['', '"$(echo @)"'],
  ['', '$(echo @)'],
  ['for zz in b @ c; do ', '"$zz"'],
  ['if true; then zz=@; else zz=b; fi; ', '"$zz"'],
  ['set -- @; ', '"$1"'],
  ['f() { zz=@; }; f; ', '"$zz"'],
] as const;

/** In a loop, the loop is closed. */
function behind(before: string, call: string): string {
  return `${before}${call}${before.startsWith('for ') ? '; done' : ''}`;
}

/** True for a long option whose value is a file. */
function namesFile(program: string, word: string): boolean {
  const effect = word.startsWith('--') ? PROGRAMS.get(program)?.options.get(word) : undefined;
  return effect !== undefined && isOfFiles(effect) && effect !== 'lists';
}

export const WAYS: readonly Way[] = [
  ...SPELLINGS.map(([name, word]) => spelled(name, word)),
  { name: 'program in quotes', write: (program, words) => `"${program}" ${words.join(' ')}` },
  { name: 'program with a backslash', write: (program, words) => `\\${program} ${words.join(' ')}` },
  { name: 'program by its path', write: (program, words) => `/usr/bin/${program} ${words.join(' ')}` },
  { name: 'program in a variable', write: (program, words) => `zz=${program}; $zz ${words.join(' ')}` },
  { name: 'all in one variable', write: (program, words) => `zz='${words.join(' ')}'; ${program} $zz` },
  { name: 'whole call in a variable', write: (program, words) => `zz='${program} ${words.join(' ')}'; $zz` },
  { name: 'words of a list', write: (program, words) => `zz=(${words.join(' ')}); ${program} "\${zz[@]}"` },
  { name: 'call of a list', write: (program, words) => `zz=(${program} ${words.join(' ')}); "\${zz[@]}"` },
  { name: 'words set', write: (program, words) => `set -- ${words.join(' ')}; ${program} "$@"` },
  { name: 'words of a function', write: (program, words) => `f() { ${program} "$@"; }; f ${words.join(' ')}` },
  {
    name: 'words of bash -c',
    write: (program, words) => `bash -c '${program} "$@"' name ${words.join(' ')}`,
  },
  {
    name: 'first word in a variable',
    write: (program, words) =>
      words.length < 2 ? null : `zz=${words[0]}; ${program} "$zz" ${words.slice(1).join(' ')}`,
  },
  lastFrom('zz=@', '"$zz"'),
  lastFrom('zz=@', '$zz'),
  lastFrom('zz=@', `\${zz}`),
  lastFrom('zz=x; zz=@', '"$zz"'),
  lastFrom('zz=@; zy=$zz', '"$zy"'),
  lastFrom('export zz=@', '"$zz"'),
  lastFrom('declare zz=@', '"$zz"'),
  lastFrom('readonly zz=@', '"$zz"'),
  lastFrom(`unset zz; : \${zz:=@}`, '"$zz"'),
  lastFrom(`unset zy; zz=\${zy:-@}`, '"$zz"'),
  lastFrom('printf -v zz %s @', '"$zz"'),
  lastFrom('read zz <<< @', '"$zz"'),
  lastFrom('zz=$(echo @)', '"$zz"'),
  lastFrom('if false; then zz=a; else zz=@; fi', '"$zz"'),
  lastFrom('true && zz=@', '"$zz"'),
  lastFrom('zz=(a @)', `"\${zz[1]}"`),
  lastFrom('zz=@x', `"\${zz%x}"`),
  lastFrom('zz=x@', `"\${zz#x}"`),
  lastFrom('zz=@', `"\${zz/q/q}"`),
  lastFrom('declare -n zy=zz; zz=@', '"$zy"'),
  lastFrom('zy=zz; zz=@', `"\${!zy}"`),
  lastFrom('f() { zz=@; }; f', '"$zz"'),
  {
    name: 'first word echoed',
    write: (program, words) => `${program} "$(echo ${words[0]})" ${words.slice(1).join(' ')}`,
  },
  ...SOURCES.map(
    ([before, word]): Way => ({
      name: `second word: ${before} ${word}`,
      write: (program, [first, second = '', ...rest]) =>
        rest.length === 0
          ? null
          : behind(before, `${program} ${first} ${word} ${rest.join(' ')}`).replaceAll('@', () => second),
    }),
  ),
  ...SOURCES.map(
    ([before, word]): Way => ({
      name: `value in the same word: ${before} ${word}`,
      write: (program, [first = '', second = '', ...rest]) =>
        namesFile(program, first)
          ? behind(before, `${program} ${first}=${word} ${rest.join(' ')}`).replaceAll('@', () => second)
          : null,
    }),
  ),
  { name: 'last word echoed', write: (program, words) => `${program} ${butLast(words)} "$(echo ${lastOf(words)})"` },
  {
    name: 'last word in backquotes',
    write: (program, words) => `${program} ${butLast(words)} \`echo ${lastOf(words)}\``,
  },
  {
    name: 'last word of a loop',
    write: (program, words) => `for zz in ${lastOf(words)}; do ${program} ${butLast(words)} "$zz"; done`,
  },
  {
    name: 'last word of a loop over some',
    write: (program, words) => `for zz in b ${lastOf(words)} c; do ${program} ${butLast(words)} "$zz"; done`,
  },
  {
    name: 'last word listed to xargs',
    write: (program, words) => `echo ${lastOf(words)} | xargs ${program} ${butLast(words)}`,
  },
  {
    name: 'last word for xargs -I',
    write: (program, words) => `echo ${lastOf(words)} | xargs -I zz ${program} ${butLast(words)} zz`,
  },
  {
    name: 'last word read in a loop',
    write: (program, words) => `echo ${lastOf(words)} | while read -r zz; do ${program} ${butLast(words)} "$zz"; done`,
  },
  { name: 'after a move to here', write: (program, words) => `cd . && ${program} ${words.join(' ')}` },
  around('a subshell', '(@)'),
  around('a group', '{ @; }'),
  around('if', 'if true; then @; fi'),
  around('as a condition', 'if @; then true; fi'),
  around('else', 'if true; then :; else @; fi'),
  around('while', 'while true; do @; done'),
  around('until', 'until @; do :; done'),
  around('case', 'case a in b) :;; *) @;; esac'),
  around('not', '! @'),
  around('and', 'true && @'),
  around('or', 'false || @'),
  around('in the background', '@ & wait'),
  around('a function', 'f() { @; }; f'),
  around('a function with another name', 'f() { @; }; g() { f; }; g'),
  around('substituted', 'echo $(@)'),
  around('in quotes substituted', 'echo "a $(@) b"'),
  around('in a default', `echo "\${zz:-$(@)}"`),
  around('in a value', 'zz=$(@)'),
  around('in a heredoc', 'cat <<X\n$(@)\nX'),
  around('behind a pipe', 'true | @'),
  around('in front of a pipe', '@ | cat'),
  around('a process that writes', 'cat <(@)'),
  around('a process that reads', 'echo a > >(@)'),
  around('coproc', 'coproc @'),
  around('trap', "trap '@' EXIT"),
  around('trap of a function', 'trap f EXIT; f() { @; }'),
  around('heredoc to bash', "bash <<'X'\n@\nX"),
  around('here-string to bash', "bash <<< '@'"),
  around('echo to bash', "echo '@' | bash"),
  around('source', "source <(echo '@')"),
  around('bash -c', "bash -c '@'"),
  around('sh -c', "sh -c '@'"),
  around('bash -lc', "bash -lc '@'"),
  around('dash -ec', "dash -ec '@'"),
  around('bash -c twice', 'bash -c "sh -c \'@\'"'),
  around('eval', "eval '@'"),
  around('eval of words', 'eval @'),
  around('command', 'command @'),
  around('command -p', 'command -p @'),
  around('exec', 'exec @'),
  around('exec -a', 'exec -a x @'),
  around('env', 'env @'),
  around('env -i', 'env -i A=b @'),
  around('env -u', 'env -u A @'),
  around('env -S', "env -S '@'"),
  around('an assignment', 'LC_ALL=C @'),
  around('time', 'time @'),
  around('nohup', 'nohup @'),
  around('nice', 'nice -n 5 @'),
  around('ionice', 'ionice -c 3 @'),
  around('timeout', 'timeout -k 1 5 @'),
  around('stdbuf', 'stdbuf -oL @'),
  around('setsid', 'setsid -w @'),
  around('sudo', 'sudo @'),
  around('sudo -u', 'sudo -u x @'),
  around('doas', 'doas @'),
  around('watch', "watch -n 1 '@'"),
  around('xargs', 'echo | xargs @'),
  around('xargs sh -c', "echo | xargs sh -c '@'"),
  around('find -exec', 'find . -exec @ \\;'),
  around('find -exec sh', "find . -exec sh -c '@' \\;"),
  around('flock', 'flock lock @'),
  around('script', "script -c '@' log"),
  around('entr', 'ls | entr @'),
  around('hyperfine', "hyperfine '@'"),
  around('a redirection', '@ 2>/dev/null'),
  around('a redirection in front', '2>/dev/null @'),
  around('a comment', '@ # rm x'),
  around('after a line', 'true\n@'),
  around('after a comment', '# x\n@'),
  around('arithmetic', 'echo $(( $(@) + 1 ))'),
  around('a test', '[[ -n $(@) ]]'),
  around('an index', 'zz[$(@)]=1'),
  moved('cd below && @'),
  moved('cd below; @'),
  moved('cd "below" && @'),
  moved('(cd below && @)'),
  moved('pushd below && @'),
  moved('pushd below && @ && popd'),
  moved('zz=below; cd "$zz" && @'),
  moved('cd ./x/../below && @'),
  moved('cd /w/below && @'),
  moved('cd below/x && cd .. && @'),
  moved('f() { cd below; }; f; @'),
  moved("bash -c 'cd below && @'"),
  moved("eval 'cd below'; @"),
  moved('command cd below && @'),
  moved('builtin cd below && @'),
  moved('env -C below @'),
  moved('sudo -D below @'),
  moved('if true; then cd below; fi; @'),
  moved('cd -P below && @'),
  moved('cd -- below && @'),
  moved('trap "cd below" DEBUG; @'),
  moved('cd below & wait; (cd below; @)'),
];

export interface Comparison {
  readonly compared: number;
  /** Of those, lines of which all is known, so that something was compared. */
  readonly known: number;
  /** The first line of each way and program that tells less than the plain one, with what it does not tell. */
  readonly differences: readonly string[];
}

/** Programs whose calls are what other words make of them, so that a line around them is another one. */
const NO_PROGRAMS = new Set(['time']);

/** What the shell itself does with a file. */
const CONSTRUCTS = [
  'cat < @',
  'true > @',
  'true >> @',
  'true >| @',
  'true 2> @',
  'true &> @',
  'true >& @',
  'true 1<> @',
  '{ true; } > @',
  '(true) > @',
  'while read -r x; do :; done < @',
  'for y in 1; do echo; done > @',
  'if true; then echo; fi > @',
  'f2() { echo; } > @; f2',
  'exec 3< @',
  'exec > @',
  'read -r x < @',
  'mapfile x < @',
  'echo "$(< @)"',
  'source @',
  '. @',
  'cd @ && cat a.txt',
  'pushd @ && cat a.txt',
  'cd @ && rm a.txt',
  '(cd @; touch a.txt)',
  'test -f @',
  '[ -f @ ]',
  '[[ -f @ ]]',
  '[ @ -nt a.txt ]',
  'eval "cat @"',
  'bash -c "cat @"',
  'bash @',
  'trap "rm @" EXIT',
  'cat <(cat @)',
  'tee >(cat > @)',
  'coproc cat @',
  'cat <<X\n$(cat @)\nX',
  'bash <<X\ncat @\nX',
  'bash <<< "cat @"',
  'echo "cat @" | bash',
  'xargs cat < @',
  'echo @ | xargs rm',
  'find @ -name x',
  'find @ -delete',
  'ls @ | xargs rm',
  'env -C @ cat a.txt',
  'git -C @ add a.txt',
  'make -C @ x',
  'tar -C @ -xf a.tar',
  'cat a.txt | tee @',
  'sort a.txt -o @',
  'dd if=a.txt of=@',
  'ln -s @ l; cat l',
  'mkdir -p @/x && cp a.txt @/x',
];
const FILES = ['a.txt', 'd/b', '../v', '/etc/x'];

/** Compares each construct with its file as it is written, and from elsewhere. */
export function compareConstructs(): Comparison {
  const differences: string[] = [];
  let [compared, known] = [0, 0];
  const ways = [...SOURCES, ...SPELLINGS.map(([, word]) => ['', word('@')] as const)];
  for (const construct of CONSTRUCTS)
    for (const file of FILES) {
      const expected = tell(construct.replaceAll('@', file), FOLDER);
      for (const [before, word] of ways) {
        // In text for another shell a quote would end the text, and in another process variables of this one are gone.
        if (/["']/.test(word) && /"[^"]*@[^"]*"/.test(construct)) continue;
        const line = behind(
          before,
          construct.replaceAll('@', () => word),
        ).replaceAll('@', () => file);
        compared++;
        const said = tell(line, FOLDER);
        if (said.isOpen) continue;
        known++;
        const missing = missingOf(said, expected);
        if (missing !== null) differences.push(`${line}\n  ${construct}: ${missing}`);
      }
    }
  return { compared, known, differences };
}

/** A call in one of the ways. */
interface Written {
  readonly way: Way;
  readonly program: string;
  readonly words: readonly string[];
  readonly line: string;
}

/** Each `every`-th call in a way, from the `first` on. */
function* written(every: number, first: number): Generator<Written> {
  let at = first % every;
  for (const [program, table] of PROGRAMS) {
    if (NO_PROGRAMS.has(program) || !/^[\w.+-]+$/.test(program)) continue;
    for (const words of callsWith(program, table))
      for (const way of WAYS) {
        if (at++ % every !== 0) continue;
        const line = way.write(program, words);
        if (line !== null) yield { way, program, words, line };
      }
  }
}

/** Compares every way with the plain call: files, programs, and whether it only reads. */
export function compareWays(every = 1, first = 0): Comparison {
  const differences = new Map<string, string>();
  let [compared, known] = [0, 0];
  for (const { way, program, words, line } of written(every, first)) {
    compared++;
    const said = tell(line, FOLDER);
    if (said.isOpen) continue;
    known++;
    const expected = tell(`${program} ${words.join(' ')}`, way.below === true ? path.join(FOLDER, BELOW) : FOLDER);
    const missing = missingOf(said, expected);
    const key = `${way.name} ${program}`;
    if (missing !== null && !differences.has(key)) differences.set(key, `${line}\n  ${way.name}: ${missing}`);
  }
  return { compared, known, differences: [...differences.values()] };
}

/** Holds every way against rules that deny the plain call by its first word, and by its last: it is never allowed. */
export function compareRules(every = 1, first = 0): Comparison {
  const differences: string[] = [];
  let [compared, known] = [0, 0];
  for (const { program, words, line } of written(every, first))
    for (const denied of [`${program} ${words[0]} *`, `${program} * ${words.at(-1)}`]) {
      compared++;
      const rules = { allow: ['*'], deny: [denied] };
      if (judgeCommand(`${program} ${words.join(' ')}`, rules) !== 'denied') continue;
      known++;
      if (judgeCommand(line, rules) === 'allowed') differences.push(`${line}\n  ${denied}`);
    }
  return { compared, known, differences };
}

/** First words with which some programs do something else. */
const VERBS = namesOf(
  'install run exec add update clean build test sync cp pull push restore eval sh publish start apply diff config rm mv init ' +
    'clone commit log status show list get set delete create import export convert archive grep blame checkout cat',
);

function namesOf(text: string): readonly string[] {
  return text.split(' ');
}

/** Words of the calls that are written: with files of the folder and of others, with verbs, and with each option. */
function callsWith(program: string, { options, subcommands }: ProgramTable): readonly (readonly string[])[] {
  const plain = [['a.txt'], ['a.txt', 'd/b'], ['/etc/x'], ['x=../y', 'a.txt']];
  const own = Object.entries(subcommands?.aliases ?? {}).flat();
  const verbs = new Set([...VERBS, ...own.filter((verb) => /^[\w -]+$/.test(verb))]);
  // To git the work tree ends there.
  const away = program === 'git' || program === 'hub' ? 'd/v' : '../v';
  return [
    ...plain,
    ...[...verbs].map((verb) => [...verb.split(' '), 'a.txt', away]),
    ...[...options.keys()].filter((option) => /^-[\w-]+$/.test(option)).map((option) => [option, away, 'a.txt']),
  ];
}

/** True if the use is told, or that of a folder above it with all that lies below. */
function covers({ uses }: Told, use: string): boolean {
  if (uses.has(use)) return true;
  const [access, file = ''] = use.split(/ (.*?)(?: and below)?$/);
  for (let folder = file; folder !== '/'; ) {
    folder = path.dirname(folder);
    if (uses.has(`${access} ${folder} and below`)) return true;
  }
  return uses.has(`${access} ${file} and below`);
}

/** What a line does not tell of what the plain one does; null if nothing. */
function missingOf(said: Told, expected: Told): string | null {
  if (expected.isOpen) return 'all is known of it';
  const uses = [...expected.uses].filter((use) => !covers(said, use));
  if (uses.length > 0) return uses.join(', ');
  const programs = [...expected.programs].filter((name) => !said.programs.has(name));
  if (programs.length > 0) return `runs ${programs.join(', ')}`;
  return said.readsOnly && !expected.readsOnly ? 'it is said only to read' : null;
}
