// What became of each path since a checkpoint, as the journal tells it: what it was then, and what it should be now if
// nobody but the agent changed it.

import path from 'node:path';
import type { Host } from '../../host/host.js';
import { ownPart } from '../store/index.js';
import { type Image, isSameImage, type LostReason } from './image.js';
import { createJournal } from './journal.js';
import type { Change, JournalRecord } from './journal-record.js';
import type { Gap } from './not-covered.js';

export interface Story {
  /** The state at the checkpoint. */
  readonly target: Image;
  /** Why the content of `target` is not kept. */
  readonly lost: LostReason | null;
  /** What the agent's last change made of it. More than one if a call ended with the process. */
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

// Which files each prompt of a session changed, as its checkpoints tell it. Only reads.

/**
 * Absolute paths by the uuid of the prompt, sorted; empty for a session without checkpoints.
 * @param ownFolder of the session, beside its transcript
 * @throws FileError if they cannot be read
 */
export async function filesByPrompt(
  host: Pick<Host, 'fs'>,
  ownFolder: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = await ownPart(host, ownFolder, 'checkpoints');
  if (folder === null) return new Map();
  const journal = createJournal(host, path.join(folder, 'journal.jsonl'));
  const { records } = await journal.read();
  const found = new Map<string, Set<string>>();
  let current = new Set<string>();
  for (const record of records) {
    // What a rewind changes is no prompt's.
    if (record.type === 'prompt' || record.type === 'rewind') current = new Set();
    if (record.type === 'prompt') found.set(record.uuid, current);
    for (const file of pathsOf(record)) current.add(file);
  }
  return new Map([...found].map(([uuid, files]) => [uuid, [...files].sort()]));
}

function pathsOf(record: JournalRecord): readonly string[] {
  return record.type === 'close' || record.type === 'changes' ? record.changes.map((change) => change.path) : [];
}
