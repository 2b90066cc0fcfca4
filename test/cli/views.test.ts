import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/cli-io.js';
import { createJsonView, createStreamJsonView, createTextView } from '../../src/cli/lines/views.js';
import type { SDKMessage } from '../../src/protocol/messages.js';

const STYLE = { colour: false, columns: 80, verbose: false };

const message = (fields: object) =>
  ({ uuid: 'u', session_id: 's', parent_tool_use_id: null, ...fields }) as unknown as SDKMessage;
const event = (fields: object, parent: string | null = null) =>
  message({ type: 'stream_event', event: fields, parent_tool_use_id: parent });
const start = (id: string) => event({ type: 'message_start', message: { id } });
const delta = (text: string, parent?: string) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, parent);
const stop = event({ type: 'content_block_stop', index: 0 });
const assistant = (id: string, ...content: object[]) => message({ type: 'assistant', message: { id, content } });
const textBlock = (text: string) => ({ type: 'text', text });
const system = (subtype: string, fields: object) => message({ type: 'system', subtype, ...fields });
const result = (fields: object = {}) =>
  message({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 1000,
    num_turns: 1,
    result: 'from the result',
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    permission_denials: [],
    terminal_reason: 'completed',
    ...fields,
  });

/** Shows messages and gives what landed where. `both` is the order in which one terminal would have seen it. */
async function show(messages: SDKMessage[], shared = false) {
  const seen = { stdout: '', stderr: '', both: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    createOutput(
      new Writable({
        write(chunk, _encoding, done) {
          seen[name] += String(chunk);
          seen.both += String(chunk);
          done();
        },
      }),
    );
  const view = createTextView({ stdout: collect('stdout'), stderr: collect('stderr'), style: STYLE, shared });
  for (const each of messages) await view.show(each);
  return seen;
}

describe('createTextView', () => {
  it('prints streamed text once, and its calls', async () => {
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } };
    const seen = await show([start('a'), delta('Hel'), delta('lo'), stop, assistant('a', textBlock('Hello'), call)]);
    expect(seen).toMatchObject({ stdout: 'Hello\n', stderr: '● Bash  ls\n' });
  });

  it('prints text that was not streamed, each block on its own lines', async () => {
    const seen = await show([assistant('a', textBlock('one'), textBlock('two\n')), assistant('b', textBlock('three'))]);
    expect(seen.stdout).toBe('one\ntwo\nthree\n');
  });

  it('prints the retry of a withdrawn message, streamed or not', async () => {
    const reset = system('stream_reset', { message_id: 'a', reason: 'stream_cut' });
    const seen = await show([start('a'), delta('Hel'), reset, assistant('a', textBlock('Hello'))], true);
    expect(seen.both).toBe('Hel\n! the partial answer above is withdrawn: stream_cut\nHello\n');
  });

  it('begins activity on a line of its own if one terminal shows both', async () => {
    const notice = system('notice', { level: 'warning', message: 'careful' });
    expect((await show([start('a'), delta('half'), notice], true)).both).toBe('half\n! careful\n');
    expect((await show([start('a'), delta('half'), notice])).stdout).toBe('half');
  });

  it('ends the answer before the figures, also if the stream was cut', async () => {
    const aborted = result({
      subtype: 'error_during_execution',
      is_error: true,
      errors: [],
      terminal_reason: 'aborted',
    });
    const seen = await show([start('a'), delta('half'), aborted]);
    expect(seen.stdout).toBe('half\n');
    expect(seen.stderr).toMatch(/^interrupted\n1 turn/);
  });

  it('prints the result if there was no other text, and only then', async () => {
    expect((await show([result()])).stdout).toBe('from the result\n');
    expect((await show([assistant('a', textBlock('x')), result()])).stdout).toBe('x\n');
    const failed = result({ subtype: 'error_during_execution', is_error: true, errors: ['boom'] });
    expect(await show([failed])).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^error: boom\n/) });
  });

  it('keeps the text of subagents out of the answer', async () => {
    const sub = message({
      type: 'assistant',
      parent_tool_use_id: 't',
      message: { id: 'b', content: [textBlock('sub')] },
    });
    expect((await show([delta('sub', 't'), sub])).stdout).toBe('');
  });

  it('says whose a line is if several subagents work, and only then', async () => {
    const task = (subtype: string, id: string, fields: object) =>
      system(subtype, { task_id: `a${id}`, tool_use_id: `t${id}`, subagent_type: 'reader', ...fields });
    const call = (parent: string) =>
      message({
        type: 'assistant',
        parent_tool_use_id: parent,
        message: { id: parent, content: [{ type: 'tool_use', id: 'x', name: 'Bash', input: { command: 'ls' } }] },
      });
    const begin = (id: string) => task('task_started', id, { description: `look ${id}` });
    const end = (id: string) => task('task_notification', id, { status: 'completed', summary: `seen ${id}` });
    const alone = await show([begin('1'), call('t1'), end('1'), begin('2'), call('t2'), end('2')]);
    expect(alone.stderr.split('\n')).toEqual([
      '▸ look 1',
      '  ● Bash  ls',
      '▸ completed: seen 1',
      '▸ look 2',
      '  ● Bash  ls',
      '▸ completed: seen 2',
      '',
    ]);
    const notice = system('notice', { level: 'info', message: 'hm', agent_id: 'a2' });
    const mixed = await show([begin('1'), begin('2'), call('t1'), call('t2'), end('2'), notice, call('t1'), end('1')]);
    expect(mixed.stderr.split('\n')).toEqual([
      '▸ look 1',
      '▸ reader 2: look 2',
      '  reader │ ● Bash  ls',
      '  reader 2 │ ● Bash  ls',
      '▸ reader 2: completed: seen 2',
      '  reader 2 │ ! hm',
      '  reader │ ● Bash  ls',
      '▸ reader: completed: seen 1',
      '',
    ]);
  });

  it('knows the offline model by init', async () => {
    expect((await show([system('init', { provider: 'offline' }), result()])).stderr).toContain('no cost');
  });
});

