// The files that a command writes out of an archive or a patch, or reads because a patch is about them: looked up in it before anybody decides. One rule: what
// cannot be told is a file that cannot be told, never none.
import path from 'node:path';
import { type Host, isFileError, type ReadHandle } from '../../host/host.js';
import { protectedPart } from '../../permissions/paths.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import type { Unpacking } from '../../permissions/shell/command-reading.js';
import { fileSource, gzipSource } from './archives/byte-source.js';
import { tarNames } from './archives/tar-names.js';

/** Bytes. */
const MAX_PATCH = 16 * 1024 * 1024;
const MAX_UNPACKED = 512 * 1024 * 1024;
/** Names that are given on, of which links are followed: a folder stands for the rest of what lies in it. */
const MAX_NAMES = 400;

/** Absolute paths of what it is about; null if that cannot be told. Contract: never throws for what stands on the disk. */
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
 * @param resolve the real path of a folder; null if it cannot be told
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
    // If there is none, nothing is unpacked, unless it comes before the command gets there.
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

// The files that a patch names, in whatever form it is written. Pure.

/** A patch may be indented, and its dashes may stand behind others. */

const NAMING = /^[ \tX]*(?:- )*(?:\+\+\+|---|\*\*\*|Index:|(?:rename|copy) (?:from|to)) +(.+)$/gm;
const GIT = /^[ \tX]*(?:- )*diff --git (.+)$/gm;

/** As they stand there, each once, but for `/dev/null`; null if none can be told. */
function patchNames(patch: string): readonly string[] | null {
  // A mail may hold the patch in letters that nobody reads.
  if (/^Content-Transfer-Encoding:\s*(?:base64|quoted-printable)/im.test(patch)) return null;
  const names = new Set<string>();
  for (const [, name = ''] of patch.matchAll(NAMING)) names.add(plainName(name));
  for (const [, both = ''] of patch.matchAll(GIT)) for (const name of twoNames(both)) names.add(name);
  names.delete('/dev/null');
  return names.size === 0 || [...names].some((name) => name === '') ? null : [...names];
}

/** Without what follows a tab, and out of its quotes. */
function plainName(written: string): string {
  const text = written.replace(/\r$/, '');
  if (text.startsWith('"')) return unquoted(/^"(?:[^"\\]|\\.)*"/.exec(text)?.[0] ?? '');
  return text.split('\t', 1)[0]?.trimEnd() ?? '';
}

/** `a/x b/x`; names with blanks are cut in the middle, where both are the same. */
function twoNames(both: string): string[] {
  const text = both.trimEnd();
  if (text.startsWith('"')) return (text.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).map(plainName);
  const half = (text.length - 1) / 2;
  if (Number.isInteger(half) && text.slice(2, half) === text.slice(half + 3))
    return [text.slice(0, half), text.slice(half + 1)];
  return text.split(' ').filter((part) => part !== '');
}

/** Bytes are written as octal numbers. Empty if it cannot be read. */
function unquoted(quoted: string): string {
  if (quoted === '') return '';
  const bytes: number[] = [];
  const inner = quoted.slice(1, -1);
  const letters: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, '\\': 92 };
  for (let at = 0; at < inner.length; at++) {
    const octal = inner[at] === '\\' ? /^[0-3][0-7]{2}/.exec(inner.slice(at + 1))?.[0] : undefined;
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      at += 3;
    } else if (inner[at] === '\\') {
      const letter = letters[inner[++at] ?? ''];
      if (letter === undefined) return '';
      bytes.push(letter);
    } else bytes.push(...new TextEncoder().encode(inner[at]));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

// The names in a zip archive, read from the list at its end.

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
/** The end, with the longest remark there may be. */
const MAX_END = 22 + 65_535;
const MAX_LIST = 32 * 1024 * 1024;

/** Null if there is no such list, or one of the form for very large archives. */
async function zipNames(handle: ReadHandle): Promise<readonly string[] | null> {
  const { size } = await handle.stat();
  const from = Math.max(0, size - MAX_END);
  const tail = await handle.read(from, size - from);
  const view = viewOf(tail);
  const ends: number[] = [];
  for (let at = 0; at <= tail.length - 22; at++) if (view.getUint32(at, true) === END_SIGNATURE) ends.push(at);
  // Of several ends one program takes this, another that.
  for (const at of ends.length === 1 ? ends : []) {
    const [count, length, start] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 12, true),
      view.getUint32(at + 16, true),
    ];
    // What stands in front of the archive moves all of it; then the list ends where the end begins.
    const isMoved = start + length !== from + at;
    if (count === 0xffff || start === 0xffffffff || length > MAX_LIST) return null;
    return listedNames(await handle.read(isMoved ? from + at - length : start, length), count);
  }
  return null;
}

function listedNames(list: Uint8Array, count: number): readonly string[] | null {
  const names: string[] = [];
  const view = viewOf(list);
  let at = 0;
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > list.length || view.getUint32(at, true) !== ENTRY_SIGNATURE) return null;
    const [name, extra, remark] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
    ];
    names.push(new TextDecoder().decode(list.subarray(at + 46, at + 46 + name)).replaceAll('\\', '/'));
    at += 46 + name + extra + remark;
  }
  return names;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
