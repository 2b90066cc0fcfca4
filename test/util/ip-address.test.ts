// Which addresses are not of the public internet, in every spelling that leads to them.
import { describe, expect, it } from 'vitest';
import { addressBytes, isPublicAddress } from '../../src/util/web-address.js';

const isPublic = (address: string) => isPublicAddress(addressBytes(address) ?? []);

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.255',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
  ])('%s is private', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '172.15.255.255',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each(['not an address', '127.1', '', '1.2.3.256', '01.2.3.4', '::1::', '1:2:3', '[::1]', '::1%lo', '0x7f000001'])(
    '%j is none',
    (text) => {
      expect(addressBytes(text)).toBeNull();
    },
  );
});
