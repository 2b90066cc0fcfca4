// The screen: what is finished is written once and stays; the live region is drawn from the first changed column.
import { describe, expect, it } from 'vitest';
import { createMarkdownFlow } from '../../../src/tui/conversation/markdown-flow.js';
import { createTheme } from '../../../src/tui/theme.js';
import { runScrollback } from '../../support/soak/scrollback.js';
import { drawnScreen } from '../../support/terminal/drawn-screen.js';

describe('the scrollback', () => {
  it('holds each line once, in order, below those of the shell, whatever is drawn meanwhile', async () => {
    for (let seed = 1; seed <= 25; seed++) {
      const { expected, found, what } = await runScrollback(seed, false);
      expect(found, `seed ${seed}: ${what.join(' ')}`).toEqual(expected);
    }
  });

  it('does so in windows that change their size', async () => {
    for (let seed = 1; seed <= 25; seed++) {
      const { expected, found, what } = await runScrollback(seed, true);
      expect(found, `seed ${seed}: ${what.join(' ')}`).toEqual(expected);
    }
  });
});

describe('the live region', () => {
  const SIZE = { columns: 40, rows: 10 };

  it('is drawn from the first changed column, and its caret is the cursor', async () => {
    const { screen, reader, settle, text } = drawnScreen(SIZE);
    screen.live({ lines: ['Writing', '> hello', 'status'], caret: { row: 1, column: 7 } });
    await settle();
    expect(reader.rows().slice(0, 3)).toEqual(['Writing', '> hello', 'status']);
    expect(reader.cursor()).toEqual({ row: 1, column: 7 });
    const before = text().length;
    screen.live({ lines: ['Writing', '> hello w', 'status'], caret: { row: 1, column: 9 } });
    await settle();
    expect(text().slice(before)).toBe('\x1b[?2026h\x1b[?7l w\x1b[?7h\x1b[10G\x1b[?2026l');
    expect(reader.cursor()).toEqual({ row: 1, column: 9 });
  });

  it('is asked for with each frame: what is finished never stands there twice, and many changes make one frame', async () => {
    const { screen, reader, settle, clock, read } = drawnScreen(SIZE);
    let open = ['a paragraph'];
    let asked = 0;
    screen.live(() => {
      asked++;
      return { lines: [...open, '> '], caret: null };
    });
    await settle();
    open = [];
    screen.commit(['a paragraph']);
    await clock.pass(1);
    await read();
    expect(reader.rows().slice(0, 3)).toEqual(['a paragraph', '>', '']);
    for (let at = 0; at < 1_000; at++) screen.commit([`line ${at}`]);
    await settle();
    expect(asked).toBe(3);
  });

  it('is not drawn for lines that may wait, which come first with the next frame, and are there when it closes', async () => {
    const { screen, reader, settle, clock } = drawnScreen(SIZE);
    screen.live({ lines: ['> '], caret: null });
    await settle();
    const { frames } = screen.counts;
    for (let at = 0; at < 3; at++) {
      screen.commitLater([`line ${at}`]);
      await clock.pass(100);
    }
    expect(screen.counts.frames).toBe(frames);
    screen.live({ lines: ['> x'], caret: null });
    await settle();
    expect(screen.counts.frames).toBe(frames + 1);
    expect(reader.rows().slice(0, 4)).toEqual(['line 0', 'line 1', 'line 2', '> x']);
    screen.commitLater(['line 3']);
    await screen.close();
    expect(reader.rows().slice(3, 5)).toEqual(['line 3', '']);
  });

  it('is gone when it closes, with the cursor where it began', async () => {
    const { screen, reader, settle } = drawnScreen(SIZE, { before: '$ turnwright\r\n' });
    screen.commit(['one', 'two']);
    screen.live({ lines: ['> ', 'status'], caret: null });
    await settle();
    await screen.close();
    await settle();
    expect(reader.rows().slice(0, 4)).toEqual(['$ turnwright', 'one', 'two', '']);
    expect(reader.cursor()).toEqual({ row: 3, column: 0 });
    expect(reader.modes()).toMatchObject({ isCursorHidden: false, wraps: true });
  });

  it('begins below a line that has no end', async () => {
    const { screen, reader, settle } = drawnScreen(SIZE, { before: 'no end' });
    screen.live({ lines: ['> '], caret: { row: 0, column: 2 } });
    await settle();
    expect(reader.rows().slice(0, 2)).toEqual(['no end', '>']);
  });

  it.each([
    [1, 1],
    [2, 1],
    [1, 5],
    [3, 2],
  ])('fits into a window of %i x %i', async (columns, rows) => {
    const { screen, reader, settle, resize } = drawnScreen({ columns, rows });
    screen.commit(['a line that is longer', '漢字']);
    screen.live({ lines: ['漢字', '> draft', 'status'], caret: { row: 1, column: 4 } });
    await settle();
    await resize({ columns: 40, rows: 10 });
    await settle();
    expect(reader.text()).toContain('> draft\nstatus');
    await screen.close();
  });

  it('takes controls out of what is drawn, whatever it was given', async () => {
    const { screen, settle, text } = drawnScreen(SIZE);
    screen.commit(['a\x1b]52;c;aGk=\x07b\x1b[2J\x1b[31mred\x1b[0m\u009b3J']);
    screen.live({ lines: ['x\x1b[3Jy\r\nz\x00'], caret: null });
    await settle();
    for (const control of ['\x1b]', '\x1b[2J', '\x1b[3J', '\u009b', '\x00', '\x07'])
      expect(text()).not.toContain(control);
    expect(text()).toContain('\x1b[31mred\x1b[0m');
  });
});

describe('a stream of deltas', () => {
  it('costs few bytes, and never a redraw of more than the live region', async () => {
    const theme = createTheme({ env: {} });
    const run = drawnScreen({ columns: 100, rows: 30 });
    const flow = createMarkdownFlow(theme, () => 100);
    const DELTAS = 1_500;
    for (let at = 0; at < DELTAS; at++) {
      const text =
        at % 60 === 59
          ? '\n\n```\nconst code = 1;\nmore();\n```\n\n- item\n\n'
          : at % 7 === 0
            ? '`code` and '
            : 'some words ';
      run.screen.commit(flow.push(text));
      const lines = [...flow.open(), '', 'Writing 3 s · Esc interrupts', '> a draft', 'model · main · context 3 %'];
      run.screen.live({ lines, caret: { row: lines.length - 2, column: 9 } });
      // A hundred a second, with a frame for each.
      await run.clock.pass(10);
    }
    await run.settle();
    expect(run.bytes() / DELTAS).toBeLessThan(150);
    for (const never of ['\x1b[2J', '\x1b[3J', '\x1b[?1049h', '\x1b[r', '\x1b[?1000h'])
      expect(run.text()).not.toContain(never);
    // Once for each block that is finished, and not for each delta.
    expect(run.screen.counts.whole).toBeLessThan(DELTAS / 8);
  });
});
