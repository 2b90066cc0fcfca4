// A copy of a plugin or a marketplace as it is now, with the hash of all of it. One rule: nothing outside the source gets in by
// a link, nothing is made outside the copy by a name, and what is too large fails before it fills the disk.

import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { ConfigError } from '../../protocol/errors.js';
import { staysInside } from './marketplace.js';

export interface Snapshot {
  /** SHA-256 over the names, contents and execute bits of all files. */
  readonly sha256: string;
  readonly files: number;
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

export interface SnapshotLimits {
  readonly files: number;
  /** Links to folders count each time. */
  readonly folders: number;
  readonly bytes: number;
}

/** Of a plugin. */
export const PLUGIN_LIMITS: SnapshotLimits = { files: 5_000, folders: 1_500, bytes: 64 * 1024 * 1024 };
/** Of a marketplace, which may hold many. */
export const MARKETPLACE_LIMITS: SnapshotLimits = { files: 30_000, folders: 10_000, bytes: 256 * 1024 * 1024 };

const MAX_DEPTH = 24;
const MAX_PROBLEMS = 50;
const EXECUTE = 0o100;
/** Of version control, and of nobody else. */
const LEFT_OUT = ['.git', '.hg', '.svn'];

/** Takes the files of a copy, one by one. */
export interface SnapshotWriter {
  /** @param name relative, with slashes. @throws ConfigError for what is too much; FileError */
  add(name: string, content: Uint8Array, isExecutable: boolean): Promise<void>;
  leaveOut(problem: string): void;
  readonly limits: SnapshotLimits;
  /** Room for so many more bytes. */
  readonly room: number;
  finish(): Promise<Snapshot>;
}

/** @param to absolute, not there yet; null: nothing is written, and only the hash counts */
export function openSnapshot(
  { fs, sha256 }: Pick<Host, 'fs' | 'sha256'>,
  to: string | null,
  limits: SnapshotLimits,
): SnapshotWriter {
  const lines: string[] = [];
  const problems: string[] = [];
  const taken = new Set<string>();
  let bytes = 0;
  return {
    limits,
    get room() {
      return limits.bytes - bytes;
    },
    async add(name, content, isExecutable) {
      const plain = path.posix.normalize(name);
      if (!staysInside(plain) || plain.includes('\\') || plain.endsWith('/')) {
        this.leaveOut(`${JSON.stringify(name).slice(0, 200)} leads out of it`);
        return;
      }
      // Two names that are one on other machines.
      if (taken.has(plain.toLowerCase())) {
        this.leaveOut(`${JSON.stringify(plain).slice(0, 200)} is there twice`);
        return;
      }
      taken.add(plain.toLowerCase());
      bytes += content.length;
      if (lines.length >= limits.files)
        throw new ConfigError(`It has more than ${limits.files} files, so it is not taken.`);
      if (bytes > limits.bytes)
        throw new ConfigError(`It has more than ${limits.bytes / 1024 / 1024} MB, so it is not taken.`);
      lines.push(`${isExecutable ? 'x' : '-'} ${await sha256(content)} ${plain}`);
      if (to !== null)
        await fs.createFile(path.join(to, plain), content, { mode: isExecutable ? 0o755 : 0o644, durable: false });
    },
    leaveOut(problem) {
      if (problems.length < MAX_PROBLEMS) problems.push(problem);
    },
    async finish() {
      const text = `${lines.sort().join('\n')}\n`;
      return { sha256: await sha256(new TextEncoder().encode(text)), files: lines.length, problems };
    },
  };
}

/**
 * Copies a folder. A link to a file or folder within `root` becomes what it leads to.
 * @param from absolute, links resolved; @param skip names that are not copied; @param root what links may lead to, absolute, links resolved
 * @throws ConfigError for what is too much; FileError
 */
export async function copyFolder(
  host: Pick<Host, 'fs' | 'sha256'>,
  from: string,
  root: string,
  writer: SnapshotWriter,
  skip: readonly string[] = [],
): Promise<void> {
  const { fs } = host;
  let folders = 0;
  const walk = async (folder: string, name: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) return writer.leaveOut(`${name} is more than ${MAX_DEPTH} folders deep`);
    folders += 1;
    if (folders > writer.limits.folders)
      throw new ConfigError(`It has more than ${writer.limits.folders} folders, so it is not taken.`);
    for (const entry of [...(await fs.entries(folder))].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const own = name === '' ? entry.name : `${name}/${entry.name}`;
      if (LEFT_OUT.includes(entry.name) || skip.includes(own)) continue;
      const file = path.join(folder, entry.name);
      const real = entry.kind === 'symlink' ? await targetOf(fs, file, root) : file;
      if (real === null) {
        writer.leaveOut(`${JSON.stringify(own).slice(0, 200)} is a link that leads nowhere, or out of it`);
        continue;
      }
      const kind = entry.kind === 'symlink' ? (await fs.stat(real)).kind : entry.kind;
      // A circle of links ends at the depth.
      if (kind === 'directory') await walk(real, own, depth + 1);
      else if (kind !== 'file') writer.leaveOut(`${JSON.stringify(own).slice(0, 200)} is neither file nor folder`);
      else await addFile(fs, real, own, writer);
    }
  };
  await walk(from, '', 0);
}

async function addFile(fs: Host['fs'], file: string, name: string, writer: SnapshotWriter): Promise<void> {
  const handle = await fs.openRead(file);
  try {
    const { kind, size, mode } = await handle.stat();
    if (kind !== 'file') return writer.leaveOut(`${JSON.stringify(name).slice(0, 200)} is not a file any more`);
    if (size > writer.room) throw new ConfigError(`${name} is too large (${size} bytes), so it is not taken.`);
    await writer.add(name, await handle.read(0, size), (mode & EXECUTE) !== 0);
  } finally {
    await handle.close();
  }
}

async function targetOf(fs: Host['fs'], link: string, root: string): Promise<string | null> {
  try {
    const real = await fs.realpath(link);
    return isInside(root, real) && !isInside(path.join(root, '.git'), real) ? real : null;
  } catch (error) {
    if (isFileError(error)) return null; // it leads nowhere, or in a circle
    throw error;
  }
}

/** The hash of a folder as it is now, as `copyFolder` would have it. @throws ConfigError, FileError */
export async function hashFolder(
  host: Pick<Host, 'fs' | 'sha256'>,
  folder: string,
  limits: SnapshotLimits,
): Promise<string> {
  const writer = openSnapshot(host, null, limits);
  await copyFolder(host, folder, folder, writer);
  return (await writer.finish()).sha256;
}
