import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBodyParser } from '../../../src/testing/cassettes/body-parser.js';

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** As `JSON.parse` of the text; undefined where that throws. */
function plainly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('a parser of bodies that repeat each other', () => {
  it('gives what JSON.parse gives, for any sequence of bodies that were changed here and there', () => {
    const body = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())));
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(6),
      insert: fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom(',', ']', '}', '"', '\\', '[', '{"a":1}', ' ', '')),
    });
    fc.assert(
      fc.property(body, fc.nat(4), fc.array(edit, { maxLength: 12 }), (start, indent, edits) => {
        const parse = createBodyParser();
        let text = JSON.stringify(start, null, indent);
        expect(parse(bytes(text))).toEqual(plainly(text));
        for (const { at, remove, insert } of edits) {
          const place = Math.floor(at * text.length);
          const next = Buffer.from(text.slice(0, place) + insert + text.slice(place + remove)).toString('utf8');
          const wanted = plainly(next);
          expect(parse(bytes(next))).toEqual(wanted);
          if (wanted !== undefined) text = next;
        }
      }),
      { numRuns: 400, seed: 42 },
    );
  });

  it('gives items that were there before as the same objects, wherever they stand', () => {
    const parse = createBodyParser();
    const [a, b, c] = [{ role: 'user' }, { role: 'assistant' }, { role: 'user', more: [1, 2] }];
    const first = parse(bytes(JSON.stringify({ max_tokens: 5, messages: [a, b] }))) as { messages: object[] };
    const second = parse(bytes(JSON.stringify({ max_tokens: 50, messages: [a, b, c] }))) as { messages: object[] };
    expect(second).toEqual({ max_tokens: 50, messages: [a, b, c] });
    expect(second.messages[0]).toBe(first.messages[0]);
    expect(second.messages[1]).toBe(first.messages[1]);
  });

  it.each([
    ['a number that goes on', '{"a":1}', '{"a":12}'],
    ['a list that was empty', '{"a":[]}', '{"a":[1]}'],
    ['a list that is empty now', '{"a":[1,2]}', '{"a":[]}'],
    ['a field twice', '{"a":[1],"a":2}', '{"a":[1],"a":[3]}'],
    ['__proto__ as a field', '{"__proto__":[1]}', '{"__proto__":{"x":1}}'],
    ['quotes behind backslashes', '{"a":"\\\\","b":["\\"]"]}', '{"a":"\\\\","b":["\\\\\\"]","]"]}'],
    ['no record', '[1,2]', '"text"'],
    ['nothing', '{}', ''],
    ['more behind the end', '{"a":1}', '{"a":1}}'],
    ['a comma at the end', '{"a":[1]}', '{"a":[1,]}'],
    ['a cut body', '{"a":[1,2],"b":3}', '{"a":[1,2],"b"'],
  ])('reads %s', (_name, first, second) => {
    const parse = createBodyParser();
    for (const text of [first, second, first]) expect(parse(bytes(text))).toEqual(plainly(text));
  });
});
