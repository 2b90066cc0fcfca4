import { describe, expect, it } from 'vitest';
import { createMediaInspector } from '../../../src/engine/history/media.js';
import type { ImageBlock } from '../../../src/protocol/content.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { validateWireRequest } from '../../../src/testing/wire/wire-validator.js';
import { gifBytes, imageOf, jpegBytes, pdfBytes, pdfOf, pngBytes, webpBytes } from '../../support/media.js';

const { inspect } = createMediaInspector();
const image = (source: unknown) => ({ type: 'image', source }) as ImageBlock;
const base64 = (changes: object) => ({ type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG, ...changes });
const document = (source: unknown) => ({ type: 'document', source }) as never;

/** True where the strict validator takes a message with nothing but this block. */
const isTaken = (block: unknown) =>
  validateWireRequest({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: [block] }] }).length === 0;

describe('an image', () => {
  it.each([
    ['png', imageOf(pngBytes(300, 200)), 300, 200],
    ['gif', imageOf(gifBytes(300, 200), 'image/gif'), 300, 200],
    ['jpeg', imageOf(jpegBytes(300, 200), 'image/jpeg'), 300, 200],
    ['webp', imageOf(webpBytes(300, 200), 'image/webp'), 300, 200],
    ['png of one pixel', imageOf(pngBytes()), 1, 1],
    ['png of 8,000 pixels', imageOf(pngBytes(8_000, 1)), 8_000, 1],
    ['png with something behind it', imageOf(Buffer.concat([pngBytes(3, 2), Buffer.alloc(900)])), 3, 2],
  ])('of type %s is known by its header', (_name, block, width, height) => {
    expect(inspect(block)).toMatchObject({ problem: null, actualType: null, width, height, pages: 0 });
    expect(isTaken(block)).toBe(true);
  });

  it.each([
    ['no source', image(null), 'it has no source'],
    ['empty data', image(base64({ data: '' })), 'it has no data'],
    ['an unknown type', image(base64({ media_type: 'image/bmp' })), 'its type is image/bmp'],
    ['data that is no base64', image(base64({ data: 'a b=' })), 'its data is not base64'],
    ['data of no image', image(base64({ data: 'AAAA' })), 'its data is no image that can be read'],
    ['an address that is none', image({ type: 'url', url: 'file:///etc/passwd' }), 'it has no address'],
    ['a source of a kind nobody knows', image({ ...base64({}), type: 'file' }), 'its source is file'],
    ['more than 5 MB', imageOf(pngBytes(1, 1, 5 * 1_024 * 1_024)), 'it is larger than 5.2 MB'],
    [
      'more than 8,000 pixels',
      imageOf(pngBytes(10, 9_000)),
      'it is 10 x 9000 pixels, and at most 8000 a side are taken',
    ],
    ['no pixels', imageOf(pngBytes(0, 10)), 'it has no pixels'],
    ['a png without its end', imageOf(pngBytes(9, 9).subarray(0, 40)), 'its end is missing'],
    ['a jpeg without its end', imageOf(jpegBytes(9, 9).subarray(0, -2), 'image/jpeg'), 'its end is missing'],
    ['a gif without its end', imageOf(gifBytes(9, 9).subarray(0, -1), 'image/gif'), 'its end is missing'],
    ['a webp without its end', imageOf(webpBytes(9, 9).subarray(0, -1), 'image/webp'), 'its end is missing'],
  ])('with %s has a problem', (_name, block, problem) => {
    expect(inspect(block).problem).toBe(problem);
    // The validator looks at no zero size; all else it refuses too.
    if (problem !== 'it has no pixels') expect(isTaken(block)).toBe(false);
  });

  it('that says another type than it has is told from one that has a problem', () => {
    const block = imageOf(jpegBytes(9, 9), 'image/png');
    expect(inspect(block)).toMatchObject({ problem: null, actualType: 'image/jpeg' });
    expect(isTaken(block)).toBe(false);
  });

  it('is looked into once', () => {
    const block = imageOf(pngBytes(7, 7));
    expect(inspect(block)).toBe(inspect(block));
  });
});

describe('a document', () => {
  it.each([
    ['a readable page tree', pdfBytes(40), 40],
    ['its number of pages at the start', pdfBytes(40, { plain: false, linearized: true }), 40],
    ['a packed page tree', pdfBytes(400, { plain: false }), 1],
    ['100 pages', pdfBytes(100), 100],
    ['a page tree saved twice', Buffer.concat([pdfBytes(60), pdfBytes(60)]), 60],
    ['bytes before its mark', Buffer.concat([Buffer.alloc(500, 32), pdfBytes(2)]), 2],
  ])('with %s has as many pages as it says', (_name, bytes, pages) => {
    expect(inspect(pdfOf(bytes))).toMatchObject({ problem: null, pages });
    expect(isTaken(pdfOf(bytes))).toBe(true);
  });

  it.each([
    ['400 pages', pdfOf(pdfBytes(400)), 'it has 400 pages, and at most 100 are taken'],
    ['a password', pdfOf(pdfBytes(2, { encrypted: true })), 'it is protected by a password'],
    ['data of no PDF', pdfOf(Buffer.from('plain words')), 'its data is no PDF'],
    [
      'more data than a request holds',
      pdfOf(pdfBytes(2, { extra: 22_100_000 })),
      'it is larger than 22.0 MB, more than a request holds',
    ],
    ['text as base64', document({ type: 'base64', media_type: 'text/plain', data: 'aGk=' }), 'its type is text/plain'],
    ['text of another type', document({ type: 'text', media_type: 'text/html', data: 'hi' }), 'its type is text/html'],
    [
      'text that is damaged',
      document({ type: 'text', media_type: 'text/plain', data: '\ud800' }),
      'it is not valid text',
    ],
    ['no text', document({ type: 'text', media_type: 'text/plain', data: '' }), 'it has no data'],
  ])('with %s has a problem', (name, block, problem) => {
    expect(inspect(block).problem).toBe(problem);
    // One document alone stays below the size of a body.
    if (!name.startsWith('more data') && !name.startsWith('400')) expect(isTaken(block)).toBe(false);
  });

  it('of hostile bytes takes no longer than its length', () => {
    const hostile = Buffer.from(`%PDF-1.7\n${'<< /Type /Pages '.repeat(200_000)}`, 'latin1');
    expect(inspect(pdfOf(hostile))).toMatchObject({ problem: null, pages: 1 });
  });
});
