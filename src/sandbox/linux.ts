// The words that run a command in bubblewrap, and whether this machine can: the programs that it takes, and a trial run. Rule:
// everything is taken away first, and what a command needs is given back by name; what was not seen to hold does not count.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import { isWithin } from '../host/is-inside.js';
import type { Mount } from './mount-plan.js';

interface BubblewrapPlan {
  /** Absolute path of the program. */
  readonly bwrap: string;
  readonly mounts: readonly Mount[];
  /** What mounts stand on, see `SandboxFolder`. */
  readonly folder: SandboxFolder;
  readonly cwd: string;
  /** No /proc of its own. */
  readonly isNested: boolean;
  readonly filter: string;
  /** Process whose network the command joins; null: a network of its own, with nothing but loopback. */
  readonly network: { readonly nsenter: string; readonly pid: number } | null;
  /** Variables that would act on bubblewrap itself, and are set inside. */
  readonly innerEnv: Readonly<Record<string, string>>;
}

/** A session's private folder, by parts. */
export interface SandboxFolder {
  readonly path: string;
  /** For temporary files of commands; 0700. */
  readonly tmp: string;
  /** Nobody can open it. */
  readonly noFile: string;
  readonly noFolder: string;
}

const SHELL = '/bin/sh';
/**
 * Opens the filter for bubblewrap, which takes it as a file descriptor. Whatever else this process was started with is
 * closed: a folder that somebody left open leads past every mount. Not every shell closes numbers of two digits.
 */
const WITH_FILTER = `exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&-
more=
for fd in /proc/self/fd/*; do case $fd in */?) ;; *) more=1 ;; esac; done
[ -z "$more" ] || exec /bin/bash -c 'for fd in /proc/self/fd/*; do
  fd=\${fd##*/}
  [ "$fd" -lt 3 ] || eval "exec $fd<&-"
done
exec 9<"$0" && exec "$@"' "$0" "$@"
exec 9<"$0" && exec "$@"`;
const NETWORK_FLAGS = ['-U', '-n', '--preserve-credentials'];

export function bubblewrapCommand(plan: BubblewrapPlan, command: readonly string[]): string[] {
  const { network, bwrap } = plan;
  const enter = network === null ? [] : [network.nsenter, '-t', String(network.pid), ...NETWORK_FLAGS, '--'];
  return [SHELL, '-c', WITH_FILTER, plan.filter, ...enter, bwrap, ...bubblewrapArguments(plan), '--', ...command];
}

export function bubblewrapArguments(plan: BubblewrapPlan): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(plan.network === null ? ['--unshare-net'] : []),
    // A terminal of the caller's cannot be written to, and nothing outlives the session.
    ...['--new-session', '--die-with-parent', '--cap-drop', 'ALL', '--seccomp', '9', '--hostname', 'sandbox'],
    ...(isAllHidden(plan) ? ['--tmpfs', '/'] : ['--ro-bind', '/', '/']),
    ...['--dev', '/dev'],
    // Read-only too: root may write to files in it that act on the whole machine, such as /proc/sys/kernel/core_pattern.
    ...(plan.isNested ? [] : ['--proc', '/proc', '--remount-ro', '/proc']),
    ...mountArguments(plan),
    ...Object.entries(plan.innerEnv).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', plan.cwd],
  ];
}

/** Then nothing is there but what is opened by name. */
function isAllHidden({ mounts }: BubblewrapPlan): boolean {
  return mounts.some(({ path, kind }) => path === '/' && kind === 'hidden');
}

function mountArguments(plan: BubblewrapPlan): string[] {
  const { folder } = plan;
  const mounts = plan.mounts.filter(({ path }) => path !== '/');
  const closed = isAllHidden(plan) ? ['/'] : [];
  const made = mounts.flatMap((mount) => {
    const holdsMore = mounts.some((other) => other !== mount && isWithin(mount.path, other.path));
    if (mount.kind === 'hidden' && mount.isFolder && holdsMore) closed.push(mount.path);
    return mountOf(mount, folder, holdsMore);
  });
  // Only then: what is opened again inside needs a place to stand on.
  return [...made, ...closed.flatMap((target) => ['--remount-ro', target])];
}

