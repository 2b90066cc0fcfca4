// A spinner over a terminal that takes lines back as a real one does, and a clock that the test moves.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Output, OutputStream } from '../../src/cli/cli-io.js';
import { createSpinner, wantsSpinner } from '../../src/cli/lines/line-mode.js';
import type { LineReader } from '../../src/cli/lines/line-reader.js';

/** A terminal, its streams behind a spinner, and a clock that only `pass` moves. */
function terminal() {
  const lines = [''];
  let now = 0;
  let timer: { at: number; wake: () => void } | null = null;
  const output: Output = {
    async write(text) {
      for (const part of text.replaceAll('\r\x1b[K', '\r').split(/(\n|\r)/)) {
        if (part === '\n') lines.push('');
        else if (part === '\r') lines[lines.length - 1] = '';
        else lines[lines.length - 1] += part;
      }
    },
    flush: async () => undefined,
    closed: false,
    failure: null,
    onClosed: () => undefined,
  };
  const spinner = createSpinner(output, {
    now: () => now,
    after(ms, wake) {
      const mine = { at: now + ms, wake };
      timer = mine;
      return () => {
        if (timer === mine) timer = null;
      };
    },
  });
  const pass = (ms: number): void => {
    const end = now + ms;
    while (timer !== null && timer.at <= end) {
      const { at, wake } = timer;
      timer = null;
      now = at;
      wake();
    }
    now = end;
  };
  const stream = { isTTY: true } as OutputStream;
  return {
    spinner,
    pass,
    screen: () => lines.join('\n'),
    wakes: () => timer !== null,
    out: spinner.over(output, stream),
    err: spinner.over(output, stream),
    file: spinner.over({ ...output, write: async () => undefined }, {} as OutputStream),
  };
}

describe('the spinner', () => {
  it('shows after a second without a word, tells how long the prompt runs, and goes before anything is written', () => {
    const { spinner, pass, screen, err } = terminal();
    spinner.start();
    pass(999);
    expect(screen()).toBe('');
    pass(1);
    expect(screen()).toBe('| 1 s (Ctrl-C interrupts)');
    pass(74_250);
    expect(screen()).toMatch(/^[|/\\-] 1 min 15 s \(Ctrl-C interrupts\)$/);
    void err.write('a line\n');
    expect(screen()).toBe('a line\n');
    pass(1_000);
    expect(screen()).toMatch(/^a line\n[|/\\-] 1 min 16 s/);
    spinner.stop();
    expect(screen()).toBe('a line\n');
  });

  it('never touches a line that an answer or a question left open, on the terminal', () => {
    const { spinner, pass, screen, out, file } = terminal();
    spinner.start();
    void out.write('The answer is');
    pass(60_000);
    expect(screen()).toBe('The answer is');
    void out.write(' 42.\n');
    void file.write('no line end, in a file');
    pass(1_000);
    expect(screen()).toContain('1 min 1 s');
  });

  it('stands still while somebody is to type, and goes on behind the answer', async () => {
    const { spinner, pass, screen, err, wakes } = terminal();
    let type: (line: string) => void = () => undefined;
    const typed = () =>
      new Promise<string>((resolve) => {
        type = resolve;
      });
    const reader: LineReader = { read: typed, readAnswer: (ask) => ask().then(typed), close: () => undefined };
    const behind = spinner.during(reader);
    spinner.start();
    pass(5_000);
    const answer = behind.readAnswer(async () => void (await err.write('Run it? ')), new AbortController().signal);
    await Promise.resolve();
    expect(screen()).toBe('Run it? ');
    pass(60_000);
    expect({ screen: screen(), wakes: wakes() }).toEqual({ screen: 'Run it? ', wakes: false });
    await new Promise(setImmediate);
    type('y');
    expect(await answer).toBe('y');
    pass(1_000);
    expect(screen()).toContain('1 min 6 s');
  });

  it('wakes nobody up while no prompt runs', () => {
    const { spinner, pass, err, wakes } = terminal();
    void err.write('hello\n');
    expect(wakes()).toBe(false);
    spinner.start();
    pass(3_000);
    expect(wakes()).toBe(true);
    spinner.stop();
    void err.write('bye\n');
    expect(wakes()).toBe(false);
  });

  it('leaves nothing behind, whatever is written when', () => {
    const step = fc.oneof(
      fc.record({ text: fc.constantFrom('a', 'b\n', '\n', 'c\nd'), on: fc.constantFrom('out', 'err') }),
      fc.record({ ms: fc.integer({ min: 0, max: 3_000 }) }),
      fc.record({ running: fc.boolean() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { spinner, pass, screen, ...streams } = terminal();
        let written = '';
        for (const each of steps) {
          if ('ms' in each) pass(each.ms);
          else if ('running' in each) spinner[each.running ? 'start' : 'stop']();
          else {
            written += each.text;
            void streams[each.on as 'out' | 'err'].write(each.text);
            expect(screen()).toBe(written);
          }
        }
        spinner.stop();
        expect(screen()).toBe(written);
      }),
    );
  });

  it.each([
    ['a terminal', { isTTY: true, columns: 80 }, {}, true],
    ['no terminal', { columns: 80 }, {}, false],
    ['a narrow one', { isTTY: true, columns: 40 }, {}, false],
    ['NO_COLOR', { isTTY: true, columns: 80 }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true, columns: 80 }, { NO_COLOR: '' }, true],
    ['TERM=dumb', { isTTY: true, columns: 80 }, { TERM: 'dumb' }, false],
    ['CI', { isTTY: true, columns: 80 }, { CI: 'true' }, false],
    ['CI=false', { isTTY: true, columns: 80 }, { CI: 'false' }, true],
  ])('of %s', (_, stream, env, wanted) => {
    expect(wantsSpinner(stream as OutputStream, env)).toBe(wanted);
  });
});
