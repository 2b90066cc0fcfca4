// Files that the model has read and that a command changed: told with its result, as the next edit of one would be refused.
// One rule: a file counts only if it was touched while the command ran and holds something else than what was read.
import path from 'node:path';
import type { FileStat, HostFs } from '../../host/host.js';
import type { FileState } from '../file-state-cache.js';
import type { ToolContext } from '../tool.js';

/** So many are looked at, those first that were read last. What is larger counts as changed without being read. */
const LOOKED_AT = 100;
const COMPARED_BYTES = 1_048_576;
/** Clocks of file systems are coarse. */
const COARSE_MS = 20;
const SHOWN = 10;

type Seen = readonly [path: string, state: FileState];

/** @param since when the command began, milliseconds since 1970. @returns null if there are none */
export async function changedFilesNote(
  { readFileCache, host: { fs, sha256 }, cwd }: Pick<ToolContext, 'readFileCache' | 'host' | 'cwd'>,
  since: number,
): Promise<string | null> {
  const seen = [...readFileCache.entries()].slice(0, LOOKED_AT);
  if (seen.length === 0) return null;
  const stats = await fs.lstatAll(seen.map(([file]) => file));
  const changed: string[] = [];
  for (const [at, each] of seen.entries()) {
    const stat = stats[at] ?? null;
    const isTouched = stat?.kind === 'file' && stat.ctimeMs >= since - COARSE_MS;
    if (isTouched && (await isOther(each, stat, fs, sha256))) changed.push(path.relative(cwd, each[0]));
  }
  if (changed.length === 0) return null;
  const more = changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : '';
  return `[Files that you have read are others now: ${changed.slice(0, SHOWN).join(', ')}${more}. Read one again before you edit it.]`;
}

async function isOther(
  [file, state]: Seen,
  { size }: FileStat,
  fs: HostFs,
  sha256: ToolContext['host']['sha256'],
): Promise<boolean> {
  if (state.hash === null || state.size !== size || size > COMPARED_BYTES) return true;
  try {
    return (await sha256(await fs.readFile(file))) !== state.hash;
  } catch {
    return false; // gone by now, or not to be read: whoever uses it is told
  }
}
