// Instruction files of a folder and of those above it in its repository: AGENTS.md and CLAUDE.md. They are text for the
// model; they grant nothing.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import { foldersUpFrom } from './folders-up.js';

const FILE_NAMES = ['AGENTS.md', 'CLAUDE.md'];
/** Bytes of each file that are used, and of all. */
const MAX_BYTES = 64 * 1024;
const MAX_TOTAL = 256 * 1024;

/**
 * The texts by the path of their file as seen from `cwd`: of the top of the repository first, of `cwd` itself last, so
 * that the nearest has the last word. In no repository those of `cwd` alone. A file that is a link to one already read,
 * or the same text, counts once, where it is nearest. What is too much is said in its place.
 */
export async function readInstructions(host: Host, cwd: string): Promise<Record<string, string>> {
  const { top, files } = await findFiles(host, cwd);
  const texts = await Promise.all(files.map(({ file }) => readText(host, file, top)));
  const found: [string, string][] = [];
  let total = 0;
  for (const [at, { source }] of files.entries()) {
    const text = texts[at] ?? null;
    if (text === null || text.trim() === '' || found.some(([, known]) => known === text)) continue;
    total += text.length;
    found.push([source, total > MAX_TOTAL ? `[${source} was left out: nearer ones are long. Read the file.]` : text]);
  }
  return Object.fromEntries(byFolder(found).reverse().flat());
}

interface InstructionFile {
  readonly file: string;
  readonly source: string;
}

/** Those there are, the nearest first. One look at each there may be. */
async function findFiles({ fs }: Host, cwd: string): Promise<{ top: string; files: readonly InstructionFile[] }> {
  const real = await fs.realpath(cwd).catch(() => cwd); // a folder that is not there has no files
  const folders = foldersUpFrom(real);
  const names = ['.git', ...FILE_NAMES];
  const stats = await fs.lstatAll(folders.flatMap((folder) => names.map((name) => path.join(folder, name))));
  const isThere = (at: number, name: number) => (stats[at * names.length + name] ?? null) !== null;
  const end = folders.findIndex((_, at) => isThere(at, 0));
  const own = folders.slice(0, end + 1 || 1);
  const files = own.flatMap((folder, at) =>
    FILE_NAMES.filter((_, name) => isThere(at, name + 1)).map((name) => {
      const file = path.join(folder, name);
      return { file, source: path.relative(real, file) };
    }),
  );
  return { top: own.at(-1) ?? real, files };
}

/** Neighbours of one folder together. */
function byFolder(found: readonly [string, string][]): [string, string][][] {
  const groups: [string, string][][] = [];
  for (const each of found) {
    const group = groups.at(-1);
    const isSame = group?.[0] !== undefined && path.dirname(group[0][0]) === path.dirname(each[0]);
    if (isSame) group?.push(each);
    else groups.push([each]);
  }
  return groups;
}

async function readText(host: Host, file: string, top: string): Promise<string | null> {
  try {
    // A repository may bring a link to anything: what it names elsewhere is not sent along unasked.
    const real = await host.fs.realpath(file);
    if (!real.startsWith(`${top === '/' ? '' : top}/`) && !FILE_NAMES.includes(path.basename(real)))
      return `[${name(file)} is a link that leads out of the repository, so it was not read.]`;
    const handle = await host.fs.openRead(real);
    try {
      const stat = await handle.stat();
      if (stat.kind !== 'file') return null;
      const text = new TextDecoder().decode(await handle.read(0, MAX_BYTES));
      return stat.size > MAX_BYTES
        ? `${text}\n[${name(file)} is longer; the rest was left out. Read the file for it.]`
        : text;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // there is none, or it cannot be read: the session works without
    throw error;
  }
}

function name(file: string): string {
  return path.basename(file);
}
