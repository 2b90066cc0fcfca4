// The input of a client may end at any byte: what came whole is worked on, what did not is told, and the transcript is whole.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { parseArgs } from '../../src/cli/args/args.js';
import { createOutput } from '../../src/cli/output.js';
import { serveWire } from '../../src/cli/wire/serve.js';
import { NO_DEBUG_LOG } from '../../src/sdk/logs/debug-log.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text } from '../../src/testing/model/script-steps.js';
import { temporaryFolder } from '../e2e/run-cli.js';
import { SEED } from '../support/figures.js';
import { createRandom } from '../support/soak/random.js';

const CUTS = 24;
const user = (content: unknown) => ({ type: 'user', session_id: '', message: { role: 'user', content } });
const LINES = [
  { type: 'control_request', request_id: 'a', request: { subtype: 'initialize', systemPrompt: ['Ünïcödé 🐝'] } },
  user('first 🐝'),
  { type: 'control_request', request_id: 'b', request: { subtype: 'get_context_usage', detail: 'summary' } },
  user([{ type: 'text', text: 'second' }]),
];
const BYTES = Buffer.from(LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));

it(`ends in order wherever its input is cut, ${CUTS} times`, async () => {
  const mock = await startMockProvider({ steps: () => text('fine') });
  const random = createRandom(SEED);
  try {
    for (let run = 0; run < CUTS; run++) {
      const at = random.int(0, BYTES.length);
      const cwd = temporaryFolder();
      const written = await serve(BYTES.subarray(0, at), cwd, mock.url);
      const whole = BYTES.subarray(0, at).toString('utf8').split('\n').slice(0, -1).length;
      const prompts = LINES.slice(0, whole).filter(({ type }) => type === 'user').length;
      const where = `cut at byte ${at} of ${BYTES.length}`;
      const results = written.frames.filter(({ type }) => type === 'result');
      // A last line without its end counts where it is whole.
      const isLastWhole = BYTES[at] === 10 && LINES[whole]?.type === 'user';
      expect(results.length, where).toBe(prompts + (isLastWhole ? 1 : 0));
      for (const result of results) expect(result, where).toMatchObject({ subtype: 'success', result: 'fine' });
      expect(written.code, where).toBe(0);
      const lines = transcriptLines(join(cwd, 'home'));
      expect(lines.filter(({ type }) => type === 'user').length, where).toBe(results.length);
    }
  } finally {
    await mock.close();
  }
}, 60_000);

function transcriptLines(home: string): { readonly type?: string }[] {
  if (!existsSync(home)) return [];
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
  const lines = files.flatMap((file) => readFileSync(join(home, file), 'utf8').trim().split('\n'));
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

async function serve(input: Buffer, cwd: string, url: string) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let out = '';
  stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  stderr.resume();
  const home = join(cwd, 'home');
  const key = { ANTHROPIC_API_KEY: 'sk-test-0123456789', ANTHROPIC_BASE_URL: url };
  const env = { PATH: '/usr/bin:/bin', HOME: home, TURNWRIGHT_HOME: home, ...key };
  const args = parseArgs(['--input-format', 'stream-json', '--model', 'claude-sonnet-4-5', '--cwd', cwd]);
  if (args.wire === null) throw new Error('the flags of the protocol were not understood');
  const io = {
    stdin: stdin as never,
    stdout: stdout as never,
    stderr: stderr as never,
    out: createOutput(stdout),
    err: createOutput(stderr),
    env,
    startedIn: () => cwd,
    lifetime: new AbortController(),
    exit: () => undefined,
  };
  const serving = serveWire({ ...args, options: { ...args.options, env } }, args.wire, io, NO_DEBUG_LOG);
  stdin.end(input);
  const code = await serving;
  const frames = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { type: string }]));
  return { code, frames };
}
