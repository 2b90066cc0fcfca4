// What a client may send by mistake, each kind by itself. In each case: the session goes on or says in words why not, no
// line shows a stack, and the transcript is whole.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { temporaryFolder } from '../e2e/run-cli.js';
import { type Frame, type ServedWire, type ServedWireOptions, serveInProcess } from '../support/served-wire.js';

const ID = '7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f001';
const OTHER_ID = '7c1e7bd0-1c5a-4b5e-9a52-3f0a4ab1f002';
const user = (content: unknown, more = {}) => ({ type: 'user', message: { role: 'user', content }, ...more });
const request = (request_id: unknown, subtype: unknown, fields = {}) => ({
  type: 'control_request',
  request_id,
  request: { subtype, ...fields },
});
const answersTo = (frames: readonly Frame[], id: unknown) =>
  frames.flatMap(({ type, response }) =>
    type === 'control_response' && (response as { request_id: unknown }).request_id === id ? [response as object] : [],
  );
const asks = (frame: Frame) =>
  frame.type === 'control_request' && (frame['request'] as { subtype: string }).subtype === 'can_use_tool';
const answer = (request_id: unknown, response: unknown) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id, response },
});

let mock: Awaited<ReturnType<typeof startMockProvider>>;
beforeAll(async () => {
  mock = await startMockProvider({
    steps: (body) => {
      const { messages } = body as { messages: { role: string; content: unknown }[] };
      const last = JSON.stringify(messages.at(-1)?.content);
      if (last.includes('tool_result')) return text('done');
      return last.includes('use a tool') ? reply(toolCall('Bash', { command: 'touch used' })) : text('fine');
    },
  });
});
afterAll(() => mock.close());

const serve = (options: Partial<ServedWireOptions> = {}) =>
  serveInProcess({ url: mock.url, cwd: temporaryFolder(), ...options });

/** The session answers a prompt as ever, ends with that code, and what it wrote can be read. */
async function goesOn(wire: ServedWire, expected: { result?: number; prompts?: number } = {}): Promise<void> {
  const { result = 1, prompts = result } = expected;
  wire.prompt('go');
  expect(await wire.result(result)).toMatchObject({ subtype: 'success', result: 'fine' });
  wire.stdin.end();
  expect(await wire.code).toBe(0);
  isWhole(wire, prompts);
}

/** Each line of the transcript is whole, each entry once, each behind one that stands before it. */
function isWhole(wire: ServedWire, prompts: number): void {
  expect(wire.stderr()).not.toMatch(/\n\s+at |undefined/);
  const entries = wire.transcript().filter(({ uuid }) => uuid !== undefined);
  const before = new Set<unknown>([null, undefined]);
  for (const { uuid, parentUuid } of entries) {
    expect(before.has(parentUuid)).toBe(true);
    expect(typeof uuid === 'string' && !before.has(uuid)).toBe(true);
    before.add(uuid);
  }
  expect(entries.filter(({ type, message }) => type === 'user' && isTyped(message))).toHaveLength(prompts);
}
function isTyped(message: unknown): boolean {
  return !JSON.stringify(message).includes('tool_result');
}

