// What the command line touches of its process, as one record, so that every mode can be run on other streams. What is
// written waits if the reader is slow, and takes a reader that went away calmly.
import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { ConfigError } from '../protocol/errors.js';
import { EXIT_SUCCESS } from './exit-codes.js';

export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  readonly fd?: number;
  /** Known to end without a byte, so that nobody has to wait for its end. */
  readonly isEmpty?: boolean;
  destroy?(): unknown;
};
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

export interface CliIo {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The same streams, for writing. */
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /**
   * Absolute folder the process was started in.
   * @throws ConfigError if that folder is gone
   */
  startedIn(): string;
  /** Aborted when the process must end: whatever runs is ended with it. */
  readonly lifetime: AbortController;
  /** Ends the process at once. Only for when the orderly way did not end in time. */
  exit(code: number): void;
}

/** The streams of this process. */
export function processIo(): CliIo {
  return {
    stdin: isNullDevice(0) ? noInput() : process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    out: createOutput(process.stdout),
    err: createOutput(process.stderr),
    env: process.env,
    startedIn: currentFolder,
    lifetime: new AbortController(),
    exit: (code) => process.exit(code),
  };
}

/** Nothing comes from there, and a stream on it costs a start a millisecond. */
function isNullDevice(fd: number): boolean {
  try {
    return fstatSync(fd).rdev === statSync(devNull).rdev && fstatSync(fd).isCharacterDevice();
  } catch {
    // A descriptor that is closed, or a system without such a device: the stream itself says what is wrong.
    return false;
  }
}

function noInput(): InputStream {
  return Object.assign(process.getBuiltinModule('node:stream').Readable.from([]), { isEmpty: true });
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new ConfigError('the current folder no longer exists. Change to another one.', { cause: error });
  }
}

/** One output stream. Contract: no method throws or rejects. */
export interface Output {
  /** Resolves when more may be written: at once, or when a slow reader has caught up, or when there is no reader. */
  write(text: string): Promise<void>;
  /** Resolves when everything written so far was handed over, or nobody reads any more. */
  flush(): Promise<void>;
  /** True once nothing can be written any more: the reader has gone, or the file took no more. */
  readonly closed: boolean;
  /** Why the file that this goes to took no more, such as a full disk. Null if the reader went. */
  readonly failure: Error | null;
  /** Called once when the reader goes. */
  onClosed(listener: () => void): void;
}

/** What a file says that takes no more. All other errors of a stream mean that nobody reads what we write. */
const LOST_ON_THE_WAY: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

export function createOutput(stream: NodeJS.WritableStream): Output {
  let closed = false;
  let failure: Error | null = null;
  const listeners: (() => void)[] = [];
  const onGone = () => {
    if (closed) return;
    closed = true;
    for (const listener of listeners.splice(0)) listener();
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!closed && LOST_ON_THE_WAY.has(error.code ?? '')) failure = error;
    onGone();
  });
  stream.on('close', onGone);

  const settled = (start: (done: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      if (closed) return resolve();
      listeners.push(resolve);
      start(() => {
        const at = listeners.indexOf(resolve);
        if (at !== -1) listeners.splice(at, 1);
        resolve();
      });
    });

  return {
    write(text) {
      if (closed || text === '' || stream.write(text)) return Promise.resolve();
      return settled((done) => stream.once('drain', done));
    },
    flush: () => settled((done) => stream.write('', () => done())),
    get closed() {
      return closed;
    },
    get failure() {
      return failure;
    },
    onClosed(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
  };
}

/** What a command has to say, and that it went well: exit code 0. */
export async function tell(text: string, io: CliIo): Promise<number> {
  await io.out.write(text);
  return EXIT_SUCCESS;
}

/** What `--json` prints. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
