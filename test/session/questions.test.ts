// The model's questions to the user: who answers them, and every way in which nobody does.

import { describe, expect, it } from 'vitest';
import { parseRule } from '../../src/permissions/rule.js';
import type { HookEvent, HookInput, HookJSONOutput } from '../../src/protocol/hooks.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { CanUseTool, ElicitationRequest, OnElicitation, PermissionMode } from '../../src/protocol/permissions.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { createAskUserQuestion } from '../../src/tools/ask-user-question.js';
import type { AnyTool } from '../../src/tools/tool.js';
import { testEngine } from '../support/engine.js';

const options = [
  { label: 'date-fns', description: 'small functions' },
  { label: 'luxon', description: 'objects' },
];
const LIBRARY = { question: 'Which library?', header: 'Library', options, multiSelect: false };
const EXTRAS = { question: 'Which extras?', header: 'Extras', options, multiSelect: true };
const ONE = { questions: [LIBRARY] };
const rules = (mode: PermissionMode = 'default') => ({ mode, allow: [], ask: [], deny: [], roots: [] });

/** One call of AskUserQuestion; what came of it. */
async function ask(input: object, overrides: Partial<QueryEngineConfig> = {}) {
  const model = scriptedModel([toolCall('AskUserQuestion', input), text('ok')]);
  const { engine } = await testEngine(model, {
    tools: [createAskUserQuestion() as AnyTool],
    permissions: rules(),
    canUseTool: undefined,
    ...overrides,
  });
  const messages = await collect(engine.submitMessage('go'));
  lastResult(messages);
  const [block] = (model.requests[1]?.messages.at(-1)?.content ?? []) as unknown as {
    content: string;
    is_error?: boolean;
  }[];
  const shown = messages.find((message) => message.type === 'user');
  return { read: block?.content, isError: block?.is_error ?? false, output: outputOf(shown), messages };
}

const outputOf = (message: SDKMessage | undefined) => (message?.type === 'user' ? message.tool_use_result : undefined);
const answers =
  (content: Record<string, unknown>): OnElicitation =>
  async () => ({ action: 'accept', content });

describe('a question of the model', () => {
  it('is a form for the handler, and its answer goes to the model and the caller', async () => {
    const requests: ElicitationRequest[] = [];
    const asked = await ask(
      { questions: [LIBRARY, EXTRAS] },
      {
        handleElicitation: async (request) => {
          requests.push(request);
          return { action: 'accept', content: { Library: 'luxon', Extras: ['date-fns', 'my own'] } };
        },
      },
    );
    expect(requests).toEqual([
      {
        serverName: 'turnwright',
        mode: 'form',
        elicitationId: expect.any(String),
        message: '1. Which library?\n2. Which extras?',
        requestedSchema: {
          type: 'object',
          properties: {
            Library: {
              type: 'string',
              enum: ['date-fns', 'luxon'],
              title: 'Library',
              description: 'Which library?\ndate-fns: small functions\nluxon: objects',
            },
            Extras: {
              type: 'array',
              items: { type: 'string', enum: ['date-fns', 'luxon'] },
              title: 'Extras',
              description: 'Which extras?\ndate-fns: small functions\nluxon: objects',
            },
          },
          required: ['Library', 'Extras'],
        },
      },
    ]);
    const lines = '"Which library?": luxon\n"Which extras?": date-fns, my own';
    expect(asked.read).toBe(`The user answered 2 questions:\n${lines}`);
    expect(asked.output).toEqual({
      answer: lines,
      answers: { 'Which library?': 'luxon', 'Which extras?': 'date-fns, my own' },
    });
    expect(asked.messages).toContainEqual(
      expect.objectContaining({
        subtype: 'elicitation_complete',
        mcp_server_name: 'turnwright',
        elicitation_id: requests[0]?.elicitationId,
      }),
    );
  });

  it('may come in the form of the specification, with an answer for the case that none is given', async () => {
    const input = { question: 'Which colour?', options: ['red', 'blue'], default: 'red' };
    const blue = await ask(input, { handleElicitation: answers({ answer: 'blue' }) });
    expect(blue.output).toMatchObject({ answer: 'blue' });
    const none = await ask(input, { handleElicitation: answers({}) });
    expect(none.output).toMatchObject({ answer: 'red' });
  });

  it.each([
    ['its text', { 'Which library?': 'luxon' }],
    ['its header', { Library: 'luxon' }],
    ['any name, where it is the only one', { value: 'luxon' }],
  ])('is answered under %s', async (_name, content) => {
    expect((await ask(ONE, { handleElicitation: answers(content) })).output).toMatchObject({ answer: 'luxon' });
  });

  it('of several may stay without an answer; headers that are alike are told apart', async () => {
    const requests: ElicitationRequest[] = [];
    const { read } = await ask(
      { questions: [LIBRARY, { ...LIBRARY, question: 'And then?' }, { question: 'Why?' }] },
      {
        handleElicitation: async (request) => {
          requests.push(request);
          return { action: 'accept', content: { answer_2: true, answer_3: 7 } };
        },
      },
    );
    expect(Object.keys(requests[0]?.requestedSchema?.['properties'] as object)).toEqual([
      'answer_1',
      'answer_2',
      'answer_3',
    ]);
    expect(read).toContain('"Which library?": (no answer)\n"And then?": true\n"Why?": 7');
  });

  it.each([
    ['no questions', {}],
    ['an empty list', { questions: [] }],
    ['both forms', { question: 'a?', questions: [LIBRARY] }],
    ['answers of its own', { ...ONE, answers: { 'Which library?': 'luxon' } }],
  ])('with %s is refused before anybody is asked', async (_what, input) => {
    let isAsked = false;
    const handleElicitation: OnElicitation = async () => {
      isAsked = true;
      return null;
    };
    const { isError, read } = await ask(input, { handleElicitation });
    expect({ isError, isAsked }).toEqual({ isError: true, isAsked: false });
    expect(read).toContain('not valid');
  });
});

