// What the command line touches of its process, as one record, so that every mode can be run on other streams.
import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { ConfigError } from '../protocol/errors.js';
import { createOutput, type Output } from './output.js';

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
