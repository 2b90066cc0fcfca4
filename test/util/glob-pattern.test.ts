// File name patterns: what they match, what they narrow, and that no pattern is slow.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, expandBraces } from '../../src/util/glob-pattern.js';
import { splitGlobRoot } from '../../src/util/posix-path.js';

const matches = (pattern: string, path: string): boolean => compileGlob(pattern).matches(path);

describe('compileGlob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['*.ts', '.hidden.ts', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['**', 'a/b', true],
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['src/**/test/*.ts', 'src/test/a.ts', true],
    ['src/**/test/*.ts', 'src/a/b/test/a.ts', true],
    ['src/**/test/*.ts', 'src/a/b/tests/a.ts', false],
    ['**/a/**/b', 'x/a/a/y/b', true],
    ['**/a/**/b', 'x/a/a/y/c', false],
    ['a**b', 'axxb', true],
    ['a**b', 'a/b', false],
    ['?.ts', 'ä.ts', true],
    ['?.ts', '😀.ts', true],
    ['?.ts', 'ab.ts', false],
    ['[a-c].ts', 'b.ts', true],
    ['[!a-c].ts', 'b.ts', false],
    ['[^a-c].ts', 'd.ts', true],
    ['[]x].ts', '].ts', true],
    ['[a-].ts', '-.ts', true],
    ['[a.ts', '[a.ts', true],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['app/[id]/page.tsx', 'app/i/page.tsx', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['*.{ts,tsx}', 'a.js', false],
    ['{a,b/c}/*.ts', 'b/c/x.ts', true],
    ['{a,{b,c}}.ts', 'c.ts', true],
    ['a{,.min}.js', 'a.js', true],
    ['{a}.ts', '{a}.ts', true],
    ['{{name}}.ts', '{{name}}.ts', true],
    ['{a,b', '{a,b', true],
    ['\\*.ts', '*.ts', true],
    ['\\*.ts', 'a.ts', false],
    ['\\{a,b\\}', '{a,b}', true],
    ['./a.ts', 'a.ts', true],
    ['a\nb', 'a\nb', true],
    ['*', '', true],
  ])('%s on %s is %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it('narrows by last name and depth only if that loses nothing', () => {
    expect(compileGlob('**/*.{ts,tsx}')).toMatchObject({ lastParts: ['*.ts', '*.tsx'], maxDepth: null });
    const alone = (pattern: string) => compileGlob(pattern).isNameAlone;
    expect(['**/*.{ts,tsx}', '**/a', '**/?.ts', 'a/*.ts', '**/a/*.ts', '**/[ab].ts', '**'].map(alone)).toEqual([
      ...[true, true],
      ...[false, false, false, false, false],
    ]);
    expect(compileGlob('a/*.ts')).toMatchObject({ lastParts: ['*.ts'], maxDepth: 2 });
    expect(compileGlob('src/**')).toMatchObject({ lastParts: null });
    expect(compileGlob('**/[ab].ts')).toMatchObject({ lastParts: null });
    expect(compileGlob('{a,b/*.ts}/**/x:y')).toMatchObject({ lastParts: null });
  });

  it('refuses braces without end', () => {
    expect(() => expandBraces('{a,b}'.repeat(12))).toThrow(RangeError);
  });

  it('agrees with the regular expression the pattern stands for', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 6 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, name, (glob, text) => {
        fc.pre(!glob.includes('**') && glob !== '.');
        const source = glob.replace(/\./g, '\\.').replace(/\*/g, '.*').replace(/\?/g, '.');
        expect(matches(glob, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { seed: 42, numRuns: 2_000 },
    );
  });

  it('answers any pattern for any path', () => {
    const anything = fc.string({
      unit: fc.constantFrom('a', '/', '*', '?', '[', ']', '{', '}', ',', '!', '\\', '-', '😀'),
    });
    fc.assert(
      fc.property(anything, anything, (pattern, path) => {
        expect(typeof matches(pattern, path)).toBe('boolean');
        expect(typeof splitGlobRoot(pattern).rest).toBe('string');
      }),
      { seed: 42, numRuns: 3_000 },
    );
  });

  it('does not blow up on patterns that make a backtracking matcher exponential', () => {
    expect(matches(`${'*a'.repeat(40)}b`, 'a'.repeat(4_000))).toBe(false);
    expect(matches(`${'**/a/'.repeat(40)}b`, 'a/'.repeat(2_000))).toBe(false);
  });
});

describe('splitGlobRoot', () => {
  it.each([
    ['src/a/*.ts', 'src/a', '*.ts'],
    ['*.ts', '', '*.ts'],
    ['/etc/*.conf', '/etc', '*.conf'],
    ['/*.conf', '/', '*.conf'],
    ['../x/**', '../x', '**'],
    ['src/index.ts', 'src', 'index.ts'],
    ['app/[id]/*.ts', 'app', '[id]/*.ts'],
  ])('%s', (pattern, root, rest) => {
    expect(splitGlobRoot(pattern)).toEqual({ root, rest });
  });
});
