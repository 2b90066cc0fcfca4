// Scripts of chance for the differential test: mostly well formed, of every construct that bash has, with names of stub
// programs wherever a program may stand.
import type { Random as Chance } from './random.js';

interface Random extends Chance {
  /** How often a form is taken of which not all can be told. */
  readonly risk: number;
}

/** Programs that only tell that they ran; those with an odd number fail. */
export const STUBS: readonly string[] = [
  ...Array.from({ length: 20 }, (_, number) => `p${number}`),
  // Starts what it is told in a group of its own, if it could not be stopped.
  'setsid',
  ...['rm', 'curl', 'git', 'npm', 'ls', 'cat', 'sudo', 'node', 'grep', 'tee', 'make'],
];
/** Programs that tell that they ran and then do what they are for. */
export const REAL: readonly string[] = ['env', 'timeout', 'nice', 'nohup', 'xargs', 'find', 'sh', 'bash', 'sed', 'awk'];

const WORDS = [
  'a',
  'b1',
  '-x',
  '--long=v',
  'x/y',
  '.',
  'a b',
  '$(p3)',
  '*',
  '{a,b}',
  '~',
  "it's",
  '#c',
  'a=b',
  '\\',
  '!',
  '%s',
];
const VARIABLES = ['x', 'y', 'z', 'arr'];

/** One script, about as deep as `depth`. */
export function randomScript(chance: Chance): string {
  if (chance.chance(0.12)) return tokenSoup(chance);
  // Most scripts hold nothing that makes them unknown: those are the ones that say something.
  const random: Random = { ...chance, risk: chance.chance(0.75) ? 0 : 0.15 };
  return list(random, random.int(0, 3));
}

type Form = () => string;

function pick(random: Random, plain: readonly Form[], risky: readonly Form[]): string {
  return random.pick(random.chance(random.risk) ? risky : plain)();
}

/** Signs and words in any order: mostly not a script at all. */
function tokenSoup(random: Chance): string {
  const tokens = [
    ...[
      'p0',
      'p1',
      'p2',
      'p4',
      'rm',
      'a',
      'x=1',
      '$x',
      '"',
      "'",
      '`',
      '$(',
      ')',
      '(',
      '{ ',
      '}',
      ';',
      '&',
      '|',
      '&&',
      '||',
      '\n',
    ],
    ...[
      '<',
      '>',
      '<<E',
      '<<<',
      '>&',
      '<(',
      '$((',
      '))',
      '[[',
      ']]',
      '${',
      '}',
      '\\',
      '!',
      '#',
      ' ',
      ' ',
      ' ',
      'if',
      'then',
      'fi',
    ],
    ...[
      'for',
      'in',
      'do',
      'done',
      'while',
      'case',
      'esac',
      ';;',
      'function',
      'f()',
      'E\n',
      "$'",
      '$"',
      '=',
      '*',
      '?',
      '~',
      'time',
    ],
    ...[
      'coproc',
      'eval',
      'env',
      'xargs',
      'command',
      'exec',
      '[',
      ']',
      ':',
      '-',
      '@',
      '+',
      '/',
      '%',
      ',',
      '..',
      '2>&1',
      '{p3,p4}',
    ],
  ];
  return Array.from({ length: random.int(2, 14) }, () => random.pick(tokens)).join(random.chance(0.5) ? ' ' : '');
}

function list(random: Random, depth: number): string {
  const separators = ['; ', '\n', ' && ', ' || ', ' | ', ' & ', ' |& ', ' ; '];
  let text = command(random, depth);
  for (let more = random.int(0, 2); more > 0; more--) text += random.pick(separators) + command(random, depth);
  return text;
}

