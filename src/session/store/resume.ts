// Reads a session back from its transcript. What is damaged is left out and said; nothing in a transcript can grant a
// permission or run a tool.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import type { NoticeCode } from '../../protocol/system-messages.js';
import { formatBytes } from '../../util/format-bytes.js';
import { count } from '../../util/text.js';
import type { Message } from '../message.js';
import { openCalls, toConversation } from './conversation.js';
import { damageText } from './damage.js';
import { readTranscriptFile } from './open-transcript.js';
import type { TranscriptRead } from './read-transcript.js';
import { isSessionFile, transcriptPath } from './store-path.js';

/**
 * Bytes of the lines of a conversation that are read back, the newest. Several times what the largest window holds, so
 * that compaction decides what is kept, and little enough to be in memory beside everything else.
 */
const MAX_RESUMED_BYTES = 16 * 1024 * 1024;

export interface ResumedSession {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  /** Uuid of the last message that stands in the transcript. */
  readonly lastUuid: string | null;
  readonly notices: readonly { readonly code: NoticeCode; readonly message: string }[];
}

/** @throws SessionError where there is no such session, or its file is not a transcript. */
export async function resumeSession(host: Host, folder: string, sessionId: string): Promise<ResumedSession> {
  const file = transcriptPath(folder, sessionId);
  const id = sessionId.toLowerCase();
  const read = await readTranscriptFile(host, file, {
    sessionId: id,
    isSidechain: false,
    maxBytes: MAX_RESUMED_BYTES,
  }).catch((error: unknown) => {
    throw unreadable(error, file, sessionId);
  });
  const messages = toConversation(read.entries);
  if (messages.length === 0) {
    throw new SessionError('session_invalid', `The transcript ${file} holds no conversation. Start a new session.`);
  }
  return { sessionId: id, messages, lastUuid: read.lastUuid, notices: noticesOf(read, messages) };
}

function unreadable(error: unknown, file: string, sessionId: string): unknown {
  if (isFileError(error, 'ENOENT')) {
    return new SessionError(
      'session_not_found',
      `There is no session ${sessionId} for this folder (looked for ${file}). Sessions belong to the folder they were started in.`,
    );
  }
  return isFileError(error)
    ? new SessionError('session_invalid', `Session ${sessionId} cannot be read: ${error.message}`, error)
    : error;
}

function noticesOf(read: TranscriptRead, messages: readonly Message[]): ResumedSession['notices'] {
  const notices: { code: NoticeCode; message: string }[] = [];
  const damage = damageText(read.damage);
  if (damage !== null || read.end === 'gap') {
    const lost = read.end === 'gap' ? 'The beginning of the conversation is lost.' : '';
    notices.push({ code: 'transcript_damaged', message: [damage, lost].filter(Boolean).join(' ') });
  }
  if (read.end === 'limit') {
    notices.push({
      code: 'transcript_cut',
      message: `The conversation is longer than what can be sent. It goes on with its newest part (${formatBytes(MAX_RESUMED_BYTES)} of the transcript); the rest stays in the file.`,
    });
  }
  const open = openCalls(messages);
  if (open.length > 0) {
    notices.push({
      code: 'session_resumed_with_open_calls',
      message: `${count(open.length, 'tool call')} had not ended when the session stopped (${open.map((call) => call.name).join(', ')}). Effects are unknown; nothing is run again.`,
    });
  }
  return notices;
}

/** The id of the session in `folder` that was written last, or null where there is none. */
export async function latestSessionId(host: Host, folder: string): Promise<string | null> {
  let names: string[];
  try {
    names = await host.fs.readdir(folder);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    throw error;
  }
  let latest: { id: string; mtimeMs: number } | null = null;
  for (const name of names.filter(isSessionFile)) {
    const stat = await host.fs.stat(path.join(folder, name)).catch(() => null); // it may be gone by now
    if (stat?.kind !== 'file' || stat.size === 0) continue;
    if (latest === null || stat.mtimeMs > latest.mtimeMs)
      latest = { id: name.slice(0, -'.jsonl'.length), mtimeMs: stat.mtimeMs };
  }
  return latest?.id ?? null;
}
