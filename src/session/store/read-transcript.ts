// The newest conversation of a transcript, read from its end along the parents until its root: after a compaction that
// is a short way, however long the file. What is damaged is left out, counted, and gone around; what stands in the place of
// the file and is no plain file is never read.
import { FileError, type FileStat, type Host, type ReadHandle } from '../../host/host.js';
import { type EntrySource, fileSource } from './line-reader.js';
import { createLookback, type Lookback, type MetadataLine } from './lookback.js';
import type { DamageCounts, EntryRules, EntryValue, ScannedEntry } from './read-entry.js';

export interface ReadOptions extends EntryRules {
  /** The conversation up to and including the entry with this uuid, wherever it stands. Default: up to the newest. */
  readonly upTo?: string;
  /** Bytes of lines that are taken, the newest; the first entry is taken whatever its size. Default: all. */
  readonly maxBytes?: number;
  /** True: on to what a compaction replaced, and to what it was before. Default false. */
  readonly acrossCompactions?: boolean;
}

/** An entry of the conversation. */
export interface ReadEntry {
  readonly value: EntryValue;
  readonly uuid: string;
  /** Byte offset of its line, or its index in the store's list. */
  readonly at: number;
  /** Null for a link of the chain that is no message, such as a boundary or progress. */
  readonly role: 'user' | 'assistant' | null;
  readonly replyId: string | null;
  /** Its text is not what was written: what is signed in it no longer holds. */
  readonly isLossy: boolean;
  /** It does not lie on the way from the newest entry to the root, but belongs to a reply that does. */
  readonly isBeside: boolean;
}

export interface TranscriptRead {
  /** Oldest first. Empty if there is no conversation, or none with `upTo`. */
  readonly entries: readonly ReadEntry[];
  /** The entry that a new message follows; null if there are none. */
  readonly lastUuid: string | null;
  /** `root`: the whole conversation. `limit`: older entries were left. `gap`: the older part is lost. */
  readonly end: 'root' | 'limit' | 'gap';
  /** It was read up to a given entry, not to the newest. */
  readonly isPart: boolean;
  readonly damage: DamageCounts;
  /** Lines about the session that were read on the way, by type, the newest first. */
  readonly metadata: ReadonlyMap<string, readonly MetadataLine[]>;
}

/** Contract: never throws for what the transcript holds; bounded in memory by `maxBytes`; linear in what it reads. */
export async function readTranscript(source: EntrySource, options: ReadOptions): Promise<TranscriptRead> {
  const lookback = createLookback(source, options);
  const newest = await findNewest(lookback, options.upTo);
  const { damage, metadata } = lookback;
  const isPart = options.upTo !== undefined;
  if (newest === null) {
    damage.countAll();
    return { entries: [], lastUuid: null, end: 'gap', isPart, damage: damage.counts, metadata };
  }
  const walk = createWalk(lookback, options);
  const end = await walk.from(newest);
  if (!isPart) await walk.forward();
  if (end === 'root') damage.countFrom(walk.lowest());
  else if (end === 'gap') damage.countAll();
  return { entries: walk.entries(), lastUuid: walk.lastUuid(), end, isPart, damage: damage.counts, metadata };
}

async function findNewest(lookback: Lookback, upTo: string | undefined): Promise<ScannedEntry | null> {
  if (upTo === undefined) return lookback.messageBefore(Number.POSITIVE_INFINITY, null);
  const found = await lookback.find(upTo, null, true);
  return found?.isOwn ? found : null;
}

