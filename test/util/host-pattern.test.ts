// Hosts as people name them.
import { describe, expect, it } from 'vitest';
import { matchesHostPattern, parseHostPattern } from '../../src/util/web-address.js';

describe('a host in a list', () => {
  it.each([
    ['localhost', 'localhost', 80, true],
    ['localhost', 'localhost', 3000, true],
    ['localhost:3000', 'localhost', 3000, true],
    ['localhost:3000', 'localhost', 80, false],
    ['localhost', 'a.localhost', 80, false],
    ['*.corp.test', 'wiki.corp.test', 80, true],
    ['*.corp.test', 'corp.test', 80, false],
    ['*.corp.test', 'evilcorp.test', 80, false],
    ['WIKI.corp.test.', 'wiki.corp.test', 80, true],
    ['10.0.0.5', '10.0.0.5', 80, true],
    ['10.1.0.0/16', '10.1.2.3', 80, true],
    ['10.1.0.0/16', '10.2.2.3', 80, false],
    ['10.1.0.0/16:8080', '10.1.2.3', 8080, true],
    ['[::1]', '[::1]', 80, true],
    ['::1', '::1', 80, true],
    ['[fd00::/8]', 'fd00::1', 80, true],
    ['fd00::/8', 'fd12::1', 80, true],
    ['fd00::/8', '10.0.0.1', 80, false],
    ['localhost', '127.0.0.1', 80, false],
  ])('%s and %s:%i: %s', (text, host, port, expected) => {
    const pattern = parseHostPattern(text);
    expect(pattern === null ? null : matchesHostPattern(pattern, host, port)).toBe(expected);
  });

  it.each([
    '',
    '*',
    'http://a.test',
    'a.test/x',
    'a b',
    'a.test:0',
    'a.test:99999',
    '0x7f.1',
    '2130706433',
    '10.0.0.0/33',
    'u@a.test',
    '*.*.a',
  ])('%j is none', (text) => {
    expect(parseHostPattern(text)).toBeNull();
  });
});
