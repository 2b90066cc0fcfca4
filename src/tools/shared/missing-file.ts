// What to tell a model about a file that is not there: names close to it, or the nearest folder that exists.
import type { Host, Located } from '../../host/host.js';
import { isFileError } from '../../host/host.js';
import { basenameOf, dirnameOf } from '../../util/posix-path.js';
import type { ToolContext } from '../tool.js';

const MAX_NAMES_SEARCHED = 20_000;

/**
 * Says that `path` is missing, and which existing file or folder may have been meant.
 * @param located where it led when the call was decided; null where it went since
 */
export async function describeMissing(context: ToolContext, path: string, located: Located | null): Promise<string> {
  const folder = dirnameOf(path);
  const isHere = `The working directory is ${context.cwd}.`;
  const above = located?.above ?? null;
  if (above === null) return `${path} does not exist. ${isHere} Find it with Glob.`;
  if (above.path !== dirnameOf(located?.realPath ?? ''))
    return `${path} does not exist, and neither does its folder. ${above.path === '/' ? isHere : `The nearest folder that exists is ${above.path}.`}`;
  const names = await listNames(context.host, above);
  const similar = similarNames(basenameOf(path), names).map((name) => `${folder === '/' ? '' : folder}/${name}`);
  const next = similar.length > 0 ? `Similar files there: ${similar.join(', ')}` : 'Find it with Glob.';
  return `${path} does not exist. ${isHere} ${next}`;
}

/** Of that very folder: a link that took its place shows nobody what it leads to. */
async function listNames(host: Host, { path, stat }: NonNullable<Located['above']>): Promise<readonly string[]> {
  try {
    const folder = await host.fs.holdFolder({ path, realPath: path, stat, above: null });
    try {
      return (await folder.names()).slice(0, MAX_NAMES_SEARCHED);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (isFileError(error)) return []; // a folder that cannot be listed gives no hints; the call fails anyway
    throw error;
  }
}

/** Up to three names that may have been meant: same letters, same stem, or a few letters off. Best first. */
function similarNames(wanted: string, names: readonly string[]): string[] {
  const key = wanted.toLowerCase();
  const stem = stemOf(key);
  const limit = Math.max(1, Math.floor(key.length / 4));
  return names
    .map((name) => {
      const lower = name.toLowerCase();
      if (lower === key) return { name, distance: 0 };
      return { name, distance: stemOf(lower) === stem ? 0.5 : editDistance(lower, key, limit) };
    })
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Levenshtein distance, or Infinity as soon as it must be above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > limit) return Number.POSITIVE_INFINITY;
    row = next;
  }
  return row[b.length] ?? Number.POSITIVE_INFINITY;
}
