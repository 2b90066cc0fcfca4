// The vault of a session: what it knows to be secret.
import type { Host } from '../../host/host.js';
import { createSecrets, type Secrets } from '../../providers/keys/index.js';
import { createSecretVault } from '../../secrets/create-vault.js';
import { isOwnCredential, knownSecrets } from '../../secrets/known-values.js';
import type { SecretVault } from '../../secrets/secret-vault.js';

type Env = Readonly<Record<string, string | undefined>>;

export interface VaultSurroundings {
  readonly host: Host;
  /** The session's own. */
  readonly env: Env;
  /** Credentials that are found elsewhere than in variables, some of them later. Default: none. */
  readonly secrets?: Secrets;
  /** False: nothing may be written, so ids are new in each process if no session kept a key yet. Default true. */
  readonly keepsKey?: boolean;
}

export function createSessionVault({
  host,
  env,
  secrets = createSecrets(),
  keepsKey = true,
}: VaultSurroundings): SecretVault {
  let known: { readonly version: number; readonly values: ReadonlyMap<string, string> } | null = null;
  return createSecretVault({
    known() {
      const { version } = secrets;
      if (known?.version !== version) known = { version, values: knownSecrets(env, secrets) };
      return known.values;
    },
    isOwn: (value) => isOwnCredential(value, env, secrets),
    key: async () => (await import('../models/placeholder-key.js')).placeholderKey(host, env, keepsKey),
    sha256: (bytes) => host.sha256(bytes),
  });
}
