// Edits whose old_string is not in the file to the letter: done where one place can be meant, else refused in words that help.
import { describe, expect, it } from 'vitest';
import { findNearMatch } from '../../../src/tools/files/near-match.js';
import { checkEdits } from '../../support/soak/edit-pairs.js';

/** What the file becomes; null if no place is found. */
function edited(text: string, before: string, after: string): string | null {
  const found = findNearMatch(text, before, after);
  if (found?.kind !== 'one') return null;
  expect(text.slice(found.offset, found.offset + found.before.length)).toBe(found.before);
  return text.slice(0, found.offset) + found.after + text.slice(found.offset + found.before.length);
}

describe('quotes', () => {
  it('of the file stay if the change leaves them', () => {
    expect(edited('He said \u201cyes\u201d.\n', 'said "yes"', 'said "no"')).toBe('He said \u201cno\u201d.\n');
    expect(edited('It\u2019s \u201ca\u201d, \u201cb\u201d', `It's "a", "b"`, `It's "c", "d"`)).toBe(
      'It\u2019s \u201cc\u201d, \u201cd\u201d',
    );
  });

  it('that are new are written as they were given', () => {
    const file = '// don\u2019t stop\nrun();\n';
    expect(edited(file, "// don't stop\n", "// don't stop\nsay('x');\n")).toBe(
      "// don\u2019t stop\nsay('x');\nrun();\n",
    );
  });

  it('of a line that is another one now are no longer those of the file', () => {
    expect(edited('x \u201ca\u201d\n', 'x "a"', 'const y = "b"')).toBe('const y = "b"\n');
  });

  it('that are typographic in the call only become plain', () => {
    expect(edited('a = "b";\n', 'a = \u201cb\u201d;', 'a = \u201cc\u201d;\nd = \u2018e\u2019;')).toBe(
      'a = "c";\nd = \'e\';\n',
    );
  });
});

describe('indentation', () => {
  it('is that of the file, line by line', () => {
    const file = 'class A {\n\tf() {\n\t\treturn 1;\n\t}\n}\n';
    expect(edited(file, '  f() {\n    return 1;\n  }', '  f() {\n    if (x) {\n      return 2;\n    }\n  }')).toBe(
      'class A {\n\tf() {\n\t\tif (x) {\n\t\t\treturn 2;\n\t\t}\n\t}\n}\n',
    );
  });

  it('that was left out is put back', () => {
    const file = 'def a():\n    if b:\n        c()\n';
    expect(edited(file, 'if b:\n    c()', 'if b:\n    c()\n    d()')).toBe(
      'def a():\n    if b:\n        c()\n        d()\n',
    );
  });

  it('that follows no rule is not guessed', () => {
    const file = 'if a:\n    b()\n    if c:\n        d()\n';
    expect(edited(file, '  b()\n      if c:\n     d()', '  b()\n           e()')).toBeNull();
  });

  it('of lines around the place stays, and so do the ends of lines', () => {
    expect(edited('a  \n\tb \nc\n', 'a\n  b\nc', 'a\n  B\nc')).toBe('a  \n\tB \nc\n');
  });
});

describe('a place', () => {
  it('that could be another is none', () => {
    expect(findNearMatch('  a1\n\ta1\n', '    a1', '    a2')).toEqual({ kind: 'several', offsets: [0, 5] });
    expect(findNearMatch('\u201ca\u201d \u201ca\u201d', '"a"', '"b"')).toMatchObject({ kind: 'several' });
  });

  it('needs more than signs', () => {
    expect(findNearMatch('  }\n', '    }', '    };')).toBeNull();
  });

  it('that lacks a line, or a word, is none', () => {
    expect(findNearMatch('  a\n  b\n  c\n', 'a\n c', 'x')).toBeNull();
    expect(findNearMatch('  alpha beta\n', '    alpha beto', 'x')).toBeNull();
  });

  it('may begin or end with the break of a line', () => {
    expect(edited('a\n\tb\nc\n', '\n  b\n', '\n  d\n')).toBe('a\n\td\nc\n');
    expect(findNearMatch('\tb', '  b\n', 'c\n')).toBeNull();
  });
});

it('edits of real files are right at first try, and never in a wrong place', async () => {
  const files = [
    'src/engine/query-loop.ts',
    'src/permissions/decide.ts',
    'src/tools/search/grep-files.ts',
    'src/cli/lines/views.ts',
  ];
  const { perturbed, right, wrongPlace, wrongText, lost } = await checkEdits(files, 60, 42);
  expect(wrongPlace).toEqual([]);
  expect(perturbed).toBeGreaterThan(300);
  expect(lost).toBeGreaterThan(80);
  expect(right / perturbed, wrongText.slice(0, 3).join('\n\n')).toBeGreaterThanOrEqual(0.97);
});
