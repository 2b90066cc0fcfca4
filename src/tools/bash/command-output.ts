// Takes the output of a running command: what the model will see, what goes to a file, what is shown as it comes.
// Rule: memory is bounded whatever the command prints.
import type { AppendHandle, HostClock, HostFs } from '../../host/host.js';
import type { HiddenStream } from '../../secrets/secret-vault.js';
import { createHeadTailBuffer, type HeadTailBuffer } from '../../util/head-tail-buffer.js';
import { errorText } from '../../util/text.js';
import { MAX_SHOWN_BYTES } from '../bash.js';
import { readEndFolder } from './shell.js';

/** What became of a spool file. `path` is null if nothing was written. */
interface SpoolState {
  readonly path: string | null;
  /** True if the output was longer than the file may be. */
  readonly capped: boolean;
  /** Why the file is missing or short; null if it is not. */
  readonly failure: string | null;
}

interface Spool {
  /** Makes the file before there is anything to write. Never rejects. */
  begin(): Promise<void>;
  /** Adds text. Ignored once the cap is reached or a write has failed. */
  write(text: string): void;
  /** A promise while too much waits to be written; null while there is room. Never rejects. */
  room(): Promise<void> | null;
  /** Writes what waits, closes the file and says what became of it. Never rejects. */
  finish(): Promise<SpoolState>;
}

/** Text waiting for the disk, in characters: above the first no more is taken, below the second it is again. */
const HIGH_WATER = 256 * 1024;
const LOW_WATER = 64 * 1024;

/** A spool that creates `path` with its first write. `maxCharacters` bounds the file. */
export function createSpool(fs: HostFs, path: string, maxCharacters: number): Spool {
  let waiting: string[] = [];
  let waitingLength = 0;
  let taken = 0;
  let capped = false;
  let failure: string | null = null;
  let file: AppendHandle | null = null;
  let writing: Promise<void> | null = null;
  let wakeReader: (() => void) | null = null;

  const flush = async (): Promise<void> => {
    try {
      file ??= await fs.openAppend(path);
      while (waiting.length > 0) {
        const text = waiting.join('');
        waiting = [];
        await file.append(text);
        waitingLength -= text.length;
        if (waitingLength < LOW_WATER) wakeReader?.();
      }
    } catch (error) {
      failure = errorText(error);
      waiting = [];
      waitingLength = 0;
    }
    writing = null;
    wakeReader?.();
  };

  return {
    begin() {
      writing ??= flush();
      return writing;
    },
    write(text) {
      const part = text.slice(0, maxCharacters - taken);
      if (part.length < text.length) capped = true;
      if (failure !== null || part === '') return;
      taken += part.length;
      waiting.push(part);
      waitingLength += part.length;
      writing ??= flush();
    },
    room() {
      if (waitingLength < HIGH_WATER || writing === null) return null;
      return new Promise((resolve) => {
        const next = wakeReader;
        wakeReader = () => {
          wakeReader = null;
          next?.();
          resolve();
        };
      });
    },
    async finish() {
      await writing;
      try {
        await file?.close();
      } catch (error) {
        failure ??= errorText(error);
      }
      return { path: file === null ? null : path, capped, failure };
    },
  };
}

/** Characters that may wait to be looked through. */
const MOST_WAITING = 1024 * 1024;

interface Receiver {
  take(chunk: Uint8Array): void;
  /** A promise while too much waits. */
  room(): Promise<void> | null;
  /** The line that it stands on, if that is held back as it has no end. */
  line(): string;
  end(): Promise<void>;
}

/** All of it, as it comes. `onBytes` sees each chunk before its text is kept. */
export function receiveAll(keep: (text: string) => void, onBytes?: (chunk: Uint8Array) => void): Receiver {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    take(chunk) {
      onBytes?.(chunk);
      keep(decoder.decode(chunk, { stream: true }));
    },
    room: () => null,
    line: () => '',
    async end() {
      keep(decoder.decode());
    },
  };
}

