// Says that the model knows a file, so that it can be edited without another look. One rule: a file that changed since
// stays unknown.
import path from 'node:path';
import { isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { Session } from '../core/index.js';

/** @throws ConfigError if the arguments cannot be used */
export async function seedReadState({ host, config }: Session, file: string, mtime: number): Promise<void> {
  if (typeof file !== 'string' || file === '' || file.includes('\0'))
    throw new ConfigError('seedReadState takes the path of a file and the time it was changed at.');
  if (typeof mtime !== 'number' || !Number.isFinite(mtime))
    throw new ConfigError(`mtime is ${String(mtime)}. Give milliseconds since 1970.`);
  try {
    const { realPath, stat } = await host.fs.locate(path.resolve(config.cwd, file));
    if (stat?.kind !== 'file' || Math.floor(stat.mtimeMs) > mtime) return;
    // A copy or a new name changes the other time, and not what the file holds.
    config.readFileCache.set(realPath, { hash: null, seenAtMs: Math.max(mtime, Math.floor(stat.ctimeMs)) });
  } catch (error) {
    if (!isFileError(error)) throw error; // gone, or out of reach: there is nothing to know
  }
}
