// Keeps secrets out of what a program logs or prints of errors. Loaded with the first of these.
import { createSecrets } from '../providers/keys/index.js';
import { createSecretFinder } from '../secrets/find-secrets.js';
import { knownSecrets } from '../secrets/known-values.js';

/** Of a variable named like a secret; shorter values are words that would be cut out of innocent text. */
const SHORTEST = 8;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/**
 * A function that replaces every secret in a text: what looks like one wherever it comes from, and the values of
 * variables named like one, of which it looks at more than a transcript does.
 * @param env read once
 */
export function createLogRedactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const values = new Map(knownSecrets(env, createSecrets()));
  for (const [name, value = ''] of Object.entries(env)) {
    if (SECRET_NAME.test(name) && value.length >= SHORTEST && !values.has(value)) values.set(value, `value of ${name}`);
  }
  const finder = createSecretFinder(new Map([...values].sort(([a], [b]) => b.length - a.length)));
  return (text) => finder.redact(text, (kind) => `[redacted: ${kind}]`);
}