function mountOf({ path, kind, isFolder }: Mount, folder: SandboxFolder, holdsMore: boolean): string[] {
  switch (kind) {
    case 'tmp':
      return ['--bind', folder.tmp, path];
    case 'write':
    case 'pin':
      return ['--bind', path, path];
    case 'read':
    case 'open':
      return ['--ro-bind', path, path];
    case 'hidden':
      if (!isFolder) return ['--ro-bind', folder.noFile, path];
      return holdsMore ? ['--perms', '0111', '--tmpfs', path] : ['--ro-bind', folder.noFolder, path];
  }
}

// Whether the mounts of a sandbox are as they were meant: looked at from inside, before the command starts. A
// folder that another command swaps for a link while the sandbox is set up would lead a mount somewhere else. Pure.

/**
 * Exits with 125 if something can be written that was not meant to be, or if a mount is not what it was meant to
 * be. `$1`: lines of `expectedMounts`; the rest is run. In a process of its own, so that no variable is changed.
 */
export const VERIFY = `(
wanted="
$1
" seen=
while read -r _ _ _ root point options _; do
  case $options in rw|rw,*) mode=rw ;; *) mode=ro ;; esac
  case $wanted in
    *"
$root $point $mode
"*) seen="$seen
$root $point $mode
" ;;
    *) case "$mode $point" in "rw /dev"|"rw /dev/"*) ;; rw*) exit 1 ;; esac ;;
  esac
done < /proc/self/mountinfo
set -f
IFS='
'
for line in $1; do
  case $seen in *"
$line
"*) ;; *) exit 1 ;; esac
done
) || {
  echo 'The sandbox was disturbed while it was set up, so the command was not run. Run it again.' >&2
  exit 125
}
shift
`;

/** A mount of the machine: the folder of its file system, and where it stands. */
interface MachineMount {
  readonly root: string;
  readonly point: string;
}

/** @param table `/proc/self/mountinfo` of this process */
export function readMountTable(table: string): MachineMount[] {
  return table.split('\n').flatMap((line) => {
    const [, , , root, point] = line.split(' ');
    return root === undefined || point === undefined
      ? []
      : [{ root: unescapeOctal(root), point: unescapeOctal(point) }];
  });
}

/**
 * What the mounts look like from inside, a line each: the folder of the file system, where it stands, and whether it can
 * be written.
 */
export function expectedMounts(
  mounts: readonly Mount[],
  folder: SandboxFolder,
  machine: readonly MachineMount[],
): string {
  const inFileSystem = (target: string): string => {
    // Of several that stand at one place the last is the one that is seen.
    const around = machine
      .filter(({ point }) => isWithin(point, target))
      .reduce((best, one) => (one.point.length >= best.point.length ? one : best), { root: '/', point: '/' });
    const rest = target.slice(around.point === '/' ? 0 : around.point.length);
    return around.root === '/' ? rest || '/' : `${around.root}${rest === '/' ? '' : rest}`;
  };
  return mounts
    .filter(({ path }) => path !== '/')
    .map(({ path, kind, isFolder }) => {
      const holdsMore = mounts.some((other) => other.path !== path && isWithin(path, other.path));
      const source = sourceOf(path, kind, isFolder, folder);
      const root = kind === 'hidden' && isFolder && holdsMore ? '/' : inFileSystem(source);
      const mode = kind === 'write' || kind === 'pin' || kind === 'tmp' ? 'rw' : 'ro';
      return `${escapeOctal(root)} ${escapeOctal(path)} ${mode}`;
    })
    .join('\n');
}

function sourceOf(path: string, kind: Mount['kind'], isFolder: boolean, folder: SandboxFolder): string {
  if (kind === 'tmp') return folder.tmp;
  if (kind === 'hidden') return isFolder ? folder.noFolder : folder.noFile;
  return path;
}

/** As the kernel writes them. */
function escapeOctal(text: string): string {
  return text.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

export interface SandboxPrograms {
  readonly bwrap: string;
  /** Null if there is none; then no command gets a way out by a proxy. */
  readonly nsenter: string | null;
}

type Probe = { readonly programs: SandboxPrograms } | { readonly reason: string };

interface ProbeOptions {
  readonly host: Host;
  readonly path: string;
  /** A program that a command could have put there is not used. */
  readonly roots: readonly string[];
  readonly folder: SandboxFolder;
  readonly filter: string;
  readonly isNested: boolean;
}

const TRIAL_MS = 10_000;
const USUAL_FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];
const MAX_TOLD = 300;

