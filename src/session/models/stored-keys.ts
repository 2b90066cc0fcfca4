// The keys that `turnwright login` keeps: one file of the user's, that nobody else may read. One rule: a file that others
// can read is not used, and no text shows a key.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { homeFolder } from '../store/index.js';

type Env = Readonly<Record<string, string | undefined>>;

/** By provider. */
export type StoredKeys = ReadonlyMap<string, string>;

const MODE = 0o600;
const OTHERS = 0o077;
const VERSION = 1;

/** `credentials.json` in the user's own folder, which no project can name. */
export function storedKeysFile(host: Pick<Host, 'env' | 'platform'>, env: Env): string {
  return path.join(homeFolder(host, env), 'credentials.json');
}

/**
 * None where there is no file.
 * @throws ConfigError where others can read the file, or it is not what `login` writes
 */
export async function readStoredKeys(host: Pick<Host, 'fs' | 'platform'>, file: string): Promise<StoredKeys> {
  try {
    const { mode } = await host.fs.stat(file);
    if (host.platform.os !== 'win32' && (mode & OTHERS) !== 0) {
      throw new ConfigError(
        `The keys in ${file} can be read by others (mode ${mode.toString(8).padStart(3, '0')}), so they are not used. Run: chmod 600 ${file}`,
      );
    }
    return parseKeys(new TextDecoder().decode(await host.fs.readFile(file)), file);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return new Map();
    if (isFileError(error))
      throw new ConfigError(`The keys in ${file} cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Keeps a key, or with null no longer. The other keys stay. */
export async function writeStoredKey(
  host: Pick<Host, 'fs' | 'platform'>,
  file: string,
  provider: string,
  key: string | null,
): Promise<void> {
  const keys = new Map(await readStoredKeys(host, file));
  if (key === null) keys.delete(provider);
  else keys.set(provider, key);
  const text = JSON.stringify({ version: VERSION, keys: Object.fromEntries([...keys].sort()) }, null, 2);
  try {
    await host.fs.mkdir(path.dirname(file), { mode: 0o700 });
    if (keys.size === 0) await removeFile(host, file);
    else await host.fs.writeFileAtomic(file, `${text}\n`, { mode: MODE });
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The keys in ${file} cannot be written: ${error.message}`, { cause: error });
  }
}

async function removeFile({ fs }: Pick<Host, 'fs'>, file: string): Promise<void> {
  try {
    await fs.removeEntry(file);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}

function parseKeys(text: string, file: string): StoredKeys {
  const wrong = new ConfigError(`${file} is not what "turnwright login" writes. Remove it and log in again.`);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw wrong; // what the parser says may show a part of a key
  }
  const keys = typeof content === 'object' && content !== null && 'keys' in content ? content.keys : null;
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw wrong;
  const entries = Object.entries(keys);
  if (entries.some(([, key]) => typeof key !== 'string' || key === '')) throw wrong;
  return new Map(entries as [string, string][]);
}
