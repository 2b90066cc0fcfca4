// Keeps credentials out of the debug file and of error lines: the values of secret-looking variables, and what looks
// like a key wherever it comes from.

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;
/** Shorter values are words that would be cut out of innocent text. */
const LEAST_SECRET_LENGTH = 8;

const KEY_SHAPES = /\b(sk|pk|ghp|gho|ghs|xox[abp])[-_][A-Za-z0-9_-]{8,}|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/g;

/** A function that replaces every secret in a text. The variables are read once. */
export function createRedactor(env: Readonly<NodeJS.ProcessEnv>): (text: string) => string {
  const secrets = Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && (value ?? '').length >= LEAST_SECRET_LENGTH)
    .map(([name, value]) => ({ name, value: value ?? '' }))
    .sort((a, b) => b.value.length - a.value.length);
  return (text) => {
    const known = secrets.reduce((rest, { name, value }) => rest.replaceAll(value, `[${name}]`), text);
    return known.replace(KEY_SHAPES, '[redacted]');
  };
}
