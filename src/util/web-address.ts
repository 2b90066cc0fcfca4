// Addresses on the network, as text: of the web, parsed once as the platform parses them, and decided on and connected to as
// what was parsed; hosts as people name them in a list; addresses of the internet protocol, and which are public. Pure.

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

interface HostPattern {
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

/** Of an address in the usual spelling, without brackets, 4 or 16; null for anything else. */
export function addressBytes(text: string): readonly number[] | null {
  if (!text.includes(':')) {
    const parts = text.split('.');
    const isPlain = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
    return isPlain ? parts.map(Number) : null;
  }
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half) => groupsOf(half));
  if (head === null || head === undefined || tail === null) return null;
  if (tail === undefined) return head.length === 16 ? head : null;
  const gap = 16 - head.length - tail.length;
  return gap < 2 ? null : [...head, ...new Array<number>(gap).fill(0), ...tail];
}

function groupsOf(text: string): number[] | null {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [at, group] of groups.entries()) {
    if (group.includes('.')) {
      const last = at === groups.length - 1 ? addressBytes(group) : null;
      if (last === null) return null;
      bytes.push(...last);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(group)) return null;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

/** True if both are of one version and begin with the same bits. */
export function sharesBits(a: readonly number[], b: readonly number[], bits: number): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < bits; at++) {
    const mask = 0x80 >> (at & 7);
    if (((a[at >> 3] ?? 0) & mask) !== ((b[at >> 3] ?? 0) & mask)) return false;
  }
  return true;
}

/** What of the address space is not the public internet: this machine, its networks, and what tells it who it is. */
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // By its number public, and answered by the machine below with what it knows of a virtual one, secrets included.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Of the part of version 6 that is public: tunnels of old, examples, and what is given out for special use.
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
].map(readRange);

const PUBLIC_V6 = readRange('2000::/3');
/** Prefixes behind which the four bytes of another address stand, and where. */
const CARRIERS = [
  { range: readRange('::ffff:0:0/96'), at: 12 },
  { range: readRange('::ffff:0:0:0/96'), at: 12 },
  { range: readRange('64:ff9b::/96'), at: 12 },
  { range: readRange('2002::/16'), at: 2 },
];

/** The address of version 4 that one of version 6 stands for; null for any other. */
export function carriedAddress(bytes: readonly number[]): readonly number[] | null {
  const carrier = CARRIERS.find(({ range: { first, bits } }) => sharesBits(bytes, first, bits));
  return carrier === undefined ? null : bytes.slice(carrier.at, carrier.at + 4);
}

/** As people write it: of an address of version 6 that stands for one of version 4, that one; else the host as it is. */
export function usualHost(host: string): string {
  if (!host.startsWith('[')) return host;
  const bytes = addressBytes(host.slice(1, -1));
  return (bytes === null ? null : carriedAddress(bytes)?.join('.')) ?? host;
}

/** Contract: what is not known to be public is not. @param bytes as `addressBytes` gives them */
export function isPublicAddress(bytes: readonly number[]): boolean {
  const isIn = ({ first, bits }: ReturnType<typeof readRange>) => sharesBits(bytes, first, bits);
  if (bytes.length === 16) {
    // What an address carries decides.
    const carried = carriedAddress(bytes);
    if (carried !== null) return isPublicAddress(carried);
    if (!isIn(PUBLIC_V6)) return false;
  }
  return !SPECIAL.some(isIn);
}

function readRange(text: string): { readonly first: readonly number[]; readonly bits: number } {
  const [address = '', bits] = text.split('/');
  return { first: addressBytes(address) ?? [], bits: Number(bits) };
}
