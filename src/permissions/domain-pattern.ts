// Web addresses in rules and calls. Parsed once, as the platform parses them; decided on what was parsed.

/** A host, or all below one: `example.com`, `*.example.com`. */
export interface DomainPattern {
  readonly host: string;
  /** True: names below the host, and not the host itself. */
  readonly below: boolean;
}

/** An address as it is decided on and connected to. */
export type WebAddress =
  | { readonly kind: 'address'; readonly host: string; readonly isPublic: boolean }
  /** Why nothing may be said about it. */
  | { readonly kind: 'unusable'; readonly why: string };

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** Null where the text is no host name. */
export function parseDomainPattern(text: string): DomainPattern | null {
  const below = text.startsWith('*.');
  const host = hostOf(below ? text.slice(2) : text);
  return host === null ? null : { host, below };
}

export function matchesDomain({ host, below }: DomainPattern, name: string): boolean {
  return below ? name.endsWith(`.${host}`) : name === host;
}

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
  return { kind: 'address', host, isPublic: isPublicHost(host) };
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

function hostOf(text: string): string | null {
  const plain = text.trim().replace(/\.$/, '');
  if (plain === '' || /[/\\@?#\s*%]/.test(plain) || (plain.includes(':') && !plain.startsWith('['))) return null;
  const address = readAddress(`https://${plain}/`);
  return address.kind === 'address' ? address.host : null;
}

/** Names that never lead out of a machine or its network. */
const LOCAL_NAMES = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'localdomain', 'home.arpa'];

/** False for addresses of this machine, of private and special networks, and for names of one part. */
export function isPublicHost(host: string): boolean {
  if (host.startsWith('[')) return isPublicV6(host.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPublicV4(host.split('.').map(Number));
  if (!host.includes('.')) return false;
  return !LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

/** First address and prefix length of the networks that are not of the public internet (IANA's special registry). */
const SPECIAL_V4: readonly (readonly [number, number])[] = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 3],
];

function isPublicV4(bytes: readonly number[]): boolean {
  const address = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return !SPECIAL_V4.some(([start, length]) => Math.floor(address / 2 ** (32 - length)) === start / 2 ** (32 - length));
}

function isPublicV6(text: string): boolean {
  const groups = groupsOf(text);
  if (groups === null) return false;
  const [first = 0, second = 0] = groups;
  const carried = () => isPublicV4(bytesOf(groups.slice(6)));
  // Addresses that carry one of version 4: mapped, translated, of a gateway, 6to4. What they carry decides.
  const zeros = groups.findIndex((group) => group !== 0);
  if (zeros === 5 && groups[5] === 0xffff) return carried();
  if (zeros === 4 && groups[4] === 0xffff && groups[5] === 0) return carried();
  if (first === 0x64 && second === 0xff9b) return groups.slice(2, 6).every((group) => group === 0) && carried();
  if (first === 0x2002) return isPublicV4(bytesOf(groups.slice(1, 3)));
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  // Only this part of the space is given out for the public internet.
  return first >= 0x2000 && first <= 0x3fff && !(first === 0x3fff && second < 0x1000);
}

function bytesOf(groups: readonly number[]): number[] {
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

/** The eight groups; the text is as the platform's URL writes it. */
function groupsOf(text: string): number[] | null {
  const [head = '', tail] = text.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - before.length - after.length;
  if (missing < 0 || (tail === undefined && missing !== 0)) return null;
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after].map((group) =>
    parseInt(group, 16),
  );
  return groups.some(Number.isNaN) ? null : groups;
}
