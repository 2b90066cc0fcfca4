// Files of git's configuration, read without git: their keys, and those of the files that they include. What cannot be
// read is said, never left out.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';

/** A key of a file of configuration. */
export interface GitSetting {
  /** Absolute. */
  readonly file: string;
  /** In lower case but for what stands in quotes: `core.fsmonitor`, `diff.x.textconv`. UNREADABLE_KEY for a file that cannot be read. */
  readonly key: string;
  readonly value: string;
}

/** Names a file that cannot be judged. */
export const UNREADABLE_KEY = '(unreadable)';
/** Keys that name further files of configuration. */
export const INCLUDES = /^include(?:if\..*)?\.path$/s;

const MAX_BYTES = 1_000_000;
/** How deep files are included, and how many there are. */
const MAX_DEPTH = 10;
const MAX_FILES = 50;

type ConfigHost = Pick<Host, 'fs' | 'platform'>;

/**
 * The keys of files, each followed by those of what it includes: on whatever condition, since that may come to hold.
 * Contract: never throws for what stands on the disk; a file that is not there has none.
 */
export async function readGitConfig(host: ConfigHost, files: readonly string[]): Promise<readonly GitSetting[]> {
  const read = new Set<string>();
  const settings: GitSetting[] = [];
  for (const file of files) settings.push(...(await settingsOf(host, file, read, MAX_DEPTH)));
  return settings;
}

async function settingsOf(host: ConfigHost, file: string, read: Set<string>, depth: number): Promise<GitSetting[]> {
  if (read.has(file) || read.size === MAX_FILES || depth === 0) return [];
  read.add(file);
  const text = await readGitText(host, file);
  if (text === null) return [];
  if (text === UNREADABLE) return [{ file, key: UNREADABLE_KEY, value: '' }];
  const settings = readKeys(text).map(({ key, value }) => ({ file, key, value }));
  const inner: GitSetting[] = [];
  for (const { value } of settings.filter(({ key }) => INCLUDES.test(key)))
    inner.push(...(await settingsOf(host, configuredPath(host, path.dirname(file), value), read, depth - 1)));
  return [...settings, ...inner];
}

/** A path as git's configuration writes it, made absolute. */
export function configuredPath({ platform }: Pick<Host, 'platform'>, base: string, value: string): string {
  return value === '~' || value.startsWith('~/')
    ? path.join(platform.homedir, value.slice(1))
    : path.resolve(base, value);
}

/** Every key with its value. */
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

export const UNREADABLE = '\0';

/** Null if there is no such file; UNREADABLE for one that cannot be judged. */
export async function readGitText({ fs }: Pick<Host, 'fs'>, file: string): Promise<string | null> {
  try {
    const { stat, head } = await fs.readEnds(file, MAX_BYTES);
    return stat.size > MAX_BYTES ? UNREADABLE : new TextDecoder().decode(head);
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR') || isFileError(error, 'EISDIR')) return null;
    if (isFileError(error)) return UNREADABLE;
    throw error;
  }
}
