// Hooks that take their time: an agent that looks around before it answers, commands that nobody waits for, and what is told at
// the starts and ends of a session.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookInput } from '../../../src/protocol/hooks.js';
import type { SDKMessage, SDKUserMessage } from '../../../src/protocol/messages.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

type Hooks = NonNullable<Settings['hooks']>;
const typed = (...texts: readonly string[]) =>
  (async function* (): AsyncGenerator<SDKUserMessage> {
    for (const said of texts)
      yield { type: 'user', parent_tool_use_id: null, message: { role: 'user', content: said } } as SDKUserMessage;
  })();

async function run(
  hooks: Hooks,
  model: ScriptedModel,
  prompt: Parameters<typeof query>[0]['prompt'],
  more: Options = {},
) {
  const cwd = more.cwd ?? (await temporaryFolder());
  const home = await temporaryFolder();
  const options = { provider: model, env: { TURNWRIGHT_HOME: home }, settings: { hooks }, ...more, cwd };
  const messages = await collect(query({ prompt, options }));
  return { cwd, home, messages, told: JSON.stringify(messages), model };
}

const codes = (messages: readonly SDKMessage[], code: string) =>
  messages.flatMap((each) =>
    each.type === 'system' && each.subtype === 'notice' && each.code === code ? [each.message] : [],
  );
const sentTo = (model: ScriptedModel, at: number) => JSON.stringify(model.requests[at]?.messages);

describe('a hook of the type agent', () => {
  it('reads the workspace, and what it says refuses; no hook hears of what it does', async () => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'todo.md'), 'Write the tests.');
    const heard: HookInput[] = [];
    const record = async (input: HookInput) => {
      heard.push(input);
      return {};
    };
    const model = scriptedModel([
      text('Done.'),
      toolCall('Read', { file_path: path.join(cwd, 'todo.md') }),
      text('{"ok": false, "reason": "todo.md says that tests are missing"}'),
      text('Done with the tests.'),
      text('{"ok": true}'),
    ]);
    const { told, messages } = await run(
      { Stop: [{ hooks: [{ type: 'agent', prompt: 'Is all of todo.md done?' }] }] },
      model,
      'go',
      { cwd, hooks: { PreToolUse: [{ hooks: [record] }], SubagentStart: [{ hooks: [record] }] } },
    );
    expect(model.requests).toHaveLength(5);
    expect(model.requests[1]?.tools.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read']);
    expect(sentTo(model, 2)).toContain('Write the tests.');
    expect(sentTo(model, 3)).toContain('todo.md says that tests are missing');
    expect(told).toContain('Done with the tests.');
    expect(heard).toEqual([]);
    expect(codes(messages, 'hook_failed')).toEqual([]);
  });

  it('asks for itself no more than the session may read, and fails if it gives no verdict', async () => {
    const model = scriptedModel([
      toolCall('Read', { file_path: '/etc/hostname' }),
      text('I cannot tell.'),
      text('never asked'),
    ]);
    const hook = { type: 'agent', prompt: 'Is it fine?', onFailure: 'block' } as const;
    const { messages, told } = await run({ UserPromptSubmit: [{ hooks: [hook] }] }, model, 'go', {
      canUseTool: async () => ({ behavior: 'allow' }),
    });
    expect(model.requests).toHaveLength(2);
    expect(sentTo(model, 1)).toContain('was denied');
    expect(codes(messages, 'hook_failed')[0]).toContain('gave no {\\"ok\\": true}'.replaceAll('\\', ''));
    expect(told).toContain('a failure of it blocks');
  });
});

