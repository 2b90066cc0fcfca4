// What a subagent may do and spend: never more than the session it works for.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBudget } from '../../src/engine/state/spending.js';
import { parseRule } from '../../src/permissions/rule.js';
import type { AgentDefinition } from '../../src/protocol/options.js';
import type { CanUseToolOptions, PermissionMode } from '../../src/protocol/permissions.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { agentTool } from '../../src/tools/agent.js';
import { agent, delegate, modelOfAgents, resultOf, systemMessages } from '../support/agents.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';

const priced = {
  'scripted/scripted': { contextWindow: 100_000, maxOutputTokens: 64_000, price: { input: 3, output: 15 } },
};

/** One delegation through `query()`: the agent writes a file; what came of it. */
async function writes(options: Options, definition: Partial<AgentDefinition> = {}) {
  const model = modelOfAgents({
    main: [delegate('writer', 'Write it.', {}, 'toolu_main'), text('Done.')],
    writer: [toolCall('Write', { file_path: 'a.txt', content: 'x' }, 'toolu_write'), text('I tried.')],
  });
  const cwd = await temporaryFolder();
  const env = { TURNWRIGHT_HOME: await temporaryFolder() };
  const agents = { writer: { description: 'Writes.', prompt: 'writer', ...definition } };
  const given = { cwd, env, provider: model, agents, ...options };
  const messages = await collect(query({ prompt: 'go', options: given }));
  return { written: (await readdir(cwd)).includes('a.txt'), messages, result: lastResult(messages), model };
}

