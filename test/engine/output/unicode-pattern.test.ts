// Patterns that hold without the flag `u` only, as tool servers send them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unicodePattern } from '../../../src/engine/output/usable-schema.js';

describe('a pattern of a schema', () => {
  it.each([
    ['^[\\w-.]+$', ['a-b.c', 'a b', '-', '']],
    ['^[.-\\w]+$', ['a-b.c', 'a b', '-']],
    ['^\\d{4}\\-\\d{2}$', ['2026-01', '2026/01']],
    ['^[a-z\\_\\@]+$', ['a_b@c', 'a-b']],
    ['^{a}$', ['{a}', 'a']],
    ['^a{2,}]$', ['aa]', 'a]']],
    ['^\\"[^\\"]*\\"$', ['"x"', 'x']],
    ['^[\\B\\-]$', ['B', '-', 'b']],
    ['^\\cx\\e$', ['\u0018e', 'xe']],
    ['[\\d-z]', ['-', '5', 'y']],
  ])('%s means the same with the flag', (pattern, texts) => {
    expect(() => new RegExp(pattern, 'u')).toThrow();
    const strict = new RegExp(unicodePattern(pattern) ?? 'none', 'u');
    for (const text of texts) expect([text, strict.test(text)]).toEqual([text, new RegExp(pattern).test(text)]);
  });

  it('that holds already stays as it is', () => {
    for (const pattern of ['^\\p{L}+$', '[a-z-]', '\\-'.slice(1), '(?<a>x)\\k<a>'])
      expect(unicodePattern(pattern)).toBe(pattern);
  });

  it.each(['(?P<a>x)', '(', '[b-a]', '*'])('%s is none', (pattern) => {
    expect(unicodePattern(pattern)).toBeNull();
  });

  it('is never rewritten to mean something else', () => {
    const piece = fc.constantFrom(
      'a',
      '-',
      '.',
      '\\w',
      '\\d',
      '[',
      ']',
      '{',
      '}',
      '\\-',
      '\\_',
      '\\.',
      '1',
      ',',
      '^',
      '+',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom(...'a-._1{},[]^ b') }),
        (parts, text) => {
          const pattern = parts.join('');
          let loose: RegExp;
          try {
            loose = new RegExp(pattern);
          } catch {
            return; // no pattern in either way
          }
          const strict = unicodePattern(pattern);
          if (strict !== null) expect(new RegExp(strict, 'u').test(text)).toBe(loose.test(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
