// The spec's own programs, as processes of their own, on the built package and a loopback model.
import { spawn } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';
import { type MockProvider, startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { temporaryFolder } from '../support/engine.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const outdir = path.join(root, 'node_modules/.cache/turnwright-programs');

beforeAll(async () => {
  const names = ['headless-query', 'multi-turn', 'logging'];
  await build({
    input: Object.fromEntries(names.map((name) => [name, path.join(here, 'programs', `${name}.ts`)])),
    external: [/^node:/, 'turnwright'],
    platform: 'node',
    output: { dir: outdir, format: 'esm', entryFileNames: '[name].mjs' },
  });
  // The programs import the published name; the package is this repository, and no other copy of it.
  const link = path.join(outdir, 'node_modules/turnwright');
  await rm(link, { force: true });
  await mkdir(path.dirname(link), { recursive: true });
  await symlink(root, link, 'dir');
});

async function runProgram(name: string, mock: MockProvider, args: string[] = []) {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, 'src'));
  await writeFile(path.join(cwd, 'a.txt'), 'hello\n');
  await writeFile(path.join(cwd, 'src/one.ts'), 'export {};\n');
  const child = spawn(process.execPath, [path.join(outdir, `${name}.mjs`), ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: 'test-key' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

describe('the programs of the specification', () => {
  it('000 9.6: a headless query with cost, tokens and turns', async () => {
    const mock = await startMockProvider({ steps: [toolCall('Read', { file_path: 'a.txt' }), text('It says hello.')] });
    const { code, stdout, stderr } = await runProgram('headless-query', mock);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /Cost: \$\d+\.\d{6}\nInput tokens: \d+\nOutput tokens: \d+\nTurns: 2\nResult: It says hello\./,
    );
    expect(code).toBe(0);
    mock.assertClean();
    await mock.close();
  });

  it('000 9.6: two prompts on one engine, then structured output', async () => {
    const mock = await startMockProvider({
      steps: [
        toolCall('Glob', { pattern: 'src/*' }),
        text('one.ts'),
        text('one.ts is the largest.'),
        text('{"files":["src/one.ts"],"count":1}'),
      ],
    });
    const { code, stdout } = await runProgram('multi-turn', mock);
    expect(stdout).toBe('Turn 1 done: one.ts\nTurn 2 done: one.ts is the largest.\nFound 1 TypeScript files\n');
    expect(code).toBe(0);
    expect(mock.requests[2]?.body).toMatchObject({
      messages: expect.arrayContaining([expect.objectContaining({ role: 'assistant' })]),
    });
    mock.assertClean();
    await mock.close();
  });

  it('002: logging, and a denial that is told', async () => {
    const mock = await startMockProvider({
      steps: [toolCall('Bash', { command: 'touch made.txt' }), text('It was denied.')],
    });
    const { code, stdout, stderr } = await runProgram('logging', mock);
    expect(stdout).toMatch(/^Session [0-9a-f-]{36}: model=claude-sonnet-5-5, tools=Agent, SendMessage, Bash, Read/);
    expect(stdout).toContain("→ Bash { command: 'touch made.txt' }");
    expect(stdout).toMatch(/Done in \d+ms, cost \$0\.0\d{3}/);
    expect(stdout).toMatch(/\{"output":"It was denied\.","cost":0\.0\d+\}/);
    expect(stderr).toBe('Blocked 1 tool call(s): Bash\n');
    expect(code).toBe(0);
    mock.assertClean();
    await mock.close();
  });
});
