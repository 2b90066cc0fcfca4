// The files of a folder that a command names: what they say is part of what the command does, so who trusts one trusts
// the other as it stands. One rule: rather a file too many than one too few.

import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError } from '../host/host.js';
import { isInside } from '../host/is-inside.js';
import { mapBounded } from '../util/map-bounded.js';

/** Paths relative to the root, with `/`, to the SHA-256 of what each holds; sorted. */
export type ActingFiles = Readonly<Record<string, string>>;

/** In place of a hash: it is there, and changes of it cannot be told. */
export const NOT_WATCHED = 'too large to be watched';

const MAX_FILES = 500;
const MAX_DEPTH = 8;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const READS_AT_ONCE = 8;

/** Programs that start what a file says which they are not told the name of. */
const READ_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  yarn: ['package.json'],
  pnpm: ['package.json'],
  bun: ['package.json'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  rake: ['Rakefile'],
  docker: ['Dockerfile', 'compose.yaml', 'docker-compose.yml'],
};

/** Folders of agents: a script in one is seldom alone, so its neighbours count with it. */
const AGENT_FOLDER = /(?:^|\/)\.(?:turnwright|claude|qoder)\/./;

const PROJECT_VARIABLE = /\$(?:\{(?:TURNWRIGHT|CLAUDE|QODER)_PROJECT_DIR\}|(?:TURNWRIGHT|CLAUDE|QODER)_PROJECT_DIR\b)/g;
const CWD_VARIABLE = /\$(?:\{PWD\}|PWD\b|\(pwd\))/g;
/** A word of a command line with its quotes. */
const SHELL_WORD = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s'"\\;|&<>()`])+/g;
const QUOTES = /\\(.)|["']/g;
const PARTS = /[\s'"\\;|&<>()`=,:]+/;
const CHANGES_FOLDER = /(?:^|[\s;&|(])(?:cd|pushd)\s|\s-C\s|--(?:prefix|cwd|directory)\b/;

/**
 * @param root absolute, with links resolved; files outside of it are not the folder's and are left out
 * @param cwd absolute; relative names are looked for there and in the root
 * @param words command lines or single arguments
 * Contract: never throws for what stands on the disk; of a link, what it leads to is read. What is named later and is
 * not there yet changes the result once it is.
 */
export async function actingFiles(
  host: Pick<Host, 'fs' | 'sha256'>,
  root: string,
  cwd: string,
  words: readonly string[],
): Promise<ActingFiles> {
  const found = new Map<string, FileStat>();
  const bases = [...new Set([root, await host.fs.realpath(cwd).catch(() => cwd)])];
  for (const candidate of candidatesOf(words, bases)) {
    for (const base of bases) {
      const file = path.resolve(base, candidate.name);
      const stat = file !== root && isInside(root, file) ? await statOf(host, file) : null;
      if (stat?.kind === 'file') {
        found.set(file, stat);
        if (AGENT_FOLDER.test(relative(root, file))) await addFolder(host, path.dirname(file), found);
      } else if (stat?.kind === 'directory' && candidate.mayBeFolder) {
        await addFolder(host, file, found);
      }
    }
  }
  const files = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  const hashes = await mapBounded(files, READS_AT_ONCE, async ([file, stat]) => hashOf(host, file, stat));
  return Object.fromEntries(files.map(([file], at) => [relative(root, file), hashes[at] ?? NOT_WATCHED]));
}

interface Candidate {
  readonly name: string;
  /** A plain word such as `test` is a folder's name only if something says so. */
  readonly mayBeFolder: boolean;
}

function candidatesOf(words: readonly string[], bases: readonly string[]): readonly Candidate[] {
  const names = new Map<string, boolean>();
  const entersFolders = words.some((word) => CHANGES_FOLDER.test(`${word} `));
  const add = (name: string) => {
    if (name === '' || name.includes('\0')) return;
    names.set(name, names.get(name) === true || entersFolders || name.includes('/'));
  };
  for (const word of words) {
    for (const base of bases) {
      const text = word.replace(PROJECT_VARIABLE, () => base).replace(CWD_VARIABLE, () => base);
      add(text);
      for (const [each] of text.matchAll(SHELL_WORD)) add(each.replace(QUOTES, '$1'));
      for (const part of text.split(PARTS)) {
        add(part);
        const program = path.basename(part);
        if (Object.hasOwn(READ_BY_NAME, program)) for (const file of READ_BY_NAME[program] ?? []) add(file);
      }
    }
  }
  return [...names].map(([name, mayBeFolder]) => ({ name, mayBeFolder }));
}

/** Adds what is in a folder, from its top on; of one with more than can be looked at, the folder itself. */
async function addFolder(host: Pick<Host, 'fs'>, top: string, found: Map<string, FileStat>): Promise<void> {
  const inside = new Map<string, FileStat>();
  let level = [top];
  for (let depth = 0; level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      for (const { name } of await entriesIn(host.fs, folder)) {
        if (name === '.git') continue;
        const file = path.join(folder, name);
        const stat = await statOf(host, file);
        if (stat?.kind === 'directory') next.push(file);
        else if (stat?.kind === 'file') inside.set(file, stat);
      }
    }
    if (inside.size > MAX_FILES || next.length > MAX_FILES || (depth >= MAX_DEPTH && next.length > 0)) {
      const stat = await statOf(host, top);
      if (stat !== null) found.set(top, stat);
      return;
    }
    level = next;
  }
  for (const [file, stat] of inside) found.set(file, stat);
}

async function hashOf(host: Pick<Host, 'fs' | 'sha256'>, file: string, { kind, size }: FileStat): Promise<string> {
  if (kind !== 'file' || size > MAX_FILE_BYTES) return NOT_WATCHED;
  try {
    return await host.sha256(await host.fs.readFile(file));
  } catch (error) {
    if (!isFileError(error)) throw error;
    return `cannot be read (${error.code})`; // it may become readable, which is a change as well
  }
}

async function statOf({ fs }: Pick<Host, 'fs'>, file: string): Promise<FileStat | null> {
  try {
    return await fs.stat(file);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return null; // most words of a command name no file
  }
}

function relative(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join('/');
}
