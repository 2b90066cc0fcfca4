// Which instruction files a session starts with, in which order, and what is left out and why.
import { describe, expect, it } from 'vitest';
import {
  findInstructionPlaces,
  type InstructionSources,
  type Instructions,
} from '../../../src/context/instructions/instruction-places.js';
import { readInstructions } from '../../../src/context/instructions/read-instructions.js';
import { lookUpwards } from '../../../src/context/look.js';
import type { Host } from '../../../src/host/host.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';

type Files = Readonly<Record<string, string>>;

async function readOn(host: Host, cwd: string, sources: InstructionSources = {}, isHidden?: (file: string) => boolean) {
  const { places, folders } = await findInstructionPlaces(host, cwd, await lookUpwards(host, cwd), sources);
  return readInstructions(places, { host, cwd, folders, sources, isHidden });
}

const hostWith = (files: Files) => createMemoryHost({ files: { '/home/user/x': '', ...files } });
const read = (files: Files, cwd = '/w', sources: InstructionSources = {}, isHidden?: (file: string) => boolean) =>
  readOn(hostWith(files), cwd, sources, isHidden);
const texts = ({ files }: Instructions) => files.map(({ source, text }) => [source, text]);
const whys = ({ leftOut }: Instructions) => Object.fromEntries(leftOut.map(({ source, why }) => [source, why]));

describe('files of the project', () => {
  it('are those of the folders above too, up to the top of the repository, the nearest last', async () => {
    const files = {
      '/CLAUDE.md': 'of nobody',
      '/w/.git/HEAD': 'ref: x',
      '/w/AGENTS.md': 'of the top',
      '/w/CLAUDE.md': 'of the top too',
      '/w/packages/CLAUDE.md': 'between',
      '/w/packages/a/AGENTS.md': 'nearest',
      '/w/packages/a/CLAUDE.md': 'of the top',
    };
    expect(texts(await read(files, '/w/packages/a'))).toEqual([
      ['../../CLAUDE.md', 'of the top too'],
      ['../CLAUDE.md', 'between'],
      ['AGENTS.md', 'nearest'],
      ['CLAUDE.md', 'of the top'],
    ]);
    const { '/w/.git/HEAD': _, ...noRepository } = files;
    expect(texts(await read(noRepository, '/w/packages/a')).map(([source]) => source)).toEqual([
      'AGENTS.md',
      'CLAUDE.md',
    ]);
  });

  it('stand between those of the user and those of the administrator, who has the last word', async () => {
    const found = await read(
      {
        '/etc/turnwright/AGENTS.md': 'managed',
        '/home/user/.claude/CLAUDE.md': 'user',
        '/w/CLAUDE.md': 'project',
        '/w/.claude/CLAUDE.md': 'in its folder',
        '/w/CLAUDE.local.md': 'local',
      },
      '/w',
      { managed: ['/etc/turnwright/AGENTS.md'], user: ['/home/user/.claude'] },
    );
    expect(found.files.map(({ source, type, text }) => [source, type, text])).toEqual([
      ['~/.claude/CLAUDE.md', 'User', 'user'],
      ['CLAUDE.md', 'Project', 'project'],
      ['.claude/CLAUDE.md', 'Project', 'in its folder'],
      ['CLAUDE.local.md', 'Local', 'local'],
      ['/etc/turnwright/AGENTS.md', 'Managed', 'managed'],
    ]);
    const own = await read({ '/w/CLAUDE.md': 'project', '/w/CLAUDE.local.md': 'local' }, '/w', { project: false });
    expect(texts(own)).toEqual([['CLAUDE.local.md', 'local']]);
  });

  it('are cut if they are too much, the farthest first', async () => {
    const folders = ['/w', '/w/1', '/w/1/2', '/w/1/2/3', '/w/1/2/3/4'];
    const files = Object.fromEntries(folders.map((folder, at) => [`${folder}/AGENTS.md`, `${at}`.repeat(60_000)]));
    const found = await read({ ...files, '/w/.git/HEAD': 'x' }, '/w/1/2/3/4');
    expect(found.files.map(({ source, text }) => [source, text.length > 1_000])).toEqual([
      ['../../../../AGENTS.md', false],
      ['../../../AGENTS.md', true],
      ['../../AGENTS.md', true],
      ['../AGENTS.md', true],
      ['AGENTS.md', true],
    ]);
    expect(found.files[0]?.text).toContain('was left out');
    const [big] = (await read({ '/w/CLAUDE.md': 'x'.repeat(200_000) })).files;
    expect(big?.text.length).toBeLessThan(70_000);
    expect(big?.text).toContain('the rest was left out');
  });

  it('lead by no link out of the repository, but to another instruction file', async () => {
    const host = hostWith({
      '/w/.git/HEAD': 'x',
      '/w/notes/rules': 'inside',
      '/home/user/.ssh/key': 'secret',
      '/home/user/AGENTS.md': 'mine',
    });
    await host.fs.symlink('/home/user/.ssh/key', '/w/CLAUDE.md');
    await host.fs.symlink('notes/rules', '/w/AGENTS.md');
    expect(texts(await readOn(host, '/w'))).toEqual([
      ['AGENTS.md', 'inside'],
      ['CLAUDE.md', expect.stringContaining('leads out of the repository')],
    ]);
    await host.fs.remove('/w/CLAUDE.md');
    await host.fs.symlink('/home/user/AGENTS.md', '/w/CLAUDE.md');
    expect(texts(await readOn(host, '/w'))).toContainEqual(['CLAUDE.md', 'mine']);
  });

  it('count once each, also if two say the same', async () => {
    expect(texts(await read({ '/w/AGENTS.md': 'same', '/w/CLAUDE.md': 'same' }))).toEqual([['AGENTS.md', 'same']]);
    expect(texts(await read({}, '/nowhere'))).toEqual([]);
  });

  it('are not read if a rule keeps them', async () => {
    const found = await read({ '/w/CLAUDE.md': '@kept.md\nand so on', '/w/kept.md': 'secret' }, '/w', {}, (file) =>
      file.endsWith('kept.md'),
    );
    expect(JSON.stringify(found.files)).not.toContain('secret');
    expect(whys(found)).toEqual({ 'kept.md': 'a permission rule keeps it from being read' });
  });
});

