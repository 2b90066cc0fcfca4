// Hook events that published SDKs have beside those of the specification, and fields of their inputs and answers.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/protocol/errors.js';
import type { HookCallbackMatcher, HookEvent, HookInput, HookJSONOutput } from '../../../src/protocol/hooks.js';
import type { SDKMessage } from '../../../src/protocol/index.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { controlled } from '../../support/controlled.js';
import { skillFile } from '../../support/skills.js';

/** One hook that answers as it is told and keeps what it heard. */
function listener<Event extends HookEvent>(event: Event, answer: HookJSONOutput = {}) {
  const heard: Extract<HookInput, { readonly hook_event_name: Event }>[] = [];
  const matchers: HookCallbackMatcher[] = [
    {
      hooks: [
        async (input) => {
          heard.push(input as (typeof heard)[number]);
          return answer;
        },
      ],
    },
  ];
  return { heard, hooks: { [event]: matchers } };
}

const of = (event: HookEvent, fields: Record<string, unknown>): HookJSONOutput => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});
const lastMessage = (model: { readonly requests: readonly { readonly messages: readonly unknown[] }[] }) =>
  JSON.stringify(model.requests.at(-1)?.messages.at(-1));
const texts = (messages: readonly SDKMessage[]) => JSON.stringify(messages);

describe('PostToolBatch', () => {
  const calls = reply(toolCall('Bash', { command: 'echo one' }), toolCall('Bash', { command: 'exit 3' }));

  it('hears once of all calls of a reply, and adds what the model reads behind their results', async () => {
    const batch = listener('PostToolBatch', of('PostToolBatch', { additionalContext: 'mind the gap' }));
    const model = scriptedModel([calls, text('done')]);
    const { ask, messages } = await controlled(model, {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      ...batch,
    });
    await ask('Go.');
    expect(batch.heard).toHaveLength(1);
    expect(batch.heard[0]?.tool_calls).toMatchObject([
      {
        tool_name: 'Bash',
        tool_input: { command: 'echo one' },
        tool_use_id: 'toolu_0001',
        tool_response: expect.stringContaining('one'),
      },
      { tool_name: 'Bash', tool_input: { command: 'exit 3' }, tool_use_id: 'toolu_0002' },
    ]);
    const last = model.requests.at(-1)?.messages.at(-1);
    expect((last?.content as unknown as readonly { type: string }[] | undefined)?.map(({ type }) => type)).toEqual([
      'tool_result',
      'tool_result',
      'text',
    ]);
    expect(lastMessage(model)).toContain('[From a hook: mind the gap]');
    expect(texts(messages)).toContain('mind the gap');
  });

  it('ends the prompt if it says so, with every call answered', async () => {
    const batch = listener('PostToolBatch', { continue: false, stopReason: 'enough' });
    const model = scriptedModel([calls, text('more')]);
    const { ask, messages } = await controlled(model, { allowedTools: ['Bash'], ...batch });
    expect(await ask('Go.')).toMatchObject({ terminal_reason: 'hook_stopped' });
    expect(texts(messages)).toContain('enough');
    await ask('And?');
    expect(model.requests).toHaveLength(2);
  });
});

describe('UserPromptExpansion', () => {
  const withSkill = async (hooks: object, steps = [text('ok'), text('ok')]) => {
    const model = scriptedModel(steps);
    const session = await controlled(model, hooks);
    const file = path.join(session.home, 'skills/fix/SKILL.md');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, skillFile({}, 'Fix $ARGUMENTS.'));
    return { model, ...session };
  };

  it('hears of a command that becomes a prompt, and of no other', async () => {
    const expansion = listener('UserPromptExpansion', of('UserPromptExpansion', { additionalContext: 'gently' }));
    const { model, ask } = await withSkill(expansion);
    await ask('/fix a.ts');
    await ask('/help');
    await ask('plain');
    expect(expansion.heard).toMatchObject([
      { expansion_type: 'slash_command', command_name: 'fix', command_args: 'a.ts', prompt: '/fix a.ts' },
    ]);
    expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/Fix a\.ts.*gently/);
  });

  it('keeps it from the model', async () => {
    const expansion = listener('UserPromptExpansion', { decision: 'block', reason: 'not that one' });
    const { model, ask } = await withSkill(expansion);
    expect(await ask('/fix a.ts')).toMatchObject({ result: 'not that one' });
    expect(model.requests).toHaveLength(0);
  });
});

describe('PreModelSwitch and PostModelSwitch', () => {
  it('hear what changes and what it costs, and the model that comes is told', async () => {
    const before = listener('PreModelSwitch');
    const after = listener('PostModelSwitch', of('PostModelSwitch', { additionalContext: 'You are new here.' }));
    const model = scriptedModel([text('a'), text('b'), text('c')]);
    const { session, ask } = await controlled(model, { model: 'first', hooks: { ...before.hooks, ...after.hooks } });
    const { usage } = await ask('One.');
    await session.setModel('claude-sonnet-4-5');
    const facts = {
      from_model: 'first',
      to_model: 'claude-sonnet-4-5',
      requested_model: 'claude-sonnet-4-5',
      source: 'sdk',
      context_tokens: expect.any(Number),
      prompt_cache_warm: true,
      cache_ttl: '5m',
    };
    expect(before.heard).toMatchObject([facts]);
    expect(after.heard).toMatchObject([facts]);
    expect(before.heard[0]?.context_tokens).toBe(usage.input_tokens + usage.output_tokens);
    expect(before.heard[0]).toMatchObject({ pricing: 'default', estimated_cache_write_usd: 0 });
    await ask('Two.');
    expect(model.requests.at(-1)?.model).toBe('claude-sonnet-4-5');
    expect(lastMessage(model)).toContain('You are new here.');
    await session.setModel();
    expect(before.heard.at(-1)).toMatchObject({
      from_model: 'claude-sonnet-4-5',
      to_model: 'first',
      requested_model: null,
    });
    await ask('Three.');
    expect(model.requests.at(-1)?.model).toBe('first');
  });

  it.each([
    { decision: 'block', reason: 'too dear' } as const,
    of('PreModelSwitch', { permissionDecision: 'deny', permissionDecisionReason: 'too dear' }),
    of('PreModelSwitch', { permissionDecision: 'ask', permissionDecisionReason: 'too dear' }),
  ])('refuse it: %j', async (answer) => {
    const before = listener('PreModelSwitch', answer);
    const model = scriptedModel([text('a')]);
    const { session, ask } = await controlled(model, { model: 'first', ...before });
    await expect(session.setModel('other')).rejects.toThrow('A hook keeps the model at first: too dear');
    await ask('One.');
    expect(model.requests.at(-1)?.model).toBe('first');
  });
});