describe('a question that nobody answers', () => {
  const never: OnElicitation = () => new Promise(() => undefined);

  it.each<[string, OnElicitation | undefined, boolean, string]>([
    ['is declined', async () => ({ action: 'decline' }), false, 'declined to answer'],
    ['is put aside', async () => ({ action: 'cancel' }), false, 'put the question aside'],
    ['gets null', async () => null, true, 'nobody answered'],
    ['gets nonsense', async () => ({ action: 'maybe' }) as never, true, 'cannot be used (action: maybe)'],
    ['gets content that is none', async () => ({ action: 'accept', content: 'red' }) as never, true, 'not an object'],
    ['gets nothing that was asked for', answers({ a: '', b: '' }), true, 'none of the fields'],
    ['makes the handler fail', async () => Promise.reject(new Error('no screen')), true, 'asking failed: no screen'],
    [
      'makes the handler throw at once',
      () => {
        throw new Error('boom');
      },
      true,
      'asking failed: boom',
    ],
    ['takes too long', never, true, 'no answer came within 5 ms'],
    ['has nobody to go to', undefined, true, 'nobody can be asked'],
  ])('since it %s is a result that says so', async (_what, handler, isError, told) => {
    const asked = await ask(ONE, {
      ...(handler === never ? { limits: { elicitationTimeoutMs: 5 } } : {}),
      ...(handler === undefined ? {} : { handleElicitation: handler }),
    });
    expect(asked).toMatchObject({ isError, read: expect.stringContaining(told) });
    expect(asked.read).toContain('Choose what is most sensible');
  });

  it('since the prompt is interrupted ends with it, and tells the handler', async () => {
    let given: AbortSignal | undefined;
    const model = scriptedModel([toolCall('AskUserQuestion', ONE)]);
    const { engine } = await testEngine(model, {
      handleElicitation: (_request, { signal }) => {
        given = signal;
        engine.interrupt();
        return new Promise(() => undefined);
      },
    });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result.terminal_reason).toBe('aborted');
    expect(given?.aborted).toBe(true);
    expect(JSON.stringify(engine.getMessages())).toContain('the prompt was interrupted');
  });
});

describe('hooks around a question', () => {
  const hooked = (event: HookEvent, answer: (input: HookInput) => HookJSONOutput) => ({
    [event]: [{ hooks: [async (input: HookInput) => answer(input)] }],
  });
  const specific = (hookEventName: HookEvent, fields: Record<string, unknown>): HookJSONOutput => ({
    hookSpecificOutput: { hookEventName, ...fields },
  });

  it('Elicitation answers in place of the user', async () => {
    const { output } = await ask(ONE, {
      hooks: hooked('Elicitation', () =>
        specific('Elicitation', { action: 'accept', content: { Library: 'from a hook' } }),
      ),
    });
    expect(output).toMatchObject({ answer: 'from a hook' });
  });

  it('ElicitationResult hears the answer, and may put another in its place or refuse it', async () => {
    const heard: HookInput[] = [];
    const changed = await ask(ONE, {
      handleElicitation: answers({ Library: 'luxon' }),
      hooks: hooked('ElicitationResult', (input) => {
        heard.push(input);
        return specific('ElicitationResult', { action: 'accept', content: { Library: 'date-fns' } });
      }),
    });
    expect(heard).toMatchObject([{ action: 'accept', content: { Library: 'luxon' } }]);
    expect(changed.output).toMatchObject({ answer: 'date-fns' });
    const refused = await ask(ONE, {
      handleElicitation: answers({ Library: 'luxon' }),
      hooks: hooked('ElicitationResult', () => specific('ElicitationResult', { action: 'decline' })),
    });
    expect(refused.read).toContain('declined');
  });

  it('PreToolUse answers by changing the input, and then the host is not asked', async () => {
    const canUseTool: CanUseTool = async () => ({ behavior: 'deny', message: 'asked all the same' });
    const updatedInput = { ...ONE, answers: { 'Which library?': 'luxon' } };
    const answered = await ask(ONE, {
      canUseTool,
      hooks: hooked('PreToolUse', () => specific('PreToolUse', { permissionDecision: 'allow', updatedInput })),
    });
    expect(answered.output).toMatchObject({ answer: 'luxon' });
    const onlyAllowed = await ask(ONE, {
      canUseTool,
      hooks: hooked('PreToolUse', () => specific('PreToolUse', { permissionDecision: 'allow' })),
    });
    expect(onlyAllowed.read).toBe('asked all the same');
  });

  it('PermissionRequest answers by changing the input; a mere allow is no answer', async () => {
    const canUseTool: CanUseTool = async () => ({ behavior: 'deny', message: 'asked all the same' });
    const decide = (decision: Record<string, unknown>) =>
      hooked('PermissionRequest', () => specific('PermissionRequest', { decision }));
    const updatedInput = { ...ONE, answers: { 'Which library?': 'luxon' } };
    const answered = await ask(ONE, { canUseTool, hooks: decide({ behavior: 'allow', updatedInput }) });
    expect(answered.output).toMatchObject({ answer: 'luxon' });
    expect((await ask(ONE, { canUseTool, hooks: decide({ behavior: 'allow' }) })).read).toBe('asked all the same');
  });
});

