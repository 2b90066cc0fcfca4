// How prompts end, and what stops them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { buildEntry } from '../../e2e/run-cli.js';
import { callOf, openEditor, said } from './acp-client.js';

beforeAll(buildEntry, 300_000);

describe('cancel', () => {
  it('in the middle of a reply: cancelled, and the next prompt is not', async () => {
    const editor = await openEditor([{ deltas: 400, stallAfterEvents: 20 }, text('Fresh.')]);
    const { sessionId } = await editor.newSession();
    const first = editor.prompt(sessionId, 'talk');
    await editor.seen(sessionId, (update) => update.sessionUpdate === 'agent_message_chunk');
    const second = editor.prompt(sessionId, 'waits');
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await Promise.all([first, second])).toEqual([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
    expect(await editor.prompt(sessionId, 'again')).toEqual({ stopReason: 'end_turn' });
    expect(said(editor.updates(sessionId))).toMatch(/word Fresh\.$/);
    expect(editor.mock.requests).toHaveLength(2);
  });

  it('at once, before the prompt began', async () => {
    const editor = await openEditor((body) =>
      JSON.stringify(body).includes('again') ? text('Fresh.') : { stall: true },
    );
    const { sessionId } = await editor.newSession();
    const first = editor.prompt(sessionId, 'talk');
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await first).toEqual({ stopReason: 'cancelled' });
    // By its request too.
    const stop = new AbortController();
    const second = editor.agent.request(
      methods.agent.session.prompt,
      { sessionId, prompt: [{ type: 'text', text: 'talk' }] },
      { cancellationSignal: stop.signal },
    );
    stop.abort();
    await second.catch(() => undefined); // either form of the end is right
    expect((await editor.prompt(sessionId, 'again')).stopReason).toBe('end_turn');
  });

  it('while a question waits: the question is withdrawn, nothing runs, the call has failed', async () => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const editor = await openEditor([toolCall('Bash', { command: 'touch made' }, 'toolu_1'), text('Later.')], {
      permission: (_, signal) =>
        new Promise((resolve) => {
          asked();
          signal.addEventListener('abort', () => resolve(null));
        }),
    });
    const { sessionId } = await editor.newSession();
    const prompt = editor.prompt(sessionId, 'make it');
    await isAsked;
    await editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(callOf(editor.updates(sessionId), 'toolu_1')).toMatchObject({ kind: 'execute', status: 'failed' });
    expect(await editor.prompt(sessionId, 'again')).toEqual({ stopReason: 'end_turn' });
  });
});

describe('permissions', () => {
  it('rejected: the model hears so; always: the next call is not asked about', async () => {
    const answers = ['reject', 'allow_session'];
    const editor = await openEditor(
      [
        toolCall('Bash', { command: 'touch one' }, 'toolu_1'),
        toolCall('Bash', { command: 'touch two' }, 'toolu_2'),
        toolCall('Bash', { command: 'touch two' }, 'toolu_3'),
        text('Done.'),
      ],
      { permission: async () => answers.shift() ?? null },
    );
    const { sessionId } = await editor.newSession();
    expect(await editor.prompt(sessionId, 'go')).toEqual({ stopReason: 'end_turn' });
    expect(editor.questions.map(({ toolCall: { toolCallId } }) => toolCallId)).toEqual(['toolu_1', 'toolu_2']);
    expect(editor.questions[0]?.options.map(({ optionId }) => optionId)).toEqual([
      'allow',
      'allow_session',
      'allow_project',
      'reject',
    ]);
    const statuses = ['toolu_1', 'toolu_2', 'toolu_3'].map((id) => callOf(editor.updates(sessionId), id)['status']);
    expect(statuses).toEqual(['failed', 'completed', 'completed']);
    expect(JSON.stringify(editor.mock.requests[1]?.body)).toContain('The user said no');
  });

  it('a question that the client cancels ends the prompt', async () => {
    const editor = await openEditor([toolCall('Bash', { command: 'touch one' })], { permission: async () => null });
    const { sessionId } = await editor.newSession();
    expect(await editor.prompt(sessionId, 'go')).toEqual({ stopReason: 'cancelled' });
  });
});

