// Where a path stands: inside the workspace or not, protected or not. Pure: works on paths already made absolute.
import path from 'node:path';
import { isInside } from './is-inside.js';
import { PROTECTED_ENDINGS, PROTECTED_FILES, PROTECTED_FOLDERS } from './protected-paths.js';

const FOLDERS = new Set(PROTECTED_FOLDERS);
const FILES = new Set(PROTECTED_FILES);

/**
 * The protected folder or file that `target` names or lies in, or null. Only the part below a workspace root counts,
 * so that a workspace may itself lie under such a folder. Case, characters without width and dots at the end are
 * ignored, as some file systems do.
 */
export function protectedPart(roots: readonly string[], target: string): string | null {
  const root = roots.filter((candidate) => isInside(candidate, target)).sort((a, b) => b.length - a.length)[0];
  const below = root === undefined ? target : path.relative(root, target);
  const segments = below.split(/[\\/]+/).map(plainName);
  for (const [at, segment] of segments.entries()) {
    if (FOLDERS.has(segment)) return segment;
    const pair = `${segment}/${segments[at + 1] ?? ''}`;
    if (FOLDERS.has(pair)) return pair;
    const three = `${pair}/${segments[at + 2] ?? ''}`;
    if (FOLDERS.has(three)) return three;
  }
  const [name = '', folder = ''] = segments.slice(-2).reverse();
  if (FILES.has(name)) return name;
  if (FILES.has(`${folder}/${name}`)) return `${folder}/${name}`;
  const isActing = PROTECTED_ENDINGS.some(({ ending, folders }) => name.endsWith(ending) && folders.includes(folder));
  return isActing ? name : null;
}

const WITHOUT_WIDTH = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** A name as the most lenient file system takes it. `git~1` is the short form of `.git` on some. */
function plainName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(WITHOUT_WIDTH, '')
    .toLowerCase()
    .replace(/(?::.*|[. ]+)$/, '');
  return plain === 'git~1' ? '.git' : plain === '' ? name : plain;
}

/** Folders of the system: nothing in them is removed without a person. */
const SYSTEM_FOLDERS = ['bin', 'boot', 'dev', 'etc', 'lib', 'lib32', 'lib64', 'proc', 'sbin', 'sys', 'usr'].concat([
  'applications',
  'library',
  'system',
]);

/**
 * What makes the removal of `target` one that is always asked for, or null: the root of the machine and what lies right
 * below it, folders of the system, a home, a folder of the workspace or one it lies in.
 */
export function criticalRemoval(roots: readonly string[], home: string | null, target: string): string | null {
  const segments = path
    .resolve(target)
    .toLowerCase()
    .split(path.sep)
    .filter((segment) => segment !== '');
  if (segments.length <= 1) return segments.length === 0 ? 'the root of the machine' : `the top folder ${target}`;
  if (SYSTEM_FOLDERS.includes(segments[0] ?? '')) return `${target}, a part of the system`;
  if (home !== null && isInside(target, home)) return 'a home folder';
  if (segments.length === 2 && ['home', 'users'].includes(segments[0] ?? '')) return 'a home folder';
  return roots.some((root) => isInside(target, root)) ? 'a folder of the workspace itself' : null;
}

/** Devices that only give or swallow bytes. */
const HARMLESS_DEVICES = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d+)$/;

export function isHarmlessDevice(target: string): boolean {
  return HARMLESS_DEVICES.test(target);
}

/** What of the machine itself `target` shows or drives, or null: the inside of processes, and devices. */
export function specialFile(target: string): string | null {
  if (/^\/proc\/(?:\d+|self|thread-self)(?:\/|$)/.test(target)) return 'the inside of a process';
  if (/^\/(?:dev|sys)(?:\/|$)/.test(target) && !isHarmlessDevice(target)) return 'a device';
  return /^\/proc\/(?:kcore|kmem|mem|sysrq-trigger|sys)(?:\/|$)/.test(target) ? 'the kernel' : null;
}
