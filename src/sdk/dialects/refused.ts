// What published SDKs export and what has no meaning here. One rule: it is there, and says so when it is used.
import { ConfigError } from '../../protocol/errors.js';

/** @throws ConfigError, always */
export function refuse(name: string, why: string): never {
  throw new ConfigError(`${name} is not supported: ${why}`, { code: 'not_supported' });
}

/** A function that refuses. */
export function refusedFunction(name: string, why: string): (...args: unknown[]) => Promise<never> {
  return async () => refuse(name, why);
}

/** A class that refuses to be made. */
export function refusedClass(name: string, why: string): new (...args: unknown[]) => Record<string, never> {
  const Refused = class {
    constructor(..._args: unknown[]) {
      refuse(name, why);
    }
  };
  Object.defineProperty(Refused, 'name', { value: name });
  return Refused as unknown as new (
    ...args: unknown[]
  ) => Record<string, never>;
}