describe('imports', () => {
  it('stand before the file that names them, and are not looked for in code', async () => {
    const found = await read(
      {
        '/w/CLAUDE.md': [
          'See @docs/style.md, and @AGENTS.md.',
          'Not `@docs/code.md`, nor @alice, nor @types/node.',
          '```',
          '@docs/code.md',
          '```',
          '@~/notes.md',
        ].join('\n'),
        '/w/AGENTS.md': 'agents',
        '/w/docs/style.md': 'style, with @more.md',
        '/w/docs/more.md': 'more',
        '/w/docs/code.md': 'code',
        '/home/user/notes.md': 'notes',
      },
      '/w',
      { isGranted: true },
    );
    expect(texts(found).map(([, text]) => text?.split('\n')[0])).toEqual([
      'agents',
      'more',
      'style, with @more.md',
      'notes',
      'See @docs/style.md, and @AGENTS.md.',
    ]);
    expect(found.files.find(({ text }) => text === 'more')).toMatchObject({
      type: 'Project',
      reason: 'include',
      parent: '/w/docs/style.md',
    });
    expect(whys(found)).toEqual({});
  });

  it('of the project stay in the repository unless somebody vouches for it; the user may import what they like', async () => {
    const files = {
      '/w/CLAUDE.md': '@~/key.txt',
      '/home/user/key.txt': 'secret',
      '/home/user/.claude/CLAUDE.md': '@../key.txt',
    };
    const untrusted = await read(files);
    expect(JSON.stringify(untrusted.files)).not.toContain('secret');
    expect(untrusted.leftOut).toMatchObject([{ isProblem: true, why: expect.stringContaining('nobody vouches') }]);
    expect(JSON.stringify((await read(files, '/w', { isGranted: true })).files)).toContain('secret');
    const own = await read(files, '/w', { project: false, local: false, user: ['/home/user/.claude'] });
    expect(own.files.map(({ text }) => text)).toEqual(['secret', '@../key.txt']);
    const host = hostWith({ '/w/CLAUDE.md': '@inside.md', '/home/user/key.txt': 'secret' });
    await host.fs.symlink('/home/user/key.txt', '/w/inside.md');
    expect(JSON.stringify((await readOn(host, '/w')).files)).not.toContain('secret');
  });

  it('go five files deep, in no circle, and what is missing is told', async () => {
    const chain = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`/w/${at}.md`, `file ${at} @${at + 1}.md`]));
    const deep = await read({ ...chain, '/w/CLAUDE.md': '@0.md' });
    expect(deep.files.map(({ source }) => source)).toEqual(['4.md', '3.md', '2.md', '1.md', '0.md', 'CLAUDE.md']);
    expect(whys(deep)).toEqual({ '5.md (imported by 4.md)': 'imports go at most 5 files deep' });
    const circle = await read({ '/w/CLAUDE.md': '@a.md', '/w/a.md': '@CLAUDE.md @gone.md' });
    expect(whys(circle)).toEqual({
      'CLAUDE.md (imported by a.md)': 'it is imported in a circle',
      'gone.md (imported by a.md)': 'there is no such file',
    });
  });

  it('are at most a hundred, and none makes the reader slow', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`/w/i/${at}.md`, `file ${at}`]));
    const names = Object.keys(many).map((file) => `@${file.slice(3)}`);
    const found = await read({ ...many, '/w/CLAUDE.md': names.join(' ') });
    expect(found.files).toHaveLength(101);
    expect(found.leftOut).toHaveLength(50);
    const odd = `${'`'.repeat(30_000)}@a.md${'``@'.repeat(9_000)}`;
    expect((await read({ '/w/CLAUDE.md': odd, '/w/a.md': 'a' })).files).not.toHaveLength(0);
  });
});

