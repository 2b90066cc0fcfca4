// What was read of a transcript, from its end towards its start: entries by id and by order, as far back as anything
// may still ask for them. Bounded in memory, whatever the file holds.
import { recordOf } from '../../util/json.js';
import type { EntrySource, SourceLine } from './line-reader.js';
import {
  classify,
  createDamageLog,
  type DamageLog,
  type EntryRules,
  type EntryValue,
  isBoundary,
  isUnknownType,
  type ParsedLine,
  type ScannedEntry,
} from './read-entry.js';

/** How far a missing entry is looked for behind the last one that was found. */
const SEARCH_BYTES = 32 * 1024 * 1024;
const SEARCH_LINES = 50_000;

/** Entries remembered beside the conversation, and the content held for them. */
const MAX_REMEMBERED = 50_000;
const MAX_HELD_BYTES = 8 * 1024 * 1024;
/** Kinds of lines about the session, and lines of one kind. */
const MAX_KINDS = 64;
const MAX_OF_KIND = 1_000;

/** A line about the session. */
export interface MetadataLine {
  readonly value: EntryValue;
  readonly at: number;
}

/** An entry whose content is at hand. */
export type HeldEntry = ScannedEntry & { readonly value: EntryValue };

export interface Lookback {
  readonly damage: DamageLog;
  /** What was read of the lines about the session, by type, the newest first. */
  readonly metadata: ReadonlyMap<string, readonly MetadataLine[]>;
  /** Looks behind `after`; null if it is not there, or not near. @param isFar looks through the whole transcript */
  find(uuid: string, after: ScannedEntry | null, isFar?: boolean): Promise<ScannedEntry | null>;
  /** The newest message not taken yet that stands before `at`, or the newest place where the conversation was set back. */
  messageBefore(at: number, after: ScannedEntry | null): Promise<ScannedEntry | null>;
  /** Each entry read so far is the one that the entry read before it follows: nothing branches off. */
  readonly isStraight: boolean;
  /** Entries read so far that name this one as the one they follow. */
  childrenOf(uuid: string): readonly ScannedEntry[];
  /** What a boundary says of entries that it moved behind itself: for each id, the one it follows now. */
  movedBehind(uuid: string): string | null;
  /** The entry to go to in place of `uuid`, coming from an entry that was not moved. */
  lastMovedBehind(uuid: string): string | null;
  /** What was read already. Most entries are, and a wait for each of them would cost more than all the rest. */
  known(uuid: string): ScannedEntry | undefined;
  /** The entry belongs to the conversation now: it keeps its content. False if that must be loaded. */
  take(entry: ScannedEntry): entry is HeldEntry;
  /** Contract: also of one that was forgotten here. */
  isTaken(uuid: string): boolean;
  /** Null if the file no longer has it. */
  reload(entry: ScannedEntry): Promise<EntryValue | null>;
  /** Reads everything there is. */
  readAll(): Promise<void>;
}

