// JSON with comments: what `jsonc-parser` does for settings. Loaded for files that have comments, and to change a file.
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

const STYLE = { tabSize: 2, insertSpaces: true, eol: '\n' } as const;

export function parseWithComments(text: string): { readonly value: unknown } | { readonly problem: string } {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first === undefined) return { value: root === undefined ? undefined : plainValue(root) };
  // What was understood before a mistake may say the opposite of what was meant.
  const before = text.slice(0, first.offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return { problem: `is not JSON (${printParseErrorCode(first.error)} at ${place}), so nothing of it counts` };
}

/** As `JSON.parse` has it: a key `__proto__` is a key, which the parser's own values pass by. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  const object: Record<string, unknown> = {};
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key === undefined || value === undefined) continue;
    Object.defineProperty(object, String(key.value), {
      value: plainValue(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

/** The text with one value set, or with `undefined` taken out; comments stay. */
export function withValue(text: string, path: readonly (string | number)[], value: unknown): string {
  const source = text.trim() === '' ? '{}\n' : text;
  if (value === undefined) return without(source, path);
  return applyEdits(source, modify(source, [...path], value, { formattingOptions: STYLE }));
}

/** The text with a value behind the last one of a list. */
export function withAppended(text: string, path: readonly string[], count: number, value: unknown): string {
  const options = { formattingOptions: STYLE, isArrayInsertion: true };
  return applyEdits(text, modify(text, [...path, count], value, options));
}

/** What is said about the value and its neighbours stays in its place: a comment may be about any of them. */
function without(text: string, path: readonly (string | number)[]): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  const item = typeof path.at(-1) === 'number' ? node : node?.parent;
  const siblings = item?.parent?.children;
  if (item === undefined || siblings === undefined) return text;
  const before = siblings[siblings.indexOf(item) - 1];
  const comma = commaAfter(text, endOf(item)) ?? (before === undefined ? null : commaAfter(text, endOf(before)));
  const rest = comma === null ? text : cut(text, comma, comma + 1);
  const start = comma !== null && comma < item.offset ? item.offset - 1 : item.offset;
  return tidyLine(cut(rest, start, start + item.length), start);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The place of the next sign if it is a comma; null if it is another. Comments are passed by. */
function commaAfter(text: string, from: number): number | null {
  const gap = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  gap.lastIndex = from;
  const at = from + (gap.exec(text)?.[0].length ?? 0);
  return text[at] === ',' ? at : null;
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end);
}

/** Takes out the line at `at` if nothing is left on it, and what is doubled of the space in it. */
function tidyLine(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  const line = text.slice(start, end === -1 ? text.length : end);
  if (line.trim() === '' && end !== -1) return cut(text, start, end + 1);
  const left = text.slice(start, at);
  return left.trim() === '' ? `${text.slice(0, at)}${text.slice(at).replace(/^[ \t]+/, '')}` : text;
}
