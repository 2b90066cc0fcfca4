// The terminal of this process: its window, its bytes in and out, its modes, its signals, and the ways out that nobody plans.
// Rules: a terminal that does not read stops nothing; one that is gone is told once; however the program ends, short of being
// killed, the terminal is given back first, with no mode left on.
import type { Clock } from '../clock.js';
import { parseKey, setKittyProtocolActive } from '../pi.js';
import { createInputReader, type Input } from './input.js';
import type { Size, TerminalOutput } from './screen.js';

/** Pastes in brackets, the focus; keys such as Shift-Enter by their names, the older way. */
const ON = '\x1b[?2004h\x1b[?1004h\x1b[>4;1m\x1b[m';
/** Which keyboard protocol it has: whoever knows none does not answer. */
const ASK_KEYBOARD = '\x1b[?u';
const KEYBOARD_ON = '\x1b[>1u';
const KEYBOARD_OFF = '\x1b[<u';
const OFF = '\x1b[?2004l\x1b[?1004l\x1b[>4m\x1b[m\x1b[?7h\x1b[?25h';

/** The two ends. `cli/` gives those of the process. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

interface TtyIn extends NodeJS.ReadableStream {
  setRawMode?(raw: boolean): unknown;
}
interface TtyOut extends NodeJS.WritableStream {
  readonly columns?: number;
  readonly rows?: number;
  readonly writableLength?: number;
  readonly _handle?: { setBlocking?(blocking: boolean): unknown } | null;
}

export interface OpenTerminal {
  readonly output: TerminalOutput;
  readonly modes: TerminalModes;
  /** From now on inputs come. */
  listen(onInput: (input: Input) => void, onReply: (sequence: string) => void): void;
  /** Reads nothing: another program has the terminal. */
  pause(): void;
  goOn(): void;
  /** Called once, when nobody is at the other end any more. */
  onGone(listener: () => void): void;
  /** Ends reading. Inputs that are held back are dropped with it. */
  close(): void;
}

export function openTerminal({ stdin, stdout }: TerminalStreams, clock: Clock): OpenTerminal {
  const input = stdin as TtyIn;
  const out = stdout as TtyOut;
  let isGone = false;
  let isBehind = false;
  const goneListeners: (() => void)[] = [];
  const drainListeners: (() => void)[] = [];
  // A write to a terminal blocks by default: one that does not read would stop all that runs.
  out._handle?.setBlocking?.(false);

  const gone = (): void => {
    if (isGone) return;
    isGone = true;
    for (const listener of goneListeners.splice(0)) listener();
    for (const listener of drainListeners) listener();
  };
  out.on('error', gone);
  out.on('close', gone);

  const output: TerminalOutput = {
    size: () => ({ columns: Math.max(1, out.columns ?? 80), rows: Math.max(1, out.rows ?? 24) }) satisfies Size,
    write(text, done) {
      if (isGone) {
        done?.();
        return true;
      }
      out.write(text, () => {
        done?.();
        if (!isBehind || (out.writableLength ?? 0) > 0) return;
        isBehind = false;
        for (const listener of drainListeners) listener();
      });
      // The stream would take more; what it holds is as good as drawn too late.
      isBehind ||= (out.writableLength ?? 0) > 0;
      return !isBehind;
    },
    onDrain: (listener) => void drainListeners.push(listener),
    onResize: (listener) => void out.on('resize', listener),
    get isGone() {
      return isGone;
    },
  };
  const modes = createTerminalModes(
    {
      setRaw(raw) {
        try {
          input.setRawMode?.(raw);
        } catch {
          gone(); // the terminal is no more
        }
      },
      write: (text) => void output.write(text),
      get isBehind() {
        return isGone || (out.writableLength ?? 0) > 0;
      },
    },
    setKittyProtocolActive,
  );
  let stop = (): void => undefined;

  return {
    output,
    modes,
    listen(onInput, onReply) {
      const reader = createInputReader({
        clock,
        nameOf: parseKey,
        onInput,
        onReply: (sequence) => {
          if (!modes.take(sequence)) onReply(sequence);
        },
      });
      const onData = (bytes: Buffer | string): void =>
        reader.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
      const onEnd = (): void => gone();
      input.on('data', onData);
      input.on('end', onEnd);
      input.on('error', onEnd);
      input.resume();
      stop = () => {
        input.off('data', onData);
        input.off('end', onEnd);
        input.off('error', onEnd);
        // What fails afterwards is nobody's matter.
        input.on('error', () => undefined);
        input.pause();
        reader.end();
      };
    },
    pause: () => void input.pause(),
    goOn: () => void input.resume(),
    onGone(listener) {
      if (isGone) listener();
      else goneListeners.push(listener);
    },
    close() {
      stop();
      stop = () => undefined;
    },
  };
}

