import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readKeybindings } from '../../../src/tui/keybindings.js';
import { createListView } from '../../../src/tui/pagers/list-view.js';
import { bodyRows, pagerWindow } from '../../../src/tui/pagers/pager-window.js';
import { createScrollView, type PagerLine } from '../../../src/tui/pagers/scroll-view.js';
import type { Input } from '../../../src/tui/screen/input.js';
import { createTextField } from '../../../src/tui/text-field.js';
import { createTheme } from '../../../src/tui/theme.js';
import { displayWidth } from '../../../src/view/width.js';

const theme = createTheme({ theme: 'dark', env: { NO_COLOR: '1' } });
const bindings = readKeybindings(null);
const press = (key: string): Input => ({ type: 'key', key, data: key, at: 0 });
const type = (view: { handle(input: Input): boolean }, ...keys: string[]) => keys.map((key) => view.handle(press(key)));
const numbered = (count: number): PagerLine[] => Array.from({ length: count }, (_, at) => ({ text: `line ${at + 1}` }));

function viewOf(lines: PagerLine[], startsAtEnd = false) {
  const view = createScrollView({ lines: () => lines, theme, bindings, startsAtEnd });
  return { view, draw: (columns = 40, rows = 4) => view.render({ columns, rows }) };
}

test('lines are scrolled by lines, pages, and to both ends', () => {
  const { view, draw } = viewOf(numbered(10));
  expect(draw()).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  type(view, 'down', 'j');
  expect(draw()[0]).toBe('line 3');
  type(view, 'space');
  expect(draw()[0]).toBe('line 6');
  type(view, 'G');
  expect(draw()).toEqual(['line 7', 'line 8', 'line 9', 'line 10']);
  expect(view.note).toBe('7-10 of 10');
  type(view, 'down', 'pageUp', 'up');
  expect(draw()[0]).toBe('line 3');
  type(view, 'g');
  expect(draw()[0]).toBe('line 1');
  expect(view.handle(press('z'))).toBe(false);
});

test('one that begins at the end stays there while more comes, and nowhere else', () => {
  const lines = numbered(6);
  const { view, draw } = viewOf(lines, true);
  expect(draw().at(-1)).toBe('line 6');
  lines.push({ text: 'more' });
  expect(draw().at(-1)).toBe('more');
  type(view, 'up');
  draw();
  lines.push({ text: 'and more' });
  expect(draw().at(-1)).toBe('line 6');
  type(view, 'end');
  expect(draw().at(-1)).toBe('and more');
});

test('a search goes from match to match, round the end, and is forgotten by Escape', () => {
  const { view, draw } = viewOf([...numbered(9), { text: 'Needle' }, ...numbered(3), { text: 'a needle, needles' }]);
  draw();
  type(view, '/', 'n', 'e', 'e', 'd', 'enter');
  expect(draw().join('\n')).toContain('\x1b[7mNeed\x1b[27mle');
  type(view, 'n');
  expect(draw().join('\n')).toContain('a \x1b[7mneed\x1b[27mle, \x1b[7mneed\x1b[27mles');
  type(view, 'n');
  expect(draw().join('\n')).toContain('Need');
  type(view, 'N');
  expect(draw().join('\n')).toContain('needles'.slice(4));
  expect(view.note).toContain('found: need');
  expect(view.handle(press('escape'))).toBe(true);
  expect(draw().join('\n')).not.toContain('\x1b[7m');
  type(view, '/', 'N', 'E', 'E', 'enter');
  draw();
  expect(view.note).toContain('not found: NEE');
  type(view, '/', 'x', 'escape');
  expect(view.search).toBeNull();
});

