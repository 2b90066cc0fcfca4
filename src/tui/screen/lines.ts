// Lines in cells: how wide, how many rows, cut, wrapped, and from where two of them differ. Only colours are in them.
import { clustersIn } from '../../view/width.js';
import { visibleWidth } from '../pi.js';

/** Any control character but the beginning of a colour. */
const CONTROL = new RegExp(String.raw`(?!ESC\[[\d;:]*m)\p{Cc}`.replace('ESC', '\\x1b'), 'gu');
const COLOUR = new RegExp(String.raw`ESC\[[\d;:]*m`.replace('ESC', '\\x1b'), 'g');
/** Characters whose width no terminal disputes: Latin, Greek, Cyrillic, and what is wide in all of them. */
const UNDISPUTED =
  /^[\x20-\x7e\u00c0-\u024f\u0391-\u03c9\u0400-\u045f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*/;
const ASCII = /^[\x20-\x7e]*$/;
/** What joins the character before it. */
const JOINS = /^[\p{M}\p{Cf}\p{Emoji_Modifier}]/u;
const RESETS = ['\x1b[m', '\x1b[0m'];

/** A line as it may be written: nothing in it moves the cursor, or says anything to the terminal but a colour. Tabs stay. */
export function withoutControls(line: string): string {
  return line.replace(CONTROL, (character) => (character === '\t' ? character : '\ufffd'));
}

/** The same, with tabs as spaces: a row whose width is known. */
export function asRow(line: string): string {
  return withoutControls(line.includes('\t') ? line.replaceAll('\t', '    ') : line);
}

export function cellsOf(line: string): number {
  if (ASCII.test(line)) return line.length;
  // Most lines are such text in colours; the library would make a segmenter for them, which costs as much as half a start.
  const text = line.replace(COLOUR, '');
  return ASCII.test(text) ? text.length : visibleWidth(text);
}

/** `line` cut to what fits. */
export function cutLine(line: string, columns: number): string {
  if (line.length <= columns && ASCII.test(line)) return line;
  if (cellsOf(line) <= columns) return line;
  return wrapLine(line, columns, 1)[0] ?? '';
}

/**
 * `line` in rows of at most `columns` cells, as a terminal wraps it; colours go on in the next row.
 * @param most rows that are wanted
 */
export function wrapLine(line: string, columns: number, most = Number.POSITIVE_INFINITY): string[] {
  if (line.length <= columns && ASCII.test(line)) return [line];
  const rows: string[] = [];
  let row = '';
  let width = 0;
  let colours = '';
  const add = (text: string, cells: number): boolean => {
    if (width + cells > columns && width > 0) {
      rows.push(colours === '' ? row : `${row}\x1b[m`);
      if (rows.length >= most) return false;
      row = colours;
      width = 0;
    }
    if (cells <= columns) row += text;
    width += cells;
    return true;
  };
  let at = 0;
  for (const match of line.matchAll(COLOUR)) {
    if (!addText(line.slice(at, match.index), add)) return rows;
    colours = RESETS.includes(match[0]) ? '' : colours + match[0];
    row += match[0];
    at = match.index + match[0].length;
  }
  if (!addText(line.slice(at), add)) return rows;
  rows.push(row);
  return rows;
}

function addText(text: string, add: (text: string, cells: number) => boolean): boolean {
  if (ASCII.test(text)) {
    for (let at = 0; at < text.length; ) {
      // One at a time is as a terminal does it; only the first of a row may be on a row of its own.
      if (!add(text[at] ?? '', 1)) return false;
      at++;
    }
    return true;
  }
  for (const { segment } of clustersIn(text)) if (!add(segment, Math.min(visibleWidth(segment), 2))) return false;
  return true;
}

/** Rows that a line takes in a window that became `columns` wide, if its terminal wraps lines anew. */
export function rowsOf(line: string, columns: number): number {
  const cells = cellsOf(line);
  if (cells <= columns) return 1;
  return ASCII.test(line.replace(COLOUR, '')) ? Math.ceil(cells / columns) : wrapLine(line, columns).length;
}

/** The place from which a line has to be drawn again. */
export interface Change {
  /** Cells that stay. */
  readonly column: number;
  /** What to write there, with the colours that are on. */
  readonly text: string;
  /** True if the old line may reach further than the new one. */
  readonly erases: boolean;
}

/** Contract: what stays is text whose width is sure, so that a terminal that counts differently shifts nothing. */
export function changeOf(before: string, after: string): Change {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same++;
  let kept = 0;
  let column = 0;
  let colours = '';
  while (kept < same) {
    if (after[kept] === '\x1b') {
      const end = after.indexOf('m', kept) + 1;
      if (end === 0 || end > same) break;
      const code = after.slice(kept, end);
      colours = RESETS.includes(code) ? '' : colours + code;
      kept = end;
      continue;
    }
    const stop = after.indexOf('\x1b', kept);
    const run = after.slice(kept, stop === -1 || stop > same ? same : stop);
    const [sure = ''] = UNDISPUTED.exec(run) ?? [];
    const whole = sure.length === run.length && kept + run.length < same;
    // A mark that follows would join the last character.
    const part = whole ? sure : withoutJoined(sure, before, after, kept);
    column += cellsOf(part);
    kept += part.length;
    if (part.length < run.length) break;
  }
  const isLonger = before.length === kept || (same === before.length && kept === same);
  return { column, text: colours + after.slice(kept), erases: !isLonger };
}

/** Without the last character, if what follows it is a mark in one of both. */
function withoutJoined(part: string, before: string, after: string, from: number): string {
  const next = from + part.length;
  const joins = (line: string) => next < line.length && JOINS.test(line.slice(next, next + 2));
  return joins(before) || joins(after) ? part.slice(0, -1) : part;
}
