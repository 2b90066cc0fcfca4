// The output of a command that runs in the background: all of it to a file, and what is new to who asks. Rule: memory
// and the file are bounded, whatever the command prints and however long it runs.
import type { HostClock, HostFs } from '../../host/host.js';
import type { HiddenStream } from '../../secrets/secret-vault.js';
import { createHeadTailBuffer } from '../../util/head-tail-buffer.js';
import { MAX_SHOWN_BYTES } from './limits.js';
import { receiveAll, receiveHidden } from './receive-output.js';
import { createSpool } from './spool.js';

/** The file takes as many characters. */
const MAX_FILE_CHARACTERS = 64 * 1024 * 1024;
/** A question is shown with so many characters. */
const MAX_QUESTION = 300;
/** A program that printed nothing for so long waits for something. */
const QUIET_MS = 150;
/** What is looked through for refusals, characters. */
const MAX_LAST = 32_000;
const encoder = new TextEncoder();

export interface LiveOutput {
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  readonly pause: () => Promise<void> | null;
  /** Adds text that somebody else received, without secrets. */
  add(text: string): void;
  /** What came since the last call, both streams as they came. */
  take(): string;
  /** Settles once there is a file, or there will be none. Never rejects. */
  readonly begun: Promise<void>;
  /** The last of what came. */
  last(): string;
  /**
   * A line that has no end and that `take` does not give yet, such as a question: its last characters. Only where nothing
   * came for a moment: what is still on its way may make a secret of it.
   */
  question(): string;
  /** Ends the file. What of the output is not in it, a sentence; null where all is. Never rejects. */
  finish(): Promise<string | null>;
}

export interface LiveOutputTargets {
  readonly fs: HostFs;
  readonly clock: Pick<HostClock, 'monotonic'>;
  /** Null if nothing may be written. */
  readonly file: string | null;
  /** Begins a stream that takes secrets out; null where they are left in. */
  readonly hidden: (() => HiddenStream) | null;
}

export function openLiveOutput({ fs, clock, file, hidden }: LiveOutputTargets): LiveOutput {
  const spool = file === null ? null : createSpool(fs, file, MAX_FILE_CHARACTERS);
  const begun = spool?.begin() ?? Promise.resolve();
  let fresh = createHeadTailBuffer(MAX_SHOWN_BYTES);
  let last = '';
  const keep = (text: string): void => {
    if (text === '') return;
    fresh.append(encoder.encode(text));
    last = (last + text).slice(-MAX_LAST);
    spool?.write(text);
  };
  const receive = () => (hidden === null ? receiveAll(keep) : receiveHidden(hidden(), keep));
  let lastAt = clock.monotonic();
  const taking = (take: (chunk: Uint8Array) => void) => (chunk: Uint8Array) => {
    lastAt = clock.monotonic();
    take(chunk);
  };
  const out = receive();
  const err = receive();
  const where = file === null ? 'it was not saved' : `all of the output is in ${file}`;
  return {
    onStdout: taking(out.take),
    onStderr: taking(err.take),
    pause: () => out.room() ?? err.room() ?? spool?.room() ?? null,
    add: keep,
    take() {
      const { text } = fresh.render(MAX_SHOWN_BYTES, (bytes) => `[… ${bytes} bytes omitted; ${where} …]`);
      fresh = createHeadTailBuffer(MAX_SHOWN_BYTES);
      return text;
    },
    begun,
    last: () => last,
    question: () => (clock.monotonic() - lastAt < QUIET_MS ? '' : (out.line() || err.line()).slice(-MAX_QUESTION)),
    async finish() {
      await Promise.allSettled([out.end(), err.end()]);
      const state = (await spool?.finish()) ?? null;
      if (state === null) return null;
      if (state.failure !== null) return `Its output could not be written to the file: ${state.failure}`;
      return state.capped ? `The file has the first ${MAX_FILE_CHARACTERS} characters of its output.` : null;
    },
  };
}