describe('permissions of a subagent', () => {
  it('what is pre-approved for the session is not for its agents', async () => {
    const { written, messages, result } = await writes({ allowedTools: ['Write'] });
    expect(written).toBe(false);
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Write', tool_use_id: 'toolu_write' }]);
    const [task] = systemMessages(messages, 'task_started');
    expect(systemMessages(messages, 'permission_denied')).toMatchObject([
      { agent_id: (task as { task_id: string }).task_id },
    ]);
  });

  it('what is denied is denied for them: by rule, whatever their mode', async () => {
    const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
    const { written, messages } = await writes({ ...bypass, disallowedTools: ['Write'] }, { tools: ['Read', 'Write'] });
    expect(written).toBe(false);
    expect(resultOf(messages, 'toolu_write').text).toMatch(/no tool Write/);
    // A deny rule that is no disallowed tool, for an agent that skips all questions.
    const model = modelOfAgents({
      main: [delegate('prober', 'Probe.'), text('Done.')],
      prober: [toolCall('Probe', {}, 'toolu_probe'), text('Refused.')],
    });
    const probe = probeTool();
    const { engine } = await testEngine(model, {
      tools: [agentTool, probe],
      agents: [agent('prober', { permissionMode: 'bypassPermissions' as const })],
      allowDangerouslySkipPermissions: true,
      permissions: { mode: 'default', allow: [], ask: [], deny: [parseRule('Probe')], roots: [] },
    });
    expect(resultOf(await collect(engine.submitMessage('go')), 'toolu_probe').text).toMatch(/denied by a rule/);
    expect(probe.runs).toEqual([]);
  });

  it('is asked of the same canUseTool, with the id of the agent; a rule given there lasts for the session', async () => {
    const asked: CanUseToolOptions[] = [];
    const probe = probeTool();
    const model = modelOfAgents({
      main: [
        delegate('one', 'Probe.', {}, 'toolu_1'),
        delegate('two', 'Probe.', {}, 'toolu_2'),
        toolCall('Probe'),
        text('Done.'),
      ],
      one: [toolCall('Probe'), text('ok')],
      two: [toolCall('Probe'), text('ok')],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probe],
      agents: [agent('one'), agent('two')],
      permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [] },
      canUseTool: async (_name, _input, options) => {
        asked.push(options);
        return {
          behavior: 'allow',
          updatedPermissions: [
            { type: 'addRules', rules: [{ toolName: 'Probe' }], behavior: 'allow', destination: 'session' },
          ],
        };
      },
    });
    const messages = await collect(engine.submitMessage('go'));
    const [task] = systemMessages(messages, 'task_started');
    expect(asked).toMatchObject([{ agentID: (task as { task_id: string }).task_id, displayName: 'Probe' }]);
    expect(probe.runs).toHaveLength(3);
  });

  it('follows the session if the definition has no mode, also a mode that is set meanwhile', async () => {
    const probe = probeTool();
    const model = modelOfAgents({
      main: [delegate('prober', 'Probe.'), text('Done.')],
      prober: [
        toolCall('Probe', { value: 'before' }),
        async () => {
          await engine.setPermissionMode('plan');
          return toolCall('Probe', { value: 'after' }, 'toolu_after');
        },
        text('ok'),
      ],
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probe],
      agents: [agent('prober')],
      permissions: { mode: 'bypassPermissions', allow: [], ask: [], deny: [], roots: [] },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(probe.runs).toEqual([{ value: 'before' }]);
    expect(resultOf(messages, 'toolu_after').text).toMatch(/plan mode/);
  });

  it.each<[session: PermissionMode, own: PermissionMode | undefined, written: boolean]>([
    ['default', undefined, false],
    ['default', 'acceptEdits', true],
    ['acceptEdits', undefined, true],
    ['acceptEdits', 'plan', false],
    ['dontAsk', 'acceptEdits', true],
    ['plan', 'acceptEdits', false],
    ['bypassPermissions', 'default', false],
  ])('session %s, agent %s', async (permissionMode, own, expected) => {
    const definition = own === undefined ? {} : { permissionMode: own };
    const { written } = await writes({ permissionMode, allowDangerouslySkipPermissions: true }, definition);
    expect(written).toBe(expected);
  });

  it('skips questions only if the host allowed that', async () => {
    const bypass = { permissionMode: 'bypassPermissions' } as const;
    await expect(writes({}, bypass)).rejects.toThrow(/allowDangerouslySkipPermissions/);
    expect((await writes({ allowDangerouslySkipPermissions: true }, bypass)).written).toBe(true);
  });

  it('a denial that interrupts ends the prompt as well', async () => {
    const { result, messages } = await writes({
      canUseTool: async () => ({ behavior: 'deny', message: 'stop', interrupt: true }),
    });
    expect(result).toMatchObject({ terminal_reason: 'permission_interrupt' });
    expect(resultOf(messages, 'toolu_main').isError).toBe(true);
  });

  it('the tool is a tool like others: it can be denied, under its former name too', async () => {
    for (const name of ['Agent', 'Task']) {
      const model = modelOfAgents({ main: [delegate(null, 'Help.', {}, 'toolu_main'), text('Alone.')] });
      const { engine } = await testEngine(model, {
        tools: [agentTool],
        permissions: { mode: 'default', allow: [], ask: [], deny: [parseRule(name)], roots: [] },
      });
      const messages = await collect(engine.submitMessage('go'));
      expect(resultOf(messages, 'toolu_main').text).toMatch(/denied by a rule/);
    }
  });
});

