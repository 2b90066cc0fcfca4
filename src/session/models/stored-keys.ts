// The keys of models that `turnwright login` keeps, in the file of the user's credentials.
import type { Host } from '../../host/host.js';
import { credentialsFile, notOurs, readCredentialsFile, writeCredentialsPart } from './credentials-file.js';

/** By provider. */
export type StoredKeys = ReadonlyMap<string, string>;

const PART = 'keys';
/** What the same file holds besides. */
const OTHER_PARTS = ['mcp', 'byok'];

/** `credentials.json` in the user's own folder, which no project can name. */
export const storedKeysFile = credentialsFile;

/**
 * None if there is no file.
 * @throws ConfigError where others can read the file, or it is not what `login` writes
 */
export async function readStoredKeys(host: Pick<Host, 'fs' | 'platform'>, file: string): Promise<StoredKeys> {
  const content = await readCredentialsFile(host, file);
  if (content === null) return new Map();
  const isOther = OTHER_PARTS.some((part) => Object.hasOwn(content, part));
  const keys = content[PART] ?? (isOther ? {} : null);
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw notOurs(file);
  const entries = Object.entries(keys);
  if (entries.some(([, key]) => typeof key !== 'string' || key === '')) throw notOurs(file);
  return new Map(entries as [string, string][]);
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
  await writeCredentialsPart(host, file, PART, Object.fromEntries([...keys].sort()));
}