/** What comes is kept without its secrets only; what may belong to one waits for the rest of it. */
export function receiveHidden(stream: HiddenStream, keep: (text: string) => void): Receiver {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let waiting = 0;
  let work: Promise<void> = Promise.resolve();
  return {
    take(chunk) {
      const text = decoder.decode(chunk, { stream: true });
      if (text === '') return;
      waiting += text.length;
      work = work.then(async () => {
        keep(await stream.push(text));
        waiting -= text.length;
      });
    },
    room: () => (waiting < MOST_WAITING ? null : work),
    line: () => (waiting === 0 ? stream.line() : ''),
    async end() {
      const rest = decoder.decode();
      await work;
      keep((await stream.push(rest)) + (await stream.end()));
    },
  };
}

/** What stderr may take of it when both are long. */
const STDERR_SHARE_BYTES = 10_000;
const MAX_SPOOL_CHARACTERS = 256 * 1024 * 1024;
const PROGRESS_INTERVAL_MS = 100;
const encoder = new TextEncoder();
/** Of a line that has no end, so many characters are looked at. */
const MAX_LINE = 300;
/** A report of progress carries at most the last so many characters. */
const MAX_PROGRESS_CHARACTERS = 16_000;

export interface ShownOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** The file with all of it, if it was too long to show; bytes. */
  readonly file: { readonly path: string; readonly size: number } | null;
}

export interface CommandOutput {
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  /** Asked by the host after each chunk: a promise while the disk is behind. */
  readonly pause: () => Promise<void> | null;
  /**
   * The command goes on without anybody who waits: gives what it printed so far, and from now on all goes to `sink`. No
   * spool file is written any more.
   */
  handOver(sink: (text: string) => void): Promise<ShownOutput>;
  /** After `handOver`, once the command ended: passes on what was held back. */
  endReceiving(): Promise<void>;
  /** Its last line, if that has no end, and how long nothing came, milliseconds. */
  standsOn(): { readonly line: string; readonly quietMs: number };
  /** The folder in which its shell ended; null if it did not say. */
  readonly endFolder: string | null;
  /** Ends progress and the spool file. Call once, when the command has ended. */
  finish(): Promise<ShownOutput>;
}

/** The files that output goes to: `spoolPath` is null if nothing may be written. */
interface OutputTargets {
  readonly fs: HostFs;
  readonly clock: HostClock;
  readonly spoolPath: string | null;
  readonly onProgress: (text: string) => void;
  /** Begins a stream that takes secrets out; null if they are left in. */
  readonly hidden: (() => HiddenStream) | null;
  /** As of `readEndFolder`. */
  readonly mark: string;
}

