// A name that somebody gives a stored session goes to the disk at once and to every list, so what would be taken out of
// a message is refused in it.
import { ConfigError } from '../../../protocol/errors.js';
import { createSecrets } from '../../../providers/secrets.js';
import type { MetadataLine } from '../session-metadata.js';
import { knownSecrets } from './known-values.js';
import { createRedactor } from './redact-entry.js';

/**
 * @param env where the values of configured credentials are found
 * @throws ConfigError where the line names a secret, by shape or by value; what it says does not hold it
 */
export async function refuseSecret(
  env: Readonly<Record<string, string | undefined>>,
  line: MetadataLine,
): Promise<void> {
  const redactor = createRedactor(knownSecrets(env, createSecrets()));
  if ((await redactor.clean(line)) === line) return;
  const kinds = [...redactor.takeCounts().keys()].join(', ');
  const name = line.type === 'tag' ? 'tag' : 'title';
  throw new ConfigError(
    `The ${name} holds a secret (${kinds}), which would stand on the disk as it is. Give one without it.`,
  );
}
