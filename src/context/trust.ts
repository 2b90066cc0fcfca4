// Which settings of a folder may act. Trust is given to each value as it stands, by its hash, for the real path of the
// repository, and to the files that a command names: what they say is part of what it does. What is new or changed has none.
// Two rules: nothing a folder says about itself is asked; rather a file too many than one too few.
import path from 'node:path';
import { entriesIn, type FileStat, type Host, isFileError } from '../host/host.js';
import { isInside } from '../host/is-inside.js';
import { ConfigError } from '../protocol/errors.js';
import { isRecord } from '../util/json.js';
import { mapBounded } from '../util/map-bounded.js';
import { lookUpwards } from './look.js';
import type { SettingLeaf } from './settings/index.js';

/** A value that would act, to be shown to whoever decides. */
export interface TrustItem {
  /** Where it stands: the file as seen from the folder, and the key. */
  readonly id: string;
  /** SHA-256 of what it says, and of what the files hold that it names. */
  readonly hash: string;
  /** Files of the folder that its commands name; null for a value without commands. */
  readonly files: ActingFiles | null;
  readonly leaf: SettingLeaf;
}

/** Id to hash. */
export type TrustedItems = Readonly<Record<string, string>>;

const VERSION = 1;
const MODE = 0o600;
const OTHERS_WRITE = 0o022;

export function trustFile(home: string): string {
  return path.join(home, 'trust.json');
}

/**
 * The folder that trust is given to: of the repository that `cwd` is in, else `cwd` itself, with links resolved.
 * What may be a repository ends the search: what it says is not read, so no folder inherits the trust of another.
 */
export async function trustRoot({ fs }: Pick<Host, 'fs'>, cwd: string): Promise<string> {
  const { folders, found } = await lookUpwards({ fs }, cwd);
  return (folders[found.findIndex(({ dotGit }) => dotGit !== null)] ?? folders[0]) as string;
}

/** @param root as `trustRoot` gives it; `cwd` is where commands of the value run */
export async function trustItem(
  host: Pick<Host, 'fs' | 'sha256'>,
  root: string,
  leaf: SettingLeaf,
  cwd: string,
): Promise<TrustItem> {
  const text = canonical(leaf.value);
  // By the real folder, so that a folder has one name; the file itself may be a link, and its content counts.
  const folder = await host.fs.realpath(path.dirname(leaf.file ?? '')).catch(() => path.dirname(leaf.file ?? ''));
  const file = path.relative(root, path.join(folder, path.basename(leaf.file ?? '')));
  const id = `${file}#${leaf.key}${leaf.isItem ? `[${text}]` : ''}`;
  const commands = commandsOf(leaf);
  const files = commands.length === 0 ? null : await filesOfCommands(host, root, [cwd, leaf.base], commands);
  const named = files === null || Object.keys(files).length === 0 ? '' : `\n${canonical(files)}`;
  return { id, hash: await host.sha256(new TextEncoder().encode(`${id}\n${text}${named}`)), leaf, files };
}

/** The command lines that a value makes a session run, or their words. */
function commandsOf({ path: keys, value }: Pick<SettingLeaf, 'path' | 'value'>): string[] {
  if (keys[0] === 'mcpServers') return serverWords(value);
  if (keys[0] === 'agent' || keys[0] === 'command' || keys[0] === 'skill')
    return (value as { readonly commands?: string[] }).commands ?? [];
  if (keys[0] !== 'hooks') return [];
  const { hooks } = value as { readonly hooks: readonly { readonly command?: unknown }[] };
  return hooks.flatMap(({ command }) => (typeof command === 'string' ? [command] : []));
}

/** The command lines of hooks by event, as front matter has them; what is none is left out. */
export function commandsOfHooks(hooks: unknown): string[] {
  if (!isRecord(hooks)) return [];
  const groups = Object.values(hooks).flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
  const each = groups.flatMap((group) => (isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : []));
  return each.flatMap((hook: unknown) =>
    isRecord(hook) && typeof hook['command'] === 'string' ? [hook['command']] : [],
  );
}