describe('canUseTool and a question', () => {
  const answering: CanUseTool = async (_name, input) => ({
    behavior: 'allow',
    updatedInput: { ...input, answers: { 'Which library?': 'luxon', 'Which extras?': ['a', 'b'] } },
  });

  it.each(['default', 'acceptEdits', 'plan', 'bypassPermissions'] as const)(
    'answers it by changing the input, in mode %s',
    async (mode) => {
      const { output } = await ask(
        { questions: [LIBRARY, EXTRAS] },
        {
          canUseTool: answering,
          permissions: { ...rules(mode), allow: [parseRule('AskUserQuestion')] },
        },
      );
      expect(output).toMatchObject({ answers: { 'Which library?': 'luxon', 'Which extras?': 'a, b' } });
    },
  );

  it('is not asked in mode dontAsk, nor if a rule denies', async () => {
    const dontAsk = await ask(ONE, { canUseTool: answering, permissions: rules('dontAsk') });
    expect(dontAsk.read).toContain('nobody can be asked');
    const deny = [parseRule('AskUserQuestion')];
    const denied = await ask(ONE, { canUseTool: answering, permissions: { ...rules(), deny } });
    expect(denied.read).toContain('denied by a rule');
  });

  it('leaves it to the handler by a mere allow, and beats it by an answer or a denial', async () => {
    const handleElicitation = answers({ Library: 'from the handler' });
    const allow: CanUseTool = async () => ({ behavior: 'allow' });
    const deny: CanUseTool = async () => ({ behavior: 'deny', message: 'ask nothing' });
    expect((await ask(ONE, { handleElicitation, canUseTool: allow })).output).toMatchObject({
      answer: 'from the handler',
    });
    expect((await ask(ONE, { handleElicitation, canUseTool: answering })).output).toMatchObject({ answer: 'luxon' });
    expect((await ask(ONE, { handleElicitation, canUseTool: deny })).read).toBe('ask nothing');
  });

  it('with answers that cannot be used is told', async () => {
    const { read, isError } = await ask(ONE, {
      canUseTool: async () => ({ behavior: 'allow', updatedInput: { ...ONE, answers: 'luxon' } }),
    });
    expect(isError).toBe(true);
    expect(read).toContain('The changed input was refused');
  });
});

describe('the tool AskUserQuestion', () => {
  it('comes with a handler, and once', async () => {
    const named = async (config: Partial<QueryEngineConfig>) => {
      const model = scriptedModel([text('ok')]);
      const { engine } = await testEngine(model, config);
      await collect(engine.submitMessage('go'));
      return model.requests[0]?.tools.map((tool) => tool.name);
    };
    const handleElicitation = answers({});
    expect(await named({})).toEqual([]);
    expect(await named({ handleElicitation })).toEqual(['AskUserQuestion']);
    expect(await named({ handleElicitation, tools: [createAskUserQuestion() as AnyTool] })).toEqual([
      'AskUserQuestion',
    ]);
  });

  it('is offered in the form of the published packages, with previews if a host shows them', () => {
    const schema = (format?: 'markdown' | 'html') =>
      JSON.stringify(createAskUserQuestion(format === undefined ? {} : { previewFormat: format }).inputSchema);
    expect(schema()).not.toContain('preview');
    expect(schema('markdown')).toContain('Markdown');
    expect(schema('html')).toContain('HTML');
    expect(createAskUserQuestion().inputSchema).toMatchObject({ required: ['questions'], additionalProperties: false });
  });
});