describe('money of a subagent', () => {
  it('is in the cost, the usage and the models of the session', async () => {
    const usage = {
      input_tokens: 1_000,
      output_tokens: 100,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
    const model = modelOfAgents(
      { main: [delegate('cheap', 'Help.'), text('Done.')], cheap: [toolCall('Probe'), text('Helped.')] },
      { usage },
    );
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('cheap', { model: 'small' })],
      catalogueOverrides: {
        ...priced,
        'scripted/small': { contextWindow: 100_000, maxOutputTokens: 64_000, price: { input: 1, output: 5 } },
      },
    });
    const result = lastResult(await collect(engine.submitMessage('go')));
    expect(result.usage).toMatchObject({ input_tokens: 4_000, output_tokens: 400 });
    expect(result.modelUsage).toMatchObject({
      scripted: { inputTokens: 2_000, outputTokens: 200 },
      small: { inputTokens: 2_000, outputTokens: 200 },
    });
    expect(result.total_cost_usd).toBeCloseTo((2_000 * 3 + 200 * 15 + 2_000 * 1 + 200 * 5) / 1e6, 12);
    expect(result.num_turns).toBe(2);
  });

  it('is a part of the budget of the session: what an agent spends, nobody else has', async () => {
    // The agent would go on for ever; what is left afterwards is the last summary of the session.
    const model = modelOfAgents({
      main: (request) =>
        request.toolChoice === 'none' ? text('That is all.') : delegate('endless', `Go on from ${model.calls}.`),
      endless: (request, turn) =>
        request.toolChoice === 'none' ? text('Half of it.') : toolCall('Probe', { value: String(turn) }),
    });
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('endless')],
      maxBudgetUsd: 0.5,
      catalogueOverrides: priced,
    });
    const messages = await collect(engine.submitMessage('go'));
    const result = lastResult(messages);
    expect(result).toMatchObject({ terminal_reason: 'budget_exhausted', result: 'That is all.' });
    expect(result.total_cost_usd).toBeLessThanOrEqual(0.5);
    const first = systemMessages(messages, 'task_notification')[0] as { status: string; summary: string };
    expect(first).toMatchObject({
      status: 'failed',
      summary: expect.stringMatching(
        /budget of \$0\.5000 does not allow another request: \$0\.\d{4} is spent, .* is set aside for other requests/,
      ),
    });
    expect(JSON.stringify(messages)).toContain('Half of it.');
  });

  it('never goes over a shared budget, however many agents of however many sessions want it', async () => {
    for (let round = 0; round < 15; round++) {
      const budget = createBudget(0.25 + round * 0.05);
      await Promise.all(
        Array.from({ length: 3 }, async (_, index) => {
          const model = modelOfAgents({
            main: (request) =>
              request.toolChoice === 'none'
                ? text('summary')
                : reply(
                    ...[1, 2, 3].map((n) =>
                      delegate('worker', `${index} ${n}`, {}, `toolu_${index}_${model.calls}_${n}`),
                    ),
                  ),
            worker: (request, turn) =>
              request.toolChoice === 'none' ? text('part') : toolCall('Probe', { value: `${index} ${turn}` }),
          });
          const { engine } = await testEngine(model, {
            tools: [agentTool, probeTool()],
            agents: [agent('worker', { maxTurns: 5 })],
            budget,
            maxTurns: 3,
            catalogueOverrides: priced,
            persistSession: false,
          });
          lastResult(await collect(engine.submitMessage('go')));
          expect(model.violations).toEqual([]);
        }),
      );
      expect(budget.spentUsd).toBeGreaterThan(0);
      expect(budget.spentUsd).toBeLessThanOrEqual(budget.limitUsd);
      // Nothing is set aside any more.
      expect(budget.availableUsd).toBeCloseTo(budget.limitUsd - budget.spentUsd, 9);
    }
  });

  it('of a model without a known price is not spent if there is a budget', async () => {
    const model = modelOfAgents({ main: [delegate('dear', 'Help.', {}, 'toolu_main'), text('Done.')] });
    const { engine } = await testEngine(model, {
      tools: [agentTool],
      agents: [agent('dear', { model: 'unknown' })],
      maxBudgetUsd: 1,
      catalogueOverrides: priced,
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(resultOf(messages, 'toolu_main').text).toMatch(/price of unknown is not known/);
    expect(lastResult(messages).subtype).toBe('success');
  });

  it('tokens of agents count towards the task budget of the prompt', async () => {
    const usage = { input_tokens: 400, output_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const model = modelOfAgents(
      {
        main: (request) => (request.toolChoice === 'none' ? text('All of it.') : delegate('worker', 'Go on.')),
        worker: (request, turn) =>
          request.toolChoice === 'none' ? text('Part of it.') : toolCall('Probe', { value: String(turn) }),
      },
      { usage },
    );
    const { engine } = await testEngine(model, {
      tools: [agentTool, probeTool()],
      agents: [agent('worker')],
      taskBudget: { total: 3_000 },
    });
    const messages = await collect(engine.submitMessage('go'));
    expect(lastResult(messages)).toMatchObject({
      subtype: 'success',
      terminal_reason: 'task_budget',
      result: 'All of it.',
    });
    // 500 tokens a reply: one of the session's, five of the agent, and one last summary each.
    expect(model.calls).toBe(8);
  });
});

describe('a session that runs as an agent', () => {
  it('has its prompt, its tools and its model, and the configuration beats the definition', async () => {
    const planner = agent('planner', {
      tools: ['Probe', 'Agent'],
      model: 'second',
      maxTurns: 1,
      effort: 'low' as const,
    });
    const model = modelOfAgents({ planner: () => text('ok') });
    const config = {
      tools: [agentTool, probeTool(), probeTool({ name: 'Other' })],
      agents: [planner],
      agent: 'planner',
    };
    const { engine } = await testEngine(model, config);
    const [init] = await collect(engine.submitMessage('go'));
    expect(init).toMatchObject({ tools: ['Agent', 'Probe'], model: 'second', agents: ['general-purpose', 'planner'] });
    const other = await testEngine(model, { ...config, userSpecifiedModel: 'first', effort: 'high' });
    await collect(other.engine.submitMessage('go'));
    expect(model.asked.planner).toMatchObject([
      { model: 'second', effort: 'low' },
      { model: 'first', effort: 'high' },
    ]);
    expect(model.requests[0]?.system.map((block) => block.text).join()).toContain('Working directory: ');
  });

  it('narrows only itself: its subagents have the tools of the session', async () => {
    const model = modelOfAgents({
      planner: [delegate('worker', 'Do it.'), text('Done.')],
      worker: [toolCall('Probe'), text('ok')],
    });
    const probe = probeTool();
    const { engine } = await testEngine(model, {
      tools: [agentTool, probe],
      agents: [agent('planner', { tools: ['Agent'] }), agent('worker')],
      agent: 'planner',
    });
    await collect(engine.submitMessage('go'));
    expect(probe.runs).toHaveLength(1);
  });

  it('that is not there is an error that names those that are', async () => {
    const { engine } = await testEngine(modelOfAgents({}), { agent: 'nobody' });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(/no agent "nobody".*general-purpose/)],
    });
  });
});

