// Messages that come while a prompt runs: delivered after the results of its tools, or left for a prompt of their own.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import type { MessageParam } from '../../src/protocol/content.js';
import type { HookInput } from '../../src/protocol/hooks.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import type { QueryEngine } from '../../src/session/query-engine.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';

const UUID = '33333333-3333-4333-8333-333333333333';

/** One prompt with one call; `during` runs inside the call. */
async function whileToolRuns(
  during: (engine: QueryEngine) => void,
  overrides: Partial<QueryEngineConfig> = {},
  model: ScriptedModel = scriptedModel([toolCall('Probe'), text('Done.')], { appendOnly: true }),
) {
  const given: { engine?: QueryEngine } = {};
  const probe = probeTool({
    run: async () => {
      if (given.engine !== undefined) during(given.engine);
      return 'ran';
    },
  });
  const made = await testEngine(model, { tools: [probe], ...overrides });
  given.engine = made.engine;
  const messages = await collect(made.engine.submitMessage('go'));
  return { ...made, messages, model, result: lastResult(messages), last: model.requests.at(-1)?.messages ?? [] };
}

const kinds = (messages: readonly SDKMessage[]) =>
  messages.map((message) => ('subtype' in message ? message.subtype : message.type));
const textsOf = (message: MessageParam | undefined) =>
  [...(message?.content ?? [])].flatMap((part) =>
    typeof part === 'object' && part.type === 'text' ? [part.text] : [],
  );
const waitingOf = (engine: QueryEngine) => {
  const waiting = [];
  for (let next = engine.takeQueuedMessage(); next !== null; next = engine.takeQueuedMessage())
    waiting.push(next.prompt);
  return waiting;
};

describe('a message queued while a tool runs', () => {
  it('goes to the model after the results, under its own id, and its result names it', async () => {
    const { engine, messages, result, last } = await whileToolRuns((running) =>
      running.queueMessage('In German, please.', { uuid: UUID }),
    );
    expect(last.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(last[2]?.content).toMatchObject([{ type: 'tool_result' }, { type: 'text', text: 'In German, please.' }]);
    expect(engine.getMessages()[3]).toMatchObject({ type: 'user', uuid: UUID });
    expect(result.user_message_uuids).toEqual([engine.getMessages()[0]?.uuid, UUID]);
    expect(result).not.toHaveProperty('queued_turn_count');
    expect(kinds(messages)).toEqual(['init', 'assistant', 'user', 'assistant', 'success']);
    expect(engine.takeQueuedMessage()).toBeNull();
  });

  it('is in the transcript before the request that carries it', async () => {
    let written = '';
    const model = scriptedModel([
      toolCall('Probe'),
      async () => {
        const [project] = await readdir(path.join(home, 'projects'));
        const [file] = await readdir(path.join(home, 'projects', project ?? ''));
        written = await readFile(path.join(home, 'projects', project ?? '', file ?? ''), 'utf8');
        return text('ok');
      },
    ]);
    let engine: QueryEngine | undefined;
    const probe = probeTool({
      run: async () => {
        engine?.queueMessage('Hurry.', { uuid: UUID });
        return 'ran';
      },
    });
    const made = await testEngine(model, { tools: [probe] });
    const { home } = made;
    engine = made.engine;
    lastResult(await collect(engine.submitMessage('go')));
    const line = written.split('\n').find((entry) => entry.includes('Hurry.')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ type: 'user', uuid: UUID });
    model.assertDone();
  });

  it('is replayed with its id if user messages are', async () => {
    const { messages } = await whileToolRuns((engine) => engine.queueMessage('Hurry.', { uuid: UUID }), {
      replayUserMessages: true,
    });
    expect(kinds(messages)).toEqual(['init', 'replay', 'assistant', 'user', 'replay', 'assistant', 'success']);
    expect(messages[4]).toMatchObject({ uuid: UUID, isReplay: true, message: { content: 'Hurry.' } });
  });

  it('comes with all others that wait, in their order', async () => {
    const { last } = await whileToolRuns((engine) => {
      for (const prompt of ['one', 'two', 'three']) engine.queueMessage(prompt);
    });
    expect(textsOf(last.at(-1))).toEqual(['one', 'two', 'three']);
  });

  it('brings the files it names, and what hooks add', async () => {
    const prompts: string[] = [];
    const model = scriptedModel([toolCall('Probe'), text('ok')]);
    const hook = async (input: HookInput) => {
      if (input.hook_event_name === 'UserPromptSubmit') prompts.push(input.prompt);
      return {
        hookSpecificOutput: { hookEventName: 'UserPromptSubmit' as const, additionalContext: 'It is Monday.' },
      };
    };
    const { folder, engine } = await testEngine(model, {
      tools: [
        probeTool({
          run: async () => {
            await writeFile(path.join(folder, 'a.txt'), 'from the file');
            engine.queueMessage('look at @a.txt');
            return 'ran';
          },
        }),
      ],
      hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
    });
    await collect(engine.submitMessage('go'));
    expect(prompts).toEqual(['go', 'look at @a.txt']);
    const sent = JSON.stringify(model.requests[1]?.messages.at(-1));
    expect(sent).toContain('from the file');
    expect(sent).toContain('It is Monday.');
  });

  it('that a hook blocks is told, not sent and not kept', async () => {
    const hook = async (input: HookInput) =>
      input.hook_event_name === 'UserPromptSubmit' && input.prompt.includes('secret')
        ? { decision: 'block' as const, reason: 'no secrets here' }
        : {};
    const { messages, engine, last, result } = await whileToolRuns(
      (running) => {
        running.queueMessage('the secret is Rumpelstiltskin');
        running.queueMessage('and hurry');
      },
      { hooks: { UserPromptSubmit: [{ hooks: [hook] }] } },
    );
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'queued_message_blocked', message: expect.stringContaining('no secrets here') }),
    );
    expect(JSON.stringify(last)).not.toContain('Rumpel');
    expect(JSON.stringify(engine.getMessages())).not.toContain('Rumpel');
    expect(textsOf(last.at(-1))).toEqual(['and hurry']);
    expect(result.terminal_reason).toBe('completed');
  });

  it('that a hook blocks is told without its secrets', async () => {
    const token = `ghp_${'a1b2c3'.repeat(6)}`;
    const hook = async (input: HookInput) =>
      input.hook_event_name === 'UserPromptSubmit' && input.prompt.includes('ghp_')
        ? { decision: 'block' as const, reason: 'not this' }
        : {};
    const { messages } = await whileToolRuns((running) => running.queueMessage(`use ${token}`), {
      hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
    });
    expect(JSON.stringify(messages)).toContain('queued_message_blocked');
    expect(JSON.stringify(messages)).not.toContain(token.slice(0, 20));
  });

  it('ends a circle: what was repeated before it no longer counts', async () => {
    let engine: QueryEngine | undefined;
    const model = scriptedModel((_request, index) => (index < 8 ? toolCall('Probe', { value: 'same' }) : text('ok')));
    const probe = probeTool({
      run: async () => {
        if (probe.runs.length % 2 === 0) engine?.queueMessage('again');
        return 'the same';
      },
    });
    ({ engine } = await testEngine(model, { tools: [probe] }));
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('completed');
  });
});

