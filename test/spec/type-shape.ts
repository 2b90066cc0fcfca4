// Comparing an exported type with the fields the specification gives. `readonly` is left out of it: the specification
// never says it. A difference stops the type check, so a test made of these fails there.

type Immutable<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Immutable<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> }
      : T;

/** Every field of any member of a union. */
type Fields<T> = T extends unknown ? keyof T : never;

/** True where both types have the same fields and each can stand for the other. */
export type SameShape<Ours, Spec> = [Immutable<Ours>, Fields<Ours>] extends [Immutable<Spec>, Fields<Spec>]
  ? [Immutable<Spec>, Fields<Spec>] extends [Immutable<Ours>, Fields<Ours>]
    ? true
    : 'the specification does not fit our type'
  : 'our type does not fit the specification';

/** True where our type has every field of the specification, and a reader written for that can read ours. */
export type ReadsAs<Ours, Spec> = [Immutable<Ours>] extends [Immutable<Spec>]
  ? [Fields<Spec>] extends [Fields<Ours>]
    ? true
    : 'fields are missing'
  : 'our type does not fit the specification';

/** True where our type has every field of the specification, and takes whatever that allows to give. */
export type Takes<Ours, Spec> = [Immutable<Spec>] extends [Immutable<Ours>]
  ? [Fields<Spec>] extends [Fields<Ours>]
    ? true
    : 'fields are missing'
  : 'the specification does not fit our type';
