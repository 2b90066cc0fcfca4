// Folders held by their descriptor: a name is looked up in the folder itself, whatever took the folder's own name
// meanwhile. One rule: no link is followed, on no part of the way.
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { join, parse, sep } from 'node:path';
import type { FileStat } from '../host.js';
import { toFileStat } from './node-guard.js';

/** Linux: a descriptor that only stands for the folder, which need not be readable. Node has no name for it. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const DESCRIPTORS = '/proc/self/fd';

export interface HeldFolder {
  /** What to call a name in it, for one call of the file system. Contract: the last part is never followed here. */
  at(name: string | Buffer): string | Buffer;
  /** Itself, if a program is to start in it or it is to be listed. */
  readonly self: string;
  /** False if it is only known by its name. */
  readonly isHeld: boolean;
  stat(): FileStat;
  /** @throws if there is none, or a link, or no folder */
  enter(name: string | Buffer): HeldFolder;
  /** For a folder that is only known by name: @throws StaleError if that leads elsewhere by now. */
  check(): void;
  close(): void;
}

/** Something else stands there by now. */
export class StaleError extends Error {
  readonly code = 'ESTALE';
}

/**
 * @param realPath absolute, without a link
 * @throws StaleError or the system's error if a link is on the way, or no folder is there
 */
export function holdRealPath(realPath: string): HeldFolder {
  return hasDescriptors() ? holdByDescriptor(realPath) : holdByName(realPath);
}

let areThere = false;

/** Asked for each file, and once they are there they stay. */
function hasDescriptors(): boolean {
  areThere ||= process.platform === 'linux' && existsSync(DESCRIPTORS);
  return areThere;
}

function holdByDescriptor(realPath: string): HeldFolder {
  const found = openSync(realPath, FOLDER);
  // The kernel says where it is. If that is the path without links, none was followed, and nothing needs to be walked.
  if (readlinkSync(`${DESCRIPTORS}/${found}`) === realPath) return byDescriptor(found);
  closeSync(found);
  return walkTo(realPath);
}

/** A file system may call a folder otherwise than it is found by: in other letters, for example. */
function walkTo(realPath: string): HeldFolder {
  const { root } = parse(realPath);
  let folder = byDescriptor(openSync(root, FOLDER));
  for (const name of realPath.slice(root.length).split(sep).filter(Boolean)) {
    const above = folder;
    try {
      folder = above.enter(name);
    } finally {
      above.close();
    }
  }
  return folder;
}

function byDescriptor(fd: number): HeldFolder {
  const self = `${DESCRIPTORS}/${fd}`;
  const at = (name: string | Buffer) =>
    typeof name === 'string' ? `${self}/${name}` : Buffer.concat([Buffer.from(`${self}/`), name]);
  return {
    at,
    self,
    isHeld: true,
    stat: () => toFileStat(fstatSync(fd)),
    enter: (name) => byDescriptor(openSync(at(name), FOLDER)),
    check: () => undefined,
    close: () => closeSync(fd),
  };
}

/**
 * The best if a folder cannot be held: it is looked at before and after. Whoever swaps a folder for a link and back
 * again in between is not noticed.
 */
export function holdByName(realPath: string): HeldFolder {
  const stat = lstatSync(realPath);
  if (!stat.isDirectory()) throw new StaleError('It is not a folder.');
  const held = toFileStat(stat);
  const check = (): void => {
    const now = toFileStat(lstatSync(realPath));
    if (realpathSync.native(realPath) !== realPath || !isSameFile(now, held)) throw new StaleError('It was replaced.');
  };
  check();
  return {
    at: (name) => join(realPath, name.toString()),
    self: realPath,
    isHeld: false,
    stat: () => held,
    enter: (name) => holdByName(join(realPath, name.toString())),
    check,
    close: () => undefined,
  };
}

export function isSameFile(a: FileStat, b: FileStat): boolean {
  return a.kind === b.kind && a.device === b.device && a.inode === b.inode;
}
