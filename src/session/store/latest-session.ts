// The session of a folder that was spoken in last: what `continue` goes on with.
import { type Host, isFileError } from '../../host/host.js';
import { readTranscriptFile } from './open-transcript.js';
import { listFiles } from './session-index.js';
import type { SessionPlace } from './session-places.js';

export interface LatestSession {
  /** Null if there is none that can be read. */
  readonly place: SessionPlace | null;
  /** When it was spoken in last, milliseconds since the epoch; 0 if that is not known. */
  readonly at: number;
  /** Ids of newer ones that cannot be read. */
  readonly unreadable: readonly string[];
}

/**
 * By the time of the last message, not of the file: a title or a tag may be added to an old session.
 * @param folder of the project; it need not exist
 */
export async function latestSession(host: Host, folder: string): Promise<LatestSession> {
  const unreadable: string[] = [];
  let latest: { place: SessionPlace; at: number } | null = null;
  for (const file of await listFiles(host, [folder])) {
    // A file is written after the message that it ends with was said.
    if (latest !== null && file.stat.mtimeMs < latest.at) break;
    const at = await lastMessageAt(host, file);
    if (at === 'unreadable') unreadable.push(file.sessionId);
    else if (at !== null && (latest === null || at > latest.at)) latest = { place: file, at };
  }
  return { place: latest?.place ?? null, at: latest?.at ?? 0, unreadable };
}

/** Milliseconds since the epoch; 0 if the message does not say. Null if there is none, as in a subagent's. */
async function lastMessageAt(host: Host, { file, sessionId }: SessionPlace): Promise<number | 'unreadable' | null> {
  try {
    const read = await readTranscriptFile(host, file, { sessionId, isSidechain: false, maxBytes: 1 });
    const last = read.entries.at(-1);
    if (last === undefined) return Object.keys(read.damage).length === 0 ? null : 'unreadable';
    const at = typeof last.value.timestamp === 'string' ? Date.parse(last.value.timestamp) : Number.NaN;
    return Number.isFinite(at) ? at : 0;
  } catch (error) {
    if (isFileError(error)) return 'unreadable';
    throw error;
  }
}