interface ModesTerminal {
  setRaw(raw: boolean): void;
  /** Goes out at once, if the terminal reads. */
  write(text: string): void;
  /** True if it does not read: then nothing waits for it. */
  readonly isBehind: boolean;
}

/** What is turned on in the terminal, and given back: raw input, bracketed paste, reports of the focus, the keyboard protocol. */
interface TerminalModes {
  enter(): void;
  leave(): void;
  /** An answer of the terminal that these modes asked for. @returns true if it was one */
  take(reply: string): boolean;
  readonly isOn: boolean;
}

function createTerminalModes(terminal: ModesTerminal, onKeyboard: (isOn: boolean) => void): TerminalModes {
  let isOn = false;
  let hasKeyboard = false;
  return {
    get isOn() {
      return isOn;
    },
    enter() {
      if (isOn) return;
      isOn = true;
      // A shell may have set it otherwise meanwhile: set it, whatever it was.
      terminal.setRaw(false);
      terminal.setRaw(true);
      terminal.write(`${ON}${hasKeyboard ? KEYBOARD_ON : ASK_KEYBOARD}`);
    },
    leave() {
      if (!isOn) return;
      isOn = false;
      terminal.write(`${hasKeyboard ? KEYBOARD_OFF : ''}${OFF}`);
      if (!terminal.isBehind) terminal.setRaw(false);
    },
    take(reply) {
      if (!reply.startsWith('\x1b[?') || !reply.endsWith('u')) return false;
      if (isOn && !hasKeyboard) {
        hasKeyboard = true;
        onKeyboard(true);
        terminal.write(KEYBOARD_ON);
      }
      return true;
    },
  };
}

interface Guarded {
  /** Takes the modes off, at once. */
  giveBack(): void;
  /** A fault that nobody caught: as `suspend`, for good. What is written of it stands below what is finished. */
  fault(): void;
  /** Takes the live region away and the modes off; whoever is in front writes what it likes. */
  suspend(): void;
  resume(): void;
  /** It could not be stopped: nobody is there who could continue it. After `resume`. */
  notStopped(): void;
  /** SIGINT from another program: as Ctrl-C. */
  interrupt(): void;
  /** The process is asked to end. */
  end(exitCode: number): void;
}

export interface Guard {
  /** Stops this process and all of its job, as Ctrl-Z does in a terminal that is not raw. */
  stop(): void;
  /**
   * Ends the process of a terminal that is gone, as a hang-up does that nobody catches: an orderly exit would have the
   * runtime set the modes of that terminal, and abort as it cannot.
   */
  hangUp(): void;
  dispose(): void;
}

const EXIT_TERMINATED = 143;
const EXIT_HUNG_UP = 129;
/** A stop is done by then, milliseconds. */
const STOP_MS = 50;

/** Contract: at most one a process at a time. */
export function guardTerminal(guarded: Guarded): Guard {
  const giveBack = (): void => guarded.giveBack();
  const onFault = (): void => guarded.fault();
  const onStop = (): void => stop();
  let isStopping = false;
  const onContinue = (): void => {
    isStopping = false;
    process.off('SIGTSTP', onStop);
    process.on('SIGTSTP', onStop);
    guarded.resume();
  };
  const onInterrupt = (): void => guarded.interrupt();
  const onTerminate = (): void => guarded.end(EXIT_TERMINATED);
  const onHangUp = (): void => guarded.end(EXIT_HUNG_UP);

  function stop(): void {
    guarded.suspend();
    // Without a listener the signal stops the process.
    process.off('SIGTSTP', onStop);
    isStopping = true;
    process.kill(0, 'SIGTSTP');
    // Without a shell above it, as under `tmux new turnwright`, the machine drops the signal. If it did not, SIGCONT
    // has come by the time that this is reached: signals are read before what is immediate.
    setTimeout(() => setImmediate(goOnIfNotStopped), STOP_MS);
  }

  function goOnIfNotStopped(): void {
    if (!isStopping) return;
    onContinue();
    guarded.notStopped();
  }

  process.on('exit', giveBack);
  // Before whoever catches it writes of it.
  process.prependListener('uncaughtException', onFault);
  process.prependListener('unhandledRejection', onFault);
  process.on('SIGTSTP', onStop);
  process.on('SIGCONT', onContinue);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onHangUp);

  function dispose(): void {
    process.off('exit', giveBack);
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
    process.off('SIGTSTP', onStop);
    process.off('SIGCONT', onContinue);
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onTerminate);
    process.off('SIGHUP', onHangUp);
  }

  return {
    stop,
    hangUp() {
      dispose();
      process.kill(process.pid, 'SIGHUP');
    },
    dispose,
  };
}
