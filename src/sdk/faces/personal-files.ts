// What a face keeps for the person who uses it, in the home folder: keys, earlier prompts, an unsent draft. One rule: only
// its owner reads it, and no secret stands in it.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { homeFolder, projectKey, realFolder } from '../../session/store/index.js';
import { createLogRedactor } from '../logs/index.js';

const PRIVATE = 0o600;
/** More than a face ever keeps in one file, bytes. */
const LARGEST = 64 * 1_024 * 1_024;

/** Names are relative to the home folder. Contract: what is not there is null or empty; other failures are `FileError`. */
export interface PersonalFiles {
  /** Absolute. */
  readonly home: string;
  /** Stands for the working directory in names of files. */
  readonly project: string;
  pathOf(name: string): string;
  read(name: string): Promise<string | null>;
  /** One write; several processes may add to one file. */
  append(name: string, text: string): Promise<void>;
  /** In one step. */
  replace(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Of a folder, sorted. */
  names(folder: string): Promise<readonly string[]>;
  /** `text` with `[redacted: kind]` in the place of each secret, as transcripts have it. */
  redact(text: string): Promise<string>;
}

export interface PersonalFilesOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly host?: Host;
}

export async function openPersonalFiles(options: PersonalFilesOptions = {}): Promise<PersonalFiles> {
  const host = options.host ?? createNodeHost();
  const env = { ...host.env, ...options.env };
  const home = homeFolder(host, env);
  const pathOf = (name: string): string => path.join(home, name);
  let redactor: ((text: string) => string) | null = null;
  return {
    home,
    project: projectKey(await realFolder(host, options.cwd ?? host.platform.cwd)),
    pathOf,
    read: (name) =>
      orNull(async () => {
        const { size, kind } = await host.fs.stat(pathOf(name));
        if (kind !== 'file' || size > LARGEST) return null;
        return new TextDecoder().decode(await host.fs.readFile(pathOf(name)));
      }),
    async append(name, text) {
      const handle = await host.fs.openAppend(pathOf(name));
      try {
        await handle.append(text);
      } finally {
        await handle.close();
      }
    },
    replace: (name, text) => host.fs.writeFileAtomic(pathOf(name), text, { mode: PRIVATE, durable: false }),
    async remove(name) {
      await orNull(() => host.fs.removeEntry(pathOf(name)));
    },
    names: async (folder) => (await orNull(() => host.fs.readdir(pathOf(folder)))) ?? [],
    async redact(text) {
      redactor ??= createLogRedactor(env);
      return redactor(text);
    },
  };
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) return null;
    throw error;
  }
}
