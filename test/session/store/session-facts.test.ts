import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionSummaryEntry } from '../../../src/protocol/session-store.js';
import { END_BYTES, factsOfEnds, lastPromptAt } from '../../../src/session/store/read-ends.js';
import {
  foldEntry,
  foldSessionSummary,
  type SessionFacts,
  toSessionInfo,
} from '../../../src/session/store/session-facts.js';
import { answer, type Line, prompt, toText, transcriptLines } from '../../support/transcripts.js';

const ID = '22222222-2222-4222-8222-222222222222';
const KEY = { projectKey: '-work', sessionId: ID };
const bytes = (text: string) => new TextEncoder().encode(text);

/** As the host gives it. */
function endsOf(text: string, length = END_BYTES) {
  const whole = bytes(text);
  return { head: whole.slice(0, length), tail: whole.slice(Math.max(length, whole.length - length)) };
}

function factsOf(lines: readonly Line[]): SessionFacts {
  return factsOfEnds(endsOf(toText(transcriptLines(lines, { sessionId: ID }))));
}

function infoOf(lines: readonly Line[]) {
  return toSessionInfo(factsOf(lines), { sessionId: ID, lastModified: 5.7, fileSize: 9 });
}

const titled = (customTitle: string) => ({ type: 'custom-title', customTitle });
const aiTitled = (aiTitle: string) => ({ type: 'ai-title', aiTitle });
const lastPrompt = (text: string) => ({ type: 'last-prompt', lastPrompt: text });
const tagged = (tag: string) => ({ type: 'tag', tag });
const result = prompt([{ type: 'tool_result', tool_use_id: 't', content: 'x' }]);

describe('the title of a session', () => {
  it.each<[string, string | undefined, Line[]]>([
    ['the first prompt', 'hello', [prompt('hello'), answer('hi'), prompt('more')]],
    ['the last prompt before the first', 'more', [prompt('hello'), lastPrompt('more')]],
    ['a summary of other writers', 'sum', [prompt('hello'), { type: 'summary', summary: 'sum', leafUuid: 'x' }]],
    ['the model’s title before prompts', 'AI', [prompt('hello'), aiTitled('AI'), lastPrompt('more')]],
    ['the user’s title before the model’s', 'mine', [prompt('hello'), titled('mine'), aiTitled('AI')]],
    ['the last title of the user', 'new', [prompt('hello'), titled('old'), titled('new')]],
    ['none after an empty title', 'hello', [prompt('hello'), titled('old'), titled('')]],
    ['text behind an image', 'look', [prompt([{ type: 'image' }, { type: 'text', text: 'look' }])]],
    [
      'text behind what an editor put in',
      'two',
      [
        prompt([
          { type: 'text', text: '<ide_file>x</ide_file>' },
          { type: 'text', text: 'two' },
        ]),
      ],
    ],
    ['a prompt on one line', 'a b c', [prompt(' a b\r\nc\n')]],
    ['a command only where there is no prompt', '/clear', [prompt('<command-name>/clear</command-name>')]],
    ['no command where there is one', 'then', [prompt('<command-name>/clear</command-name>'), prompt('then')]],
    ['no output of a command', 'then', [prompt('<local-command-stdout>x</local-command-stdout>'), prompt('then')]],
    ['what was typed for the shell', '! ls', [prompt('<bash-input>ls</bash-input>')]],
    [
      'nothing the engine wrote',
      'then',
      [prompt('note', { isMeta: true }), prompt('sum', { isCompactSummary: true }), prompt('then')],
    ],
    ['no result of a tool', undefined, [result]],
    ['no interruption', 'then', [prompt('[Request interrupted by user]'), prompt('then')]],
    ['nothing of a subagent', undefined, [prompt('task', { isSidechain: true })]],
    ['nothing', undefined, [answer('hi')]],
  ])('is %s', (_name, expected, lines) => {
    expect(infoOf(lines)?.summary).toBe(expected);
  });

  it('is cut at 200 characters', () => {
    expect(infoOf([prompt('x'.repeat(300))])?.summary).toBe(`${'x'.repeat(200)}…`);
    expect(infoOf([prompt('x'), lastPrompt('y'.repeat(300))])?.summary).toBe(`${'y'.repeat(200)}…`);
  });
});

