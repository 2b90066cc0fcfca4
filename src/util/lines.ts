// Lines of a text by position, without splitting the text. A line ends with its "\n"; the last may end without.

/** Number of lines: "" has none, "a" and "a\n" have one. */
export function countLines(text: string): number {
  if (text === '') return 0;
  return lineNumberAt(text, text.length) - (text.endsWith('\n') ? 1 : 0);
}

/** Number of the line that holds `offset`, counted from 1. */
export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Start of the line `linesBefore` lines above the one that holds `offset`; 0 at the top. */
export function startOfLine(text: string, offset: number, linesBefore = 0): number {
  let start = lineBreakBefore(text, offset) + 1;
  for (let line = 0; line < linesBefore && start > 0; line++) start = lineBreakBefore(text, start - 1) + 1;
  return start;
}

/** End (behind the line break) of the line `linesAfter` lines below the one that holds `offset`. */
export function endOfLine(text: string, offset: number, linesAfter = 0): number {
  let end = offset;
  for (let line = 0; line <= linesAfter && end < text.length; line++) {
    const lineBreak = text.indexOf('\n', end);
    end = lineBreak === -1 ? text.length : lineBreak + 1;
  }
  return end;
}

function lineBreakBefore(text: string, offset: number): number {
  // lastIndexOf takes a negative start as 0, which would find a break at 0.
  return offset <= 0 ? -1 : text.lastIndexOf('\n', offset - 1);
}
