import { expect, it } from 'vitest';
import { createLogRedactor } from '../../src/sdk/logs/describe-run.js';
import { secretSamples } from '../secrets/secret-samples.js';

it('takes every kind of secret out of a line of a log', () => {
  const redact = createLogRedactor({});
  for (const { kind, text, secret } of secretSamples(13)) {
    const line = redact(JSON.stringify({ error: `401 for ${text}` }));
    expect({ kind, isGone: !line.includes(JSON.stringify(secret).slice(1, -1)) }).toEqual({ kind, isGone: true });
  }
});

it('takes the values of variables named like a secret, the longest first, and leaves words', () => {
  const redact = createLogRedactor({
    MY_KEY_ID: 'alpha-beta',
    API_TOKEN: 'alpha-beta-gamma',
    KEY: 'short',
    PATH: '/usr/bin',
  });
  expect(redact('alpha-beta-gamma and alpha-beta, short of /usr/bin')).toBe(
    '[redacted: value of API_TOKEN] and [redacted: value of MY_KEY_ID], short of /usr/bin',
  );
});
