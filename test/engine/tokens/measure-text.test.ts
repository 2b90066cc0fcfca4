// The estimate of texts against true counts of a real vocabulary.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { createTokenEstimator, measureText } from '../../../src/engine/tokens/estimate-tokens.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';

interface Counted {
  readonly name: string;
  /** By o200k_base. */
  readonly tokens: number;
  readonly text: string;
}

const FILE = path.join(import.meta.dirname, '..', '..', 'fixtures', 'tokens', 'o200k.json');
const TEXTS = (JSON.parse(readFileSync(FILE, 'utf8')) as { readonly texts: readonly Counted[] }).texts;
const MOST_WRONG = 0.15;

const wrong = (estimate: number, { tokens }: Counted) => Math.abs(estimate / tokens - 1);
const worst = (count: (text: string) => number) => Math.max(...TEXTS.map((one) => wrong(count(one.text), one)));
const mean = (count: (text: string) => number) =>
  TEXTS.reduce((sum, one) => sum + wrong(count(one.text), one), 0) / TEXTS.length;

/** An estimator that has seen one real count, of a conversation that holds a little of everything. */
function calibrated() {
  const estimator = createTokenEstimator();
  const mixed = TEXTS.find(({ name }) => name === 'mixed') as Counted;
  const request: ModelRequest = {
    model: 'm',
    system: [],
    tools: [],
    maxTokens: 100,
    messages: [{ role: 'user', content: mixed.text }],
  };
  estimator.calibrate(request, mixed.tokens + 7);
  return estimator;
}

describe('the estimate of a text, once calibrated by a real count,', () => {
  const estimator = calibrated();
  it.each(TEXTS.map((one) => [one.name, one] as const))('is less than 15 % wrong: %s', (_name, one) => {
    expect(wrong(estimator.text(one.text), one)).toBeLessThan(MOST_WRONG);
  });

  it('also holds for a vocabulary that needs half as many tokens again', () => {
    const other = createTokenEstimator();
    const [first, ...rest] = TEXTS.filter(({ tokens }) => tokens > 1_000) as [Counted, ...Counted[]];
    const messages = rest.map(({ text }) => ({ role: 'user' as const, content: text }));
    const actual = rest.reduce((sum, { tokens }) => sum + tokens * 1.5, 0);
    other.calibrate({ model: 'm', system: [], tools: [], maxTokens: 100, messages }, actual);
    expect(wrong(other.text(first.text) / 1.5, first)).toBeLessThan(MOST_WRONG);
  });
});

describe('the estimate of a text', () => {
  it('is better than the one of tokenx, at its worst and on the whole', () => {
    expect(worst(measureText)).toBeLessThan(worst(estimateTokenCount));
    expect(mean(measureText)).toBeLessThan(mean(estimateTokenCount) / 2);
  });

  it('is not below the count before a real one came, as vendors count otherwise', () => {
    const estimator = createTokenEstimator();
    for (const one of TEXTS) expect(estimator.text(one.text)).toBeGreaterThan(one.tokens * 0.97);
  });

  it('grows with the text, whatever it is made of', () => {
    for (const { text } of TEXTS) {
      let before = 0;
      for (const part of [0.25, 0.5, 0.75, 1]) {
        const now = measureText(text.slice(0, Math.floor(text.length * part)));
        expect(now).toBeGreaterThan(before);
        before = now;
      }
    }
  });
});