describe('machine views', () => {
  it('json holds the last result alone, once there is no other; warnings go to stderr', async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const view = createJsonView({ stdout: createOutput(stdout), stderr: createOutput(stderr), style: STYLE });
    const messages = [
      system('init', {}),
      assistant('a', textBlock('x')),
      system('notice', { level: 'info', message: 'by the way' }),
      system('notice', { level: 'warning', message: 'careful' }),
      result({ result: 'first' }),
      result({ result: 'last' }),
    ];
    for (const each of messages) await view.show(each);
    expect(stdout.read()).toBeNull();
    await view.end?.();
    expect(JSON.parse(String(stdout.read()))).toMatchObject({ type: 'result', result: 'last' });
    expect(String(stderr.read())).toBe('! careful\n');
  });

  it('stream-json holds every message, one a line, whatever is in it', async () => {
    const stdout = new PassThrough();
    const view = createStreamJsonView({ stdout: createOutput(stdout), stderr: createOutput(stdout), style: STYLE });
    const messages = [system('init', {}), assistant('a', textBlock('a\nb\u2028\r\n')), result()];
    for (const each of messages) await view.show(each);
    const lines = String(stdout.read()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(messages);
  });
});

describe('createOutput', () => {
  it('waits for a slow reader, and no longer than it is there', async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    const output = createOutput(stream);
    let wrote = false;
    const writing = output.write('longer than four').then(() => {
      wrote = true;
    });
    await new Promise(setImmediate);
    expect(wrote).toBe(false);
    stream.resume();
    await writing;
    stream.pause();
    const stuck = output.write('again longer than four');
    stream.destroy(new Error('EPIPE'));
    await stuck;
    expect(output.closed).toBe(true);
    await output.write('into the void');
    await output.flush();
  });
});
