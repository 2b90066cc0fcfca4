// Wherever a session meets a secret, none of it is in a request, a message, a file or a log.
import { describe, expect, it } from 'vitest';
import { meetSecret, PLACES } from '../support/soak/secret-places.js';
import { secretSamples } from './secret-samples.js';

const samples = secretSamples(11);
/** The soak has all of them in each place. */
const EVERY = 6;

describe('a secret', () => {
  it('has at least sixty kinds', () => {
    expect(new Set(samples.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(60);
  });

  it.each(Object.keys(PLACES).map((place, index) => ({ place, index })))(
    'that a session meets in $place is seen nowhere',
    async ({ place, index }) => {
      for (const sample of samples.filter((_, at) => at % EVERY === index % EVERY)) {
        const { seen, requests } = await meetSecret(place, sample);
        expect({ kind: sample.kind, seen }).toEqual({ kind: sample.kind, seen: [] });
        // A word that a long line is cut in is left out whole.
        if (!place.includes('long line')) expect(requests).toContain('{secret:');
      }
    },
  );
});
