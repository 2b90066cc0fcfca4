// Whose each value of a session's options is, noted when settings are put under them: one place decides, and says so.
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

/** A managed value counts if it is lower than the other, or the only one; of an agent's and a setting the lower one does. */
export function ceiling(
  option: number | undefined,
  setting: number | undefined,
  managed: number | undefined,
  agent?: number,
): Candidates<number> {
  const isAgents = option === undefined && agent !== undefined && lower(agent, setting) === agent;
  const other = option ?? (isAgents ? agent : setting);
  const isLower = lower(other, managed) !== other;
  return { managed: isLower ? managed : undefined, option, ...(isAgents ? { agent } : { settings: setting }) };
}

/** False is as good as nothing. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** Of values of a part of an option, those of the option. */
export function inPart<Part extends string, Value>(
  part: Part,
  candidates: Candidates<Value>,
): Candidates<{ readonly [K in Part]: Value }> {
  const entries = Object.entries(candidates).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([source, value]) => [source, { [part]: value }]));
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  // What is no number is refused when the option is checked.
  return typeof a === 'number' && a > b ? b : a;
}
