// Programs that go by several names: rules that deny or ask know each of them. One rule: only what is the same program, or
// one that does the same with the same words.
import { literalWord, type ShellWord } from '../syntax/shell-word.js';

/** The usual name, with the words that the other one stands for. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  'apt-get': ['apt'],
  batcat: ['bat'],
  bsdtar: ['tar'],
  bunx: ['bun', 'x'],
  bunzip2: ['bzip2', '-d'],
  'docker-compose': ['docker', 'compose'],
  egrep: ['grep', '-E'],
  fgrep: ['grep', '-F'],
  fdfind: ['fd'],
  flyctl: ['fly'],
  gawk: ['awk'],
  gmake: ['make'],
  gpg2: ['gpg'],
  gradlew: ['gradle'],
  gtar: ['tar'],
  gunzip: ['gzip', '-d'],
  hd: ['hexdump', '-C'],
  hub: ['git'],
  mawk: ['awk'],
  mvnw: ['mvn'],
  nawk: ['awk'],
  ncat: ['nc'],
  netcat: ['nc'],
  nodejs: ['node'],
  'original-awk': ['awk'],
  npx: ['npm', 'exec'],
  pip2: ['pip'],
  pip3: ['pip'],
  pnpx: ['pnpm', 'dlx'],
  pnx: ['pnpm', 'dlx'],
  rgrep: ['grep', '-r'],
  ripgrep: ['rg'],
  slogin: ['ssh'],
  unlz4: ['lz4', '-d'],
  unxz: ['xz', '-d'],
  unzstd: ['zstd', '-d'],
  vi: ['vim'],
};

/** GNU programs beside those of a system that has its own. */
const WITH_LETTER =
  /^g(?=(?:chgrp|chmod|chown|cp|cut|date|dd|find|grep|head|install|ln|ls|mv|rm|rmdir|sed|shred|sort|tail|tee|touch|truncate|uniq|xargs)$)/;
/** `pip3.12`. */
const PIP = /^pip[\d.]+$/;
/** Programs that several versions and builds of stand beside each other, by names with a version, a machine or a build. */
const VERSIONED =
  /^(?:(?:x86_64|aarch64|i686|arm\w*)-[\w-]+-)?(gcc|g\+\+|cpp|clang(?:\+\+|-format|-tidy)?|gcov|ar|as|ld|lld|llvm-ar|perl|ruby|irb|php|lua|luajit|node|vim|psql|pg_dump|go|tclsh|wish)(?:-?\d[\d.]*|\.(?:basic|tiny|nox|gtk3))?$/;

/** Small letters and no ending: nearly all names are. */
const PLAIN = /^[a-z\d_+-]+$/;
/** Whatever is versioned has a digit, or a build behind a sign. */
const MAY_BE_VERSIONED = /[\d.-]/;
const PYTHON = /^py(?:thon[\d.]*)?$/;

/** The name of a program as rules that deny see it: systems may take it in any case, with an ending or not. */
export function plainName(name: string): string {
  return PLAIN.test(name) ? name : name.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '');
}

/** The name without a version, a machine or a build: `gcc-12` is `gcc`; null if it has none. */
export function plainVersion(name: string): string | null {
  const plain = MAY_BE_VERSIONED.test(name) ? VERSIONED.exec(name)?.[1] : undefined;
  return plain === undefined || plain === name ? null : plain;
}

/** What the program of that name, in lower case, is usually called; null if that is the name. */
export function usualWords(name: string): readonly string[] | null {
  if (Object.hasOwn(USUAL, name)) return USUAL[name] ?? null;
  if (PIP.test(name)) return ['pip'];
  const plain = plainVersion(name);
  if (plain !== null) return [plain];
  return WITH_LETTER.test(name) ? [name.slice(1)] : null;
}

/** The words with the usual name of the program; null if they have it. */
export function usuallyCalled(words: readonly ShellWord[]): readonly ShellWord[] | null {
  // Nearly all words are called as usual: nothing is made for them.
  const program = words[0]?.value ?? null;
  if (program === null) return null;
  const name = plainName(program.slice(program.lastIndexOf('/') + 1));
  // A rule that names the module names the program.
  if (PYTHON.test(name) && words[1]?.value === '-m' && words[2]?.value === 'pip')
    return [literalWord('pip'), ...words.slice(3)];
  if (name === 'uv' && words[1]?.value === 'pip') return [literalWord('pip'), ...words.slice(2)];
  const usual = usualWords(name);
  return usual === null ? null : [...usual.map((word) => literalWord(word)), ...words.slice(1)];
}
