// Splits the lists people write after --allowed-tools, --disallowed-tools and --tools.

/**
 * The entries of a list, divided by commas or white space outside parentheses, so that `Bash(npm run a, b)` stays
 * whole. Empty entries are dropped; an unclosed parenthesis keeps the rest as one entry for the rule parser to refuse.
 */
export function splitList(text: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index];
    if (character === '(') depth++;
    if (character === ')' && depth > 0) depth--;
    const divides = character === undefined || (depth === 0 && /[\s,]/.test(character));
    if (!divides) continue;
    if (index > start) entries.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return entries.filter((entry) => entry !== '');
}
