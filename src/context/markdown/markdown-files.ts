// Markdown files that define something: agents, commands, output styles. Where they lie, what each holds, and who vouches for
// it. One rule: every file ends among the found or among the refused, with the reason; no link of a project leads out of it.

import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { ConfigError } from '../../protocol/errors.js';
import type { ExtensionPlace } from '../settings/index.js';
import { readTrust, type TrustedItems, type TrustItem } from '../trust.js';
import type { Problem } from './front-matter.js';

export type MarkdownHost = Pick<Host, 'fs' | 'platform' | 'sha256'>;

export interface MarkdownFile extends ExtensionPlace {
  /** Absolute, as it was found. */
  readonly file: string;
  /** With links resolved. */
  readonly real: string;
  /** The name of the file. */
  readonly name: string;
  /** If it was looked at just now. */
  readonly stat?: FileStat | null;
}

export interface RefusedFile {
  readonly name: string;
  readonly scope: ExtensionPlace['scope'];
  readonly file: string;
  readonly why: string;
  /** What somebody would vouch for; null if that would not help. */
  readonly item: TrustItem | null;
}

export interface FileTrust {
  /** True if the host vouches for the folder, whatever stands in it. */
  readonly isGranted: boolean;
  /** As `trustRoot` gives it. */
  readonly root: string;
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
  /** Where commands of hooks run, absolute; absent: in `root`. */
  readonly cwd?: string;
}

const MAX_FOLDERS = 500;
const MAX_DEPTH = 12;
const MAX_BYTES = 256 * 1024;

/**
 * As `findMarkdown`, each file looked at once, with a stamp that changes with what stands in the places: which files
 * there are, their sizes and times.
 * Contract: never throws; reads folders, and no file.
 */
export async function lookAtMarkdown(
  host: MarkdownHost,
  places: readonly ExtensionPlace[],
  root: string,
): Promise<FoundMarkdown & { readonly stamp: string }> {
  const found = await findMarkdown(host, places, root);
  const stats = await host.fs.lstatAll(found.candidates.map(({ real }) => real));
  const candidates = found.candidates.map((candidate, at) => ({ ...candidate, stat: stats[at] ?? null }));
  const lines = candidates.map(({ file, stat }) =>
    stat === null ? file : `${file} ${stat.inode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`,
  );
  const stamp = [...places.map(({ folder }) => folder), found.folders, ...lines].join('\n');
  return { ...found, candidates, stamp };
}

export interface FoundMarkdown {
  /** From the nearest place to the farthest; in each by the order of their paths. */
  readonly candidates: readonly MarkdownFile[];
  readonly refused: readonly RefusedFile[];
  readonly folders: number;
}

/** Folders whose names begin with a dot are passed by. Each folder counts once, whatever links lead to it. */
export async function findMarkdown(
  host: MarkdownHost,
  places: readonly ExtensionPlace[],
  root: string,
): Promise<FoundMarkdown> {
  const candidates: MarkdownFile[] = [];
  const refused: RefusedFile[] = [];
  const seen = new Set<string>();
  for (const place of places) {
    let level: readonly string[] = [place.folder];
    for (let depth = 0; level.length > 0; depth++) {
      const next: string[] = [];
      for (const folder of level) {
        const at = (file: string) => ({ ...place, file, real: file, name: path.basename(file, '.md') });
        const real = await realpathOf(host, folder);
        if (real === null || seen.has(real)) continue;
        // A plugin may name single files.
        if (depth === 0 && place.scope === 'plugin' && /\.md$/i.test(folder) && (await kindOf(host, real)) === 'file') {
          if (!candidates.some((each) => each.real === real)) candidates.push({ ...at(folder), real });
          continue;
        }
        if (depth > MAX_DEPTH || seen.size >= MAX_FOLDERS) {
          const why =
            depth > MAX_DEPTH
              ? `it is more than ${MAX_DEPTH} folders deep`
              : `there are more than ${MAX_FOLDERS} folders`;
          refused.push(refuse(at(folder), why));
          continue;
        }
        seen.add(real);
        if (place.scope === 'project' && root !== '/' && !isInside(root, real)) {
          refused.push(refuse(at(folder), 'it is a link that leads out of the repository'));
          continue;
        }
        const entries = [...(await entriesIn(host.fs, folder))].sort((a, b) => (a.name < b.name ? -1 : 1));
        for (const { name, kind } of entries) {
          if (name.startsWith('.')) continue;
          const file = path.join(folder, name);
          const target = kind === 'symlink' ? await kindOf(host, file) : kind;
          if (target === 'directory') next.push(file);
          else if (/\.md$/i.test(name) && target === 'file')
            candidates.push({ ...at(file), real: await realFile(host, file, kind) });
          else if (/\.md$/i.test(name)) refused.push(refuse(at(file), 'it is not a file that can be read'));
        }
      }
      level = next;
    }
  }
  return { candidates, refused, folders: seen.size };
}

async function realpathOf({ fs }: MarkdownHost, file: string): Promise<string | null> {
  return fs.realpath(file).catch((error: unknown) => {
    if (isFileError(error)) return null; // it is not there
    throw error;
  });
}

async function realFile(host: MarkdownHost, file: string, kind: string): Promise<string> {
  return kind === 'symlink' ? ((await realpathOf(host, file)) ?? file) : file;
}

async function kindOf({ fs }: MarkdownHost, file: string): Promise<string> {
  try {
    return (await fs.stat(file)).kind;
  } catch (error) {
    if (isFileError(error)) return 'nothing'; // it leads nowhere
    throw error;
  }
}

/** If trust cannot be read, nobody is trusted; that is told when settings are read, or a folder is trusted. */
export async function knownTrust(
  host: MarkdownHost,
  places: readonly ExtensionPlace[],
  { isGranted, home, root }: FileTrust,
): Promise<TrustedItems> {
  if (isGranted || !places.some(({ scope }) => scope === 'project')) return {};
  return readTrust(host, home, root).catch((error: unknown) => {
    if (error instanceof ConfigError) return {};
    throw error;
  });
}

/** @param root of the project. Contract: never throws for what stands on the disk */
export async function readMarkdown(
  { fs }: Pick<Host, 'fs'>,
  { scope, file, real, stat: known }: MarkdownFile,
  root: string,
): Promise<Uint8Array | Problem> {
  // A link of the project may lead anywhere, whoever vouches for the folder.
  if (scope === 'project' && real !== file && !isInside(root, real))
    return { problem: 'it is a link that leads out of the repository' };
  try {
    const { stat, head } =
      known?.kind === 'file'
        ? await fs.lookAtEnds(real, known, MAX_BYTES, (ends) => ({ stat: known, head: new Uint8Array(ends.head) }))
        : await fs.readEnds(real, MAX_BYTES);
    return stat.size > MAX_BYTES ? { problem: `it has more than ${MAX_BYTES / 1024} KB` } : head;
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (error.code === 'EISDIR' || error.code === 'EINVAL') return { problem: 'it is not a file' };
    return { problem: `it cannot be read (${error.code})` };
  }
}

function refuse({ name, scope, file }: Pick<MarkdownFile, 'name' | 'scope' | 'file'>, why: string): RefusedFile {
  return { name, scope, file, why, item: null };
}
