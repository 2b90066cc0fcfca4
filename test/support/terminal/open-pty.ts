// A program at a terminal of its own: keys, pastes, sizes and signals in, the screen out. One rule: it is waited for what
// the screen shows, never for time. A test that fails leaves a recording.
import { readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { type IPty, spawn } from '@lydell/node-pty';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import { buildEntry, ENTRY } from '../../e2e/run-cli.js';
import { createAsciicast } from './asciicast.js';
import { bytesOfKey } from './keys.js';
import { createScreenReader, type ScreenReader, type ScreenReaderOptions, type TerminalSize } from './screen-reader.js';

export interface PtyOptions extends ScreenReaderOptions {
  readonly cwd: string;
  /** The environment but PATH and TERM; a TERM in it counts. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: 100 x 30. */
  readonly size?: TerminalSize;
  /** False for a terminal that answers no queries. Default: true. */
  readonly answersQueries?: boolean;
}

/** What the screen has to show. */
export type Wanted = string | RegExp | ((screen: ScreenReader) => boolean);

export interface Pty {
  readonly screen: ScreenReader;
  readonly pid: number;
  /** Keys by name, one after the other: `press('ctrl+c', 'ctrl+c')`. */
  press(...keys: string[]): void;
  /** Text as if it was typed, in one burst of bytes; or bytes that are no text. */
  type(text: string | Buffer): void;
  /** As the terminal pastes: with brackets if the program has asked for them, and line ends as carriage returns. */
  paste(text: string): void;
  resize(size: TerminalSize): void;
  signal(name: NodeJS.Signals): void;
  /** The terminal stops reading, or reads again. */
  stopReading(): void;
  readAgain(): void;
  /** The window is closed: the program gets SIGHUP, and its terminal is gone. */
  hangUp(): void;
  /** Waits until the screen shows it. A function may look at all of the screen. */
  until(wanted: Wanted): Promise<void>;
  /** Types, and waits: `answer('> ', 'hello')`. */
  answer(wanted: Wanted, text: string): Promise<void>;
  /** All bytes that came so far. */
  bytes(): string;
  /** Exit code, or the number of the signal as a shell tells it (128 and more). */
  readonly ended: Promise<number>;
}

/** The longest that anything is waited for. It ends what hangs, and is no measure. */
const LIMIT_MS = 60_000;
const DEFAULT_SIZE: TerminalSize = { columns: 100, rows: 30 };

/** The built command line. Builds `dist/` if it is stale. */
export function openTurnwright(argv: readonly string[], options: PtyOptions): Pty {
  buildEntry();
  return openPty([process.execPath, ENTRY, ...argv], options);
}

/** Waits until no prompt runs, nor is about to stop. Only true once the prompt is known to have begun. */
export function untilIdle(pty: Pty): Promise<void> {
  return pty.until((screen) => !/Esc interrupts|[◐◓◑◒●] (?:Stopping|Waiting for you)/.test(screen.text()));
}

/**
 * Leaves an idle Turnwright by Ctrl-D. The last two keys go in one burst: with a wait between them, a busy machine might
 * take longer than the second within which two count as one wish.
 */
export async function leaveTurnwright(pty: Pty): Promise<number> {
  await untilIdle(pty);
  pty.press('ctrl+d');
  await pty.until('Ctrl-D again leaves.');
  pty.press('ctrl+d', 'ctrl+d');
  return pty.ended;
}

/** Any program, by its words. It is ended when the test is over. */
export function openPty([program = '', ...args]: readonly string[], options: PtyOptions): Pty {
  const { size = DEFAULT_SIZE, cwd, env, answersQueries = true } = options;
  const screen = createScreenReader(size, options);
  const cast = createAsciicast(size);
  const pieces: Buffer[] = [];
  const pty: IPty = spawn(program, args, {
    name: env['TERM'] ?? 'xterm-256color',
    cols: size.columns,
    rows: size.rows,
    cwd,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...env },
    encoding: null,
  });
  let hasEnded = false;
  let isHungUp = false;
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      // What came last has to be on the screen first.
      void screen.write('').then(() => resolve(signal === undefined || signal === 0 ? exitCode : 128 + signal));
    });
  });
  const take = (bytes: Buffer): void => {
    pieces.push(bytes);
    cast.output(bytes);
    // Frame by frame: what stands there for two seconds is seen by a process that gets no time for three, too.
    for (const frame of framesOf(bytes)) void screen.write(frame);
  };
  // Without an encoding, bytes come; the types of the library do not say so.
  pty.onData((data) => take(data as unknown as Buffer));
  beforeClose(pty, (rest) => {
    if (!isHungUp) take(rest);
  });
  const send = (bytes: string | Buffer): void => {
    if (hasEnded) return;
    cast.input(bytes.toString());
    // It takes bytes too; its types do not say so.
    pty.write(bytes as string);
  };
  if (answersQueries) {
    screen.onReply((bytes) => {
      if (!hasEnded) pty.write(bytes);
    });
  }
  onTestFailed(({ task }) => {
    process.stderr.write(`The terminal of "${task.name}" is kept in ${cast.save(task.name)}\n`);
  });
  onTestFinished(async () => {
    if (!hasEnded) pty.kill('SIGKILL');
    pty.resume();
    await ended;
    screen.dispose();
  });

  async function until(wanted: Wanted): Promise<void> {
    const isThere = (): boolean => {
      // A terminal shows a frame when all of it is there.
      if (screen.modes().isSynchronized) return false;
      if (typeof wanted === 'function') return wanted(screen);
      return typeof wanted === 'string' ? screen.text().includes(wanted) : wanted.test(screen.text());
    };
    if (isThere()) return;
    const how = await new Promise<'shown' | 'ended' | 'late'>((resolve) => {
      const settle = (end: 'shown' | 'ended' | 'late'): void => {
        stop();
        clearTimeout(timer);
        resolve(end);
      };
      const timer = setTimeout(() => settle('late'), LIMIT_MS);
      const stop = screen.onChange(() => {
        if (isThere()) settle('shown');
      });
      void ended.then(() => settle(isThere() ? 'shown' : 'ended'));
    });
    if (how === 'shown') return;
    const why = how === 'ended' ? 'The program ended' : 'The time was over';
    expect.fail(`${why}, and the screen never showed ${String(wanted)}. It shows:\n${screen.text()}`);
  }

  return {
    screen,
    pid: pty.pid,
    press: (...keys) => send(keys.map(bytesOfKey).join('')),
    type: send,
    paste(text) {
      const body = text.replaceAll('\r\n', '\r').replaceAll('\n', '\r');
      send(screen.modes().isBracketedPaste ? `\x1b[200~${body}\x1b[201~` : body);
    },
    resize(next) {
      cast.resized(next);
      screen.resize(next);
      if (!hasEnded) pty.resize(next.columns, next.rows);
    },
    signal(name) {
      if (!hasEnded) process.kill(pty.pid, name);
    },
    stopReading: () => pty.pause(),
    readAgain: () => pty.resume(),
    hangUp() {
      isHungUp = true;
      // Its types do not name it; closing the side of the terminal is what hangs up.
      (pty as IPty & { destroy(): void }).destroy();
    },
    until,
    async answer(wanted, text) {
      await until(wanted);
      send(text);
    },
    bytes: () => Buffer.concat(pieces).toString('utf8'),
    ended,
  };
}

/** The end of a synchronized update. */
const FRAME_END = Buffer.from('\x1b[?2026l');

function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(FRAME_END); at !== -1; at = bytes.indexOf(FRAME_END, from)) {
    frames.push(bytes.subarray(from, at + FRAME_END.length));
    from = at + FRAME_END.length;
  }
  return from < bytes.length ? [...frames, bytes.subarray(from)] : frames;
}

/**
 * What a program wrote last is in the terminal when it has ended, but the library closes it 200 ms later, and libuv when it
 * hears of the end before it has read all: `take` gets what nobody has read by then.
 */
function beforeClose(pty: IPty, take: (rest: Buffer) => void): void {
  const { _socket: socket, fd } = pty as IPty & { readonly _socket: ReadStream; readonly fd: number };
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (!socket.destroyed) {
      try {
        for (;;) {
          const rest = Buffer.alloc(65_536);
          const length = readSync(fd, rest);
          if (length === 0) break;
          take(rest.subarray(0, length));
        }
      } catch {
        // EAGAIN or EIO: nothing is left.
      }
    }
    return destroy(error);
  };
}
