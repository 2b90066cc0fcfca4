import { describe, expect, it } from 'vitest';
import { findRepetition } from '../../../src/engine/calls/detect-loop.js';

const prose = 'The loop reads a file, then it writes another one, and in the end it says what it did and why. ';

describe('a text that only repeats itself', () => {
  it.each([
    ['a word', 'so '.repeat(400), 'so '],
    ['a sentence', prose.repeat(30), prose],
    ['a line, after an honest beginning', `${prose}${'- item one\n'.repeat(300)}`, '- item one\n'],
    ['a passage cut in the middle of it', `${'abcdefghij'.repeat(200)}abc`, 'defghijabc'],
    ['one sign', `Result: ${'='.repeat(5_000)}`, '='],
  ])('%s', (_name, text, passage) => {
    const found = findRepetition(text);
    expect(found?.passage).toBe(passage);
    expect(found?.times).toBeGreaterThanOrEqual(6);
  });

  it.each([
    ['nothing', ''],
    ['a short text', 'no no no no no no'],
    ['prose', Array.from({ length: 60 }, (_, n) => `${prose} Step ${n} took ${n * 7} ms.`).join('')],
    ['a table whose rows differ', Array.from({ length: 300 }, (_, n) => `| row ${n} | ok |\n`).join('')],
    ['five times the same', prose.repeat(5)],
    ['a repetition that ended', `${'again '.repeat(500)}${prose}${prose} The end.`],
    ['passages longer than is looked for', `${prose.repeat(4)}${'x'.repeat(100)}${prose.repeat(4)}${'x'.repeat(100)}`],
  ])('is not %s', (_name, text) => {
    expect(findRepetition(text)).toBeNull();
  });

  it('costs no more for a long text', () => {
    expect(findRepetition(`${'x'.repeat(5_000_000)}${prose}`)).toBeNull();
  });
});