function createWalk(lookback: Lookback, { maxBytes = Number.POSITIVE_INFINITY, acrossCompactions }: ReadOptions) {
  /** From the newest to the root. */
  const chain: ReadEntry[] = [];
  /** Newer ones, oldest first: found when the newest line of the file turned out not to be the last message. */
  const newer: ReadEntry[] = [];
  /** What lies beside an entry of the way. Few have something. */
  const beside: Beside = new Map();
  let lowest = Number.POSITIVE_INFINITY;
  let bytes = 0;
  /** What follows the reply that the walk is in, on the way from the newest entry. */
  let isAnswered = true;

  const note = (entry: ScannedEntry): void => {
    bytes += entry.length;
    if (entry.at < lowest) lowest = entry.at;
    lookback.damage.countFrom(lowest);
    // If the conversation went on without answers, it did so from this very part of the reply.
    if (entry.role === 'user') isAnswered = entry.isAnswer;
  };
  const fetchEntry = async (entry: ScannedEntry, isBeside: boolean): Promise<ReadEntry> => {
    entry.isBeside = isBeside;
    return lookback.take(entry) ? entry : withContent(entry, await lookback.reload(entry));
  };
  const take = (entry: ScannedEntry): ReadEntry | Promise<ReadEntry> => {
    note(entry);
    const siblings = isAnswered ? siblingsOf(entry, lookback, chain[0]?.at ?? entry.at) : NO_SIBLINGS;
    // Most entries are at hand, and a wait for each of them would cost more than all the rest.
    return siblings.length === 0 && lookback.take(entry) ? entry : takeSlowly(entry, siblings);
  };
  const takeSlowly = async (entry: ScannedEntry, siblings: readonly ScannedEntry[]): Promise<ReadEntry> => {
    const others: ReadEntry[] = [];
    for (const sibling of siblings) {
      note(sibling);
      others.push(await fetchEntry(sibling, true));
    }
    const taken = await fetchEntry(entry, false);
    if (others.length > 0) beside.set(taken, others);
    return taken;
  };
  const previous = (entry: ScannedEntry): ScannedEntry | null | Promise<ScannedEntry | null> => {
    const parent = parentOf(entry, lookback, acrossCompactions ?? false);
    if (parent === null) return null;
    const known = lookback.known(parent);
    if (known?.isTaken ?? lookback.isTaken(parent)) return aroundCircle(entry);
    return known ?? findParent(parent, entry);
  };
  const findParent = async (parent: string, entry: ScannedEntry): Promise<ScannedEntry | null> =>
    (await lookback.find(parent, entry)) ?? goAround(entry);
  const aroundCircle = (entry: ScannedEntry): Promise<ScannedEntry | null> => {
    lookback.damage.count('circle');
    return goAround(entry);
  };
  const goAround = async (entry: ScannedEntry): Promise<ScannedEntry | null> => {
    const next = await behindGap(entry, lowest, lookback);
    if (next !== null) lookback.damage.count('gap');
    return next;
  };

  return {
    /** Follows the parents. */
    async from(newest: ScannedEntry): Promise<TranscriptRead['end']> {
      let entry: ScannedEntry | null = newest;
      let last = newest;
      while (entry !== null) {
        if (chain.length > 0 && bytes + entry.length > maxBytes) return 'limit';
        const taken = take(entry);
        chain.push(taken instanceof Promise ? await taken : taken);
        last = entry;
        const before = previous(entry);
        entry = before instanceof Promise ? await before : before;
      }
      const isRoot = parentOf(last, lookback, acrossCompactions ?? false) === null;
      return isRoot ? 'root' : 'gap';
    },
    /** A line that stands before its parent was not written so; if the newest message has such a child, it goes on. */
    async forward(): Promise<void> {
      if (lookback.isStraight) return;
      for (let head = chain[0]; head !== undefined; head = newer.at(-1)) {
        const child = lookback.childrenOf(head.uuid).find((entry) => isFree(entry) && entry.role !== null);
        if (child === undefined) return;
        newer.push(await take(child));
      }
    },
    lowest: () => lowest,
    lastUuid: () => newer.at(-1)?.uuid ?? chain[0]?.uuid ?? null,
    entries: () => inOrder([...chain.toReversed(), ...newer], beside),
  };
}

/** By the entry of the way that they belong to. */
type Beside = Map<ReadEntry, readonly ReadEntry[]>;

const NO_SIBLINGS: readonly ScannedEntry[] = [];

/** @param value null if the line is no longer there */
function withContent(entry: ScannedEntry, value: EntryValue | null): ReadEntry {
  return { ...entry, value: value ?? {}, role: value === null ? null : entry.role };
}

function parentOf(entry: ScannedEntry, lookback: Lookback, acrossCompactions: boolean): string | null {
  if (acrossCompactions) return entry.parent ?? entry.logicalParent;
  if (lookback.isStraight) return entry.parent;
  const moved = lookback.movedBehind(entry.uuid);
  if (moved !== null) return moved;
  return entry.parent === null ? null : (lookback.lastMovedBehind(entry.parent) ?? entry.parent);
}

