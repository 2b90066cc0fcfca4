// Session ids as people hand them on: the first characters, as lists show them. One rule: what could be more than one
// session, or something else than an id, is never one.

import { ConfigError, SessionError } from '../../protocol/errors.js';
import { findSessionIds, listSessions } from './list-sessions.js';
import type { SessionFunctionOptions } from './session-options.js';

/** Eight characters at least, and less than all of them. */
const BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,27}$/i;
const MAX_LISTED = 5;

/**
 * The id of the one session that begins so; what is no beginning of an id as it is: whoever uses it says so.
 * @throws ConfigError if several begin so, SessionError if none does
 */
export async function wholeId(
  given: string,
  options: SessionFunctionOptions & { readonly dir?: string },
): Promise<string> {
  if (typeof given !== 'string' || !BEGINNING.test(given)) return given;
  const ids =
    options.sessionStore === undefined
      ? await findSessionIds(given, options)
      : (await listSessions(options)).map(({ sessionId }) => sessionId);
  const found = [...new Set(ids)].filter((id) => id.startsWith(given.toLowerCase()));
  const [only, another] = found;
  if (only === undefined)
    throw new SessionError(
      'session_not_found',
      `There is no session${placeOf(options)} whose id begins with ${given}.`,
    );
  if (another === undefined) return only;
  const some = found.slice(0, MAX_LISTED).join(', ');
  throw new ConfigError(`${found.length} sessions have ids that begin with ${given}: ${some}. Give more of it.`);
}

function placeOf({ dir, sessionStore }: SessionFunctionOptions & { readonly dir?: string }): string {
  if (sessionStore !== undefined) return ' in the session store';
  return dir === undefined ? '' : ` of ${dir}`;
}
