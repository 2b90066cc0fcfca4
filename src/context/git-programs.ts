// The programs that the configuration of a repository makes git start even where it only reads: status, diff, log. Found
// by reading files: a git command would start them. Loaded for repositories that gave reason to look.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';

/** A value of the repository that makes git start something. */
export interface GitProgram {
  /** Absolute. */
  readonly file: string;
  /** As git writes it: `core.fsmonitor`, `diff.x.textconv`. */
  readonly key: string;
  readonly value: string;
}

const MAX_BYTES = 1_000_000;

/** By the key in lower case, without what stands in quotes in the middle. */
const KEYS: ReadonlySet<string> = new Set([
  'core.fsmonitor',
  'diff.external',
  'diff.*.command',
  'diff.*.textconv',
  'filter.*.clean',
  'filter.*.smudge',
  'filter.*.process',
  'gpg.program',
  'gpg.*.program',
  'include.path',
  'includeif.*.path',
]);

/** What large-file storage writes into every repository it is used in. */
const HARMLESS = ['git-lfs clean -- %f', 'git-lfs smudge -- %f', 'git-lfs filter-process'];

const INCLUDES = /^include(?:if\..*)?\.path$/s;
/** Words of one program that may name files. */
const MAX_WORDS = 20;
/** Characters of a file. */
const MAX_SHOWN = 1_000;

const HOOKS_PATH = 'core.hookspath';
/** Git runs it when status renews the index. */
const READING_HOOK = 'post-index-change';

/** How deep files are included, and how many there are. */
const MAX_DEPTH = 10;
const MAX_FILES = 50;

type GitHost = Pick<Host, 'fs' | 'platform' | 'sha256'>;

/** None where the folder is in no repository. Contract: never throws for what stands on the disk. */
export async function gitPrograms(host: GitHost, cwd: string): Promise<readonly GitProgram[]> {
  const repository = await findGitFolders(host, cwd);
  if (repository === null) return [];
  const { top, folders } = repository;
  const found: GitProgram[] = [];
  const read = new Set<string>();
  for (const folder of folders) {
    for (const name of ['config', 'config.worktree']) {
      found.push(...(await programsOf(host, path.join(folder, name), read, MAX_DEPTH)));
    }
  }
  const named = found.filter(({ key }) => key === HOOKS_PATH);
  const programs = found.filter((each) => !named.includes(each));
  return [...programs, ...(await hooksOf(host, cwd, folders, named)), ...(await scriptsOf(host, top, programs))];
}

/** Of a file of configuration, and of those that it includes: on whatever condition, since that may come to hold. */
async function programsOf(host: GitHost, file: string, read: Set<string>, depth: number): Promise<GitProgram[]> {
  if (read.has(file) || read.size === MAX_FILES || depth === 0) return [];
  read.add(file);
  const text = await readText(host, file);
  if (text === null) return [];
  if (text === UNREADABLE) return [{ file, key: '(unreadable)', value: '' }];
  const programs = programsIn(text, file);
  const included = programs.filter(({ key }) => INCLUDES.test(key));
  const inner: GitProgram[] = [];
  for (const { value } of included) {
    const target = value.startsWith('~/') ? path.join(host.platform.homedir, value.slice(2)) : value;
    inner.push(...(await programsOf(host, path.resolve(path.dirname(file), target), read, depth - 1)));
  }
  return [...programs, ...inner];
}

