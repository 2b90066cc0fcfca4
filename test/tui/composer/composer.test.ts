// The draft: what is written comes back as it was, and the caret is where the terminal's cursor is.
import { describe, expect, it } from 'vitest';
import { createComposer } from '../../../src/tui/composer/composer.js';
import { createTheme } from '../../../src/tui/theme.js';
import { runCarets } from '../../support/soak/caret.js';

const MARKED = new RegExp(`${String.fromCharCode(27)}\\[7m(.*?)${String.fromCharCode(27)}\\[27m`, 'g');

const composer = () =>
  createComposer({ rows: () => 30, refresh: () => undefined }, createTheme({ env: { NO_COLOR: '1' } }));

describe('the text of a draft', () => {
  it.each([
    ['tabs and controls', 'a\tb\x00c\x1b[31md\x7f'],
    ['blanks at both ends', '  a  \n\n'],
    ['a text that looks like a marker', '[paste #1 +12 lines]'],
    ['characters that stand for others', '\uf709 and \uf701'],
    ['scripts', '漢字 한국어 e\u0301 👨‍👩‍👧 \u202e'],
    ['many lines', Array.from({ length: 12 }, (_, at) => `line ${at}\t`).join('\n')],
    ['a long line', 'x'.repeat(5_000)],
    ['dollars', '$& $1 $$ `'.repeat(300)],
  ])('comes back as it was: %s', (_name, text) => {
    const draft = composer();
    draft.paste({ type: 'paste', text, at: 0 });
    draft.insert('!');
    expect(draft.text() === `${text}!`).toBe(true);
    draft.clear();
    expect(draft.text()).toBe('');
  });

  it('shows more than ten lines as a marker, and controls as signs', () => {
    const draft = composer();
    draft.insert('a\tb\x00');
    expect(draft.render(40).lines[0]).toBe('> a⇥b␀');
    draft.insert('\nx'.repeat(11));
    expect(draft.shownText).toContain('[paste #1 +12 lines]');
  });

  it('fits into windows that are narrower than any', () => {
    const draft = composer();
    draft.insert('漢字 and words\nmore');
    for (const columns of [1, 2, 3, 7, 40]) expect(draft.render(columns).lines.length).toBeGreaterThan(0);
  });

  it('shows what is marked, over rows that are wrapped and lines that are empty', () => {
    const draft = composer();
    draft.insert('one two three\n\nfour');
    draft.marks(() => ({ start: 4, end: 16 }));
    const lines = draft.render(14).lines;
    const marked = lines.map((line) => [...line.matchAll(MARKED)].map(([, text]) => text).join(''));
    expect([lines.map((line) => line.replace(MARKED, '$1').trimEnd()), marked]).toEqual([
      ['> one two', '  three', '', '  four'],
      ['two ', 'three', ' ', 'f'],
    ]);
    draft.marks(() => null);
    expect(draft.render(14).lines.join('')).not.toMatch(MARKED);
  });

  it('takes 50 MB in one paste, and gives them back', () => {
    const draft = composer();
    const text = 'a line of a paste\n'.repeat(2_912_711);
    draft.insert(text);
    expect(draft.render(80).lines[0]).toBe('> [paste #1 +2912712 lines]');
    expect(draft.text() === text).toBe(true);
  });
});

it('has its caret where the cursor of the terminal is, in every script', async () => {
  expect(await runCarets(80, 5)).toEqual([]);
});
