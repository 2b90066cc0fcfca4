import { expect, test } from 'vitest';
import { createNotifier, notification } from '../../src/tui/notify.js';

test('a question calls whoever is not looking', () => {
  const written: string[] = [];
  const notifier = createNotifier((bytes) => written.push(bytes), {});
  notifier.awaitsAnswer('Bash wants to run npm test');
  notifier.setFocused(true);
  notifier.awaitsAnswer('seen already');
  notifier.setFocused(false);
  notifier.awaitsAnswer('again');
  expect(written).toEqual([
    '\x1b]9;Turnwright: Bash wants to run npm test\x07\x07',
    '\x1b]9;Turnwright: again\x07\x07',
  ]);
});

test('a prompt calls at its end only if it was long', () => {
  const written: string[] = [];
  const notifier = createNotifier((bytes) => written.push(bytes), {}, 'bell');
  notifier.promptEnded(10_000, 'short');
  expect(written).toEqual([]);
  notifier.promptEnded(10_001, 'long');
  expect(written).toEqual(['\x07']);
});

test('off is off', () => {
  const notifier = createNotifier(() => expect.unreachable(), {}, 'off');
  notifier.awaitsAnswer('x');
  notifier.promptEnded(1e9, 'x');
});

test('tmux and screen pass on what is wrapped for them', () => {
  expect(notification('x', { TMUX: '/tmp/s' }, 'desktop')).toBe('\x1bPtmux;\x1b\x1b]9;Turnwright: x\x07\x1b\\');
  expect(notification('x', { STY: '1' }, 'desktop')).toBe('\x1bP\x1b]9;Turnwright: x\x07\x1b\\');
});

test('nothing of a text ends its sequence or hides in it', () => {
  const bytes = notification(`a\x07\x1b]52;c;eA==\x07\u202eb${'c'.repeat(500)}`, {}, 'desktop');
  expect(bytes.match(/\p{Cc}/gu)).toEqual(['\x1b', '\x07']);
  expect(bytes).not.toContain('\u202e');
  expect(bytes.length).toBeLessThan(230);
});
