// Which redirects of a server are followed. One rule: a key never leaves the origin it is for.

/** What to do with a response of the 3xx class. */
export type Redirect =
  | { readonly kind: 'follow'; readonly url: URL }
  | { readonly kind: 'refuse'; readonly to: URL | null };

const MAX_REDIRECTS = 1;

/**
 * Decides a redirect; null if the status is none.
 * Contract: it is followed within the same origin only, once, and only where it keeps the method: 307 and 308, of a GET
 * any that names an address. So a key never leaves the origin it is for.
 */
export function decideRedirect(
  from: URL,
  status: number,
  location: string | null,
  followed: number,
  method = 'POST',
): Redirect | null {
  if (status < 300 || status > 399) return null;
  const to = location === null || !URL.canParse(location, from.href) ? null : new URL(location, from);
  const keepsMethod = status === 307 || status === 308 || (method === 'GET' && status <= 303);
  if (to !== null && keepsMethod && to.origin === from.origin && followed < MAX_REDIRECTS) {
    return { kind: 'follow', url: to };
  }
  return { kind: 'refuse', to };
}
