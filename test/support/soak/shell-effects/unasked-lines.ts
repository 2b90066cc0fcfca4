// Lines of chance that try to run without a question: programs with odd words, hostile input, variables in front, and names
// written in other ways. One rule: any described program of this machine may be in them, whatever it would do.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../random.js';
import { searchPath } from './confinement.js';
import { type DescribedProgram, describedPrograms } from './description.js';
import { PROGRAM_TEXTS } from './hostile-files.js';
import { type RealOption, realOptions } from './real-options.js';
import { fixtureLines } from './templates.js';
import { fileWord, fill } from './words.js';

export interface UnaskedMaker {
  /** A line with `@R` for the root of the fixture. */
  line(random: Random): string;
  /** A line of this program; with this option if it is given. */
  lineOf(random: Random, program: string, option?: string): string;
  /** Lines for each option that a program has by its description or its own help. */
  eachOption(): readonly ((random: Random) => string)[];
}

/** They do nothing but let time pass, or never end. */
const LEFT_OUT = new Set('sleep yes top htop watch tail'.split(' '));

/** What is asked of a program for its options: those that are started by that, and do not end, are not. */
const UNHELPFUL =
  /^(?:systemctl|journalctl|shutdown|reboot|halt|poweroff|telinit|init|at|batch|crontab|screen|tmux|tclsh|wish|expect)$/;

/** Made once for all lines. */
export function createUnaskedMaker(): UnaskedMaker {
  const folders = searchPath().split(':');
  const isHere = (name: string): boolean => folders.some((folder) => existsSync(path.join(folder, name)));
  const here = describedPrograms().filter(({ name }) => /^[\w.+-]+$/.test(name) && !LEFT_OUT.has(name) && isHere(name));
  const env = { PATH: folders.join(':'), HOME: '/dev/null', LC_ALL: 'C' };
  const known = new Map<string, readonly RealOption[]>();
  const realOf = (name: string): readonly RealOption[] => {
    const options = known.get(name) ?? (UNHELPFUL.test(name) ? [] : realOptions(name, env));
    known.set(name, options);
    return options;
  };
  const around = fixtureLines('unasked');
  const option = (random: Random, { name, options }: DescribedProgram): string => {
    const real = realOf(name);
    const isReal = real.length > 0 && (options.length === 0 || random.chance(0.4));
    if (!isReal && options.length === 0) return random.pick(ODD);
    return (isReal ? random.pick(real) : random.pick(options)).name;
  };
  const word = (random: Random, program: DescribedProgram): string => {
    const kind = random.next();
    if (kind < 0.3) return random.pick(ODD);
    if (kind < 0.55) return option(random, program);
    if (kind < 0.65) return joined(option(random, program), hostileFile(random, program.name), random);
    if (kind < 0.75) return hostileFile(random, program.name);
    if (kind < 0.8) return random.pick(TELLING);
    return fileWord(random);
  };
  const command = (random: Random, program: DescribedProgram): string => {
    const words = Array.from({ length: random.pick([0, 1, 1, 2, 2, 3]) }, () => word(random, program));
    return [spelled(random, program.name), ...words].join(' ');
  };
  const within = (random: Random, template: string, chosen?: DescribedProgram): string => {
    const one = (): DescribedProgram => chosen ?? random.pick(here);
    const main = one();
    const filled = template.replaceAll(/\{([MPHTAW])\}/g, (_, mark: string) => {
      if (mark === 'M') return command(random, random.chance(0.8) ? main : one());
      if (mark === 'P') return main.name;
      if (mark === 'H') return hostileFile(random, main.name);
      if (mark === 'T') return hostileText(random, main.name);
      return mark === 'A' ? assignment(random) : word(random, main);
    });
    return fill(filled, random);
  };
  const general = around.filter((template) => /\{[MP]\}/.test(template));
  const lineOf = (random: Random, name: string, its?: string): string => {
    const program = here.find((each) => each.name === name);
    if (program === undefined) throw new Error(`${name} is not on this machine.`);
    if (its === undefined) return within(random, random.pick(general), program);
    const more = random.pick([
      '',
      '',
      ` ${random.pick(ODD)}`,
      ` ${hostileFile(random, name)}`,
      ` ${random.pick(TELLING)}`,
      ` ${fileWord(random)}`,
    ]);
    const value = random.chance(0.5) ? its : joined(its, hostileFile(random, name), random);
    const first = random.chance(0.8) ? value : `${random.pick(TELLING)} ${value}`;
    return `${name} ${first}${more}${random.chance(0.6) ? ` < ${hostileFile(random, name)}` : ''}`;
  };
  return {
    line: (random) => within(random, random.pick(around)),
    lineOf,
    eachOption: () =>
      here.flatMap((program) => {
        const names = new Set([...realOf(program.name), ...program.options].map(({ name }) => name));
        return [...names, ...TELLING, ...ODD].map((its) => (random: Random) => lineOf(random, program.name, its));
      }),
  };
}

const TELLING = [
  '--version',
  '--help',
  '-v',
  '-V',
  '-h',
  'version',
  'help',
  '-version',
  '-help',
  '--vers',
  '--usage',
  '-?',
];

const ODD = [
  '""',
  "' '",
  '-',
  '--',
  '---',
  '-x',
  '-Z',
  '-e',
  '-c',
  '-i',
  '-s',
  '-q',
  '-n',
  '-f',
  '--zz',
  '+x',
  '@in.sh',
  '.',
  '1',
  "$'\\n'",
  '-1',
  '--=x',
  '/dev/stdin',
  '=',
  '-o',
];

