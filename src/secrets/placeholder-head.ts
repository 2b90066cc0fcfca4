// How a placeholder is told by a look, before what reads it is loaded.

/** Every placeholder begins so. */
export const HEAD = '{secret:';

/** False if the text surely has none. */
export function mayHoldPlaceholder(text: string): boolean {
  return text.includes(HEAD);
}
