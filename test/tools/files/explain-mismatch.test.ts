// The error text of a failed edit must be enough for the next try. Here the next try is made from that text alone.
import { describe, expect, it } from 'vitest';
import { explainMismatch } from '../../../src/tools/files/explain-mismatch.js';

const SOURCE = `import { a } from './a';

export function first(value: string): string {
\tif (value === "x") {
\t\treturn 'it\u2019s here';
\t}
\treturn value;
}

export function second(value: number): number {
  const doubled = value * 2;
  return doubled;
}
`;

/** The text an explanation says stands in the file. */
function suggested(explanation: string): string {
  const header = /of the file, exactly as they are:\n/.exec(explanation);
  return header === null ? '' : explanation.slice(header.index + header[0].length);
}

describe('explainMismatch', () => {
  it.each([
    ['spaces for tabs', `    if (value === "x") {\n        return 'it\u2019s here';`, 'white space'],
    ['trailing white space', '  const doubled = value * 2;  \n  return doubled;', 'white space'],
    ['blank lines around', '\n\n  const doubled = value  * 2;\n\n', 'white space'],
    ['inner spacing', 'export function second( value:number ) : number {', 'white space'],
    ['plain quotes', "\t\treturn 'it's here';", 'typographic'],
    ['letter case', 'export function Second(value: Number): number {', 'case'],
    ['line numbers', '    11\t  const doubled = value * 2;\n    12\t  return doubled;', 'line numbers'],
    ['line numbers and wrong indent', '    11\tconst doubled = value * 2;\n    12\treturn doubled;', 'line numbers'],
    ['escapes', '  const doubled = value * 2;\\n  return doubled;', 'escaped'],
    ['escaped quotes', 'if (value === \\"x\\") {', 'escaped'],
  ])('%s: names the difference and gives text that is in the file', (_, wanted, word) => {
    const explanation = explainMismatch(SOURCE, wanted);
    expect(explanation).toContain(word);
    expect(suggested(explanation)).not.toBe('');
    expect(SOURCE).toContain(suggested(explanation));
  });

  it('names HTML entities', () => {
    expect(explainMismatch('if (a < b && c) {}', 'if (a &lt; b &amp;&amp; c)')).toContain('HTML entities');
  });

  it('finds the place if most lines agree, and the first line that does not', () => {
    const wanted =
      'export function second(value: number): number {\n  const tripled = value * 3;\n  return doubled;\n}';
    const explanation = explainMismatch(SOURCE, wanted);
    expect(explanation).toContain('closest place is line 10');
    expect(explanation).toContain('First difference, at line 11');
    expect(explanation).toContain(JSON.stringify('  const doubled = value * 2;'));
    expect(suggested(explanation)).toBe(SOURCE.split('\n').slice(9, 13).join('\n'));
  });

  it('finds the most similar line for a single one', () => {
    expect(explainMismatch(SOURCE, 'const doubled = number * 2')).toContain('closest place is line 11');
  });

  it('names a second place', () => {
    expect(explainMismatch('\tx = 1;\ny\n\tx = 1;\n', '  x = 1;')).toContain('the same is true at line 3');
  });

  it('says so when nothing is close', () => {
    expect(explainMismatch(SOURCE, 'completely unrelated words')).toContain('Nothing in the file is close');
    expect(explainMismatch('', 'x')).toContain('empty');
    expect(explainMismatch('abc', '\n \n')).toContain('white space');
  });

  it('answers for a large file in bounded size, and for a huge one in general', () => {
    const large = Array.from({ length: 50_000 }, (_, index) => `const value${index} = ${index};\n`).join('');
    const explanation = explainMismatch(large, `${'  const value7 = 7;\n'.repeat(500)}x`);
    expect(explanation.length).toBeLessThan(10_000);
    expect(explainMismatch('x'.repeat(5_000_000), 'y')).toContain('Grep');
  });
});
