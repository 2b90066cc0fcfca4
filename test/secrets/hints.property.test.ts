// How a secret begins is looked up by first characters. It has to say the same as one pattern of all beginnings.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isHinted, STARTS } from '../../src/secrets/hints.js';

const ESCAPED = '(?:-|[nrtbf]|[0-9]{0,3}[mK]|u00[0-9A-Fa-f]{2}|x?[0-9A-Fa-f]{2})?';
const ALL = new RegExp(`^${ESCAPED}(?:${Object.values(STARTS).join('|')}|[0-9a-f]{32}-us)`);

/** Beginnings, each spelled out. */
const SPELLED = Object.values(STARTS)
  .flatMap((starts) => starts.split(/\|(?![^(]*\))/))
  .map((start) => start.replace(/\(\?:([^|)]*)[^)]*\)/g, '$1').replace(/\[(.)[^\]]*\]\??/g, '$1'));

const marks = fc.constantFrom(
  '',
  '-',
  'n',
  'r',
  'm',
  'K',
  '3m',
  '31m',
  '123K',
  '1234m',
  'u0009',
  'u00',
  'x1b',
  '1B',
  'x1',
  'a',
  'f0',
);
const start = fc.oneof(
  fc.constantFrom(...SPELLED, `${'0f'.repeat(16)}-us`),
  fc.string({ unit: 'binary-ascii', maxLength: 6 }),
);
const tail = fc.stringMatching(/^[A-Za-z0-9_-]{0,40}$/);

it('each list holds what begins with its character', () => {
  for (const [first, starts] of Object.entries(STARTS))
    for (const each of starts.split(/\|(?![^(]*\))/)) expect(each.startsWith(first), each).toBe(true);
});

it('tells what one pattern of all beginnings tells', () => {
  let hits = 0;
  fc.assert(
    fc.property(marks, start, tail, fc.nat(3), (before, begun, after, cut) => {
      const word = `${before}${begun.slice(0, begun.length - (cut === 3 ? 1 : 0))}${after}`;
      const isOne = ALL.test(word.slice(0, 64));
      if (isOne) hits += 1;
      expect(isHinted(word, 0, word.length)).toBe(isOne);
    }),
    { numRuns: 3_000 },
  );
  expect(hits).toBeGreaterThan(500);
});
