// What decides which models can be reached, as a test wants it.
import type { ModelAccess } from '../../src/providers/choice/provider-access.js';
import { createSecrets } from '../../src/providers/keys/key-variables.js';

/** An access with these variables and nothing else. */
export function accessOf(env: Record<string, string> = {}, more: Partial<ModelAccess> = {}): ModelAccess {
  return { env, storedKeys: async () => new Map(), secrets: createSecrets(), ...more };
}

/** An access that `turnwright login` left these keys for. */
export function loggedIn(keys: Record<string, string>, env: Record<string, string> = {}): ModelAccess {
  return accessOf(env, { storedKeys: async () => new Map(Object.entries(keys)) });
}
