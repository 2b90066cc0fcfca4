// Wherever a session meets a secret, none of it is in a request, a message, a file or a log.
import { describe, expect, it } from 'vitest';
import { meetSecret, PLACES } from '../support/soak/secret-places.js';
import { secretSamples } from './secret-samples.js';

const samples = secretSamples(11);
/** The soak has all of them in each place. */
const EVERY = 12;

describe('a secret', () => {
  it('has at least sixty kinds', () => {
    expect(new Set(samples.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(60);
  });

  it.each(Object.keys(PLACES).map((place, index) => ({ place, index })))(
    'that a session meets in $place is seen nowhere',
    async ({ place, index }) => {
      for (const sample of samples.filter((_, at) => at % EVERY === index % EVERY)) {
        const { seen, isNamed } = await meetSecret(place, sample);
        expect({ kind: sample.kind, seen, isNamed }).toEqual({ kind: sample.kind, seen: [], isNamed: true });
      }
    },
  );
});