function command(random: Random, depth: number): string {
  if (depth <= 0 || random.chance(0.35)) return simple(random, depth);
  const inner = (): string => list(random, depth - 1);
  const plain: Form[] = [
    () => `( ${inner()} )`,
    () => `{ ${inner()}\n}`,
    () => `if ${inner()}\nthen ${inner()}\nelse ${inner()}\nfi`,
    () => `for ${random.pick(VARIABLES)} in ${words(random, depth, 2)}; do ${inner()}\ndone`,
    () => `while p1; do ${inner()}\ndone`,
    () => `until p0; do ${inner()}\ndone`,
    () => `while p0; do ${inner()}\nbreak; done`,
    () => `for ((i=0;i<2;i++)); do ${inner()}\ndone`,
    () =>
      `case ${word(random, depth)} in ${random.pick(['a', '*', 'a|b', '"a b"', '[ab]*'])}) ${inner()}\n;; *) ${inner()}\n;; esac`,
    () => `f${depth}() { ${inner()}\n}; f${depth} ${word(random, 0)}`,
    () => `function h${depth} { ${inner()}\n}\nh${depth}`,
    () => `coproc ${simple(random, depth - 1)}`,
    () => `coproc { ${inner()}\n}`,
    () => `time ${inner()}`,
    () => `! ${simple(random, depth)}`,
    () => `[[ ${test(random, depth)} ]] && ${inner()}`,
    () => `eval ${quoteWhole(random, inner())}`,
    () => `trap ${quoteWhole(random, inner())} EXIT`,
    () => `${random.pick(['bash', 'sh', 'env sh', 'env bash', 'nice bash'])} -c ${quoteWhole(random, inner())}`,
    () => `${random.pick(['bash', 'sh'])} <<'E1'\n${inner()}\nE1\n`,
    () => `${random.pick(['bash', 'sh'])} <<< ${quoteWhole(random, inner())}`,
    () => `${wrapper(random)} ${simple(random, depth - 1)}`,
    () => `${wrapper(random)} ${wrapper(random)} ${simple(random, depth - 1)}`,
    () => assignment(random, depth),
    () => `find . -maxdepth 0 -exec ${simple(random, 0)} ${random.pick(['\\;', '{} +', "';'"])}`,
    () =>
      `${simple(random, 0)} <<E2\n${random.pick(['$(', '`', 'text '])}${random.pick(STUBS)}${random.pick([')', '`', ''])}\nE2\n`,
    () => `${inner()} | xargs ${random.pick(STUBS)}`,
    () => `awk 'BEGIN { print 1, "a > b | c" } /x/ { print }'`,
    () => `echo a | sed ${random.pick(["'s/a/b/'", "-n '/[/]/p'", "'s|a|b|;$d'"])}`,
    () => `(( 1 )) || ${inner()}`,
  ];
  const risky: Form[] = [
    () => `(( ${arithmetic(random, depth)} )) || ${inner()}`,
    () => `eval ${inner()}`,
    () => `jobs ${random.pick(['-x', '-l -x', '-lx'])} ${simple(random, 0)}`,
    () => `mapfile ${random.pick(['-C', '-tC'])} ${random.pick(STUBS)} -c 1 y < in1`,
    () => `${inner()} | ${random.pick(['bash', 'sh', 'xargs', 'xargs env', 'xargs -n1 nice'])}`,
    () =>
      `${simple(random, 0)} <<E2\n${random.pick(['$(', '`', 'text ', '\\$(', '${x:-$('])}${random.pick(STUBS)}${random.pick([')', '`', '', ')}'])}\nE2\n`,
    () =>
      `find . -maxdepth 0 ${random.pick(['-exec', '-execdir', '-ok'])} ${simple(random, 0)} ${random.pick(['\\;', '{} +', "';'"])}`,
    () =>
      `awk 'BEGIN { ${random.pick(['system("NAME")', 'print | "NAME"', '"NAME" | getline', 'print 1', 'print "a > b"'])} }'`.replace(
        'NAME',
        random.pick(STUBS),
      ),
    () =>
      `echo a | sed ${random.pick(["'1e NAME'", "'s/a/NAME/e'", "-n '/[/]/p;e NAME'", "'s/a/b/'", "'s|a|NAME|;e'", "'a\\\ne NAME'"])}`.replace(
        'NAME',
        random.pick(STUBS),
      ),
  ];
  return pick(random, plain, risky);
}

function wrapper(random: Random): string {
  const plain = [
    ...[
      'env',
      'env x=1',
      'env -u x',
      'env --',
      'timeout 5',
      'timeout -k 1 5',
      'nice',
      'nice -n 1',
      'nice -1',
      'nohup',
      'xargs',
    ],
    ...[
      'xargs -n 1',
      'xargs -r',
      'command',
      'command --',
      // Not `command -p`: it looks past the stubs and would run the programs of this machine.
      'command -v',
      'builtin command',
      'exec',
      'exec -a q',
      'setsid',
    ],
    ...[
      'env -C .',
      'env -i TAG="$TAG" PATH="$PATH"',
      'time -p',
      'x=1',
      'x=$y',
      'timeout "5"',
      "'env' -u 'x'",
      'ni"ce"',
      '\\env',
    ],
  ];
  const risky = [
    'sh',
    'bash',
    'env "$x"',
    'timeout $x',
    'nice $y',
    'env -S',
    'xargs -I{}',
    'builtin',
    'xargs env',
    'xargs sh -c',
  ];
  return random.pick(random.chance(random.risk) ? risky : plain);
}

function simple(random: Random, depth: number): string {
  const before = random.chance(0.15) ? `${assignment(random, depth)} ` : '';
  const redirect = random.chance(0.2) ? ` ${redirection(random, depth)}` : '';
  return `${before}${programName(random, depth)} ${words(random, depth, random.int(0, 3))}${redirect}`;
}

function programName(random: Random, depth: number): string {
  const name = random.pick(STUBS);
  const plain: Form[] = [
    () => name,
    () => name,
    () => name,
    () => name,
    () => `"${name}"`,
    () => `'${name}'`,
    () => `\\${name}`,
    () => `${name[0]}""${name.slice(1)}`,
    () => `${name[0]}'${name.slice(1)}'`,
    () => `$'\\x${name.charCodeAt(0).toString(16)}'${name.slice(1)}`,
    () => `${name[0]}\\\n${name.slice(1)}`,
    () => `$'${name}\\0zz'`,
    () => `~/${name}`,
    () =>
      random.pick([
        ':',
        'true',
        'echo',
        'printf',
        'read x',
        'cd d1',
        'test',
        '[',
        'export x=1',
        'set --',
        'shift',
        'unset f',
        'local x',
      ]),
  ];
  const risky: Form[] = [
    () => `{${name},${random.pick(STUBS)}}`,
    () => `$(echo ${name})`,
    () => `$x`,
    () => `\${x:-${name}}`,
    () => `${name.slice(0, -1)}?`,
    () => `${name.slice(0, -1)}[${name.at(-1)}]`,
    () => `$"${name}"`,
    () => `$(${simple(random, depth - 2)})`,
  ];
  return pick(random, plain, risky);
}

function words(random: Random, depth: number, count: number): string {
  return Array.from({ length: count }, () => word(random, depth)).join(' ');
}

function word(random: Random, depth: number): string {
  const text = random.pick(WORDS);
  const inner = (): string => (depth > 0 ? simple(random, depth - 1) : random.pick(STUBS));
  const plain: Form[] = [
    () => text.replace(/[ '#\\]/g, ''),
    () => text.replace(/[ '#\\]/g, ''),
    () => `'${text.replaceAll("'", '')}'`,
    () => `"${text.replaceAll('\\', '')}"`,
    () => random.pick(STUBS),
    () => `$${random.pick(VARIABLES)}`,
    () => `"$${random.pick(VARIABLES)}"`,
    () => `$(${inner()})`,
    () => `"a$(${inner()})b"`,
    () => `\`${random.pick(STUBS)}\``,
    () => `"\`${random.pick(STUBS)} \\\`${random.pick(STUBS)}\\\`\`"`,
    () => `<(${inner()})`,
    () => `>(${inner()})`,
    () => `\${x:-$(${inner()})}`,
    () => `\${y:=\`${random.pick(STUBS)}\`}`,
    () => `"\${x:+$(${inner()})}"`,
    () => `\${x#$(${inner()})}`,
    () => `\${x//a/$(${inner()})}`,
    () => `\${arr[@]}`,
    () => `'$(${random.pick(STUBS)})'`,
    () => `\\$(echo)`.replace('(echo)', ''),
    () => `"\\$(${random.pick(STUBS)})"`,
    () => `$'a\\'b $(${random.pick(STUBS)})'`,
    () => `{a,$(${inner()})}`,
    () => '$((1+2))',
    () => `\${${random.pick(['x@Q', '#x', '!x@', 'x^^', 'x,,a', '#arr[@]', 'x:0:2'])}}`,
  ];
  const risky: Form[] = [
    () => `$((1+$(${inner()})))`,
    () => `$[1+\`${random.pick(STUBS)}\`]`,
    () => `\${x:$(${inner()})}`,
    () => `\${arr[$(${inner()})]}`,
    () => `$((${arithmetic(random, 0)}))`,
    () => `\${${random.pick(['!x', 'x@P', 'x@Q', '#x', '!x@', 'x^^', 'x,,a', '#arr[@]'])}}`,
  ];
  return pick(random, plain, risky);
}

function assignment(random: Random, depth: number): string {
  const name = random.pick(VARIABLES);
  const inner = (): string => (depth > 0 ? simple(random, depth - 1) : random.pick(STUBS));
  return pick(
    random,
    [
      () => `${name}=1`,
      () => `${name}=${random.pick(STUBS)}`,
      () => `${name}=$(${inner()})`,
      () => `${name}+="$(${inner()})"`,
      () => `arr=(1 $(${inner()}) "a b")`,
      () => `declare ${name}=$(${inner()})`,
      () => `${name}=$${random.pick(VARIABLES)}`,
      () => `IFS=p`,
    ],
    [
      () => `${name}='arr[$(${random.pick(STUBS)})]'`,
      () => `arr[$(${inner()})]=1`,
      () => `arr[${random.pick(VARIABLES)}]=2`,
      () => `BASH_CMDS[${random.pick(STUBS)}]=p1`,
      () => `${random.pick(['RANDOM', 'declare SECONDS', 'OPTIND', 'export SRANDOM'])}='arr[$(${random.pick(STUBS)})]'`,
      () => `${name}='($(${random.pick(STUBS)}))'`,
      () =>
        `${random.pick(['declare -a', 'typeset -A', 'readonly -a', 'declare'])} arr${depth}='([1]=$(${random.pick(STUBS)}))'`,
      () => `declare ${random.pick(['-a ', ''])}arr=$${name}`,
      () => `export ${random.pick(['-a ', ''])}"arr=$${name}"`,
    ],
  );
}

function redirection(random: Random, depth: number): string {
  const inner = (): string => (depth > 0 ? simple(random, depth - 1) : random.pick(STUBS));
  return random.pick<() => string>([
    () => '> out1',
    () => '>> out1',
    () => '2>&1',
    () => '< in1',
    () => '&> out2',
    () => `<<< "$(${inner()})"`,
    () => `< <(${inner()})`,
    () => `> >(${inner()})`,
    () => `> "$(${inner()})"`,
    () => '>| out1',
    () => '{fd}> out3',
  ])();
}

function test(random: Random, depth: number): string {
  return random.pick<() => string>([
    () => `-n ${word(random, depth)}`,
    () => `a == ${word(random, depth)}`,
    () => (random.risk > 0 ? '$x -eq 1' : '1 -eq 1'),
    () => (random.risk > 0 ? `${random.pick(VARIABLES)} -gt 0` : '2 -gt 0'),
    () => `-v ${random.pick(random.risk > 0 ? ['x', 'arr[x]', 'arr[$(p5)]'] : ['x'])}`,
    () => `a =~ ${random.pick(['a|b', '(a)', '$(p6)', '^a'])}`,
    () => `! -f in1 || -d "$(${random.pick(STUBS)})"`,
  ])();
}

function arithmetic(random: Random, depth: number): string {
  return random.pick<() => string>([
    () => '1',
    () => 'x',
    () => 'x+1',
    () => 'arr[x]',
    () => `$(${depth > 0 ? simple(random, depth - 1) : random.pick(STUBS)})`,
    () => 'y=x',
    () => '$x',
    () => 'x++ , y',
    () => '1 ? x : y',
  ])();
}

/** The text as one word of a command. */
function quoteWhole(random: Random, text: string): string {
  if (random.chance(0.7)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `"${text.replace(/[\\"$`]/g, (sign) => (random.chance(0.85) ? `\\${sign}` : sign))}"`;
}
