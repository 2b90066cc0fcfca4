// The server of the wire in this process, over streams of memory: what a client sends, cut as it likes, and each line that
// comes back. Cheaper than the program by a second a session, so that each byte and each kind of garbage can have its own.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseArgs } from '../../src/cli/args/args.js';
import { createOutput } from '../../src/cli/cli-io.js';
import { serveWire } from '../../src/cli/wire/serve.js';
import { NO_DEBUG_LOG } from '../../src/sdk/logs/debug-log.js';

export type Frame = { readonly type: string; readonly [field: string]: unknown };

export interface ServedWire {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  /** Every line so far. */
  readonly frames: readonly Frame[];
  readonly stderr: () => string;
  /** The home that settings and transcripts are in. */
  readonly home: string;
  send(...frames: readonly object[]): void;
  prompt(content: unknown, more?: object): void;
  /** Sends a control request. @returns the inside of its answer */
  control(subtype: string, fields?: object): Promise<Record<string, unknown>>;
  /** The first frame, of those to come and those that came, for which `is` says true. */
  until(is: (frame: Frame) => boolean): Promise<Frame>;
  /** The result of that number, from 1. */
  result(number: number): Promise<Frame>;
  /** Each line of the transcript that is on the disk, parsed: one that is cut throws. */
  transcript(): Record<string, unknown>[];
  /** The exit code. */
  readonly code: Promise<number>;
}

export interface ServedWireOptions {
  readonly url: string;
  readonly cwd: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Each line as it comes, before `frames` has it; an object is sent back. */
  onFrame?(frame: Frame): object | null;
}

export function serveInProcess({ url, cwd, flags = [], env: more = {}, onFrame }: ServedWireOptions): ServedWire {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const home = join(cwd, 'home');
  mkdirSync(home, { recursive: true });
  const frames: Frame[] = [];
  const listeners = new Set<() => void>();
  let errors = '';
  let rest = '';
  let ids = 0;
  let end: number | Error | undefined;
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const send = (...sent: readonly object[]): void => {
    if (stdin.writable) stdin.write(sent.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  };
  stderr.on('data', (chunk) => {
    errors += String(chunk);
    tell();
  });
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk;
    for (let at = rest.indexOf('\n'); at !== -1; at = rest.indexOf('\n')) {
      const frame = JSON.parse(rest.slice(0, at)) as Frame;
      rest = rest.slice(at + 1);
      const answer = onFrame?.(frame) ?? null;
      frames.push(frame);
      if (answer !== null) send(answer);
    }
    tell();
  });
  const key = { ANTHROPIC_API_KEY: 'sk-test-0123456789', ANTHROPIC_BASE_URL: url };
  const env = { PATH: '/usr/bin:/bin', HOME: home, TURNWRIGHT_HOME: home, ...key, ...more };
  const args = parseArgs(['--input-format', 'stream-json', '--model', 'claude-sonnet-4-5', '--cwd', cwd, ...flags]);
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
  const code = serveWire({ ...args, options: { ...args.options, env } }, args.wire, io, NO_DEBUG_LOG);
  void code.then(
    (value) => {
      end = value;
      tell();
    },
    (error: Error) => {
      end = error;
      tell();
    },
  );

  const until = (is: (frame: Frame) => boolean): Promise<Frame> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = frames.find(is);
        if (found === undefined && end === undefined) return;
        listeners.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`the session ended (${String(end)}) without it. stderr: ${errors}`));
      };
      listeners.add(look);
      look();
    });

  return {
    stdin,
    stdout,
    frames,
    stderr: () => errors,
    home,
    send,
    prompt: (content, fields = {}) =>
      send({ type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null, ...fields }),
    async control(subtype, fields = {}) {
      ids += 1;
      const request_id = `asked-${ids}`;
      send({ type: 'control_request', request_id, request: { subtype, ...fields } });
      const frame = await until(
        ({ type, response }) =>
          type === 'control_response' && (response as { request_id?: unknown }).request_id === request_id,
      );
      return frame['response'] as Record<string, unknown>;
    },
    until,
    async result(number) {
      await until(() => frames.filter(({ type }) => type === 'result').length >= number);
      return frames.filter(({ type }) => type === 'result')[number - 1] as Frame;
    },
    transcript() {
      if (!existsSync(home)) return [];
      const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
      const texts = files.flatMap((file) => readFileSync(join(home, file), 'utf8').split('\n'));
      return texts.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    code,
  };
}
