// What git has written down, read without git: its configuration, with the files that it includes, and of the index the folders
// that it records as repositories of their own, and what it tracks. What cannot be read is said, never left out.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { joinBytes } from '../../util/bytes.js';

/** A key of a file of configuration. */
export interface GitSetting {
  /** Absolute. */
  readonly file: string;
  /** In lower case but for what stands in quotes: `core.fsmonitor`, `diff.x.textconv`. UNREADABLE_KEY for a file that cannot be read. */
  readonly key: string;
  readonly value: string;
}

/** Names a file that cannot be judged. */
export const UNREADABLE_KEY = '(unreadable)';
/** Keys that name further files of configuration. */
export const INCLUDES = /^include(?:if\..*)?\.path$/s;

const MAX_BYTES = 1_000_000;
/** How deep files are included, and how many there are. */
const MAX_DEPTH = 10;
const MAX_FILES = 50;

type ConfigHost = Pick<Host, 'fs' | 'platform'>;

/**
 * The keys of files, each followed by those of what it includes: on whatever condition, since that may come to hold.
 * Contract: never throws for what stands on the disk; a file that is not there has none.
 */
export async function readGitConfig(host: ConfigHost, files: readonly string[]): Promise<readonly GitSetting[]> {
  const read = new Set<string>();
  const settings: GitSetting[] = [];
  for (const file of files) settings.push(...(await settingsOf(host, file, read, MAX_DEPTH)));
  return settings;
}

async function settingsOf(host: ConfigHost, file: string, read: Set<string>, depth: number): Promise<GitSetting[]> {
  if (read.has(file) || read.size === MAX_FILES || depth === 0) return [];
  read.add(file);
  const text = await readGitText(host, file);
  if (text === null) return [];
  if (text === UNREADABLE) return [{ file, key: UNREADABLE_KEY, value: '' }];
  const settings = readKeys(text).map(({ key, value }) => ({ file, key, value }));
  const inner: GitSetting[] = [];
  for (const { value } of settings.filter(({ key }) => INCLUDES.test(key)))
    inner.push(...(await settingsOf(host, configuredPath(host, path.dirname(file), value), read, depth - 1)));
  return [...settings, ...inner];
}

/** A path as git's configuration writes it, made absolute. */
export function configuredPath({ platform }: Pick<Host, 'platform'>, base: string, value: string): string {
  return value === '~' || value.startsWith('~/')
    ? path.join(platform.homedir, value.slice(1))
    : path.resolve(base, value);
}

