// One at a time changes a file that all processes of a user share.
import type { Host } from '../../host/host.js';
import { ConfigError, isEngineError } from '../../protocol/errors.js';
import { takeLock } from '../store/index.js';

/** Milliseconds between two tries to get the lock of a file. */
const WAIT_MS = 15;
/** After as many somebody holds it who should not: 15 seconds. */
const MAX_TRIES = 1_000;

/** Runs `work` while nobody else does for the same file, of this process or another. */
export async function whileLocked<T>(host: Host, file: string, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      const lock = await takeLock(host, { lock: `${file}.lock`, watched: file });
      try {
        return await work();
      } finally {
        await lock.release();
      }
    } catch (error) {
      if (!isEngineError(error) || error.code !== 'session_in_use') throw error;
      if (tries === MAX_TRIES)
        throw new ConfigError(`Somebody else is changing ${file}. If nobody is, remove ${file}.lock.`, {
          cause: error,
        });
    }
    await new Promise<void>((resolve) => void host.clock.after(WAIT_MS, resolve));
  }
}
