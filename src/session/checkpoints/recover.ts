// After a process that ended while a call could change the workspace: what is different from what that process saw is
// recorded, and whose change it was stays open.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import type { Bounds } from './bounds.js';
import { createCapture, readLeftCapture } from './capture.js';
import type { Journal } from './journal.js';
import type { Change, JournalRecord } from './journal-record.js';
import type { KeptContent } from './kept-content.js';
import { toChanges } from './to-changes.js';
import { createWorkspace } from './workspace.js';

export interface RecoverParts {
  readonly host: Pick<Host, 'fs' | 'sha256' | 'clock'>;
  readonly journal: Journal;
  readonly kept: KeptContent;
  readonly bounds: Bounds;
  /** Where the content of the workspace was held. */
  readonly folder: string;
  readonly hidden: readonly string[];
}

/** Removes what the process left, too. @throws FileError where the journal cannot be written */
export async function recoverCalls(records: readonly JournalRecord[], parts: RecoverParts): Promise<void> {
  const closed = new Set(records.flatMap((record) => (record.type === 'close' ? [record.call] : [])));
  const open = records.flatMap((record) =>
    record.type === 'open' && record.paths === null && !closed.has(record.call) ? [record.call] : [],
  );
  if (open.length > 0) {
    const changes = await changesSince(parts);
    // One line has all of it: the calls ran at the same time.
    for (const [index, call] of open.entries()) {
      const own = index === open.length - 1 ? changes : [];
      await parts.journal.append({ type: 'close', call, changes: own, gaps: [{ path: null, reason: 'interrupted' }] });
    }
    await parts.journal.sync();
  }
  await removeIfThere(parts);
}

async function changesSince({ host, kept, bounds, folder, hidden }: RecoverParts): Promise<Change[]> {
  const left = await readLeftCapture(host.fs, folder);
  if (left === null) return [];
  const capture = createCapture(host, folder, bounds);
  const workspace = createWorkspace({ host, roots: left.roots, hidden, bounds, capture, known: left.known });
  const found = await workspace.compare();
  if ('failed' in found) return [];
  const changes = await toChanges(found.changed, kept, new Set());
  return changes.map((change) => ({ ...change, after: null }));
}

async function removeIfThere({ host, folder }: RecoverParts): Promise<void> {
  try {
    await host.fs.remove(path.normalize(folder));
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}
