// Whole requests over several turns, with results written by hand: later parts use earlier results, failures stop
// what leans on them, nothing is asked for twice.
import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../../src/protocol/content.js';
import { CWD, drive, newProvider, numbered, requestOf, sample, toolNamed } from './drive.js';

const abs = (path: string): string => `${CWD}/${path}`;

describe('find, then write', () => {
  it('reads a list of line counts page by page, and breaks ties by path', async () => {
    const { calls, answer } = await drive('find the 2 largest files', ({ input }) =>
      input['offset'] === 2
        ? 'c.ts:99\nb.ts:99'
        : 'a.ts:1\nd.ts:2\n[Truncated: files 1 to 2 of 4 shown; use offset 2 for more, or narrow the search.]',
    );
    expect(calls).toHaveLength(2);
    expect(answer).toBe('Largest files, by line count: 2.\n- b.ts (99 lines)\n- c.ts (99 lines)');
  });

  it('says so if a listing is partial', async () => {
    const partial = 'a.ts:1\n[Stopped after 5000 ms: the result is partial.]';
    const { answer, calls } = await drive('find the largest file, then write it to a.md', ({ name }) =>
      name === 'Grep' ? partial : 'Created.',
    );
    expect(answer).toMatch(/Stopped after 5000 ms/);
    expect(calls[1]?.input['content']).toMatch(/- Note: Stopped after 5000 ms/);
  });

  it('keeps to what was found, not to what was written', async () => {
    const { calls } = await drive(
      'find the largest file, write its path to a.txt, then write its line count to b.txt',
      ({ name }) => (name === 'Grep' ? 'x.ts:5' : 'Created.'),
    );
    expect(calls.slice(1).map((call) => call.input['content'])).toEqual(['x.ts\n', '5 lines\n']);
  });

  it('writes JSON into .json, Markdown into .md, and output as it is', async () => {
    const list = ({ name }: { name: string }) => (name === 'Glob' ? `${abs('b.ts')}\n${abs('a.ts')}` : 'Created.');
    const contentOf = async (prompt: string, answer: Parameters<typeof drive>[1]): Promise<string> =>
      String((await drive(prompt, answer)).calls[1]?.input['content']);
    expect(JSON.parse(await contentOf('list the files, then write them to a.json', list))).toMatchObject({
      files: [{ path: 'a.ts' }, { path: 'b.ts' }],
      count: 2,
    });
    expect(await contentOf('list the files, then write the list to a.md', list)).toBe('# files\n\n- a.ts\n- b.ts\n');
    expect(await contentOf('count the files, then write the number to a.md', list)).toBe(
      '# Number of files\n\n- Count: 2\n',
    );
    const fails = ({ name }: { name: string }) => (name === 'Bash' ? { error: '[x] oh no\nExit code 2' } : 'Created.');
    expect(await contentOf('run `make` and write the output to out.md', fails)).toBe('[x] oh no\n');
  });

  it('writes nothing if nothing was found, or not what is asked for', async () => {
    const none = await drive('find the largest Python file, then write its path to p.txt', () => 'No matches found');
    expect(none.calls.map((call) => call.name)).toEqual(['Grep']);
    expect(none.answer).toMatch(/none found[\s\S]*nothing was written/);
    const other = await drive('list the files, then write their line counts to l.txt', () => abs('a.ts'));
    expect(other.calls.map((call) => call.name)).toEqual(['Glob']);
    expect(other.answer).toMatch(/nothing was written/);
  });
});

describe('failures', () => {
  it('are told in the words of the tool; what needs them is not done, the rest is', async () => {
    const denial = 'Permission denied: Bash needs approval. Use --allowed-tools "Bash(npm test)".';
    const { calls, answer } = await drive(
      'run `npm test`, write the output to out.txt, then show README.md',
      ({ name }) => (name === 'Bash' ? { error: denial } : numbered('# Hi')),
    );
    expect(calls.map((call) => call.name)).toEqual(['Bash', 'Read']);
    expect(answer).toContain(denial);
    expect(answer).toContain('"write the output to out.txt" was not done, because it needs what "run `npm test`"');
    expect(answer).toContain('# Hi');
  });

  it('of some of many changes are told, and the others are not', async () => {
    const { calls, answer } = await drive('replace "foo" with "bar" in *.ts', ({ name, input }) => {
      if (name === 'Grep') return 'src/a.ts\nsrc/b.ts';
      if (name === 'Read') return numbered('foo');
      return String(input['file_path']).endsWith('b.ts') ? { error: 'Permission denied: allow Edit.' } : 'Edited.';
    });
    expect(calls.map((call) => call.name)).toEqual(['Grep', 'Read', 'Read', 'Edit', 'Edit']);
    expect(answer).toBe('Replaced "foo" with "bar" in src/a.ts.\n(Not changed: Edit: Permission denied: allow Edit.)');
  });

  it('too many files are not changed at once', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `f${index}.ts`).join('\n');
    const { calls, answer } = await drive('replace "foo" with "bar" in *.ts', () => many);
    expect(calls).toHaveLength(1);
    expect(answer).toMatch(/These are 30 files, too many at once/);
  });

  it.each([
    ['list the Python files', ['Read'], 'The tool Glob is not offered'],
    ['show a.txt', ['Glob'], 'The tool Read is not offered'],
    ['create a.txt with "x"', [], 'The tool Write is not offered'],
    ['run `ls`', ['Read'], 'The tool Bash is not offered'],
  ])('%s without the tool', async (prompt, tools, expected) => {
    const { answer, calls } = await drive(prompt, () => numbered('a'), { tools: tools.map((name) => toolNamed(name)) });
    expect(answer).toContain(expected);
    expect(calls).toEqual([]);
  });
});

