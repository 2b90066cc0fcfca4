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

const HOOKS_PATH = 'core.hookspath';
/** Git runs it when status renews the index. */
const READING_HOOK = 'post-index-change';

/** None where the folder is in no repository. Contract: never throws for what stands on the disk. */
export async function gitPrograms(host: Pick<Host, 'fs'>, cwd: string): Promise<readonly GitProgram[]> {
  const folders = await findGitFolders(host, cwd);
  if (folders === null) return [];
  const found: GitProgram[] = [];
  for (const folder of folders) {
    for (const name of ['config', 'config.worktree']) {
      const file = path.join(folder, name);
      const text = await readText(host, file);
      if (text === null) continue;
      if (text === UNREADABLE) found.push({ file, key: '(unreadable)', value: '' });
      else found.push(...programsIn(text, file));
    }
  }
  const named = found.filter(({ key }) => key === HOOKS_PATH);
  return [...found.filter((each) => !named.includes(each)), ...(await hooksOf(host, cwd, folders, named))];
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
  host: Pick<Host, 'fs'>,
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
    if (text !== null) hooks.push({ file, key: READING_HOOK, value: text === UNREADABLE ? '(unreadable)' : text });
  }
  return hooks;
}

/** The folders whose configuration git reads in `cwd`; null where it is in no repository. */
async function findGitFolders(host: Pick<Host, 'fs'>, cwd: string): Promise<readonly string[] | null> {
  const { fs } = host;
  const real = await fs.realpath(cwd).catch(() => cwd); // a folder that is not there is refused where the session opens
  for (let folder = real; ; folder = path.dirname(folder)) {
    const dotGit = path.join(folder, '.git');
    const [stat = null, head = null] = await fs.lstatAll([dotGit, path.join(folder, 'HEAD')]);
    if (stat !== null) return linkedFolders(host, folder, dotGit);
    if (head !== null) return [folder];
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
