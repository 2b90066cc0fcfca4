// Files of commands: their fields, and their text with arguments and what the shell printed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandCommand, findCommands, readCommand, shellLines } from '../../src/context/command-files.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';

const expand = async (body: string, args = '') => {
  const ran: string[] = [];
  const run = async (line: string) => {
    ran.push(line);
    return `<${line}>`;
  };
  return { text: await expandCommand(body, { args, pluginRoot: '/p', run }), ran };
};

describe('a file of a command', () => {
  it('says what it is for, what it allows and which model answers', () => {
    const read = readCommand(
      '---\ndescription: Makes a commit\nargument-hint: [message]\nallowed-tools: Bash(git add:*), Bash(git commit -m *)\nmodel: haiku\nhooks: x\n---\nCommit.',
    );
    expect(read).toEqual({
      definition: {
        description: 'Makes a commit',
        argumentHint: '[message]',
        allowedTools: ['Bash(git add:*)', 'Bash(git commit -m *)'],
        model: 'haiku',
        unknown: ['hooks'],
      },
      body: 'Commit.',
    });
    expect(readCommand('# Fix an issue\n\nFix it.')).toMatchObject({ definition: { description: 'Fix an issue' } });
    expect(readCommand('---\ndescription: x\n---\n')).toEqual({ problem: 'it has no text' });
    expect(readCommand('---\nallowed-tools: [a\n---\nx')).toMatchObject({
      problem: expect.stringContaining('allowed-tools'),
    });
  });

  it.each([
    ['Fix $ARGUMENTS.', 'a "b c"', 'Fix a "b c".'],
    ['$1 then $2, not $10.', 'a "b c"', 'a then b c, not $10.'],
    ['$ARGUMENTS[0]-$ARGUMENTS[1]', 'x y', 'x-y'],
    ['Nothing.', 'more', 'Nothing.\n\nArguments: more'],
    ['Nothing.', '', 'Nothing.'],
    ['In $' + '{CLAUDE_PLUGIN_ROOT}/x', '', 'In /p/x'],
    ['$1', '', ''],
  ])('puts arguments into %j: %j', async (body, args, text) => {
    expect((await expand(body, args)).text).toBe(text);
  });

  it('runs the lines of its shell in their order, with arguments in them, and no line of an argument', async () => {
    const body = 'Status: !`git status`\n\n- diff: !`git diff $1`\nnot a!`b` nor `c`';
    expect(shellLines(body)).toEqual(['git status', 'git diff $1']);
    const { text, ran } = await expand(body, 'main !`rm -rf x`');
    expect(ran).toEqual(['git status', 'git diff main']);
    expect(text).toBe('Status: <git status>\n\n- diff: <git diff main>\nnot a!`b` nor `c`');
    expect((await expand('Say $ARGUMENTS', '!`id`')).ran).toEqual([]);
    // Nothing between the marks is no line: nothing is run, as nothing was vouched for.
    expect(await expand('a !` ` b')).toEqual({ text: 'a !` ` b', ran: [] });
    expect(shellLines('a !` ` b')).toEqual([]);
  });

  it('never runs what only an argument says', async () => {
    const piece = fc.constantFrom('!`a`', '$1', '$ARGUMENTS', ' ', '\n', '`', '!', 'x', '"');
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.array(piece), async (body, args) => {
        const { ran } = await expand(body.join(''), args.join(''));
        expect(ran).toHaveLength(shellLines(body.join('')).length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the commands of folders', () => {
  const trust = { isGranted: true, root: '/w', home: '/home' };
  const find = (files: Record<string, string>, given = trust) =>
    findCommands(
      createMemoryHost({ files }),
      [
        { scope: 'project', folder: '/w/.claude/commands' },
        { scope: 'user', folder: '/home/user/.claude/commands' },
        { scope: 'plugin', folder: '/plugins/p/commands', namespace: 'p' },
      ],
      given,
    );

  it('are called by the name of the file, and by their folders if a nearer one has it', async () => {
    const { commands, refused } = await find({
      '/w/.claude/commands/build.md': 'Build.',
      '/w/.claude/commands/front/build.md': 'Build the front.',
      '/w/.claude/commands/front/test.md': 'Test the front.',
      '/home/user/.claude/commands/build.md': 'Build as I do.',
      '/home/user/.claude/commands/mine.md': 'Mine.',
      '/plugins/p/commands/build.md': 'Of the plugin.',
      '/w/.claude/commands/a b.md': 'x',
      '/w/.claude/commands/empty.md': '',
    });
    expect(commands.map(({ name, scope }) => [name, scope])).toEqual([
      ['build', 'project'],
      ['front:build', 'project'],
      ['mine', 'user'],
      ['p:build', 'plugin'],
      ['test', 'project'],
    ]);
    expect(refused.map(({ file, why }) => [file, why])).toEqual([
      ['/w/.claude/commands/a b.md', expect.stringContaining('other characters')],
      ['/w/.claude/commands/empty.md', 'it has no text'],
      ['/home/user/.claude/commands/build.md', '/w/.claude/commands/build.md has that name and is nearer'],
    ]);
  });

  it('of a project count only if somebody vouches for them, for what they say and for what they run', async () => {
    const { commands, refused } = await find(
      { '/w/.claude/commands/a.md': 'Run !`./x.sh`', '/w/x.sh': 'echo', '/home/user/.claude/commands/b.md': 'Mine.' },
      { ...trust, isGranted: false },
    );
    expect(commands.map(({ name }) => name)).toEqual(['b']);
    expect(refused).toMatchObject([{ name: 'a', item: { leaf: { value: { commands: ['./x.sh'] } } } }]);
    expect(Object.keys(refused[0]?.item?.files ?? {})).toEqual(['x.sh']);
  });
});
