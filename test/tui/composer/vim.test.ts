import fc from 'fast-check';
import { expect, test } from 'vitest';
import { positionsIn } from '../../../src/tui/composer/vim/motions.js';
import { createVim, type Draft } from '../../../src/tui/composer/vim/vim.js';

const MARK = '[paste #1 +20 lines]';

/** `a|b` is `ab` with the caret on b. */
function draftOf(shown: string): Draft {
  return { text: shown.replace('|', ''), caret: shown.indexOf('|') };
}

function shownOf({ text, caret }: Draft): string {
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

/** `<esc>` and the like are one key. */
function keysOf(typed: string): string[] {
  return [...typed.matchAll(/<([^>]+)>|./gsu)].map(([key, name]) => name ?? key);
}

/** The keys in turn, with an editor for what vim passes on. */
function press(vim: ReturnType<typeof createVim>, keys: readonly string[], draft: Draft): Draft {
  return keys.reduce((now, key) => {
    const answer = vim.handle(key === 'esc' ? 'escape' : key, now);
    return 'taken' in answer ? answer.taken : vim.mode === 'insert' ? edited(key, now) : now;
  }, draft);
}

function edited(key: string, { text, caret }: Draft): Draft {
  if (key === 'backspace') {
    const from = positionsIn(text).previous(caret);
    return { text: text.slice(0, from) + text.slice(caret), caret: from };
  }
  const typed = key === 'enter' ? '\n' : key === 'space' ? ' ' : key;
  return typed.length > 1 && /^\w+/.test(typed)
    ? { text, caret }
    : { text: text.slice(0, caret) + typed + text.slice(caret), caret: caret + typed.length };
}

/** From normal mode. */
function run(shown: string, typed: string): string {
  const vim = createVim();
  // As if the caret had been one further on.
  const { text, caret } = draftOf(shown);
  const places = positionsIn(text);
  const begun = press(vim, ['escape'], { text, caret: caret === places.lineEnd(caret) ? caret : places.next(caret) });
  return shownOf(press(vim, keysOf(typed), begun));
}

test.each([
  // motions
  ['|one two', 'w', 'one |two'],
  ['|one two', '2l', 'on|e two'],
  ['one two thr|ee', '2b', 'one |two three'],
  ['|one two', 'e', 'on|e two'],
  ['one t|wo', 'ge', 'on|e two'],
  ['|one, two', 'w', 'one|, two'],
  ['|one, two', 'W', 'one, |two'],
  ['  on|e', '0', '|  one'],
  ['  on|e', '^', '  |one'],
  ['|one', '$', 'on|e'],
  ['ab|c\nd\nefg', 'jj', 'abc\nd\nef|g'],
  ['a|b\nc\n\ndef', 'G', 'ab\nc\n\n|def'],
  ['ab\ncd\ne|f', 'gg', '|ab\ncd\nef'],
  ['ab\ncd\ne|f', '2G', 'ab\n|cd\nef'],
  ['|a(b[c]d)e', '%', 'a(b[c]d|)e'],
  ['|abcabc', 'fc', 'ab|cabc'],
  ['|abcabc', '2fc', 'abcab|c'],
  ['|abcabc', 'tc', 'a|bcabc'],
  ['|abcabc', 'fc;', 'abcab|c'],
  ['|abcabc', 'tc;', 'abca|bc'],
  ['|abcabc', 'fc;,', 'ab|cabc'],
  ['abcab|c', 'Fa', 'abc|abc'],
  ['a|b\n\nc', '}', 'ab\n|\nc'],
  ['日|本語', 'l', '日本|語'],
  ['|👨‍👩‍👧x', 'l', '👨‍👩‍👧|x'],
  // operators
  ['|one two three', 'dw', '|two three'],
  ['|one two three', 'd2w', '|three'],
  ['|one two three', '2dw', '|three'],
  ['one |two\nthree', 'dw', 'one| \nthree'],
  ['one |two three', 'd$', 'one| '],
  ['one |two three', 'D', 'one| '],
  ['one t|wo', 'db', 'one |wo'],
  ['|one two', 'de', '| two'],
  ['a\n|b\nc', 'dd', 'a\n|c'],
  ['a\nb\n|c', 'dd', 'a\n|b'],
  ['|a', 'dd', '|'],
  ['|a\nb\nc\nd', '3dd', '|d'],
  ['|a\nb\nc', 'dj', '|c'],
  ['a\nb\n|c', 'dgg', '|'],
  ['a\n|b\nc', 'dG', '|a'],
  ['|abcdef', 'dtd', '|def'],
  ['|abcdef', 'dfd', '|ef'],
  ['a(|b c)d', 'd%', 'a| c)d'],
  ['a|(b c)d', 'd%', 'a|d'],
  ['|one two', 'cwsix<esc>', 'si|x two'],
  ['one| two', 'cw-<esc>', 'one|-two'],
  ['on|e\ntwo', 'ccx<esc>', '|x\ntwo'],
  ['  on|e', 'Sx<esc>', '  |x'],
  ['|one', 'sX<esc>', '|Xne'],
  ['one |two', 'Cx<esc>', 'one |x'],
  ['|one', 'yyp', 'one\n|one'],
  ['|one\ntwo', 'yyP', '|one\none\ntwo'],
  ['|one\ntwo', 'Yjp', 'one\ntwo\n|one'],
  ['|one two', 'yiwP', 'on|eone two'],
  ['|ab', 'xp', 'b|a'],
  ['|ab', 'x3p', 'baa|a'],
  ['|one two', '"adw"aP', 'one| two'],
  ['|a\nb', '>>', '  |a\nb'],
  ['|a\nb', '>j', '  |a\n  b'],
  ['    |a', '<<', '  |a'],
  ['|one', 'gUiw', '|ONE'],
  ['|ONE two', 'guw', '|one two'],
  ['|one', 'g~~', '|ONE'],
  ['|one', '3~', 'ON|E'],
  ['|one', 'rx', '|xne'],
  ['|one', '2rx', 'x|xe'],
  ['|one', '9rx', '|one'],
  ['|one two', 'r<enter>', '\n|ne two'],
  ['|one\n  two', 'J', 'one| two'],
  ['|a\nb\nc', '3J', 'a b| c'],
  ['one t|wo', 'X', 'one |wo'],
  ['|one two', 'x.', '|e two'],
  ['|one two three', 'dw.', '|three'],
  ['|one two', 'cwx<esc>w.', 'x |x'],
  ['|one', 'ax<esc>.', 'oxx|ne'.replace('oxx|ne', 'ox|xne')],
  ['|a', 'ob<esc>.', 'a\nb\n|b'],
  ['|a', 'Ob<esc>', '|b\na'],
  ['|one', 'Ix<esc>', '|xone'],
  ['|one', 'Ax<esc>', 'one|x'],
  // text objects
  ['one t|wo three', 'diw', 'one | three'],
  ['one t|wo three', 'daw', 'one |three'],
  ['one t|wo', 'daw', 'on|e'],
  ['a "b| c" d', 'di"', 'a "|" d'],
  ['a "b| c" d', 'da"', 'a |d'],
  ['|a "b c" d', 'ci"x<esc>', 'a "|x" d'],
  ['f(a, g(|b))', 'di(', 'f(a, g(|))'],
  ['f(a, g(|b))', 'd2i(', 'f(|)'],
  ['f(a, g|(b))', 'dab', 'f(a, g|)'],
  ['{\n  |a\n}', 'diB', '{|}'],
  ['a\nb|\n\nc', 'dip', '|\nc'],
  ['a\nb|\n\nc', 'dap', '|c'],
  // visual
  ['|one two', 'vld', '|e two'],
  ['|one two', 'vwd', '|wo'],
  ['one |two', 'vbd', '|wo'],
  ['a\n|b\nc', 'Vd', 'a\n|c'],
  ['|a\nb\nc', 'Vjd', '|c'],
  ['one |two', 'viwcx<esc>', 'one |x'],
  ['|one', 'vlU', '|ONe'],
  ['|one', 'v$y$p', 'oneon|e'],
  ['|one two', 'yiwwviwp', 'one |one'],
  ['|abc', 'vlrx', '|xxc'],
  ['|a\nb', 'VjJ', 'a| b'],
  ['ab|c', 'vho<esc>', 'ab|c'],
  ['|a\nb', 'Vj>', '  |a\n  b'],
  // undo
  ['|one two', 'dwu', '|one two'],
  ['|one two', 'dwdwuu', '|one two'],
  ['|one two', 'dwu<ctrl+r>', '|two'],
  ['|one', 'cwx<esc>u', '|one'],
  ['|one', 'xi<esc>u', '|one'],
  // what is no command leaves all as it is
  ['|one', 'dq', '|one'],
  ['|one', '5', '|one'],
  ['|one', 'zz', '|one'],
  ['|one', '"', '|one'],
  ['|one', 'd<esc>x', '|ne'],
])('%j, %s: %j', (before, typed, after) => {
  expect(run(before, typed)).toBe(after);
});

test('a mark of a paste is one character', () => {
  expect(run(`a |${MARK} b`, 'x')).toBe('a | b');
  expect(run(`a |${MARK} b`, 'l')).toBe(`a ${MARK}| b`);
  expect(run(`a |${MARK} b`, 'di[')).toBe('a | b');
  expect(run(`|a ${MARK} b`, 'gUU')).toBe(`|A ${MARK} B`);
  expect(run(`|a ${MARK} b`, '9~')).toContain(MARK);
});

test('keys that others have pass', () => {
  const vim = createVim();
  expect(vim.handle('x', { text: '', caret: 0 })).toEqual({ passed: true });
  vim.handle('escape', { text: 'ab', caret: 2 });
  for (const key of ['enter', 'escape', 'ctrl+c', 'ctrl+o', 'shift+tab', 'tab', 'f2'])
    expect(vim.handle(key, { text: 'ab', caret: 1 })).toEqual({ passed: true });
  expect(vim.handle('k', { text: 'ab', caret: 1 })).toEqual({ passed: true, key: 'up' });
  expect(vim.handle('j', { text: 'ab', caret: 1 })).toEqual({ passed: true, key: 'down' });
  expect(vim.handle('?', { text: '', caret: 0 })).toEqual({ passed: true });
  // A command begins.
  expect(vim.handle('/', { text: '', caret: 0 })).toEqual({ passed: true });
  expect(vim.mode).toBe('insert');
});

test('what is pending and what is marked can be shown', () => {
  const vim = createVim();
  const draft = press(vim, ['escape', '2', 'd'], { text: 'one', caret: 1 });
  expect(vim.pending).toBe('2d');
  press(vim, ['escape', 'v', 'l'], draft);
  expect(vim.pending).toBe('');
  expect(vim.mode).toBe('visual');
  expect(vim.selection({ text: 'one', caret: 1 })).toEqual({ start: 0, end: 2 });
  vim.reset();
  expect([vim.mode, vim.selection({ text: '', caret: 0 })]).toEqual(['insert', null]);
});

const KEYS = [
  ...'hjklwbeWBE0^$GxXDCsSYpPJuvVoOiaIA.;,%{}~rftFTdcyg><"13"\'()[]bBUz _+-é日',
  'escape',
  'escape',
  'escape',
  'enter',
  'backspace',
  'space',
  'ctrl+r',
  'left',
  'down',
  'home',
  'delete',
  '👨‍👩‍👧',
  'ctrl+o',
];
const START = `one two, (three [four] "five six")\n\n  日本語 👩🏽‍🚀 ${MARK} end\nlast line\n{a\nb}`;

const keySequences = fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 40 });

