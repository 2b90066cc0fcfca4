// Takes secrets out of an entry before it is written. What most entries cost is a look at their strings; signed
// thinking, ids and the bytes of media are never touched.

import { ConfigError } from '../../../protocol/errors.js';
import { createSecrets } from '../../../providers/keys/index.js';
import { createSecretVault } from '../../../secrets/create-vault.js';
import { knownSecrets } from '../../../secrets/known-values.js';
import type { SecretVault } from '../../../secrets/secret-vault.js';
import { mapFields, someText } from '../../../secrets/some-text.js';
import type { TranscriptEntry } from '../entry.js';
import type { MetadataLine } from '../session-metadata.js';

/** The keys of an entry that hold what users, models and tools say. */
const SPOKEN = new Set(['message', 'toolUseResult', 'lastPrompt', 'customTitle', 'aiTitle', 'tag', 'state']);

/** The entry without secrets; the very same if there are none. */
export function redactEntry(entry: TranscriptEntry, vault: SecretVault): TranscriptEntry | Promise<TranscriptEntry> {
  for (const [key, value] of Object.entries(entry)) {
    if (SPOKEN.has(key) && someText(value, key === 'message', vault.suspects)) return redact(entry, vault);
  }
  return entry;
}

async function redact(entry: TranscriptEntry, vault: SecretVault): Promise<TranscriptEntry> {
  const clean = new Map<string, unknown>();
  for (const [key, value] of Object.entries(entry)) {
    if (SPOKEN.has(key)) clean.set(key, await vault.hide(value, 'found', key === 'message'));
  }
  const fields = entry as unknown as Readonly<Record<string, unknown>>;
  return mapFields(fields, (value, key) => (clean.has(key) ? clean.get(key) : value)) as unknown as TranscriptEntry;
}

// A name that somebody gives a stored session goes to the disk at once and to every list, so what would be taken out of
// a message is refused in it.

/**
 * @param env the environment with the values of configured credentials
 * @throws ConfigError if the line names a secret, by shape or by value; what it says does not hold it
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
