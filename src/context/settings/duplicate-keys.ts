// Keys that stand twice in one object of a JSON text. A parser takes the last one without a word, and a list of rules
// would be gone with the first. Pure.

const TOKENS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\]:,]/g;
/** Told of one text. */
const MAX_FOUND = 20;

/** @param text JSON that a parser understood, with comments or without. Keys with dots, each once. */
export function duplicateKeys(text: string): readonly string[] {
  const found = new Set<string>();
  /** What is open: the keys of an object, or null for a list; and the key whose value stands there now. */
  const open: { readonly keys: Set<string> | null; key: string }[] = [];
  const tokens = [...text.matchAll(TOKENS)].map(([token]) => token).filter((token) => !token.startsWith('/'));
  for (const [at, token] of tokens.entries()) {
    const top = open.at(-1);
    if (token === '{') open.push({ keys: new Set(), key: '' });
    else if (token === '[') open.push({ keys: null, key: '[]' });
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"') && tokens[at + 1] === ':' && top?.keys != null) {
      top.key = readText(token);
      if (top.keys.has(top.key) && found.size < MAX_FOUND) found.add(open.map(({ key }) => key).join('.'));
      top.keys.add(top.key);
    }
  }
  return [...found];
}

/** A name may be written in several ways. */
function readText(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token; // a parser of comments takes more than JSON does
  }
}
