// A client of the stream-json protocol, written after its published facts: it starts the command line, says what a test
// says, and keeps every line that comes back.
import { type CliEnd, startCli } from '../e2e/run-cli.js';

export type Frame = { readonly type: string; readonly [field: string]: unknown };

/** Answers a request of the command line; null: says nothing. A throw is an answer that refuses. */
export type Answer = (request: Record<string, unknown>, id: string) => object | null | Promise<object | null>;

export interface WireClient {
  /** Every line so far. */
  readonly frames: readonly Frame[];
  readonly stderr: () => string;
  send(...frames: object[]): void;
  /** Bytes as they are. */
  write(text: string): void;
  /** Sends a control request. @returns the inside of its answer */
  control(subtype: string, fields?: object): Promise<Record<string, unknown>>;
  prompt(content: unknown, more?: object): void;
  /** The first frame, of those to come and those that came, for which `is` says true. */
  until(is: (frame: Frame) => boolean): Promise<Frame>;
  /** The next result that nobody has waited for. */
  result(): Promise<Frame>;
  close(): void;
  signal(name: NodeJS.Signals): void;
  /** Closes what it reads from. */
  deafen(): void;
  readonly ended: Promise<CliEnd>;
}

export interface WireClientOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly flags?: readonly string[];
  readonly answer?: Answer;
}

const WIRE_FLAGS = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

export function startWireClient({ env, cwd, flags = [], answer }: WireClientOptions): WireClient {
  const cli = startCli([...WIRE_FLAGS, '--model', 'claude-sonnet-4-5', ...flags], {
    stdin: null,
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const frames: Frame[] = [];
  const listeners = new Set<() => void>();
  let results = 0;
  let ids = 0;
  let rest = '';
  const write = (text: string): void => void cli.child.stdin.write(text);
  const send = (...sent: object[]): void => write(sent.map((frame) => `${JSON.stringify(frame)}\n`).join(''));

  const reply = async (frame: Frame): Promise<void> => {
    const request_id = String(frame['request_id']);
    try {
      const response = await answer?.(frame['request'] as Record<string, unknown>, request_id);
      if (response === null) return;
      if (response === undefined) throw new Error('this client answers nothing');
      send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    } catch (error) {
      send({
        type: 'control_response',
        response: { subtype: 'error', request_id, error: String((error as Error).message) },
      });
    }
  };
  cli.child.stdout.on('data', (chunk: string) => {
    rest += chunk;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      const frame = JSON.parse(rest.slice(0, end)) as Frame;
      rest = rest.slice(end + 1);
      frames.push(frame);
      if (frame.type === 'control_request') void reply(frame);
    }
    for (const listener of [...listeners]) listener();
  });
  void cli.ended.then(() => {
    for (const listener of [...listeners]) listener();
  });
  let hasEnded = false;
  void cli.ended.then(() => {
    hasEnded = true;
  });

  const until = (is: (frame: Frame) => boolean): Promise<Frame> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = frames.find(is);
        if (found === undefined && !hasEnded) return;
        listeners.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`the command line ended without it. stderr: ${cli.output.stderr}`));
      };
      listeners.add(look);
      void cli.ended.then(look);
      look();
    });

  return {
    frames,
    stderr: () => cli.output.stderr,
    send,
    write,
    async control(subtype, fields = {}) {
      ids += 1;
      const request_id = `test-${ids}`;
      send({ type: 'control_request', request_id, request: { subtype, ...fields } });
      const frame = await until(
        (one) => one.type === 'control_response' && responseOf(one)['request_id'] === request_id,
      );
      return responseOf(frame);
    },
    prompt: (content, more = {}) =>
      send({ type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null, ...more }),
    until,
    async result() {
      results += 1;
      const wanted = results;
      let result: Frame | undefined;
      await until(() => {
        result = frames.filter(({ type }) => type === 'result')[wanted - 1];
        return result !== undefined;
      });
      return result as Frame;
    },
    close: () => void cli.child.stdin.end(),
    signal: (name) => void cli.child.kill(name),
    deafen: () => void cli.child.stdout.destroy(),
    ended: cli.ended,
  };
}

function responseOf(frame: Frame): Record<string, unknown> {
  return frame['response'] as Record<string, unknown>;
}
