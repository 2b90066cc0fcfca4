// How many columns of a terminal a text needs, a text cut to so many, and a text in clusters, which are what a person counts
// as characters.

/** Columns a terminal needs for `text`, which must be free of control characters. Tabs count as one. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** `text` cut to at most `columns` columns; a cut is shown by "…". Costs no more than the part that is kept. */
export function fitToWidth(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  let endWithEllipsis = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) return `${text.slice(0, endWithEllipsis)}…`;
    end += character.length;
    if (width <= columns - 1) endWithEllipsis = end;
  }
  return text;
}

/** Combining marks (variation selectors among them) and joiners. */
const ZERO_WIDTH = /^(\p{Mn}|\p{Me}|\u200c|\u200d)$/u;

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return isWide(code) ? 2 : 1;
}

/** East Asian wide and full-width ranges, and emoji. First and last code point, in order. */
const WIDE_RANGES: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  if (code < 0x1100) return false;
  return WIDE_RANGES.some(([first, last]) => code >= first && code <= last);
}

/**
 * `text`, which must be free of control characters but line feeds and tabs, in lines of at most `columns` columns. Nothing
 * is left out; lines are broken behind blanks if there are some in their last third.
 */
export function wrapText(text: string, columns: number): string[] {
  const room = Math.max(1, columns);
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '  '), room));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let [start, blank, width, widthToBlank] = [0, -1, 0, 0];
  let at = 0;
  for (const character of line) {
    const own = characterWidth(character);
    if (width + own > columns && at > start) {
      const isLate = blank > start && widthToBlank * 3 > columns * 2;
      const end = isLate ? blank : at;
      lines.push(line.slice(start, end));
      width = isLate ? width - widthToBlank : 0;
      start = end;
      blank = -1;
    }
    width += own;
    at += character.length;
    if (character === ' ') [blank, widthToBlank] = [at, width];
  }
  return [...lines, line.slice(start)];
}

/** The clusters of a text, with the place of each in UTF-16 units. */
export const clustersIn = createClusters();

function createClusters(): (text: string) => Intl.Segments {
  let segmenter: Intl.Segmenter | null = null;
  return (text) => {
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    return segmenter.segment(text);
  };
}
