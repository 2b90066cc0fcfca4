// Draws the pictures of the documents out of the golden screens: SVG, from their cells. Usage: node scripts/pictures.mjs [--check]
// (--check: fails if a picture is not what its screen shows now)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/setup.mjs';

/** Each picture, and the screen that it shows. */
const PICTURES = {
  'terminal-conversation': 'conversation-80',
  'terminal-permission': 'asking-80',
  'terminal-edit': 'permission-edit-80',
  'terminal-question': 'question-80',
  'terminal-plan': 'plan-80',
};
const FOLDER = join('docs', 'pictures');
const [CELL_WIDTH, LINE_HEIGHT, FONT_SIZE, MARGIN] = [8.4, 19, 14, 14];
const [PAPER, INK] = ['#15181d', '#d7dae0'];
/** The 16 colours, on this paper. */
const PALETTE = [
  '#3b414d',
  '#f0717b',
  '#8fc27d',
  '#e5c07b',
  '#6bb0f2',
  '#c792dc',
  '#5cc0cc',
  '#d7dae0',
  '#6f7885',
  '#ff8f98',
  '#a8d996',
  '#f2d592',
  '#8cc4ff',
  '#d9abea',
  '#7bd6e0',
  '#ffffff',
];

const ESC = String.fromCharCode(0x1b);
/** A change of style, or a character. */
const PART = new RegExp(`${ESC}\\[([\\d;]*)m|([^${ESC}])`, 'gu');
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\u200c\u200d]/u;

const isCheck = process.argv.includes('--check');
const stale = [];
mkdirSync(join(ROOT, FOLDER), { recursive: true });
for (const [picture, screen] of Object.entries(PICTURES)) {
  const path = join(FOLDER, `${picture}.svg`);
  const ansi = readFileSync(join(ROOT, 'test', 'fixtures', 'screens', `${screen}.ansi`), 'utf8');
  keep(path, draw(ansi, picture.replaceAll('-', ' ')));
}
keep(join(FOLDER, 'trace.svg'), drawTrace(readFileSync(join(ROOT, 'docs', 'telemetry.md'), 'utf8')));
if (isCheck && stale.length > 0) {
  console.error(`${stale.join(', ')}: not what golden screens and documents show. Run: npm run pictures`);
  process.exitCode = 1;
} else console.log(`${Object.keys(PICTURES).length + 1} pictures, ${stale.length} drawn anew`);

function keep(path, svg) {
  if (svg === readOrNull(join(ROOT, path))) return;
  stale.push(path);
  if (!isCheck) writeFileSync(join(ROOT, path), svg);
}

