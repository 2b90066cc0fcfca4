// The files that a command writes out of an archive or a patch, or reads because a patch is about them: looked up in it before anybody decides. One rule: what
// cannot be told is a file that cannot be told, never none.
import path from 'node:path';
import { type Host, isFileError, type ReadHandle } from '../../host/host.js';
import { protectedPart } from '../../permissions/paths.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import type { Unpacking } from '../../permissions/shell/index.js';

/** Bytes. */
const MAX_PATCH = 16 * 1024 * 1024;
const MAX_UNPACKED = 512 * 1024 * 1024;
/** Names that are given on, of which links are followed: a folder stands for the rest of what lies in it. */
const MAX_NAMES = 400;

/** Absolute paths of what it is about; null if that cannot be told. Contract: never throws for what stands on the disk. */
async function unpackedFiles(unpacking: Unpacking, fs: Host['fs']): Promise<readonly string[] | null> {
  const { kind, into, cut, only, isFlat } = unpacking;
  const names = into === null ? null : await namesOf(unpacking, fs);
  if (names === null || into === null) return null;
  const wanted = only === null ? names : names.filter((name) => only.some((one) => isPart(clean(one), clean(name))));
  const found = new Set<string>();
  for (const name of wanted)
    for (const count of cut) {
      const parts = clean(name).split('/');
      // A patch goes by the last part if too many are to be cut; an archive leaves such a file out.
      const last = parts.length - 1;
      const rest = parts.slice(isFlat === true ? last : kind === 'patch' ? Math.min(count, last) : count).join('/');
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

/** `a/x b/x`; names with blanks are cut in the middle, if both are the same. */
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

// The names in a tar archive, read from its headers. What is damaged or not understood is said to be so, never guessed.

const BLOCK = 512;
const MAX_ENTRIES = 50_000;
const MAX_LONG_NAME = 64 * 1024;

/** Files that unpacking would write, and what links in it would lead to; null if that cannot be told. */
async function tarNames(source: ByteSource): Promise<readonly string[] | null> {
  const names: string[] = [];
  let before: Records = NONE;
  for (let entries = 0; entries < MAX_ENTRIES; entries++) {
    const block = await source.read(BLOCK);
    if (block === null && (entries === 0 || source.isCut())) return null;
    // An archive ends with an empty block; one that is cut unpacks as far as it goes.
    if (block === null || block.every((byte) => byte === 0)) return names;
    const header = readHeader(block);
    if (header === null) return null;
    const { type, size } = header;
    if ('LKxg'.includes(type)) {
      const text = size > MAX_LONG_NAME ? null : await source.read(size);
      const records = text === null ? null : readRecords(type, text);
      if (records === null) return null;
      await source.skip(padding(size));
      before = { names: [...before.names, ...records.names], links: [...before.links, ...records.links] };
      continue;
    }
    await source.skip(size + padding(size));
    // Which of several names counts is told in several ways: all of them do.
    const own = [header.name, ...before.names];
    names.push(...own);
    const links = [header.link, ...before.links];
    // What comes later may be written through a link.
    if (type === '2') names.push(...own.flatMap((name) => links.map((link) => `${folderOf(name)}${link}`)));
    if (type === '1') names.push(...links);
    before = NONE;
  }
  return null;
}

/** What stands in front of an entry and is about it. */
interface Records {
  readonly names: readonly string[];
  readonly links: readonly string[];
}

const NONE: Records = { names: [], links: [] };

interface TarHeader {
  readonly name: string;
  readonly link: string;
  readonly type: string;
  readonly size: number;
}

/** Null if the sum of the block is wrong: it is no header. */
function readHeader(block: Uint8Array): TarHeader | null {
  const sum = Number.parseInt(textOf(block, 148, 8).trim(), 8);
  const actual = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== actual) return null;
  const size = numberAt(block, 124);
  if (size === null) return null;
  const isUstar = textOf(block, 257, 5) === 'ustar';
  const prefix = isUstar && textOf(block, 257, 8) !== 'ustar  ' ? textOf(block, 345, 155) : '';
  const name = textOf(block, 0, 100);
  const type = String.fromCharCode(block[156] ?? 0);
  return { name: prefix === '' ? name : `${prefix}/${name}`, link: textOf(block, 157, 100), type, size };
}

/** Octal digits, or if the first bit is set a number of bytes. */
function numberAt(block: Uint8Array, at: number): number | null {
  const first = block[at] ?? 0;
  if ((first & 0x80) === 0) {
    const digits = textOf(block, at, 12).trim();
    return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : null;
  }
  let value = first & 0x7f;
  for (let offset = 1; offset < 12; offset++) value = value * 256 + (block[at + offset] ?? 0);
  return Number.isSafeInteger(value) ? value : null;
}

/** Null for what is not of this form, and for names that all later entries have. */
function readRecords(type: string, bytes: Uint8Array): Records | null {
  if (type === 'L' || type === 'K') {
    const text = textOf(bytes, 0, bytes.length);
    return type === 'L' ? { names: [text], links: [] } : { names: [], links: [text] };
  }
  const [names, links]: [string[], string[]] = [[], []];
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const digits = /^(\d{1,7}) /.exec(textOf(bytes, at, 8))?.[1];
    const length = Number(digits ?? 0);
    if (digits === undefined || length <= digits.length + 2 || at + length > bytes.length) return null;
    const record = new TextDecoder().decode(bytes.subarray(at + digits.length + 1, at + length - 1));
    const equals = record.indexOf('=');
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path' || key === 'GNU.sparse.name') names.push(value);
    if (key === 'linkpath') links.push(value);
    at += length;
  }
  return type === 'g' && names.length + links.length > 0 ? null : { names, links };
}

