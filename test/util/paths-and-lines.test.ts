// The small text functions below the file tools, each against a plain definition or the platform's own.
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/util/bytes.js';
import { countLines, endOfLine, lineNumberAt, startOfLine } from '../../src/util/lines.js';
import { basenameOf, dirnameOf, normalizePath, resolvePath, searchOutside } from '../../src/util/posix-path.js';
import { formatBytes } from '../../src/util/text.js';

const RUNS = { seed: 42, numRuns: 500 };
const pathText = fc
  .array(fc.constantFrom('a', 'b.c', '.', '..', '', '/', '...', ' '), { maxLength: 8 })
  .map((parts) => parts.join('/'));

describe('posix paths', () => {
  it('agree with the path module', () => {
    fc.assert(
      fc.property(pathText, pathText, (base, path) => {
        expect(normalizePath(path)).toBe(posix.normalize(path).replace(/(.)\/+$/, '$1'));
        const absolute = `/${base}`;
        expect(resolvePath(absolute, path)).toBe(posix.resolve(absolute, path));
        expect(dirnameOf(absolute)).toBe(posix.dirname(posix.resolve(absolute)));
        expect(basenameOf(absolute)).toBe(posix.basename(posix.resolve(absolute)));
      }),
      RUNS,
    );
  });
});

describe('lines', () => {
  const text = fc
    .array(fc.constantFrom('a', 'bb', '\n', '\r\n', ' '), { maxLength: 20 })
    .map((parts) => parts.join(''));

  it('are counted as an editor counts them', () => {
    expect(['', 'a', 'a\n', 'a\nb', '\n', '\n\n'].map(countLines)).toEqual([0, 1, 1, 2, 1, 2]);
  });

  it('are found by position', () => {
    fc.assert(
      fc.property(text, fc.nat(20), fc.nat(4), (value, at, lines) => {
        const offset = Math.min(at, value.length);
        const before = value.slice(0, offset).split('\n');
        expect(lineNumberAt(value, offset)).toBe(before.length);
        const start = before
          .slice(0, Math.max(0, before.length - 1 - lines))
          .reduce((sum, line) => sum + line.length + 1, 0);
        expect(startOfLine(value, offset, lines)).toBe(start);
        const after = value.slice(offset).match(/[^\n]*\n|[^\n]+$/g) ?? [];
        expect(endOfLine(value, offset, lines)).toBe(offset + after.slice(0, lines + 1).join('').length);
      }),
      RUNS,
    );
  });
});

describe('a PATH without the workspace', () => {
  it.each([
    ['/w/node_modules/.bin:/usr/bin:/w', '/w', '/usr/bin'],
    ['/usr/bin::.:bin:../x', '/w', '/usr/bin'],
    ['/w2/bin:/wx:/w/../x', '/w', '/w2/bin:/wx:/w/../x'],
    ['/x/../w/bin:/w//bin/:/./w', '/w', ''],
    ['C:\\w\\bin;C:\\Windows;bin', 'C:\\w', 'C:\\Windows'],
    ['', '/w', ''],
  ])('%s in %s: %s', (search, workspace, expected) => {
    expect(searchOutside(search, workspace)).toBe(expected);
  });
});

describe('sizes and hashes', () => {
  it('formatBytes uses decimal units', () => {
    expect([0, 1, 999, 1_000, 12_345, 5_000_000_000].map(formatBytes)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.0 KB',
      '12.3 KB',
      '5.0 GB',
    ]);
  });

  it('sha256Hex agrees with the crypto module, for a part of a buffer too', async () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => index).subarray(10, 50);
    expect(await sha256Hex(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
