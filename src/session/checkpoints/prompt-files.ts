// Which files each prompt of a session changed, as its checkpoints tell it. Only reads.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { ownPart } from '../store/index.js';
import { createJournal } from './journal.js';
import type { JournalRecord } from './journal-record.js';

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
