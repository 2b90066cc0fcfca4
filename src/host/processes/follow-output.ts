// Reads the output of a program as it comes, waits for its rest once the program ended, and holds it back if its
// taker asks for that.
import type { Readable } from 'node:stream';
import type { RunOptions } from '../host.js';
import type { Child, FedChild } from './start-program.js';

/** What a program left running may write this long after the last byte, before it is ended. */
const PIPE_IDLE_MS = 80;

type Taker = Pick<RunOptions, 'onStdout' | 'onStderr' | 'pause'>;

export interface OutputFollower {
  /** Waits until both pipes ended, or fell silent, or `maxMs` passed, or `signal` aborts. */
  drain(maxMs: number, signal?: AbortSignal): Promise<void>;
  /** No callback is called after this. */
  stop(): void;
}

/** Hands the output of a program on, chunk by chunk, and reads no more than its taker keeps up with. */
export function followOutput(child: Child | FedChild, options: Taker): OutputFollower {
  let chunks = 0;
  let paused = 0;
  const follow = (stream: Readable, onChunk: (chunk: Uint8Array) => void): Promise<void> => {
    stream.on('data', (chunk: Buffer) => {
      chunks += 1;
      onChunk(chunk);
      const wait = options.pause?.() ?? null;
      if (wait === null) return;
      paused += 1;
      stream.pause();
      void wait.finally(() => {
        paused -= 1;
        stream.resume();
      });
    });
    // A read error ends the stream; `close` follows and the exit code tells the rest.
    stream.on('error', () => undefined);
    return new Promise((resolve) => stream.once('close', resolve));
  };
  let open = true;
  const closed = Promise.all([follow(child.stdout, options.onStdout), follow(child.stderr, options.onStderr)]).then(
    () => {
      open = false;
    },
  );
  return {
    async drain(maxMs, signal) {
      const deadline = performance.now() + maxMs;
      let seen = chunks;
      let idleSince = performance.now();
      while (open && !signal?.aborted && (performance.now() < deadline || paused > 0)) {
        await Promise.race([closed, nextPoll()]);
        if (chunks !== seen || paused > 0) {
          seen = chunks;
          idleSince = performance.now();
        } else if (performance.now() - idleSince >= PIPE_IDLE_MS) return;
      }
    },
    stop() {
      child.stdin?.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

/** A short wait that ends after the event loop has read what was ready, however late the timer fired. */
function nextPoll(): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(() => setImmediate(resolve)), 10));
}
