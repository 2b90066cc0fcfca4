import { expect, test } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { panelOfPrompt } from '../../../src/tui/pagers/panel-names.js';
import { messageLines, promptText } from '../../../src/tui/pagers/transcript.js';
import { coloursOnly } from '../../../src/tui/status/status-line-command.js';

const message = (value: unknown) => value as SDKMessage;
const user = (content: unknown, more: object = {}) =>
  message({ type: 'user', parent_tool_use_id: null, message: { role: 'user', content }, ...more });
const shown = (given: SDKMessage) => messageLines(given).map(({ text, indent = 0 }) => `${' '.repeat(indent)}${text}`);

test('a prompt is marked, and whole', () => {
  const lines = messageLines(user('first\n\tsecond\x1b[2J'));
  expect(lines.map(({ text }) => text)).toEqual(['', '> first', '  second\\x1b[2J']);
  expect(lines[1]?.isPrompt).toBe(true);
  expect(promptText(user([{ type: 'text', text: 'a' }, { type: 'image' }]))).toBe('a');
});

test('answers, calls and results stand with their marks', () => {
  const assistant = message({
    type: 'assistant',
    parent_tool_use_id: null,
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'text', text: 'An answer.' },
        { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls\npwd' } },
      ],
    },
  });
  expect(shown(assistant)).toEqual(['  thinks: hm', '', 'An answer.', '', '● Bash  ls', 'pwd']);
  expect(shown(user([{ type: 'tool_result', tool_use_id: 'c', content: 'out\nput' }]))).toEqual(['  out', '  put']);
  expect(shown(user([{ type: 'tool_result', tool_use_id: 'c', content: 'no', is_error: true }]))).toEqual([
    '  failed: no',
  ]);
});

test('what a subagent says stands one step in, and is no prompt', () => {
  expect(promptText(user('x', { isSynthetic: true }))).toBeNull();
  const nested = message({
    type: 'assistant',
    parent_tool_use_id: 'c',
    message: { role: 'assistant', content: [{ type: 'text', text: 'deep' }] },
  });
  expect(shown(nested)).toEqual(['', '  deep']);
});

test.each([
  {},
  { type: 'user' },
  { type: 'user', message: null },
  { type: 'assistant', message: { content: 5 } },
  { type: 'assistant' },
])('a damaged message %j shows nothing and breaks nothing', (value) => {
  expect(messageLines(message(value))).toEqual([]);
});

test('commands open windows only without words', () => {
  expect(panelOfPrompt(' /model ')).toBe('model');
  expect(panelOfPrompt('/model opus')).toBeNull();
  expect(panelOfPrompt('/constructor')).toBeNull();
  expect(panelOfPrompt('model')).toBeNull();
});

test('of a status line only colours are carried out', () => {
  expect(coloursOnly('a\x1b[1;31mred\x1b[0m\x1b[2J\x07\u202e')).toBe(
    'a\x1b[1;31mred\x1b[0m\\x1b[2J\\x07\\u202e\x1b[0m',
  );
  expect(coloursOnly('plain')).toBe('plain');
  expect(coloursOnly('\x1b]8;;http://x\x07link')).not.toMatch(/\p{Cc}/u);
});
