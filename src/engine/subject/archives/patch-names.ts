// The files that a patch names, in whatever form it is written. Pure.

/** A patch may be indented, and its dashes may stand behind others. */
const NAMING = /^[ \tX]*(?:- )*(?:\+\+\+|---|\*\*\*|Index:|(?:rename|copy) (?:from|to)) +(.+)$/gm;
const GIT = /^[ \tX]*(?:- )*diff --git (.+)$/gm;

/** As they stand there, each once, but for `/dev/null`; null where none can be told. */
export function patchNames(patch: string): readonly string[] | null {
  // A mail may hold the patch in letters that nobody reads.
  if (/^Content-Transfer-Encoding:\s*(?:base64|quoted-printable)/im.test(patch)) return null;
  const names = new Set<string>();
  for (const [, name = ''] of patch.matchAll(NAMING)) names.add(plainName(name));
  for (const [, both = ''] of patch.matchAll(GIT)) for (const name of twoNames(both)) names.add(name);
  names.delete('/dev/null');
  return names.size === 0 || [...names].some((name) => name === '') ? null : [...names];
}

/** Without what follows a tab, and out of its quotes. */
function plainName(written: string): string {
  const text = written.replace(/\r$/, '');
  if (text.startsWith('"')) return unquoted(/^"(?:[^"\\]|\\.)*"/.exec(text)?.[0] ?? '');
  return text.split('\t', 1)[0]?.trimEnd() ?? '';
}

/** `a/x b/x`; names with blanks are cut in the middle, where both are the same. */
function twoNames(both: string): string[] {
  const text = both.trimEnd();
  if (text.startsWith('"')) return (text.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).map(plainName);
  const half = (text.length - 1) / 2;
  if (Number.isInteger(half) && text.slice(2, half) === text.slice(half + 3))
    return [text.slice(0, half), text.slice(half + 1)];
  return text.split(' ').filter((part) => part !== '');
}

/** Bytes are written as octal numbers. Empty where it cannot be read. */
function unquoted(quoted: string): string {
  if (quoted === '') return '';
  const bytes: number[] = [];
  const inner = quoted.slice(1, -1);
  const letters: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, '\\': 92 };
  for (let at = 0; at < inner.length; at++) {
    const octal = inner[at] === '\\' ? /^[0-3][0-7]{2}/.exec(inner.slice(at + 1))?.[0] : undefined;
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      at += 3;
    } else if (inner[at] === '\\') {
      const letter = letters[inner[++at] ?? ''];
      if (letter === undefined) return '';
      bytes.push(letter);
    } else bytes.push(...new TextEncoder().encode(inner[at]));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
