// A headless ACP client that nobody here wrote drives `turnwright acp`, with its own files and its own permissions; and the
// published adapter, whose command line is ours.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { SUGGESTION_REQUEST } from '../../src/engine/state/engine-notes.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';

const PACKAGES = join(process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '', 'node_modules');
const CLIENT = join(PACKAGES, 'acpx', 'dist', 'cli.js');
const ADAPTER = join(PACKAGES, '@agentclientprotocol', 'claude-agent-acp', 'dist', 'index.js');
const OURS = `${process.execPath} ${ENTRY} acp`;

beforeAll(buildEntry, 300_000);

/** One prompt, one edit. */
async function exec(flags: readonly string[], agent = OURS) {
  const steps = [
    toolCall('Read', { file_path: 'a.txt' }),
    toolCall('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'ONE' }),
    text('All done.'),
  ];
  const mock = await startMockProvider({
    // A client may ask for a title beside the work: a request without tools.
    steps: (body) =>
      ((body as { tools?: unknown }).tools === undefined ? text('A title') : steps.shift()) ?? text('More?'),
  });
  onTestFinished(() => mock.close());
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  const argv = [CLIENT, '--agent', agent, ...flags, 'exec', 'edit the file'];
  const child = spawn(process.execPath, argv, {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      TURNWRIGHT_HOME: home,
      CLAUDE_CODE_EXECUTABLE: ENTRY,
      ...mockEnv(mock.url),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return {
    code,
    output,
    file: readFileSync(join(cwd, 'a.txt'), 'utf8'),
    // The published adapter also asks for what the user might say next.
    requests: mock.requests.filter(
      ({ body }) =>
        (body as { tools?: unknown }).tools !== undefined &&
        !JSON.stringify(body).includes(SUGGESTION_REQUEST.slice(1, 40)),
    ).length,
  };
}

it('edits a file through the files of the client', async () => {
  const { code, output, file, requests } = await exec(['--approve-all']);
  expect({ code, file, requests }, output).toEqual({ code: 0, file: 'ONE\n', requests: 3 });
  expect(output).toContain('fs/write_text_file');
  expect(output).toContain('[done] end_turn');
  expect(output.match(/All done\./g)).toHaveLength(1);
});

it('is refused if the client refuses', async () => {
  const { output, file, requests } = await exec(['--deny-all', '--no-fs']);
  expect({ file, requests }, output).toEqual({ file: 'one\n', requests: 3 });
  expect(output).toContain('[done] end_turn');
});

it('edits a file by the published adapter, which drives our command line', async () => {
  const { code, output, file, requests } = await exec(['--approve-all'], `${process.execPath} ${ADAPTER}`);
  expect({ code, file, requests }, output).toEqual({ code: 0, file: 'ONE\n', requests: 3 });
  expect(output.match(/All done\./g)).toHaveLength(1);
});
