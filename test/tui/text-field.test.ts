import { describe, expect, it, test } from 'vitest';
import type { Input } from '../../src/tui/screen/input.js';
import { createTextField, typedText } from '../../src/tui/text-field.js';
import { displayWidth } from '../../src/view/width.js';

const press = (key: string): Input => ({ type: 'key', key, data: key, at: 0 });

test('a field takes characters, pastes and the keys of a line', () => {
  const field = createTextField('one two');
  const go = (...keys: string[]) => {
    for (const key of keys) field.handle(press(key));
    return field.text;
  };
  expect(go('ctrl+w')).toBe('one ');
  field.handle({ type: 'paste', text: 'a\r\nb\x1b', at: 0 });
  expect(field.text).toBe('one a b\x1b');
  expect(field.render(40)).toEqual({ text: 'one a b\\x1b', caret: 11 });
  expect(go('backspace', 'home', 'x', 'right', 'delete', 'space')).toBe('xo e a b');
  expect(go('ctrl+u')).toBe('e a b');
  expect(field.handle({ type: 'key', key: null, data: '語', at: 0 })).toBe(true);
  expect(field.text).toBe('語e a b');
  expect(createTextField('x'.repeat(50)).render(10)).toEqual({ text: 'x'.repeat(9), caret: 9 });
  expect(field.handle(press('f5'))).toBe(false);
  expect([typedText(press('shift+a')), typedText(press('space')), typedText(press('ctrl+a'))]).toEqual([
    'A',
    ' ',
    null,
  ]);
});

describe('a field for text', () => {
  const key = (name: string, data = '\x1b') => ({ type: 'key', key: name, data, at: 0 }) as const;
  const type = (field: ReturnType<typeof createTextField>, text: string) => {
    for (const character of text) field.handle({ type: 'key', key: null, data: character, at: 0 });
  };

  it('moves by what people take for characters, and shows the caret there', () => {
    const field = createTextField('', { hasLines: true });
    type(field, 'a👩‍👩‍👧語');
    field.handle(key('left'));
    expect(field.renderWhole(40)).toEqual({ lines: ['a👩‍👩‍👧語'], caret: { row: 0, column: displayWidth('a👩‍👩‍👧') } });
    field.handle(key('backspace'));
    expect(field.text).toBe('a語');
    field.handle(key('home'));
    field.handle(key('delete'));
    expect(field.text).toBe('語');
  });

  it('has lines, words to delete, and shows what is hidden', () => {
    const field = createTextField('one two', { hasLines: true });
    field.handle(key('ctrl+w'));
    field.handle(key('shift+enter'));
    field.handle({ type: 'paste', text: 'a\r\nb\u202e', at: 0 });
    expect(field.text).toBe('one \na\nb\u202e');
    expect(field.renderWhole(40).lines).toEqual(['one ', 'a', 'b\\u202e']);
    field.handle(key('up'));
    field.handle(key('ctrl+k'));
    expect(field.text).toBe('one \na\nb\u202e');
    // Those of whoever has the field.
    expect([field.handle(key('enter')), field.handle(key('escape'))]).toEqual([false, false]);
    expect(field.handle({ type: 'paste', text: 'x'.repeat(200_000), at: 0 })).toBe(false);
  });
});