/** Files of the repository that its programs name: what stands in them is what runs. */
async function scriptsOf(host: GitHost, top: string, programs: readonly GitProgram[]): Promise<GitProgram[]> {
  const commands = programs.filter(({ key }) => !INCLUDES.test(key));
  const words = commands.flatMap(({ value }) => value.split(/[\s"'`;|&()<>$=]+/).slice(0, MAX_WORDS));
  const files = new Set(words.filter((word) => word !== '').map((word) => path.resolve(top, word)));
  const scripts: GitProgram[] = [];
  for (const file of files) {
    if (!file.startsWith(`${top}/`)) continue;
    const text = await readText(host, file);
    if (text !== null) scripts.push({ file, key: 'script', value: await shown(host, text) });
  }
  return scripts;
}

/** As much as a person reads; of more, what tells it from another. */
async function shown({ sha256 }: GitHost, text: string): Promise<string> {
  if (text === UNREADABLE) return '(unreadable)';
  if (text.length <= MAX_SHOWN) return text;
  return `${text.length} characters, SHA-256 ${await sha256(new TextEncoder().encode(text))}`;
}

/** Keys of a configuration that name programs, with their values. */
function programsIn(text: string, file: string): GitProgram[] {
  return readKeys(text)
    .filter(({ key, value }) => startsSomething(key, value))
    .map(({ key, value }) => ({ file, key, value }));
}

function startsSomething(key: string, value: string): boolean {
  const parts = key.split('.');
  const plain = parts.length > 2 ? `${parts[0]}.*.${parts.at(-1)}` : key;
  if (plain === HOOKS_PATH) return true;
  if (plain === 'core.fsmonitor' && /^(?:false|no|off|0|)$/i.test(value)) return false;
  return KEYS.has(plain) && !HARMLESS.includes(value);
}

/** Every key with its value, in lower case but for what stands in quotes. */
function readKeys(text: string): { readonly key: string; readonly value: string }[] {
  const keys: { key: string; value: string }[] = [];
  let section = '';
  for (const raw of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    let line = raw.trim();
    const header = /^\[\s*([^\s\]"]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header !== null) {
      const [whole, name = '', sub] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      line = line.slice(whole.length).trim();
    }
    const pair = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (pair !== null)
      keys.push({ key: `${section}.${(pair[1] ?? '').toLowerCase()}`, value: unquoted(pair[2] ?? 'true') });
  }
  return keys;
}

function unquoted(value: string): string {
  const bare = value.startsWith('"') ? value : value.replace(/\s*[;#].*$/, '');
  return bare
    .replace(/^"(.*)"$/, '$1')
    .replace(/\\(["\\])/g, '$1')
    .trim();
}

/** A hook counts only where it is there: a folder for hooks is common, and git runs few of them while it reads. */
async function hooksOf(
  host: GitHost,
  cwd: string,
  folders: readonly string[],
  named: readonly GitProgram[],
): Promise<GitProgram[]> {
  const places = new Set([
    ...folders.map((folder) => path.join(folder, 'hooks', READING_HOOK)),
    // From the top of the worktree, which a folder of it cannot tell; both are looked at.
    ...named.flatMap(({ value, file }) => [
      path.resolve(cwd, value, READING_HOOK),
      path.resolve(path.dirname(path.dirname(file)), value, READING_HOOK),
    ]),
  ]);
  const hooks: GitProgram[] = [];
  for (const file of places) {
    const text = await readText(host, file);
    if (text !== null) hooks.push({ file, key: READING_HOOK, value: await shown(host, text) });
  }
  return hooks;
}

interface Repository {
  /** Where programs are started. */
  readonly top: string;
  /** Whose configuration git reads. */
  readonly folders: readonly string[];
}

/** Null where `cwd` is in no repository. */
async function findGitFolders(host: Pick<Host, 'fs'>, cwd: string): Promise<Repository | null> {
  const { fs } = host;
  const real = await fs.realpath(cwd).catch(() => cwd); // a folder that is not there is refused where the session opens
  for (let folder = real; ; folder = path.dirname(folder)) {
    const dotGit = path.join(folder, '.git');
    const [stat = null, head = null] = await fs.lstatAll([dotGit, path.join(folder, 'HEAD')]);
    if (stat !== null) return { top: folder, folders: await linkedFolders(host, folder, dotGit) };
    if (head !== null) return { top: folder, folders: [folder] };
    if (path.dirname(folder) === folder) return null;
  }
}

/** `.git` may be a folder, a link to one, or a file that names one, which may share another's configuration. */
async function linkedFolders(host: Pick<Host, 'fs'>, folder: string, dotGit: string): Promise<readonly string[]> {
  const link = /^gitdir: (.+)/.exec((await readText(host, dotGit)) ?? '')?.[1];
  if (link === undefined) return [dotGit];
  const own = path.resolve(folder, link.trim());
  const shared = (await readText(host, path.join(own, 'commondir')))?.trim() ?? '';
  return shared === '' ? [own] : [own, path.resolve(own, shared)];
}

const UNREADABLE = '\0';

/** Null where there is no such file; UNREADABLE for one that cannot be judged. */
async function readText({ fs }: Pick<Host, 'fs'>, file: string): Promise<string | null> {
  try {
    const { stat, head } = await fs.readEnds(file, MAX_BYTES);
    return stat.size > MAX_BYTES ? UNREADABLE : new TextDecoder().decode(head);
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR') || isFileError(error, 'EISDIR')) return null;
    if (isFileError(error)) return UNREADABLE;
    throw error;
  }
}