test('whatever the keys: nothing is cut through, and the caret stands on a character', () => {
  fc.assert(
    fc.property(keySequences, (keys) => {
      const vim = createVim();
      let draft: Draft = { text: START, caret: 5 };
      for (const key of ['escape', ...keys]) {
        draft = press(vim, [key], draft);
        const places = positionsIn(draft.text);
        expect(draft.caret).toBe(places.snap(draft.caret));
        if (vim.mode === 'normal' && places.lineStart(draft.caret) < places.lineEnd(draft.caret))
          expect(draft.caret).toBeLessThan(places.lineEnd(draft.caret));
        expect(draft.text).not.toMatch(/\p{Cs}/u);
        expect(draft.text.replaceAll(MARK, '')).not.toMatch(/paste|\+20|#1/i);
      }
    }),
    { numRuns: 100 },
  );
});

test('whatever the keys: undo gives back each text, and redo the last one', () => {
  fc.assert(
    fc.property(keySequences, (keys) => {
      const vim = createVim();
      let draft = press(vim, ['escape'], { text: START, caret: 5 });
      draft = press(vim, [...keys.filter((key) => key !== 'u' && key !== 'ctrl+r'), 'escape', 'escape'], draft);
      const last = draft.text;
      const seen = [last];
      for (let step = 0; step < keys.length + 3; step++) {
        draft = press(vim, ['u'], draft);
        seen.push(draft.text);
      }
      expect(seen).toContain(START);
      draft = press(
        vim,
        Array.from({ length: keys.length + 3 }, () => 'ctrl+r'),
        draft,
      );
      expect(draft.text).toBe(last);
    }),
    { numRuns: 100 },
  );
});

test('whatever the keys: one undo takes one command back', () => {
  fc.assert(
    fc.property(keySequences, (keys) => {
      const vim = createVim();
      let draft = press(vim, ['escape'], { text: START, caret: 5 });
      // Between two commands: nothing pending, nothing marked, nothing being written.
      let rest = draft.text;
      for (const key of keys.filter((each) => each !== 'u' && each !== 'ctrl+r')) {
        draft = press(vim, [key], draft);
        if (vim.mode !== 'normal' || vim.pending !== '') continue;
        if (draft.text === rest) continue;
        const undone = press(vim, ['u'], draft);
        expect(undone.text).toBe(rest);
        draft = press(vim, ['ctrl+r'], undone);
        rest = draft.text;
      }
    }),
    { numRuns: 100 },
  );
});
