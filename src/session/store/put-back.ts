// Puts the large content of a conversation back in its place, once its transcript was read.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { createBlobStore } from './blobs.js';
import type { TranscriptRead } from './read-transcript.js';
import { blobReferences, restoreFrom } from './restore-blobs.js';

/** Bytes put back, the newest content first; several times what one request can carry. */
const MAX_RESTORED_BYTES = 48 * 1024 * 1024;

export interface PutBack<R extends TranscriptRead> {
  readonly read: R;
  /** Contents that are not in the folder any more, or not what their name says. Their stand-ins stay. */
  readonly missing: number;
}

/** @param ownFolder of the session, beside its transcript */
export async function putBack<R extends TranscriptRead>(
  host: Pick<Host, 'fs' | 'sha256'>,
  ownFolder: string,
  read: R,
): Promise<PutBack<R>> {
  if (!read.entries.some(({ value }) => value.blobs !== undefined)) return { read, missing: 0 };
  const blobs = createBlobStore(host, path.join(ownFolder, 'blobs'));
  const entries = [...read.entries];
  let missing = 0;
  let left = MAX_RESTORED_BYTES;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry === undefined) continue;
    const bytes = blobReferences(entry.value).reduce((sum, reference) => sum + sizeOf(reference), 0);
    if (bytes === 0) continue;
    if (bytes > left) break;
    left -= bytes;
    const restored = await restoreFrom(entry.value, blobs);
    missing += restored.missing;
    entries[at] = { ...entry, value: restored.entry };
  }
  return { read: { ...read, entries }, missing };
}

/** As the line says; one that does not say it is taken for one byte, so that it is looked at. */
function sizeOf({ bytes }: { readonly bytes?: unknown }): number {
  return typeof bytes === 'number' && bytes > 0 ? bytes : 1;
}