describe('the facts of a session', () => {
  it('are all there', () => {
    const lines = [prompt('hello'), answer('hi', { gitBranch: 'topic' }), tagged('a'), tagged('b'), titled('mine')];
    expect(infoOf(lines)).toEqual({
      sessionId: ID,
      summary: 'mine',
      lastModified: 6,
      fileSize: 9,
      customTitle: 'mine',
      firstPrompt: 'hello',
      gitBranch: 'topic',
      cwd: '/work',
      tag: 'b',
      createdAt: 1_700_000_000_000,
    });
    expect(infoOf([...lines, tagged('')])).not.toHaveProperty('tag');
  });

  it('come from the first and last 64 KiB of a long file', () => {
    const filler = Array.from({ length: 200 }, (_, index) => answer(`${index} ${'z'.repeat(1_000)}`));
    const lines = [prompt('hello'), tagged('early'), ...filler, titled('late'), answer('end', { gitBranch: 'other' })];
    expect(factsOf(lines)).toMatchObject({
      firstPrompt: 'hello',
      tag: 'early',
      customTitle: 'late',
      gitBranch: 'other',
      cwd: '/work',
    });
    // Neither end has it.
    expect(factsOf([prompt('hello'), ...filler, titled('middle'), ...filler])).not.toHaveProperty('customTitle');
  });

  it.each(['main', 'feature/a-1', 'über', 'a "b"', 'x'.repeat(150), ''])('have the newest branch, as %j', (branch) => {
    const lines = [prompt('hello', { gitBranch: 'old' }), answer('"gitBranch":"quoted"', { gitBranch: branch })];
    expect(factsOf(lines).gitBranch).toBe(branch === '' ? 'old' : branch);
    // Behind it stand a line that was cut off, and one that says nothing of it.
    expect(factsOf([...lines, titled('t')]).gitBranch).toBe(branch === '' ? 'old' : branch);
    const cut = new TextEncoder().encode(`${toText(transcriptLines(lines))}{"gitBranch":"ma`);
    expect(factsOfEnds({ head: cut, tail: new Uint8Array(0) }).gitBranch).toBe(branch === '' ? 'old' : branch);
  });

  it('are found in a first line that is longer than what is read', () => {
    const long = `para "one"\nüber ${'p'.repeat(200_000)}`;
    for (const content of [long, [{ type: 'text', text: long }]]) {
      const facts = factsOf([prompt(content), answer('hi')]);
      expect(facts.firstPrompt).toMatch(/^para "one" über p+…$/);
      expect(facts).toMatchObject({ cwd: '/work', createdAt: 1_700_000_000_000, gitBranch: 'main' });
    }
    expect(factsOf([result, prompt('x')])).toHaveProperty('firstPrompt', 'x');
    const bigResult = prompt([{ type: 'tool_result', tool_use_id: 't', content: long }]);
    expect(factsOf([bigResult, answer('hi')])).not.toHaveProperty('firstPrompt');
  });

  it('are not taken from what a prompt or a reply quotes', () => {
    const quoted = toText([titled('stolen'), tagged('stolen'), { gitBranch: 'stolen' }]);
    const facts = factsOf([prompt('hello'), prompt(quoted), answer(quoted)]);
    expect(facts).toMatchObject({ firstPrompt: 'hello', gitBranch: 'main' });
    expect(facts).not.toHaveProperty('customTitle');
    expect(facts).not.toHaveProperty('tag');
  });

  it('tell when a person last typed something', () => {
    const ends = (lines: Line[]) => endsOf(toText(transcriptLines(lines, { startedAt: 0 })));
    expect(lastPromptAt(ends([prompt('a'), answer('b'), prompt('c'), answer('d'), result]))).toBe(2_000);
    expect(lastPromptAt(ends([answer('b')]))).toBeNull();
    expect(lastPromptAt(ends([prompt('a'), ...Array.from({ length: 200 }, () => answer('z'.repeat(1_000)))]))).toBe(0);
  });

  it('never fail, whatever the file holds', () => {
    const text = toText(transcriptLines([prompt('hello'), answer('hi'), titled('mine'), tagged('t')]));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(text.length), fc.nat(40), fc.uint8Array({ maxLength: 20 })), { maxLength: 6 }),
        fc.integer({ min: 1, max: 600 }),
        (edits, length) => {
          let mutated = bytes(text);
          for (const [at, removed, added] of edits) {
            mutated = Uint8Array.from([...mutated.slice(0, at), ...added, ...mutated.slice(at + removed)]);
          }
          const ends = {
            head: mutated.slice(0, length),
            tail: mutated.slice(Math.max(length, mutated.length - length)),
          };
          toSessionInfo(factsOfEnds(ends), { sessionId: ID, lastModified: 0 });
          lastPromptAt(ends);
        },
      ),
      { numRuns: 300 },
    );
    for (const value of [null, 1, [], {}, { type: 'user' }, { type: 'user', message: 1 }, { type: 7 }]) {
      expect(factsOfEnds(endsOf(`${JSON.stringify(value)}\n`))).toEqual({});
    }
  });
});

describe('foldSessionSummary', () => {
  const lines = transcriptLines(
    [prompt('hello'), answer('hi'), tagged('a'), titled('mine'), prompt('more'), tagged('b')],
    {
      sessionId: ID,
    },
  ) as { type: string }[];

  it('says the same as the file, however the entries came', () => {
    const expected = factsOfEnds(endsOf(toText(lines)));
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: lines.length, maxLength: lines.length }), (cuts) => {
        let summary: SessionSummaryEntry | undefined;
        let batch: typeof lines = [];
        for (const [index, line] of lines.entries()) {
          batch.push(line);
          if (!cuts[index]) continue;
          summary = foldSessionSummary(summary, KEY, batch, { mtime: index });
          batch = [];
        }
        // What a store keeps is JSON.
        const kept = summary === undefined ? undefined : (JSON.parse(JSON.stringify(summary)) as SessionSummaryEntry);
        expect(foldSessionSummary(kept, KEY, batch, { mtime: 99 })).toEqual({
          sessionId: ID,
          mtime: 99,
          data: { ...expected },
        });
      }),
    );
  });

  it('changes nothing it was given, keeps the time, and passes over transcripts beside the main one', () => {
    const before = foldSessionSummary(undefined, KEY, lines, { mtime: 7 });
    const copy = structuredClone(before);
    const beside = foldSessionSummary(before, { ...KEY, subpath: 'subagents/agent-1' }, [
      { type: 'custom-title', customTitle: 'other' },
    ]);
    expect(beside).toEqual(copy);
    expect(before).toEqual(copy);
    expect(foldEntry({}, { type: 'unknown' })).toEqual({});
  });

  it('takes a damaged summary for none', () => {
    const damaged = { sessionId: ID, mtime: 1, data: { firstPrompt: 7, createdAt: 'x', isSidechain: 1, tag: 'kept' } };
    expect(foldSessionSummary(damaged, KEY, []).data).toEqual({ tag: 'kept' });
  });
});