/** Each line is something that must hold; its exit code says which did not. Builtins only: a process costs time. */
const TRIAL = `
: > /tmp/.trial || exit 11
[ -w / ] || [ -w /usr ] && exit 12
while read -r name value; do
  case $name in
    CapEff:) caps=$value ;;
    NoNewPrivs:) nnp=$value ;;
    Seccomp:) seccomp=$value ;;
  esac
done < /proc/self/status
[ "$caps" = 0000000000000000 ] || exit 13
[ "$nnp" = 1 ] || exit 14
[ "$seccomp" = 2 ] || exit 15
count=0
while read -r line; do count=$((count + 1)); done < /proc/self/net/dev
[ "$count" -le 3 ] || exit 16
[ $$ -lt 100 ] || exit 17
exit 0
`;

const FAULTS: Readonly<Record<number, string>> = {
  11: 'the private folder for temporary files cannot be written',
  12: 'files outside the workspace can be written',
  13: 'programs keep capabilities',
  14: 'programs can gain rights',
  15: 'the filter of system calls is not in force',
  16: 'programs see network interfaces',
  17: 'programs share process numbers with the machine',
};

/** Contract: never throws; leaves nothing running. */
export async function probeBubblewrap(options: ProbeOptions): Promise<Probe> {
  const { host } = options;
  if (host.platform.os !== 'linux') {
    return { reason: `There is no sandbox for ${host.platform.os}: commands are confined on Linux and macOS.` };
  }
  const bwrap = await findProgram('bwrap', options);
  if (bwrap === null) {
    return {
      reason: 'The program bwrap was not found. Install bubblewrap (Debian, Fedora, Arch: the package bubblewrap).',
    };
  }
  const fault = await trialRun(bwrap, options);
  return fault === null ? { programs: { bwrap, nsenter: await findProgram('nsenter', options) } } : { reason: fault };
}

async function trialRun(bwrap: string, { host, folder, filter, isNested }: ProbeOptions): Promise<string | null> {
  const mounts = [{ path: '/tmp', kind: 'tmp', isFolder: true }] as const;
  const plan = { bwrap, mounts, folder, cwd: '/', isNested, filter, network: null, innerEnv: {} };
  let said = '';
  const take = (chunk: Uint8Array): void => {
    if (said.length < MAX_TOLD) said += new TextDecoder().decode(chunk);
  };
  try {
    const { exitCode, ended } = await host.exec.run({
      command: bubblewrapCommand(plan, ['/bin/sh', '-c', TRIAL]),
      cwd: '/',
      env: { PATH: USUAL_FOLDERS.join(':') },
      signal: new AbortController().signal,
      timeoutMs: TRIAL_MS,
      onStdout: take,
      onStderr: take,
    });
    if (ended !== 'exited') return `A trial of bubblewrap did not end within ${TRIAL_MS} ms.`;
    if (exitCode === 0) return null;
    const fault = exitCode === null ? undefined : FAULTS[exitCode];
    if (fault !== undefined) return `A trial of bubblewrap (${bwrap}) did not hold: ${fault}.`;
    return `A trial of bubblewrap (${bwrap}) failed: ${said.trim().slice(0, MAX_TOLD) || `exit code ${exitCode}`}.${advice(said)}`;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return `bubblewrap could not be started. ${error.message}`;
  }
}

function advice(said: string): string {
  if (/mount proc/i.test(said)) {
    return ' Inside of a container that refuses /proc, sandbox.enableWeakerNestedSandbox does without.';
  }
  if (/user namespace|namespace failed|uid map|RTM_NEWADDR/i.test(said)) {
    return ' This machine does not let ordinary users make namespaces: allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap).';
  }
  return '';
}

async function findProgram(name: string, { host, path: list, roots }: ProbeOptions): Promise<string | null> {
  const named = list.split(':').filter((folder) => path.isAbsolute(folder));
  for (const folder of [...USUAL_FOLDERS, ...named]) {
    try {
      const real = await host.fs.realpath(path.join(folder, name));
      const stat = await host.fs.stat(real);
      const isOwn = roots.some((root) => real === root || real.startsWith(`${root}/`));
      if (stat.kind === 'file' && (stat.mode & 0o111) !== 0 && !isOwn) return real;
    } catch (error) {
      if (!isFileError(error)) throw error; // not there: the next folder is looked into
    }
  }
  return null;
}
