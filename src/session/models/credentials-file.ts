// The file with what is kept for the user: keys of models, and credentials of MCP servers. One rule: a file that others can
// read is not used, no text shows what is in it, and what one part writes leaves the other as it is.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { homeFolder } from '../store/index.js';

type Env = Readonly<Record<string, string | undefined>>;

/** By the name of a part; what is unknown stays as it was. */
export type CredentialsContent = Readonly<Record<string, unknown>>;

const MODE = 0o600;
const OTHERS = 0o077;
const VERSION = 1;

/** `credentials.json` in the user's own folder, which no project can name. */
export function credentialsFile(host: Pick<Host, 'env' | 'platform'>, env: Env): string {
  return path.join(homeFolder(host, env), 'credentials.json');
}

/**
 * Null if there is no file.
 * @throws ConfigError where others can read the file, or it is no JSON object
 */
export async function readCredentialsFile(
  host: Pick<Host, 'fs' | 'platform'>,
  file: string,
): Promise<CredentialsContent | null> {
  try {
    const { mode } = await host.fs.stat(file);
    if (host.platform.os !== 'win32' && (mode & OTHERS) !== 0) {
      throw new ConfigError(
        `The keys in ${file} can be read by others (mode ${mode.toString(8).padStart(3, '0')}), so they are not used. Run: chmod 600 ${file}`,
      );
    }
    return parse(new TextDecoder().decode(await host.fs.readFile(file)), file);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    if (isFileError(error))
      throw new ConfigError(`The keys in ${file} cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Writes one part; an empty one goes, and the file with the last. @throws ConfigError */
export async function writeCredentialsPart(
  host: Pick<Host, 'fs' | 'platform'>,
  file: string,
  part: string,
  value: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { version: _, [part]: __, ...others } = (await readCredentialsFile(host, file)) ?? {};
  const parts = { ...others, ...(Object.keys(value).length === 0 ? {} : { [part]: value }) };
  try {
    await host.fs.mkdir(path.dirname(file), { mode: 0o700 });
    if (Object.keys(parts).length === 0) await removeFile(host, file);
    else {
      const text = JSON.stringify({ version: VERSION, ...parts }, null, 2);
      await host.fs.writeFileAtomic(file, `${text}\n`, { mode: MODE });
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The keys in ${file} cannot be written: ${error.message}`, { cause: error });
  }
}

/** What is said of a file that holds something else. */
export function notOurs(file: string): ConfigError {
  return new ConfigError(`${file} is not what "turnwright login" writes. Remove it and log in again.`);
}

async function removeFile({ fs }: Pick<Host, 'fs'>, file: string): Promise<void> {
  try {
    await fs.removeEntry(file);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}

function parse(text: string, file: string): CredentialsContent {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw notOurs(file); // what the parser says may show a part of a key
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw notOurs(file);
  return content as CredentialsContent;
}
