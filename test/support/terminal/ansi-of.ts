// A screen as text with its colours: what golden screens are kept as, what `cat` shows again and pictures are drawn of.
import type { Cell, ScreenReader } from './screen-reader.js';

/** The rows of the window, or the rows given, without empty ones at the end. The cursor is not in it. */
export function ansiOf(screen: ScreenReader): string {
  const rows = Array.from({ length: screen.size.rows }, (_, row) => ansiOfCells(screen.cells(row)));
  while (rows.at(-1) === '') rows.pop();
  return `${rows.join('\n')}\n`;
}

/** One row, without blanks at its end; each change of style begins with a reset. */
function ansiOfCells(cells: readonly Cell[]): string {
  let text = '';
  let last = '';
  const end = cells.findLastIndex(
    (cell) => cell.width > 0 && (cell.text.trim() !== '' || cell.inverse || cell.background !== null),
  );
  for (const cell of cells.slice(0, end + 1)) {
    if (cell.width === 0) continue;
    const style = styleOf(cell);
    if (style !== last) text += `\x1b[${style === '' ? '0' : `0;${style}`}m`;
    last = style;
    text += cell.text === '' ? ' ' : cell.text;
  }
  return last === '' ? text : `${text}\x1b[0m`;
}

function styleOf(cell: Cell): string {
  return [
    ...(cell.bold ? ['1'] : []),
    ...(cell.dim ? ['2'] : []),
    ...(cell.italic ? ['3'] : []),
    ...(cell.underline ? ['4'] : []),
    ...(cell.inverse ? ['7'] : []),
    ...colourOf(cell.foreground, 30, 38),
    ...colourOf(cell.background, 40, 48),
  ].join(';');
}

function colourOf(colour: Cell['foreground'], base: number, extended: number): string[] {
  if (colour === null) return [];
  if (typeof colour === 'string') {
    const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
    return [`${extended};2;${parts.join(';')}`];
  }
  if (colour < 8) return [String(base + colour)];
  return colour < 16 ? [String(base + 52 + colour)] : [`${extended};5;${colour}`];
}
