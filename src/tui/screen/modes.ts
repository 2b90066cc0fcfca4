// What is turned on in the terminal, and given back: raw input, bracketed paste, reports of the focus, the keyboard
// protocol. One rule: whatever way the program ends, short of being killed, the terminal is as it was.

export interface ModesTerminal {
  setRaw(raw: boolean): void;
  /** Goes out at once, if the terminal reads. */
  write(text: string): void;
  /** True if it does not read: then nothing waits for it. */
  readonly isBehind: boolean;
}

export interface TerminalModes {
  enter(): void;
  leave(): void;
  /** An answer of the terminal that these modes asked for. @returns true if it was one */
  take(reply: string): boolean;
  readonly isOn: boolean;
}

/** Pastes in brackets, the focus; keys such as Shift-Enter by their names, the older way. */
const ON = '\x1b[?2004h\x1b[?1004h\x1b[>4;1m\x1b[m';
/** Which keyboard protocol it has: whoever knows none does not answer. */
const ASK_KEYBOARD = '\x1b[?u';
const KEYBOARD_ON = '\x1b[>1u';
const KEYBOARD_OFF = '\x1b[<u';
const OFF = '\x1b[?2004l\x1b[?1004l\x1b[>4m\x1b[m\x1b[?7h\x1b[?25h';

export function createTerminalModes(terminal: ModesTerminal, onKeyboard: (isOn: boolean) => void): TerminalModes {
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
