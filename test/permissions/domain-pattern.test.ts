import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decidePermission } from '../../src/permissions/decide.js';
import { matchesDomain, parseDomainPattern } from '../../src/permissions/domain-pattern.js';
import type { PermissionContext } from '../../src/permissions/permission-call.js';
import { parseRule } from '../../src/permissions/rule.js';
import { isPublicHost, readAddress } from '../../src/util/web-address.js';
import { URL_CASES } from './corpus/urls.js';

function contextOf(allow: readonly string[] = [], deny: readonly string[] = []): PermissionContext {
  const parse = (rules: readonly string[]) => rules.map((rule) => parseRule(rule));
  return { mode: 'default', deny: parse(deny), ask: [], allow: parse(allow), roots: ['/w'] };
}

describe('web addresses', () => {
  it('the corpus has a hundred cases', () => expect(URL_CASES.length).toBeGreaterThanOrEqual(100));

  it.each(URL_CASES)('$kind $url with $allow, without $deny: $expect', ({ url, allow, deny, expect: expected }) => {
    const call = { toolName: 'WebFetch', readOnly: true, subject: { kind: 'url', url } } as const;
    expect(decidePermission(contextOf(allow, deny), call).behavior).toBe(expected);
  });

  it.each(['', '*', 'a b', 'https://x.test', 'x.test/path', 'x.test:80', 'user@x.test', 'a*.test', '*.', 'x%2e.test'])(
    'refuses %j as a host',
    (text) => expect(parseDomainPattern(text)).toBeNull(),
  );

  it.each([
    ['1.2.3.4', 'http://[::ffff:1.2.3.4]/'],
    ['1.2.3.4', 'http://[64:ff9b::102:304]/'],
    ['[::ffff:102:304]', 'http://1.2.3.4/'],
  ])('denies %s in whatever spelling: %s', (host, url) => {
    const call = { toolName: 'WebFetch', readOnly: true, subject: { kind: 'url', url } } as const;
    const context = { ...contextOf([], [`WebFetch(domain:${host})`]), mode: 'bypassPermissions' } as const;
    expect(decidePermission(context, call).behavior).toBe('deny');
    const other = { ...call, subject: { kind: 'url', url: 'http://[::ffff:1.2.3.5]/' } } as const;
    expect(decidePermission(context, other).behavior).toBe('allow');
  });

  it('matches whole hosts only', () => {
    const pattern = parseDomainPattern('Example.COM');
    expect(pattern).toEqual({ host: 'example.com', below: false });
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12 }), (text) => {
        if (pattern === null) throw new Error('no pattern');
        for (const host of [`${text}example.com`, `example.com${text}`, `${text}.example.com`, `example.com.${text}`])
          expect(matchesDomain(pattern, host)).toBe(false);
      }),
      { seed: 42, numRuns: 500 },
    );
  });

  it('never throws, and calls no private address public', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => void readAddress(text)),
      { seed: 42, numRuns: 2_000 },
    );
    fc.assert(
      fc.property(octet, octet, octet, (a, b, c) => {
        for (const [start, host] of [
          ['10', `10.${a}.${b}.${c}`],
          ['127', `127.${a}.${b}.${c}`],
          ['192.168', `192.168.${a}.${b}`],
          ['169.254', `169.254.${a}.${b}`],
          ['172.16/12', `172.${16 + (a % 16)}.${b}.${c}`],
        ])
          expect([start, isPublicHost(host ?? '')]).toEqual([start, false]);
        const number = 10 * 2 ** 24 + a * 2 ** 16 + b * 2 ** 8 + c;
        expect(readAddress(`http://${number}/`)).toMatchObject({ isPublic: false });
        expect(readAddress(`http://[::ffff:10.${a}.${b}.${c}]/`)).toMatchObject({ isPublic: false });
      }),
      { seed: 42, numRuns: 500 },
    );
  });
});