export function createLookback(source: EntrySource, rules: EntryRules): Lookback {
  const batches = source.backwards()[Symbol.asyncIterator]();
  const damage = createDamageLog();
  const metadata = new Map<string, MetadataLine[]>();
  const moves = createMoves();
  const byUuid = new Map<string, ScannedEntry>();
  /** Null while each entry that was read is the one that the entry before it follows, as in most transcripts. */
  let children: Children | null = null;
  /** Taken, and too long ago to be in `byUuid`. */
  const takenBefore = new Set<string>();
  /** Newest first. */
  let order: ScannedEntry[] = [];
  let nextInOrder = 0;
  let heldBytes = 0;
  let isDone = false;
  /** Of the line that is looked at, and how much was read by then. */
  const place = { at: 0, length: 0, isLossy: false, bytesRead: 0, linesRead: 0 };

  const add = (entry: ScannedEntry): void => {
    const other = byUuid.get(entry.uuid);
    if (other !== undefined) {
      // The same line once more is what a writer leaves that could not know whether the first was kept.
      if (other.length !== entry.length) damage.add('repeated', entry.at);
      return;
    }
    if (entry.value !== null && heldBytes < MAX_HELD_BYTES) heldBytes += entry.length;
    else entry.value = null;
    byUuid.set(entry.uuid, entry);
    if (children === null && order.length > 0 && order.at(-1)?.parent !== entry.uuid) {
      children = new Map();
      for (const earlier of order) addChild(children, earlier);
    }
    if (children !== null) addChild(children, entry);
    order.push(entry);
  };

  const scan = (line: SourceLine, parsed: ParsedLine): void => {
    place.at = line.at;
    place.length = line.length;
    place.bytesRead += line.length;
    place.linesRead += 1;
    if (parsed.value === null) {
      damage.addLine(parsed.damage, line.at);
      // It was skipped, not searched: what is behind it is as near as before.
      if (parsed.damage.kind === 'too_long') place.bytesRead -= line.length;
      return;
    }
    place.isLossy = parsed.isLossy;
    const { value } = parsed;
    const found = classify(value, place, rules);
    if (typeof found === 'object') {
      note(found, value);
      add(found);
    } else if (found === 'metadata') addMetadata(String(value.type), { value, at: line.at });
    else if (found !== 'aside') damage.add(found, line.at);
  };

  const addMetadata = (type: string, line: MetadataLine): void => {
    const lines = metadata.get(type);
    if (lines === undefined) {
      if (metadata.size < MAX_KINDS) metadata.set(type, [line]);
    } else if (lines.length < MAX_OF_KIND) lines.push(line);
  };

  const note = (entry: ScannedEntry, value: EntryValue): void => {
    if (entry.isLossy) damage.add('not_utf8', entry.at);
    if (!entry.isOwn) damage.add('other_session', entry.at);
    else if (entry.role !== null) return;
    else if (isUnknownType(value)) damage.add('unknown_type', entry.at);
    else if (value.type === 'user' || value.type === 'assistant') damage.add('no_content', entry.at);
    moves.learn(value);
  };

  const readMore = async (): Promise<boolean> => {
    if (isDone) return false;
    const { done, value: batch } = await batches.next();
    if (done) {
      isDone = true;
      return false;
    }
    const { lines } = batch;
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index];
      if (line !== undefined) scan(line, batch.parse(index));
    }
    forget();
    return true;
  };

  const forget = (): void => {
    const excess = order.length - MAX_REMEMBERED;
    if (excess <= MAX_REMEMBERED) return; // in large steps, so that it costs little
    for (const entry of order.slice(0, excess)) {
      if (entry.isTaken) takenBefore.add(entry.uuid);
      else {
        if (entry.value !== null) heldBytes -= entry.length;
        entry.value = null;
      }
      byUuid.delete(entry.uuid);
      if (entry.parent !== null) children?.delete(entry.parent);
    }
    order = order.slice(excess);
    nextInOrder = Math.max(0, nextInOrder - excess);
  };

  const isNear = (after: ScannedEntry | null): boolean => {
    const bytes = place.bytesRead - (after?.bytesRead ?? 0);
    return bytes < SEARCH_BYTES && place.linesRead - (after?.linesRead ?? 0) < SEARCH_LINES;
  };

  return {
    damage,
    metadata,
    async find(uuid, after, isFar = false) {
      for (;;) {
        const found = byUuid.get(uuid);
        if (found !== undefined) return found;
        if (!isFar && !isNear(after)) return null;
        if (!(await readMore())) return null;
      }
    },
    async messageBefore(at, after) {
      for (;;) {
        for (; nextInOrder < order.length; nextInOrder++) {
          const entry = order[nextInOrder];
          if (entry === undefined || entry.isTaken || entry.at >= at || !entry.isOwn) continue;
          if (entry.role !== null || entry.isRewind) return entry;
        }
        if (!isNear(after) || !(await readMore())) return null;
      }
    },
    get isStraight() {
      return children === null && moves.parents.size === 0;
    },
    childrenOf(uuid) {
      if (children === null) return order.filter((entry) => entry.parent === uuid);
      const found = children.get(uuid) ?? [];
      return Array.isArray(found) ? found : [found];
    },
    movedBehind: (uuid) => moves.parents.get(uuid) ?? null,
    lastMovedBehind: (uuid) => moves.lasts.get(uuid) ?? null,
    known: (uuid) => byUuid.get(uuid),
    take(entry): entry is HeldEntry {
      entry.isTaken = true;
      if (entry.value === null) return false;
      heldBytes -= entry.length;
      return true;
    },
    isTaken: (uuid) => byUuid.get(uuid)?.isTaken ?? takenBefore.has(uuid),
    reload: (entry) => source.reload(entry.at, entry.length),
    async readAll() {
      while (await readMore());
    },
  };
}

/** By the entry that they follow: one, or several. */
type Children = Map<string, ScannedEntry | ScannedEntry[]>;

function addChild(children: Children, entry: ScannedEntry): void {
  if (entry.parent === null) return;
  const siblings = children.get(entry.parent);
  if (siblings === undefined) children.set(entry.parent, entry);
  else if (Array.isArray(siblings)) siblings.push(entry);
  else children.set(entry.parent, [siblings, entry]);
}

// A boundary may keep messages from before it: it names them, and they are read as if they stood behind it, although
// their lines do not.

const MAX_MOVED = 10_000;

interface Moves {
  /** For an entry that was kept: the one it follows now. */
  readonly parents: ReadonlyMap<string, string>;
  /** For the entry that they were put behind: the last of them. */
  readonly lasts: ReadonlyMap<string, string>;
  /** Reads what a boundary says; any other entry changes nothing. */
  learn(value: EntryValue): void;
}

function createMoves(): Moves {
  const parents = new Map<string, string>();
  const lasts = new Map<string, string>();
  const move = (anchor: string, uuids: readonly string[]): void => {
    const last = uuids.at(-1);
    // The newest boundary counts, and it is read first.
    if (last === undefined || lasts.has(anchor) || parents.size + uuids.length > MAX_MOVED) return;
    lasts.set(anchor, last);
    for (const [index, uuid] of uuids.entries()) parents.set(uuid, uuids[index - 1] ?? anchor);
  };
  return {
    parents,
    lasts,
    learn(value) {
      if (!isBoundary(value)) return;
      const metadata = recordOf(value.compactMetadata);
      const list = recordOf(metadata.preservedMessages ?? metadata.preserved_messages);
      const anchor = list.anchorUuid ?? list.anchor_uuid;
      if (typeof anchor === 'string' && Array.isArray(list.uuids)) {
        move(
          anchor,
          list.uuids.filter((uuid) => typeof uuid === 'string'),
        );
        return;
      }
      const segment = recordOf(metadata.preservedSegment ?? metadata.preserved_segment);
      const ends = [segment.anchorUuid ?? segment.anchor_uuid, segment.headUuid ?? segment.head_uuid];
      const [from, head] = ends;
      const tail = segment.tailUuid ?? segment.tail_uuid;
      if (typeof from !== 'string' || typeof head !== 'string' || typeof tail !== 'string') return;
      if (lasts.has(from)) return;
      lasts.set(from, tail);
      parents.set(head, from);
    },
  };
}
