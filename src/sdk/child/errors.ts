// What went wrong with the program behind a session, in words that say what to do.
import { ChildProcessError, ConfigError } from '../../protocol/errors.js';
import { shorten, tailAtWord } from '../../util/text.js';
import type { ProgramEnd } from './program.js';

/** What is told of its stderr, from the end. */
const TOLD_CHARACTERS = 600;
/** What our own command line exits with if nothing ran because of what it was given. */
const EXIT_USAGE = 2;

/** @param what it had not done yet, in words that follow "before" */
export function endedEarly(end: ProgramEnd, stderr: string, what: string): Error {
  const said = tailAtWord(stderr.trim(), TOLD_CHARACTERS);
  const quoted = said === '' ? 'It said nothing on its stderr.' : `It said last: ${shorten(said, TOLD_CHARACTERS)}`;
  const message = `The child process ended ${how(end)} before ${what}. ${quoted}`;
  if (end.exitCode === EXIT_USAGE) return new ConfigError(message, { cause: end.error });
  return new ChildProcessError(message, { exitCode: end.exitCode, signal: end.signal, stderr, cause: end.error });
}

function how({ exitCode, signal, error }: ProgramEnd): string {
  if (signal !== null) return `by the signal ${signal}`;
  if (exitCode !== null) return `with code ${exitCode}`;
  return error instanceof Error ? `with the error "${error.message}"` : 'without a code';
}
