// The plain beginning of a file name pattern: apart from the matcher, as a call is described by it before it runs.

const MAGIC = /[*?[\]{}\\]/;

/** True if the text stands for more than itself. */
export function isMagic(pattern: string): boolean {
  return MAGIC.test(pattern);
}

/** Splits off the folders that are plain text: `src/a/*.ts` is root `src/a` and rest `*.ts`. */
export function splitGlobRoot(pattern: string): { readonly root: string; readonly rest: string } {
  const parts = pattern.split('/');
  let plain = 0;
  while (plain < parts.length - 1 && !isMagic(parts[plain] ?? '')) plain += 1;
  const root = parts.slice(0, plain).join('/');
  return { root: root === '' && plain > 0 ? '/' : root, rest: parts.slice(plain).join('/') };
}
