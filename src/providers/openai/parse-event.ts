// One event's data as an object. Rule: an error shows no more of a broken event than is safe.
import { ModelError } from '../../protocol/errors.js';

const MAX_SHOWN = 200;

/** Throws `malformed` if the data is no JSON object. @param secrets texts that no error may repeat */
export function parseEvent(data: string, secrets: readonly string[]): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    // A plain text may quote anything, a key included; only its beginning is shown, and not where it holds one.
    const isSafe = !secrets.some((secret) => data.includes(secret));
    const shown = isSafe ? data.slice(0, MAX_SHOWN).replace(/\p{C}/gu, ' ') : 'hidden';
    throw new ModelError('malformed', `An event of the reply is not valid JSON: ${shown}.`, {
      cause: isSafe ? error : undefined,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw violation('an event that is not an object');
  }
  return value as Readonly<Record<string, unknown>>;
}

export function violation(what: string): ModelError {
  return new ModelError('malformed', `The reply broke the protocol: ${what}.`);
}
