// Whole requests over several turns, with results written by hand: later parts use earlier results, failures stop
// what leans on them, nothing is asked for twice.
import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../../src/protocol/content.js';
import { type Answer, type Call, CWD, drive, newProvider, numbered, requestOf, sample, toolNamed } from './drive.js';

const abs = (path: string): string => `${CWD}/${path}`;

/** Files in memory behind the tools, as the tools answer. */
function disk(files: Record<string, string>): { answer: (call: Call) => Answer; files: Record<string, string> } {
  const answer = ({ name, input }: Call): Answer => {
    const path = String(input['file_path'] ?? '').replace(`${CWD}/`, '');
    switch (name) {
      case 'Read':
        return files[path] === undefined ? { error: `${abs(path)} does not exist.` } : numbered(files[path]);
      case 'Write':
        files[path] = String(input['content']);
        return `Created ${abs(path)}.`;
      case 'Edit': {
        const { old_string, new_string, replace_all } = input as Record<string, string>;
        const before = files[path] ?? '';
        const parts = before.split(old_string ?? '');
        if (parts.length !== 2 && replace_all === undefined) return { error: `${parts.length - 1} matches` };
        files[path] = parts.join(new_string);
        return 'Edited.';
      }
      case 'Glob':
        return Object.keys(files).map(abs).join('\n') || 'No files found.';
      default:
        return { error: `unexpected ${name}` };
    }
  };
  return { answer, files };
}

describe('find, then write', () => {
  it('writes path and line count of the largest TypeScript file', async () => {
    const { calls, answer } = await drive(
      'find the largest TypeScript file under src, then write its path and line count to report.md',
      ({ name }) => (name === 'Grep' ? 'src/a.ts:12\nsrc/deep/b.tsx:340\nsrc/c.ts:7' : 'Created.'),
    );
    expect(calls.map((call) => call.name)).toEqual(['Grep', 'Write']);
    expect(calls[1]?.input).toEqual({
      file_path: abs('report.md'),
      content: '# Largest TypeScript file under src, by line count\n\n- Path: src/deep/b.tsx\n- Lines: 340\n',
    });
    expect(answer).toMatch(/src\/deep\/b\.tsx \(340 lines\)/);
    expect(answer).toMatch(/Wrote report\.md/);
  });

  it('reads a long list of counts page by page', async () => {
    const { calls, answer } = await drive('find the largest file', ({ input }) =>
      input['offset'] === 2
        ? 'c.ts:99'
        : 'a.ts:1\nb.ts:2\n[Truncated: files 1 to 2 of 3 shown; use offset 2 for more, or narrow the search.]',
    );
    expect(calls).toHaveLength(2);
    expect(answer).toMatch(/c\.ts \(99 lines\)/);
    expect(answer).not.toMatch(/Truncated/);
  });

  it('says so where a listing is partial', async () => {
    const { answer } = await drive(
      'find the largest file',
      () => 'a.ts:1\n[Stopped after 5000 ms: the result is partial.]',
    );
    expect(answer).toMatch(/Stopped after 5000 ms/);
  });

  it('completes a listing that Glob cuts', async () => {
    const { calls } = await drive('list the TypeScript files, then write the list to files.txt', ({ name }) => {
      if (name === 'Glob')
        return `${abs('a.ts')}\n[Truncated: 1 of 3 files shown, newest first. Use a narrower pattern or path.]`;
      return name === 'Grep' ? 'a.ts:1\nb.ts:2\nc.ts:3' : 'Created.';
    });
    expect(calls.at(-1)?.input['content']).toBe('a.ts (1 line)\nb.ts (2 lines)\nc.ts (3 lines)\n');
  });

  it('looks up what is not known yet', async () => {
    const { calls } = await drive(
      'find package.json, then write its path, size and line count to info.md',
      ({ name }) => {
        if (name === 'Glob') return abs('package.json');
        if (name === 'Grep') return '86';
        return name === 'Bash' ? `  2048 ${abs('package.json')}` : 'Created.';
      },
    );
    expect(calls.map((call) => call.name)).toEqual(['Glob', 'Grep', 'Bash', 'Write']);
    expect(calls.at(-1)?.input['content']).toBe(
      '# Files named package.json\n\n- Path: package.json\n- Lines: 86\n- Size: 2048 bytes\n',
    );
  });

  it('keeps "it" on what was found, not on what was written', async () => {
    const { calls } = await drive(
      'find the largest file, write its path to a.txt, then write its line count to b.txt',
      ({ name }) => (name === 'Grep' ? 'x.ts:5' : 'Created.'),
    );
    expect(calls.slice(1).map((call) => call.input['content'])).toEqual(['Path: x.ts\n', 'Lines: 5\n']);
  });

  it('writes JSON into .json and the output of a failed command as it is', async () => {
    const json = await drive('which files contain "x"? Write their names to a.json', ({ name }) =>
      name === 'Grep' ? 'b.ts\na.ts' : 'Created.',
    );
    expect(JSON.parse(String(json.calls[1]?.input['content']))).toMatchObject({
      files: [{ path: 'b.ts' }, { path: 'a.ts' }],
      count: 2,
    });
    const output = await drive('run `make` and write the output to out.txt', ({ name }) =>
      name === 'Bash' ? { error: 'oh no\nExit code 2' } : 'Created.',
    );
    expect(output.calls[1]?.input['content']).toBe('oh no\n');
    expect(output.answer).toMatch(/exit code 2/);
  });

  it('reads a file that must be read before it is replaced', async () => {
    let refused = false;
    const { calls, answer } = await drive('write "x" to a.txt', ({ name }) => {
      if (name === 'Read') return numbered('old');
      if (refused) return 'Replaced.';
      refused = true;
      return { error: 'a.txt has changed since you last read it. Read it again.' };
    });
    expect(calls.map((call) => call.name)).toEqual(['Write', 'Read', 'Write']);
    expect(answer).toMatch(/Wrote a\.txt/);
  });
});

