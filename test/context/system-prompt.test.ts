import { describe, expect, it } from 'vitest';
import { describeEnvironment, readEnvironment, readGitState } from '../../src/context/environment.js';
import { readInstructions } from '../../src/context/instructions.js';
import { parseSlashCommand } from '../../src/context/slash-commands.js';
import { assembleSystemPrompt, fetchSystemPromptParts } from '../../src/context/system-prompt.js';
import { createMemoryHost } from '../../src/host/memory-host.js';

const parts = (
  files: Record<string, string> = {},
  toolNames: string[] = ['Read', 'Edit', 'Bash'],
  isFollowed = false,
) =>
  fetchSystemPromptParts({
    host: createMemoryHost({ files: { '/w/x': '', ...files }, cwd: '/w', now: Date.UTC(2026, 10, 21) }),
    cwd: '/w',
    additionalDirectories: ['/other'],
    toolNames,
    keptFacts: null,
    snapshot: null,
    isFollowed,
    readInstructionFiles: true,
  });

describe('the system prompt', () => {
  it('has the environment, and advice for the tools there are', async () => {
    const text = assembleSystemPrompt(await parts(), {}).join('\n');
    expect(text).toContain('Working directory: /w');
    expect(text).toContain('Also in the workspace: /other');
    expect(text).toContain('Date: 2026-11-21');
    expect(text).toContain('Bash is for builds, tests, git');
    expect(text).not.toContain('TodoWrite');
    expect(assembleSystemPrompt(await parts({}, []), {}).join('\n')).not.toContain('# Tools');
  });

  it.each([
    [-600, '2026-11-20'],
    [0, '2026-11-21'],
    [840, '2026-11-21'],
  ])('tells the date of the people there, %i minutes ahead of UTC', async (minutes, date) => {
    const host = createMemoryHost({ cwd: '/w', now: Date.UTC(2026, 10, 21, 9) });
    const there = { ...host, clock: { ...host.clock, utcOffset: () => minutes } };
    expect(await readEnvironment(there, '/w', [])).toMatchObject({ date });
  });

  it('says which instruction files bind, whose they are, and what is data', async () => {
    const text = assembleSystemPrompt(await parts({ '/w/AGENTS.md': 'Be kind.' }), {}).join('\n');
    const [binding, data] = [
      text.indexOf('<instructions> blocks in this prompt come from the user'),
      text.indexOf('is data: files'),
    ];
    expect(binding).toBeGreaterThan(0);
    expect(data).toBeGreaterThan(binding);
    // Or a skill, and what the user answers, would be no more than data.
    expect(text.indexOf('come as tool results and still speak for the user')).toBeGreaterThan(data);
    expect(text.slice(binding, data)).toMatch(/AGENTS\.md and CLAUDE\.md\. Follow them\..*\n- /);
    expect(text).toContain('<instructions source="AGENTS.md">\nBe kind.');
  });

  it('says whether somebody is there to answer, and how they are reached', async () => {
    const ask = async (tools: string[], isFollowed: boolean) =>
      /# Questions\n(.*)/.exec(assembleSystemPrompt(await parts({}, tools, isFollowed), {}).join('\n'))?.[1];
    expect(await ask(['Bash'], false)).toMatch(/^Nobody can answer while you work/);
    expect(await ask(['Bash'], true)).toMatch(/^The user follows this session and can answer\./);
    for (const isFollowed of [true, false])
      expect(await ask(['Bash', 'AskUserQuestion'], isFollowed)).toMatch(
        /^The user can be asked, with AskUserQuestion/,
      );
  });

  it('says what each denial means, and how to treat a repository', async () => {
    const text = assembleSystemPrompt(await parts(), {}).join('\n');
    for (const by of ['by the user', 'by a rule or a hook', 'because nobody could be asked', 'in plan mode'])
      expect(text).toContain(`- Denied ${by}:`);
    for (const words of [
      'run git status, git diff and git log',
      'Stage your own changes only',
      'no amend, no force, no --no-verify',
    ])
      expect(text).toContain(words);
    expect(text).toContain("Changes that you did not make are the user's");
    const without = assembleSystemPrompt(await parts({}, ['Read']), {}).join('\n');
    expect(without).not.toContain('# Git');
  });

  it('names no tool that is not there', async () => {
    const all = [
      'Agent',
      'AskUserQuestion',
      'Bash',
      'Edit',
      'Glob',
      'Grep',
      'NotebookEdit',
      'Read',
      'TodoWrite',
      'Write',
    ];
    for (const left of all) {
      const text = assembleSystemPrompt(
        await parts(
          {},
          all.filter((name) => name !== left),
        ),
        {},
      ).join('\n');
      expect(text, left).not.toMatch(new RegExp(`(?:[a-z,] |\\()${left}\\b`));
    }
  });

  it('orders: default or custom, memory, instructions, append', async () => {
    const given = await parts({ '/w/AGENTS.md': 'Be kind.' });
    const all = assembleSystemPrompt(given, { memoryPath: '/notes', append: 'LAST' });
    expect(all.map((part) => part.slice(0, 20))).toEqual([
      expect.stringContaining('You are a coding'),
      expect.stringContaining('<environment>'),
      expect.stringContaining('# Memory'),
      expect.stringContaining('<instructions'),
      'LAST',
    ]);
    expect(assembleSystemPrompt(given, { custom: ['Mine.'], append: 'LAST' })[0]).toBe('Mine.');
    expect(assembleSystemPrompt(given, { custom: ['Mine.'] }).join()).not.toContain('coding agent');
  });

  it('reads those of the folders above too, up to the top of the repository, the nearest last', async () => {
    const files = {
      '/CLAUDE.md': 'of nobody',
      '/w/.git/HEAD': 'ref: x',
      '/w/AGENTS.md': 'of the top',
      '/w/CLAUDE.md': 'of the top too',
      '/w/packages/CLAUDE.md': 'between',
      '/w/packages/a/AGENTS.md': 'nearest',
      '/w/packages/a/CLAUDE.md': 'of the top',
    };
    expect(Object.entries(await readInstructions(createMemoryHost({ files }), '/w/packages/a'))).toEqual([
      ['../../CLAUDE.md', 'of the top too'],
      ['../CLAUDE.md', 'between'],
      ['AGENTS.md', 'nearest'],
      ['CLAUDE.md', 'of the top'],
    ]);
    const { '/w/.git/HEAD': _, ...noRepository } = files;
    expect(Object.keys(await readInstructions(createMemoryHost({ files: noRepository }), '/w/packages/a'))).toEqual([
      'AGENTS.md',
      'CLAUDE.md',
    ]);
  });

  it('says what is too much of all together', async () => {
    const folders = ['/w', '/w/1', '/w/1/2', '/w/1/2/3', '/w/1/2/3/4'];
    const files = Object.fromEntries(folders.map((folder, at) => [`${folder}/AGENTS.md`, `${at}`.repeat(60_000)]));
    const found = await readInstructions(createMemoryHost({ files: { ...files, '/w/.git/HEAD': 'x' } }), '/w/1/2/3/4');
    expect(Object.entries(found).map(([source, { length }]) => [source, length > 1_000])).toEqual([
      ['../../../../AGENTS.md', false],
      ['../../../AGENTS.md', true],
      ['../../AGENTS.md', true],
      ['../AGENTS.md', true],
      ['AGENTS.md', true],
    ]);
    expect(Object.values(found)[0]).toContain('was left out');
  });

  it('follows no link out of the repository, but to another instruction file', async () => {
    const host = createMemoryHost({
      files: {
        '/w/.git/HEAD': 'x',
        '/w/notes/rules': 'inside',
        '/home/user/.ssh/key': 'secret',
        '/home/user/AGENTS.md': 'mine',
      },
    });
    await host.fs.symlink('/home/user/.ssh/key', '/w/CLAUDE.md');
    await host.fs.symlink('notes/rules', '/w/AGENTS.md');
    const found = await readInstructions(host, '/w');
    expect(found).toEqual({
      'AGENTS.md': 'inside',
      'CLAUDE.md': expect.stringContaining('leads out of the repository'),
    });
    await host.fs.remove('/w/CLAUDE.md');
    await host.fs.symlink('/home/user/AGENTS.md', '/w/CLAUDE.md');
    expect((await readInstructions(host, '/w'))['CLAUDE.md']).toBe('mine');
  });

  it('reads instruction files once each, and cuts a huge one', async () => {
    const host = createMemoryHost({ files: { '/w/AGENTS.md': 'same', '/w/CLAUDE.md': 'same' } });
    expect(await readInstructions(host, '/w')).toEqual({ 'AGENTS.md': 'same' });
    const big = createMemoryHost({ files: { '/w/CLAUDE.md': 'x'.repeat(200_000) } });
    const text = (await readInstructions(big, '/w'))['CLAUDE.md'] ?? '';
    expect(text.length).toBeLessThan(70_000);
    expect(text).toContain('the rest was left out');
    expect(await readInstructions(host, '/nowhere')).toEqual({});
  });
});

