// A name that somebody gives a stored session goes to the disk at once and to every list, so what would be taken out of
// a message is refused in it.
import { ConfigError } from '../../../protocol/errors.js';
import { createSecrets } from '../../../providers/keys/index.js';
import { createSecretVault } from '../../../secrets/create-vault.js';
import { knownSecrets } from '../../../secrets/known-values.js';
import type { MetadataLine } from '../session-metadata.js';
import { redactEntry } from './redact-entry.js';

/**
 * @param env where the values of configured credentials are found
 * @throws ConfigError where the line names a secret, by shape or by value; what it says does not hold it
 */
export async function refuseSecret(
  env: Readonly<Record<string, string | undefined>>,
  line: MetadataLine,
): Promise<void> {
  const known = knownSecrets(env, createSecrets());
  // Nobody sees the placeholders, so any key will do.
  const ids = { isOwn: () => false, key: async () => '', sha256: async () => '' };
  const vault = createSecretVault({ known: () => known, ...ids });
  if ((await redactEntry(line, vault)) === line) return;
  const kinds = [...vault.takeFound().keys()].join(', ');
  const name = line.type === 'tag' ? 'tag' : 'title';
  throw new ConfigError(
    `The ${name} holds a secret (${kinds}), which would stand on the disk as it is. Give one without it.`,
  );
}
