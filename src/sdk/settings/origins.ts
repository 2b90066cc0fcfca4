// Whose each value of a session's options is, noted where settings are put under them: one place decides, and says so.
import type { PlainOptions } from '../options/index.js';

/** `settings`: files, and the option of that name; which of them, their entries say. `agent`: its definition. */
export type ValueSource = 'managed' | 'option' | 'agent' | 'settings' | 'variable';

type Candidates<Value> = { readonly [Source in ValueSource]?: Value | undefined };

export interface Origins {
  /** The value of the first source that has one, in the order in which they stand; that source is noted. */
  first<Key extends keyof PlainOptions & string>(
    name: Key,
    candidates: Candidates<PlainOptions[Key]>,
  ): { readonly [K in Key]?: PlainOptions[Key] };
  /** @param name of an option, or of a part of it, with a dot between */
  note(name: string, source: ValueSource): void;
  /** By name. What is absent is as the options gave it. */
  readonly noted: ReadonlyMap<string, ValueSource>;
}

export function createOrigins(): Origins {
  const noted = new Map<string, ValueSource>();
  return {
    noted,
    first(name, candidates) {
      for (const [source, value] of Object.entries(candidates)) {
        if (value === undefined) continue;
        noted.set(name, source as ValueSource);
        return { [name]: value } as { readonly [K in typeof name]?: PlainOptions[typeof name] };
      }
      return {};
    },
    note: (name, source) => void noted.set(name, source),
  };
}
