// What the command line touches of its process, as one record, so that every mode can be run on other streams.
import { ConfigError } from '../protocol/errors.js';
import { createOutput, type Output } from './output.js';

export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  readonly fd?: number;
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
   * @throws ConfigError where that folder is gone
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
    stdin: process.stdin,
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

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new ConfigError('the current folder no longer exists. Change to another one.', { cause: error });
  }
}
