// Random schedules of everything that changes the screen. Afterwards the scrollback has to hold the shell's lines, then each
// finished line once, in order, and nothing else.
import { drawnScreen } from '../terminal/drawn-screen.js';

/** A random number from 0 to below 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface ScrollbackRun {
  readonly expected: readonly string[];
  readonly found: readonly string[];
  /** Lines of the live region that a smaller window pushed out of reach. */
  readonly stranded: number;
  readonly what: readonly string[];
}

const WORDS = [
  'alpha',
  'βeta',
  '漢字',
  '한국어',
  'e\u0301lan',
  'ok',
  'a-rather-long-word-without-an-end',
  '\x1b[31mred\x1b[0m',
  'Ж',
];
/** Begins each line of the live region, so that it can be told from what is finished. */
const LIVE = '~';

/** @param resizes false: the window stays as it is */
export async function runScrollback(seed: number, resizes: boolean): Promise<ScrollbackRun> {
  const random = randomOf(seed);
  const pick = (most: number) => Math.floor(random() * most);
  const shell = Array.from({ length: pick(40) }, (_, at) => `«s${at}»`);
  let size = { columns: 40 + pick(80), rows: 10 + pick(30) };
  const reflows = random() < 0.7;
  const run = drawnScreen(size, { reflows, before: shell.map((line) => `${line}\r\n`).join('') });
  const { screen, clock } = run;
  const what: string[] = [`${size.columns}x${size.rows} reflows ${reflows}`];
  const committed: string[] = [];
  let count = 0;
  const line = (): string => {
    const words = Array.from({ length: pick(resizes ? 6 : 24) }, () => WORDS[pick(WORDS.length)] ?? '');
    return [`«${count++}»`, ...words].join(' ').trimEnd();
  };
  let open: string[] = [];
  const live = (): void => {
    const rows = [
      ...open.map((text) => `${LIVE}${text}`),
      `${LIVE}> ${'x'.repeat(pick(30))}`,
      `${LIVE}status ${pick(1_000)}`,
    ];
    screen.live({ lines: rows, caret: { row: rows.length - 2, column: 3 + pick(20) } });
  };
  live();
  for (let step = 0; step < 40; step++) {
    const act = pick(resizes ? 8 : 6);
    what.push(String(act));
    if (act <= 1) {
      const lines = Array.from({ length: 1 + pick(6) }, line);
      screen.commit(lines);
      committed.push(...lines);
    } else if (act === 2)
      open = Array.from({ length: pick(5) }, () => `open ${pick(100)} ${WORDS[pick(WORDS.length)]}`);
    else if (act === 3) open = open.map((text) => `${text} ${WORDS[pick(WORDS.length)]}`);
    else if (act === 4 && !resizes) {
      screen.alternate(() => ({ lines: ['a pager', 'over all'], caret: null }));
      await clock.pass(pick(20));
      const lines = [line()];
      screen.commit(lines);
      committed.push(...lines);
      screen.alternate(null);
    } else if (act === 5) screen.redraw();
    else if (act >= 6) {
      size = { columns: Math.max(20, size.columns + pick(30) - 15), rows: Math.max(8, size.rows + pick(11) - 5) };
      what.push(`${size.columns}x${size.rows}`);
      if (random() < 0.2) run.resizeAtOnce(size);
      else await run.resize(size);
    }
    live();
    if (random() > 0.5) continue;
    const ms = pick(resizes ? 400 : 60);
    await clock.pass(ms);
    // A terminal that reads, reads by then.
    if (ms > 20) await run.read();
  }
  await run.settle();
  await screen.close();
  await run.settle();
  const all = run.reader.history();
  const finished = all.filter((text) => !text.startsWith(LIVE)).map(plain);
  run.reader.dispose();
  // A terminal that does not reflow cuts what is wider than it becomes, and knows no wrapped lines: the mark of a line is left.
  const seen = (lines: readonly string[]) =>
    (reflows ? lines : [...lines.join('').matchAll(/«[^»]+»/g)].map(([mark]) => mark)).filter((text) => text !== '');
  return {
    expected: seen([...shell, ...committed].map(plain)),
    found: seen(finished),
    stranded: all.length - finished.length,
    what,
  };
}

function plain(text: string): string {
  return text.replaceAll('\x1b[31m', '').replaceAll('\x1b[0m', '').replaceAll(' ', '');
}
