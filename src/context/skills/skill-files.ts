// What a skill consists of: every file in its folder, as one hash. One rule: what cannot be held to a hash is no skill that
// anybody could vouch for, so it is refused.

import path from 'node:path';
import { type DirectoryEntry, type FileEnds, type FileStat, type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { mapBounded } from '../../util/map-bounded.js';
import type { Problem } from '../markdown/index.js';

type FilesHost = Pick<Host, 'fs' | 'sha256'>;

export interface SkillFiles {
  /** Of all paths with what they hold. */
  readonly sha256: string;
  readonly files: number;
  readonly bytes: number;
  /** SKILL.md as it went into the hash. */
  readonly main: Uint8Array;
}

/** A SKILL.md alone. */
export interface SkillSource {
  readonly text: string;
  readonly bytes: number;
}

export const SKILL_FILE = 'SKILL.md';
/** Bytes of a SKILL.md. */
const MAX_SKILL_BYTES = 256 * 1024;
const MAX_FILES = 500;
const MAX_DEPTH = 12;
const MAX_BYTES = 16 * 1024 * 1024;
const READS_AT_ONCE = 8;

/**
 * A SKILL.md alone. Contract: never throws for what stands on the disk.
 * @param known what it is by a look just now, null if nothing: so that hundreds are looked at once
 */
export async function readSkillFile(
  { fs }: Pick<Host, 'fs'>,
  file: string,
  known?: FileStat | null,
): Promise<SkillSource | Problem> {
  if (known === null) return { problem: `it has no ${SKILL_FILE}` };
  const read = ({ stat, head }: FileEnds): SkillSource | Problem =>
    stat.size > MAX_SKILL_BYTES
      ? { problem: `its ${SKILL_FILE} has more than ${MAX_SKILL_BYTES / 1024} KB` }
      : sourceOf(head);
  try {
    return known?.kind === 'file'
      ? await fs.lookAtEnds(file, known, MAX_SKILL_BYTES, read)
      : read(await fs.readEnds(file, MAX_SKILL_BYTES));
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (error.code === 'EISDIR' || error.code === 'EINVAL') return { problem: `its ${SKILL_FILE} is not a file` };
    return { problem: error.code === 'ENOENT' ? `it has no ${SKILL_FILE}` : `its ${SKILL_FILE} cannot be read` };
  }
}

const UTF8 = new TextDecoder();

export function sourceOf(main: Uint8Array): SkillSource {
  return { text: UTF8.decode(main), bytes: main.length };
}

/** @param folder with links resolved. Contract: as `readSkillFile`; links count as they are written and lead nowhere else. */
export async function readSkillFiles(host: FilesHost, folder: string): Promise<SkillFiles | Problem> {
  try {
    const found = await walk(host, folder);
    if ('problem' in found) return found;
    let main: Uint8Array | null = null;
    let bytes = 0;
    const lines = await mapBounded(found, READS_AT_ONCE, async ({ name, kind }) => {
      if (kind === 'symlink') return `${name}\0link\0${await host.fs.readlink(path.join(folder, name))}`;
      const content = await readWhole(host, path.join(folder, name), MAX_BYTES - bytes);
      bytes += content?.length ?? MAX_BYTES + 1;
      if (name === SKILL_FILE) main = content;
      return `${name}\0file\0${content === null ? '' : await host.sha256(content)}`;
    });
    if (bytes > MAX_BYTES) return { problem: `its folder holds more than ${MAX_BYTES / 1024 / 1024} MB` };
    if (main === null) return { problem: `its ${SKILL_FILE} is not a file of its own` };
    const content: Uint8Array = main;
    if (content.length > MAX_SKILL_BYTES)
      return { problem: `its ${SKILL_FILE} has more than ${MAX_SKILL_BYTES / 1024} KB` };
    const sha256 = await host.sha256(new TextEncoder().encode(lines.join('\n')));
    return { sha256, files: found.length, bytes, main: content };
  } catch (error) {
    if (!isFileError(error)) throw error;
    return { problem: `a file of its folder cannot be read (${error.code})` };
  }
}

/** Null for one that is longer. A file that grows while it is read is read as far as it went. */
async function readWhole({ fs }: FilesHost, file: string, room: number): Promise<Uint8Array | null> {
  const handle = await fs.openRead(file);
  try {
    const { kind, size } = await handle.stat();
    return kind !== 'file' || size > room ? null : await handle.read(0, size);
  } finally {
    await handle.close();
  }
}

/** All files and links, with paths relative to the folder, sorted. */
async function walk(
  host: FilesHost,
  top: string,
): Promise<readonly { readonly name: string; readonly kind: 'file' | 'symlink' }[] | Problem> {
  const found: { name: string; kind: 'file' | 'symlink' }[] = [];
  let level: readonly string[] = [''];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return { problem: `its folder is more than ${MAX_DEPTH} folders deep` };
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of await host.fs.entries(path.join(top, folder))) {
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
        const problem = await problemOf(host, top, name, entry);
        if (problem !== null) return { problem };
        if (entry.kind === 'directory') next.push(name);
        else found.push({ name, kind: entry.kind as 'file' | 'symlink' });
        if (found.length + next.length > MAX_FILES) return { problem: `its folder holds more than ${MAX_FILES} files` };
      }
    }
    level = next;
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function problemOf(
  { fs }: FilesHost,
  top: string,
  name: string,
  { kind }: DirectoryEntry,
): Promise<string | null> {
  if (kind === 'file' || kind === 'directory') return null;
  const shown = JSON.stringify(name.slice(0, 200));
  if (kind !== 'symlink') return `${shown} in its folder is neither file nor folder`;
  const target = await fs.realpath(path.join(top, name)).catch((error: unknown) => {
    if (isFileError(error)) return null; // where it leads later cannot be told
    throw error;
  });
  return target !== null && isInside(top, target) ? null : `${shown} is a link that leads out of its folder`;
}
