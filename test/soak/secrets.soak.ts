import { expect, it } from 'vitest';
import { secretSamples } from '../secrets/secret-samples.js';
import { recordFigure, SEED } from '../support/figures.js';
import { meetSecret, PLACES } from '../support/soak/secret-places.js';

it('keeps every kind of secret from the model, the disk and the log, wherever a session meets it', async () => {
  const samples = [...secretSamples(SEED), ...secretSamples(SEED + 1)];
  const places = Object.keys(PLACES);
  const seen: string[] = [];
  for (const place of places) {
    for (const sample of samples) {
      for (const where of (await meetSecret(place, sample)).seen) seen.push(`${place}, ${sample.kind}: ${where}`);
    }
  }
  recordFigure('secrets', 'kinds', new Set(samples.map(({ kind }) => kind)).size, 'kinds');
  recordFigure('secrets', 'places where a session meets each', places.length, 'places');
  recordFigure('secrets', 'sessions', places.length * samples.length, 'sessions');
  recordFigure(
    'secrets',
    'secrets of which a part was seen in a request, a message, a file or a log',
    seen.length,
    'secrets',
  );
  expect(seen).toEqual([]);
}, 1_800_000);
