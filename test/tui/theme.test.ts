import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createTheme, THEMES, type Tone } from '../../src/tui/theme.js';

const TONES: readonly Tone[] = [
  'dim',
  'strong',
  'accent',
  'good',
  'bad',
  'warning',
  'added',
  'removed',
  'prompt',
  'heading',
  'code',
  'link',
  'quote',
  'selected',
  'found',
];
/** The numbers of its codes. */
const codesOf = (text: string) =>
  text
    .split('\x1b[')
    .slice(1)
    .map((rest) => Number(rest.slice(0, rest.indexOf('m'))));

test.each(THEMES)('%s has the 16 colours of the terminal only, and adds no column', (theme) => {
  for (const tone of TONES) {
    const painted = createTheme({ theme, env: {} }).paint('text', tone);
    expect(stripVTControlCharacters(painted)).toBe('text');
    for (const code of codesOf(painted))
      expect([1, 2, 3, 4, 7, 22, 23, 24, 27, 39, ...range(30, 37), ...range(90, 97)]).toContain(code);
  }
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

test('a tone goes on behind what ends inside it', () => {
  const { paint } = createTheme({ theme: 'dark', env: {} });
  expect(paint(`a${paint('b', 'good')}c`, 'bad')).toBe('\x1b[31ma\x1b[32mb\x1b[39m\x1b[31mc\x1b[39m');
  expect(paint('', 'bad')).toBe('');
});

test('high contrast has nothing faint', () => {
  for (const tone of TONES)
    expect(createTheme({ theme: 'high-contrast', env: {} }).paint('x', tone)).not.toContain('\x1b[2m');
});

test('NO_COLOR leaves bold, underlines and inversion, and no colour', () => {
  const theme = createTheme({ theme: 'dark', env: { NO_COLOR: '1' } });
  expect(theme.colour).toBe(false);
  expect(theme.paint('x', 'bad')).toBe('x');
  expect(theme.paint('x', 'selected')).toBe('\x1b[7mx\x1b[27m');
  expect(createTheme({ env: { NO_COLOR: '', TERM: 'xterm' } }).colour).toBe(true);
  expect(createTheme({ env: { NO_COLOR: '1', FORCE_COLOR: '1' } }).colour).toBe(true);
  expect(createTheme({ env: { FORCE_COLOR: '0' } }).colour).toBe(false);
});

test('auto follows the background that the terminal tells', () => {
  expect(createTheme({ env: {}, background: [1, 1, 0.9] }).name).toBe('light');
  expect(createTheme({ env: {}, background: [0.1, 0.1, 0.2] }).name).toBe('dark');
  expect(createTheme({ env: { COLORFGBG: '0;15' } }).name).toBe('light');
  expect(createTheme({ env: { COLORFGBG: '15;default;0' } }).name).toBe('dark');
  expect(createTheme({ env: {} }).name).toBe('dark');
  expect(createTheme({ theme: 'light', env: {}, background: [0, 0, 0] }).name).toBe('light');
  // A name that an older version does not have.
  expect(createTheme({ theme: 'sepia', env: {} }).name).toBe('dark');
});
