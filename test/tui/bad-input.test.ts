// What a terminal must live through, one after the other in one program: whatever came before, the draft, the screen and the
// next prompt are right. Ways out have a file of their own; widths are in `screen/`, long pastes in the soak.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { openAtModel } from '../support/terminal/open-at-model.js';
import type { Pty } from '../support/terminal/open-pty.js';

/** What only a terminal may be told by whoever owns it, what hides, and what terminals disagree about. */
const EVIL =
  'a\x1b]52;c;aGk=\x07b \x1b[2J\x1b[3Jc \u202ed\u202c e\u200bf \x9b3Jg 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ｗｉｄｅ \u{e0041} e\u0301 क्षि ﷽ done';

const draftOf = (pty: Pty) => pty.screen.rows()[pty.screen.cursor().row] ?? '';

it('whatever comes, nothing is lost, doubled or carried out, and the next prompt is right', async () => {
  const { pty, model, cwd } = await openAtModel(
    [text(`Read ${EVIL}`), reply(toolCall('Bash', { command: 'cat evil.txt' })), text('Last.')],
    ['--allowedTools', 'Bash'],
    // Nobody answers the queries of the start.
    { answersQueries: false },
  );

  writeFileSync(join(cwd, 'evil.txt'), EVIL);

  // Windows that hold nothing, and a window that is dragged: at the end all is there again.
  pty.type('hello');
  await pty.until('> hello');
  for (const [columns, rows] of [
    [1, 1],
    [2, 2],
    [80, 1],
    [1, 40],
    [3, 3],
    [400, 120],
  ] as const) {
    pty.resize({ columns, rows });
    pty.type('.');
  }
  for (let at = 0; at < 100; at++) pty.resize({ columns: 40 + ((at * 7) % 60), rows: 10 + (at % 20) });
  pty.resize({ columns: 250, rows: 30 });
  await pty.until(() => draftOf(pty) === '> hello......');
  pty.press('ctrl+c');
  await pty.until(() => draftOf(pty).trim() === '>');

  // Bytes that are no text, sequences without an end, answers that come when nobody waits any more.
  pty.type(Buffer.from([0x00, 0xff, 0xc3, 0x28, 0xf0, 0x9f]));
  pty.type('x');
  await pty.until(() => draftOf(pty).endsWith('x'));
  expect(draftOf(pty)).toMatch(/^> [^x]*\(�+x$/);
  pty.press('ctrl+c');
  await pty.until(() => draftOf(pty).trim() === '>');
  pty.type('\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[?1u\x1b[12;40R\x1b[?62;c\x1bP>|term(1)\x1b\\');
  pty.type('a word');
  await pty.until(() => draftOf(pty) === '> a word');
  pty.press('ctrl+c');
  await pty.until(() => draftOf(pty).trim() === '>');

  // A paste without brackets is one draft, and sends nothing. A busy machine may bring it in parts.
  const lines = Array.from({ length: 2_500 }, (_, at) => `line ${at} of what was copied`);
  pty.type(lines.join('\r'));
  const lineEnds = () => {
    const rows = pty.screen.rows().slice(0, pty.screen.cursor().row + 1);
    const draft = rows.slice(rows.findLastIndex((row) => row.startsWith('> '))).join('\n');
    const hidden = [...draft.matchAll(/\[paste #\d+ \+(\d+) lines\]/g)].map(([, count]) => Number(count) - 1);
    return hidden.reduce((sum, count) => sum + count, draft.split('\n').length - 1);
  };
  await pty.until(() => lineEnds() === lines.length - 1);
  pty.type(' go');
  await pty.until(() => draftOf(pty).endsWith(' go'));
  pty.press('enter');
  await pty.until('Read a');
  await pty.until('1 turn');
  expect(model.requests).toHaveLength(1);
  expect(JSON.stringify(model.requests[0]?.body)).toContain(JSON.stringify(`${lines.join('\n')} go`).slice(1, -1));

  // What a model and a command print is shown, and not done.
  pty.type('again\r');
  await pty.until('Last.');
  await pty.until(/2 turns/);
  const shown = pty.screen.history().join('\n');
  expect(shown.split('\\x1b]52;c;aGk=\\x07b')).toHaveLength(3);
  expect(shown).toContain('\\u202ed\\u202c e\\u200bf \\x9b3Jg');
  expect(pty.screen.told.filter((each) => each.startsWith('52;'))).toEqual([]);
  expect(pty.screen.history().filter((line) => line.startsWith('> '))).toEqual([
    '> line 0 of what was copied',
    '> again',
  ]);
  await pty.until(() => draftOf(pty).trim() === '>');
});
