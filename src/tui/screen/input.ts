// What a person does at the keyboard, as the rooms of the terminal are told it.

/** One key, one paste, or the window that got or lost the focus. `at` is a moment of `Face.clock`. */
export type Input =
  | {
      readonly type: 'key';
      /** Such as `ctrl+r`, `shift+tab`, `escape`, `a`; null for one without a name, such as `é` or `語`. */
      readonly key: string | null;
      /** The bytes, decoded. */
      readonly data: string;
      readonly at: number;
    }
  | { readonly type: 'paste'; readonly text: string; readonly at: number }
  | { readonly type: 'focus'; readonly focused: boolean; readonly at: number };
