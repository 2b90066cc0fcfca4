import { describe, expect, it } from 'vitest';
import { cutAtWord, tailAtWord } from '../../src/util/text.js';

describe('a text that is cut', () => {
  it('ends, or begins, at a word, and keeps what is short enough', () => {
    expect(cutAtWord('one two-three', 20)).toBe('one two-three');
    expect(cutAtWord('one two-three', 8)).toBe('one ');
    expect(cutAtWord('one two-three', 3)).toBe('one');
    expect(tailAtWord('one two-three', 20)).toBe('one two-three');
    expect(tailAtWord('one-two three', 7)).toBe(' three');
    expect(tailAtWord('one two three', 5)).toBe('three');
  });

  it('is cut in a word if that is longer than any key', () => {
    const long = `a ${'x'.repeat(2_000)} b`;
    expect(cutAtWord(long, 1_000)).toBe(long.slice(0, 1_000));
    expect(tailAtWord(long, 1_000)).toBe(long.slice(-1_000));
  });
});
