// JSON with comments: what `jsonc-parser` does for settings. Loaded for files that have comments, and to change a file.
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

const STYLE = { tabSize: 2, insertSpaces: true, eol: '\n' } as const;

export function parseWithComments(text: string): { readonly value: unknown } | { readonly problem: string } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first === undefined) return { value };
  // What was understood before a mistake may say the opposite of what was meant.
  const before = text.slice(0, first.offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return { problem: `is not JSON (${printParseErrorCode(first.error)} at ${place}), so nothing of it counts` };
}

/** The text with one value set, or with `undefined` taken out; comments stay. */
export function withValue(text: string, path: readonly (string | number)[], value: unknown): string {
  const source = text.trim() === '' ? '{}\n' : text;
  return applyEdits(source, modify(source, [...path], value, { formattingOptions: STYLE }));
}

/** The text with a value behind the last one of a list. */
export function withAppended(text: string, path: readonly string[], count: number, value: unknown): string {
  const options = { formattingOptions: STYLE, isArrayInsertion: true };
  return applyEdits(text, modify(text, [...path, count], value, options));
}
