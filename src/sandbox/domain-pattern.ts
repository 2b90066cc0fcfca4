// Which hosts a sandboxed command may reach: patterns, host names and addresses, in one spelling each. Pure.
// Rule: a name that can be read in two ways is refused, not interpreted.
import { ConfigError } from '../protocol/errors.js';
import { addressBytes, carriedAddress, sharesBits } from '../util/web-address.js';

export interface DomainPattern {
  /** As it was written. */
  readonly source: string;
  /** `suffix`: below the domain, not the domain itself. */
  readonly kind: 'exact' | 'suffix' | 'any' | 'range';
  /** Lower case; of a range its first address. */
  readonly host: string;
  /** Bits of a range. */
  readonly bits: number;
  /** Null: 80 and 443. */
  readonly port: number | null;
}

const WEB_PORTS = [80, 443];
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** @throws ConfigError */
export function parseDomain(source: string, name: string): DomainPattern {
  const refuse = (): never => {
    throw new ConfigError(
      `${name} has "${source}". Write a host such as example.com, *.example.com, an address or a range such as 10.0.0.0/8; ` +
        'a port follows after a colon. Addresses of pages (https://…) are not hosts.',
    );
  };
  const text = source.trim().toLowerCase();
  const [, host = '', portText] =
    /^(\[[0-9a-f:.]+\](?:\/\d+)?|[^:\s]*|[0-9a-f:.]+(?:\/\d+)?)(?::(\d+))?$/.exec(text) ?? [];
  const port = portText === undefined ? null : Number(portText);
  if (host === '' || (port !== null && (port < 1 || port > 65_535))) return refuse();
  const base = { source, port, bits: 0 };
  if (host === '*') return { ...base, kind: 'any', host: '' };
  if (host.startsWith('*.')) {
    const below = host.slice(2);
    return isHostName(below) && below.includes('.') ? { ...base, kind: 'suffix', host: below } : refuse();
  }
  const [address = '', bitsText] = host.replace(/[[\]]/g, '').split('/');
  const bytes = addressBytes(address);
  if (bytes !== null) {
    const bits = bitsText === undefined ? bytes.length * 8 : Number(bitsText);
    if (!Number.isInteger(bits) || bits > bytes.length * 8) return refuse();
    return { ...base, kind: 'range', host: address, bits };
  }
  return bitsText === undefined && isHostName(host) ? { ...base, kind: 'exact', host } : refuse();
}

/** As `matchesHost`, and the port too. */
export function matchesDomain(pattern: DomainPattern, host: string, port: number): boolean {
  if (pattern.port === null ? !WEB_PORTS.includes(port) : pattern.port !== port) return false;
  return matchesHost(pattern, host);
}

/**
 * True if the host is what a pattern refuses, at any port: also an address of version 6 that carries one of version 4, which leads
 * to the same machine. What a pattern allows is spelled as it spells it.
 */
export function refusesHost(pattern: DomainPattern, host: string): boolean {
  if (matchesHost(pattern, host)) return true;
  const bytes = pattern.kind === 'range' ? addressBytes(host) : null;
  const carried = bytes === null ? null : carriedAddress(bytes);
  return carried !== null && matchesHost(pattern, carried.join('.'));
}

/** True if a name matches; addresses match ranges only. */
export function matchesHost({ kind, host: wanted, bits }: DomainPattern, host: string): boolean {
  const bytes = addressBytes(host);
  if (kind === 'range') {
    const first = addressBytes(wanted);
    return bytes !== null && first !== null && sharesBits(bytes, first, bits);
  }
  if (bytes !== null) return false;
  if (kind === 'any') return true;
  return kind === 'exact' ? host === wanted : host.endsWith(`.${wanted}`);
}

/**
 * The one spelling of a host that was asked for: lower case, an address without brackets. Null for whatever is not
 * plainly a host name or an address: a trailing dot, `0x7f.1`, `2130706433`, Unicode, a user, a NUL.
 */
export function plainHost(text: string): string | null {
  const host = text.toLowerCase();
  if (host.startsWith('[')) {
    const inner = host.endsWith(']') ? host.slice(1, -1) : '';
    return inner.includes(':') && addressBytes(inner) !== null ? inner : null;
  }
  if (addressBytes(host) !== null) return host.includes(':') ? null : host;
  return isHostName(host) ? host : null;
}

/** A last label of digits alone, or of 0x…, is a spelling of an address for some programs. */
function isHostName(host: string): boolean {
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  return host.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^(\d+|0x[0-9a-f]*)$/.test(last);
}