describe('the git state', () => {
  it.each([
    ['a branch', { '/w/.git/HEAD': 'ref: refs/heads/feature/x\n' }, { branch: 'feature/x' }],
    ['a detached head', { '/w/.git/HEAD': '0123abc\n' }, { branch: null }],
    [
      'a worktree',
      { '/w/.git': 'gitdir: /r/.git/worktrees/w\n', '/r/.git/worktrees/w/HEAD': 'ref: refs/heads/w\n' },
      { branch: 'w' },
    ],
    ['no repository', { '/w/x': '' }, null],
    ['a broken link file', { '/w/.git': 'nonsense' }, null],
  ])('of %s', async (_name, files, expected) => {
    expect(await readGitState(createMemoryHost({ files: files as Record<string, string> }), '/w')).toEqual(expected);
  });

  it('is found from a folder below', async () => {
    const host = createMemoryHost({ files: { '/w/.git/HEAD': 'ref: refs/heads/main', '/w/a/b/c': '' } });
    expect(await readGitState(host, '/w/a/b')).toEqual({ branch: 'main' });
    expect(
      describeEnvironment({ cwd: '/w', platform: 'x', date: 'd', git: { branch: null }, additionalDirectories: [] }),
    ).toContain('no branch checked out');
  });
});

describe('slash commands', () => {
  it.each([
    ['/help', { name: 'help', args: '' }],
    ['/plugin:cmd a b', { name: 'plugin:cmd', args: 'a b' }],
    [' /x\ny ', { name: 'x', args: 'y' }],
    ['/etc/passwd', null],
    ['/', null],
    ['text', null],
    ['// comment', null],
  ])('parses %j', (prompt, expected) => expect(parseSlashCommand(prompt)).toEqual(expected));
});
