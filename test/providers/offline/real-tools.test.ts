// The planner with the real tools over real files: what it asks for satisfies the tools, and it reads what they say.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { afterAll, describe, expect, it } from 'vitest';
import { bashTool } from '../../../src/tools/bash.js';
import { editTool, readTool, writeTool } from '../../../src/tools/files.js';
import { globTool, grepTool } from '../../../src/tools/search.js';
import type { AnyTool } from '../../../src/tools/tool.js';
import { createToolContext } from '../../support/tool-context.js';
import { type Answerer, type Drive, drive } from './drive.js';

const TOOLS: readonly AnyTool[] = [bashTool, editTool, globTool, grepTool, readTool, writeTool];
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
  it('finds the largest file and writes what it found, without Bash', async () => {
    const { ask, text } = project({
      'src/a.ts': numberedLines(3),
      'src/deep/big.tsx': numberedLines(12),
      'src/no.js': numberedLines(99),
      'other.ts': numberedLines(50),
      'report.md': 'an old report\n',
    });
    const { answer, calls } = await ask(
      'find the largest TypeScript file under src, then write its path and line count to report.md',
      'Bash',
    );
    expect(text('report.md')).toBe(
      '# Largest TypeScript file in src, by line count\n\n- src/deep/big.tsx (12 lines)\n',
    );
    expect(answer).toContain('src/deep/big.tsx (12 lines)');
    // The file that was there is seen before it is replaced.
    expect(calls.map((call) => call.name)).toEqual(['Grep', 'Write', 'Read', 'Write']);
  });

  it('counts more files than one call shows, and says what a list leaves out', async () => {
    const files = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`src/f${index}.py`, `x = ${index}\n`]));
    const { ask, text } = project(files);
    const { answer } = await ask(
      'how many Python files are there? List the Python files, then save the list to list.txt',
    );
    expect(answer).toContain('Number of Python files: 130.');
    const lines = text('list.txt').trimEnd().split('\n');
    expect(lines).toHaveLength(101);
    expect(lines[100]).toMatch(/^Note: Truncated: 100 of 130 files shown/);
    expect(answer).toContain('Truncated: 100 of 130');
  });

  it('counts the lines of more files than one page holds', async () => {
    const long = 'a-name-that-takes-its-place-in-the-list'.repeat(3);
    const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${long}${index}.py`, 'x\n']));
    const { ask } = project(files);
    const { answer, calls } = await ask('count the lines of *.py');
    expect(calls.length).toBeGreaterThan(1);
    expect(answer).toMatch(/^Lines of \*\.py files: 600\./);
  });

  it('writes, replaces and shows what it wrote, which Read does not show again', async () => {
    const { ask, text } = project({ 'src/a.ts': 'foo();\nfoo(1);\n', 'src/b.ts': 'foo(2);\n', 'c.md': 'foo\n' });
    const first = await ask('create notes.md with "one\\ntwo\\n", then show it');
    expect(text('notes.md')).toBe('one\ntwo\n');
    expect(first.answer).toMatch(/^Wrote notes\.md \(2 lines\)\.\n\nnotes\.md:\n```\none\ntwo\n```/);
    const second = await ask('replace "foo(" with "bar(" in all TypeScript files under src and show them');
    expect([text('src/a.ts'), text('src/b.ts'), text('c.md')]).toEqual(['bar();\nbar(1);\n', 'bar(2);\n', 'foo\n']);
    expect(second.answer).toMatch(/Replaced "foo\(" with "bar\(" in src\/[ab]\.ts, src\/[ab]\.ts\./);
    expect(second.answer).toContain('bar(2);');
  });

  it('searches, counts, shows and runs', async () => {
    const { ask } = project({
      'README.md': '# Tea\n\nHow to make tea.\n',
      'src/a.ts': '// TODO: one\n// TODO: two [12]\n',
      'empty.txt': '',
    });
    expect((await ask('search for TODO')).answer).toMatch(
      /^Matches for "TODO" in files: 2\.\n- src\/a\.ts:1: \/\/ TODO: one\n- src\/a\.ts:2:/,
    );
    expect((await ask('search for nothing-like-this')).answer).toMatch(/: none found\.$/);
    expect((await ask('count the lines in empty.txt')).answer).toBe('Lines of empty.txt: 0.');
    expect((await ask('count the lines in README.md')).answer).toBe('Lines of README.md: 3.');
    expect((await ask('show empty.txt')).answer).toMatch(/^empty\.txt:\n\(nothing\)\n\(.*is empty\.\)$/);
    const run = (await ask('run `echo out; exit 3`')).answer;
    expect(run).toBe('Output of echo out; exit 3 (exit code 3):\n```\nout\n```');
    expect((await ask('run `true`')).answer).toBe('Output of true (exit code 0):\n(nothing)');
  });

  it('reports what is refused or not there in the words of the tool', async () => {
    const { ask } = project({ 'a.txt': 'x' });
    expect((await ask('list the Python files in nowhere')).answer).toMatch(/failed\. Glob: .*does not exist/s);
    expect((await ask('count the lines in gone.txt')).answer).toMatch(/failed\. Grep: .*does not exist/s);
    expect((await ask('show gone.txt')).answer).toMatch(/failed\. Read: .*does not exist/s);
    expect((await ask('run `ls`', 'Bash')).answer).toBe('"run `ls`" failed. Bash: Permission denied for Bash.');
    expect((await ask('replace "y" with "z" in a.txt')).answer).toMatch(/"y" does not occur there/);
  });
});