describe('the conversation', () => {
  const said = (prompt: string, ...rest: string[]): MessageParam => ({
    role: 'user',
    content: [...rest.map((text) => ({ type: 'text' as const, text })), { type: 'text', text: prompt }],
  });

  it('passes over context blocks, reminders and "continue"', async () => {
    const call = async (messages: MessageParam[]): Promise<unknown> => {
      const { blocks } = await sample(newProvider(), requestOf(messages, { system: [] }));
      return blocks.find((block) => block.type === 'tool_use');
    };
    const expected = { name: 'Read', input: { file_path: 'a.txt' } };
    const first = said('show a.txt', '<environment>\nWorking directory: /w/\n</environment>');
    expect(await call([first])).toMatchObject(expected);
    expect(
      await call([
        {
          role: 'user',
          content: '<system-reminder>list the files</system-reminder>\n<environment>\ncwd: /w\n</environment>',
        },
        { role: 'assistant', content: [] },
        said('show a.txt'),
      ]),
    ).toMatchObject(expected);
    expect(
      await call([first, { role: 'assistant', content: [{ type: 'text', text: 'Reading.' }] }, said('continue')]),
    ).toMatchObject(expected);
  });

  it('knows in the next prompt what "it" was', async () => {
    const first = await drive('find the largest file', () => 'src/a.ts:9');
    const second = await drive('show it', () => numbered('the text'), { history: first.messages });
    expect(second.calls).toEqual([{ name: 'Read', input: { file_path: 'src/a.ts' } }]);
  });

  it('goes back over several prompts for "it", and past what it did not understand', async () => {
    const first = await drive('find the largest file', () => 'src/a.ts:9');
    const lost = await drive('hello', () => 'unused', { history: first.messages });
    const second = await drive('show it', () => numbered('the text'), { history: lost.messages });
    const third = await drive('count its lines', () => 'src/a.ts:9', { history: second.messages });
    expect(third.answer).toBe('Lines of src/a.ts: 9.');
  });

  it('stops after very many calls, and says so', async () => {
    const messages: MessageParam[] = [said('show a.txt')];
    for (let index = 0; index < 400; index++) {
      const id = `toolu_${index}`;
      messages.push({
        role: 'assistant',
        content: [{ type: 'tool_use', id, name: 'Read', input: { changed: index } }],
      });
      messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] });
    }
    const { blocks, stopReason } = await sample(newProvider(), requestOf(messages));
    expect(stopReason).toBe('end_turn');
    expect(JSON.stringify(blocks)).toContain('Stopped after 400 calls');
  });

  it('takes "it" for nothing if nothing was found before', async () => {
    const { answer, calls } = await drive('show it', () => 'unused');
    expect(calls).toEqual([]);
    expect(answer).toContain('It is not clear which file is meant.');
  });

  it('keeps text beside tool results apart from the request', async () => {
    const { messages } = await drive('show a.txt', () => numbered('x'));
    const [prompt, call, result] = messages;
    if (prompt === undefined || call === undefined || result?.role !== 'user' || typeof result.content === 'string')
      throw new Error('unexpected');
    const noted: MessageParam = {
      role: 'user',
      content: [...result.content, { type: 'text', text: 'A hook says hello.' }],
    };
    const { blocks } = await sample(newProvider(), requestOf([prompt, call, noted]));
    expect(JSON.stringify(blocks)).toContain('a.txt:\\n```\\nx');
    const steered: MessageParam = { role: 'user', content: [...result.content, { type: 'text', text: 'show b.txt' }] };
    const next = await sample(newProvider(), requestOf([prompt, call, steered]));
    expect(JSON.stringify(next.blocks)).toContain('b.txt');
  });

  it('makes a call that is asked for twice twice', async () => {
    const { calls } = await drive('run `date`, then run `date`', () => 'now');
    expect(calls).toHaveLength(2);
  });

  it('ends if a call never gets its result', async () => {
    const { messages } = await drive('show a.txt', () => numbered('x'));
    const open = messages.slice(0, 2);
    const { blocks, stopReason } = await sample(
      newProvider(),
      requestOf([...open, { role: 'user', content: '<system-reminder>hm</system-reminder>' }]),
    );
    expect(stopReason).toBe('end_turn');
    expect(JSON.stringify(blocks)).toMatch(/No result was recorded/);
  });
});
