// The vault of a session: what it knows to be secret.

import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { createSecrets, type Secrets } from '../../providers/keys/index.js';
import { createSecretVault } from '../../secrets/create-vault.js';
import { isOwnCredential, knownSecrets } from '../../secrets/known-values.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { homeFolder } from '../store/index.js';

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
    key: async () => placeholderKey(host, env, keepsKey),
    sha256: (bytes) => host.sha256(bytes),
  });
}

// The key that makes the ids of placeholders: the user's own, in a file that nobody else may read.

const KEY = /^[0-9a-f]{32,128}$/;

/** `placeholder-key` in the user's own folder. Whoever has it can tell whether a guess of a secret is right. */
export function placeholderKeyFile(host: Pick<Host, 'env' | 'platform'>, env: Env): string {
  return path.join(homeFolder(host, env), 'placeholder-key');
}

/** The user's own, made with the first secret. One of this process if it cannot be kept. */
async function placeholderKey(host: Host, env: Env, keepsKey: boolean): Promise<string> {
  const file = placeholderKeyFile(host, env);
  const fresh = `${host.ids.uuid()}${host.ids.uuid()}`.replaceAll('-', '');
  const before = await readKey(host, file);
  if (before !== null) return before;
  if (!keepsKey) return fresh;
  try {
    await host.fs.createFile(file, `${fresh}\n`, { mode: 0o600 });
    return fresh;
  } catch (error) {
    if (!isFileError(error)) throw error;
    // Another process was first, or nothing can be written there.
    return (await readKey(host, file)) ?? fresh;
  }
}

/** Null if there is none that can be used. */
async function readKey(host: Host, file: string): Promise<string | null> {
  try {
    const text = new TextDecoder().decode(await host.fs.readFile(file)).trim();
    return KEY.test(text) ? text : null;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}
