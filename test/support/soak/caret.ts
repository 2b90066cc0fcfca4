// Drafts of every script on a screen: the caret of the draft, the cursor of the terminal, and where the terminal itself would
// be after that text, are one place.
import { createComposer } from '../../../src/tui/composer/composer.js';
import { createTheme } from '../../../src/tui/theme.js';
import { drawnScreen } from '../terminal/drawn-screen.js';
import { createScreenReader } from '../terminal/screen-reader.js';
import { randomOf } from './scrollback.js';

const PARTS = [
  'a',
  ' ',
  'Ж',
  'é',
  'e\u0301',
  'n\u0303',
  '漢',
  '字',
  '한',
  '글',
  'が',
  'か\u3099',
  '🙂',
  '🚀',
  'ｆ',
  '、',
  'Ω',
  'ß',
  '-',
];
const SIZE = { columns: 60, rows: 12 };

export interface CaretMiss {
  readonly text: string;
  readonly caret: number | null;
  readonly cursor: number;
  readonly terminal: number;
}

/** @returns those that do not agree */
export async function runCarets(count: number, seed: number): Promise<readonly CaretMiss[]> {
  const random = randomOf(seed);
  const run = drawnScreen(SIZE);
  const theme = createTheme({ env: { NO_COLOR: '1' } });
  const composer = createComposer({ rows: () => SIZE.rows, refresh: () => undefined }, theme);
  const misses: CaretMiss[] = [];
  for (let at = 0; at < count; at++) {
    const text = Array.from(
      { length: 1 + Math.floor(random() * 16) },
      () => PARTS[Math.floor(random() * PARTS.length)],
    ).join('');
    composer.clear();
    composer.insert(text);
    // Back by some characters, as one does who looks for a slip.
    const left = Math.floor(random() * 3);
    for (let step = 0; step < left; step++) composer.handleKey('\x1b[D');
    const { lines, caret } = composer.render(SIZE.columns);
    run.screen.live({ lines, caret });
    await run.settle();
    const probe = createScreenReader(SIZE);
    await probe.write(`> ${composer.editor.getText().slice(0, composer.editor.caret)}`);
    const terminal = probe.cursor().column;
    probe.dispose();
    const cursor = run.reader.cursor().column;
    if (caret?.column !== cursor || cursor !== terminal)
      misses.push({ text, caret: caret?.column ?? null, cursor, terminal });
  }
  run.reader.dispose();
  return misses;
}
