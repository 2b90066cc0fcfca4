// Characters across chunks.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUtf8Decoder } from '../../../src/providers/http/event-stream.js';

function decode(chunks: readonly Uint8Array[]): string {
  return chunks.map(createUtf8Decoder()).join('');
}

describe('the UTF-8 decoder', () => {
  it('gives the same text however the bytes are cut', () => {
    const cuts = fc.array(fc.nat(200), { maxLength: 20 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), cuts, (text, at) => {
        const bytes = Buffer.from(text, 'utf8');
        const borders = [0, ...at.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = borders.slice(1).map((end, n) => bytes.subarray(borders[n], end));
        expect(decode(chunks)).toBe(bytes.toString('utf8').replace(/^\ufeff/, ''));
      }),
      { seed: 42, numRuns: 1_000 },
    );
  });

  it('drops a byte order mark at the start only', () => {
    expect(decode([Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x61]), Buffer.from('\ufeffb')])).toBe('a\ufeffb');
  });

  it('shows invalid bytes as U+FFFD and never fails', () => {
    const bytes = fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(bytes, (chunks) => typeof decode(chunks) === 'string'),
      { seed: 42, numRuns: 1_000 },
    );
    expect(decode([Buffer.from([0x61, 0xff, 0x62])])).toBe('a\ufffdb');
  });
});
