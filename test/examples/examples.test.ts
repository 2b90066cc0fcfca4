// Every example runs as a process of its own on the built package and checks its own result: exit code 0 is the
// whole claim. No key and no network: the offline model answers.
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text } from '../../src/testing/model/script-steps.js';
import { buildEntry } from '../e2e/run-cli.js';
import { temporaryFolder } from '../support/engine.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const names = (await readdir(path.join(root, 'examples'))).filter((name) => /^\d\d-/.test(name)).sort();

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
  const child = spawn(process.execPath, ['index.mjs'], {
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

  it.each(names)('%s checks its own result and finds it right', async (name) => {
    const { code, stdout, stderr } = await runExample(name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toBe('');
  });

  it.each(names)('%s is a private package that depends on this one', async (name) => {
    const manifest: unknown = JSON.parse(await readFile(path.join(root, 'examples', name, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ private: true, type: 'module', dependencies: { turnwright: 'file:../..' } });
  });

  it('01-minimal exits with 1 where the model answers wrong', async () => {
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
});
