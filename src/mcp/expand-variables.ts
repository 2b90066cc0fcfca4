// Variables in definitions of servers that stand in files: `${NAME}` and `${NAME:-default}`. Pure. One rule: a variable
// that is not there is told by its name, and never becomes an empty text in silence.
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export interface Expanded {
  readonly value: unknown;
  /** Names without a value and without a default; each once. */
  readonly missing: readonly string[];
}

/** Why they have none, behind "which": the environment has them, and whoever expanded them did not get them. */
export function whyMissing(missing: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  return missing.some((name) => env[name] !== undefined) ? 'settings hide from servers (hideVariables)' : 'is not set';
}

/** In all texts of a JSON value; names of its fields stay as they are. */
export function expandVariables(value: unknown, env: Readonly<Record<string, string | undefined>>): Expanded {
  const missing = new Set<string>();
  const inText = (text: string) =>
    text.replace(VARIABLE, (whole, name: string, otherwise: string | undefined) => {
      const found = env[name];
      if (found !== undefined && (found !== '' || otherwise === undefined)) return found;
      if (otherwise !== undefined) return otherwise;
      missing.add(name);
      return whole;
    });
  const inValue = (each: unknown): unknown => {
    if (typeof each === 'string') return inText(each);
    if (Array.isArray(each)) return each.map(inValue);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, inValue(inner)]));
  };
  return { value: inValue(value), missing: [...missing] };
}
