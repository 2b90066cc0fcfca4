// Lines of chance: programs with options and operands, moves before them, links and copies made in the same line.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../random.js';
import { searchPath } from './confinement.js';
import { type DescribedProgram, describedPrograms } from './description.js';
import { type RealOption, realOptions } from './real-options.js';
import { fixtureLines, templates } from './templates.js';
import { fileWord, fill, valueWord } from './words.js';

export interface LineMaker {
  /** A line with `@R` for the root of the fixture. */
  line(random: Random): string;
  /** A line of this program with this option, whatever else is in it. */
  lineWith(random: Random, program: string, option: string): string;
  /** A line for each option that a program has by its description or its own help. */
  eachOption(): readonly ((random: Random) => string)[];
  /** Described programs that lines start. */
  readonly programs: readonly string[];
  /** Described or used in templates, and not on this machine. */
  readonly missing: readonly string[];
}

/** They ask somebody, never end, or need what no test has: another machine, a terminal, rights. */
const LEFT_OUT = new Set(
  (
    'sudo sudoedit doas su runuser mount umount losetup mkfs mkfs.ext4 mkswap fdisk parted wipefs chroot unshare nsenter ' +
    'pkexec systemd-run systemctl journalctl tmux screen at batch crontab watch gdb lldb strace ltrace ssh slogin mosh scp ' +
    'sftp valgrind nc ncat netcat tcpdump tshark nmap socat docker podman kubectl sleep apt apt-get dpkg script setpriv flock ' +
    'ssh-agent gpg-agent brew bwrap perf tty less more man vi vim nano top free uptime ps kill gpg gpg2 yes ld launchctl svn hg ' +
    'dbus-run-session dbus-launch prlimit nohup setsid taskset chrt ionice numactl aws gcloud az gh glab convert ffmpeg ' +
    'cargo go clang clang++ pip pip3 gem corepack npx npm yarn pnpm nmap telnet ftp firejail tsc gsutil'
  ).split(' '),
);

/** Slow ones are rare: each costs as much as twenty others. */
const SLOW = new Set(
  'node npm python3 python python3.11 git cmake openssl perl php ruby mvn ex view vimdiff rview rvim gcc g++ cc c++'.split(
    ' ',
  ),
);

export function createLineMaker(): LineMaker {
  const folders = searchPath().split(':');
  const isHere = (name: string): boolean => folders.some((folder) => existsSync(path.join(folder, name)));
  const described = describedPrograms().filter(({ name }) => !LEFT_OUT.has(name) && /^[\w.+-]+$/.test(name));
  const here = described.filter(({ name }) => isHere(name));
  const quick = here.filter(({ name }) => !SLOW.has(name));
  const all = templates();
  const used = all.filter((template) => isHere(programOf(template)));
  const real = new Map<string, readonly RealOption[]>();
  const env = { PATH: folders.join(':'), HOME: '/dev/null', LC_ALL: 'C' };
  const realOf = (name: string): readonly RealOption[] => {
    const known = real.get(name) ?? realOptions(name, env);
    real.set(name, known);
    return known;
  };
  const known = new Map(
    here.map((program): [string, KnownOptions] => [program.name, { program, real: () => realOf(program.name) }]),
  );
  const main = (random: Random): string => {
    if (random.chance(0.55)) {
      const template = random.pick(used);
      return varied(random, fill(template, random), known.get(programOf(template)) ?? null);
    }
    const program = random.pick(random.chance(0.97) ? quick : here);
    return command(random, program, realOf(program.name));
  };
  const withOption = (random: Random, program: DescribedProgram, { name, value }: RealOption): string => {
    // Many programs do something only with the input and the options of a template: a patch, an archive.
    const own = used.filter((template) => template.startsWith(`${program.name} `));
    const line =
      own.length > 0 && random.chance(0.5)
        ? fill(random.pick(own), random)
        : command(random, { ...program, options: [] }, []);
    return withVariable(
      random,
      `${program.name} ${optionWords(random, name, value)}${line.slice(program.name.length)}`,
    );
  };
  const away = new Set([
    ...described.filter(({ name }) => !isHere(name)).map(({ name }) => name),
    ...all.map(programOf).filter((name) => !isHere(name)),
  ]);
  return {
    line: (random) => wrapped(random, main),
    lineWith(random, program, option) {
      const found = here.find(({ name }) => name === program);
      const effect = found?.options.find(({ name }) => name === option)?.effect;
      if (found === undefined || effect === undefined)
        throw new Error(`There is no option ${option} of ${program} here.`);
      return withOption(random, found, { name: option, value: effect });
    },
    eachOption: () =>
      here.flatMap((program) => {
        const described = program.options.map(({ name, effect }) => ({ name, value: calledBy(effect) }));
        const options = new Map([...realOf(program.name), ...described].map((option) => [option.name, option]));
        return [...options.values()].map((option) => (random: Random) => withOption(random, program, option));
      }),
    programs: here.map(({ name }) => name),
    missing: [...away].sort(),
  };
}

