// Lines typed at a terminal, which stays in its own line mode: the kernel edits, echoes and turns Ctrl-C into a signal.
import { StringDecoder } from 'node:string_decoder';
import type { InputStream } from '../cli-io.js';

/** Time for what was typed earlier to arrive, milliseconds. It is already in the kernel; this is not a wait for people. */
const DRAIN_MS = 25;

export interface LineReader {
  /** The next line without its end, typed ahead or not; null at the end of input or when `signal` aborts. */
  read(signal: AbortSignal): Promise<string | null>;
  /**
   * As `read`, but only a line typed after `ask` was called counts: what was typed or pasted earlier never answers a
   * question its writer had not seen.
   */
  readAnswer(ask: () => Promise<void>, signal: AbortSignal): Promise<string | null>;
  /** Stops reading, so that the process can end. Later reads give null. */
  close(): void;
}

/**
 * Contract: of several reads the last gets the line; the others wait on. Nothing is read from `input` before the first.
 * @param keys what lines do that are one control character: they answer nothing and are no prompt. The kernel hands a key
 *   over with the next Enter only
 */
export function createLineReader(input: InputStream, keys: ReadonlyMap<string, () => void> = new Map()): LineReader {
  const typedAhead: string[] = [];
  const decoder = new StringDecoder('utf8');
  let partial = '';
  let started = false;
  let ended = false;
  /** A question may be asked while a prompt is waited for. */
  const readers: ((line: string | null) => void)[] = [];

  const onData = (chunk: Buffer | string): void => {
    const lines = (partial + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
    partial = lines.pop() ?? '';
    for (const line of lines) take(line.replace(/\r$/, ''));
  };
  const onEnd = (): void => {
    if (partial !== '') take(partial);
    partial = '';
    ended = true;
    for (const deliver of [...readers]) deliver(null);
  };
  function take(line: string): void {
    const act = keys.get(line);
    if (act !== undefined) {
      act();
      return;
    }
    const deliver = readers.at(-1);
    if (deliver === undefined) typedAhead.push(line);
    else deliver(line);
  }
  function start(): void {
    if (started || ended) return;
    started = true;
    input.on('data', onData);
    input.on('end', onEnd);
    input.on('error', onEnd);
    input.resume();
  }
  function next(signal: AbortSignal): Promise<string | null> {
    if (ended || signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (line: string | null): void => {
        readers.splice(readers.indexOf(settle), 1);
        signal.removeEventListener('abort', onAbort);
        resolve(line);
      };
      const onAbort = (): void => settle(null);
      signal.addEventListener('abort', onAbort, { once: true });
      readers.push(settle);
    });
  }

  return {
    read(signal) {
      start();
      const ahead = typedAhead.shift();
      return ahead === undefined ? next(signal) : Promise.resolve(ahead);
    },
    async readAnswer(ask, signal) {
      start();
      await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
      const answer = next(signal);
      await ask();
      return answer;
    },
    close() {
      onEnd();
      if (!started) return;
      input.off('data', onData);
      input.off('end', onEnd);
      input.pause();
    },
  };
}