test('it goes from prompt to prompt', () => {
  const prompt = (text: string): PagerLine => ({ text, isPrompt: true });
  const { view, draw } = viewOf([
    prompt('one'),
    ...numbered(6),
    prompt('two'),
    ...numbered(6),
    prompt('three'),
    ...numbered(6),
  ]);
  draw();
  type(view, ']');
  expect(draw()[0]).toBe('two');
  type(view, 'tab');
  expect(draw()[0]).toBe('three');
  type(view, '[', '[');
  expect(draw()[0]).toBe('one');
});

test('whatever the lines, keys and sizes: rows fit the window, and scrolling shows every character once', () => {
  const texts = fc.array(
    fc.record({
      text: fc.string({ maxLength: 60, unit: 'grapheme' }).map((text) => text.replace(/\p{C}/gu, ' ')),
      indent: fc.nat(4),
    }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 6, max: 30 }), fc.integer({ min: 1, max: 8 }), (lines, columns, rows) => {
      const { view, draw } = viewOf(lines);
      let read = '';
      for (let seen = 0; seen < 500; seen++) {
        const shown = draw(columns, rows);
        expect(shown.length).toBeLessThanOrEqual(rows);
        for (const row of shown) expect(displayWidth(row)).toBeLessThanOrEqual(columns + 1);
        const [from = 0, to = 0] = /^(\d+)-(\d+)/.exec(view.note)?.slice(1).map(Number) ?? [];
        if (from === 0) break;
        read += shown[0] ?? '';
        type(view, 'down');
        draw(columns, rows);
        if (view.note.startsWith(`${from}-${to} `)) {
          read += shown.slice(1).join('');
          break;
        }
      }
      const bare = (text: string): string => text.replace(/\s/g, '');
      expect(bare(read)).toBe(bare(lines.map(({ text }) => text).join('')));
    }),
    { numRuns: 100 },
  );
});

test('a list moves, finds by words, and says so without colour', () => {
  const items = ['alpha one', 'beta two', 'gamma one', 'delta'];
  const list = createListView({
    items: () => items,
    row: (text) => ({ text, note: 'note' }),
    theme,
    bindings,
    empty: 'Nothing.',
  });
  const draw = () => list.render({ columns: 30, rows: 3 });
  expect(draw()).toEqual(['\x1b[7m> alpha one\x1b[27m  note', '  beta two  note', '  gamma one  note']);
  type(list, 'down', 'down', 'down');
  expect(draw().at(-1)).toContain('> delta');
  expect(list.chosen).toBe('delta');
  type(list, '/', 'o', 'n', 'e');
  expect(draw().map((row) => row.includes('one'))).toEqual([true, true]);
  expect(list.note).toBe('2 of 4: one');
  type(list, 'enter', 'end');
  expect(list.chosen).toBe('gamma one');
  expect(list.handle(press('escape'))).toBe(true);
  expect(list.handle(press('escape'))).toBe(false);
  type(list, '/', 'q', 'q', 'q');
  expect(draw()).toEqual(['  Nothing fits.']);
  expect(list.chosen).toBeNull();
  list.choose((text) => text === 'beta two');
  expect(
    createListView<string>({ items: () => [], row: (text) => ({ text }), theme, bindings, empty: 'Nothing.' }).render({
      columns: 30,
      rows: 3,
    }),
  ).toEqual(['  Nothing.']);
});

test('a window is never larger than the terminal', () => {
  for (let rows = 1; rows <= 12; rows++) {
    for (const columns of [1, 2, 3, 10, 40]) {
      const size = { columns, rows };
      const body = Array.from({ length: bodyRows(size) }, () => 'x'.repeat(columns));
      for (const field of [null, { label: '/', field: createTextField('words') }]) {
        const { lines, caret } = pagerWindow(
          { title: 'Title', note: '1-2 of 3', body, footer: 'q closes', field },
          size,
          theme,
        );
        expect(lines.length).toBeLessThanOrEqual(rows);
        if (caret !== null) expect(caret.row).toBeLessThan(rows);
        if (caret !== null) expect(caret.column).toBeLessThan(columns);
      }
    }
  }
});