describe('a line that is no frame', () => {
  it.each([
    ['words', 'no json', /not a JSON object.*no json/],
    ['a list', '[1]', /not a JSON object/],
    ['a number', '7', /not a JSON object/],
    ['a text', '"x"', /not a JSON object/],
    ['nothing', 'null', /not a JSON object/],
    ['an object without its end', '{"type":"user"', /not a JSON object/],
    ['two objects', '{"type":"keep_alive"}{"type":"keep_alive"}', /not a JSON object/],
    ['zero bytes', '\0\0\0', /not a JSON object/],
    ['a byte order mark', '\uFEFF{"type":"keep_alive"}', /not a JSON object/],
    ['brackets, a hundred thousand deep', '['.repeat(100_000), /not a JSON object/],
    ['what moves a terminal', 'a\u001b]0;x\u0007\u009b2J\u202eb', /\\u001b.*\\x9b2J\\u202e/],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x80, 0xc3]), /not a JSON object/],
  ])('is told and passed over: %s', async (_what, line, told) => {
    const wire = serve();
    wire.stdin.write(line);
    wire.stdin.write('\n');
    await goesOn(wire);
    expect(wire.stderr()).toMatch(told);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may come through
    expect(wire.stderr()).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \t '],
    ['a sign of life', '{"type":"keep_alive"}'],
    ['an object with a line end of Windows', '{"type":"keep_alive"}\r'],
  ])('is passed over without a word: %s', async (_what, line) => {
    const wire = serve();
    wire.stdin.write(`${line}\n`);
    await goesOn(wire);
    expect(wire.stderr()).toBe('');
  });

  it.each([
    ['of a type that nobody knows', { type: 'wonder' }, /type "wonder"/],
    ['of no type', { a: 1 }, /of the type undefined|without a type/],
    ['with a type that is not a text', { type: ['user'] }, /\["user"\]/],
  ])('is told, if it is an object %s', async (_what, line, told) => {
    const wire = serve();
    wire.send(line);
    wire.prompt('go');
    await wire.result(1);
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    expect(wire.stderr()).toMatch(told);
  });

  it('is told twenty times, then counted', async () => {
    const wire = serve();
    wire.stdin.write('junk\n'.repeat(10_000));
    await goesOn(wire);
    expect(
      wire
        .stderr()
        .split('\n')
        .filter((line) => line.includes('junk')),
    ).toHaveLength(20);
    expect(wire.stderr()).toContain('9980 more lines');
  });
});

describe('a line of 10 MB', () => {
  const ten = 'x'.repeat(10_000_000);

  it('is a prompt if it is one, and each line back is shorter than 1 MiB', async () => {
    const wire = serve({ flags: ['--replay-user-messages'] });
    wire.prompt(ten);
    expect(await wire.result(1)).toMatchObject({ result: 'fine' });
    const sent = mock.requests.at(-1)?.body as { messages: { content: unknown }[] };
    expect(JSON.stringify(sent.messages[0]?.content).length).toBeGreaterThan(10_000_000);
    expect(Math.max(...wire.frames.map((frame) => JSON.stringify(frame).length))).toBeLessThan(1_048_576);
    await goesOn(wire, { result: 2 });
  });

  it('is told by its beginning if it is garbage, whether it ends or not', async () => {
    const wire = serve();
    wire.stdin.write(`${ten}\n`);
    await goesOn(wire);
    expect(wire.stderr().length).toBeLessThan(500);

    const open = serve();
    open.prompt('go');
    await open.result(1);
    open.stdin.end(ten);
    expect(await open.code).toBe(0);
    expect(open.stderr()).toMatch(/not a JSON object/);
    isWhole(open, 1);
  });

  it('is refused by its length above 64 MB, and what follows is read', async () => {
    const wire = serve();
    const some = Buffer.alloc(1_000_000, 'y');
    for (let at = 0; at < 65; at++)
      if (!wire.stdin.write(some)) await new Promise((done) => wire.stdin.once('drain', done));
    wire.stdin.write('\n');
    await goesOn(wire);
    expect(wire.stderr()).toMatch(/more than 64000000 bytes.*yyy/);
    expect(wire.stderr().length).toBeLessThan(500);
  });
});

