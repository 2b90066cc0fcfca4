// Bytes to text and back: nothing may be lost, whatever the bytes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, detectBinary, encodeText, findUnencodable, isUtf8 } from '../../src/util/text-file.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('decodeText', () => {
  it.each([
    ['plain', utf8('abc'), { text: 'abc', encoding: 'utf-8', bom: false }],
    ['empty', utf8(''), { text: '', encoding: 'utf-8', bom: false }],
    ['UTF-8', utf8('äöü €😀'), { text: 'äöü €😀', encoding: 'utf-8', bom: false }],
    ['UTF-8 with a mark', utf8('\ufeffa'), { text: 'a', encoding: 'utf-8', bom: true }],
    ['a second mark is text', utf8('\ufeff\ufeffa'), { text: '\ufeffa', encoding: 'utf-8', bom: true }],
    ['Latin-1', Uint8Array.of(0x63, 0xe9), { text: 'cé', encoding: 'latin-1', bom: false }],
    ['UTF-16LE', Uint8Array.of(0xff, 0xfe, 0x41, 0x00), { text: 'A', encoding: 'utf-16le', bom: true }],
    ['UTF-16BE', Uint8Array.of(0xfe, 0xff, 0x00, 0x41), { text: 'A', encoding: 'utf-16be', bom: true }],
    ['odd UTF-16', Uint8Array.of(0xff, 0xfe, 0x41), { text: 'ÿþA', encoding: 'latin-1', bom: false }],
  ])('%s', (_, bytes, expected) => {
    expect(decodeText(bytes)).toEqual(expected);
  });

  it('gives the same bytes again, for any bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.string({ unit: 'binary' }).map(utf8),
      fc.uint8Array({ maxLength: 60 }).map((body) => Uint8Array.from([0xff, 0xfe, ...body])),
      fc.uint8Array({ maxLength: 60 }).map((body) => Uint8Array.from([0xef, 0xbb, 0xbf, ...body])),
    );
    fc.assert(
      fc.property(bytes, (original) => {
        const decoded = decodeText(original);
        expect([...encodeText(decoded.text, decoded)]).toEqual([...original]);
      }),
      { seed: 42, numRuns: 500 },
    );
  });

  it('finds an invalid byte behind the first chunk', () => {
    const bytes = new Uint8Array(2_500_000).fill(0x61);
    expect(isUtf8(bytes)).toBe(true);
    bytes[2_400_000] = 0xff;
    expect(isUtf8(bytes)).toBe(false);
  });

  it('accepts a cut character in a prefix only', () => {
    const bytes = utf8('a€').subarray(0, 3);
    expect([isUtf8(bytes), isUtf8(bytes, true)]).toEqual([false, true]);
  });
});

describe('findUnencodable', () => {
  it.each([
    ['a\ud800b', 'utf-8', '\ud800'],
    ['a😀', 'utf-8', null],
    ['é€', 'latin-1', '€'],
    ['é😀', 'latin-1', '😀'],
    ['\u0000ÿ', 'latin-1', null],
    ['\udfff😀', 'utf-16le', null],
  ] as const)('%j in %s: %j', (text, encoding, expected) => {
    expect(findUnencodable(text, encoding)).toBe(expected);
  });
});

describe('detectBinary', () => {
  it.each([
    [[0x89, 0x50, 0x4e, 0x47, 0x0d], 'PNG image'],
    [[0xff, 0xd8, 0xff, 0xe0], 'JPEG image'],
    [[...'RIFF1234WEBP'].map((c) => c.charCodeAt(0)), 'WebP image'],
    [[...'%PDF-1.7'].map((c) => c.charCodeAt(0)), 'PDF document'],
    [[0x61, 0x00, 0x62], 'binary file'],
    [[0xff, 0xfe, 0x00, 0x00, 0x41, 0x00], 'binary file'],
  ])('%j is a %s', (bytes, name) => {
    expect(detectBinary(Uint8Array.from(bytes))?.name).toBe(name);
  });

  it('takes text, marked UTF-16 and Latin-1 for text', () => {
    for (const bytes of [utf8(''), utf8('a\tb\r\n'), Uint8Array.of(0xff, 0xfe, 0x41, 0), Uint8Array.of(0xe9)]) {
      expect(detectBinary(bytes)).toBeNull();
    }
  });

  it('looks at the first 8 KB', () => {
    const bytes = new Uint8Array(10_000).fill(0x61);
    bytes[9_000] = 0;
    expect(detectBinary(bytes)).toBeNull();
    bytes[8_000] = 0;
    expect(detectBinary(bytes)).not.toBeNull();
  });
});