describe('changes', () => {
  it('replaces every occurrence after reading, and can show the new text', async () => {
    const { answer, files } = disk({ 'src/a.ts': 'foo = foo\nbar\n' });
    const result = await drive('show src/a.ts, replace "foo" with "baz" in it, then show it', answer);
    expect(files['src/a.ts']).toBe('baz = baz\nbar\n');
    expect(result.calls.map((call) => call.name)).toEqual(['Read', 'Edit', 'Read']);
    expect(result.answer).toMatch(/Replaced 2 occurrences in src\/a\.ts/);
    expect(result.answer.lastIndexOf('baz = baz')).toBeGreaterThan(result.answer.lastIndexOf('foo = foo'));
  });

  it('replaces the first of several by naming its surroundings', async () => {
    const { answer, files } = disk({ 'a.txt': 'one x\ntwo x\nthree x\n' });
    await drive('replace the first "x" with "y" in a.txt', answer);
    expect(files['a.txt']).toBe('one y\ntwo x\nthree x\n');
  });

  it('appends behind the last line, and creates a missing file', async () => {
    const { answer, files } = disk({ 'a.txt': 'same\nsame\n' });
    await drive('append "end" to a.txt, then append "first" to new.txt', answer);
    expect(files).toEqual({ 'a.txt': 'same\nsame\nend\n', 'new.txt': 'first\n' });
  });

  it('edits many files and reports the ones that failed', async () => {
    const { calls, answer } = await drive(
      'replace "foo" with "bar" in all TypeScript files under src',
      ({ name, input }) => {
        if (name === 'Grep') return 'src/a.ts\nsrc/b.ts';
        if (name === 'Read') return numbered('foo');
        return String(input['file_path']).endsWith('b.ts') ? { error: 'Permission denied: allow Edit.' } : 'Edited.';
      },
    );
    expect(calls.map((call) => call.name)).toEqual(['Grep', 'Read', 'Read', 'Edit', 'Edit']);
    expect(answer).toMatch(/Replaced 1 occurrence in src\/a\.ts/);
    expect(answer).toMatch(/Permission denied: allow Edit\./);
    expect(answer).not.toMatch(/occurrence in src\/b\.ts/);
  });

  it('says where the text does not occur', async () => {
    const { answer } = disk({ 'a.txt': 'nothing here' });
    const result = await drive('replace "foo" with "bar" in a.txt', answer);
    expect(result.calls.map((call) => call.name)).toEqual(['Read']);
    expect(result.answer).toMatch(/"foo" does not occur in a\.txt/);
  });
});

