// Programs that go by several names: rules that deny or ask know each of them. One rule: only what is the same program, or
// one that does the same with the same words.
import { literalWord, type ShellWord } from '../syntax/shell-word.js';

/** One program: the usual name, with the words that the other one stands for. */
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
  gpg1: ['gpg'],
  gpg2: ['gpg'],
  gradlew: ['gradle'],
  gtar: ['tar'],
  gunzip: ['gzip', '-d'],
  hd: ['hexdump', '-C'],
  helm3: ['helm'],
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
  'py.test': ['pytest'],
  rbash: ['bash'],
  rgrep: ['grep', '-r'],
  ripgrep: ['rg'],
  slogin: ['ssh'],
  'sudo-rs': ['sudo'],
  unlz4: ['lz4', '-d'],
  unxz: ['xz', '-d'],
  unzstd: ['zstd', '-d'],
  uvx: ['uv', 'tool', 'run'],
  vi: ['vim'],
  yarnpkg: ['yarn'],
};

/** Other programs that take the same words for the same acts: who denies one of them means each. */
const TWINS: Readonly<Record<string, string>> = {
  '7z': '7za 7zr 7zz',
  apt: 'aptitude nala',
  aws: 'aws2 awscli',
  dnf: 'dnf5 microdnf tdnf yum',
  docker: 'finch nerdctl podman podman-remote',
  'docker compose': 'podman-compose',
  'g++': 'c++',
  gcc: 'c89 c99 cc',
  git: 'g',
  http: 'https xh xhs',
  kubectl: 'k kubecolor microk8s.kubectl oc',
  make: 'bmake remake',
  mkfs: 'mke2fs newfs',
  mongosh: 'mongo',
  mvn: 'mvnd',
  mysql: 'mariadb',
  mysqladmin: 'mariadb-admin',
  mysqldump: 'mariadb-dump',
  npm: 'cnpm',
  pacman: 'paru yay',
  pwsh: 'powershell',
  'redis-cli': 'keydb-cli valkey-cli',
  rsync: 'openrsync',
  sqlite3: 'sqlite',
  ssh: 'dbclient',
  sudo: 'doas pkexec run0',
  terraform: 'opentofu terragrunt tofu',
  vim: 'gvim nvim',
  'vim -R': 'rview view',
  wget: 'wget2',
};

/** By each other name. */
const TWIN_OF: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(TWINS).flatMap(([usual, others]) =>
    others.split(' ').map((other): [string, readonly string[]] => [other, usual.split(' ')]),
  ),
);

/** Programs that have another one in them, by its name: `k3s kubectl`. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  colima: ['nerdctl'],
  corepack: ['npm', 'pnpm', 'yarn'],
  k3s: ['kubectl'],
  lima: ['docker', 'nerdctl'],
  microk8s: ['helm', 'kubectl'],
  minikube: ['kubectl'],
  rke2: ['kubectl'],
  uv: ['pip'],
};

/** Acts that are the same by other words, of other programs too: each row is for whoever denies one of them. */
const EQUAL_ACTS: readonly (readonly (readonly string[])[])[] = [
  // What they run they may fetch first.
  ['npm install', 'npm install-test'],
  ['git push', 'git send-pack', 'git subtree push', 'git lfs push'],
  // Code in words of the call, in the language that these shells have in common.
  ['bash -c', 'sh -c', 'ash -c', 'dash -c', 'ksh -c', 'mksh -c', 'zsh -c'],
  [
    ...['shutdown', 'poweroff', 'halt', 'reboot', 'systemctl poweroff', 'systemctl halt', 'systemctl reboot'],
    ...['init 0', 'init 6', 'telinit 0', 'telinit 6'],
  ],
  ['npm publish', 'pnpm publish', 'yarn publish', 'yarn npm publish', 'bun publish'],
  ['useradd', 'adduser'],
  ['userdel', 'deluser'],
  ['groupadd', 'addgroup'],
  ['groupdel', 'delgroup'],
  ['npm exec', 'pnpm dlx', 'yarn dlx', 'bun x'],
  ['uv tool run', 'pipx run'],
  ['uv tool install', 'pipx install'],
  ['terraform destroy', 'terraform apply -destroy'],
].map((row) => row.map((act) => act.split(' ')));

/** GNU programs, which stand with a `g` beside those of a system that has its own. */
const GNU: ReadonlySet<string> = new Set(
  (
    'base32 base64 basename cat chgrp chmod chown cksum comm cp csplit cut date dd df dirname du echo env expand expr factor ' +
    'find fmt fold grep head install join ln ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc od paste patch printenv ' +
    'printf pwd readlink realpath rm rmdir sed seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split ' +
    'stat stdbuf tac tail tee timeout touch tr truncate tsort uname unexpand uniq unlink wc xargs'
  ).split(' '),
);
/** `pip3.12`. */
const PIP = /^pip-?[\d.]+$/;
/** What git has in a folder of its own. */
const GIT_PART = /^git-[a-z]/;
/** Programs that several versions and builds of stand beside each other, by names with a version, a machine or a build. */
const VERSIONED =
  /^(?:(?:x86_64|aarch64|i686|arm\w*)-[\w-]+-)?(gcc|g\+\+|cpp|clang(?:\+\+|-format|-tidy)?|gcov|addr2line|ar|as|elfedit|ld|lld|llvm-ar|nm|objcopy|objdump|ranlib|readelf|size|strings|strip|perl|ruby|irb|php|lua|luajit|node|vim|psql|pg_dump|go|tclsh|wish|pytest|kubectl|helm|terraform|tofu|nc)(?:-?v?\d[\d.]*|\.(?:basic|tiny|nox|gtk3|openbsd|traditional))?$/;

