// Calls a person who looks elsewhere: the bell, and a message of the desktop (OSC 9), through tmux too. One rule: only when
// an answer is awaited, or a long prompt ends, and never while the terminal has the focus.

export const NOTIFY_CHANNELS = ['auto', 'bell', 'desktop', 'off'] as const;
export type NotifyChannel = (typeof NOTIFY_CHANNELS)[number];

/** A prompt that ends sooner is still being looked at, milliseconds. */
const LONG_PROMPT_MS = 10_000;
/** Characters of a message of the desktop. */
const LONGEST = 200;

export interface Notifier {
  /** The terminal got or lost the focus. Until it tells, nobody knows, and it counts as away. */
  setFocused(focused: boolean): void;
  /** A question waits. */
  awaitsAnswer(what: string): void;
  /** A prompt is over. @param ms how long it took */
  promptEnded(ms: number, what: string): void;
}

/** @param write puts bytes to the terminal between two frames */
export function createNotifier(
  write: (bytes: string) => void,
  env: Readonly<Record<string, string | undefined>>,
  channel: NotifyChannel = 'auto',
): Notifier {
  let focused: boolean | null = null;
  const call = (what: string): void => {
    if (channel === 'off' || focused === true) return;
    write(notification(what, env, channel));
  };
  return {
    setFocused(now) {
      focused = now;
    },
    awaitsAnswer: call,
    promptEnded(ms, what) {
      // Who was never told of any focus may be looking on: a long prompt is worth the bell all the same.
      if (ms > LONG_PROMPT_MS) call(what);
    },
  };
}

/** The bytes. What a terminal does not know of them it passes over. */
export function notification(
  what: string,
  env: Readonly<Record<string, string | undefined>>,
  channel: Exclude<NotifyChannel, 'off'>,
): string {
  const bell = channel === 'desktop' ? '' : '\x07';
  // `9;4;` is a progress bar to some terminals: the text begins with the name, so never like that.
  const text = what
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST);
  const message = channel === 'bell' ? '' : through(`\x1b]9;Turnwright: ${text}\x07`, env);
  return `${message}${bell}`;
}

/** A sequence for the terminal outside of tmux or screen, which pass on what is wrapped so. */
export function through(sequence: string, env: Readonly<Record<string, string | undefined>>): string {
  if ((env['TMUX'] ?? '') !== '') return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`;
  if ((env['STY'] ?? '') !== '') return `\x1bP${sequence}\x1b\\`;
  return sequence;
}