describe('a command that goes on by itself', () => {
  const ASYNC = `echo '{"async": true}'`;

  it('is not waited for; what it says in the end is told at once, between two prompts, and the model has it with the next', async () => {
    const cwd = await temporaryFolder();
    const go = path.join(cwd, 'go');
    const answer = {
      systemMessage: 'checked',
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'two warnings' },
    };
    const command = `${ASYNC}; while [ ! -e '${go}' ]; do sleep 0.02; done; echo '${JSON.stringify(answer)}'`;
    const model = scriptedModel([toolCall('Glob', { pattern: '*' }), text('ok'), text('ok')]);
    let isTold: () => void = () => undefined;
    const told = new Promise<void>((resolve) => {
      isTold = resolve;
    });
    const prompts = (async function* (): AsyncGenerator<SDKUserMessage> {
      yield* typed('first');
      await told;
      yield* typed('second');
    })();
    const hook = { matcher: 'Glob', hooks: [{ type: 'command' as const, command }] };
    const session = query({
      prompt: prompts,
      options: {
        provider: model,
        cwd,
        env: { TURNWRIGHT_HOME: await temporaryFolder() },
        settings: { hooks: { PostToolUse: [hook] } },
      },
    });
    const messages: SDKMessage[] = [];
    for await (const message of session) {
      messages.push(message);
      if (message.type === 'result') await writeFile(go, '');
      if (message.type === 'system' && message.subtype === 'notice' && message.code === 'hook_message') isTold();
    }
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(2);
    expect(sentTo(model, 1)).not.toContain('two warnings');
    expect(sentTo(model, 2)).toContain('two warnings');
    expect(codes(messages, 'hook_message')).toEqual(['checked']);
  });

  it('ends at its own time, and with the session', async () => {
    const late = `echo '{"async": true, "asyncTimeout": 50}'; sleep 60`;
    const lasting = `${ASYNC}; sleep 60`;
    const began = performance.now();
    const stop = (async function* () {
      yield* typed('first');
    })();
    const { messages } = await run(
      {
        UserPromptSubmit: [
          {
            hooks: [
              { type: 'command', command: late },
              { type: 'command', command: lasting },
            ],
          },
        ],
      },
      scriptedModel([text('ok')]),
      stop,
    );
    expect(performance.now() - began).toBeLessThan(50_000);
    expect(messages.some(({ type }) => type === 'result')).toBe(true);
  });

  it('has not answered if it is a guard', async () => {
    const hook = { type: 'command', command: `${ASYNC}; sleep 60`, onFailure: 'block' } as const;
    const model = scriptedModel([toolCall('Glob', { pattern: '*' }), text('ok')]);
    const { messages } = await run({ PreToolUse: [{ hooks: [hook] }] }, model, 'go');
    expect(sentTo(model, 1)).toContain('went on by itself without an answer');
    expect(codes(messages, 'hook_failed')).toHaveLength(1);
    const code = async () => ({ async: true });
    const asked = scriptedModel([toolCall('Glob', { pattern: '*' }), text('ok')]);
    await run({}, asked, 'go', { hooks: { PreToolUse: [{ hooks: [code], onFailure: 'block' }] } });
    expect(sentTo(asked, 1)).toContain('went on by itself without an answer');
  });
});

describe('starts and ends of a session', () => {
  const noting = (heard: string[]) => ({
    SessionStart: [
      {
        hooks: [
          async (input: HookInput) => {
            const { source } = input as { readonly source: string };
            heard.push(source);
            return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: `start by ${source}` } };
          },
        ],
      },
    ],
    SessionEnd: [
      {
        hooks: [
          async (input: HookInput) => {
            heard.push(`end: ${(input as { readonly reason: string }).reason}`);
            return {};
          },
        ],
      },
    ],
  });

  it('are startup, compact, clear, resume and fork; clear, other, the one that close is given, and that a person left', async () => {
    const heard: string[] = [];
    const hooks = noting(heard) as NonNullable<Options['hooks']>;
    const reply = text(`ok ${'word '.repeat(50)}`);
    const first = await run(
      {},
      scriptedModel([reply, text('<summary>short</summary>'), text('ok'), text('ok')]),
      typed('one', '/compact', 'two', '/clear', 'three'),
      { hooks },
    );
    expect(heard).toEqual(['startup', 'compact', 'end: clear', 'clear', 'end: other']);
    const sent = first.model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(sent[0]).toContain('start by startup');
    expect(sent[2]).toContain('start by compact');
    heard.length = 0;
    const { cwd, home } = first;
    const again = (more: Options) =>
      run({}, scriptedModel([text('ok')]), 'more', {
        cwd,
        env: { TURNWRIGHT_HOME: home },
        continue: true,
        hooks,
        ...more,
      });
    await again({});
    await again({ forkSession: true });
    await run({}, scriptedModel([text('ok')]), typed('by hand'), { hooks, isNonInteractiveSession: false });
    const session = query({
      prompt: typed('one', 'two'),
      options: { provider: scriptedModel([text('ok')]), env: { TURNWRIGHT_HOME: home }, cwd, hooks },
    });
    for await (const message of session) if (message.type === 'result') session.close('resume');
    expect(heard).toEqual([
      'resume',
      'end: other',
      'fork',
      'end: other',
      'startup',
      'end: prompt_input_exit',
      'startup',
      'end: resume',
    ]);
  });
});
