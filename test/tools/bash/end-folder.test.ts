// What a shell says of the folder it ended in, taken out of its stderr.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEndFolder } from '../../../src/tools/bash/shell.js';

const MARK = '7f0c2a4e';

function read(chunks: readonly Uint8Array[]) {
  const passed: Uint8Array[] = [];
  const told = readEndFolder(MARK, (chunk) => passed.push(chunk.slice()));
  for (const chunk of chunks) told.take(chunk);
  told.end();
  return { text: Buffer.concat(passed).toString('latin1'), folder: told.folder };
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, at) => bytes.subarray(places[at - 1] ?? 0, end));
}

describe('the folder that a shell ended in', () => {
  it('is found however the output is cut, and nothing else is lost', () => {
    const noise = fc.stringMatching(/^[\0a7:f]{0,12}$/);
    const cuts = fc.array(fc.nat(), { maxLength: 8 });
    fc.assert(
      fc.property(noise, noise, fc.stringMatching(/^\/[a-z7:]{0,9}$/), cuts, (before, after, folder, places) => {
        const bytes = Buffer.from(`${before}\0${MARK}:${folder}\0${after}`, 'latin1');
        expect(read(cutAt(bytes, places))).toEqual({ text: before + after, folder });
      }),
    );
  });

  it('is the last that was told', () => {
    expect(read([Buffer.from(`\0${MARK}:/a\0x\0${MARK}:/b\0`)])).toEqual({ text: 'x', folder: '/b' });
  });

  it('is unknown if it is not told to the end, and what was printed is all there', () => {
    for (const text of ['plain', `\0${MARK}`, `\0${MARK}:/a`, `\0${MARK}:${'/a'.repeat(9_000)}`, '\0\0'])
      expect(read([Buffer.from(text)])).toEqual({ text, folder: null });
  });
});