function textOf(bytes: Uint8Array, at: number, length: number): string {
  const end = bytes.indexOf(0, at);
  return new TextDecoder().decode(bytes.subarray(at, end === -1 || end > at + length ? at + length : end));
}

function folderOf(name: string): string {
  return name.slice(0, name.replace(/\/+$/, '').lastIndexOf('/') + 1);
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

// Bytes of an archive from its start on, as far as they are asked for. One rule: never more in memory than one piece.

interface ByteSource {
  /** Exactly so many bytes; null if there are fewer. */
  read(length: number): Promise<Uint8Array | null>;
  skip(length: number): Promise<void>;
  /** True if it ended before its end: more may follow that was not seen. */
  isCut(): boolean;
  close(): Promise<void>;
}

/** Of a file, of which only the parts that are looked at are read. */
function fileSource(handle: ReadHandle): ByteSource {
  let at = 0;
  return {
    async read(length) {
      const bytes = await handle.read(at, length);
      at += length;
      return bytes.length === length ? bytes : null;
    },
    async skip(length) {
      at += length;
    },
    isCut: () => false,
    close: () => handle.close(),
  };
}

const PIECE = 256 * 1024;

/** Of a file that is compressed with gzip. @param limit bytes that are unpacked at most: what is longer ends there */
function gzipSource(handle: ReadHandle, limit: number): ByteSource {
  let from = 0;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = await handle.read(from, PIECE);
      from += piece.length;
      if (piece.length === 0) controller.close();
      else controller.enqueue(new Uint8Array(piece));
    },
  });
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader();
  let rest = new Uint8Array();
  let total = 0;
  let isCut = false;
  /** False at the end. What follows it, or is damaged, other programs may read on in. */
  const more = async (): Promise<boolean> => {
    if (total > limit) isCut = true;
    if (isCut) return false;
    const piece = await reader.read().catch(() => null);
    if (piece === null) isCut = true;
    if (piece === null || piece.done) return false;
    const { value } = piece;
    total += value.length;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
    return true;
  };
  return {
    async read(length) {
      while (rest.length < length) if (!(await more())) return null;
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      return bytes;
    },
    async skip(length) {
      let left = length;
      while (left > rest.length) {
        left -= rest.length;
        rest = new Uint8Array();
        if (!(await more())) return;
      }
      rest = rest.subarray(left);
    },
    isCut: () => isCut,
    async close() {
      await reader.cancel().catch(() => undefined); // it has failed, so it is closed
      await handle.close();
    },
  };
}
