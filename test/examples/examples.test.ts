// Every example runs as a process of its own on the built package and checks its own result: exit code 0 is the
// whole claim. No key and no network: the offline model answers.
import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, ENTRY } from '../e2e/run-cli.js';
import { temporaryFolder } from '../support/engine.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const names = (await readdir(path.join(root, 'examples'))).filter((name) => /^\d\d-/.test(name)).sort();
const PYTHON = '28-python';
/** The interpreter itself, as what stands in PATH may need more of the environment than an example gets. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim();
const runnable = names.filter((name) => name !== PYTHON || python);

beforeAll(buildEntry);

/** Runs a copy of an example that finds this repository as the package `turnwright`. */
async function runExample(name: string, env: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder();
  await cp(path.join(root, 'examples', name), folder, {
    recursive: true,
    filter: (source) => path.basename(source) !== 'node_modules',
  });
  await mkdir(path.join(folder, 'node_modules'));
  await symlink(root, path.join(folder, 'node_modules', 'turnwright'), 'dir');
  const home = await temporaryFolder();
  const [program = '', ...args] =
    name === PYTHON ? [python, 'main.py', process.execPath, ENTRY] : [process.execPath, 'index.mjs'];
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, TURNWRIGHT_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, stdout, stderr };
}

describe('the examples', () => {
  it('are there', () => {
    expect(names).toContain('01-minimal');
  });

  it.each(runnable)('%s checks its own result and finds it right', async (name) => {
    const { code, stdout, stderr } = await runExample(name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toBe('');
  });

  it.each(names)('%s is a private package that depends on this one', async (name) => {
    const manifest: unknown = JSON.parse(await readFile(path.join(root, 'examples', name, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ private: true, type: 'module', dependencies: { turnwright: 'file:../..' } });
  });

  it('01-minimal exits with 1 if the model answers wrong', async () => {
    const mock = await startMockProvider({ steps: [text('It has 4 lines.')] });
    onTestFinished(() => mock.close());
    const { code, stderr } = await runExample('01-minimal', {
      ANTHROPIC_BASE_URL: mock.url,
      ANTHROPIC_API_KEY: 'test-key',
    });
    expect(stderr).toBe('Expected a successful answer that says 3 lines.\n');
    expect(code).toBe(1);
    mock.assertClean();
  });

  it.skipIf(!python)('28-python runs the tool that it offers, and says what came out wrong', async () => {
    const steps = [
      toolCall('Write', { file_path: 'hello.txt', content: 'Hello from Python' }),
      text('Written.'),
      toolCall('Bash', { command: 'touch unwanted.txt' }),
      text('Refused.'),
      toolCall('Bash', { command: 'sleep 60' }),
      toolCall('mcp__program__count_letters', { word: 'Hello' }),
      text('It has 5 letters.'),
    ];
    const mock = await startMockProvider({ steps });
    onTestFinished(() => mock.close());
    const env = { ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: 'test-key' };
    const { code, stdout, stderr } = await runExample('28-python', env);
    expect(stdout).toContain('[mcp__program__count_letters]');
    expect(JSON.stringify(mock.requests.at(-1)?.body)).toMatch(/"content":(\[\{"type":"text","text":)?"5"/);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Not so: the session went on.\n' });
    mock.assertClean();
  });
});
