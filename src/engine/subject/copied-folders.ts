// What a copy of a whole folder brings along: protected files in it, and folders that may be those of hooks. Found by
// going through it from its top on, within bounds: what lies at the top of the copy is always seen.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { entriesIn } from '../../host/host.js';
import { protectedPart } from '../../permissions/paths.js';
import type { TouchedFile } from '../../permissions/permission-call.js';
import type { ProgramRun } from '../../permissions/shell/index.js';
import { compileGlob, type GlobPattern } from '../../util/glob-pattern.js';

const MAX_FOLDERS = 1_000;
const MAX_FOUND = 200;

const RECURSIVE: ReadonlyMap<string, RegExp> = new Map([
  // Whatever is short for `--recursive` and `--archive`.
  ['cp', /^(?:-[a-zA-Z]*[rRa]|--rec|--ar)/],
  ['rsync', /^(?:-[a-zA-Z]*[rad]|--recursive|--archive|--dirs|--old-d)/],
]);

/** Programs that copy files of a listing into a folder, each by its own name. */
const PUTS: ReadonlySet<string> = new Set(['cp', 'install', 'rsync']);

/**
 * Protected names among those that another program lists for a copy.
 * Contract: never throws for what stands on the disk.
 */
export async function listedCopies(
  run: ProgramRun,
  sources: readonly TouchedFile[],
  targets: readonly TouchedFile[],
  fs: Host['fs'],
  isListed: (name: string) => boolean,
): Promise<readonly TouchedFile[]> {
  const found = new Set<string>();
  for (const { realPath, reach } of PUTS.has(run.name ?? '') ? sources : []) {
    if (realPath === null || reach !== 'through') continue;
    const names = await protectedBelow(realPath, fs);
    const stats = await fs.lstatAll(names);
    // Folders are passed over.
    for (const name of names.filter((file, at) => stats[at]?.kind === 'file' && isListed(path.basename(file))))
      for (const { path: target } of targets) if (target !== null) found.add(path.join(target, path.basename(name)));
  }
  return copies(run, found);
}

/** What the names are that the programs of the line list: those that each `find` asks for, if no other test widens it. */
export function listedNames(programs: readonly ProgramRun[]): (name: string) => boolean {
  const globs: GlobPattern[] = [];
  for (const { name, words } of programs) {
    if (name !== 'find') continue;
    const at = words.indexOf('-name');
    const pattern = at === -1 ? null : (words[at + 1] ?? null);
    if (pattern === null || words.some((word) => word === null || /^(?:!|-not|-o|-or|,)$/.test(word)))
      return () => true;
    globs.push(compileGlob(pattern));
  }
  return (name) => globs.length === 0 || globs.some((glob) => glob.matches(name));
}

/** True if the program copies folders with all that is in them. */
export function copiesFolders({ name, words }: ProgramRun): boolean {
  const flag = RECURSIVE.get(name ?? '');
  return flag !== undefined && words.slice(1).some((word) => word !== null && flag.test(word));
}

/**
 * Paths that copying `sources` to `targets` would write, of those that could be protected.
 * Contract: never throws for what stands on the disk.
 */
export async function copiedFiles(
  run: ProgramRun,
  sources: readonly TouchedFile[],
  targets: readonly TouchedFile[],
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const found = new Set<string>();
  for (const { path: source, realPath, isAnyWithin = false } of sources) {
    const parts = realPath === null ? [] : await tellingParts(realPath, isAnyWithin, fs);
    // The folder itself may be copied, or what is in it.
    const names = isAnyWithin || source === null ? [''] : ['', path.basename(source)];
    for (const { path: target } of targets)
      for (const part of parts) for (const name of names) if (target !== null) found.add(path.join(target, name, part));
  }
  return copies(run, found);
}

function copies(run: ProgramRun, found: ReadonlySet<string>): readonly TouchedFile[] {
  const use = {
    access: 'write',
    reach: 'itself',
    by: 'operand',
    program: run.name,
    isUnpacked: true,
    part: run.text,
  } as const;
  return [...found].slice(0, MAX_FOUND).map((file) => ({ path: file, realPath: file, ...use }));
}

/** Absolute paths of protected names below a folder, as far as it was gone through. */
export async function protectedBelow(folder: string, fs: Host['fs']): Promise<readonly string[]> {
  const parts = await tellingParts(folder, false, fs);
  return parts
    .filter((part) => part !== '' && protectedPart([], part) !== null)
    .slice(0, MAX_FOUND)
    .map((part) => path.join(folder, part));
}

/** Relative paths of protected names in a folder, and of its folders. A glob leaves out names with a leading dot. */
async function tellingParts(top: string, isGlob: boolean, fs: Host['fs']): Promise<readonly string[]> {
  const [guarded, folders]: [string[], string[]] = [[], ['']];
  let looked = 0;
  for (let level: readonly string[] = ['']; level.length > 0; ) {
    const next: string[] = [];
    for (const folder of level) {
      if (++looked > MAX_FOLDERS) return [...guarded, ...folders];
      for (const { name, kind } of await entriesIn(fs, path.join(top, folder))) {
        if (isGlob && folder === '' && name.startsWith('.')) continue;
        const part = path.join(folder, name);
        if (protectedPart([], part) !== null) guarded.push(part);
        else if (kind === 'directory') next.push(part);
      }
    }
    folders.push(...next);
    level = next;
  }
  return [...guarded, ...folders];
}
