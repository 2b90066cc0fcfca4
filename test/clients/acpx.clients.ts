// A headless ACP client that nobody here wrote drives `turnwright acp`, with its own files and its own permissions.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script-steps.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';

const CLIENT = join(process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '', 'node_modules', 'acpx', 'dist', 'cli.js');

beforeAll(buildEntry, 300_000);

/** One prompt, one edit. */
async function exec(...flags: string[]) {
  const mock = await startMockProvider({
    steps: [
      toolCall('Read', { file_path: 'a.txt' }),
      toolCall('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'ONE' }),
      text('All done.'),
    ],
  });
  onTestFinished(() => mock.close());
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  const argv = [CLIENT, '--agent', `${process.execPath} ${ENTRY} acp`, ...flags, 'exec', 'edit the file'];
  const child = spawn(process.execPath, argv, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TURNWRIGHT_HOME: home, ...mockEnv(mock.url) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, output, file: readFileSync(join(cwd, 'a.txt'), 'utf8'), requests: mock.requests.length };
}

it('edits a file through the files of the client', async () => {
  const { code, output, file, requests } = await exec('--approve-all');
  expect({ code, file, requests }, output).toEqual({ code: 0, file: 'ONE\n', requests: 3 });
  expect(output).toContain('fs/write_text_file');
  expect(output).toContain('[done] end_turn');
  expect(output.match(/All done\./g)).toHaveLength(1);
});

it('is refused where the client refuses', async () => {
  const { output, file, requests } = await exec('--deny-all', '--no-fs');
  expect({ file, requests }, output).toEqual({ file: 'one\n', requests: 3 });
  expect(output).toContain('[done] end_turn');
});
