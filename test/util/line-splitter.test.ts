// Lines out of bytes: whatever the pieces, the same lines; whatever the bytes, no throw and no more memory than a line.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter } from '../../src/util/lines.js';
import { toWellFormed } from '../../src/util/text.js';
import { SEED } from '../support/figures.js';

function read(chunks: readonly Uint8Array[], { maxBytes = 1_000, ends = false } = {}) {
  const lines: string[] = [];
  const tooLong: string[] = [];
  const splitter = createLineSplitter({
    maxBytes,
    onLine: (line) => lines.push(line),
    onTooLong: (head) => tooLong.push(head),
  });
  for (const chunk of chunks) {
    splitter.push(chunk);
    // It belongs to whoever read it, who writes the next piece there.
    chunk.fill(0x58);
  }
  if (ends) splitter.end();
  return { lines, tooLong };
}

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

function inPieces(text: string, cuts: readonly number[]): Uint8Array[] {
  const all = bytes(text);
  const at = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => all.slice(from, at[index] ?? all.length));
}

describe('lines of a program', () => {
  it('are whole, without line ends and without empty ones; what follows the last is one at the end', () => {
    const chunks = () => [bytes('one\r\n\n  \ntwo\nthr'), bytes('ee\nrest')];
    expect(read(chunks()).lines).toEqual(['one', 'two', 'three']);
    expect(read(chunks(), { ends: true }).lines).toEqual(['one', 'two', 'three', 'rest']);
    expect(read([bytes('one\n')], { ends: true }).lines).toEqual(['one']);
  });

  it('are the same however they come', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, '').trim());
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(2_000)), (lines, cuts) => {
        const wanted = lines.filter((text) => text !== '').map(toWellFormed);
        expect(read(inPieces(lines.map((text) => `${text}\n`).join(''), cuts)).lines).toEqual(wanted);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('that are too long are left out, told once each, and the next is read', () => {
    const text = `{"id":7,${'x'.repeat(5_000)}\nshort\n${'y'.repeat(2_000)}\nlast\n`;
    for (const cuts of [[], [900, 3_000], [1, 2, 3, 4, 5_008, 5_009]]) {
      const { lines, tooLong } = read(inPieces(text, cuts));
      expect(lines).toEqual(['short', 'last']);
      expect(tooLong.map((head) => head.slice(0, 8))).toEqual(['{"id":7,', 'yyyyyyyy']);
    }
    expect(read([bytes(`${'z'.repeat(1_000)}\n`)]).lines).toHaveLength(1);
    const rest = read([bytes('z'.repeat(1_001))], { ends: true });
    expect(rest).toEqual({ lines: [], tooLong: ['z'.repeat(256)] });
  });
});
