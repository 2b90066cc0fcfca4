// A boundary may keep messages from before it: it names them, and they are read as if they stood behind it, although
// their lines do not.
import type { EntryValue } from './read-entry.js';
import { isBoundary } from './scanned-entry.js';

const MAX_MOVED = 10_000;

export interface Moves {
  /** For an entry that was kept: the one it follows now. */
  readonly parents: ReadonlyMap<string, string>;
  /** For the entry that they were put behind: the last of them. */
  readonly lasts: ReadonlyMap<string, string>;
  /** Reads what a boundary says; any other entry changes nothing. */
  learn(value: EntryValue): void;
}

export function createMoves(): Moves {
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
      const metadata = record(value.compactMetadata);
      const list = record(metadata.preservedMessages ?? metadata.preserved_messages);
      const anchor = list.anchorUuid ?? list.anchor_uuid;
      if (typeof anchor === 'string' && Array.isArray(list.uuids)) {
        move(
          anchor,
          list.uuids.filter((uuid) => typeof uuid === 'string'),
        );
        return;
      }
      const segment = record(metadata.preservedSegment ?? metadata.preserved_segment);
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

function record(value: unknown): EntryValue {
  return typeof value === 'object' && value !== null ? (value as EntryValue) : {};
}