/** A program for each kind of file system. */
const OF_A_KIND = /^(mkfs|fsck|mount|umount)\.([a-z\d]+)$/;

/** Small letters and no ending: nearly all names are. */
const PLAIN = /^[a-z\d_+-]+$/;
/** Whatever is versioned has a digit, or a build behind a sign. */
const MAY_BE_VERSIONED = /[\d.-]/;
const PYTHON = /^py(?:thon[\d.]*|py\d?)?$/;

/** The name of a program as rules that deny see it: systems may take it in any case, with an ending or not. */
export function plainName(name: string): string {
  return PLAIN.test(name) ? name : name.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '');
}

/** The name without a version, a machine or a build: `gcc-12` is `gcc`; null if it has none. */
export function plainVersion(name: string): string | null {
  const plain = MAY_BE_VERSIONED.test(name) ? VERSIONED.exec(name)?.[1] : undefined;
  return plain === undefined || plain === name ? null : plain;
}

/** The name of a GNU program without its letter; null if it is none. */
export function withoutLetter(name: string): string | null {
  return name.startsWith('g') && GNU.has(name.slice(1)) ? name.slice(1) : null;
}

/** The usual name of the same program, in lower case, with the words that the other name stands for; null if it has it. */
export function sameProgram(name: string): readonly string[] | null {
  if (Object.hasOwn(USUAL, name)) return USUAL[name] ?? null;
  if (PIP.test(name)) return ['pip'];
  const kind = OF_A_KIND.exec(name);
  if (kind !== null) return [kind[1] ?? '', '-t', kind[2] ?? ''];
  if (GIT_PART.test(name)) return ['git', name.slice('git-'.length)];
  const plain = plainVersion(name) ?? withoutLetter(name);
  return plain === null ? null : [plain];
}

/** Each word of a line may be a program, and the same few are: what they are called is worked out once. */
const USUAL_WORDS = new Map<string, readonly string[] | null>();
/** Others are worked out each time, so that a line cannot fill the memory. */
const MAX_KEPT = 4_000;
const LONGEST_KEPT = 40;

/** What the program of that name, in lower case, is called by rules that deny; null if that is the name. */
export function usualWords(name: string): readonly string[] | null {
  const known = USUAL_WORDS.get(name);
  if (known !== undefined) return known;
  const words = findUsualWords(name);
  if (USUAL_WORDS.size < MAX_KEPT && name.length <= LONGEST_KEPT) USUAL_WORDS.set(name, words);
  return words;
}

function findUsualWords(name: string): readonly string[] | null {
  const same = sameProgram(name);
  if (same === null) return TWIN_OF.get(name) ?? null;
  return (same.length === 1 ? TWIN_OF.get(same[0] ?? '') : undefined) ?? same;
}

/** The program of that name, in lower case, as rules that deny call it. */
export function usualName(name: string): string {
  return usualWords(name)?.[0] ?? name;
}

interface Start {
  readonly words: readonly string[];
  /** How many words they stand for. */
  readonly count: number;
}

type Text = string | null | undefined;

function usualStart(first: Text, second: Text, third: Text): Start | null {
  // Nearly all words are called as usual: nothing is made for them.
  if (first == null) return null;
  const name = plainName(first.slice(first.lastIndexOf('/') + 1));
  const service = serviceAct(first, name, second, third);
  if (service !== null) return service;
  // A rule that names the module names the program.
  if (second === '-m' && third === 'pip' && PYTHON.test(name)) return { words: ['pip'], count: 3 };
  if (second != null && Object.hasOwn(HOLDERS, name) && HOLDERS[name]?.includes(second) === true)
    return { words: usualWords(second) ?? [second], count: third === '--' ? 3 : 2 };
  const words = usualWords(name);
  return words === null ? null : { words, count: 1 };
}

/** A script that starts and stops a service. */
const INIT_SCRIPT = /^\/etc\/(?:rc\.d\/)?init\.d\/([\w.@-]+)$/;
const SERVICE_ACT = /^(?:start|stop|restart|reload|try-restart|status)$/;

/** `service nginx stop` and `/etc/init.d/nginx stop` are `systemctl stop nginx`. */
function serviceAct(first: string, name: string, second: Text, third: Text): Start | null {
  const script = first.startsWith('/etc/') ? INIT_SCRIPT.exec(first)?.[1] : undefined;
  if (script !== undefined)
    return second != null && SERVICE_ACT.test(second) ? { words: ['systemctl', second, script], count: 2 } : null;
  if ((name !== 'service' && name !== 'invoke-rc.d' && name !== 'rc-service') || second == null || third == null)
    return null;
  return SERVICE_ACT.test(third) ? { words: ['systemctl', third, second], count: 3 } : null;
}

/** The words with the usual name of the program; null if they have it. */
export function usuallyCalled(words: readonly ShellWord[]): readonly ShellWord[] | null {
  const start = usualStart(words[0]?.value, words[1]?.value, words[2]?.value);
  return start === null ? null : [...start.words.map((word) => literalWord(word)), ...words.slice(start.count)];
}

/**
 * For rules that deny: their words by the usual name of the program, and what does the same by other words.
 * @param words null stands for any words; the program first, by its base name
 */
export function equalActs(words: readonly (string | null)[]): readonly (readonly (string | null)[])[] {
  const start = usualStart(words[0], words[1], words[2]);
  const usual = start === null ? words : [...start.words, ...words.slice(start.count)];
  const found = [usual];
  for (const row of EQUAL_ACTS) {
    const named = row.find((act) => act.every((word, at) => usual[at] === word));
    if (named === undefined) continue;
    for (const act of row) if (act !== named) found.push([...act, ...usual.slice(named.length)]);
  }
  return found;
}