describe('a message that cannot be a prompt', () => {
  it.each([
    ['no message', { type: 'user' }, /no "message"/],
    ['a message that is a text', { type: 'user', message: 'go' }, /no "message"/],
    ['content that is a number', user(5), /neither a text nor a list/],
    ['a priority that nobody knows', user('go', { priority: 'soon' }), /priority "soon"/],
    ['an id that is a number', user('go', { uuid: 7 }), /uuid/],
    ['an id without a character', user('go', { uuid: '' }), /uuid/],
    ['an origin without a kind', user('go', { origin: {} }), /origin/],
    ['files without a name', user('go', { file_attachments: [{}] }), /relative_path/],
  ])('has a result that says why: %s', async (_what, message, why) => {
    const wire = serve();
    wire.send(message);
    expect(await wire.result(1)).toMatchObject({ is_error: true, errors: [expect.stringMatching(why)] });
    expect(wire.stderr()).toMatch(why);
    await goesOn(wire, { result: 2, prompts: 1 });
  });

  it('is the reason for exit code 1 if it was the last; its result comes behind that of the prompt that runs', async () => {
    const wire = serve();
    wire.send(user('go'), user(5));
    wire.stdin.end();
    expect(await wire.code).toBe(1);
    const results = wire.frames.filter(({ type }) => type === 'result');
    expect(results).toMatchObject([{ subtype: 'success' }, { is_error: true }]);
    expect(results[1]?.['session_id']).toBe(results[0]?.['session_id']);

    const alone = serve();
    alone.send(user(5));
    alone.stdin.end();
    expect(await alone.code).toBe(1);
    isWhole(alone, 0);
  });

  it('is a result of the session too if its parts cannot be sent', async () => {
    const wire = serve();
    for (const content of ['', [], [7], [{ type: 'text' }], [{ type: 'wonder' }]]) wire.prompt(content);
    for (let at = 1; at <= 5; at++) {
      const { subtype, is_error } = await wire.result(at);
      expect([subtype, is_error]).toEqual(['error_during_execution', true]);
    }
    wire.prompt('go');
    expect(await wire.result(6)).toMatchObject({ result: 'fine' });
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    isWhole(wire, 1);
  });
});

describe('a control request', () => {
  it.each([
    ['a subtype that nobody knows', { subtype: 'no_such_request' }, /no_such_request/],
    ['no subtype', {}, /Unsupported/],
    ['a subtype that is a number', { subtype: 7 }, /7/],
    ['a subtype that every object has', { subtype: 'constructor' }, /constructor/],
    ['another one', { subtype: '__proto__' }, /__proto__/],
    ['a field that is not what it must be', { subtype: 'set_model', model: 7 }, /"model" of a control request must be/],
    ['a field that is missing', { subtype: 'stop_task' }, /"task_id"/],
  ])('is answered with an error in words: %s', async (_what, fields, why) => {
    const wire = serve();
    wire.send({ type: 'control_request', request_id: 'r', request: fields });
    await wire.until(({ type }) => type === 'control_response');
    expect(answersTo(wire.frames, 'r')).toEqual([
      { subtype: 'error', request_id: 'r', error: expect.stringMatching(why), code: expect.any(String) },
    ]);
    await goesOn(wire);
  });

  it.each([
    ['none', {}],
    ['a list', { request: [] }],
    ['a text', { request: 'interrupt' }],
  ])('is answered with an error if what it asks for is %s', async (_what, more) => {
    const wire = serve();
    wire.send({ type: 'control_request', request_id: 'r', ...more });
    await wire.until(({ type }) => type === 'control_response');
    expect(answersTo(wire.frames, 'r')).toMatchObject([{ subtype: 'error' }]);
    await goesOn(wire);
  });

  it('has an answer with its id as it came; without one it is passed over, and that is said', async () => {
    const wire = serve();
    wire.send(
      request(7, 'get_plan_mode'),
      request('', 'get_plan_mode'),
      request(undefined, 'interrupt'),
      request({}, 'x'),
    );
    await goesOn(wire);
    expect([answersTo(wire.frames, 7), answersTo(wire.frames, '')]).toMatchObject([
      [{ subtype: 'success' }],
      [{ subtype: 'success' }],
    ]);
    expect(wire.frames.filter(({ type }) => type === 'control_response')).toHaveLength(2);
    expect(wire.stderr().match(/without a request_id/g)).toHaveLength(2);
  });
});