describe('a coordinator', () => {
  it('delegates and cannot change anything itself', async () => {
    const model = modelOfAgents({
      main: [
        toolCall('Write', { file_path: 'mine.txt', content: 'x' }, 'toolu_own'),
        delegate('writer', 'Write it.'),
        toolCall('Read', { file_path: 'a.txt' }, 'toolu_read'),
        text('It is written.'),
      ],
      writer: [toolCall('Write', { file_path: 'a.txt', content: 'from the writer' }), text('Written.')],
    });
    const cwd = await temporaryFolder();
    const options: Options = {
      cwd,
      env: { TURNWRIGHT_HOME: await temporaryFolder() },
      provider: model,
      coordinator: true,
      permissionMode: 'acceptEdits',
      agents: { writer: { description: 'Writes.', prompt: 'writer' } },
    };
    const messages = await collect(query({ prompt: 'Write a.txt.', options }));
    expect(messages[0]).toMatchObject({
      tools: ['Agent', 'SendMessage', 'Read', 'Glob', 'Grep', 'TodoWrite', 'TaskStop', 'WebFetch'],
    });
    expect(resultOf(messages, 'toolu_own')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/no tool Write/),
    });
    expect(await readdir(cwd)).toEqual(['a.txt']);
    expect(await readFile(path.join(cwd, 'a.txt'), 'utf8')).toBe('from the writer');
    expect(resultOf(messages, 'toolu_read').text).toContain('from the writer');
    expect(model.asked.main?.[0]?.system.map((block) => block.text).join('\n')).toContain('# You coordinate');
    expect(model.asked.writer?.[0]?.system.map((block) => block.text).join('\n')).not.toContain('# You coordinate');
  });

  it('needs the tool Agent, and is not another agent as well', async () => {
    const provider = modelOfAgents({});
    await expect(
      collect(query({ prompt: 'go', options: { provider, coordinator: true, tools: ['Read'] } })),
    ).rejects.toThrow(/needs the tool Agent/);
    const both = { provider, coordinator: true, agent: 'general-purpose' };
    await expect(collect(query({ prompt: 'go', options: both }))).rejects.toThrow(/either agent or coordinator/);
  });
});
