// A transcript as a file: opened, checked, read, closed. What stands in its place and is no plain file is never read.
import { FileError, type FileStat, type Host, type ReadHandle } from '../../host/host.js';
import { fileSource } from './entry-source.js';
import { type ReadOptions, readTranscript, type TranscriptRead } from './read-transcript.js';

/** @throws FileError: `ENOENT` if there is none; `EINVAL` if what stands there is no plain file */
export async function readTranscriptFile(
  host: Pick<Host, 'fs'>,
  file: string,
  options: ReadOptions,
): Promise<TranscriptRead> {
  const { handle, size } = await openTranscriptFile(host, file);
  try {
    return await readTranscript(fileSource(handle, size), options);
  } finally {
    await handle.close();
  }
}

/** False for what a crash leaves of a first write: it is nobody's session. @throws FileError */
export async function holdsConversation(host: Pick<Host, 'fs'>, file: string): Promise<boolean> {
  const read = await readTranscriptFile(host, file, { sessionId: null, isSidechain: false, maxBytes: 1 });
  return read.entries.length > 0;
}

/** Contract: the caller closes the handle; what is appended later than now is behind `size`. @throws FileError */
export async function openTranscriptFile(
  { fs }: Pick<Host, 'fs'>,
  file: string,
): Promise<{ readonly handle: ReadHandle; readonly size: number }> {
  // Nothing is appended through a link either, so a session could be read there and not go on.
  const [found] = await fs.lstatAll([file]);
  if (found) requireFile(found.kind, file);
  const handle = await fs.openRead(file);
  try {
    const { kind, size } = await handle.stat();
    requireFile(kind, file);
    return { handle, size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function requireFile(kind: FileStat['kind'], file: string): void {
  if (kind !== 'file') throw new FileError('EINVAL', file, `${file} is ${WORDS[kind]}.`);
}

const WORDS: Readonly<Record<FileStat['kind'], string>> = {
  file: 'a file',
  directory: 'not a file, but a directory',
  symlink: 'not a file, but a symbolic link, which is not followed',
  other: 'not a file',
};
