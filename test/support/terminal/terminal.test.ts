// The terminal that the tests of the terminal look through: what it shows has to be what a terminal shows.
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../e2e/run-cli.js';
import { openPty } from './open-pty.js';
import { screenOf } from './screen-reader.js';

/** False for a process that has ended, also while nobody has asked how. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false; // there is none any more
  }
}

const LOCK = new Int32Array(new SharedArrayBuffer(4));
const SMALL = { columns: 20, rows: 4 };

describe('the screen of bytes', () => {
  it('has rows, scrollback, wrapped lines as one, cells and the cursor', async () => {
    const long = 'a line that is longer than the window';
    const screen = await screenOf(`one\r\n${long}\r\n\x1b[1;31mred\x1b[0m 漢\r\n> `, SMALL);
    expect(screen.rows()).toEqual(['a line that is longe', 'r than the window', 'red 漢', '>']);
    expect(screen.scrolledLines()).toBe(1);
    expect(screen.history()).toEqual(['one', long, 'red 漢', '>']);
    expect(screen.cursor()).toEqual({ row: 3, column: 2 });
    const cells = screen.cells(2);
    expect(cells[0]).toMatchObject({ text: 'r', foreground: 1, bold: true });
    expect(cells[4]).toMatchObject({ text: '漢', width: 2, foreground: null, bold: false });
  });

  it('knows which modes are on, and what was told', async () => {
    const screen = await screenOf('\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[?1049h\x07\x1b]9;done\x07', SMALL);
    expect(screen.modes()).toMatchObject({ isCursorHidden: true, isBracketedPaste: true, reportsFocus: true });
    expect(screen.modes()).toMatchObject({ keyboardLevels: 1, isAlternate: true });
    expect([screen.bells, screen.told]).toEqual([1, ['9;done']]);
    await screen.write('\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[?1049l');
    expect(screen.modes()).toMatchObject({ isCursorHidden: false, isBracketedPaste: false, reportsFocus: false });
    expect(screen.modes()).toMatchObject({ keyboardLevels: 0, isAlternate: false });
  });

  it('is one of a terminal with or without reflow, with or without wide emoji', async () => {
    const text = 'one two three four\r\n';
    const reflowing = await screenOf(text, SMALL);
    const fixed = await screenOf(text, SMALL, { reflows: false });
    for (const screen of [reflowing, fixed]) screen.resize({ columns: 10, rows: 4 });
    expect(reflowing.rows().slice(0, 2)).toEqual(['one two th', 'ree four']);
    expect(fixed.rows()[0]).toBe('one two th');
    expect(fixed.rows()[1]).toBe('');
    expect((await screenOf('🙂', SMALL)).cursor().column).toBe(2);
    expect((await screenOf('🙂', SMALL, { widths: 'legacy' })).cursor().column).toBe(1);
    expect((await screenOf('e\u0301x', SMALL)).cursor().column).toBe(2);
  });
});

describe('a program at a terminal', () => {
  const options = { cwd: tmpdir(), env: {}, size: { columns: 60, rows: 8 } };

  it('gets keys, pastes, sizes and signals, and its end is told', async () => {
    const program = `
      process.stdin.setRawMode(true);
      process.stdout.write('\\x1b[?2004hready\\r\\n');
      process.stdin.on('data', (bytes) => process.stdout.write(JSON.stringify(bytes.toString()) + '\\r\\n'));
      process.on('SIGWINCH', () => process.stdout.write(process.stdout.columns + 'x' + process.stdout.rows + '\\r\\n'));
      process.on('SIGTERM', () => process.exit(7));`;
    const pty = openPty([process.execPath, '-e', program], options);
    await pty.until('ready');
    pty.press('ctrl+c', 'shift+tab');
    await pty.until('"\\u0003\\u001b[Z"');
    pty.paste('a\nb');
    await pty.until('"\\u001b[200~a\\rb\\u001b[201~"');
    pty.resize({ columns: 50, rows: 6 });
    await pty.until('50x6');
    pty.signal('SIGTERM');
    expect(await pty.ended).toBe(7);
  });

  it('has all that was written on its screen when it has ended, however late that is read', async () => {
    const folder = temporaryFolder();
    const script = 'echo up; while [ ! -e go ]; do sleep 0.02; done; seq 1 1400';
    const pty = openPty(['sh', '-c', script], { ...options, cwd: folder, size: { columns: 60, rows: 4 } });
    await pty.until('up');
    writeFileSync(join(folder, 'go'), '');
    // This process hears of nothing until the other one is gone.
    for (let looks = 0; isAlive(pty.pid) && looks < 2_000; looks++) Atomics.wait(LOCK, 0, 0, 5);
    expect(await pty.ended).toBe(0);
    expect(pty.screen.history().at(-1)).toBe('1400');
  });

  it('is hung up when its terminal goes', async () => {
    const pty = openPty(['sh', '-c', 'echo up; exec sleep 60'], options);
    await pty.until('up');
    pty.hangUp();
    expect(await pty.ended).toBe(129);
  });

  it('says what the screen shows if it ends before what was waited for', async () => {
    const pty = openPty(['sh', '-c', 'echo nothing more'], options);
    await expect(pty.until('something else')).rejects.toThrow(
      /The program ended, and the screen never showed something else\. It shows:\nnothing more/,
    );
  });
});
