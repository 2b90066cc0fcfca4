// The files that a command writes out of an archive or a patch, or reads because a patch is about them: looked up in it before anybody decides. One rule: what
// cannot be told is a file that cannot be told, never none.
import path from 'node:path';
import { type Host, isFileError, type ReadHandle } from '../../host/host.js';
import { protectedPart } from '../../permissions/paths.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import type { Unpacking } from '../../permissions/shell/command-reading.js';
import { fileSource, gzipSource } from './archives/byte-source.js';
import { patchNames } from './archives/patch-names.js';
import { tarNames } from './archives/tar-names.js';
import { zipNames } from './archives/zip-names.js';

/** Bytes. */
const MAX_PATCH = 16 * 1024 * 1024;
const MAX_UNPACKED = 512 * 1024 * 1024;
/** Names that are given on, of which links are followed: a folder stands for the rest of what lies in it. */
const MAX_NAMES = 400;

/** Absolute paths of what it is about; null where that cannot be told. Contract: never throws for what stands on the disk. */
async function unpackedFiles(unpacking: Unpacking, fs: Host['fs']): Promise<readonly string[] | null> {
  const { kind, into, cut, only } = unpacking;
  const names = into === null ? null : await namesOf(unpacking, fs);
  if (names === null || into === null) return null;
  const wanted = only === null ? names : names.filter((name) => only.some((one) => isPart(clean(one), clean(name))));
  const found = new Set<string>();
  for (const name of wanted)
    for (const count of cut) {
      const parts = clean(name).split('/');
      // A patch goes by the last part where too many are to be cut; an archive leaves such a file out.
      const rest = parts.slice(kind === 'patch' ? Math.min(count, parts.length - 1) : count).join('/');
      // What leads out of the folder is not unpacked, but by those that are told to.
      if (rest !== '') found.add(path.resolve(into, rest));
    }
  return [...found];
}

/**
 * As files of a call, those that could be protected first. A folder stands for what is more than is given on.
 * @param resolve the real path of a folder; null where it cannot be told
 */
export async function touchedByUnpacking(
  unpacking: Unpacking,
  fs: Host['fs'],
  resolve: (folder: string) => Promise<string | null>,
): Promise<readonly TouchedFile[]> {
  const { access, into, program, text } = unpacking;
  const named = { access, reach: 'itself', by: 'operand', program } as const;
  const use = access === 'read' ? named : { ...named, isUnpacked: true, part: text };
  const files = await unpackedFiles(unpacking, fs);
  if (files === null || into === null) return [{ path: null, realPath: null, ...use }];
  const isGuarded = (file: string) => protectedPart([into], file) !== null;
  const sorted = [...files.filter(isGuarded), ...files.filter((file) => !isGuarded(file))];
  const folders = new Map<string, Promise<string | null>>();
  const touched: TouchedFile[] = [];
  for (const file of sorted.slice(0, MAX_NAMES)) {
    const folder = path.dirname(file);
    const found = folders.get(folder) ?? resolve(folder);
    folders.set(folder, found);
    const real = await found;
    touched.push({ path: file, realPath: real === null ? null : path.join(real, path.basename(file)), ...use });
  }
  if (sorted.length > MAX_NAMES) touched.push({ path: into, realPath: await resolve(into), isAnyWithin: true, ...use });
  return touched;
}

async function namesOf({ kind, source }: Unpacking, fs: Host['fs']): Promise<readonly string[] | null> {
  if (source === null) return null;
  if ('text' in source) return kind === 'patch' ? patchNames(source.text) : null;
  let handle: ReadHandle | null = null;
  try {
    handle = await fs.openRead(source.file);
    const { kind: fileKind, size } = await handle.stat();
    if (fileKind !== 'file') return null;
    if (kind === 'patch')
      return size > MAX_PATCH ? null : patchNames(new TextDecoder().decode(await handle.read(0, size)));
    return await archiveNames(handle);
  } catch (error) {
    if (!isFileError(error)) throw error;
    // Where there is none, nothing is unpacked, unless it comes before the command gets there.
    return null;
  } finally {
    await handle?.close();
  }
}

/** Of which form it is its first bytes say, as the programs take it. */
async function archiveNames(handle: ReadHandle): Promise<readonly string[] | null> {
  const [first = 0, second = 0, third = 0] = await handle.read(0, 3);
  if (first === 0x50 && second === 0x4b) return zipNames(handle);
  if (first === 0x1f && second === 0x8b) {
    const source = gzipSource(handle, MAX_UNPACKED);
    return tarNames(source).finally(() => source.close());
  }
  const isCompressed =
    (first === 0x42 && second === 0x5a) || (first === 0xfd && second === 0x37) || (first === 0x28 && third === 0x2f);
  return isCompressed ? null : tarNames(fileSource(handle));
}

function clean(name: string): string {
  return path.posix
    .normalize(name)
    .replace(/^(?:\/|\.\.?\/)+/, '')
    .replace(/\/$/, '');
}

function isPart(whole: string, name: string): boolean {
  return name === whole || name.startsWith(`${whole}/`);
}
