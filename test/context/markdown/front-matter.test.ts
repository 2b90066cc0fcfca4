// Front matter against a whole YAML reader: what ours takes, that one takes the same way. One rule: nothing is guessed, and
// no text costs more than its length.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument, stringify } from 'yaml';
import {
  type FrontField,
  listOf,
  MAX_FRONT_MATTER,
  type Problem,
  rawOf,
  readFrontMatter,
  textOf,
} from '../../../src/context/markdown/front-matter.js';
import { SEED } from '../../support/figures.js';
import { createRandom, type Random } from '../../support/soak/random.js';

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

function fieldsOf(head: string): ReadonlyMap<string, FrontField> | Problem {
  const read = readFrontMatter(`---\n${head}\n---\nbody`);
  return 'problem' in read ? read : new Map(read.fields.map((field) => [field.key, field]));
}

function field(head: string): FrontField {
  const fields = fieldsOf(head);
  if ('problem' in fields) throw new Error(fields.problem);
  const [first] = fields.values();
  if (first === undefined) throw new Error('there is no field');
  return first;
}

describe('front matter', () => {
  it.each([
    ['no front matter', '# Title\n---\nx: y\n---', [], '# Title\n---\nx: y\n---'],
    ['none', '', [], ''],
    ['an empty one', '---\n---\nbody', [], 'body'],
    [
      'line ends of other systems, and a mark of the byte order',
      '\ufeff---\r\nname: a\r\n---\r\nbody\r\n',
      ['name'],
      'body\n',
    ],
    ['a rule in the body', '---\nname: a\n---\nx\n---\ny', ['name'], 'x\n---\ny'],
    ['comments and blank lines', '---\n# c\n\nname: a\n  # d\nmodel: b\n---\n', ['name', 'model'], ''],
    ['values of any kind', '---\nname: a\nhooks:\n  - a: [{\n  b: "\nx-y.z: {\n---\n', ['name', 'hooks', 'x-y.z'], ''],
  ])('is split off: %s', (_, text, keys, body) => {
    const read = readFrontMatter(text);
    expect('problem' in read ? read : { keys: read.fields.map(({ key }) => key), body: read.body }).toEqual({
      keys,
      body,
    });
  });

  it('is split as one would line by line', () => {
    const unit = fc.constantFrom('---', '--- \t', '----', '\n', '\r\n', '\r', 'a: b', '- c', '\ufeff');
    const lineByLine = (text: string) => {
      const lines = text
        .replace(/^\ufeff/, '')
        .split('\n')
        .map((line) => line.replace(/\r$/, ''));
      const isFence = (line: string | undefined) => /^---[ \t]*$/.test(line ?? '');
      const end = lines.findIndex((line, at) => at > 0 && isFence(line));
      if (!isFence(lines[0])) return lines.join('\n');
      return end < 0 ? null : lines.slice(end + 1).join('\n');
    };
    let split = 0;
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 9 }), fc.boolean(), (parts, isFenced) => {
        const text = `${isFenced ? '---\n' : ''}${parts.join('')}`;
        const [read, body] = [readFrontMatter(text), lineByLine(text)];
        if (body === null) expect(read).toHaveProperty('problem');
        else if (!('problem' in read)) expect(read.body).toBe(body);
        if (isFenced && body !== null && !('problem' in read)) split += 1;
      }),
      { seed: 42, numRuns: 2_000 },
    );
    expect(split).toBeGreaterThan(50);
  });

  it.each([
    ['no end', '---\nname: a\n', 'its front matter has no end: write --- on a line of its own'],
    ['a line that is none', '---\nname: a\nwhat is this\n---', 'line 3 of it is not "key: value"'],
    ['no space', '---\nname:a\n---', 'line 2 of it is not "key: value"'],
    ['a document of JSON', '---\n{"name": "a"}\n---', 'line 2 of it is not "key: value"'],
    ['a key twice', '---\nname: a\nmodel: c\nname: b\n---', 'line 4 of it says name again'],
    ['too long', `---\nname: ${'a'.repeat(MAX_FRONT_MATTER)}\n---`, 'its front matter has more than 16 KB'],
    ['too long and without end', `---\n${'name: a\n'.repeat(5_000)}`, 'its front matter has more than 16 KB'],
  ])('is a problem: %s', (_, text, problem) => {
    expect(readFrontMatter(text)).toEqual({ problem });
  });

  it.each([
    ['plain', 'd: Reviews code. Use when: asked # not this', 'Reviews code. Use when: asked'],
    ['of several lines', 'd: Reviews\n  code\n\n  well', 'Reviews code well'],
    ['on the next line', 'd:\n  Reviews code', 'Reviews code'],
    ['folded', 'd: >-\n  Reviews\n  code # that', 'Reviews code # that'],
    ['literal', 'd: |2+ # note\n    Reviews:\n   - code', 'Reviews: - code'],
    ['in double quotes', 'd: "a \\"b\\" \\u00e4 \\x41 \\\\ #c" # d', 'a "b" ä A \\ #c'],
    ['in single quotes', "d: 'don''t: #x'", "don't: #x"],
    ['with a quotation mark inside', `d: don't "x"`, `don't "x"`],
    ['a number', 'd: 42', '42'],
    ['nothing', 'd: null', ''],
    ['empty', 'd:', ''],
  ])('a text: %s', (_, head, text) => {
    expect(textOf(field(head))).toBe(text);
  });

  it.each([
    ['quotes that do not end', 'd: "abc'],
    ['text behind quotes', 'd: "abc" def'],
    ['an escape that is not known', 'd: "\\q"'],
    ['a list', 'd: [a]'],
    ['a list of lines', 'd:\n  - a'],
    ['fields of its own', 'd:\n  a: b'],
    ['an anchor', 'd: &a b'],
    ['an alias', 'd: *a'],
    ['a tag', 'd: !!binary aGk='],
    ['an object', 'd: {a: b}'],
  ])('no text: %s', (_, head) => {
    expect(textOf(field(head))).toEqual({ problem: expect.stringMatching(/^line 2 of it: d /) });
  });

  it.each([
    ['in brackets', 't: [Read, "Bash(a, b)", \'c\', Grep,]', ['Read', 'Bash(a, b)', 'c', 'Grep']],
    ['over lines', 't: [\n  Read, # first\n  Grep\n]', null],
    ['over indented lines', 't: [\n  Read, # first\n  Grep\n  ]', ['Read', 'Grep']],
    [
      'a line each',
      't:\n  - Read\n  # c\n  - "Bash(git add *)" # d\n  -\n  - Grep\n    Glob',
      ['Read', 'Bash(git add *)', 'Grep Glob'],
    ],
    ['a line each, not indented', 't:\n- Read\n- Grep\nu: v', ['Read', 'Grep']],
    ['one text', 't: Read, Grep', ['Read, Grep']],
    ['empty', 't: []', []],
    ['nothing', 't:', []],
    ['not closed', 't: [a, b', null],
    ['lists in it', 't: [a, [b]]', null],
    ['objects in it', 't: [{a: b}]', null],
    ['aliases in it', 't:\n  - *a', null],
    ['more behind it', 't: [a] [b]', null],
  ])('a list: %s', (_, head, list) => {
    const fields = fieldsOf(head);
    const read = 'problem' in fields ? fields : listOf(field(head));
    expect(read).toEqual(list ?? { problem: expect.any(String) });
  });

  it('a hint for people stays as it was written', () => {
    expect(rawOf(field('h: [file] [format]'))).toBe('[file] [format]');
    expect(rawOf(field('h: "[file]"'))).toBe('[file]');
  });
});