/** Collects the output of one command. */
export function collectOutput(targets: OutputTargets): CommandOutput {
  const stdout = createHeadTailBuffer(MAX_SHOWN_BYTES);
  const stderr = createHeadTailBuffer(MAX_SHOWN_BYTES);
  const progress = createProgress(targets);
  let early: string[] = [];
  let spool: Spool | null = null;

  let sink: ((text: string) => void) | null = null;
  let line = '';
  let lastAt = targets.clock.monotonic();
  const keepText = (text: string): void => {
    if (text === '') return;
    lastAt = targets.clock.monotonic();
    // Without a copy of what is long anyway.
    line = lastLine(text.length < MAX_LINE ? line + text : text);
    if (sink === null) progress.add(text);
    if (sink !== null) sink(text);
    else if (spool !== null) spool.write(text);
    else if (targets.spoolPath !== null) early.push(text);
  };
  const startSpoolWhenLong = (): void => {
    if (sink !== null || spool !== null || targets.spoolPath === null) return;
    if (stdout.totalBytes + stderr.totalBytes <= MAX_SHOWN_BYTES) return;
    spool = createSpool(targets.fs, targets.spoolPath, MAX_SPOOL_CHARACTERS);
    for (const text of early) spool.write(text);
    early = [];
  };
  const receive = (buffer: HeadTailBuffer): Receiver => {
    if (targets.hidden === null) {
      return receiveAll(keepText, (chunk) => {
        if (sink === null) buffer.append(chunk);
        startSpoolWhenLong();
      });
    }
    return receiveHidden(targets.hidden(), (text) => {
      if (sink === null) buffer.append(encoder.encode(text));
      startSpoolWhenLong();
      keepText(text);
    });
  };
  const out = receive(stdout);
  const err = receive(stderr);
  const told = readEndFolder(targets.mark, err.take);
  return {
    get endFolder() {
      return told.folder;
    },
    onStdout: out.take,
    onStderr: told.take,
    pause: () => out.room() ?? err.room() ?? spool?.room() ?? null,
    async handOver(next) {
      progress.flush();
      sink = next;
      return renderShown(stdout, stderr, (await spool?.finish()) ?? null);
    },
    async endReceiving() {
      told.end();
      await Promise.allSettled([out.end(), err.end()]);
    },
    standsOn: () => ({ line: line || out.line() || err.line(), quietMs: targets.clock.monotonic() - lastAt }),
    async finish() {
      await out.end();
      told.end();
      await err.end();
      progress.flush();
      return renderShown(stdout, stderr, (await spool?.finish()) ?? null);
    },
  };
}

function lastLine(text: string): string {
  return text.slice(Math.max(text.lastIndexOf('\n') + 1, text.length - MAX_LINE));
}

/** Shares the space: a short stream is shown whole, and the other gets what is left. */
function renderShown(stdout: HeadTailBuffer, stderr: HeadTailBuffer, spool: SpoolState | null): ShownOutput {
  const forStdout = MAX_SHOWN_BYTES - Math.min(stderr.totalBytes, STDERR_SHARE_BYTES);
  const forStderr = MAX_SHOWN_BYTES - Math.min(stdout.totalBytes, forStdout);
  const describe = (omittedBytes: number): string => `[… ${omittedBytes} bytes omitted; ${describeSpool(spool)} …]`;
  return {
    stdout: stdout.render(forStdout, describe).text,
    stderr: stderr.render(forStderr, describe).text,
    file: spool?.path == null ? null : { path: spool.path, size: stdout.totalBytes + stderr.totalBytes },
  };
}

/** Both streams as one text, without the line ends at their ends; stderr is marked if both have content. */
export function renderOutput({ stdout, stderr }: ShownOutput): string {
  const out = stdout.trimEnd();
  const err = stderr.trimEnd();
  if (out === '' || err === '') return out + err;
  return `${out}\n[stderr]\n${err}`;
}

function describeSpool(spool: SpoolState | null): string {
  if (spool === null) return 'the full output was not saved';
  if (spool.path === null) return `the full output could not be saved: ${spool.failure ?? 'unknown cause'}`;
  if (spool.failure !== null) return `a part of the output is in ${spool.path}, writing it failed: ${spool.failure}`;
  if (spool.capped) return `the first ${MAX_SPOOL_CHARACTERS} characters of the output are in ${spool.path}`;
  return `the full output (stdout and stderr as they came) is in ${spool.path}`;
}

/** Reports new text at most once per interval, never more than the last `MAX_PROGRESS_CHARACTERS`. */
function createProgress(targets: OutputTargets) {
  let waiting = '';
  let cancelTimer: (() => void) | null = null;
  const report = (): void => {
    cancelTimer = null;
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    targets.onProgress(text);
  };
  return {
    add(text: string): void {
      const whole = text.length < MAX_PROGRESS_CHARACTERS ? waiting + text : text;
      waiting = whole.slice(-MAX_PROGRESS_CHARACTERS);
      cancelTimer ??= targets.clock.after(PROGRESS_INTERVAL_MS, report);
    },
    flush(): void {
      cancelTimer?.();
      report();
    },
  };
}