/** The trace whose figures stand on the page, as bars: each span where it began, as long as it took. */
function drawTrace(page) {
  const spans = [...page.matchAll(/^( *)((?:invoke_agent|chat|execute_tool) \S+) +([\d,]+) +([\d,]+)/gm)].map(
    ([, indent, name, start, duration]) => ({ level: indent.length / 2, name, start: +start, duration: +duration }),
  );
  const [labels, bars] = [300, 560];
  const end = Math.max(...spans.map(({ start, duration }) => start + duration));
  const colours = { invoke_agent: PALETTE[5], chat: PALETTE[4], execute_tool: PALETTE[2] };
  const rows = spans.map(({ level, name, start, duration }, at) => {
    const y = MARGIN + at * LINE_HEIGHT;
    const x = (ms) => (MARGIN + labels + (ms / end) * (bars - 90)).toFixed(1);
    const width = Math.max(2, (duration / end) * (bars - 90)).toFixed(1);
    return [
      `<text x="${MARGIN + level * 2 * CELL_WIDTH}" y="${y + FONT_SIZE}">${name}</text>`,
      `<rect x="${x(start)}" y="${y + 4}" width="${width}" height="${LINE_HEIGHT - 7}" rx="2" fill="${colours[name.split(' ')[0]]}"/>`,
      `<text x="${(Number(x(start)) + Number(width) + 6).toFixed(1)}" y="${y + FONT_SIZE}" fill="${PALETTE[8]}">${duration} ms</text>`,
    ].join('\n');
  });
  const [width, height] = [labels + bars + 2 * MARGIN, spans.length * LINE_HEIGHT + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="a trace">
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${INK}">
${rows.join('\n')}
</g>
</svg>
`;
}

function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // not drawn yet
  }
}

function draw(ansi, title) {
  const rows = ansi.trimEnd().split('\n').map(cellsOf);
  const columns = Math.max(...rows.map((cells) => cells.reduce((sum, { width }) => sum + width, 0)), 60);
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const height = rows.length * LINE_HEIGHT + 2 * MARGIN;
  const lines = rows.flatMap((cells, row) => drawRow(runsOf(cells), row));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${INK}" xml:space="preserve">
${lines.join('\n')}
</g>
</svg>
`;
}

/** The characters of a row with their styles, each as wide as a terminal has it. */
function cellsOf(row) {
  const cells = [];
  let style = {};
  for (const [, codes, character] of row.matchAll(PART)) {
    if (character === undefined) style = styleOf(codes);
    else cells.push({ character, style, width: widthOf(character) });
  }
  return cells;
}

function styleOf(codes) {
  const style = {};
  const numbers = codes.split(';').map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at];
    if (code === 0) for (const key of Object.keys(style)) delete style[key];
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 7) style.inverse = true;
    else if (code === 38 || code === 48) {
      const key = code === 38 ? 'ink' : 'paper';
      if (numbers[at + 1] === 5) [style[key], at] = [colour(numbers[at + 2]), at + 2];
      else [style[key], at] = [`rgb(${numbers.slice(at + 2, at + 5).join(' ')})`, at + 4];
    } else if (code >= 30 && code < 38) style.ink = PALETTE[code - 30];
    else if (code >= 90 && code < 98) style.ink = PALETTE[code - 82];
    else if (code >= 40 && code < 48) style.paper = PALETTE[code - 40];
    else if (code >= 100 && code < 108) style.paper = PALETTE[code - 92];
  }
  return style;
}

/** Of the 256 colours: the palette, a cube, greys. */
function colour(index) {
  if (index < 16) return PALETTE[index];
  if (index > 231)
    return `rgb(${Array(3)
      .fill(8 + (index - 232) * 10)
      .join(' ')})`;
  const part = (step) => [0, 95, 135, 175, 215, 255][Math.floor((index - 16) / step) % 6];
  return `rgb(${part(36)} ${part(6)} ${part(1)})`;
}

function widthOf(character) {
  return NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Neighbours of one style are one piece, so that the text can be selected as it stands. */
function runsOf(cells) {
  const runs = [];
  let column = 0;
  for (const { character, style, width } of cells) {
    const last = runs.at(-1);
    // A wide character may be drawn wider or narrower than two cells: what follows it begins where it has to.
    if (last !== undefined && last.style === style && width === 1 && !last.isWide) {
      last.text += character;
      last.width += 1;
    } else if (last !== undefined && width === 0) last.text += character;
    else runs.push({ text: character, style, column, width, isWide: width === 2 });
    column += width;
  }
  return runs;
}

function drawRow(runs, row) {
  const top = MARGIN + row * LINE_HEIGHT;
  return runs.flatMap(({ text, style, column, width }) => {
    const x = round(MARGIN + column * CELL_WIDTH);
    const [ink, paper] = style.inverse ? [style.paper ?? PAPER, style.ink ?? INK] : [style.ink, style.paper];
    const box =
      paper === undefined
        ? []
        : [`<rect x="${x}" y="${top}" width="${round(width * CELL_WIDTH)}" height="${LINE_HEIGHT}" fill="${paper}"/>`];
    if (text.trim() === '') return box;
    const looks = [
      ink === undefined ? '' : ` fill="${ink}"`,
      style.bold ? ' font-weight="bold"' : '',
      style.italic ? ' font-style="italic"' : '',
      style.underline ? ' text-decoration="underline"' : '',
      style.dim ? ' opacity="0.65"' : '',
    ].join('');
    const length = text.length > 1 ? ` textLength="${round(width * CELL_WIDTH)}"` : '';
    return [...box, `<text x="${x}" y="${top + 14}"${length}${looks}>${escaped(text)}</text>`];
  });
}

function round(number) {
  return Math.round(number * 10) / 10;
}

function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
