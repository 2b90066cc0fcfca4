import { expect, test } from 'vitest';
import { ACTIONS, keyList, keyName, readKeybindings, shownKey } from '../../src/tui/keybindings.js';

test('the defaults clash nowhere, and each key has its one form', () => {
  expect(readKeybindings(null).problems).toEqual([]);
  for (const action of ACTIONS) for (const key of action.keys) expect(keyName(key)).toBe(key);
});

test.each([
  ['Ctrl+R', 'ctrl+r'],
  ['control+shift+p', 'shift+ctrl+p'],
  ['G', 'shift+g'],
  ['esc', 'escape'],
  ['PageDown', 'pageDown'],
  ['pgdn', 'pageDown'],
  ['ctrl++', 'ctrl++'],
  ['option+Return', 'alt+enter'],
  ['f12', 'f12'],
  ['f13', null],
  ['ctrl+ctrl+a', null],
  ['hyper+a', null],
  ['', null],
  ['ab', null],
])('%s is %s', (given, form) => {
  expect(keyName(given)).toBe(form);
});

test('keys are shown as people write them', () => {
  expect(['ctrl+r', 'shift+tab', 'escape', '?', 'pageUp', 'ctrl++'].map(shownKey)).toEqual([
    'Ctrl-R',
    'Shift-Tab',
    'Esc',
    '?',
    'PageUp',
    'Ctrl-+',
  ]);
});

test('a file maps actions to other keys, several, or none', () => {
  const bindings = readKeybindings('{"$schema":"x","transcript":"f2","tasks":["f3","ctrl+y"],"suspend":null}');
  expect(bindings.problems).toEqual([]);
  expect(bindings.actionOf('f2', 'prompt')).toBe('transcript');
  expect(bindings.actionOf('ctrl+o', 'prompt')).toBeNull();
  expect(bindings.keysOf('tasks')).toEqual(['f3', 'ctrl+y']);
  expect(bindings.actionOf('ctrl+z', 'prompt')).toBeNull();
  expect(bindings.actionOf('G', 'pager')).toBe('pager.bottom');
});

test('a clash is told, whoever loses', () => {
  const taken = readKeybindings('{"transcript":"f2","tasks":"f2"}');
  expect(taken.problems).toEqual(['F2 cannot be "tasks": it is "transcript" already.']);
  expect(taken.actionOf('f2', 'prompt')).toBe('transcript');
  const given = readKeybindings('{"transcript":"ctrl+r"}');
  expect(given.problems).toEqual(['Ctrl-R is "transcript" now, and no longer "historySearch".']);
  const same = readKeybindings('{"transcript":"ctrl+i","queue":"tab"}');
  expect(same.problems).toEqual(['Ctrl-I cannot be "transcript": many terminals send the same for it as for "queue".']);
});

test('Ctrl-C and Esc stay', () => {
  const bindings = readKeybindings('{"clear":"f4","transcript":"ctrl+c","interrupt":null}');
  expect(bindings.actionOf('ctrl+c', 'prompt')).toBe('clear');
  expect(bindings.actionOf('escape', 'prompt')).toBe('interrupt');
  expect(bindings.problems).toEqual([
    '"clear" stays on Ctrl-C.',
    '"interrupt" stays on Esc.',
    'Ctrl-C cannot be "transcript": it is "clear" already.',
  ]);
});

test.each([
  ['[1]', 'it must hold one object'],
  ['{', 'it is not JSON'],
  ['{"transcrip":"f2"}', 'there is no action "transcrip". Did you mean "transcript"?'],
  ['{"transcript":"ctrl+nothing"}', '"transcript": "ctrl+nothing" is not a key'],
  ['{"transcript":5}', '"transcript": 5 is not a key'],
  [`{"a":"${'x'.repeat(100_000)}"}`, 'longer than 100000'],
])('%s is told and costs no other key', (text, problem) => {
  const bindings = readKeybindings(text);
  expect(bindings.problems.join('\n')).toContain(problem);
  expect(bindings.actionOf('ctrl+o', 'prompt')).toBe('transcript');
  expect(bindings.actionOf('ctrl+c', 'prompt')).toBe('clear');
});

test('a file of a thousand mistakes is told shortly', () => {
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`wrong${at}`, 'f2'])));
  expect(readKeybindings(text).problems.at(-1)).toBe('990 more.');
});

test('the list of keys has what was chosen', () => {
  const list = keyList(readKeybindings('{"transcript":["f2","ctrl+o"],"suspend":null}'), 'prompt');
  expect(list.find(({ does }) => does.includes('whole conversation'))?.keys).toBe('F2, Ctrl-O');
  expect(list.some(({ does }) => does.includes('suspends'))).toBe(false);
});
