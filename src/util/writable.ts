// Types whose fields and lists may be changed, as other libraries declare theirs.

/** The same all the way down, without `readonly`. */
export type Writable<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;
