// Where a path stands: inside the workspace or not, protected or not. Pure: works on paths already made absolute.
import path from 'node:path';
import { isInside } from '../host/is-inside.js';
import { PROTECTED_ENDINGS, PROTECTED_FILES, PROTECTED_FOLDERS } from './protected-paths.js';

const FOLDERS = new Set(PROTECTED_FOLDERS);
const FILES = new Set(PROTECTED_FILES);
/** What those of several parts begin with. */
const FOLDER_STARTS = firstParts(PROTECTED_FOLDERS);
const FILE_FOLDERS = firstParts(PROTECTED_FILES);

function firstParts(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name) => name.includes('/')).map((name) => name.slice(0, name.indexOf('/'))));
}

/**
 * The protected folder or file that `target` names or lies in, or null. Only the part below a workspace root counts,
 * so that a workspace may itself lie under such a folder. Case, characters without width and dots at the end are
 * ignored, as some file systems do.
 */
export function protectedPart(roots: readonly string[], target: string): string | null {
  let root = '';
  for (const candidate of roots) if (candidate.length > root.length && isInside(candidate, target)) root = candidate;
  const below = root === '' ? target : belowRoot(root, target);
  let folder = '';
  let name = '';
  for (let at = 0; at <= below.length; ) {
    const end = endOfPart(below, at);
    folder = name;
    name = plainName(below.slice(at, end));
    const found = protectedFolder(name, below, end);
    if (found !== null) return found;
    at = end + 1;
    while (isSeparator(below, at)) at++;
  }
  if (FILES.has(name)) return name;
  if (FILE_FOLDERS.has(folder) && FILES.has(`${folder}/${name}`)) return `${folder}/${name}`;
  const isActing = PROTECTED_ENDINGS.some(({ ending, folders }) => name.endsWith(ending) && folders.includes(folder));
  return isActing ? name : null;
}

/** Those of several parts. */
const IN_PARTS = [...PROTECTED_FOLDERS, ...PROTECTED_FILES].filter((name) => name.includes('/'));

/** Paths below a folder that are protected by its own name along with theirs: of `.config` it is `.config/helix`. */
export function protectedByFolder(folder: string): readonly string[] {
  const above = folder.split(path.sep).map(plainName);
  return IN_PARTS.flatMap((name) => {
    const parts = name.split('/');
    for (let cut = parts.length - 1; cut > 0; cut--)
      if (parts.slice(0, cut).join('/') === above.slice(-cut).join('/')) return path.join(folder, ...parts.slice(cut));
    return [];
  });
}

/** Has parts that say nothing or lead back. */
export const SAYS_NOTHING = /\/\.{0,2}(?:\/|$)/;

function belowRoot(root: string, target: string): string {
  const isBelow = target.startsWith(root) && target.charAt(root.length) === '/' && !SAYS_NOTHING.test(target);
  return isBelow ? target.slice(root.length + 1) : path.relative(root, target);
}

/** The protected folder that this part is, alone or with those behind it; null for all others. */
function protectedFolder(name: string, below: string, end: number): string | null {
  if (FOLDERS.has(name)) return name;
  if (!FOLDER_STARTS.has(name)) return null;
  let names = name;
  for (let at = end, parts = 1; parts < 3; parts++) {
    while (isSeparator(below, at)) at++;
    const next = endOfPart(below, at);
    names = `${names}/${plainName(below.slice(at, next))}`;
    if (FOLDERS.has(names)) return names;
    at = next;
  }
  return null;
}

function isSeparator(text: string, at: number): boolean {
  const sign = text.charCodeAt(at);
  return sign === 0x2f || sign === 0x5c;
}

function endOfPart(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isSeparator(text, at)) at++;
  return at;
}

/** Nothing in it that any file system would take for something else. */
const PLAIN = /^[a-z0-9_.-]*[a-z0-9_-]$/;
const WITHOUT_WIDTH = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** A name as the most lenient file system takes it. `git~1` is the short form of `.git` on some. */
function plainName(name: string): string {
  if (PLAIN.test(name)) return name;
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

/** @param isWritten to open a descriptor by its name is to open the file that it was opened on */
export function isHarmlessDevice(target: string, isWritten = false): boolean {
  return HARMLESS_DEVICES.test(target) && !(isWritten && /^\/dev\/(?:std|fd)/.test(target));
}

const PROCESSES = /^\/proc\/(?:\d+|self|thread-self)(?:\/|$)/;
const DEVICES = /^\/(?:dev|sys)(?:\/|$)/;
const KERNEL = /^\/proc\/(?:kcore|kmem|mem|sysrq-trigger|sys)(?:\/|$)/;

/** What of the machine itself `target` shows or drives, or null: the inside of processes, and devices. */
export function specialFile(target: string): string | null {
  if (PROCESSES.test(target)) return 'the inside of a process';
  if (DEVICES.test(target) && !isHarmlessDevice(target)) return 'a device';
  return KERNEL.test(target) ? 'the kernel' : null;
}
