// Addresses that are not of the public internet: of this machine, its networks, and what tells it who it is. Pure.
// Rule: what is not known to be public is private.
import { addressBytes, matchesHost, parseDomain } from '../domain-pattern.js';

const PRIVATE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Of the part of IPv6 that is public: tunnels of old, examples, and what is given out for special use.
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
].map((source) => parseDomain(source, 'range'));

const PUBLIC_V6 = parseDomain('2000::/3', 'range');
/** Prefixes behind which four bytes of an IPv4 address stand, and where. */
const CARRIERS = [
  { range: parseDomain('::ffff:0:0/96', 'range'), at: 12 },
  { range: parseDomain('64:ff9b::/96', 'range'), at: 12 },
  { range: parseDomain('2002::/16', 'range'), at: 2 },
];

/** True too for what is no address. */
export function isPrivateAddress(address: string): boolean {
  const bytes = addressBytes(address);
  if (bytes === null) return true;
  if (bytes.length === 16) {
    const carrier = CARRIERS.find(({ range }) => matchesHost(range, address));
    if (carrier !== undefined) return isPrivateAddress(bytes.slice(carrier.at, carrier.at + 4).join('.'));
    if (!matchesHost(PUBLIC_V6, address)) return true;
  }
  return PRIVATE.some((range) => matchesHost(range, address));
}
