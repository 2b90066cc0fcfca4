// Hosts: one spelling each, and patterns that match no more than they say.
import { describe, expect, it } from 'vitest';
import { matchesDomain, parseDomain, plainHost, refusesHost } from '../../src/sandbox/domain-pattern.js';

const matches = (pattern: string, host: string, port = 443) => matchesDomain(parseDomain(pattern, 'x'), host, port);

describe('a pattern', () => {
  it.each([
    ['example.com', 'example.com', 443, true],
    ['example.com', 'example.com', 80, true],
    ['example.com', 'example.com', 22, false],
    ['example.com:22', 'example.com', 22, true],
    ['example.com:22', 'example.com', 443, false],
    ['example.com', 'www.example.com', 443, false],
    ['example.com', 'example.com.evil.org', 443, false],
    ['example.com', 'evilexample.com', 443, false],
    ['*.example.com', 'www.example.com', 443, true],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'evilexample.com', 443, false],
    ['EXAMPLE.com', 'example.com', 443, true],
    ['*', 'anything.org', 443, true],
    ['*', '10.0.0.1', 443, false],
    ['10.0.0.0/8', '10.1.2.3', 443, true],
    ['10.0.0.0/8', '11.0.0.1', 443, false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', 443, false],
    ['127.0.0.1:8080', '127.0.0.1', 8080, true],
    ['127.0.0.1:8080', '127.0.0.1', 443, false],
    ['[::1]:8080', '::1', 8080, true],
    ['fd00::/8', 'fd12::1', 443, true],
    ['localhost:3000', 'localhost', 3000, true],
  ])('%s and %s:%i', (pattern, host, port, expected) => {
    expect(matches(pattern, host, port)).toBe(expected);
  });

  it.each(
    [
      'https://example.com',
      'example.com/path',
      'exa mple.com',
      '*.com',
      '*',
      'a.*.com',
      'example.com:0',
      'example.com:99999',
      'user@example.com',
      'example.com.',
      '0x7f.1',
      '10.0.0.0/33',
      '',
      'bücher.example',
    ].filter((text) => text !== '*'),
  )('%j is refused', (text) => {
    expect(() => parseDomain(text, 'x')).toThrow(/x has/);
  });
});

describe('a pattern that refuses', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:11.0.0.1', false],
    ['fd00::/8', '10.1.2.3', false],
    ['fd00::/8', 'fd12::1', true],
    ['*.example.com', 'www.example.com', true],
    ['*.example.com', '::ffff:10.1.2.3', false],
  ])('%s means %s: %j', (pattern, host, expected) => {
    expect(refusesHost(parseDomain(pattern, 'x'), host)).toBe(expected);
  });
});

describe('a host that is asked for', () => {
  it.each([
    ['example.com', 'example.com'],
    ['Example.COM', 'example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[::ffff:127.0.0.1]', '::ffff:127.0.0.1'],
  ])('%s is %s', (text, host) => {
    expect(plainHost(text)).toBe(host);
  });

  it.each([
    'example.com.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.01',
    '127.0.0.1.',
    '::1',
    '[::1',
    '[::1%lo]',
    'user@example.com',
    'example.com\0.evil.org',
    'exa%6dple.com',
    'bücher.example',
    'example。com',
    'ｅxample.com',
    'example.com:80',
    'example..com',
    '-example.com',
    'a'.repeat(64),
    `${'a.'.repeat(127)}com`,
    '',
    ' example.com',
    '1.2.3.4.5',
    '256.0.0.1',
  ])('%j is nothing plain', (text) => {
    expect(plainHost(text)).toBeNull();
  });
});
