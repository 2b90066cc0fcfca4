// Random clients of the wire, in this process: garbage, requests of every kind with fields of every kind, answers nobody
// asked for, ids that come twice, input that ends at any byte, output that nobody reads. What must hold: the server ends,
// with an exit code of the table; nothing rejects unhandled; what it wrote is frames alone; every request is answered.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseArgs } from '../../../src/cli/args/args.js';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { serveWire } from '../../../src/cli/wire/serve.js';
import { NO_DEBUG_LOG } from '../../../src/sdk/logs/debug-log.js';
import { WIRE_CONTROLS } from '../../../src/sdk/wire/controls.js';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { temporaryFolder } from '../../e2e/run-cli.js';
import { createRandom, type Random } from './random.js';

export interface WireFuzzFigures {
  readonly sessions: number;
  readonly frames: number;
  readonly requests: number;
  readonly codes: Readonly<Record<number, number>>;
}

const SUBTYPES = [
  ...Object.values(WIRE_CONTROLS).map(({ subtype }) => subtype),
  'initialize',
  'initialize',
  'initialize',
  'end_session',
  'nothing_known',
  '',
];
const VALUES: readonly unknown[] = [
  null,
  '',
  'x',
  0,
  -1,
  1.5,
  true,
  [],
  {},
  [1],
  { a: { b: [] } },
  'default',
  'plan',
  ['/'],
  1e9,
];
const FIELDS = [
  'mode',
  'model',
  'hooks',
  'agents',
  'systemPrompt',
  'settings',
  'source',
  'path',
  'question',
  'servers',
];

const MESSAGE_FIELDS = [
  'priority',
  'shouldQuery',
  'client_composed',
  'origin',
  'isSynthetic',
  'file_attachments',
  'custom_context',
  'uuid',
  'timestamp',
];
const MESSAGE_VALUES: readonly unknown[] = [
  'now',
  'next',
  'later',
  false,
  { kind: 'peer' },
  [{ relative_path: '../x' }],
  '7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f001',
];

/** @throws Error that names the seed of the session that broke a rule */
export async function fuzzWire(sessions: number, seed: number): Promise<WireFuzzFigures> {
  const random = createRandom(seed);
  const root = temporaryFolder();
  let asked = 0;
  const mock = await startMockProvider({
    steps: () => {
      asked += 1;
      return asked % 3 === 1
        ? reply(text('look'), toolCall('Bash', { command: 'touch fuzz' }))
        : text(`answer ${asked}`);
    },
  });
  const rejections: unknown[] = [];
  const onRejection = (error: unknown): void => void rejections.push(error);
  process.on('unhandledRejection', onRejection);
  const codes: Record<number, number> = {};
  let frames = 0;
  let requests = 0;
  try {
    for (let at = 0; at < sessions; at++) {
      const cwd = join(root, `p${at}`);
      mkdirSync(cwd);
      const told = await one(random, { cwd, home: join(root, 'home'), url: mock.url });
      const where = `session ${at} of seed ${seed}`;
      if (![0, 1, 141].includes(told.code)) throw new Error(`${where} ended with ${told.code}`);
      if (rejections.length > 0) throw new Error(`${where}: a rejection nobody handled`, { cause: rejections[0] });
      for (const id of told.unanswered) throw new Error(`${where}: the request ${id} was never answered`);
      if (/\n\s+at .*:\d+/.test(told.stderr)) throw new Error(`${where} showed a stack trace: ${told.stderr}`);
      codes[told.code] = (codes[told.code] ?? 0) + 1;
      frames += told.frames;
      requests += told.requests;
    }
  } finally {
    process.off('unhandledRejection', onRejection);
    await mock.close();
  }
  return { sessions, frames, requests, codes };
}

