// The comparisons of types that the other files here rest on can fail.
import { describe, expectTypeOf, it } from 'vitest';
import type { ReadsAs, SameShape, Takes } from './type-shape.js';

describe('comparing types', () => {
  it('tells a missing, an additional, an optional and a different field', () => {
    expectTypeOf<SameShape<{ readonly a: readonly string[] }, { a: string[] }>>().toEqualTypeOf<true>();
    expectTypeOf<SameShape<{ a: string }, { a: string; b?: string }>>().not.toEqualTypeOf<true>();
    expectTypeOf<SameShape<{ a: string; b?: string }, { a: string }>>().not.toEqualTypeOf<true>();
    expectTypeOf<SameShape<{ a?: string }, { a: string }>>().not.toEqualTypeOf<true>();
    expectTypeOf<SameShape<{ a: string }, { a: number }>>().not.toEqualTypeOf<true>();
    expectTypeOf<ReadsAs<{ a: string }, { a: string; b?: string }>>().not.toEqualTypeOf<true>();
    expectTypeOf<ReadsAs<{ a: unknown; b: string }, { a: string }>>().not.toEqualTypeOf<true>();
    expectTypeOf<Takes<{ a: 'x' }, { a: string }>>().not.toEqualTypeOf<true>();
    expectTypeOf<Takes<{ a: 'x' | 'y'; c?: string }, { a: 'x' }>>().toEqualTypeOf<true>();
  });
});
