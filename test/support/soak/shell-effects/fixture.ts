// The tree that lines of chance are run in: a workspace, a home, a place outside of both, with links of each kind between
// them. One rule: before each line it is the same, down to modes and times.
import { execFileSync } from 'node:child_process';
import {
  type BigIntStats,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { ARCHIVES, FILES, GIT_STEPS, HIDDEN, LINKS } from './fixture-files.js';
import { removeTree } from './remove-tree.js';

export type EntryKind = 'file' | 'folder' | 'link';

export interface Fixture {
  /** Holds the others; absolute, without links. */
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly outside: string;
  /** What stands there before a line runs, by absolute path. */
  readonly kinds: ReadonlyMap<string, EntryKind>;
  /** Where its links lead, as written, by absolute path. */
  readonly links: ReadonlyMap<string, string>;
  /** Puts everything back. Returns the paths that were changed, made or gone. */
  restore(): readonly string[];
}

interface Entry {
  readonly kind: EntryKind;
  readonly mode: number;
  readonly content: Buffer;
  readonly target: string;
}

/** All that changes with a file when somebody writes it, replaces it or changes what belongs to it. */
interface Stamp {
  readonly ino: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly mode: bigint;
}

/** Times of all files: git and make look at them. */
const TIME = 1_700_000_000;

/**
 * Makes the tree below a folder that is there and empty.
 * @param untracked further files, by path below the root, that no repository has
 * @param steps lines of a shell that make more of them in the workspace
 */
export function makeFixture(
  root: string,
  untracked: Readonly<Record<string, string>> = {},
  steps: readonly string[] = [],
): Fixture {
  const [workspace, home, outside] = ['ws', 'home', 'outside'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  writeTree(root);
  writeFiles(root, untracked);
  for (const line of steps) runIn(root, 'ws', line);
  const entries = new Map<string, Entry>();
  // Git knows files again by their times: those that it did not change it does not read.
  for (const { at, stat } of walk(root)) setTime(at, readEntry(at, stat));
  for (const folder of [workspace, path.join(outside, 'repo')]) refreshIndex(folder);
  for (const { at, stat } of walk(root)) entries.set(at, readEntry(at, stat));
  for (const [at, entry] of entries) setTime(at, entry);
  const stamps = new Map<string, Stamp>();
  for (const { at, stat } of walk(root)) stamps.set(at, stat);
  return {
    root,
    workspace,
    home,
    outside,
    kinds: new Map([...entries].map(([at, { kind }]) => [at, kind])),
    links: new Map([...entries].flatMap(([at, { kind, target }]) => (kind === 'link' ? [[at, target]] : []))),
    restore: () => restore(root, entries, stamps),
  };
}

function writeTree(root: string): void {
  for (const folder of ['ws', 'home', 'outside']) mkdirSync(path.join(root, folder));
  writeFiles(root, FILES, 'PACKED');
  linkSync(path.join(root, 'ws/b.txt'), path.join(root, 'ws/hard.txt'));
  for (const line of ARCHIVES) runIn(root, 'ws', line);
  const hidden = Object.entries(FILES).filter(([, content]) => content.includes(HIDDEN));
  writeFiles(root, Object.fromEntries(hidden));
  for (const folder of ['ws', 'outside/repo']) for (const line of GIT_STEPS) runIn(root, folder, line);
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target.replaceAll('@R', root), path.join(root, name));
}

function runIn(root: string, folder: string, line: string): void {
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: path.join(root, 'home'),
    LC_ALL: 'C',
    GIT_AUTHOR_DATE: `${TIME} +0000`,
    GIT_COMMITTER_DATE: `${TIME} +0000`,
  };
  try {
    execFileSync('/bin/sh', ['-c', line], { cwd: path.join(root, folder), env, stdio: 'ignore' });
  } catch {
    // A program that is not there makes no archive: lines about it say nothing then.
  }
}

/** @param hidden what stands in place of the mark of files that rules deny */
function writeFiles(root: string, files: Readonly<Record<string, string>>, hidden = HIDDEN): void {
  for (const [name, content] of Object.entries(files)) {
    const at = path.join(root, name);
    mkdirSync(path.dirname(at), { recursive: true });
    if (name.endsWith('/')) mkdirSync(at, { recursive: true });
    else writeFileSync(at, content.replaceAll('@R', root).replaceAll(HIDDEN, hidden));
    if (content.startsWith('#!')) chmodSync(at, 0o755);
  }
}