describe('rules', () => {
  const rules = [{ scope: 'project', folder: '/w/.claude/rules' }] as const;

  it('hold always, or wait for files that match', async () => {
    const found = await read(
      {
        '/w/CLAUDE.md': 'project',
        '/w/.claude/rules/always.md': 'Always.',
        '/w/.claude/rules/ts/types.md': '---\npaths: src/**/*.ts, "test/**/*.{ts,tsx}"\n---\nUse types.',
        '/w/.claude/rules/list.md': '---\npaths:\n  - **/*.py\n  - "*.toml"\n---\nUse Python 3.',
        '/w/.claude/rules/other.txt': 'no rule',
        '/w/.claude/rules/broken.md': '---\npaths: a\n',
      },
      '/w',
      { rules },
    );
    expect(texts(found)).toEqual([
      ['CLAUDE.md', 'project'],
      ['.claude/rules/always.md', 'Always.'],
    ]);
    expect(found.waiting.map(({ rule, files }) => [rule.globs, files[0]?.text])).toEqual([
      [['**/*.py', '*.toml'], 'Use Python 3.'],
      [['src/**/*.ts', 'test/**/*.{ts,tsx}'], 'Use types.'],
    ]);
    expect(whys(found)).toEqual({ '.claude/rules/broken.md': expect.stringContaining('no end') });
  });

  it('of the user stand before the project, and start from the working directory', async () => {
    const found = await read(
      { '/w/CLAUDE.md': 'project', '/home/user/.claude/rules/a.md': 'mine', '/w/.claude/rules/b.md': 'its' },
      '/w',
      { rules: [...rules, { scope: 'user', folder: '/home/user/.claude/rules' }] },
    );
    expect(texts(found).map(([, text]) => text)).toEqual(['mine', 'project', 'its']);
  });
});
