// `turnwright tools`: every tool there is.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { runTools } from '../../../src/cli/commands/tools.js';

const SRC = join(import.meta.dirname, '../../../src');

/** Files that declare tools. */
const FILES = [
  ...readdirSync(join(SRC, 'tools'))
    .filter((file) => file.endsWith('.ts') && file !== 'tool.ts')
    .map((file) => join('tools', file)),
  'mcp/resource-tools.ts',
];

async function tools(...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let out = '';
  stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  const io: CliIo = {
    stdin: Readable.from([]),
    stdout,
    stderr,
    out: createOutput(stdout),
    err: createOutput(stderr),
    env: {},
    startedIn: () => '/',
    lifetime: new AbortController(),
    exit: () => undefined,
  };
  const code = await runTools(argv, io);
  await io.out.flush();
  return { code, out };
}

it('lists every tool that is declared, with its permission, and when it is offered', async () => {
  const { out } = await tools('--json');
  const listed = JSON.parse(out) as { name: string; permission: string; offered: string | null; inputSchema: object }[];
  const declared = FILES.flatMap((file) => {
    const source = readFileSync(join(SRC, file), 'utf8');
    const names = [...source.matchAll(/^\s+name: (?:'(\w+)'|(\w+)),$/gm)].map(
      ([, text, constant]) => text ?? new RegExp(`const ${constant} = '(\\w+)'`).exec(source)?.[1],
    );
    return source.includes('defineTool') ? names : [];
  });
  expect(listed.map(({ name }) => name).sort()).toEqual([...new Set(declared)].sort());
  expect(listed.find(({ name }) => name === 'Read')).toMatchObject({
    permission: 'free inside the workspace, asked about outside',
    offered: null,
    inputSchema: { type: 'object' },
  });
  expect(listed.find(({ name }) => name === 'Config')?.offered).toContain('`tools` or `allowedTools`');
});

it('shows one with all that the model is told, and refuses a name that names none', async () => {
  expect((await tools('Edit')).out).toMatch(/^Edit\n[\s\S]*old_string must match[\s\S]*"file_path"/);
  expect((await tools()).out).toMatch(/Bash {2}Runs a command line[^\n]*\n +permission: by what the command would do/);
  await expect(tools('Nothing')).rejects.toThrow('There is no tool "Nothing". Tools: Agent');
});

it('says that the output of a task is read unasked, and what is written to it is not', async () => {
  expect((await tools()).out).toMatch(/^TaskOutput .*\n +permission: free if the call only reads, else asked about$/m);
});