describe('an id that comes twice', () => {
  it('of requests: each is answered', async () => {
    const wire = serve();
    wire.send(request('r', 'get_plan_mode'), request('r', 'interrupt'), request('r', 'no_such_request'));
    await goesOn(wire);
    const answers = answersTo(wire.frames, 'r') as { subtype: string }[];
    expect(answers.map(({ subtype }) => subtype).sort()).toEqual(['error', 'success', 'success']);
  });

  it('of messages: each is run, the second by an id of its own, which is said', async () => {
    const wire = serve({ env: { QODER_AGENT_SDK_ENTRYPOINT: 'sdk-ts' } });
    wire.prompt('first', { uuid: ID });
    await wire.result(1);
    wire.prompt('second', { uuid: ID });
    const second = await wire.result(2);
    expect(second).toMatchObject({ result: 'fine' });
    expect(second['user_message_uuid']).not.toBe(ID);
    expect(wire.frames).toContainEqual(
      expect.objectContaining({ code: 'message_id_replaced', message: expect.stringContaining(ID) }),
    );
    const states = wire.frames.filter(({ command_uuid }) => command_uuid === ID).map(({ state }) => state);
    expect(states).toEqual(['queued', 'started', 'completed']);
    await goesOn(wire, { result: 3 });
  });

  it('of a message that an earlier process of the session got', async () => {
    const cwd = temporaryFolder();
    const first = serve({ cwd });
    first.prompt('first', { uuid: ID });
    const { session_id } = await first.result(1);
    first.stdin.end();
    await first.code;
    const next = serve({ cwd, flags: ['--resume', String(session_id)] });
    next.prompt('again', { uuid: ID });
    await next.result(1);
    await goesOn(next, { result: 2, prompts: 3 });
  });

  it('of a message that joins a prompt which runs, and of one that asks nothing', async () => {
    const wire = serve({ flags: ['--permission-prompt-tool', 'stdio'] });
    wire.prompt('use a tool', { uuid: ID });
    const asked = await wire.until(asks);
    wire.prompt('beside', { uuid: ID, priority: 'next' });
    wire.send(answer(asked['request_id'], { behavior: 'allow' }));
    await wire.result(1);
    wire.prompt('noted', { uuid: ID, shouldQuery: false });
    wire.prompt('last', { uuid: OTHER_ID });
    await wire.result(2);
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    isWhole(wire, 4);
  });
});

describe('an answer', () => {
  it.each([
    ['to nothing that was asked', answer('nobody', { behavior: 'allow' })],
    ['without an inside', { type: 'control_response' }],
    ['with an inside that is a list', { type: 'control_response', response: [] }],
    ['that withdraws what was never asked', { type: 'control_cancel_request', request_id: 'nobody' }],
    ['that withdraws nothing', { type: 'control_cancel_request' }],
  ])('%s is nothing', async (_what, line) => {
    const wire = serve();
    wire.send(line);
    await goesOn(wire);
    expect(wire.stderr()).toBe('');
  });

  it.each([
    ['of no meaning', (id: unknown) => answer(id, { behavior: 'perhaps' })],
    ['without a meaning', (id: unknown) => answer(id, {})],
    ['that is nothing', (id: unknown) => answer(id, null)],
    ['that is a list', (id: unknown) => answer(id, ['allow'])],
    [
      'that refuses without a word',
      (id: unknown) => ({ type: 'control_response', response: { subtype: 'error', request_id: id } }),
    ],
    ['of a kind that nobody knows', (id: unknown) => ({ type: 'control_response', response: { request_id: id } })],
  ])('to a question about a call, %s, denies it', async (_what, answered) => {
    const wire = serve({
      flags: ['--permission-prompt-tool', 'stdio'],
      onFrame: (frame) => (asks(frame) ? answered(frame['request_id']) : null),
    });
    wire.prompt('use a tool');
    expect(await wire.result(1)).toMatchObject({ result: 'done', permission_denials: [{ tool_name: 'Bash' }] });
    await goesOn(wire, { result: 2 });
  });

  it('that comes twice counts once: the first', async () => {
    const wire = serve({ flags: ['--permission-prompt-tool', 'stdio'] });
    wire.prompt('use a tool');
    const { request_id } = await wire.until(asks);
    wire.send(answer(request_id, { behavior: 'deny', message: 'no' }), answer(request_id, { behavior: 'allow' }));
    expect(await wire.result(1)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    wire.send(answer(request_id, { behavior: 'allow' }));
    await goesOn(wire, { result: 2 });
  });
});

// Each byte of these lines is a place where a client may die: a request, a message, letters of two and four bytes.
const LINES = [request('i', 'get_plan_mode'), user('ü🐝'), user('2')];
const BYTES = Buffer.from(LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));

