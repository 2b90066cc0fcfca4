import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/cli-io.js';
import { createAnswerView } from '../../src/cli/lines/print-mode.js';
import type { SDKMessage } from '../../src/protocol/messages.js';

const STYLE = { colour: false, columns: 80, verbose: false };
const CALL = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } };

const message = (fields: object) =>
  ({ uuid: 'u', session_id: 's', parent_tool_use_id: null, ...fields }) as unknown as SDKMessage;
const says = (text: string, ...more: object[]) =>
  message({ type: 'assistant', message: { id: text, content: [{ type: 'text', text }, ...more] } });
const system = (subtype: string, fields: object = {}) => message({ type: 'system', subtype, ...fields });
const result = (text: string, fields: object = {}) =>
  message({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 1000,
    num_turns: 1,
    result: text,
    errors: [],
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    permission_denials: [],
    terminal_reason: 'completed',
    ...fields,
  });

/** `order`: what had landed where after each message, and at the end. */
async function show(messages: readonly SDKMessage[], style = STYLE) {
  const seen = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    createOutput(
      new Writable({
        write(chunk, _encoding, done) {
          seen[name] += String(chunk);
          done();
        },
      }),
    );
  const view = createAnswerView({ stdout: collect('stdout'), stderr: collect('stderr'), style });
  const steps: { stdout: string; stderr: string }[] = [];
  for (const each of messages) {
    await view.show(each);
    steps.push({ ...seen });
  }
  await view.end?.();
  return { ...seen, steps };
}

describe('the answer of one prompt', () => {
  it('tells a denial once: the result that the model reads is for whoever wants more', async () => {
    const denied = system('permission_denied', {
      tool_name: 'Bash',
      tool_use_id: 't',
      message: 'Bash was denied: no.',
    });
    const results = ['t', 'other'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` }));
    const messages = [
      says('', CALL),
      denied,
      message({ type: 'user', message: { content: results } }),
      result('Done.'),
    ];
    expect((await show(messages)).stderr).toMatch(/^● Bash {2}ls\n✗ Bash denied: no\.\n {2}⎿ of other\n1 turn/);
    expect((await show(messages, { ...STYLE, verbose: true })).stderr).toContain('⎿ of t\n');
  });

  it('is the text of the last turn; what was said before goes to stderr as it comes', async () => {
    const seen = await show([system('init'), says('Looking.', CALL), says('Found it.'), result('Found it.')]);
    expect(seen.steps[1]?.stderr).toBe('Looking.\n● Bash  ls\n');
    expect(seen.stdout).toBe('Found it.\n');
    expect(seen.stderr).toMatch(/^Looking\.\n● Bash {2}ls\n1 turn/);
  });

  it('is not text that the model went on from', async () => {
    const seen = await show([says('Half of'), says('the whole.'), result('the whole.')]);
    expect(seen).toMatchObject({ stdout: 'the whole.\n', stderr: expect.stringMatching(/^Half of\n1 turn/) });
  });

  it('is the value if a value was asked for', async () => {
    expect((await show([says('{ "n": 3 }'), result('{"n":3}', { structured_output: { n: 3 } })])).stdout).toBe(
      '{"n":3}\n',
    );
  });

  it.each([
    [
      'an error',
      result('half', { subtype: 'error_during_execution', is_error: true, errors: ['boom'] }),
      /^half\nerror: boom\n/,
    ],
    [
      'a wait',
      result('half', { terminal_reason: 'tool_deferred', deferred_tool_uses: [{ ...CALL }] }),
      /^half\nwaits: /,
    ],
  ])('is none where the prompt ended with %s', async (_name, end, stderr) => {
    expect(await show([says('half'), end])).toMatchObject({ stdout: '', stderr: expect.stringMatching(stderr) });
  });

  it('is told of nobody if the stream ends without a result', async () => {
    expect(await show([says('half')])).toMatchObject({ stdout: '', stderr: 'half\n' });
  });

  it('is that of the last prompt if a background task began another', async () => {
    const seen = await show([says('one'), result('one'), system('init'), says('two'), result('two')]);
    expect(seen.stdout).toBe('two\n');
    expect(seen.stderr).toMatch(/^one\n1 turn.*\n1 turn/);
  });

  it('comes once, without the parts, withdrawals and texts of subagents', async () => {
    const part = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'wh' } };
    const sub = { ...says('sub'), parent_tool_use_id: 't' } as SDKMessage;
    const reset = system('stream_reset', { message_id: 'a', reason: 'stream_cut' });
    const seen = await show([
      message({ type: 'stream_event', event: part }),
      reset,
      sub,
      says('whole'),
      result('whole'),
    ]);
    expect(seen).toMatchObject({ stdout: 'whole\n', stderr: expect.stringMatching(/^1 turn/) });
  });

  it('holds nothing hidden', async () => {
    expect((await show([result('a\x1b[2Jb')])).stdout).toBe('a\\x1b[2Jb\n');
  });
});