async function one(random: Random, { cwd, home, url }: { cwd: string; home: string; url: string }) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let errors = '';
  stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const written: Record<string, unknown>[] = [];
  let rest = '';
  const asks = random.chance(0.7);
  const isDeaf = random.chance(0.1);
  stdout.on('data', (chunk) => {
    rest += String(chunk);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      const frame = JSON.parse(rest.slice(0, end)) as Record<string, unknown>;
      rest = rest.slice(end + 1);
      written.push(frame);
      if (frame['type'] === 'control_request' && random.chance(0.8) && stdin.writable)
        stdin.write(`${JSON.stringify(answerTo(random, frame))}\n`);
    }
  });
  const flags = ['--input-format', 'stream-json', '--model', 'claude-sonnet-4-5', '--cwd', cwd, '--max-turns', '4'];
  if (asks) flags.push('--permission-prompt-tool', 'stdio');
  if (random.chance(0.2)) flags.push('--await-initialize');
  if (random.chance(0.2)) flags.push('--session-mirror');
  if (random.chance(0.2)) flags.push('--include-partial-messages');
  const args = parseArgs(flags);
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: home,
    TURNWRIGHT_HOME: home,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
    ANTHROPIC_BASE_URL: url,
  };
  const io: CliIo = {
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
  if (args.wire === null) throw new Error('the flags of the protocol were not understood');
  const options = { ...args.options, env };
  const serving = serveWire({ ...args, options }, args.wire, io, NO_DEBUG_LOG);
  const ids = new Map<string, string>();
  const count = random.int(0, 12 - 1);
  for (let line = 0; line < count; line++) {
    const said = lineOf(random, ids);
    // Cut anywhere.
    const at = random.int(0, said.length - 1);
    stdin.write(said.slice(0, at));
    stdin.write(said.slice(at));
    if (random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
    if (isDeaf && line === 3) stdout.destroy();
  }
  if (random.chance(0.1)) stdin.write('{"type":"user","message":{"ro');
  stdin.end();
  const code = await serving;
  const answered = new Set(
    written.flatMap(({ type, response }) =>
      type === 'control_response' ? [(response as { request_id: string }).request_id] : [],
    ),
  );
  // What came after the end of a session that could not begin was never read.
  const unanswered = isDeaf || code === 1 ? [] : [...ids].filter(([id]) => !answered.has(id)).map(String);
  return { code, stderr: errors, frames: written.length, requests: ids.size, unanswered };
}

function lineOf(random: Random, ids: Map<string, string>): string {
  const kind = random.int(0, 10 - 1);
  if (kind === 0)
    return `${random.pick(['no json', '[]', '7', '"x"', '{', '\u0000', '{"type":1}', '{"type":"control_request"'])}\n`;
  if (kind === 1)
    return `${JSON.stringify({ type: random.pick(['keep_alive', 'control_response', 'wonder', 'user']) })}\n`;
  if (kind <= 4) {
    const content = random.pick<unknown>([
      'go',
      [{ type: 'text', text: 'go' }],
      '/cost',
      '',
      '/nothing',
      [{ type: 'text' }],
      [7],
    ]);
    const fields = Object.fromEntries(
      MESSAGE_FIELDS.filter(() => random.chance(0.1)).map((name) => [
        name,
        random.pick([...VALUES, ...MESSAGE_VALUES]),
      ]),
    );
    return `${JSON.stringify({ ...fields, type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null })}\n`;
  }
  // What comes behind the end of the session may not be read.
  const isOver = [...ids.values()].includes('end_session');
  const id = random.chance(0.9) ? `r${ids.size}` : 'r0';
  const fields = Object.fromEntries(
    FIELDS.filter(() => random.chance(0.15)).map((name) => [name, random.pick(VALUES)]),
  );
  const request = { subtype: random.pick(SUBTYPES), ...fields };
  if (!isOver) ids.set(id, request.subtype);
  return `${JSON.stringify({ type: 'control_request', request_id: id, request })}\n`;
}

function answerTo(random: Random, frame: Record<string, unknown>): object {
  const request_id = random.chance(0.9) ? frame['request_id'] : 'nobody';
  const response = random.pick<unknown>([
    { behavior: 'allow' },
    { behavior: 'deny', message: 'no' },
    {},
    null,
    { behavior: 7 },
    [],
  ]);
  if (random.chance(0.1)) return { type: 'control_response', response: { subtype: 'error', request_id, error: 'no' } };
  return { type: 'control_response', response: { subtype: 'success', request_id, response } };
}
