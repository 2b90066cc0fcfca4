// Where the cells of a notebook stand in its text, so that one can be changed and every other byte left alone.
// Contract: the text is valid JSON, an object with a list `cells`; nothing here checks that again, and no recursion.

/** From its first character to behind its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface CellPlaces {
  /** The brackets of the list, and all between. */
  readonly list: Span;
  readonly cells: readonly Span[];
}

export function locateCells(text: string): CellPlaces {
  const list = locateFields(text, skipSpace(text, 0)).get('cells') ?? { start: 0, end: 0 };
  const cells: Span[] = [];
  for (let start = skipSpace(text, list.start + 1); start < list.end - 1; ) {
    const end = endOfValue(text, start);
    cells.push({ start, end });
    start = skipSpace(text, skipSpace(text, end) + 1);
  }
  return { list, cells };
}

/**
 * The values of an object by their names; of several with one name the last, as JSON.parse has it.
 * @param start of the object
 */
export function locateFields(text: string, start: number): ReadonlyMap<string, Span> {
  const fields = new Map<string, Span>();
  for (let at = skipSpace(text, start + 1); text[at] === '"'; ) {
    const nameEnd = endOfString(text, at);
    const value = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, value);
    fields.set(JSON.parse(text.slice(at, nameEnd)) as string, { start: value, end });
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return fields;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

/** @param start of a value */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    const behind = /[\s,\]}]/g;
    behind.lastIndex = start;
    return behind.exec(text)?.index ?? text.length;
  }
  const structure = /["[\]{}]/g;
  let depth = 0;
  for (let at = start; ; ) {
    structure.lastIndex = at;
    const found = structure.exec(text);
    if (found === null) return text.length;
    at = found.index;
    if (found[0] === '"') {
      at = endOfString(text, at);
      continue;
    }
    depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
    at += 1;
    if (depth === 0) return at;
  }
}

/** Step by step: a pattern for a string of megabytes may need more stack than there is. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
