import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../src/cli/lines/line-reader.js';
import { createAskQuestion, oneAtATime } from '../../src/cli/questions/ask-person.js';
import type { ElicitationRequest } from '../../src/protocol/permissions.js';

/** A person at a terminal: answers each question with the next line of the script; null ends the input. */
function createPerson(answers: (string | null)[]) {
  const input = new PassThrough();
  const shown: string[] = [];
  const opened: string[] = [];
  const ask = createAskQuestion({
    reader: createLineReader(input),
    inTurn: oneAtATime(),
    openPage: async (url) => (opened.push(url) === 1 ? 'There is no browser.' : null),
    style: { colour: false, columns: 80, verbose: false },
    write: async (text) => {
      shown.push(text);
      const answer = answers.shift();
      if (answer === null) input.end();
      else if (answer !== undefined) input.write(`${answer}\n`);
    },
  });
  const answer = (request: ElicitationRequest, signal = new AbortController().signal) =>
    ask(request, { signal, requestId: '1' });
  return { answer, shown, opened };
}

const form = (properties: Record<string, unknown>): ElicitationRequest => ({
  serverName: 'turnwright',
  message: 'Please say.',
  requestedSchema: { type: 'object', properties },
});

const library = {
  type: 'string',
  description: 'Which library?\ndate-fns: small functions',
  enum: ['date-fns', 'luxon'],
};

describe('a question at the terminal', () => {
  it('shows its choices, and takes a number', async () => {
    const { answer, shown } = createPerson(['2']);
    expect(await answer(form({ Library: library }))).toEqual({ action: 'accept', content: { Library: 'luxon' } });
    expect(shown).toEqual([
      [
        '? Which library?',
        '    1) date-fns  small functions',
        '    2) luxon',
        '  [a number, or your own words; empty: no answer] > ',
      ].join('\n'),
    ]);
  });

  it.each([
    ['none of them', 'none of them'],
    ['7', '7'],
    [' luxon ', 'luxon'],
  ])('takes %j as the words they are', async (typed, value) => {
    expect(await createPerson([typed]).answer(form({ Library: library }))).toMatchObject({
      content: { Library: value },
    });
  });

  it('takes several choices of a list', async () => {
    const list = { type: 'array', description: 'Which?', items: { type: 'string', enum: ['a', 'b', 'c'] } };
    expect(await createPerson(['1, 3, other,']).answer(form({ x: list }))).toMatchObject({
      content: { x: ['a', 'c', 'other'] },
    });
  });

  it('asks one after the other; an empty line leaves one out, or takes what it offers', async () => {
    const { answer } = createPerson(['', '', 'yes', '4']);
    const properties = {
      a: { type: 'string', description: 'A?' },
      b: { type: 'string', description: 'B?', default: 'blue' },
      c: { type: 'boolean', description: 'C?' },
      d: { type: 'integer', description: 'D?' },
    };
    expect(await answer(form(properties))).toEqual({ action: 'accept', content: { b: 'blue', c: true, d: 4 } });
  });

  it('is cancelled if nothing is answered, the input ends, or the prompt is interrupted', async () => {
    for (const typed of ['', null])
      expect(await createPerson([typed]).answer(form({ a: { type: 'string' } }))).toEqual({ action: 'cancel' });
    const stop = new AbortController();
    const asked = createPerson([]).answer(form({ a: { type: 'string' } }), stop.signal);
    stop.abort();
    expect(await asked).toEqual({ action: 'cancel' });
  });

  it('opens a page by an answer alone, with its whole address and its machine shown before', async () => {
    const page: ElicitationRequest = {
      serverName: 'shop',
      mode: 'url',
      url: 'https://good.example@evil.example/x',
      message: 'Sign in\u202e',
    };
    const person = createPerson(['what?', 'o', 'o']);
    expect(await person.answer(page)).toEqual({ action: 'accept' });
    expect(person.opened).toEqual(['https://good.example@evil.example/x', 'https://good.example@evil.example/x']);
    expect(person.shown[0]).toBe(
      [
        '? shop wants to have a page opened',
        '    Sign in\\u202e',
        '    https://good.example@evil.example/x',
        '    of the machine evil.example',
        '  [o: open it; y: you have opened it; n: no; empty: no answer] > ',
      ].join('\n'),
    );
    expect(person.shown[1]).toContain('  Answer with o, y, n or an empty line.\n');
    expect(person.shown[2]).toContain('  There is no browser.\n');
    for (const [line, action] of [
      ['y', 'accept'],
      ['n', 'decline'],
      ['', 'cancel'],
      [null, 'cancel'],
    ] as const)
      expect(await createPerson([line]).answer(page)).toEqual({ action });
    const file = createPerson([]);
    expect(await file.answer({ ...page, url: 'file:///etc/passwd' })).toEqual({ action: 'decline' });
    expect(file.shown.join('')).toContain('It is not an address of the web, so it is not opened.');
  });

  it('hides nothing', async () => {
    const { answer, shown } = createPerson(['1']);
    await answer(form({ a: { type: 'string', description: 'safe\u202e?', enum: ['a\x1b[2J'] } }));
    expect(shown[0]).toContain('\\u202e');
    expect(shown[0]).toContain('\\x1b');
  });
});