/** The way along the parents is lost here: takes what damaged lines still say, else the newest message before it. */
async function behindGap(entry: ScannedEntry, lowest: number, lookback: Lookback): Promise<ScannedEntry | null> {
  const before = await lookback.messageBefore(lowest, entry);
  for (const { parent } of lookback.damage.linesBetween(before?.at ?? Number.NEGATIVE_INFINITY, lowest)) {
    // The lost line was a root: what stands before it is another conversation.
    if (parent === null) return null;
    const found = parent === undefined || lookback.isTaken(parent) ? null : await lookback.find(parent, entry);
    if (found !== null) return found;
  }
  return before;
}

/** Other parts of the same reply, and answers to its calls, that the way to the root does not touch. */
function siblingsOf(entry: ScannedEntry, lookback: Lookback, newestAt: number): readonly ScannedEntry[] {
  if (entry.role !== 'assistant' || entry.replyId === null || lookback.isStraight) return NO_SIBLINGS;
  const found: ScannedEntry[] = [];
  const open = [entry.uuid];
  for (let uuid = open.pop(); uuid !== undefined; uuid = open.pop()) {
    for (const child of lookback.childrenOf(uuid)) {
      const isPart = child.role === 'assistant' && child.replyId === entry.replyId;
      if (!isFree(child) || child.at > newestAt || !(isPart || child.isAnswer)) continue;
      child.isTaken = true;
      found.push(child);
      open.push(child.uuid);
    }
  }
  return found;
}

function isFree(entry: ScannedEntry): boolean {
  return !entry.isTaken && entry.isOwn;
}

/** What lies beside the chain goes to the place of its line, but not behind the next reply. */
function inOrder(chain: readonly ReadEntry[], besideOf: Beside): readonly ReadEntry[] {
  if (besideOf.size === 0) return chain;
  const ordered: ReadEntry[] = [];
  let waiting: ReadEntry[] = [];
  let replyId: string | null = null;
  for (const entry of chain) {
    if (waiting.length > 0) {
      const isOtherReply = entry.role === 'assistant' && entry.replyId !== replyId;
      const isDue = (other: ReadEntry) => isOtherReply || other.at < entry.at;
      ordered.push(...waiting.filter(isDue));
      waiting = waiting.filter((other) => !isDue(other));
    }
    if (entry.role === 'assistant') replyId = entry.replyId;
    ordered.push(entry);
    const beside = besideOf.get(entry);
    if (beside !== undefined) waiting = [...waiting, ...beside].sort((a, b) => a.at - b.at);
  }
  return [...ordered, ...waiting];
}

/** @throws FileError: `ENOENT` if there is none; `EINVAL` if what stands there is no plain file */
export async function readTranscriptFile(
  host: Pick<Host, 'fs'>,
  file: string,
  options: ReadOptions,
): Promise<TranscriptRead> {
  const { handle, size } = await openTranscriptFile(host, file);
  try {
    return await readTranscript(fileSource(handle, size), options);
  } finally {
    await handle.close();
  }
}

/** False for what a crash leaves of a first write: it is nobody's session. @throws FileError */
export async function holdsConversation(host: Pick<Host, 'fs'>, file: string): Promise<boolean> {
  const read = await readTranscriptFile(host, file, { sessionId: null, isSidechain: false, maxBytes: 1 });
  return read.entries.length > 0;
}

/** Contract: the caller closes the handle; what is appended later than now is behind `size`. @throws FileError */
export async function openTranscriptFile(
  { fs }: Pick<Host, 'fs'>,
  file: string,
): Promise<{ readonly handle: ReadHandle; readonly size: number }> {
  // Nothing is appended through a link either, so a session could be read there and not go on.
  const [found] = await fs.lstatAll([file]);
  if (found) requireFile(found.kind, file);
  const handle = await fs.openRead(file);
  try {
    const { kind, size } = await handle.stat();
    requireFile(kind, file);
    return { handle, size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function requireFile(kind: FileStat['kind'], file: string): void {
  if (kind !== 'file') throw new FileError('EINVAL', file, `${file} is ${WORDS[kind]}.`);
}

const WORDS: Readonly<Record<FileStat['kind'], string>> = {
  file: 'a file',
  directory: 'not a file, but a directory',
  symlink: 'not a file, but a symbolic link, which is not followed',
  other: 'not a file',
};
