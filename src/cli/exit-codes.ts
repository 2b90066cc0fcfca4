// The exit codes of the command line, and how an error becomes a code and one line.
import { isEngineError } from '../protocol/errors.js';
import { errorText } from '../util/text.js';
import { escapeHidden } from '../view/escape-text.js';

/** Whose tokens count could not be found out; published clients know this number. */
export const EXIT_AUTHENTICATION = 41;
/** The prompt ended with a `success` result. */
export const EXIT_SUCCESS = 0;
/** The prompt ended with an error result, or Turnwright itself failed. */
export const EXIT_FAILURE = 1;
/** Nothing ran: a flag, its value, a setting or the environment cannot be used. */
const EXIT_USAGE = 2;
/** Calls wait for a decision: the work is neither done nor failed. */
export const EXIT_DEFERRED = 3;
/** Left by a second Ctrl-C. */
export const EXIT_INTERRUPTED = 130;
/** The reader of stdout went away before the end. */
export const EXIT_BROKEN_PIPE = 141;

/** Exit code after a thrown error: what the caller can mend by another command line is a usage error. */
export function exitCodeOf(error: unknown): number {
  if (!isEngineError(error)) return EXIT_FAILURE;
  switch (error.code) {
    case 'config_invalid':
    case 'rule_invalid':
    case 'not_supported':
    case 'session_not_found':
    case 'session_invalid':
    case 'session_in_use':
      return EXIT_USAGE;
    case 'transcript_unwritable':
    case 'tool_failed':
    case 'model_failed':
    case 'host_failed':
      return EXIT_FAILURE;
    default:
      return unknownCode(error.code);
  }
}

/** A newer copy of this package may throw codes this one does not know. */
function unknownCode(_code: never): number {
  return EXIT_FAILURE;
}

/** One line for stderr, without the line end. Contract: never more than one line, nothing hidden in it. */
export function errorLine(error: unknown): string {
  const text = errorText(error).replace(/\s*[\r\n]+\s*/g, ' ');
  return `turnwright: ${escapeHidden(text) || 'failed without a message'}`;
}
