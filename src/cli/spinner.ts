// A line that says that a prompt still works, and for how long: where nothing was written for a second and nobody is asked.
// Contract: whatever is written goes through `over`, so that the line is gone before anything else is shown.
import type { OutputStream } from './cli-io.js';
import type { LineReader } from './line-reader.js';
import type { Output } from './output.js';

const FRAMES = ['|', '/', '-', '\\'];
/** Silence before it shows, milliseconds: what answers at once needs none. */
const SILENCE_MS = 1_000;
const FRAME_MS = 250;
/** Back to the first column, and the line is empty. */
const CLEAR = '\r\x1b[K';
/** On narrower terminals it would not fit into one line, and could not be taken back. */
const LEAST_COLUMNS = 50;

export interface Spinner {
  /** A prompt begins; it may be said twice. */
  readonly start: () => void;
  /** The prompt is over. Nothing wakes up any more. */
  readonly stop: () => void;
  /** `output` itself, but what is written to it takes the line away first. */
  over(output: Output, stream: OutputStream): Output;
  /** `reader` itself; while somebody is to type, nothing spins. */
  during(reader: LineReader): LineReader;
}

export interface SpinnerClock {
  now(): number;
  /** Runs `wake` later, without keeping the process. @returns what takes it back */
  after(ms: number, wake: () => void): () => void;
}

const REAL_CLOCK: SpinnerClock = {
  now: () => performance.now(),
  after(ms, wake) {
    const timer = setTimeout(wake, ms).unref();
    return () => clearTimeout(timer);
  },
};

export const NO_SPINNER: Spinner = {
  start: () => undefined,
  stop: () => undefined,
  over: (output) => output,
  during: (reader) => reader,
};

/** Only on a terminal that can take a line back, for somebody who wants to see things move. */
export function wantsSpinner(stream: OutputStream, env: Readonly<NodeJS.ProcessEnv>): boolean {
  if (stream.isTTY !== true || (stream.columns ?? 0) < LEAST_COLUMNS) return false;
  return env['TERM'] !== 'dumb' && !isSaid(env['NO_COLOR']) && !isSaid(env['CI']);
}

export function createSpinner(screen: Output, clock: SpinnerClock = REAL_CLOCK): Spinner {
  /** When the prompt began; null while none runs. */
  let began: number | null = null;
  let asking = 0;
  /** True where the last thing written left a line open: the answer streams, or a question stands there. */
  let midLine = false;
  let isShown = false;
  let frame = 0;
  let cancel = (): void => undefined;

  function show(): void {
    if (began === null) return;
    const sign = FRAMES[frame++ % FRAMES.length];
    isShown = true;
    void screen.write(`${CLEAR}${sign} ${elapsed(clock.now() - began)} (Ctrl-C interrupts)`);
    cancel = clock.after(FRAME_MS, show);
  }

  function clear(): void {
    cancel();
    if (isShown) void screen.write(CLEAR);
    isShown = false;
  }

  function wait(): void {
    clear();
    if (began !== null && asking === 0 && !midLine) cancel = clock.after(SILENCE_MS, show);
  }

  async function reading(read: () => Promise<string | null>): Promise<string | null> {
    asking++;
    clear();
    try {
      return await read();
    } finally {
      asking--;
      // Enter ended the line.
      midLine = false;
      wait();
    }
  }

  return {
    start() {
      if (began !== null) return;
      began = clock.now();
      wait();
    },
    stop() {
      began = null;
      clear();
    },
    over: (output, { isTTY = false }) => ({
      write(text) {
        if (text === '') return Promise.resolve();
        clear();
        const written = output.write(text);
        if (isTTY) midLine = !text.endsWith('\n');
        wait();
        return written;
      },
      flush: () => output.flush(),
      get closed() {
        return output.closed;
      },
      get failure() {
        return output.failure;
      },
      onClosed: (listener) => output.onClosed(listener),
    }),
    during: (reader) => ({
      read: (signal) => reading(() => reader.read(signal)),
      readAnswer: (ask, signal) => reading(() => reader.readAnswer(ask, signal)),
      close: () => reader.close(),
    }),
  };
}

function isSaid(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