describe('a fallback', () => {
  it('is heard by PostModelSwitch, whose context goes along with the next prompt', async () => {
    const before = listener('PreModelSwitch', { decision: 'block', reason: 'never' });
    const after = listener('PostModelSwitch', of('PostModelSwitch', { additionalContext: 'You stand in.' }));
    const fails = { error: new ModelError('quota', 'spent', { status: 429 }) };
    const model = scriptedModel([fails, text('a'), text('b')]);
    const { ask } = await controlled(model, {
      model: 'first',
      fallback: { models: ['second'], on: ['quota'] },
      hooks: { ...before.hooks, ...after.hooks },
    });
    await ask('One.');
    expect(before.heard).toEqual([]);
    expect(after.heard).toMatchObject([{ from_model: 'first', to_model: 'second', source: 'auto' }]);
    await ask('Two.');
    expect(lastMessage(model)).toContain('You stand in.');
  });
});

describe('MessageDisplay', () => {
  it('hears of each text, and what it gives is shown, not kept', async () => {
    const display = listener('MessageDisplay', of('MessageDisplay', { displayContent: '***' }));
    const model = scriptedModel([toolCall('Bash', { command: 'true' }), text('secret\nword'), text('b')]);
    const { ask, messages } = await controlled(model, { allowedTools: ['Bash'], ...display });
    await ask('One.', '11111111-1111-4111-8111-111111111111');
    const shown = messages.filter((each) => each.type === 'assistant').at(-1);
    expect(display.heard).toMatchObject([
      {
        turn_id: '11111111-1111-4111-8111-111111111111',
        message_id: shown?.uuid,
        index: 0,
        final: true,
        delta: 'secret\nword',
      },
    ]);
    expect(shown).toMatchObject({ display_content: '***', message: { content: [{ text: 'secret\nword' }] } });
    await ask('Two.');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('secret');
  });
});

describe('fields of inputs and answers', () => {
  it('say which prompt, which model and how much work', async () => {
    const pre = listener('PreToolUse');
    const stop = listener('Stop');
    const submit = listener('UserPromptSubmit', of('UserPromptSubmit', { sessionTitle: 'A title of a hook' }));
    const model = scriptedModel([toolCall('Bash', { command: 'true' }), text('All done.')]);
    const { session, ask } = await controlled(model, {
      model: 'first',
      effort: 'low',
      allowedTools: ['Bash'],
      hooks: { ...pre.hooks, ...stop.hooks, ...submit.hooks },
    });
    const id = '22222222-2222-4222-8222-222222222222';
    await ask('One.', id);
    const facts = { prompt_id: id, effort: { level: 'low' }, model: 'first' };
    expect(submit.heard[0]).toMatchObject({ ...facts, source: 'sdk' });
    expect(pre.heard[0]).toMatchObject(facts);
    expect(stop.heard[0]).toMatchObject({ ...facts, last_assistant_message: 'All done.' });
    await session.close();
  });

  it('SessionStart can say the first words', async () => {
    const start = listener('SessionStart', of('SessionStart', { initialUserMessage: 'Be brief today.' }));
    const model = scriptedModel([text('ok'), text('ok')]);
    const { ask } = await controlled(model, start);
    await ask('One.');
    expect(lastMessage(model)).toContain('"Be brief today."');
    await ask('Two.');
    expect(lastMessage(model)).not.toContain('Be brief');
  });

  it.each([
    ['a text', 'other', 'other'],
    ['the output of Bash', { stdout: 'out', stderr: 'err', exitCode: 0 }, 'out\nerr'],
    ['the output of Read', { type: 'text', file: { filePath: 'a', content: 'lines' } }, 'lines'],
    ['the output of a server', [{ type: 'text', text: 'from a server' }], [{ type: 'text', text: 'from a server' }]],
    ['any other', { count: 3 }, '{\n  "count": 3\n}'],
  ])('PostToolUse puts another output in place: %s', async (_name, updatedToolOutput, expected) => {
    const post = listener('PostToolUse', of('PostToolUse', { updatedToolOutput }));
    const model = scriptedModel([toolCall('Bash', { command: 'echo real' }), text('ok')]);
    const { ask, messages } = await controlled(model, { allowedTools: ['Bash'], ...post });
    await ask('Go.');
    const [result] = (model.requests.at(-1)?.messages.at(-1)?.content ?? []) as unknown as { content: unknown }[];
    expect(result?.content).toEqual(expected);
    const shown = messages.find((each) => each.type === 'user');
    if (typeof updatedToolOutput !== 'string') expect(shown).toMatchObject({ tool_use_result: updatedToolOutput });
  });
});
