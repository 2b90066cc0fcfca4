// Web addresses: parsed once, as the platform parses them; decided on and connected to as what was parsed. Pure.
import { addressBytes, isPublicAddress } from './ip-address.js';

/**
 * An address as it is decided on and connected to. `url` leads to `host` and to no other: without a dot behind it, and
 * without what is for browsers alone.
 */
export type WebAddress =
  | { readonly kind: 'address'; readonly host: string; readonly isPublic: boolean; readonly url: URL }
  /** Why nothing may be said about it. */
  | { readonly kind: 'unusable'; readonly why: string };

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** What a URL leads to. Contract: never throws. */
export function readAddress(url: string): WebAddress {
  if (hasHiddenCharacters(url)) return { kind: 'unusable', why: 'it holds white space or control characters' };
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return { kind: 'unusable', why: 'it is not a web address' };
  }
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    return { kind: 'unusable', why: `${parsed.protocol} is not http or https` };
  if (parsed.username !== '' || parsed.password !== '')
    return { kind: 'unusable', why: 'a name or password stands before its host' };
  // Programs differ in what they take a backslash for, so that one may show a host and connect to another.
  if (url.includes('\\')) return { kind: 'unusable', why: 'it holds a backslash' };
  const host = parsed.hostname.replace(/\.$/, '');
  if (host === '' || (!host.startsWith('[') && !host.split('.').every((label) => LABEL.test(label))))
    return { kind: 'unusable', why: `"${parsed.hostname}" is not a host name` };
  parsed.hostname = host;
  parsed.hash = '';
  return { kind: 'address', host, isPublic: isPublicHost(host), url: parsed };
}

function hasHiddenCharacters(url: string): boolean {
  for (const character of url) {
    const code = character.codePointAt(0) ?? 0;
    if (code <= 0x20 || (code >= 0x7f && code <= 0xa0) || (code >= 0x2000 && code <= 0x200f) || code === 0xfeff)
      return true;
    if ((code >= 0x2028 && code <= 0x202f) || (code >= 0x2060 && code <= 0x206f)) return true;
  }
  return false;
}

/** Names that never lead out of a machine or its network. */
const LOCAL_NAMES = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'localdomain', 'home.arpa'];

/** False for addresses of this machine, of private and special networks, and for names of one part. */
export function isPublicHost(host: string): boolean {
  const bytes = addressBytes(host.replace(/^\[(.*)\]$/, '$1'));
  if (bytes !== null) return isPublicAddress(bytes);
  if (!host.includes('.')) return false;
  return !LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}
