// What stands before the model in place of a secret. Rule: a word that means nothing to a shell, in quotes or without, so
// that a command that has it can be read as it is; and the same for the same secret, also in a later session.

const PLACEHOLDER = /\{secret:[A-Za-z0-9_.-]{1,64}:([0-9a-f]{10})\}/g;
const VARIABLE = /\bTURNWRIGHT_SECRET_([0-9A-F]{10})\b/g;
const LONGEST_NAME = 48;

/** @param kind what is known of the secret, for example `github-token` or `value of STRIPE_KEY` */
export function placeholderOf(kind: string, id: string): string {
  const name = kind.replace(/^value of /, '').replace(/[^A-Za-z0-9_.-]+/g, '-');
  return `${HEAD}${name.slice(0, LONGEST_NAME) || 'secret'}:${id}}`;
}

/** The variable that has the secret in a command whose shell would act on its characters. */
export function variableOf(id: string): string {
  return `TURNWRIGHT_SECRET_${id.toUpperCase()}`;
}

/** @param give what takes the place of a placeholder; undefined leaves it */
export function replacePlaceholders(
  text: string,
  give: (id: string, placeholder: string) => string | undefined,
): string {
  return text.replace(PLACEHOLDER, (placeholder: string, id: string) => give(id, placeholder) ?? placeholder);
}

/** The ids of the variables that a command names. */
export function idsOfVariables(command: string): readonly string[] {
  return [...new Set(Array.from(command.matchAll(VARIABLE), ([, id = '']) => id.toLowerCase()))];
}

// How a placeholder is told by a look, before what reads it is loaded.

/** Every placeholder begins so. */

const HEAD = '{secret:';

/** False if the text surely has none. */
export function mayHoldPlaceholder(text: string): boolean {
  return text.includes(HEAD);
}
