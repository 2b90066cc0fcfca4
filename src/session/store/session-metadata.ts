// Lines about a session, added to its transcript from outside: title, tag; and the mark beside it that it is archived.
// A transcript is only ever appended to, so this is safe while a session writes it: one line is one write at the end
// of the file, and the system puts each of them behind the other, whole.
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError, SessionError } from '../../protocol/errors.js';
import { toWellFormed } from '../../util/text.js';
import { type ArchiveMark, archiveMarkFile } from './session-index.js';
import type { SessionPlace } from './session-places.js';

/** A title or tag that is longer could not be found again by readers of the last 64 KiB. */
const MAX_LENGTH = 2_000;
const LINE_BREAK = 0x0a;

/** Lines of all writers of the layout. Contract: `type` is the first key, which readers look for. */
export type MetadataLine =
  | { readonly type: 'custom-title'; readonly customTitle: string; readonly sessionId: string }
  | { readonly type: 'tag'; readonly tag: string; readonly sessionId: string };

/** @throws ConfigError if the title cannot be one */
export function titleLineOf(sessionId: string, title: string): Extract<MetadataLine, { type: 'custom-title' }> {
  return { type: 'custom-title', customTitle: checkText('title', title), sessionId };
}

/** @param tag null takes the tag away. @throws ConfigError if the tag cannot be one */
export function tagLineOf(sessionId: string, tag: string | null): MetadataLine {
  return { type: 'tag', tag: tag === null ? '' : checkText('tag', tag), sessionId };
}

function checkText(name: string, value: string): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new ConfigError(`The ${name} is empty.${name === 'tag' ? ' Use null to take a tag away.' : ''}`);
  }
  const text = toWellFormed(value.trim());
  if (text.length <= MAX_LENGTH) return text;
  throw new ConfigError(`The ${name} has ${text.length} characters. Give at most ${MAX_LENGTH}.`);
}

/**
 * Adds a line to the transcript.
 * Contract: it is on the disk when this resolves, as a line of its own even if a crash left the last one unfinished.
 * @throws SessionError if it cannot be written
 */
export async function appendMetadata(
  host: Pick<Host, 'fs'>,
  { file }: SessionPlace,
  line: MetadataLine,
): Promise<void> {
  try {
    const isWhole = await endsWithLine(host, file);
    const handle = await host.fs.openAppend(file);
    try {
      await handle.append(`${isWhole ? '' : '\n'}${JSON.stringify(line)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unwritable(error, file);
  }
}

async function endsWithLine({ fs }: Pick<Host, 'fs'>, file: string): Promise<boolean> {
  const reader = await fs.openRead(file);
  try {
    const { size } = await reader.stat();
    return size === 0 || (await reader.read(size - 1, 1))[0] === LINE_BREAK;
  } finally {
    await reader.close();
  }
}

/** @param at milliseconds since the epoch. @throws SessionError if it cannot be written */
export async function markArchived(
  host: Pick<Host, 'fs'>,
  place: SessionPlace,
  archived: boolean,
  at: number,
): Promise<void> {
  const mark: ArchiveMark = { archived, at: new Date(at).toISOString(), by: 'turnwright' };
  const file = archiveMarkFile(place);
  try {
    await host.fs.mkdir(place.ownFolder, { mode: 0o700 });
    await host.fs.writeFileAtomic(file, JSON.stringify(mark), { mode: 0o600 });
  } catch (error) {
    throw unwritable(error, file);
  }
}

function unwritable(error: unknown, file: string): unknown {
  if (!isFileError(error)) return error;
  return new SessionError('transcript_unwritable', `${file} cannot be written: ${error.message}`, error);
}
