// Head and tail of a stream: every byte is shown or counted, and no character is shown in part.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeadTailBuffer } from '../../src/util/head-tail-buffer.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const MARKER = /\n?\[… (\d+) bytes omitted …\]\n?/;

describe('createHeadTailBuffer', () => {
  it('gives a short stream back whole', () => {
    const buffer = createHeadTailBuffer(10);
    buffer.append(encode('hello'));
    buffer.append(encode('world'));
    expect(buffer.render()).toEqual({ text: 'helloworld', omittedBytes: 0 });
    expect(buffer.totalBytes).toBe(10);
  });

  it('keeps both ends of a long stream', () => {
    const buffer = createHeadTailBuffer(10);
    for (const character of 'abcdefghijklmnopqrstuvwxyz') buffer.append(encode(character));
    expect(buffer.render()).toEqual({ text: 'abcde\n[… 16 bytes omitted …]\nvwxyz', omittedBytes: 16 });
  });

  it('renders with less than it keeps', () => {
    const buffer = createHeadTailBuffer(100);
    buffer.append(encode('0123456789'));
    expect(buffer.render(4, (n) => `<${n}>`)).toEqual({ text: '01\n<6>\n89', omittedBytes: 6 });
  });

  it('leaves out a cut character whole and counts its bytes', () => {
    const buffer = createHeadTailBuffer(4);
    buffer.append(encode('aé€😀€'));
    const { text, omittedBytes } = buffer.render(4, (n) => `<${n}>`);
    expect(text).toBe('a\n<12>');
    expect(omittedBytes).toBe(12);
  });

  it('shows invalid bytes as U+FFFD and keeps a byte order mark', () => {
    const buffer = createHeadTailBuffer(100);
    buffer.append(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff, 0x62));
    expect(buffer.render().text).toBe('\ufeffa\ufffdb');
  });

  it('does not keep the chunk it was given', () => {
    const buffer = createHeadTailBuffer(10);
    const chunk = encode('abc');
    buffer.append(chunk);
    chunk.fill(0);
    expect(buffer.render().text).toBe('abc');
  });

  it('counts every byte, whatever the stream, the chunks and the limits', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });
    fc.assert(
      fc.property(
        chunks,
        fc.integer({ min: 0, max: 64 }),
        fc.integer({ min: 0, max: 80 }),
        (parts, capacity, limit) => {
          const buffer = createHeadTailBuffer(capacity);
          for (const part of parts) buffer.append(part);
          const all = Buffer.concat(parts);
          const allowed = Math.min(limit, capacity);
          const { text, omittedBytes } = buffer.render(limit, () => '\u0000MARK\u0000');
          if (all.length <= allowed) {
            expect(omittedBytes).toBe(0);
            expect(text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(all));
            return;
          }
          expect(omittedBytes).toBeGreaterThanOrEqual(all.length - allowed);
          expect(omittedBytes).toBeLessThanOrEqual(all.length - Math.max(0, allowed - 6));
        },
      ),
      { seed: 42, numRuns: 400 },
    );
  });

  it('never shows half a character of valid text', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, capacity) => {
        const buffer = createHeadTailBuffer(capacity);
        for (const byte of encode(text)) buffer.append(Uint8Array.of(byte));
        const shown = buffer.render().text;
        const isWhole = text.includes('\ufffd') || !shown.includes('\ufffd');
        expect(isWhole).toBe(true);
        const parts = shown.split(MARKER);
        const counted = parts.length > 1 ? Number(parts[1]) : 0;
        if (!text.includes('\n')) {
          const bytes = encode(parts[0] ?? '').length + encode(parts[2] ?? '').length;
          expect(bytes + counted).toBe(encode(text).length);
        }
      }),
      { seed: 42, numRuns: 400 },
    );
  });
});
