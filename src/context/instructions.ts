// Instruction files of a folder and of those above it in its repository: AGENTS.md and CLAUDE.md. They are text for the
// model; they grant nothing.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import { type FoldersAbove, lookUpwards, repositoryAbove } from './look-upwards.js';

const FILE_NAMES = ['AGENTS.md', 'CLAUDE.md'];
/** Bytes of each file that are used, and of all. */
const MAX_BYTES = 64 * 1024;
const MAX_TOTAL = 256 * 1024;

/**
 * The texts by the path of their file as seen from `cwd`: of the top of the repository first, of `cwd` itself last, so
 * that the nearest has the last word. In no repository those of `cwd` alone. A file that is a link to one already read,
 * or the same text, counts once, where it is nearest. What is too much is said in its place.
 */
export async function readInstructions(
  host: Host,
  cwd: string,
  above: Promise<FoldersAbove> = lookUpwards(host, cwd),
): Promise<Record<string, string>> {
  const { top, files } = await findFiles(host, cwd, await above);
  const texts = await Promise.all(files.map(({ file }) => readText(host, file, top)));
  const found: [string, string][] = [];
  let total = 0;
  for (const [at, { source }] of files.entries()) {
    const text = texts[at] ?? null;
    if (text === null || text.trim() === '' || found.some(([, known]) => known === text)) continue;
    total += text.length;
    found.push([source, total > MAX_TOTAL ? `[${source} was left out: nearer ones are long. Read the file.]` : text]);
  }
  // The longer the way up, the earlier; neighbours stay as they are.
  return Object.fromEntries(found.sort(([a], [b]) => path.dirname(b).length - path.dirname(a).length));
}

/** Those there are, the nearest first. One look at each there may be. */
async function findFiles({ fs }: Host, cwd: string, upwards: FoldersAbove) {
  const [own = cwd] = upwards.folders;
  const folders = [own, ...repositoryAbove(upwards)];
  const files = folders.flatMap((folder) => FILE_NAMES.map((name) => path.join(folder, name)));
  const stats = await fs.lstatAll(files);
  return {
    top: folders.at(-1) ?? own,
    files: files.filter((_, at) => stats[at] !== null).map((file) => ({ file, source: path.relative(own, file) })),
  };
}

async function readText(host: Host, file: string, top: string): Promise<string | null> {
  try {
    // A repository may bring a link to anything: what it names elsewhere is not sent along unasked.
    const real = await host.fs.realpath(file);
    if (!real.startsWith(`${top === '/' ? '' : top}/`) && !FILE_NAMES.includes(path.basename(real)))
      return `[${path.basename(file)} is a link that leads out of the repository, so it was not read.]`;
    const handle = await host.fs.openRead(real);
    try {
      const stat = await handle.stat();
      if (stat.kind !== 'file') return null;
      const text = new TextDecoder().decode(await handle.read(0, MAX_BYTES));
      return stat.size > MAX_BYTES
        ? `${text}\n[${path.basename(file)} is longer; the rest was left out. Read the file for it.]`
        : text;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // there is none, or it cannot be read: the session works without
    throw error;
  }
}