/** Written apart, in the same word, or behind a sign. */
function joined(option: string, value: string, random: Random): string {
  return `${option}${random.pick([' ', option.startsWith('--') ? '=' : ''])}${value}`;
}

/** In one of the ways that mean the same to a shell. */
function spelled(random: Random, name: string): string {
  if (random.chance(0.75)) return name;
  const at = random.int(0, name.length - 1);
  return random.pick([
    `\\${name}`,
    `"${name}"`,
    `'${name}'`,
    `${name.slice(0, at)}""${name.slice(at)}`,
    `${name.slice(0, at)}\\${name.slice(at)}`,
    `$'${name}'`,
    `/usr/bin/${name}`,
    `command ${name}`,
    `\\command ${name}`,
    `$X${name}`,
    `{${name},}`,
    `${name}\\\n`,
  ]);
}

/** The end of the name of a program in the language of an interpreter. */
const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/^(?:ba|da|z|k|a)?sh$|^rbash$/, 'sh'],
  [/^node|^npm|^npx|^tsx?|^ts-node|^deno|^bun/, 'js'],
  [/^py|^pip/, 'py'],
  [/^perl/, 'pl'],
  [/^tcl|^wish|^expect/, 'tcl'],
  [/sql/, 'sql'],
  [/^gdb|^lldb/, 'gdb'],
  [/^r?ed$/, 'ed'],
  [/vi|^ex$/, 'vim'],
  [/awk/, 'awk'],
  [/sed$/, 'sed'],
  [/make/, 'mk'],
  [/^m4/, 'm4'],
  [/^[bd]c$/, 'dc'],
  [/^ruby|^irb|^gem/, 'rb'],
  [/^lua/, 'lua'],
  [/^php/, 'php'],
  [/roff|^man$|^tbl$|^eqn$|^pic$/, 'groff'],
  [/^gnuplot/, 'gp'],
  [/mail/, 'mail'],
  [/^ssh|^scp|^sftp|^rsync|^git/, 'ssh'],
];

const ENDINGS = Object.keys(PROGRAM_TEXTS);

function languageOf(random: Random, program: string): string {
  const own = LANGUAGES.find(([names]) => names.test(program))?.[1];
  return own === undefined || random.chance(0.2) ? random.pick(ENDINGS) : own;
}

function hostileFile(random: Random, program: string): string {
  return random.chance(0.1)
    ? random.pick(['harm', 'x.so', './harm', 'bin', 'evil', 'bare'])
    : `in.${languageOf(random, program)}`;
}

function hostileText(random: Random, program: string): string {
  return `'${(PROGRAM_TEXTS[languageOf(random, program)] ?? '').trim().replaceAll("'", "'\\''")}'`;
}

/** Variables that make programs load, start or read something, and values with which they would. */
const ASSIGNED: readonly (readonly [names: string, values: readonly string[]])[] = [
  ['PATH', ['bin:$PATH', '.:$PATH', ':$PATH', '"$PWD/bin:$PATH"', '']],
  ['LD_PRELOAD LD_AUDIT', ['./x.so', '"$PWD/x.so"', 'x.so']],
  [
    'LD_LIBRARY_PATH LOCPATH GCONV_PATH TEXTDOMAINDIR NLSPATH TERMINFO PYTHONPATH PERL5LIB NODE_PATH RUBYLIB LUA_PATH AWKPATH TCLLIBPATH PYTHONHOME XDG_CONFIG_HOME HOME CURL_HOME CDPATH TMPDIR XDG_DATA_DIRS MANPATH INFOPATH',
    ['.', '"$PWD"', 'bin', './sub'],
  ],
  [
    'BASH_ENV ENV PYTHONSTARTUP WGETRC INPUTRC RIPGREP_CONFIG_PATH OPENSSL_CONF MAGIC GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM NPM_CONFIG_USERCONFIG',
    ['in.sh', 'in.py', './in.ssh', '.ripgreprc', '.npmrc'],
  ],
  [
    'PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND LESSOPEN LESSCLOSE BROWSER SHELL CC TAR RSYNC_RSH GIT_ASKPASS SSH_ASKPASS GREP GZIP XZ_OPT',
    ['./harm', 'harm', '"|./harm %s"', '"./harm; cat"'],
  ],
  [
    'PERL5OPT NODE_OPTIONS RUBYOPT PYTHONWARNINGS PYTHONBREAKPOINT JAVA_TOOL_OPTIONS MAKEFLAGS GREP_OPTIONS TAR_OPTIONS LESS GIT_TRACE',
    ['-Mstrict', '--require=./in.js', '-r./in.rb', '"--eval=$(shell ./harm)"', '"$PWD/sub/made"', '-ojunk'],
  ],
  [
    'IFS TZ LANG LC_ALL LANGUAGE TERM COLUMNS DEBUG CI NODE_ENV NO_COLOR FORCE_COLOR LOG_LEVEL PYTHONIOENCODING RUST_BACKTRACE APP_ENV X Y FOO',
    ['x', './C', '../ws', '""', '"a[$(./harm)]"', "'$(./harm)'", 'C.UTF-8', '1'],
  ],
];

function assignment(random: Random): string {
  const [names, values] = random.pick(ASSIGNED);
  return `${random.pick(names.split(' '))}${random.chance(0.05) ? '+=' : '='}${random.pick(values)}`;
}