/** Every key with its value. */
function readKeys(text: string): { readonly key: string; readonly value: string }[] {
  const keys: { key: string; value: string }[] = [];
  let section = '';
  for (const raw of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    let line = raw.trim();
    const header = /^\[\s*([^\s\]"]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) {
      const [whole, name = '', sub] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      line = line.slice(whole.length).trim();
    }
    const pair = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (pair !== null)
      keys.push({ key: `${section}.${(pair[1] ?? '').toLowerCase()}`, value: unquoted(pair[2] ?? 'true') });
  }
  return keys;
}

function unquoted(value: string): string {
  const bare = value.startsWith('"') ? value : value.replace(/\s*[;#].*$/, '');
  return bare
    .replace(/^"(.*)"$/, '$1')
    .replace(/\\(["\\])/g, '$1')
    .trim();
}

export const UNREADABLE = '\0';

/** Null if there is no such file; UNREADABLE for one that cannot be judged. */
export async function readGitText({ fs }: Pick<Host, 'fs'>, file: string): Promise<string | null> {
  try {
    const { stat, head } = await fs.readEnds(file, MAX_BYTES);
    return stat.size > MAX_BYTES ? UNREADABLE : new TextDecoder().decode(head);
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR') || isFileError(error, 'EISDIR')) return null;
    if (isFileError(error)) return UNREADABLE;
    throw error;
  }
}

/** The mode of an entry that is a commit of another repository, as it stands in an entry: 0o160000 in 32 bits. */
const GITLINK = 0xe000;
const MODE_AT = 24;
/** Offset of the name of the object. */
const OBJECT_AT = 40;
/** Bytes of the name of an object: SHA-1, SHA-256. */
const OBJECT_SIZES = [20, 32] as const;
const HEADER = 12;
const IS_EXTENDED = 0x4000;
/** What the upper four bits of a mode may be: folder, file, link, repository. */
const KINDS = [0x4, 0x8, 0xa, 0xe];

/** False is certain, and quickly told: no entry has the mode of a repository. */
export function mayHaveGitlinks(index: Uint8Array): boolean {
  for (let at = index.indexOf(0xe0); at !== -1; at = index.indexOf(0xe0, at + 1))
    if (index[at - 2] === 0 && index[at - 1] === 0 && index[at + 1] === 0) return true;
  return false;
}

/** Paths from the top of the worktree; null for what is no index that is understood. */
export function gitlinksIn(index: Uint8Array): readonly string[] | null {
  return pathsIn(index, (mode) => mode === GITLINK);
}

/** Paths of all that is tracked; null as above, and if some of them stand in another file. */
export function trackedPaths(index: Uint8Array): readonly string[] | null {
  return pathsIn(index, () => true, true);
}

function pathsIn(index: Uint8Array, isWanted: (mode: number) => boolean, isWhole = false): readonly string[] | null {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  if (index.length < HEADER || String.fromCharCode(...index.subarray(0, 4)) !== 'DIRC') return null;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return null;
  for (const objectSize of OBJECT_SIZES) {
    const found = readEntries({ index, view, version, count: view.getUint32(8), objectSize, isWanted, isWhole });
    if (found !== null) return found;
  }
  return null;
}

interface IndexForm {
  readonly index: Uint8Array;
  readonly view: DataView;
  readonly version: number;
  readonly count: number;
  readonly objectSize: number;
  isWanted(mode: number): boolean;
  /** One that adds to another file is not understood. */
  readonly isWhole: boolean;
}

/** Null if the bytes are not of this form. */
function readEntries({ index, view, version, count, objectSize, isWanted, isWhole }: IndexForm): string[] | null {
  const found: string[] = [];
  let at = HEADER;
  let previous: Uint8Array = new Uint8Array();
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + OBJECT_AT + objectSize;
    if (flagsAt + 2 > index.length) return null;
    const mode = view.getUint32(at + MODE_AT);
    if (mode > 0xffff || !KINDS.includes(mode >>> 12)) return null;
    let nameAt = flagsAt + 2;
    if (version > 2 && (view.getUint16(flagsAt) & IS_EXTENDED) !== 0) nameAt += 2;
    let kept = 0;
    if (version === 4) {
      const stripped = readOffset(index, nameAt);
      if (stripped === null || stripped.value > previous.length) return null;
      kept = previous.length - stripped.value;
      nameAt = stripped.end;
    }
    const end = index.indexOf(0, nameAt);
    if (end === -1) return null;
    const name =
      kept === 0 ? index.subarray(nameAt, end) : joinBytes([previous.subarray(0, kept), index.subarray(nameAt, end)]);
    if (name.length === 0) return null;
    if (isWanted(mode)) {
      const text = decoded(name);
      if (text === null) return null;
      found.push(text);
    }
    previous = name;
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return isWhole && addsToAnother(index, view, at) ? null : found;
}

/** True if one of the extensions behind the entries says which other file has the rest of them. */
function addsToAnother(index: Uint8Array, view: DataView, from: number): boolean {
  for (let at = from; at + 8 <= index.length; at += 8 + view.getUint32(at + 4))
    if (String.fromCharCode(...index.subarray(at, at + 4)) === 'link') return true;
  return false;
}

/** As git writes offsets: seven bits a byte, the highest first, each further byte one more than it says. */
function readOffset(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let end = at; end < Math.min(at + 5, bytes.length); end++) {
    const byte = bytes[end] ?? 0;
    value = end === at ? byte & 0x7f : (value + 1) * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, end: end + 1 };
  }
  return null;
}

/** Null for a name that is no text: a path of it could not be looked at. */
function decoded(name: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(name);
  } catch {
    return null; // not UTF-8
  }
}
