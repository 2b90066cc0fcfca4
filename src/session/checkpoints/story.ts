// What became of each path since a checkpoint, as the journal tells it: what it was then, and what it should be now if
// nobody but the agent changed it.
import { type Image, isSameImage, type LostReason } from './image.js';
import type { Change, JournalRecord } from './journal-record.js';
import type { Gap } from './not-covered.js';

export interface Story {
  /** The state at the checkpoint. */
  readonly target: Image;
  /** Why the content of `target` is not kept. */
  readonly lost: LostReason | null;
  /** What the agent's last change made of it. More than one where a call ended with the process. */
  readonly expected: readonly Image[];
  /** Somebody else changed it between two changes of the agent. */
  readonly isBroken: boolean;
  /** A call that could change it ended with the process. */
  readonly isInterrupted: boolean;
}

export interface Stories {
  /** By path. */
  readonly paths: ReadonlyMap<string, Story>;
  readonly gaps: readonly Gap[];
  /** Calls that could change anything, and not only one file. */
  readonly commands: number;
}

/** Null if there is no checkpoint of that id. */
export function storiesSince(records: readonly JournalRecord[], uuid: string): Stories | null {
  const start = checkpointIndex(records, uuid);
  if (start === -1) return null;
  const since = records.slice(start);
  const closed = new Set(since.flatMap((record) => (record.type === 'close' ? [record.call] : [])));
  const paths = new Map<string, Story>();
  const gaps: Gap[] = [];
  let commands = 0;
  for (const record of since) {
    if (record.type === 'pause') gaps.push({ path: null, reason: 'not_recorded' });
    if (record.type === 'open') {
      if (record.paths === null) commands += 1;
      if (closed.has(record.call)) continue;
      if (record.paths === null) gaps.push({ path: null, reason: 'interrupted' });
      for (const { path, before, lost, planned } of record.paths ?? []) {
        const change: Change = { path, before, after: null, ...(lost === undefined ? {} : { lost }) };
        paths.set(path, goOn(paths.get(path), change, planned));
      }
    }
    if (record.type === 'close' || record.type === 'changes') {
      gaps.push(...record.gaps);
      for (const change of record.changes) paths.set(change.path, goOn(paths.get(change.path), change));
    }
  }
  return { paths, gaps, commands };
}

/** Where the checkpoint stands; -1 if there is none of that id. */
export function checkpointIndex(records: readonly JournalRecord[], uuid: string): number {
  return records.findLastIndex(
    (record) => (record.type === 'prompt' || record.type === 'rewind') && record.uuid === uuid,
  );
}

function goOn(story: Story | undefined, { before, after, lost }: Change, planned?: Image): Story {
  const expected = after === null ? [before, ...(planned === undefined ? [] : [planned])] : [after];
  if (story === undefined) {
    return { target: before, lost: lost ?? null, expected, isBroken: false, isInterrupted: after === null };
  }
  const follows = story.expected.some((image) => isSameImage(image, before));
  return {
    ...story,
    expected,
    isBroken: story.isBroken || !follows,
    // If it is known again what it was, the interruption changed nothing.
    isInterrupted: after === null || (story.isInterrupted && !follows),
  };
}