describe('failures', () => {
  it('reports a denial in its own words and skips what leans on it, not the rest', async () => {
    const denial = 'Permission denied: Bash needs approval. Use --allowed-tools "Bash(npm test)".';
    const { calls, answer } = await drive(
      'run `npm test`, write the output to out.txt, then show README.md',
      ({ name }) => (name === 'Bash' ? { error: denial } : numbered('# Hi')),
    );
    expect(calls.map((call) => call.name)).toEqual(['Bash', 'Read']);
    expect(answer).toContain(denial);
    expect(answer).toMatch(/not done: "write the output to out\.txt"/);
    expect(answer).toContain('# Hi');
  });

  it('writes nothing where nothing was found', async () => {
    const { calls, answer } = await drive(
      'find the largest Python file, then write its path to p.txt',
      () => 'No matches found',
    );
    expect(calls.map((call) => call.name)).toEqual(['Grep']);
    expect(answer).toMatch(/there is none/);
    expect(answer).toMatch(/nothing was written/);
  });

  it('finds a file by its name, or says which ones it could be', async () => {
    const one = await drive('show util.ts', ({ name, input }) => {
      if (name === 'Glob') return abs('src/util.ts');
      return input['file_path'] === abs('src/util.ts') ? numbered('text of it') : { error: 'util.ts does not exist.' };
    });
    expect(one.answer).toContain('text of it');
    const two = await drive('show util.ts', ({ name }) =>
      name === 'Glob' ? `${abs('a/util.ts')}\n${abs('b/util.ts')}` : { error: 'util.ts does not exist.' },
    );
    expect(two.answer).toMatch(/Several files are called util\.ts: a\/util\.ts, b\/util\.ts/);
  });

  it.each([
    ['list the Python files', ['Read'], 'The tool Glob is not offered'],
    ['show a.txt', ['Glob'], 'The tool Read is not offered'],
    ['replace "a" with "b" in x.txt', ['Read'], 'The tool Edit is not offered'],
    ['create a.txt with "x"', [], 'The tool Write is not offered'],
    ['run `ls`', ['Read'], 'The tool Bash is not offered'],
  ])('%s without the tool', async (prompt, tools, expected) => {
    const { answer } = await drive(prompt, () => numbered('a'), { tools: tools.map((name) => toolNamed(name)) });
    expect(answer).toContain(expected);
  });

  it('uses a shell where nothing else is offered', async () => {
    const answers = new Map([
      ['find the largest Python file', '   3 ./a.py\n  10 ./b c.py\n  13 total'],
      ['list the Python files', './a.py\n./b c.py'],
      ['show a.py', 'one\ntwo'],
      ['search for "x" in src', 'src/a.py:3:x = 1'],
    ]);
    for (const [prompt, output] of answers) {
      const { calls, answer } = await drive(prompt, () => output, { tools: [toolNamed('Bash')] });
      expect(calls.map((call) => call.name)).toEqual(['Bash']);
      expect(answer).toMatch(/b c\.py|two|src\/a\.py:3/);
    }
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
    const expected = { name: 'Read', input: { file_path: '/w/a.txt' } };
    const first = said('show a.txt', '<environment>\nWorking directory: /w/\n</environment>');
    expect(await call([first])).toMatchObject(expected);
    expect(
      await call([
        {
          role: 'user',
          content: '<system-reminder>list the files</system-reminder>\n<environment>\ncwd: /w\n</environment>',
        },
        { role: 'assistant', content: [] },
        said('show /w/a.txt'),
      ]),
    ).toMatchObject(expected);
    expect(
      await call([first, { role: 'assistant', content: [{ type: 'text', text: 'Reading.' }] }, said('continue')]),
    ).toMatchObject(expected);
  });

  it('knows in the next prompt what "it" was', async () => {
    const first = await drive('find the largest file', () => 'src/a.ts:9');
    const second = await drive('show it', () => numbered('the text'), { history: first.messages });
    expect(second.calls).toEqual([{ name: 'Read', input: { file_path: abs('src/a.ts') } }]);
  });

  it('takes the text seen before where Read says that nothing changed', async () => {
    const first = await drive('show a.txt', () => numbered('seen before'));
    const second = await drive('show a.txt', () => `${abs('a.txt')} is unchanged since you last read or wrote it.`, {
      history: first.messages,
    });
    expect(second.answer).toContain('seen before');
    expect(second.calls).toHaveLength(1);
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
    expect(JSON.stringify(blocks)).toContain('a.txt (1 line)');
    const steered: MessageParam = { role: 'user', content: [...result.content, { type: 'text', text: 'show b.txt' }] };
    const next = await sample(newProvider(), requestOf([prompt, call, steered]));
    expect(JSON.stringify(next.blocks)).toContain('b.txt');
  });

  it('does not repeat a call without changes between', async () => {
    const { calls } = await drive('show a.txt, show a.txt, show a.txt', () => numbered('x'));
    expect(calls).toHaveLength(1);
    const again = await drive('run `date`, then run `date`', () => 'now');
    expect(again.calls).toHaveLength(2);
  });

  it('ends where a call never gets its result', async () => {
    const { messages } = await drive('show a.txt', () => numbered('x'));
    const open = messages.slice(0, 2);
    const { blocks, stopReason } = await sample(
      newProvider(),
      requestOf([...open, { role: 'user', content: '<system-reminder>hm</system-reminder>' }]),
    );
    expect(stopReason).toBe('end_turn');
    expect(JSON.stringify(blocks)).toMatch(/No result was recorded/);
  });

  it('sums up the conversation', async () => {
    const first = await drive('show a.txt', () => numbered('x'));
    const { answer } = await drive('Please summarise our conversation so far', () => 'unused', {
      history: first.messages,
    });
    expect(answer).toMatch(/extractive/);
    expect(answer).toMatch(/Asked: show a\.txt\n {2}Calls: Read/);
  });
});
