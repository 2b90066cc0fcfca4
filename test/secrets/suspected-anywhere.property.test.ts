// What finds secrets is loaded only for a text that gives cause: so whatever it would find must give cause.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSecretFinder } from '../../src/secrets/find-secrets.js';
import { isSuspect } from '../../src/secrets/hints.js';
import { secretSamples } from './secret-samples.js';

const finder = createSecretFinder(new Map());

/** What may stand right before or behind a secret and not be part of it, and much that may be. */
const PIECES = [
  ...[
    '',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '"',
    "'",
    '`',
    '=',
    ':',
    '://',
    '/',
    '-',
    '--',
    '_',
    '+',
    '.',
    ',',
    '(',
    '[',
    '{',
    '<',
  ],
  ...['\\', '\\n', '\\"', '\\\\"', '\\u003d', '\\x3d', '%3D', '%20', '\u001b[31m', '[0m', '\0', '\u00e9', '\u{1f511}'],
  ...[
    '@',
    '&',
    ';',
    '#',
    'a',
    'Z',
    '7',
    'key',
    'TOKEN=',
    'secret: ',
    'Bearer ',
    'Basic ',
    'user:',
    '1\t',
    'access_key',
  ],
];

const surroundings = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const sample = fc.integer({ min: 0, max: 100_000 }).chain((seed) => fc.constantFrom(...secretSamples(seed)));
/** As it is, or with something taken out, put in or cut off. */
const changed = fc
  .tuple(sample, fc.constantFrom('whole', 'cut', 'parted', 'quoted'), fc.nat(300))
  .map(([{ text }, how, at]) => {
    const place = at % (text.length + 1);
    if (how === 'cut') return text.slice(0, place);
    if (how === 'parted') return `${text.slice(0, place)}\n${text.slice(place)}`;
    return how === 'quoted' ? JSON.stringify(text).slice(1, -1) : text;
  });

it('whatever would be found in a text gives cause to look', () => {
  let found = 0;
  fc.assert(
    fc.property(surroundings, changed, surroundings, (before, middle, behind) => {
      const text = before + middle + behind;
      const clean = finder.redact(text, () => '');
      if (clean === text) return;
      found += 1;
      expect(isSuspect(text)).toBe(true);
    }),
    { seed: 42, numRuns: 20_000 },
  );
  expect(found).toBeGreaterThan(8_000);
});
