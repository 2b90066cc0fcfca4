// The screen of the terminal in this process, without a pty: a clock of the test's, and a terminal that reads when it is told.

import type { Clock } from '../../../src/tui/clock.js';
import { createScreen, type OwnScreen, type Size } from '../../../src/tui/screen/screen.js';
import { createScreenReader, type ScreenReader, type ScreenReaderOptions } from './screen-reader.js';

export interface StepClock extends Clock {
  /** Lets time pass, with what is due in it. */
  pass(ms: number): Promise<void>;
}

export function stepClock(): StepClock {
  let now = 0;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        // Frames are drawn behind what asked for them.
        await Promise.resolve();
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
      await Promise.resolve();
    },
  };
}

export interface DrawnScreen {
  readonly screen: OwnScreen;
  readonly reader: ScreenReader;
  readonly clock: StepClock;
  /** Bytes so far. */
  bytes(): number;
  text(): string;
  /** Once the terminal has read what was written. */
  resize(size: Size): Promise<void>;
  /** While it has not: what was drawn for the old size comes to the new one. */
  resizeAtOnce(size: Size): void;
  /** The terminal reads what was written. */
  read(): Promise<void>;
  /** All that is to be drawn is on the screen. */
  settle(): Promise<void>;
}

export function drawnScreen(size: Size, options: ScreenReaderOptions & { readonly before?: string } = {}): DrawnScreen {
  const reader = createScreenReader(size, options);
  const clock = stepClock();
  let written = Promise.resolve();
  let text = '';
  let bytes = 0;
  let current = size;
  const onResize: (() => void)[] = [];
  if (options.before !== undefined) void reader.write(options.before);
  const screen = createScreen({
    clock,
    reflows: options.reflows !== false,
    output: {
      size: () => current,
      write(piece, done) {
        text += piece;
        bytes += Buffer.byteLength(piece);
        written = reader.write(piece).then(() => done?.());
        return true;
      },
      onDrain: () => undefined,
      onResize: (listener) => void onResize.push(listener),
      isGone: false,
    },
  });
  const change = (next: Size): void => {
    current = next;
    reader.resize(next);
    for (const listener of onResize) listener();
  };
  return {
    screen,
    reader,
    clock,
    bytes: () => bytes,
    text: () => text,
    async resize(next) {
      await written;
      change(next);
    },
    resizeAtOnce: change,
    read: () => written,
    async settle() {
      await clock.pass(1_000);
      await written;
    },
  };
}
