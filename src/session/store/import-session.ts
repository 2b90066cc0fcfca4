// Copies a transcript into a user's store, batch by batch, so that neither the engine nor the store has to hold all of
// it at a time.
import path from 'node:path';
import { FileError, type Host } from '../../host/host.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { createBlobStore, withLargeContent } from './blobs.js';
import { linesForwards } from './line-reader.js';
import { parseLine } from './read-entry.js';
import { type SessionPlace, subagentFile, subagentIds, subagentSubpath } from './session-places.js';

/** Entries given to a store at a time, if nobody says otherwise. */
const BATCH = 100;

/**
 * Copies a session, with the transcripts of its subagents and what is large in them.
 * @throws FileError if a file cannot be read; whatever the store throws
 */
export async function importSession(
  host: Pick<Host, 'fs' | 'sha256'>,
  place: SessionPlace,
  store: SessionStore,
  key: SessionKey,
): Promise<void> {
  await importTranscript(host, place, place.file, store, key, BATCH);
  for (const agentId of await subagentIds(host, place)) {
    const subkey = { ...key, subpath: subagentSubpath(agentId) };
    await importTranscript(host, place, subagentFile(place, agentId), store, subkey, BATCH);
  }
}

/**
 * Appends every line that can be read, in order.
 * @throws FileError if the file cannot be read; whatever the store throws
 */
export async function importTranscript(
  host: Pick<Host, 'fs' | 'sha256'>,
  { ownFolder }: Pick<SessionPlace, 'ownFolder'>,
  file: string,
  store: SessionStore,
  key: SessionKey,
  batchSize: number,
): Promise<void> {
  const source = await host.fs.openRead(file);
  try {
    const { kind, size } = await source.stat();
    if (kind !== 'file') throw new FileError('EINVAL', file, `${file} is not a file.`);
    const blobs = createBlobStore(host, path.join(ownFolder, 'blobs'));
    let batch: SessionStoreEntry[] = [];
    for await (const lines of linesForwards(source, size)) {
      for (const line of lines) {
        const { value } = parseLine(line, false);
        if (value === null || typeof value.type !== 'string') continue; // no reader of the store could use it
        batch.push(await withLargeContent(value as SessionStoreEntry, blobs));
        if (batch.length < batchSize) continue;
        await store.append(key, batch);
        batch = [];
      }
    }
    if (batch.length > 0) await store.append(key, batch);
  } finally {
    await source.close();
  }
}
