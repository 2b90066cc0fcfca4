// Changes of a text with comments: what is taken out takes nothing along, and what is left says the same as before.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWithComments, withAppended, withValue } from '../../../src/context/settings/jsonc.js';

const TEXT = `// header
{
  // mine
  "effort": "low", /* keep */
  // about deny
  "permissions": { "deny": ["Bash(rm *)", /* b */ "B"], }, // tail
  "env": {
    "A": "1", // one
    "B": "2" // two
  }
  // end
}
// after
`;
const COMMENTS = ['header', 'mine', 'keep', 'about deny', 'b */', 'tail', '// one', '// two', '// end', 'after'];
const parsedOf = (text: string) => {
  const parsed = parseWithComments(text);
  return 'value' in parsed ? parsed.value : parsed.problem;
};

describe('a value that is taken out', () => {
  it.each<[readonly (string | number)[], readonly string[]]>([
    [['effort'], []],
    [['permissions'], ['b */']],
    [['permissions', 'deny', 0], []],
    [['permissions', 'deny', 1], []],
    [['env'], ['// one', '// two']],
    [['env', 'A'], []],
    [['env', 'B'], []],
    [['nowhere', 'at', 'all'], []],
  ])('%j takes no comment along but those in it', (path, lost) => {
    const after = withValue(TEXT, path, undefined);
    expect(COMMENTS.filter((comment) => !after.includes(comment))).toEqual(lost);
    const expected = structuredClone(parsedOf(TEXT)) as Record<string, unknown>;
    const [last, ...above] = [...path].reverse();
    const parent = above.reduceRight<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[key],
      expected,
    );
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (parent !== undefined) delete (parent as Record<string, unknown>)[String(last)];
    expect(parsedOf(after)).toEqual(expected);
  });

  it('leaves no line of its own, and plain JSON plain', () => {
    const text = JSON.stringify({ a: 1, b: { c: 2 }, d: [1, 2] }, null, 2);
    expect(withValue(text, ['a'], undefined)).toBe(JSON.stringify({ b: { c: 2 }, d: [1, 2] }, null, 2));
    expect(withValue(text, ['d'], undefined)).toBe(JSON.stringify({ a: 1, b: { c: 2 } }, null, 2));
    expect(JSON.parse(withValue(text, ['b', 'c'], undefined))).toEqual({ a: 1, b: {}, d: [1, 2] });
    expect(JSON.parse(withValue('{"a":1,"b":2}', ['b'], undefined))).toEqual({ a: 1 });
    expect(JSON.parse(withValue('{"a":1,"b":2}', ['a'], undefined))).toEqual({ b: 2 });
  });

  it('leaves all others, whatever they are', () => {
    const objects = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.string())), { minKeys: 1 });
    fc.assert(
      fc.property(objects, fc.nat(), fc.constantFrom(undefined, 1, 2), (value, at, indent) => {
        const keys = Object.keys(value).filter((key) => key !== '__proto__');
        const key = keys[at % Math.max(1, keys.length)];
        if (key === undefined) return;
        const { [key]: _, ...rest } = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
        expect(JSON.parse(withValue(JSON.stringify(value, null, indent), [key], undefined))).toEqual(rest);
      }),
    );
  });
});

it('a value that is put in, or behind others, leaves every comment', () => {
  for (const after of [withValue(TEXT, ['effort'], 'high'), withAppended(TEXT, ['permissions', 'deny'], 2, 'C')]) {
    expect(COMMENTS.filter((comment) => !after.includes(comment))).toEqual([]);
  }
  expect(parsedOf(withAppended(TEXT, ['permissions', 'deny'], 2, 'C'))).toMatchObject({
    permissions: { deny: ['Bash(rm *)', 'B', 'C'] },
  });
});
