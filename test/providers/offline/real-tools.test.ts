// The planner with the real tools over real files: what it asks for satisfies the tools, and it reads what they say.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { afterAll, describe, expect, it } from 'vitest';
import { bashTool } from '../../../src/tools/bash.js';
import { editTool } from '../../../src/tools/edit.js';
import { globTool } from '../../../src/tools/glob.js';
import { grepTool } from '../../../src/tools/grep.js';
import { readTool } from '../../../src/tools/read.js';
import { todoWriteTool } from '../../../src/tools/todo-write.js';
import type { AnyTool } from '../../../src/tools/tool.js';
import { writeTool } from '../../../src/tools/write.js';
import { createToolContext } from '../../support/tool-context.js';
import { type Answerer, type Drive, drive } from './drive.js';

const TOOLS: readonly AnyTool[] = [bashTool, editTool, globTool, grepTool, readTool, todoWriteTool, writeTool];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder with some files, and a way to run a prompt in it. */
function project(files: Record<string, string>): {
  folder: string;
  ask: (prompt: string, denied?: string) => Promise<Drive>;
  text: (path: string) => string;
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-offline-')));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const context = createToolContext({ cwd: folder });
  const answer =
    (denied?: string): Answerer =>
    async ({ name, input }) => {
      const tool = TOOLS.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      if (name === denied) return { error: `Permission denied for ${name}.` };
      const { valid, errors } = new Validator(tool.inputSchema as object).validate(input);
      if (!valid) throw new Error(`${name}: ${JSON.stringify(errors)}`);
      try {
        const outcome = await tool.run(input as never, context);
        const text = typeof outcome.model === 'string' ? outcome.model : JSON.stringify(outcome.model);
        return outcome.isError === true ? { error: text } : text;
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    };
  return {
    folder,
    ask: (prompt, denied) =>
      drive(prompt, answer(denied), { system: `<environment>\nWorking directory: ${folder}\n</environment>` }),
    text: (path) => readFileSync(join(folder, path), 'utf8'),
  };
}

const numberedLines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `const value${index} = ${index};\n`).join('');

describe('with real tools', () => {
  it('does the job of the brief without Bash', async () => {
    const { ask, text } = project({
      'src/a.ts': numberedLines(3),
      'src/deep/big.tsx': numberedLines(12),
      'src/no.js': numberedLines(99),
      'other.ts': numberedLines(50),
    });
    const { answer } = await ask(
      'find the largest TypeScript file under src, then write its path and line count to report.md',
      'Bash',
    );
    expect(text('report.md')).toBe(
      '# Largest TypeScript file under src, by line count\n\n- Path: src/deep/big.tsx\n- Lines: 12\n',
    );
    expect(answer).toContain('src/deep/big.tsx (12 lines)');
  });

  it('lists more files than one call shows', async () => {
    const files = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`src/f${index}.py`, `x = ${index}\n`]));
    const { ask, text } = project(files);
    const { answer } = await ask(
      'how many Python files are there? List the Python files in src, then save the list to list.txt',
    );
    expect(answer).toContain('Number of Python files: 130');
    expect(
      text('list.txt')
        .split('\n')
        .filter((line) => line !== ''),
    ).toHaveLength(130);
  });

  it('creates, appends, replaces, shows and copies', async () => {
    const { ask, text } = project({ 'src/a.ts': 'foo();\nfoo(1);\n', 'src/b.ts': 'foo(2);\n' });
    const first = await ask('create notes.md with "one\\ntwo\\n", append "three" to it, then show it');
    expect(text('notes.md')).toBe('one\ntwo\nthree\n');
    expect(first.answer).toContain('three');
    const second = await ask(
      'replace "foo" with "bar" in all TypeScript files under src, then copy notes.md to backup.md',
    );
    expect([text('src/a.ts'), text('src/b.ts'), text('backup.md')]).toEqual([
      'bar();\nbar(1);\n',
      'bar(2);\n',
      'one\ntwo\nthree\n',
    ]);
    expect(second.answer).toMatch(/Replaced 2 occurrences in src\/a\.ts/);
  });

  it('shows what it just wrote, which Read does not show again', async () => {
    const { ask } = project({});
    const { answer, calls } = await ask('create a.txt with "fresh", then show it');
    expect(answer).toContain('fresh');
    expect(calls.map((call) => call.name)).toEqual(['Write', 'Read']);
  });

  it('searches, counts, summarises and runs', async () => {
    const { ask } = project({
      'README.md': '# Tea\n\nHow to make tea. It is easy.\n\n## Water\n\nBoil it.\n',
      'src/a.ts': '// TODO: one\n// TODO: two\n',
      'empty.txt': '',
    });
    expect((await ask('find all TODO comments')).answer).toMatch(/Matches for "TODO": 2 matches\.\n- src\/a\.ts:1: /);
    expect((await ask('count the lines in empty.txt')).answer).toBe('Lines of empty.txt: 0.');
    expect((await ask('show empty.txt')).answer).toMatch(/empty/);
    const summary = (await ask('summarise the readme')).answer;
    expect(summary).toMatch(/extractive/);
    expect(summary).toMatch(/Title: Tea/);
    expect(summary).toMatch(/Begins: How to make tea\. It is easy\./);
    expect(summary).toMatch(/Sections: Water/);
    const run = (await ask('run `echo out; exit 3`')).answer;
    expect(run).toMatch(/exit code 3/);
    expect(run).toContain('out');
    expect((await ask('find the largest file by size')).answer).toContain('README.md (');
    expect((await ask('list the folders')).answer).toBe('Folders: 1.\n- src');
    expect((await ask('make a todo list: read the docs; run the tests')).answer).toBe('The to-do list has 2 items.');
  });

  it('reads a long file to its end', async () => {
    const { ask } = project({ 'long.txt': numberedLines(4_500) });
    const { answer, calls } = await ask('show the last 2 lines of long.txt');
    expect(answer).toContain('long.txt (lines 4499 to 4500)');
    expect(calls).toHaveLength(3);
  });

  it('reports a path that is not there', async () => {
    const { ask } = project({ 'a.txt': 'x' });
    expect((await ask('list the Python files in nowhere')).answer).toMatch(/failed.*does not exist/s);
    expect((await ask('count the lines in gone.txt')).answer).toMatch(/failed.*does not exist/s);
  });
});
