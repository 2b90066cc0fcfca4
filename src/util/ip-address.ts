// Addresses of the internet protocol: their bytes, ranges of them, and which belong to the public internet. Pure.

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