function readEntry(at: string, stat: BigIntStats): Entry {
  const mode = Number(stat.mode) & 0o7777;
  if (stat.isSymbolicLink()) return { kind: 'link', mode, content: Buffer.alloc(0), target: readlinkSync(at) };
  if (stat.isDirectory()) return { kind: 'folder', mode, content: Buffer.alloc(0), target: '' };
  return { kind: 'file', mode, content: readFileSync(at), target: '' };
}

function setTime(at: string, { kind }: Entry): void {
  // An index as old as its files would say nothing of them.
  const time = at.endsWith('.git/index') ? TIME + 60 : TIME;
  if (kind !== 'link') utimesSync(at, time, time);
}

function refreshIndex(folder: string): void {
  try {
    execFileSync('git', ['update-index', '-q', '--refresh'], { cwd: folder, stdio: 'ignore' });
  } catch {
    // It ends so if a file was changed, and one was.
  }
}

/** Folders before what lies in them. `isEntered`: whether what lies in a folder is wanted. Default: in all. */
function* walk(
  folder: string,
  isEntered: (at: string) => boolean = () => true,
): Generator<{ readonly at: string; readonly stat: BigIntStats }> {
  for (const name of readdirSync(folder)) {
    const at = path.join(folder, name);
    const stat = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) {
      removeUnnamed(folder);
      continue;
    }
    yield { at, stat };
    if (stat.isDirectory() && isEntered(at)) {
      openFolder(at, stat);
      yield* walk(at, isEntered);
    }
  }
}

/** A name that is no text cannot be asked for as text. It is none of ours, so what has one goes. */
function removeUnnamed(folder: string): void {
  for (const name of readdirSync(folder, { encoding: 'buffer' }))
    if (!Buffer.from(name.toString()).equals(name))
      rmSync(Buffer.concat([Buffer.from(`${folder}/`), name]), { recursive: true, force: true });
}

/** Longer paths are not looked at: the system takes them no more once a name is added. */
const MAX_PATH = 3_000;

function namesBelow(folder: string): string[] {
  openFolder(folder, lstatSync(folder, { bigint: true }));
  return [...walk(folder, (at) => Buffer.byteLength(at) < MAX_PATH)].map(({ at }) => at);
}

function openFolder(at: string, { mode }: BigIntStats): void {
  if ((Number(mode) & 0o700) !== 0o700) chmodSync(at, 0o755);
}

function restore(root: string, entries: ReadonlyMap<string, Entry>, stamps: Map<string, Stamp>): readonly string[] {
  const changed: string[] = [];
  const here = new Set<string>();
  openFolder(root, lstatSync(root, { bigint: true }));
  // What lies in a folder that is not ours goes with it, however deep it is.
  for (const { at, stat } of [...walk(root, (folder) => entries.get(folder)?.kind === 'folder')]) {
    const entry = entries.get(at);
    const stamp = stamps.get(at);
    if (entry?.kind === 'folder' && stat.isDirectory()) {
      here.add(at);
      if ((Number(stat.mode) & 0o7777) === entry.mode) continue;
      chmodSync(at, entry.mode);
      changed.push(at);
    } else if (entry !== undefined && stamp !== undefined && isUnchanged(stamp, stat)) here.add(at);
    else {
      changed.push(at, ...(stat.isDirectory() ? namesBelow(at) : []));
      removeTree(at);
    }
  }
  // One of two names of a file is never put back alone.
  const [first, second] = [path.join(root, 'ws/b.txt'), path.join(root, 'ws/hard.txt')];
  if (here.has(first) !== here.has(second)) {
    here.delete(first);
    here.delete(second);
  }
  for (const [at, entry] of entries) {
    if (here.has(at)) continue;
    changed.push(at);
    removeTree(at);
    if (entry.kind === 'folder') mkdirSync(at);
    else if (entry.kind === 'link') symlinkSync(entry.target, at);
    else if (at === second) linkSync(first, second);
    else writeFileSync(at, entry.content);
    if (entry.kind !== 'link') chmodSync(at, entry.mode);
    setTime(at, entry);
    for (const each of at === second ? [first, second] : [at]) stamps.set(each, lstatSync(each, { bigint: true }));
  }
  return [...new Set(changed)];
}

function isUnchanged(stamp: Stamp, now: BigIntStats): boolean {
  return now.ino === stamp.ino && now.ctimeNs === stamp.ctimeNs && now.size === stamp.size && now.mode === stamp.mode;
}
