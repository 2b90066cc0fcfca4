// What a person does with prompts at the terminal: sends, steers, queues, takes back, interrupts, pastes.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { openAtModel } from '../support/terminal/open-at-model.js';
import type { Pty } from '../support/terminal/open-pty.js';
import type { ScreenReader } from '../support/terminal/screen-reader.js';

const ASKS = (command: string) => reply(toolCall('Bash', { command }, 'call_1'));
/** The texts of the user in a request. */
const said = (body: unknown): string[] =>
  (body as { messages: { role: string; content: string | { type: string; text?: string }[] }[] }).messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : content.flatMap((block) => block.text ?? [])));

/** The row that the caret stands in. */
const draftRow = ({ screen }: Pty) => screen.rows()[screen.cursor().row] ?? '';

/** Prompts that ended so far. */
const ended = (screen: ScreenReader) => screen.history().filter((line) => /\d turns? ·/.test(line)).length;

it('a prompt that runs is steered by Enter, followed by Tab, interrupted by Esc; its command is seen, its result stands once', async () => {
  const wait = 'while [ ! -e go ]; do sleep 0.05; done';
  const { pty, model, cwd } = await openAtModel(
    [
      ASKS(`for i in 1 2 3 4 5 6 7 8; do echo "line $i"; done; ${wait}`),
      text('Steered.'),
      text('Later.'),
      ASKS('echo begun; sleep 986'),
      text('Both.'),
    ],
    ['--allowedTools', 'Bash'],
  );
  pty.type('begin\r');
  // T05: what a command prints is there while it runs, its last lines.
  await pty.until((screen) => screen.text().includes('line 8') && !screen.text().includes('line 3'));
  pty.type('look at the tests too\r');
  await pty.until('next step: look at the tests too');
  pty.type('afterwards');
  await pty.until('> afterwards');
  pty.press('tab');
  await pty.until('later: afterwards');
  pty.type('a slip');
  await pty.until('> a slip');
  pty.press('tab');
  await pty.until('later: a slip');
  pty.press('up');
  await pty.until((screen) => screen.text().includes('> a slip') && !screen.text().includes('later: a slip'));
  pty.press('ctrl+c');
  writeFileSync(`${cwd}/go`, '');
  await pty.until('Later.');
  await pty.until((screen) => ended(screen) === 2);
  expect(said(model.requests[1]?.body).join('\n')).toContain('look at the tests too');
  expect(said(model.requests[1]?.body).join('\n')).not.toContain('afterwards');
  expect(said(model.requests[2]?.body).at(-1)).toBe('afterwards');
  const lines = pty.screen.history();
  expect(lines.filter((line) => line.startsWith('> '))).toEqual(['> begin', '> look at the tests too', '> afterwards']);
  expect(lines.filter((line) => line === 'line 1')).toHaveLength(1);
  expect(lines).toContain('… 4 more lines');

  // All that was queued goes together.
  pty.type('again\r');
  await pty.until('begun');
  pty.type('one more thing\r');
  await pty.until('next step: one more thing');
  pty.type('and another');
  await pty.until('> and another');
  pty.press('tab');
  await pty.until('later: and another');
  pty.press('escape');
  await pty.until('Both.');
  expect(said(model.requests[4]?.body).at(-1)).toBe('one more thing\n\nand another');
  expect(pty.screen.text()).toContain('interrupted');
});

describe('a terminal that stops reading', () => {
  it('stops nothing, and has every line once when it reads again', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at} of the answer`);
    const answer = reply(text(`\`\`\`\n${lines.join('\n')}\n\`\`\``));
    const { pty, model } = await openAtModel([ASKS('touch asked'), answer], ['--allowedTools', 'Bash']);
    pty.type('go\r');
    await pty.until('asked');
    pty.stopReading();
    // The session goes on by itself: the second request comes, whatever the terminal does.
    await expect.poll(() => model.requests.length, { timeout: 30_000 }).toBe(2);
    pty.readAgain();
    await pty.until('2 turns');
    expect(pty.screen.history().filter((line) => /^line \d+ of the answer$/.test(line))).toEqual(lines);
  });
});

it('a draft has lines, undo and a kill ring, sends pastes whole and once, and stays behind a question', async () => {
  const { pty, model } = await openAtModel([
    text('Read 1.'),
    text('Read 2.'),
    text('Read 3.'),
    text('Read 4.'),
    ASKS('rm -rf build'),
  ]);
  const read = async (count: number) => {
    await pty.until(`Read ${count}.`);
    await pty.until((screen) => ended(screen) === count);
    return said(model.requests[count - 1]?.body).at(-1);
  };
  // Faster than anybody presses keys it would be a paste.
  for (const [row, key] of [
    ['> one', 'ctrl+j'],
    ['  two', 'alt+enter'],
    ['  three', 'shift+enter'],
    ['  four\\', 'enter'],
    ['  five', 'enter'],
  ] as const) {
    pty.type(row.slice(2));
    await pty.until(() => draftRow(pty) === row);
    pty.press(key);
    await pty.until(() => draftRow(pty) !== row);
  }
  expect(await read(1)).toBe('one\ntwo\nthree\nfour\nfive');

  for (const [count, answer] of [
    [20, 2],
    [40_000, 3],
  ] as const) {
    const body = Array.from({ length: count }, (_, at) => `line ${at}\twith a tab, 漢字 and  two blanks`).join('\n');
    pty.paste(body);
    await pty.until(`[paste #1 +${count} lines]`);
    pty.type(' and this');
    await pty.until('and this');
    pty.press('enter');
    expect((await read(answer)) === `${body} and this`).toBe(true);
    expect(model.requests).toHaveLength(answer);
  }

  pty.type('one two');
  await pty.until('> one two');
  pty.press('ctrl+w');
  await pty.until(/> one$/m);
  pty.press('ctrl+y', 'ctrl+y');
  await pty.until('> one twotwo');
  pty.type('\x1f');
  await pty.until(/> one two$/m);
  pty.press('enter');
  expect(await read(4)).toBe('one two');

  pty.type('clean up\r');
  await pty.until(/rm -rf build/);
  pty.type('half a thou');
  await pty.until('> half a thou');
  pty.press('ctrl+c');
  await pty.until((screen) => !screen.text().includes('> half a thou'));
});
