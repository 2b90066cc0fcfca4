import { describe, expect, it } from 'vitest';
import { isNestedDeeper, withoutDeeper } from '../../src/util/json.js';

/** An object in an object, so many of them. */
function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

describe('nesting', () => {
  it.each([1, 2, 100])('counts %i levels', (levels) => {
    expect(isNestedDeeper(nested(levels), levels)).toBe(false);
    expect(isNestedDeeper(nested(levels + 1), levels)).toBe(true);
  });

  it('finds no end in what holds itself', () => {
    const circle: Record<string, unknown> = { name: 'x' };
    circle.own = [circle];
    expect(isNestedDeeper(circle)).toBe(true);
    expect(withoutDeeper(circle)).toEqual({ name: 'x', own: ['[left out: it holds itself]'] });
  });

  it('does not look into bytes', () => {
    expect(isNestedDeeper(new Uint8Array(10_000_000), 1)).toBe(false);
  });

  it('gives the very same if nothing is left out', () => {
    const value = nested(100);
    expect(withoutDeeper(value)).toBe(value);
  });

  it.each([101, 1_000, 100_000])('cuts %i levels', (levels) => {
    const cut = withoutDeeper(nested(levels));
    expect(isNestedDeeper(cut)).toBe(false);
    expect(isNestedDeeper(cut, 99)).toBe(true);
    expect(JSON.stringify(cut)).toContain('[left out: nested too deep]');
    expect(withoutDeeper(cut)).toBe(cut);
  });

  it('ends if parts refer to each other', () => {
    const parts: Record<string, unknown>[] = Array.from({ length: 30 }, () => ({}));
    for (const part of parts) for (const [index, other] of parts.entries()) part[`to${index}`] = other;
    expect(isNestedDeeper(withoutDeeper(parts))).toBe(false);
  });
});
