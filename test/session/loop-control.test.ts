// What limits and steers the loop: money, tokens, hooks, compaction, fallback, circles, early calls.

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { createBudget } from '../../src/engine/state/spending.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { parseRule } from '../../src/permissions/rule.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { HookInput } from '../../src/protocol/hooks.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';

const priced = {
  'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 64_000, price: { input: 3, output: 15 } },
};

/** Opened once; whoever waits goes on. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const ofSubtype = (messages: readonly SDKMessage[], subtype: string) =>
  messages.filter((message) => message.type === 'system' && message.subtype === subtype);

describe('money', () => {
  it('is told exactly, for every attempt', async () => {
    const usage = {
      input_tokens: 1_000,
      output_tokens: 100,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
    const model = scriptedModel([
      { blocks: [text('half')], cutAfterEvents: 3, usage },
      { blocks: [text('whole')], usage },
    ]);
    const { engine } = await testEngine(model, { catalogueOverrides: priced });
    const result = lastResult(await collect(engine.submitMessage('go')));
    // The cut attempt reported its input and one token of output before it broke.
    expect(result.modelUsage.scripted?.inputTokens).toBe(2_000);
    const output = result.modelUsage.scripted?.outputTokens ?? 0;
    expect(result.total_cost_usd).toBeCloseTo((2_000 * 3 + output * 15) / 1e6, 12);
    expect(result).not.toHaveProperty('cost_unknown');
  });

  it('of an unknown model is unknown, and a budget for it is refused at the start', async () => {
    const { engine } = await testEngine(scriptedModel([text('hi')]));
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      cost_unknown: true,
      total_cost_usd: 0,
    });
    const limited = await testEngine(scriptedModel([]), { maxBudgetUsd: 1 });
    const result = lastResult(await collect(limited.engine.submitMessage('go')));
    expect(result).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(/price of scripted/)],
    });
  });

  it('lowers the output limit, then asks for a last summary, then stops; and is never overspent', async () => {
    const model = scriptedModel((request) =>
      request.toolChoice === 'none' ? text('Done so far: a.') : toolCall('Probe', { value: String(model.calls) }),
    );
    const { engine } = await testEngine(model, { tools: [probeTool()], maxBudgetUsd: 0.2, catalogueOverrides: priced });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({
      subtype: 'error_max_budget_usd',
      terminal_reason: 'budget_exhausted',
      result: 'Done so far: a.',
    });
    expect(result.total_cost_usd).toBeLessThanOrEqual(0.2);
    expect(model.requests[0]?.maxTokens).toBeLessThan(32_000);
    expect(model.requests.at(-1)).toMatchObject({ toolChoice: 'none' });
    // What a call needs to come whole is left, or nothing is asked for but the summary.
    for (const request of model.requests.slice(0, -1)) expect(request.maxTokens).toBeGreaterThanOrEqual(4_096);
    expect(result).toMatchObject({
      errors: [
        expect.stringMatching(
          /^The budget of \$0\.2000 does not allow another request: \$0\.\d{4} is spent and \$0\.\d{4} is left, but the request could cost up to \$0\.\d{4} \(about [\d,]+ tokens in, a reply of 4,096 tokens, and \$0\.\d{4} kept for a last summary\)\. Raise the budget to go on\.$/,
        ),
      ],
    });
  });

  it('asks for nothing if the first reply could not be long enough, and says what it would take', async () => {
    const model = scriptedModel([]);
    const { engine } = await testEngine(model, { maxBudgetUsd: 0.06, catalogueOverrides: priced });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({
      subtype: 'error_max_budget_usd',
      errors: [expect.stringMatching(/budget of \$0\.0600 .* \$0\.0000 is spent and \$0\.0600 is left/)],
    });
    expect(model.calls).toBe(0);
  });

  it('that shortens a reply says so if that cuts a call, which does not run', async () => {
    const probe = probeTool();
    const model = scriptedModel(() =>
      model.calls > 1 ? text('Done.') : { blocks: [toolCall('Probe', { value: 'x' })], stopReason: 'max_tokens' },
    );
    const { engine } = await testEngine(model, { tools: [probe], maxBudgetUsd: 0.4, catalogueOverrides: priced });
    const messages = await collect(engine.submitMessage('go'));
    const most = model.requests[0]?.maxTokens.toLocaleString('en-US');
    expect(probe.runs).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain(
      `Nothing ran. Send it again, in smaller pieces if it is long. The budget leaves room for replies of at most ${most} tokens.`,
    );
    expect(messages).toContainEqual(
      expect.objectContaining({
        code: 'reply_cut_by_budget',
        message: `A reply was cut off, and the call at its end did not run: the budget leaves room for replies of at most ${most} tokens.`,
      }),
    );
  });

  it('ends for that reason if replies are cut again and again', async () => {
    const model = scriptedModel(() => ({ blocks: [text(`Part ${model.calls}.`)], stopReason: 'max_tokens' }));
    const { engine } = await testEngine(model, { maxBudgetUsd: 0.4, catalogueOverrides: priced });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({
      terminal_reason: 'max_output_tokens',
      errors: [expect.stringMatching(/cut off again and again\. The budget leaves room for .* Raise the budget\./)],
    });
  });

  it('is told for the prompt and for the session', async () => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    const model = scriptedModel(() => ({ blocks: [text('ok')], usage }));
    const { engine } = await testEngine(model, { catalogueOverrides: priced });
    const results = [];
    for (const prompt of ['one', 'two', '/nothing of the kind'])
      results.push(lastResult(await collect(engine.submitMessage(prompt))));
    const each = (1_000 * 3 + 100 * 15) / 1e6;
    for (const [at, result] of results.entries()) {
      expect(result.prompt_usage).toMatchObject(usage);
      expect(result.prompt_cost_usd).toBeCloseTo(each, 12);
      expect(result.usage.input_tokens).toBe(1_000 * (at + 1));
      expect(result.total_cost_usd).toBeCloseTo(each * (at + 1), 12);
    }
    const unpriced = await testEngine(scriptedModel([{ blocks: [text('ok')], usage }]));
    expect(lastResult(await collect(unpriced.engine.submitMessage('go'))).prompt_cost_usd).toBeNull();
  });

  it('is not spent at all if not even a summary fits', async () => {
    const model = scriptedModel([]);
    const { engine } = await testEngine(model, { maxBudgetUsd: 0.000_001, catalogueOverrides: priced });
    expect(lastResult(await collect(engine.submitMessage('go'))).subtype).toBe('error_max_budget_usd');
    expect(model.calls).toBe(0);
  });

  it('shared by eight sessions at once is never overspent', async () => {
    for (let round = 0; round < 20; round++) {
      const budget = createBudget(0.15 + round * 0.02);
      await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const model = scriptedModel((request) =>
            request.toolChoice === 'none' ? text('summary') : toolCall('Probe', { value: `${index} ${model.calls}` }),
          );
          const { engine } = await testEngine(model, {
            tools: [probeTool()],
            budget,
            maxTurns: 6,
            catalogueOverrides: priced,
            persistSession: false,
          });
          lastResult(await collect(engine.submitMessage('go')));
        }),
      );
      expect(budget.spentUsd).toBeGreaterThan(0);
      expect(budget.spentUsd).toBeLessThanOrEqual(budget.limitUsd);
    }
  });

  it('a spent task budget ends as success after a wrap-up turn', async () => {
    const model = scriptedModel((request) =>
      request.toolChoice === 'none' ? text('That far.') : toolCall('Probe', { value: String(model.calls) }),
    );
    const { engine } = await testEngine(model, { tools: [probeTool()], taskBudget: { total: 3_000 } });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({ subtype: 'success', terminal_reason: 'task_budget', result: 'That far.' });
  });
});

describe('another model', () => {
  const busy = { error: new ModelError('overloaded', 'busy', { status: 529 }) };

  it('answers when the first one is not available, and that is told', async () => {
    const model = scriptedModel([busy, text('from the second'), text('from the first')]);
    const { engine } = await testEngine(model, { fallbackModel: 'second', limits: { maxRetries: 0 } });
    const messages = await collect(engine.submitMessage('go'));
    expect(ofSubtype(messages, 'model_changed')).toEqual([
      expect.objectContaining({ from: 'scripted', to: 'second', reason: 'busy' }),
    ]);
    expect(Object.keys(lastResult(messages).modelUsage)).toEqual(['scripted', 'second']);
    await collect(engine.submitMessage('again'));
    expect(model.requests.map((request) => request.model)).toEqual(['scripted', 'second', 'scripted']);
  });

  it('is not asked when the key or the request was refused', async () => {
    const model = scriptedModel([{ error: new ModelError('authentication', 'no', { status: 401 }) }]);
    const { engine } = await testEngine(model, { fallbackModel: 'second' });
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('api_error');
    model.assertDone();
  });
});

describe('circles', () => {
  it('are told to the model once, then end the prompt', async () => {
    const model = scriptedModel(() => toolCall('Probe', { value: 'same' }));
    const { engine } = await testEngine(model, { tools: [probeTool()] });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ is_error: true, terminal_reason: 'loop_detected' });
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'notice', code: 'loop_suspected' }));
    expect(model.calls).toBeLessThanOrEqual(6);
  });

  it('of a tool that polls are none', async () => {
    const model = scriptedModel((_request, call) => (call < 20 ? toolCall('Probe', { value: 'same' }) : text('done')));
    const { engine } = await testEngine(model, { tools: [{ ...probeTool(), polls: true }] });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'done' });
    expect(ofSubtype(messages, 'notice')).toEqual([]);
  });

  it('of a text that only repeats itself are told once, without a higher limit, then end the prompt', async () => {
    const again = { ...reply(text('and so on, '.repeat(200))), stopReason: 'max_tokens' } as const;
    const lost = scriptedModel([again, again]);
    const ended = await collect((await testEngine(lost, { catalogueOverrides: priced })).engine.submitMessage('go'));
    expect(lastResult(ended)).toMatchObject({ is_error: true, terminal_reason: 'loop_detected' });
    expect(ended).toContainEqual(
      expect.objectContaining({ code: 'loop_suspected', message: expect.stringContaining('and so on') }),
    );
    expect(lost.requests.map(({ maxTokens }) => maxTokens)).toEqual([32_000, 32_000]);

    const found = scriptedModel([again, text('There are three.')]);
    const messages = await collect((await testEngine(found)).engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'There are three.' });
    expect(JSON.stringify(found.requests[1]?.messages.at(-1))).toMatch(/repeated itself/);
  });
});

describe('calls that start with their block', () => {
  const permissions = (cwd: string): NonNullable<QueryEngineConfig['permissions']> => ({
    mode: 'default',
    allow: [],
    deny: [],
    ask: [],
    roots: [cwd],
  });

  it('run once, while the reply still streams, and results stay in order', async () => {
    const order: string[] = [];
    const [fast, slow] = [gate(), gate()];
    const reader = (name: string, waits: Promise<void>, { open }: { readonly open: () => void }) =>
      probeTool({
        name,
        readOnly: true,
        concurrencySafe: true,
        run: async () => {
          await waits;
          order.push(name);
          open();
          return name;
        },
      });
    const writer = probeTool({ name: 'Change', run: async () => String(order.push('Change')) });
    const folder = await temporaryFolder();
    const blocks = [toolCall('Slow'), toolCall('Fast'), text('some more text to stream'), toolCall('Change')];
    const model = scriptedModel([reply(...blocks), text('done')]);
    const { engine } = await testEngine(model, {
      // The first call ends after the second.
      tools: [reader('Slow', fast.opened, slow), reader('Fast', Promise.resolve(), fast), writer],
      includePartialMessages: true,
      permissions: { ...permissions(folder), allow: [parseRule('Change')] },
      cwd: folder,
    });
    for await (const message of engine.submitMessage('go')) {
      if (message.type === 'stream_event' && message.event.type === 'content_block_stop' && message.event.index === 1)
        await slow.opened;
      if (message.type === 'assistant') order.push('reply');
    }
    expect(order).toEqual(['Fast', 'Slow', 'reply', 'Change', 'reply']);
    const results = JSON.stringify(model.requests[1]?.messages.slice(2));
    expect([...results.matchAll(/toolu_000\d/g)].map(([id]) => id)).toEqual(['toolu_0001', 'toolu_0002', 'toolu_0003']);
    expect(results.indexOf('Slow')).toBeLessThan(results.indexOf('Fast'));
  });

  it('do not start with the last reply of a spent budget', async () => {
    const look = probeTool({ name: 'Look', readOnly: true, concurrencySafe: true });
    const folder = await temporaryFolder();
    // If a value is wanted by a tool, a last reply may hold calls.
    const model = scriptedModel(({ messages }, turn) =>
      JSON.stringify(messages.at(-1)).includes('nearly spent')
        ? reply(toolCall('Look', { value: 'late' }), text('so far'))
        : toolCall('Look', { value: String(turn) }),
    );
    const { engine } = await testEngine(model, {
      tools: [look],
      taskBudget: { total: 1_500 },
      jsonSchema: { type: 'object', required: ['n'] },
      permissions: permissions(folder),
      cwd: folder,
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('task_budget');
    expect(look.runs.length).toBeGreaterThan(0);
    expect(look.runs).not.toContainEqual({ value: 'late' });
  });

  it.each([
    ['as they stream', {}],
    [
      'when the reply is whole, with hooks',
      { hooks: { PreToolUse: [{ hooks: [async () => ({}), async () => ({})] }] } },
    ],
    ['when everyone is asked about', { canUseTool: async () => ({ behavior: 'allow' as const }) }],
  ])('may be thirty of a reply, %s: ten at a time, without a warning of the process', async (_when, more) => {
    const warnings: Error[] = [];
    const heed = (warning: Error) => void warnings.push(warning);
    process.on('warning', heed);
    onTestFinished(() => void process.off('warning', heed));
    let running = 0;
    let most = 0;
    const probe = probeTool({
      readOnly: true,
      concurrencySafe: true,
      run: async () => {
        most = Math.max(most, ++running);
        // None ends before ten have begun, however long that takes; then an eleventh has every chance.
        while (most < 10) await new Promise((resolve) => setImmediate(resolve));
        for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return 'ok';
      },
    });
    const calls = Array.from({ length: 30 }, (_, index) => toolCall('Probe', { value: String(index) }));
    const folder = await temporaryFolder();
    const { engine } = await testEngine(scriptedModel([reply(...calls), text('done')]), {
      tools: [probe],
      cwd: folder,
      ...('canUseTool' in more ? more : { ...more, permissions: { ...permissions(folder) } as never }),
    });
    await collect(engine.submitMessage('go'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(probe.runs).toHaveLength(30);
    expect(most).toBe(10);
    expect(warnings).toEqual([]);
  });

  it('of a withdrawn attempt are dropped, and the call of the next attempt runs', async () => {
    const started = gate();
    const fast = probeTool({
      name: 'Fast',
      readOnly: true,
      concurrencySafe: true,
      run: async ({ value = '' }) => {
        started.open();
        return `saw ${value}`;
      },
    });
    const folder = await temporaryFolder();
    const model = scriptedModel([
      { blocks: [toolCall('Fast', { value: 'first' }), text('x'.repeat(40))], cutAfterEvents: 8 },
      toolCall('Fast', { value: 'second' }),
      text('done'),
    ]);
    const { engine } = await testEngine(model, {
      tools: [fast],
      includePartialMessages: true,
      permissions: permissions(folder),
      cwd: folder,
    });
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage('go')) {
      messages.push(message);
      if (message.type === 'stream_event' && message.event.type === 'content_block_stop') await started.opened;
    }
    expect(lastResult(messages).subtype).toBe('success');
    expect(fast.runs).toEqual([{ value: 'first' }, { value: 'second' }]);
    expect(messages.filter((message) => message.type === 'user')).toHaveLength(1);
    const sent = JSON.stringify(model.requests.at(-1)?.messages);
    expect(sent).toContain('saw second');
    expect(sent).not.toContain('first');
    model.assertDone();
  });
});

describe('hooks given as code', () => {
  const record = () => {
    const fired: string[] = [];
    const hook = async (input: HookInput) => {
      fired.push(input.hook_event_name);
      return {};
    };
    return { fired, hook };
  };

  it('fire once each, in order, with the session’s facts', async () => {
    const { fired, hook } = record();
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'] as const;
    const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]));
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('done'), text('more')]), {
      tools: [probeTool()],
      hooks,
    });
    await collect(engine.submitMessage('go'));
    await collect(engine.submitMessage('again'));
    await engine.close();
    expect(fired).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'Stop',
      'UserPromptSubmit',
      'Stop',
      'SessionEnd',
    ]);
  });

  it('PreToolUse denies, changes the input, and adds context', async () => {
    const probe = probeTool();
    const answers = [
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'not here',
        },
      },
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          updatedInput: { value: 'changed' },
          additionalContext: 'mind the gap',
        },
      },
      { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { value: 7 } } },
    ];
    const model = scriptedModel([
      toolCall('Probe', { value: 'a' }),
      toolCall('Probe', { value: 'b' }),
      toolCall('Probe', { value: 'c' }),
      text('ok'),
    ]);
    const { engine } = await testEngine(model, {
      tools: [probe],
      hooks: { PreToolUse: [{ matcher: 'Probe', hooks: [async () => answers.shift() ?? {}] }] },
    });
    const messages = await collect(engine.submitMessage('go'));
    const results = messages
      .filter((message) => message.type === 'user')
      .map((message) => JSON.stringify(message.message));
    expect(results[0]).toMatch(/not here/);
    expect(results[1]).toMatch(/ran changed.*mind the gap/);
    expect(results[2]).toMatch(/changed by a hook was refused/);
    expect(probe.runs).toEqual([{ value: 'changed' }]);
    expect(lastResult(messages).permission_denials).toHaveLength(1);
  });

  it('a hook’s allow never lifts a deny rule or a protected path, but answers what was left open', async () => {
    const probe = probeTool();
    const denied = probeTool({ name: 'Denied' });
    const allow = async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } });
    const model = scriptedModel([reply(toolCall('Probe'), toolCall('Denied')), text('ok')]);
    const { engine } = await testEngine(model, {
      tools: [probe, denied],
      canUseTool: undefined,
      permissions: { mode: 'default', allow: [], ask: [], deny: [parseRule('Denied')], roots: [] },
      hooks: { PreToolUse: [{ hooks: [allow] }] },
    });
    await collect(engine.submitMessage('go'));
    expect(probe.runs).toHaveLength(1);
    expect(denied.runs).toHaveLength(0);
  });

  it('PostToolUse replaces what the model reads; continue: false ends the prompt', async () => {
    const hook = async () => ({
      continue: false,
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'redacted' },
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe')]), {
      tools: [probeTool()],
      hooks: { PostToolUse: [{ hooks: [hook] }] },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(JSON.stringify(messages.filter((message) => message.type === 'user'))).toContain('redacted');
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped' });
  });

  it('UserPromptSubmit blocks before any request, or adds context', async () => {
    const answers = [
      { decision: 'block' as const, reason: 'say please' },
      { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'it is Monday' } },
    ];
    const model = scriptedModel([text('ok')]);
    const { engine } = await testEngine(model, {
      hooks: { UserPromptSubmit: [{ hooks: [async () => answers.shift() ?? {}] }] },
    });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'success',
      result: 'say please',
      terminal_reason: 'hook_stopped',
    });
    expect(model.calls).toBe(0);
    await collect(engine.submitMessage('please go'));
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('it is Monday');
  });

  it('Stop makes the prompt go on, with a guard', async () => {
    const active: boolean[] = [];
    const hook = async (input: HookInput) => {
      active.push((input as { stop_hook_active: boolean }).stop_hook_active);
      return active.length === 1 ? { decision: 'block' as const, reason: 'also run the tests' } : {};
    };
    const model = scriptedModel([text('done'), text('tests pass')]);
    const { engine } = await testEngine(model, { hooks: { Stop: [{ hooks: [hook] }] } });
    expect(lastResult(await collect(engine.submitMessage('go'))).result).toBe('tests pass');
    expect(active).toEqual([false, true]);
    const endless = scriptedModel(() => text('done'));
    const stubborn = await testEngine(endless, {
      hooks: { Stop: [{ hooks: [async () => ({ decision: 'block', reason: 'more' })] }] },
    });
    expect(lastResult(await collect(stubborn.engine.submitMessage('go'))).subtype).toBe('success');
    expect(endless.calls).toBe(11);
  });

  it('PermissionRequest answers in place of the host; a failing hook is told', async () => {
    const probe = probeTool();
    const hooks = {
      PermissionRequest: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
            }),
          ],
        },
      ],
      PreToolUse: [
        {
          hooks: [
            async () => {
              throw new Error('hook broke');
            },
          ],
        },
      ],
    };
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probe],
      canUseTool: undefined,
      hooks: hooks as never,
      includeHookEvents: true,
      permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [] },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(probe.runs).toHaveLength(1);
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'notice', code: 'hook_failed' }));
    expect(ofSubtype(messages, 'hook_response').length).toBeGreaterThan(0);
  });
});

describe('compaction', () => {
  const big = (n: number) => `${'some words of output that fill the window '.repeat(75)}${n}`;

  it('removes old tool output before it asks a model', async () => {
    let n = 0;
    const model = scriptedModel((request) => {
      if (request.toolChoice === 'none') return text('No summary.');
      return ++n <= 12 ? toolCall('Probe', { value: String(n) }) : text('done');
    });
    const { engine } = await testEngine(model, {
      tools: [probeTool({ run: async () => big(n) })],
      contextWindow: 8_000,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages).subtype).toBe('success');
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'notice', code: 'history_shrunk' }));
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    expect(last).toContain('go');
    expect(last).toContain('removed to save space');
    expect(last.length).toBeLessThan(12 * big(1).length);
    expect(model.violations).toEqual([]);
  });

  it('/compact summarises, and a resumed session starts from there', async () => {
    const model = scriptedModel([text('first answer'), text('<summary>We greeted.</summary>'), text('after')]);
    const test = await testEngine(model, {
      commands: await getCommands(),
      sessionId: '44444444-4444-4444-8444-444444444444',
    });
    await collect(test.engine.submitMessage('hello there'));
    const messages = await collect(test.engine.submitMessage('/compact mind the names'));
    expect(ofSubtype(messages, 'compact_boundary')).toEqual([
      expect.objectContaining({
        summary: 'We greeted.',
        compact_metadata: expect.objectContaining({ trigger: 'manual' }),
      }),
    ]);
    expect(ofSubtype(messages, 'status').map((message) => (message as { status: unknown }).status)).toEqual([
      'compacting',
      null,
    ]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('mind the names');
    await collect(test.engine.submitMessage('go on'));
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('We greeted.');
    const host = createNodeHost();
    const resumed = await resumeSession(
      host,
      placeIn(await projectFolder(host, test.home, test.folder), '44444444-4444-4444-8444-444444444444'),
    );
    expect(JSON.stringify(resumed.messages)).toContain('We greeted.');
    expect(JSON.stringify(resumed.messages[0])).toContain('compacted');
    model.assertDone();
  });

  it('of nothing says so, and one that fails leaves the conversation as it was', async () => {
    const model = scriptedModel([
      text('hello'),
      { error: new ModelError('invalid_request', 'no') },
      text('still here'),
    ]);
    const { engine } = await testEngine(model, { commands: await getCommands() });
    expect(lastResult(await collect(engine.submitMessage('/compact'))).result).toMatch(/nothing to compact/);
    await collect(engine.submitMessage('one'));
    const failed = await collect(engine.submitMessage('/compact'));
    expect(lastResult(failed).result).toMatch(/could not be compacted/);
    expect(failed).toContainEqual(expect.objectContaining({ subtype: 'notice', code: 'compaction_blocked' }));
    await collect(engine.submitMessage('two'));
    expect(model.requests.at(-1)?.messages).toHaveLength(3);
  });

  it('recovers from a prompt that is too long, whatever the model can take', async () => {
    for (const limit of [40_000, 15_000, 6_000]) {
      let n = 0;
      const model = scriptedModel((request) => {
        if (JSON.stringify(request.messages).length > limit)
          return { error: new ModelError('context_overflow', 'prompt is too long', { status: 400 }) };
        return ++n <= 20 ? toolCall('Probe', { value: String(n) }) : text('done');
      });
      const { engine } = await testEngine(model, {
        tools: [probeTool({ run: async () => big(n) })],
        contextWindow: 1_000_000,
      });
      const messages = await collect(engine.submitMessage('the task itself'));
      expect({ limit, ending: lastResult(messages).terminal_reason }).toEqual({ limit, ending: 'completed' });
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('the task itself');
      expect(model.violations).toEqual([]);
    }
  });

  it('ends if nothing makes the prompt short enough, and the session goes on', async () => {
    let isShut = true;
    const model = scriptedModel(() =>
      isShut ? { error: new ModelError('context_overflow', 'prompt is too long', { status: 400 }) } : text('ok'),
    );
    const { engine } = await testEngine(model);
    const result = lastResult(await collect(engine.submitMessage('the task')));
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'prompt_too_long' });
    isShut = false;
    expect(lastResult(await collect(engine.submitMessage('and now?'))).subtype).toBe('success');
  });
});

describe('files named in a prompt', () => {
  it('go along as text; those outside the workspace do not, and that is told', async () => {
    const model = scriptedModel([text('ok')]);
    const { engine, folder } = await testEngine(model);
    await mkdir(path.join(folder, 'docs'));
    await writeFile(path.join(folder, 'docs/a b.md'), 'the plan');
    const messages = await collect(
      engine.submitMessage('Look at @"docs/a b.md", mail a@b.c about @types/node and @/etc/hostname.'),
    );
    const sent = JSON.stringify(model.requests[0]?.messages);
    expect(sent).toContain('the plan');
    expect(messages).toContainEqual(
      expect.objectContaining({
        code: 'attachment_left_out',
        message: expect.stringContaining('outside the workspace'),
      }),
    );
    lastResult(messages);
  });
});

describe('a permission that an earlier session did not get answered', () => {
  const history = [
    { type: 'user', uuid: 'u1', message: { role: 'user', content: 'go' } },
    {
      type: 'assistant',
      uuid: 'a1',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'x',
        stop_reason: 'tool_use',
        stop_sequence: null,
        content: [{ type: 'tool_use', id: 'toolu_open', name: 'Probe', input: { value: 'late' } }],
        usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      },
    },
  ] as const;
  const orphanedPermission = { toolUseID: 'toolu_open', toolName: 'Probe', input: { value: 'late' } };

  it('is asked once, before the first request, and runs once if it is allowed', async () => {
    const probe = probeTool();
    const asked: string[] = [];
    const model = scriptedModel([text('ok'), text('again')]);
    const { engine } = await testEngine(model, {
      tools: [probe],
      initialMessages: history,
      orphanedPermission,
      canUseTool: async (name, _input, { toolUseID }) => {
        asked.push(`${name} ${toolUseID}`);
        return { behavior: 'allow' };
      },
    });
    const messages = await collect(engine.submitMessage('and now?'));
    expect(messages).not.toContainEqual(expect.objectContaining({ subtype: 'notice' }));
    await collect(engine.submitMessage('more'));
    expect(asked).toEqual(['Probe toolu_open']);
    expect(probe.runs).toEqual([{ value: 'late' }]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('ran late');
    model.assertDone();
  });

  it('is asked about with the input of the conversation, and another one is told', async () => {
    const probe = probeTool();
    const asked: unknown[] = [];
    const { engine } = await testEngine(scriptedModel([text('ok')]), {
      tools: [probe],
      initialMessages: history,
      orphanedPermission: { ...orphanedPermission, input: { value: 'other' } },
      canUseTool: async (_name, input) => {
        asked.push(input);
        return { behavior: 'allow' };
      },
    });
    const messages = await collect(engine.submitMessage('and now?'));
    expect(messages).toContainEqual(
      expect.objectContaining({
        code: 'option_without_effect',
        message: expect.stringContaining('orphanedPermission.input'),
      }),
    );
    expect(asked).toEqual([{ value: 'late' }]);
    expect(probe.runs).toEqual([{ value: 'late' }]);
  });

  it('is told if the call is not open any more', async () => {
    const probe = probeTool();
    const { engine } = await testEngine(scriptedModel([text('ok')]), { tools: [probe], orphanedPermission });
    const messages = await collect(engine.submitMessage('go'));
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'notice', code: 'orphaned_permission_dropped' }),
    );
    expect(probe.runs).toEqual([]);
  });
});

describe('endings that must not mislead', () => {
  const jsonSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const value = (n: unknown) => toolCall('StructuredOutput', { n });
  const deny = { behavior: 'deny', message: 'no', interrupt: true } as const;

  it('a call refused again and again is a circle too', async () => {
    const model = scriptedModel(() => toolCall('NoSuchTool'));
    const { engine } = await testEngine(model);
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('loop_detected');
  });

  it.each<[string, string[], ScriptedStep[], Partial<QueryEngineConfig>]>([
    ['an answer', ['Stop'], [text('ok')], {}],
    ['a value after one that did not fit', ['Stop'], [value('x'), value(1)], { jsonSchema }],
    ['a spent task budget', ['Stop'], [toolCall('Probe'), text('so far')], { taskBudget: { total: 100 } }],
    ['turns that are used up', ['StopFailure'], [toolCall('Probe')], { maxTurns: 1 }],
    ['money that is spent', ['StopFailure'], [], { maxBudgetUsd: 0.000001, catalogueOverrides: priced }],
    ['no value', ['StopFailure'], Array.from({ length: 5 }, () => text('no')), { jsonSchema }],
    [
      'a task budget spent without a value',
      ['StopFailure'],
      [value('x'), text('no')],
      { jsonSchema, taskBudget: { total: 100 } },
    ],
    ['a circle', ['StopFailure'], Array.from({ length: 7 }, () => toolCall('NoSuchTool')), {}],
    ['a refusal', ['StopFailure'], [{ ...reply(text('no')), stopReason: 'refusal' }], {}],
    ['empty replies', ['StopFailure'], [text(''), text('')], {}],
    ['a failure', ['StopFailure'], [{ error: new ModelError('authentication', 'no') }], {}],
    ['a denial that says so', ['StopFailure'], [toolCall('Probe')], { canUseTool: async () => deny }],
  ])('%s fires %j', async (_name, expected, steps, more) => {
    const fired: string[] = [];
    const hook = async (input: HookInput) => {
      fired.push(input.hook_event_name);
      return {};
    };
    const hooks = { Stop: [{ hooks: [hook] }], StopFailure: [{ hooks: [hook] }] };
    const { engine } = await testEngine(scriptedModel(steps), { tools: [probeTool()], hooks, ...more });
    await collect(engine.submitMessage('go'));
    expect(fired).toEqual(expected);
  });

  it('an interrupt fires neither Stop nor StopFailure, wherever it falls', async () => {
    const fired: string[] = [];
    const hook = async (input: HookInput) => {
      fired.push(input.hook_event_name);
      return {};
    };
    const hooks = { Stop: [{ hooks: [hook] }], StopFailure: [{ hooks: [hook] }] };
    for (const when of ['init', 'assistant'] as const) {
      const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
        tools: [probeTool()],
        hooks,
      });
      const messages: SDKMessage[] = [];
      for await (const message of engine.submitMessage('go')) {
        messages.push(message);
        if (message.type === when || ('subtype' in message && message.subtype === when)) engine.interrupt();
      }
      expect(lastResult(messages).terminal_reason).toBe('aborted');
    }
    expect(fired).toEqual([]);
  });

  it('a value call beside one that ends the prompt is answered', async () => {
    const model = scriptedModel([reply(toolCall('Probe'), toolCall('StructuredOutput', { n: 1 })), text('ok')]);
    const { engine } = await testEngine(model, {
      tools: [probeTool()],
      jsonSchema: { type: 'object' },
      canUseTool: async () => ({ behavior: 'deny', message: 'no', interrupt: true }),
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(messages.filter((message) => message.type === 'user')).toHaveLength(2);
    expect(lastResult(messages).terminal_reason).toBe('permission_interrupt');
  });

  it('a spent task budget without the wanted value is no success', async () => {
    const model = scriptedModel((request) =>
      request.toolChoice === 'none' ? text('so far') : toolCall('Probe', { value: String(model.calls) }),
    );
    const { engine } = await testEngine(model, {
      tools: [probeTool()],
      taskBudget: { total: 2_000 },
      jsonSchema: { type: 'object' },
    });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'task_budget',
      is_error: true,
    });
  });

  it('a model without a price is named as the reason, not the budget', async () => {
    const model = scriptedModel([text('one')]);
    const { engine } = await testEngine(model, { maxBudgetUsd: 1, catalogueOverrides: priced });
    await collect(engine.submitMessage('go'));
    engine.setModel('unheard-of');
    const result = lastResult(await collect(engine.submitMessage('again')));
    expect(result).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(/price of unheard-of/)],
    });
  });

  it('a tool that ends well just after the abort is told as completed', async () => {
    let interrupt: () => void = () => undefined;
    const probe = probeTool({
      run: async (_input, signal) => {
        interrupt();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return 'finished all the same';
      },
    });
    const { engine } = await testEngine(scriptedModel([toolCall('Probe')]), { tools: [probe] });
    interrupt = () => queueMicrotask(() => engine.interrupt());
    const messages = await collect(engine.submitMessage('go'));
    expect(JSON.stringify(messages)).toContain('finished all the same');
    expect(lastResult(messages).terminal_reason).toBe('aborted');
  });

  it('a reply that filled the window goes on with a shorter history', async () => {
    const model = scriptedModel([
      { blocks: [text('half')], stopReason: 'model_context_window_exceeded' },
      text('<summary>We were in the middle of it.</summary>'),
      text('the rest'),
    ]);
    const { engine } = await testEngine(model);
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      subtype: 'success',
      result: 'halfthe rest',
    });
  });
});
