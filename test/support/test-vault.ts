// A vault with a key of its own, for tests.
import { createHash } from 'node:crypto';
import { createSecretVault } from '../../src/secrets/create-vault.js';
import type { SecretVault } from '../../src/secrets/secret-vault.js';

/** @param values what is known to be secret, each with its kind, or what gives it. @param own what no call may have */
export function testVault(
  values: ReadonlyMap<string, string> | (() => ReadonlyMap<string, string>) = new Map(),
  own: readonly string[] = [],
  key = 'key of a test',
): SecretVault {
  return createSecretVault({
    known: typeof values === 'function' ? values : () => values,
    isOwn: (value) => own.includes(value),
    key: async () => key,
    sha256: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
  });
}