const BUILTINS = new Set(
  'cd echo test [ printf pwd read . source exec for X=$(cat type mapfile eval ( { while if'.split(' '),
);

/** The program that a template starts first. A builtin is always there. */
function programOf(template: string): string {
  const [first = ''] = template.replace(/^(?:[A-Z]+=\S* )+/, '').split(' ');
  return BUILTINS.has(first) || /^[<>(]/.test(first) ? 'sh' : first;
}

interface KnownOptions {
  readonly program: DescribedProgram;
  real(): readonly RealOption[];
}

/** Now and then with one more option, with letters behind one dash, or with the beginning of a long name. */
function varied(random: Random, line: string, known: KnownOptions | null): string {
  if (random.chance(0.1)) return line.replace(/ -([A-Za-z]) -([A-Za-z])(?= |$)/, ' -$1$2');
  if (random.chance(0.1))
    return line.replace(
      / (--[a-z][a-z-]+)(?=[= ]|$)/,
      (_, name: string) => ` ${name.slice(0, random.int(4, Math.max(4, name.length)))}`,
    );
  if (known === null || !line.startsWith(`${known.program.name} `) || !random.chance(0.25)) return line;
  // One that is there already may count again, or in its place.
  const again = known.program.options.filter(({ name }) => line.includes(` ${name}`));
  const { name, effect } = random.chance(0.3) && again.length > 0 ? random.pick(again) : { name: '', effect: 'flag' };
  const more =
    name === '' ? anyOption(random, known.program, known.real()) : optionWords(random, name, calledBy(effect));
  // In front of a subcommand or behind it.
  return line.replace(random.chance(0.6) ? /^\S+/ : /^\S+ \S+/, (start) => `${start} ${more}`);
}

/** A program with options of its description or of its own help, and operands. */
function command(random: Random, program: DescribedProgram, real: readonly RealOption[]): string {
  const words: string[] = [];
  const count = random.pick([0, 1, 1, 1, 2, 3]);
  for (let at = 0; at < count; at++) {
    words.push(anyOption(random, program, real));
  }
  if (random.chance(0.05)) words.push('--');
  const operands = random.pick([0, 1, 1, 1, 2, 2, 3]);
  const isSearch = program.operands === 'search' || program.operands === 'change';
  if (isSearch && random.chance(0.9))
    words.push(program.operands === 'change' ? random.pick(['644', 'u+x', '-w']) : 'a');
  for (let at = 0; at < operands; at++) words.push(fileWord(random));
  // Options may stand behind operands.
  if (random.chance(0.1)) words.push(words.shift() ?? '');
  return [program.name, ...words].filter((word) => word !== '').join(' ');
}

/** One of its description or of its own help; empty if it has none. */
function anyOption(random: Random, program: DescribedProgram, real: readonly RealOption[]): string {
  if (real.length > 0 && random.chance(0.6)) {
    const { name, value } = random.pick(real);
    return optionWords(random, name, value);
  }
  if (program.options.length === 0) return '';
  const { name, effect } = random.pick(program.options);
  return optionWords(random, name, calledBy(effect));
}

/** How the value of a described option is called; null if it takes none. */
function calledBy(effect: string): string | null {
  return /flag|tells|risk|lists/.test(effect) ? null : effect;
}

/** In each of the ways: apart, attached, with a sign of equality, abbreviated. */
function optionWords(random: Random, name: string, called: string | null): string {
  if (name.startsWith('--')) {
    const written = random.chance(0.08) ? name.slice(0, random.int(4, Math.max(4, name.length))) : name;
    if (called === null) return written;
    return `${written}${random.chance(0.6) ? '=' : ' '}${valueWord(random, called)}`;
  }
  if (called === null) {
    const also = random.chance(0.2) ? random.pick(['r', 'n', 'v', 'f', 'i', 'a', 'R']) : '';
    return random.chance(0.5) ? `-${also}${name.slice(1)}` : `${name}${also}`;
  }
  return `${name}${random.chance(0.4) ? '' : ' '}${valueWord(random, called)}`;
}

const MOVES = fixtureLines('moves');
const MAKES = fixtureLines('makes');
const AFTER_MAKES = [
  'L',
  'L/o.txt',
  'L/new',
  'L/..',
  'L/../outside/o.txt',
  'sub/L',
  'sub/L/o.txt',
  'L/a.txt',
  'sub/outside/o.txt',
  'L/*',
  // Links that were there before lead to what is made now.
  'link-in',
  'dir-in/o.txt',
  'dir-in/new',
];

/** Variables that programs look at, some of them for names of files or for parts of such. */
const VARIABLES = (
  'SIMPLE_BACKUP_SUFFIX VERSION_CONTROL TMPDIR LANGUAGE LC_ALL TZ GIT_WORK_TREE GIT_DIR GIT_INDEX_FILE HOME PWD OLDPWD CDPATH ' +
  'LESSHISTFILE GREP_COLORS LS_COLORS POSIXLY_CORRECT XZ_OPT GZIP TAR_OPTIONS RSYNC_PARTIAL_DIR CURL_HOME WGETRC NODE_ENV CI'
).split(' ');

function set(random: Random): string {
  const value = random.chance(0.3)
    ? random.pick(['/../../outside/made', '~', 'numbered', '1', '..'])
    : fileWord(random);
  return `${random.pick(VARIABLES)}=${value}`;
}

/** What stands around the command. */
function wrapped(random: Random, main: (random: Random) => string): string {
  const kind = random.next();
  if (kind < 0.02) return `${set(random)} ${main(random)}`;
  if (kind < 0.03) return `export ${set(random)}; ${main(random)}`;
  if (kind < 0.45) return withVariable(random, main(random));
  if (kind < 0.62) return `${random.pick(MOVES)}${random.pick([' && ', '; ', '; ', ' || ', '\n'])}${main(random)}`;
  if (kind < 0.72) {
    const make = fill(random.pick(MAKES), random);
    const word = random.pick(AFTER_MAKES);
    return `${make}; ${main(random).replaceAll(/(?<= )(?:[a-z./"-]*\.txt|sub|src|new1)(?= |$)/g, word)}`;
  }
  if (kind < 0.79) return `${main(random)} ${random.pick(['|', '&&', ';', '||'])} ${main(random)}`;
  if (kind < 0.85) return `for X in ${fileWord(random)} ${fileWord(random)}; do ${main(random)}; done`;
  if (kind < 0.89) return `(${random.pick(MOVES)}; ${main(random)}); ${main(random)}`;
  if (kind < 0.93)
    return `${main(random)} ${random.pick(['>', '>>', '<', '2>', '&>', '>|', '<>'])} ${fileWord(random)}`;
  if (kind < 0.96)
    return `${random.pick(['env', 'nice', 'timeout 3', 'command', 'exec', 'time', 'env X=a.txt', 'stdbuf -o0'])} ${main(random)}`;
  return random.pick([
    () => `cat list.txt | xargs ${main(random)}`,
    () => `find ${fill('{d}', random)} -type f | xargs ${main(random)}`,
    () => `find ${fill('{d}', random)} -name '*.txt' -exec ${main(random)} {} \\;`,
    () => `f() { ${main(random)}; }; f`,
    () => `{ ${main(random)}; } > ${fileWord(random)}`,
    () => `bash -c ${quoted(main(random))}`,
    () => `X=$(${main(random)}); echo "$X"`,
    () => `if ${main(random)}; then ${main(random)}; fi`,
    () => `while read -r X; do ${main(random)}; done < list.txt`,
  ])();
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function withVariable(random: Random, line: string): string {
  return /\$\{?X/.test(line) ? `X=${fileWord(random)}; ${line}` : line;
}