describe('a queued message waits', () => {
  it('if no tools ran; the result says how many do', async () => {
    let engine: QueryEngine | undefined;
    const model = scriptedModel([
      () => {
        engine?.queueMessage('too late');
        return text('Done.');
      },
    ]);
    ({ engine } = await testEngine(model));
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({ result: 'Done.', queued_turn_count: 1 });
    expect(waitingOf(engine)).toEqual(['too late']);
  });

  it('as a slash command, and holds back what is behind it', async () => {
    const { engine, result } = await whileToolRuns(
      (running) => {
        running.queueMessage('/clear');
        running.queueMessage('start over');
      },
      { commands: await getCommands() },
    );
    expect(result.queued_turn_count).toBe(2);
    expect(waitingOf(engine)).toEqual(['/clear', 'start over']);
  });

  it.each([['   '], [[]]])('if it is no message at all: %j', async (prompt) => {
    const { engine } = await whileToolRuns((running) => running.queueMessage(prompt));
    expect(waitingOf(engine)).toEqual([prompt]);
  });

  it('with priority later', async () => {
    const { engine } = await whileToolRuns((running) => running.queueMessage('some time', { priority: 'later' }));
    expect(waitingOf(engine)).toEqual(['some time']);
  });

  it('with priority now, and the prompt is interrupted', async () => {
    const model = scriptedModel([toolCall('Probe')]);
    const { engine, result } = await whileToolRuns(
      (running) => {
        running.queueMessage('first');
        running.queueMessage('stop that', { priority: 'now' });
      },
      {},
      model,
    );
    expect(result).toMatchObject({ terminal_reason: 'aborted', queued_turn_count: 2 });
    expect(waitingOf(engine)).toEqual(['stop that', 'first']);
    expect(model.calls).toBe(1);
  });

  it('after an interrupt, also one that comes while its hook runs', async () => {
    let engine: QueryEngine | undefined;
    const hook = async (input: HookInput) => {
      if (input.hook_event_name === 'UserPromptSubmit' && input.prompt === 'queued') engine?.interrupt();
      return {};
    };
    const ran = await whileToolRuns(
      (running) => {
        engine = running;
        running.queueMessage('queued');
      },
      { hooks: { UserPromptSubmit: [{ hooks: [hook] }] } },
      scriptedModel([toolCall('Probe')]),
    );
    expect(ran.result.terminal_reason).toBe('aborted');
    expect(waitingOf(ran.engine)).toEqual(['queued']);
    expect(JSON.stringify(ran.engine.getMessages())).not.toContain('queued');
  });

  it('if no request follows: at the limit of turns, and if the tokens of the task are used', async () => {
    const one = await whileToolRuns(
      (running) => running.queueMessage('more'),
      { maxTurns: 1 },
      scriptedModel([toolCall('Probe')]),
    );
    expect(one.result.terminal_reason).toBe('max_turns');
    expect(waitingOf(one.engine)).toEqual(['more']);
    const two = await whileToolRuns(
      (running) => running.queueMessage('more'),
      { taskBudget: { total: 1 } },
      scriptedModel([toolCall('Probe'), text('That far.')]),
    );
    expect(two.result.terminal_reason).toBe('task_budget');
    expect(waitingOf(two.engine)).toEqual(['more']);
  });

  it('and a closed session takes none', async () => {
    const { engine } = await testEngine(scriptedModel([]));
    await engine.close();
    expect(() => engine.queueMessage('hello')).toThrow(/closed/);
  });
});
