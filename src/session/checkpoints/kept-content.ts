// Content of the workspace that may have to be put back. While commands may change it, it is held: read before they run, in few large
// files that go with the session. What was changed then is kept, each content once, up to a limit.
import path from 'node:path';
import { type FileStat, type Host, type HostFs, isFileError } from '../../host/host.js';
import { mapBounded } from '../../util/map-bounded.js';
import type { BlobStore } from '../store/index.js';
import { type Disk, isSameStat, type LostReason, readPlainly } from './image.js';
import type { JournalRecord } from './journal.js';
import { type Bounds, CONCURRENCY } from './not-covered.js';

/** The place of a content in the capture. */
interface Held {
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

/** A path as the last look found it. */
export interface Known {
  readonly stat: FileStat;
  /** Of a link: its text. Null: not read yet, or no link. */
  readonly target: string | null;
  /** Of a file: its content, or why there is none. Null: not read yet. */
  readonly content: Held | LostReason | null;
  /** When it was looked at, milliseconds since the epoch. */
  readonly seenAt: number;
}

export type KnownPaths = Map<string, Known>;

export interface Capture {
  /**
   * Reads of the known files what is not held yet, and records what is known of the paths in `changed`.
   * Contract: never throws. What could not be held has the reason in its entry; what is gone leaves `known`.
   */
  hold(known: KnownPaths, changed: ReadonlySet<string>, roots: readonly string[]): Promise<void>;
  /** @throws FileError */
  read(held: Held): Promise<Uint8Array>;
  /** Removes everything from the disk. Contract: never throws. */
  drop(): Promise<void>;
}

/** Bytes, and files, that are written as one. */
const PACK_BYTES = 8_000_000;
const PACK_FILES = 1_000;
/** What was replaced stays on the disk; at this factor of the limit everything is read anew. */
const WASTE = 2;
const NO_BYTES: Held = { pack: 0, offset: 0, length: 0 };

/** @param folder absolute; made when it is needed */
export function createCapture(host: Pick<Host, 'fs' | 'clock'>, folder: string, bounds: Bounds): Capture {
  const { fs, clock } = host;
  let files = 0;
  let written = 0;
  let isFirst = true;

  const drop = async (): Promise<void> => {
    written = 0;
    isFirst = true;
    // What stays behind is removed when the session is opened again.
    await fs.remove(folder).catch(() => undefined);
  };

  const writePack = async (group: readonly string[], known: KnownPaths): Promise<void> => {
    const contents = await mapBounded(group, CONCURRENCY, (file) => readStable(host, file, known));
    const bytes = joined(contents);
    const pack = ++files;
    try {
      if (bytes.length > 0) await fs.createFile(packPath(folder, pack), bytes, { mode: 0o600 });
    } catch (error) {
      if (!isFileError(error)) throw error;
      for (const file of group) setContent(known, file, 'not_kept');
      return;
    }
    written += bytes.length;
    let offset = 0;
    for (const [index, file] of group.entries()) {
      const content = contents[index];
      if (content == null) continue;
      setContent(known, file, content.length === 0 ? NO_BYTES : { pack, offset, length: content.length });
      offset += content.length;
    }
  };

  return {
    async hold(known, changed, roots) {
      if (written > bounds.captureBytes * WASTE) {
        await drop();
        for (const file of known.keys()) setContent(known, file, null);
      }
      const deadline = clock.monotonic() + bounds.captureMs;
      for (const group of groupsToRead(known, bounds)) {
        if (clock.monotonic() <= deadline) await writePack(group, known);
        else for (const file of group) setContent(known, file, 'too_slow');
      }
      const paths = isFirst ? known.keys() : changed;
      const lines = Array.from(paths, (file): Line => [file, known.get(file) ?? null]);
      if (lines.length === 0) return;
      try {
        const record: Delta = { roots, lines };
        await fs.createFile(path.join(folder, `${++files}.json`), JSON.stringify(record), { mode: 0o600 });
        isFirst = false;
      } catch (error) {
        // Only a command that ends with the process would need it, and that is then told as not known.
        if (!isFileError(error)) throw error;
      }
    },
    read: (held) => readHeld(fs, folder, held),
    drop,
  };
}

/** What a process left behind that ended while commands could run; null if there is nothing whole. */
export async function readLeftCapture(
  fs: HostFs,
  folder: string,
): Promise<{ readonly roots: readonly string[]; readonly known: KnownPaths } | null> {
  const known: KnownPaths = new Map();
  let roots: readonly string[] = [];
  try {
    const names = (await fs.readdir(folder)).filter((name) => /^\d+\.json$/.test(name));
    for (const name of names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))) {
      const delta = JSON.parse(new TextDecoder().decode(await fs.readFile(path.join(folder, name)))) as Delta;
      roots = delta.roots;
      for (const [file, entry] of delta.lines) {
        if (entry === null) known.delete(file);
        else known.set(file, entry);
      }
    }
  } catch (error) {
    if (isFileError(error) || error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
  return roots.length === 0 ? null : { roots, known };
}

async function readHeld(fs: HostFs, folder: string, held: Held): Promise<Uint8Array> {
  if (held.length === 0) return new Uint8Array(0);
  const handle = await fs.openRead(packPath(folder, held.pack));
  try {
    return await handle.read(held.offset, held.length);
  } finally {
    await handle.close();
  }
}

/** A path and what is known of it; null if it is gone. */
type Line = readonly [path: string, known: Known | null];

interface Delta {
  readonly roots: readonly string[];
  readonly lines: readonly Line[];
}

function packPath(folder: string, pack: number): string {
  return path.join(folder, `${pack}.pack`);
}

/** Files to read, the smallest first, in groups of what is written as one. */
function groupsToRead(known: KnownPaths, bounds: Bounds): string[][] {
  let live = 0;
  const missing: [file: string, size: number][] = [];
  for (const [file, { stat, content }] of known) {
    if (stat.kind !== 'file') continue;
    if (content !== null && typeof content === 'object') live += content.length;
    else if (stat.size > bounds.fileBytes) setContent(known, file, 'too_large');
    else missing.push([file, stat.size]);
  }
  const groups: string[][] = [];
  let open: string[] = [];
  let openBytes = 0;
  for (const [file, size] of missing.sort((a, b) => a[1] - b[1])) {
    live += size;
    if (live > bounds.captureBytes) {
      setContent(known, file, 'too_much');
      continue;
    }
    if (open.length === 0 || open.length >= PACK_FILES || openBytes + size > PACK_BYTES) {
      open = [];
      openBytes = 0;
      groups.push(open);
    }
    open.push(file);
    openBytes += size;
  }
  return groups;
}

/** Null if there is no content to hold; the entry then says why, or is gone. */
async function readStable(
  { fs, clock }: Pick<Host, 'fs' | 'clock'>,
  file: string,
  known: KnownPaths,
): Promise<Uint8Array | null> {
  const entry = known.get(file);
  if (entry === undefined) return null;
  const seenAt = clock.now();
  try {
    const { after, bytes } = await readPlainly(fs, file, entry.stat);
    if (isSameStat(after, entry.stat) && bytes.length === after.size) {
      known.set(file, { ...entry, seenAt });
      return bytes;
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (error.code !== 'ENOENT' && error.code !== 'ESTALE') {
      setContent(known, file, 'unreadable');
      return null;
    }
  }
  // Changed since the walk, by somebody else: no call runs. The next look sees it whole.
  setContent(known, file, 'changing');
  return null;
}

function setContent(known: KnownPaths, file: string, content: Known['content']): void {
  const entry = known.get(file);
  if (entry?.stat.kind === 'file') known.set(file, { ...entry, content });
}

function joined(contents: readonly (Uint8Array | null)[]): Uint8Array {
  const whole = new Uint8Array(contents.reduce((sum, content) => sum + (content?.length ?? 0), 0));
  let offset = 0;
  for (const content of contents) {
    if (content === null) continue;
    whole.set(content, offset);
    offset += content.length;
  }
  return whole;
}

export interface KeptContent {
  /** `new` and `known`: the bytes are on the disk. Else why they are not. Contract: throws no FileError. */
  keep(bytes: Uint8Array): Promise<'new' | 'known' | LostReason>;
  /** For content that was `new` and turned out not to be needed. Contract: throws no FileError. */
  letGo(hash: string): Promise<void>;
  /** Counts what an earlier process kept. @throws FileError */
  takeStock(records: readonly JournalRecord[]): Promise<void>;
}

export function createKeptContent(disk: Disk, blobs: BlobStore, maxBytes: number): KeptContent {
  const kept = new Map<string, number>();
  let total = 0;
  const count = (hash: string, size: number): void => {
    kept.set(hash, size);
    total += size;
  };
  return {
    async keep(bytes) {
      const hash = await disk.sha256(bytes);
      if (kept.has(hash)) return 'known';
      if (total + bytes.length > maxBytes) return 'too_much';
      try {
        await blobs.put(bytes);
      } catch (error) {
        if (!isFileError(error)) throw error;
        return 'not_kept';
      }
      count(hash, bytes.length);
      return 'new';
    },
    async letGo(hash) {
      const size = kept.get(hash) ?? 0;
      try {
        await blobs.remove(hash);
      } catch (error) {
        if (!isFileError(error)) throw error;
        return; // a content too many is no harm
      }
      kept.delete(hash);
      total -= size;
    },
    async takeStock(records) {
      const sizes = new Map(
        records.flatMap(imagesOf).flatMap((image) => (image.kind === 'file' ? [[image.hash, image.size]] : [])),
      );
      for (const hash of await blobs.list()) count(hash, sizes.get(hash) ?? 0);
    },
  };
}

function imagesOf(record: JournalRecord) {
  if (record.type === 'open') return (record.paths ?? []).map(({ before }) => before);
  return record.type === 'close' || record.type === 'changes' ? record.changes.map(({ before }) => before) : [];
}
