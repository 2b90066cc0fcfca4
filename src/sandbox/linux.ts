// The words that run a command in bubblewrap. Pure. Rule: everything is taken away first, and what a command needs is
// given back by name.
import { isWithin } from '../host/is-inside.js';
import type { Mount } from './mount-plan.js';

export interface BubblewrapPlan {
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
