// Where the lines of `--debug-file` and `--debug` go, without secrets. Each is written before anything else happens: a crash
// leaves them whole.
import { openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../protocol/errors.js';
import { createLogRedactor, type DebugLog, describeRun } from '../sdk/logs/index.js';
import type { CliIo } from './cli-io.js';

export { createLogRedactor };

/**
 * Opens the file for appending; created for its owner only.
 * @param file null: lines go to stderr
 * @throws ConfigError if it cannot be written
 */
export function openDebugLog(file: string | null, io: CliIo, redact: (text: string) => string): DebugLog {
  const put = file === null ? (line: string) => void io.err.write(line) : appender(resolve(io.startedIn(), file));
  return describeRun(Date.now, put, redact);
}

function appender(path: string): (line: string) => void {
  const descriptor = openForAppend(path);
  let broken = false;
  return (line) => {
    if (broken) return;
    try {
      writeSync(descriptor, line);
    } catch {
      // A full disk must not end the run that is being looked at; the log just stops.
      broken = true;
    }
  };
}

function openForAppend(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError(`--debug-file ${path} cannot be written (${code}).`, { cause: error });
  }
}
