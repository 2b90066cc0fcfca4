// A transcript as a file: opened, checked, read, closed. What stands in its place and is no plain file is never read.
import { FileError, type FileStat, type Host } from '../../host/host.js';
import { type EntrySource, fileSource } from './entry-source.js';
import { type ReadOptions, readTranscript, type TranscriptRead } from './read-transcript.js';

/** @throws FileError: `ENOENT` where there is none; `EINVAL` where what stands there is no plain file */
export function readTranscriptFile(
  host: Pick<Host, 'fs'>,
  file: string,
  options: ReadOptions,
): Promise<TranscriptRead> {
  return withTranscriptFile(host, file, (source) => readTranscript(source, options));
}

/** Contract: what is appended while `use` runs is not seen; the file is closed when this settles. */
async function withTranscriptFile<T>(
  host: Pick<Host, 'fs'>,
  file: string,
  use: (source: EntrySource, size: number) => Promise<T>,
): Promise<T> {
  // Nothing is appended through a link either, so a session could be read there and not go on.
  requireFile((await host.fs.lstat(file)).kind, file);
  const handle = await host.fs.openRead(file);
  try {
    const { kind, size } = await handle.stat();
    requireFile(kind, file);
    return await use(fileSource(handle, size), size);
  } finally {
    await handle.close();
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