const WORDS = [
  'use',
  'when:',
  '#1',
  "don't",
  '"quoted"',
  '-',
  'a,b',
  '[x]',
  '{y}',
  '&z',
  'ä',
  '😀',
  'true',
  '1.5',
  '\\n',
  ':',
  '|',
  '>',
];

function texts(random: Random): string {
  return flat(Array.from({ length: 1 + random.int(0, 11) }, () => random.pick(WORDS)).join(' '));
}

describe('beside a YAML reader', () => {
  it('600 front matters that one wrote are read as it wrote them', () => {
    const random = createRandom(SEED * 31 + 1);
    for (let round = 0; round < 600; round++) {
      const value = {
        description: texts(random),
        'allowed-tools': Array.from({ length: random.int(0, 3) }, () => texts(random)),
      };
      const lineWidth = random.pick([20, 80, 0]);
      const style = random.pick(['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_FOLDED', 'BLOCK_LITERAL'] as const);
      const head = stringify(value, { lineWidth, defaultStringType: style, defaultKeyType: 'PLAIN' }).trimEnd();
      const fields = fieldsOf(head);
      if ('problem' in fields) throw new Error(`${fields.problem}\n${head}`);
      const [description, tools] = [fields.get('description'), fields.get('allowed-tools')];
      expect(description && textOf(description), head).toBe(value.description);
      // A list of block texts has lines that only a whole reader tells apart.
      if (style.startsWith('BLOCK')) continue;
      expect(tools && listOf(tools), head).toEqual(value['allowed-tools']);
    }
  });

  it('of 4,000 random ones, those that both read say the same', () => {
    const random = createRandom(SEED * 31 + 2);
    const parts = [
      'd: ',
      'a',
      'b: c',
      ' ',
      '\n',
      '\n  ',
      '"',
      "'",
      '- ',
      '[',
      ']',
      ',',
      '#',
      ' #',
      ': ',
      '|',
      '>',
      '\\',
      '{',
      '}',
      '&x',
      '*x',
      '!!t',
      '\t',
    ];
    let both = 0;
    for (let round = 0; round < 4_000; round++) {
      const head = `d: ${Array.from({ length: random.int(0, 9) }, () => random.pick(parts)).join('')}`;
      const fields = fieldsOf(head);
      const own = 'problem' in fields ? undefined : fields.get('d');
      const text = own === undefined ? null : textOf(own);
      const whole = parseDocument(head, { schema: 'failsafe', logLevel: 'silent', prettyErrors: false });
      if (typeof text !== 'string' || whole.errors.length + whole.warnings.length > 0) continue;
      const said: unknown = whole.get('d');
      if (typeof said !== 'string')
        expect({ head, said, text: text === '' ? null : text }).toMatchObject({ text: null });
      else expect(text, JSON.stringify(head)).toBe(/^\s*(?:~|null)\s*$/i.test(said) ? '' : flat(said));
      both++;
    }
    expect(both).toBeGreaterThan(500);
  });

  it('nothing that is as long as it may be takes long, or breaks anything', () => {
    const long = (unit: string) => unit.repeat(Math.floor((MAX_FRONT_MATTER - 20) / unit.length));
    const bombs = [
      '[',
      '{',
      '- ',
      '? ',
      "'",
      '"',
      '\\',
      ' ',
      '\t',
      '#',
      ' #',
      ',',
      'a: ',
      '\n',
      '\n-',
      '\n  ',
      '"\\',
      "''",
      '(',
      '&a *a ',
    ];
    const before = process.cpuUsage();
    for (const bomb of bombs)
      for (const head of [
        `d: ${long(bomb)}`,
        `d: [${long(bomb)}`,
        `d: "${long(bomb)}`,
        `d: '${long(bomb)}`,
        `d:\n - ${long(bomb)}`,
      ]) {
        const fields = fieldsOf(head);
        if ('problem' in fields) continue;
        for (const each of fields.values()) expect([textOf(each), listOf(each), rawOf(each)]).not.toContain(undefined);
      }
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  });
});
