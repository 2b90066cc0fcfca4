// Copies a transcript into a user's store, batch by batch, so that neither the engine nor the store has to hold all of
// it at a time.
import type { Host } from '../../host/host.js';
import { FileError } from '../../host/host.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { linesForwards } from './line-reader.js';
import { parseLine } from './read-entry.js';

/**
 * Appends every line that can be read, in order.
 * @throws FileError where the file cannot be read; whatever the store throws
 */
export async function importTranscript(
  host: Pick<Host, 'fs'>,
  file: string,
  store: SessionStore,
  key: SessionKey,
  batchSize: number,
): Promise<void> {
  const source = await host.fs.openRead(file);
  try {
    const { kind, size } = await source.stat();
    if (kind !== 'file') throw new FileError('EINVAL', file, `${file} is not a file.`);
    let batch: SessionStoreEntry[] = [];
    for await (const lines of linesForwards(source, size)) {
      for (const line of lines) {
        const { value } = parseLine(line, false);
        if (value === null || typeof value.type !== 'string') continue; // no reader of the store could use it
        batch.push(value as SessionStoreEntry);
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
