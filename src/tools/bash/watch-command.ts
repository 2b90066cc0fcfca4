// What may happen to a command while its call waits for it, beside its end: a person or a limit moves it to the background, or
// it is found to wait for an answer that nobody can give. One rule: it is told why, and nothing of it is lost.
import type { ToolContext } from '../tool.js';
import type { CommandOutput } from './command-output.js';

/** `question`: it printed one and fell silent. */
export type MovedBy = 'user' | 'timeout' | 'time' | 'question';

export interface CommandWatch {
  /** Aborted when the command must end: by the caller, or as it waits for somebody to type. */
  readonly signal: AbortSignal;
  /** Aborted when it is to go on without its call. */
  readonly release: AbortSignal;
  /** Milliseconds until it is stopped; 0: it is not. */
  readonly timeoutMs: number;
  readonly movedBy: MovedBy | null;
  /** The program that waits for somebody to type; null if none does. */
  readonly waiting: string | null;
  /** A program waits for somebody to type. */
  setWaiting(program: string): void;
  end(): void;
}

/** A question that stood for so long without an answer will get none. */
const SILENT_MS = 7_000;
const LOOK_MS = 1_000;
/** The ends of lines that ask a person: for a secret, a yes, a key. */
const ASKS =
  /(?:(?:password|passphrase|passcode|username|login|otp|pin)\b[^\n]{0,80}[:?]|[[(]\s*(?:y(?:es)?\s*\/\s*n(?:o)?)(?:\/[^\])]{0,40})?\s*[\])]\s*[:?]?|(?:press|hit|type) (?:any key|enter|return)[^\n]{0,60}|(?:continue|proceed|overwrite|are you sure)\b[^\n]{0,60}\?)\s*$/i;

export function watchCommand(
  { background, openTasks, signal, host: { clock } }: ToolContext,
  timeoutMs: number,
  { standsOn }: Pick<CommandOutput, 'standsOn'>,
): CommandWatch {
  const stop = new AbortController();
  const release = new AbortController();
  let movedBy: MovedBy | null = null;
  let waiting: string | null = null;
  const move = (by: MovedBy): void => {
    movedBy ??= by;
    release.abort();
  };
  const ends: (() => void)[] = [];
  const isStopped = background?.atTimeout !== true || openTasks === undefined;
  if (background !== undefined && openTasks !== undefined) {
    ends.push(background.listen(() => move('user')));
    if (background.afterMs !== null) ends.push(clock.after(background.afterMs, () => move('time')));
    if (!isStopped) ends.push(clock.after(timeoutMs, () => move('timeout')));
    let cancel: () => void = () => undefined;
    const look = (): void => {
      const { line, quietMs } = standsOn();
      if (quietMs >= SILENT_MS && ASKS.test(line)) move('question');
      else cancel = clock.after(LOOK_MS, look);
    };
    cancel = clock.after(LOOK_MS, look);
    ends.push(() => cancel());
  }
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    release: release.signal,
    timeoutMs: isStopped ? timeoutMs : 0,
    get movedBy() {
      return movedBy;
    },
    get waiting() {
      return waiting;
    },
    setWaiting(program) {
      waiting = program;
      stop.abort();
    },
    end() {
      for (const each of ends) each();
    },
  };
}