describe('modes', () => {
  it('are set, told in both ways, and left with an approved plan', async () => {
    const editor = await openEditor(
      [
        toolCall('ExitPlanMode', { plan: '# Do it' }, 'toolu_plan'),
        toolCall('Write', { file_path: 'a', content: 'b' }),
        text('Done.'),
      ],
      {
        permission: async ({ options }) => options.find(({ optionId }) => optionId === 'acceptEdits')?.optionId ?? null,
      },
    );
    const { sessionId, modes } = await editor.newSession();
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['default', 'acceptEdits', 'plan', 'auto', 'dontAsk']);
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' });
    const wrong = editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'bypassPermissions' });
    await expect(wrong).rejects.toMatchObject({ code: -32602 });
    expect(await editor.prompt(sessionId, 'plan it')).toEqual({ stopReason: 'end_turn' });
    expect(editor.questions).toHaveLength(1);
    expect(editor.questions[0]?.toolCall).toMatchObject({ kind: 'switch_mode', toolCallId: 'toolu_plan' });
    expect(JSON.stringify(editor.questions[0]?.toolCall.content)).toContain('# Do it');
    const told = editor.updates(sessionId).flatMap((update) => {
      if (update.sessionUpdate === 'current_mode_update') return [update.currentModeId];
      if (update.sessionUpdate !== 'config_option_update') return [];
      return [`option ${update.configOptions.find(({ id }) => id === 'mode')?.currentValue}`];
    });
    expect(told).toEqual(['plan', 'option plan', 'acceptEdits', 'option acceptEdits']);
  });

  it('the one from before the plan comes back, and is told', async () => {
    const editor = await openEditor([toolCall('ExitPlanMode', { plan: 'x' }), text('Done.')]);
    const { sessionId } = await editor.newSession();
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'acceptEdits' });
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' });
    await editor.prompt(sessionId, 'plan it');
    const told = editor
      .updates(sessionId)
      .flatMap((update) => (update.sessionUpdate === 'current_mode_update' ? [update.currentModeId] : []));
    expect(told).toEqual(['acceptEdits', 'plan', 'acceptEdits']);
  });
});

describe('options', () => {
  it('the model and the effort of the next request', async () => {
    const editor = await openEditor(() => text('Hi.'));
    const { sessionId, configOptions } = await editor.newSession();
    const model = configOptions?.find(({ id }) => id === 'model');
    expect(JSON.stringify(model)).toContain('anthropic/claude-opus-4-5');
    await editor.prompt(sessionId, 'one');
    const set = (configId: string, value: string) =>
      editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
    const { configOptions: after } = await set('model', 'anthropic/claude-opus-4-5');
    expect(after.find(({ id }) => id === 'model')?.currentValue).toBe('anthropic/claude-opus-4-5');
    await set('effort', 'low');
    expect(await editor.prompt(sessionId, 'two')).toEqual({ stopReason: 'end_turn' });
    const [first, second] = editor.mock.requests.map(({ body }) => body as Record<string, unknown>);
    expect(second?.['model']).toBe('claude-opus-4-5');
    expect(first?.['model']).not.toBe('claude-opus-4-5');
    expect(JSON.stringify(second?.['output_config'] ?? null)).toContain('low');
    expect(JSON.stringify(second?.['messages'])).toContain('one');
    await expect(set('effort', 'huge')).rejects.toMatchObject({ code: -32602 });
    await expect(set('colour', 'red')).rejects.toMatchObject({ code: -32602 });
    await expect(set('model', 'nobody/nothing')).rejects.toMatchObject({ code: -32602 });
  });
});

describe('what a prompt holds', () => {
  it('text, links, embedded files and images; a plan from TodoWrite; commands', async () => {
    const todos = [{ content: 'First', status: 'in_progress', activeForm: 'Doing' }];
    const editor = await openEditor([reply(text('On it.'), toolCall('TodoWrite', { todos })), text('Done.')]);
    writeFileSync(join(editor.cwd, 'a.txt'), 'x');
    const { sessionId } = await editor.newSession();
    await editor.prompt(sessionId, [
      { type: 'text', text: 'look at ' },
      { type: 'resource_link', name: 'a.txt', uri: `file://${editor.cwd}/a.txt` },
      { type: 'text', text: ' please' },
      { type: 'resource', resource: { uri: 'file:///x/b.ts', text: 'const b = 1;' } },
      { type: 'image', mimeType: 'image/png', data: ONE_PIXEL_PNG },
    ]);
    const sent = JSON.stringify(editor.mock.requests[0]?.body);
    expect(sent).toContain(`look at [a.txt](${editor.cwd}/a.txt) please[b.ts](/x/b.ts)`);
    expect(sent).toContain('const b = 1;');
    expect(sent).toContain(ONE_PIXEL_PNG);
    expect(editor.updates(sessionId).filter((update) => update.sessionUpdate === 'plan')).toEqual([
      { sessionUpdate: 'plan', entries: [{ content: 'First', status: 'in_progress', priority: 'medium' }] },
    ]);
    expect(editor.updates(sessionId).some((update) => update.sessionUpdate === 'tool_call')).toBe(false);
    expect(await editor.prompt(sessionId, '/help')).toEqual({ stopReason: 'end_turn' });
    expect(said(editor.updates(sessionId)).match(/\/compact/g)?.length).toBeGreaterThan(0);
    expect(editor.mock.requests).toHaveLength(2);
    const audio = editor.prompt(sessionId, [{ type: 'audio', mimeType: 'audio/wav', data: '' }]);
    await expect(audio).rejects.toMatchObject({ code: -32602 });
    await expect(editor.prompt(sessionId, ' ')).rejects.toMatchObject({ code: -32602 });
  });
});

