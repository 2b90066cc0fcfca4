// Hosts as people name them in a list: a name, all names below one, an address, a range of addresses; with a port or
// without. Pure.
import { addressBytes, sharesBits } from './ip-address.js';
import { readAddress } from './web-address.js';

export interface HostPattern {
  readonly kind: 'name' | 'below' | 'range';
  /** Lower case, an address without brackets; of a range its first address. */
  readonly host: string;
  /** Of a range, how many bits are the same. */
  readonly bits: number;
  /** Null: any. */
  readonly port: number | null;
}

/** Null for what is none of these. */
export function parseHostPattern(text: string): HostPattern | null {
  const [, written = '', portText] =
    /^(\[[^\]]*\](?:\/\d{1,3})?|[^:\s]*|[0-9a-f:.]+(?:\/\d{1,3})?)(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const port = portText === undefined ? null : Number(portText);
  if (written === '' || (port !== null && (port < 1 || port > 65_535))) return null;
  const [address = '', bitsText] = written.replace(/[[\]]/g, '').split('/');
  const bytes = addressBytes(address);
  if (bytes !== null) {
    const bits = bitsText === undefined ? bytes.length * 8 : Number(bitsText);
    return bits > bytes.length * 8 ? null : { kind: 'range', host: address.toLowerCase(), bits, port };
  }
  const isBelow = written.startsWith('*.');
  const name = isBelow ? written.slice(2) : written;
  if (/[/\\@?#\s*%[\]]/.test(name)) return null;
  const read = readAddress(`https://${name}/`);
  // Another spelling of an address would be another address than it looks.
  if (read.kind !== 'address' || addressBytes(read.host) !== null) return null;
  return { kind: isBelow ? 'below' : 'name', host: read.host, bits: 0, port };
}

/** @param host a name or an address, as `readAddress` gives it; brackets do not matter */
export function matchesHostPattern(pattern: HostPattern, host: string, port: number): boolean {
  if (pattern.port !== null && pattern.port !== port) return false;
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const bytes = addressBytes(bare);
  if (pattern.kind === 'range')
    return bytes !== null && sharesBits(bytes, addressBytes(pattern.host) ?? [], pattern.bits);
  if (bytes !== null) return false;
  return pattern.kind === 'name' ? bare === pattern.host : bare.endsWith(`.${pattern.host}`);
}
