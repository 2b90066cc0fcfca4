// Takes the bytes of one stream and hands on its text, without secrets if they are hidden. Rule: what waits to be
// looked through is bounded.
import type { HiddenStream } from '../../secrets/secret-vault.js';

/** Characters that may wait to be looked through. */
const HIGH_WATER = 1024 * 1024;

export interface Receiver {
  take(chunk: Uint8Array): void;
  /** A promise while too much waits. */
  room(): Promise<void> | null;
  /** The line that it stands on, if that is held back as it has no end. */
  line(): string;
  end(): Promise<void>;
}

/** All of it, as it comes. `onBytes` sees each chunk before its text is kept. */
export function receiveAll(keep: (text: string) => void, onBytes?: (chunk: Uint8Array) => void): Receiver {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    take(chunk) {
      onBytes?.(chunk);
      keep(decoder.decode(chunk, { stream: true }));
    },
    room: () => null,
    line: () => '',
    async end() {
      keep(decoder.decode());
    },
  };
}

/** What comes is kept without its secrets only; what may belong to one waits for the rest of it. */
export function receiveHidden(stream: HiddenStream, keep: (text: string) => void): Receiver {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let waiting = 0;
  let work: Promise<void> = Promise.resolve();
  return {
    take(chunk) {
      const text = decoder.decode(chunk, { stream: true });
      if (text === '') return;
      waiting += text.length;
      work = work.then(async () => {
        keep(await stream.push(text));
        waiting -= text.length;
      });
    },
    room: () => (waiting < HIGH_WATER ? null : work),
    line: () => (waiting === 0 ? stream.line() : ''),
    async end() {
      const rest = decoder.decode();
      await work;
      keep((await stream.push(rest)) + (await stream.end()));
    },
  };
}
