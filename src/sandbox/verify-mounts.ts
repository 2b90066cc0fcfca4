// Whether the mounts of a sandbox stand where they were meant to: looked at from inside, before the command starts. A
// folder that another command swaps for a link while the sandbox is set up would lead a mount somewhere else. Pure.
import { isWithin } from '../host/is-inside.js';
import type { SandboxFolder } from './linux.js';
import type { Mount } from './mount-plan.js';

/**
 * Exits with 125 where something can be written that was not meant to be, or if a mount is not what it was meant to
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
