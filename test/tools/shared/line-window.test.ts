// Windows of lines cut from byte streams: how the stream is chunked must not matter.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLineWindow, type WindowRequest } from '../../../src/tools/files/show-lines.js';

const UNLIMITED: WindowRequest = {
  offset: 1,
  limit: Number.POSITIVE_INFINITY,
  lineBytes: 1_000,
  totalBytes: 1_000_000,
  countAll: true,
  scanBytes: Number.POSITIVE_INFINITY,
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shown = (lines: readonly { readonly bytes: Uint8Array }[]): string[] =>
  lines.map((line) => new TextDecoder().decode(line.bytes));

function chunked(text: string, sizes: readonly number[]): Uint8Array[] {
  const whole = bytes(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(whole.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe('readLineWindow', () => {
  it('gives the lines a split would give, however the bytes are chunked', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '\n', '\r\n', '\r', 'xyz'), { maxLength: 40 })
      .map((p) => p.join(''));
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
    const at = fc.integer({ min: 1, max: 8 });
    await fc.assert(
      fc.asyncProperty(text, sizes, at, at, async (value, chunkSizes, offset, limit) => {
        const all = value.split('\n');
        if (all.at(-1) === '') all.pop();
        const window = await readLineWindow(chunked(value, chunkSizes), { ...UNLIMITED, offset, limit });
        expect(window.totalLines).toBe(all.length);
        expect(shown(window.lines)).toEqual(
          all.slice(offset - 1, offset - 1 + limit).map((line) => line.replace(/\r$/, '')),
        );
        const partial = await readLineWindow(chunked(value, chunkSizes), {
          ...UNLIMITED,
          offset,
          limit,
          countAll: false,
        });
        expect(shown(partial.lines)).toEqual(shown(window.lines));
        expect(partial.totalLines).toBe(offset - 1 + limit < all.length ? null : all.length);
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  it('stops pulling once the window is complete', async () => {
    let pulled = 0;
    const endless = (function* () {
      for (;;) {
        pulled += 1;
        yield bytes('line\n');
      }
    })();
    const window = await readLineWindow(endless, { ...UNLIMITED, limit: 3, countAll: false });
    expect([window.lines.length, window.totalLines, pulled]).toEqual([3, null, 4]);
  });

  it('keeps the start of a long line and counts the rest', async () => {
    const window = await readLineWindow(chunked(`${'x'.repeat(5_000)}\nend`, [700]), { ...UNLIMITED, lineBytes: 10 });
    expect(window.lines.map((line) => [line.bytes.length, line.length])).toEqual([
      [10, 5_000],
      [3, 3],
    ]);
  });

  it('ends the window with the line that fills it', async () => {
    const window = await readLineWindow([bytes('aaaa\nbbbb\ncccc\ndddd\n')], { ...UNLIMITED, totalBytes: 8 });
    expect([shown(window.lines), window.totalLines]).toEqual([['aaaa', 'bbbb'], 4]);
  });

  it('gives up inside a line without end, but not while it looks for the window', async () => {
    const gigabytes = function* (count: number) {
      yield bytes('one\n');
      const chunk = new Uint8Array(1_000).fill(0x61);
      for (let turn = 0; turn < count; turn++) yield chunk;
      yield bytes('\nlast');
    };
    const request = { ...UNLIMITED, scanBytes: 50_000, countAll: false, limit: 5 };
    const cut = await readLineWindow(gigabytes(1_000), request);
    expect(cut.totalLines).toBeNull();
    expect(cut.lines.map(({ isOpen }) => isOpen)).toEqual([false, true]);
    const behind = await readLineWindow(gigabytes(1_000), { ...request, offset: 3 });
    expect([shown(behind.lines), behind.totalLines]).toEqual([['last'], 3]);
  });
});
