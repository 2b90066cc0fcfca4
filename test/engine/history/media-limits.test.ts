import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MediaItem, type MediaLimits, planMedia } from '../../../src/engine/history/media.js';

const LIMITS: MediaLimits = { images: 100, many: 20, sideOfMany: 2_000, pages: 100, size: 1_000 };
const image = (side = 100, size = 1): MediaItem => ({ type: 'image', width: side, height: 10, pages: 0, size });
const pdf = (pages: number, size = 1): MediaItem => ({ type: 'document', width: 0, height: 0, pages, size });
const many = (count: number, one: MediaItem = image()) => Array.from({ length: count }, () => one);

/** Places of what is dropped. */
const dropped = (items: readonly MediaItem[]) =>
  planMedia(items, LIMITS).flatMap((why, index) => (why === null ? [] : [index]));
const first = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('what a request can hold', () => {
  it.each([
    ['100 images', many(100), []],
    ['101 images: 20 at once', many(101), first(20)],
    ['120 images: the boundary has not moved', many(120), first(20)],
    ['121 images: 20 more', many(121), first(40)],
    ['20 large images', many(20, image(3_000)), []],
    ['21 large images: ten at once, and the newest stay', many(21, image(3_000)), first(10)],
    ['30 large images', many(30, image(3_000)), first(10)],
    ['31 large images', many(31, image(3_000)), first(20)],
    ['a large image long ago: it alone', [image(3_000), ...many(30)], [0]],
    ['a large image among the newest of many', [...many(30), image(3_000)], first(20)],
    ['100 pages', [pdf(60), pdf(40)], []],
    ['160 pages: the oldest', [pdf(60), pdf(60), pdf(40)], [0]],
    ['more pages than any two of the last', [pdf(10), pdf(90), pdf(90)], [0, 1]],
    ['too much data: the oldest', [image(1, 500), pdf(1, 500), image(1, 500)], [0]],
    ['a last one that needs the whole room', [image(1, 10), image(1, 10), pdf(1, 1_000)], [0, 1]],
  ])('of %s', (_name, items, expected) => {
    expect(dropped(items)).toEqual(expected);
  });

  it('says of each why', () => {
    const whys = planMedia([image(3_000), ...many(30), pdf(60), pdf(60)], LIMITS);
    expect(whys[0]).toMatch(/3000 x 10 pixels, and with more than 20 images at most 2000/);
    expect(whys[31]).toMatch(/at most 100 pages/);
  });

  const items = fc.array(
    fc.oneof(
      fc
        .record({ side: fc.constantFrom(10, 1_999, 2_000, 2_001, 7_000), size: fc.nat(200) })
        .map((one) => image(one.side, one.size)),
      fc.record({ pages: fc.nat(100), size: fc.nat(400) }).map((one) => pdf(one.pages, one.size)),
    ),
    { maxLength: 160 },
  );

  it('is within every limit, keeps the newest, and of what it leaves it would drop nothing more', () => {
    fc.assert(
      fc.property(items, (all) => {
        const plan = planMedia(all, LIMITS);
        const kept = all.filter((_item, index) => plan[index] === null);
        const images = kept.filter(({ type }) => type === 'image');
        expect(images.length).toBeLessThanOrEqual(LIMITS.images);
        if (images.length > LIMITS.many)
          expect(Math.max(...images.map(({ width }) => width))).toBeLessThanOrEqual(2_000);
        expect(kept.reduce((sum, { pages }) => sum + pages, 0)).toBeLessThanOrEqual(LIMITS.pages);
        expect(kept.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(LIMITS.size);
        expect(planMedia(kept, LIMITS).every((why) => why === null)).toBe(true);
        if (all.length > 0) expect(plan.at(-1)).toBeNull();
      }),
      { seed: 42, numRuns: 2_000 },
    );
  });
});
