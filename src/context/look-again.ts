// Keeps what was found out from files for as long as they are the same.
import { type FileStat, type Host, isFileError } from '../host/host.js';

/** What was found, and the files that it comes from; with `files: null` it is not kept. */
export interface Found<T> {
  readonly files: readonly string[] | null;
  readonly value: T;
}

export function lookAgainWhere<T>({ fs }: Pick<Host, 'fs'>, look: () => Promise<Found<T>>): () => Promise<T> {
  const stampOf = async (files: readonly string[]): Promise<string> => {
    const stats = await fs.lstatAll(files);
    // Of a link, also what it leads to.
    const led = files.map((file, at) => (stats[at]?.kind === 'symlink' ? statOf(fs, file) : null));
    return JSON.stringify([stats.map(partsOf), (await Promise.all(led)).map(partsOf)]);
  };
  let kept: { readonly files: readonly string[]; readonly stamp: string; readonly value: T } | null = null;
  return async () => {
    if (kept !== null && kept.stamp === (await stampOf(kept.files))) return kept.value;
    const { files, value } = await look();
    kept = files === null ? null : { files, stamp: await stampOf(files), value };
    return value;
  };
}

function partsOf(stat: FileStat | null) {
  return stat && [stat.ctimeMs, stat.mtimeMs, stat.size, stat.inode, stat.kind];
}

async function statOf(fs: Host['fs'], file: string): Promise<FileStat | null> {
  try {
    return await fs.stat(file);
  } catch (error) {
    if (isFileError(error)) return null; // it leads nowhere
    throw error;
  }
}