describe('stdin', () => {
  it(`may end at each of ${BYTES.length} bytes: what came whole is worked on, what did not is told`, async () => {
    for (let at = 0; at <= BYTES.length; at++) {
      const wire = serve();
      wire.stdin.end(BYTES.subarray(0, at));
      const code = await wire.code;
      const where = `cut at byte ${at} of ${BYTES.length}`;
      // A last line without its end counts if it is whole.
      const said = BYTES.subarray(0, at).toString('utf8').split('\n');
      const whole = said.filter((line) => LINES.some((each) => JSON.stringify(each) === line));
      const prompts = whole.filter((line) => line.includes('"user"')).length;
      expect([code, wire.frames.filter(({ type }) => type === 'result').length], where).toEqual([0, prompts]);
      expect(answersTo(wire.frames, 'i').length, where).toBe(whole.length > prompts ? 1 : 0);
      expect(wire.stderr(), where).toMatch(
        said.length - 1 < whole.length || said.at(-1) === '' ? /^$/ : /not a JSON object/,
      );
      isWhole(wire, prompts);
    }
  });

  it('may end while a question waits, which is denied then, and with prompts that wait, which are run', async () => {
    const wire = serve({ flags: ['--permission-prompt-tool', 'stdio'] });
    wire.prompt('use a tool');
    await wire.until(asks);
    wire.prompt('go');
    wire.stdin.end();
    expect(await wire.code).toBe(0);
    const results = wire.frames.filter(({ type }) => type === 'result');
    expect(results).toMatchObject([{ permission_denials: [{ tool_name: 'Bash' }] }, { result: 'fine' }]);
    isWhole(wire, 2);
  });

  it('may break instead of ending', async () => {
    const wire = serve();
    wire.prompt('go');
    await wire.result(1);
    wire.stdin.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }));
    expect(await wire.code).toBe(0);
    isWhole(wire, 1);
  });
});

describe('stdout', () => {
  it.each([
    ['before the first line', null],
    ['behind the first message', (frame: Frame) => frame['subtype'] === 'init'],
    ['within a reply', ({ type }: Frame) => type === 'stream_event'],
    ['while a question waits', asks],
    ['behind the result', ({ type }: Frame) => type === 'result'],
  ])('may be closed by its reader %s: exit code 141, and nothing runs on', async (_when, is) => {
    const wire = serve({ flags: ['--permission-prompt-tool', 'stdio', '--include-partial-messages'] });
    if (is === null) wire.stdout.destroy();
    wire.prompt('use a tool');
    if (is !== null) {
      const frame = await wire.until((each) => is(each) || (is !== asks && asks(each)));
      if (is !== asks && asks(frame)) {
        wire.send(answer(frame['request_id'], { behavior: 'allow' }));
        await wire.until(is);
      }
      wire.stdout.destroy();
    }
    wire.prompt('again');
    expect(await wire.code).toBe(141);
    expect(wire.stderr()).not.toMatch(/\n\s+at /);
    expect(() => wire.transcript()).not.toThrow();
  });
});
