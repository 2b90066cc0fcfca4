// Which addresses a server may name for signing in. One rule: secrets go over TLS or stay on this machine, and a server
// elsewhere names nothing on this machine.
import { shorten } from '../../util/text.js';

/** @param what the address is for, in words that follow "the address" @throws Error */
export function checkEndpoint(address: string, what: string, server: URL): URL {
  const shown = JSON.stringify(shorten(address, 200));
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) throw new Error(`the address ${what} is not a valid one: ${shown}`);
  if (url.username !== '' || url.password !== '') throw new Error(`the address ${what} has a user in it: ${shown}`);
  if (isLoopback(url)) {
    if (isLoopback(server) && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
    throw new Error(`the address ${what} is on this machine, and the server is not: ${shown}`);
  }
  if (url.protocol === 'https:') return url;
  throw new Error(`the address ${what} does not begin with https: ${shown}`);
}

/** True for this machine itself. */
export function isLoopback({ hostname }: URL): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
