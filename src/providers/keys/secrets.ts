// What a session must keep to itself: the variables that hold credentials, and the credentials themselves, wherever
// they come from. Grows while the session finds out; never forgets.
import { PROVIDER_SECRET_VARIABLES } from './key-variables.js';

export interface Secrets {
  /** Names of variables. */
  readonly variables: ReadonlySet<string>;
  /** Each value with the words that name it, for a text that says what stood there. */
  readonly values: ReadonlyMap<string, string>;
  /** Grows with each addition. */
  readonly version: number;
  addVariable(name: string): void;
  /** @param kind for example `key of openai` */
  addValue(value: string, kind: string): void;
}

/** A shorter value could not be told from ordinary text. Characters. */
const SHORTEST = 8;

export function createSecrets(): Secrets {
  const variables = new Set(PROVIDER_SECRET_VARIABLES);
  const values = new Map<string, string>();
  let version = 0;
  return {
    variables,
    values,
    get version() {
      return version;
    },
    addVariable(name) {
      if (!variables.has(name)) version += 1;
      variables.add(name);
    },
    addValue(value, kind) {
      if (value.length < SHORTEST || values.has(value)) return;
      values.set(value, kind);
      version += 1;
    },
  };
}
