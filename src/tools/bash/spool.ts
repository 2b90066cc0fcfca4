// Writes a command's full output to a file once it is too long to show. Rule: the queue in memory is bounded, and a
// disk that fails never fails the command.
import type { AppendHandle, HostFs } from '../../host/host.js';
import { errorText } from '../../util/text.js';

/** What became of a spool file. `path` is null if nothing was written. */
export interface SpoolState {
  readonly path: string | null;
  /** True if the output was longer than the file may be. */
  readonly capped: boolean;
  /** Why the file is missing or short; null if it is not. */
  readonly failure: string | null;
}

export interface Spool {
  /** Makes the file before there is anything to write. Never rejects. */
  begin(): Promise<void>;
  /** Adds text. Ignored once the cap is reached or a write has failed. */
  write(text: string): void;
  /** A promise while too much waits to be written; null while there is room. Never rejects. */
  room(): Promise<void> | null;
  /** Writes what waits, closes the file and says what became of it. Never rejects. */
  finish(): Promise<SpoolState>;
}

/** Text waiting for the disk, in characters: above the first no more is taken, below the second it is again. */
const HIGH_WATER = 256 * 1024;
const LOW_WATER = 64 * 1024;

/** A spool that creates `path` with its first write. `maxCharacters` bounds the file. */
export function createSpool(fs: HostFs, path: string, maxCharacters: number): Spool {
  let waiting: string[] = [];
  let waitingLength = 0;
  let taken = 0;
  let capped = false;
  let failure: string | null = null;
  let file: AppendHandle | null = null;
  let writing: Promise<void> | null = null;
  let wakeReader: (() => void) | null = null;

  const flush = async (): Promise<void> => {
    try {
      file ??= await fs.openAppend(path);
      while (waiting.length > 0) {
        const text = waiting.join('');
        waiting = [];
        await file.append(text);
        waitingLength -= text.length;
        if (waitingLength < LOW_WATER) wakeReader?.();
      }
    } catch (error) {
      failure = errorText(error);
      waiting = [];
      waitingLength = 0;
    }
    writing = null;
    wakeReader?.();
  };

  return {
    begin() {
      writing ??= flush();
      return writing;
    },
    write(text) {
      const part = text.slice(0, maxCharacters - taken);
      if (part.length < text.length) capped = true;
      if (failure !== null || part === '') return;
      taken += part.length;
      waiting.push(part);
      waitingLength += part.length;
      writing ??= flush();
    },
    room() {
      if (waitingLength < HIGH_WATER || writing === null) return null;
      return new Promise((resolve) => {
        const next = wakeReader;
        wakeReader = () => {
          wakeReader = null;
          next?.();
          resolve();
        };
      });
    },
    async finish() {
      await writing;
      try {
        await file?.close();
      } catch (error) {
        failure ??= errorText(error);
      }
      return { path: file === null ? null : path, capped, failure };
    },
  };
}
