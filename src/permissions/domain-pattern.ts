// Rules about web addresses: a host, or all below one. What an address is, is read in one place.
import { readAddress } from '../util/web-address.js';

/** A host, or all below one: `example.com`, `*.example.com`. */
export interface DomainPattern {
  readonly host: string;
  /** True: names below the host, and not the host itself. */
  readonly below: boolean;
}

/** Null if the text is no host name. */
export function parseDomainPattern(text: string): DomainPattern | null {
  const below = text.startsWith('*.');
  const host = hostOf(below ? text.slice(2) : text);
  return host === null ? null : { host, below };
}

export function matchesDomain({ host, below }: DomainPattern, name: string): boolean {
  return below ? name.endsWith(`.${host}`) : name === host;
}

function hostOf(text: string): string | null {
  const plain = text.trim().replace(/\.$/, '');
  if (plain === '' || /[/\\@?#\s*%]/.test(plain) || (plain.includes(':') && !plain.startsWith('['))) return null;
  const address = readAddress(`https://${plain}/`);
  return address.kind === 'address' ? address.host : null;
}