const SETTINGS_FILE = /^(?:.*\/)?\.(?:turnwright|claude|qoder)\/settings(?:\.local)?\.json$/;

/**
 * The files of the folder that command lines name, as they are now.
 * Contract: without files of settings, whose values are trusted one by one, and which sessions write.
 * @param folders where the commands run, and what they call the folder of the project
 */
export async function filesOfCommands(
  host: Pick<Host, 'fs' | 'sha256'>,
  root: string,
  folders: readonly string[],
  commands: readonly string[],
): Promise<ActingFiles> {
  const found = await Promise.all([...new Set(folders)].map((folder) => actingFiles(host, root, folder, commands)));
  const all = Object.entries(Object.assign({}, ...found) as ActingFiles);
  return Object.fromEntries(all.filter(([file]) => !SETTINGS_FILE.test(file)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** True for a value that was trusted as it stands. */
export function isTrustedItem(known: TrustedItems, { id, hash }: Pick<TrustItem, 'id' | 'hash'>): boolean {
  return Object.hasOwn(known, id) && known[id] === hash;
}

/**
 * What was trusted in a folder; nothing if the file is not there.
 * @throws ConfigError if others may write the file, or it is not what we write: nobody is then trusted
 */
export async function readTrust(
  host: Pick<Host, 'fs' | 'platform'>,
  home: string,
  root: string,
): Promise<TrustedItems> {
  const folders = await readFolders(host, trustFile(home));
  return Object.hasOwn(folders, root) ? (folders[root] ?? {}) : {};
}

/** Keeps trust in items, beside what was trusted before. Contract: the caller holds the lock of the file. */
export async function addTrust(
  host: Pick<Host, 'fs' | 'platform'>,
  home: string,
  root: string,
  items: readonly TrustItem[],
): Promise<void> {
  const file = trustFile(home);
  const folders = await readFolders(host, file);
  const before = Object.hasOwn(folders, root) ? folders[root] : {};
  const added = Object.fromEntries(items.map(({ id, hash }) => [id, hash]));
  const next = { ...folders, [root]: { ...before, ...added } };
  await host.fs.mkdir(home, { mode: 0o700 });
  await host.fs.writeFileAtomic(file, `${JSON.stringify({ version: VERSION, folders: next }, null, 2)}\n`, {
    mode: MODE,
  });
}

async function readFolders(
  { fs, platform }: Pick<Host, 'fs' | 'platform'>,
  file: string,
): Promise<Readonly<Record<string, TrustedItems>>> {
  let text: string;
  try {
    const { mode } = await fs.stat(file);
    if (platform.os !== 'win32' && (mode & OTHERS_WRITE) !== 0) {
      throw new ConfigError(`Others may write ${file}, so no folder is trusted by it. Run: chmod 600 ${file}`);
    }
    text = new TextDecoder().decode(await fs.readFile(file));
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return {};
    if (isFileError(error)) throw new ConfigError(`${file} cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
  const folders = parseFolders(text);
  if (folders === null) throw new ConfigError(`${file} is not what Turnwright writes. Remove it.`);
  return folders;
}

function parseFolders(text: string): Readonly<Record<string, TrustedItems>> | null {
  try {
    const content: unknown = JSON.parse(text);
    const folders = (content as { folders?: unknown } | null)?.folders;
    if (!isRecord(folders)) return null;
    const areItems = Object.values(folders).every(
      (items) => isRecord(items) && Object.values(items).every((hash) => typeof hash === 'string'),
    );
    return areItems ? (folders as Record<string, TrustedItems>) : null;
  } catch {
    return null; // not JSON
  }
}

/** JSON with sorted keys: the same value, the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

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

/** Of a definition as it stands in a file, whatever it is. */
export function serverWords(config: unknown): string[] {
  if (typeof config !== 'object' || config === null) return [];
  const { command, args, env, headersHelper } = config as Readonly<Record<string, unknown>>;
  const ofEnv = typeof env === 'object' && env !== null ? Object.values(env) : [];
  return [command, headersHelper, ...(Array.isArray(args) ? args : []), ...ofEnv].filter(
    (value) => typeof value === 'string',
  );
}
