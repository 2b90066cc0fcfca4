// The names in a tar archive, read from its headers. What is damaged or not understood is said to be so, never guessed.
import type { ByteSource } from './byte-source.js';

const BLOCK = 512;
const MAX_ENTRIES = 50_000;
const MAX_LONG_NAME = 64 * 1024;

/** Files that unpacking would write, and what links in it would lead to; null if that cannot be told. */
export async function tarNames(source: ByteSource): Promise<readonly string[] | null> {
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

/** Null where the sum of the block is wrong: it is no header. */
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