it('a plan from tasks, as each change leaves it', async () => {
  const editor = await openEditor(
    [
      toolCall('TaskCreate', { subject: 'First', description: 'd' }),
      toolCall('TaskUpdate', { taskId: '1', status: 'completed' }),
      toolCall('TaskUpdate', { taskId: '9', status: 'completed' }),
      text('Done.'),
    ],
    { argv: ['--tools', 'TaskCreate,TaskUpdate'] },
  );
  const { sessionId } = await editor.newSession();
  await editor.prompt(sessionId, 'go');
  const plans = editor.updates(sessionId).filter((update) => update.sessionUpdate === 'plan');
  const entry = { content: 'First', priority: 'medium' };
  expect(plans.map(({ entries }) => entries)).toEqual([
    [{ ...entry, status: 'pending' }],
    [{ ...entry, status: 'completed' }],
  ]);
});

describe('how it ends', () => {
  it('turns, refusal, a failure of the model in its own words', async () => {
    const editor = await openEditor(
      [
        { ...reply(text('No.')), stopReason: 'refusal' },
        toolCall('Glob', { pattern: '*' }),
        { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'odd request' } } },
        text('Alive.'),
      ],
      { argv: ['--max-turns', '1'] },
    );
    const { sessionId } = await editor.newSession();
    expect(await editor.prompt(sessionId, 'one')).toEqual({ stopReason: 'refusal' });
    expect(await editor.prompt(sessionId, 'two')).toEqual({ stopReason: 'max_turn_requests' });
    await expect(editor.prompt(sessionId, 'three')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('odd request'),
    });
    expect(await editor.prompt(sessionId, 'four')).toEqual({ stopReason: 'end_turn' });
  });

  it('an attempt that broke off says nothing twice', async () => {
    const editor = await openEditor([
      { ...reply(text('The answer is forty-two, and that is all there is to it.')), cutAfterEvents: 4 },
      text('The answer is forty-two, and that is all there is to it.'),
    ]);
    const { sessionId } = await editor.newSession();
    expect(await editor.prompt(sessionId, 'ask')).toEqual({ stopReason: 'end_turn' });
    expect(editor.mock.requests).toHaveLength(2);
    expect(said(editor.updates(sessionId))).toBe('The answer is forty-two, and that is all there is to it.');
  });
});

describe('questions of the model', () => {
  const ask = toolCall('AskUserQuestion', {
    questions: [
      {
        question: 'Which library?',
        header: 'Library',
        options: [
          { label: 'A', description: 'a' },
          { label: 'B', description: 'b' },
        ],
        multiSelect: false,
      },
    ],
  });

  it('as a form if the client has forms', async () => {
    const editor = await openEditor([ask, text('Done.')], {
      capabilities: { elicitation: { form: {} } },
      elicitation: () => ({ action: 'accept', content: { Library: 'B' } }),
    });
    const { sessionId } = await editor.newSession();
    expect(await editor.prompt(sessionId, 'go')).toEqual({ stopReason: 'end_turn' });
    expect(editor.forms).toMatchObject([{ mode: 'form', sessionId, message: 'Which library?' }]);
    expect(JSON.stringify(editor.mock.requests[1]?.body)).toContain('\\"Which library?\\": B');
    expect(editor.questions).toEqual([]);
  });

  it('as buttons if it has none', async () => {
    const editor = await openEditor([ask, text('Done.')], { permission: async () => '1' });
    const { sessionId } = await editor.newSession();
    await editor.prompt(sessionId, 'go');
    expect(editor.questions[0]?.options.map(({ name }) => name)).toEqual(['A', 'B', 'Skip the question']);
    expect(JSON.stringify(editor.mock.requests[1]?.body)).toContain('\\"Which library?\\": B');
  });
});
