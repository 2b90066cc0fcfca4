import type { FromSchema } from 'json-schema-to-ts';
import { describe, expect, it } from 'vitest';
import { createJsonValidator } from '../../src/engine/output/validate-json.js';
import { ToolError } from '../../src/protocol/errors.js';
import type { AgentInput } from '../../src/protocol/tool-io.js';
import { agentAcceptedInput, agentInputSchema, agentTool, describeAgents } from '../../src/tools/agent.js';
import type { AgentReport, AgentRequest } from '../../src/tools/tool.js';
import { createToolContext } from '../support/tool-context.js';

/** The schema and the type must not drift apart: this file stops compiling when they do. */
type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? true : never) : never;
const isSame: Same<FromSchema<typeof agentAcceptedInput>, AgentInput> = true;

const report: AgentReport = {
  agentId: 'a1',
  agent: 'reviewer',
  text: 'Two problems.',
  error: null,
  usage: { total_tokens: 1, tool_uses: 0, duration_ms: 1 },
};

function call(input: AgentInput, answer: Partial<AgentReport> = {}, signal = new AbortController().signal) {
  const requests: AgentRequest[] = [];
  const context = createToolContext({
    signal,
    async spawnAgent(request) {
      requests.push(request);
      return { ...report, ...answer };
    },
  });
  return { outcome: agentTool.run(input, context), requests };
}

const validate = createJsonValidator();

describe('Agent', () => {
  it('tells the model of the published fields, and accepts both spellings', async () => {
    expect(isSame).toBe(true);
    expect(Object.keys(agentInputSchema.properties)).toEqual([
      'description',
      'prompt',
      'subagent_type',
      'model',
      'run_in_background',
      'name',
    ]);
    const given = { prompt: 'Look.', agent: 'reviewer', timeout_ms: 5 };
    expect(await validate(given, agentAcceptedInput)).toEqual([]);
    expect(await validate({ prompt: 'Look.', run_in_background: false }, agentAcceptedInput)).toEqual([]);
    expect(await validate({ prompt: 'Look.', isolation: 'worktree' }, agentAcceptedInput)).toEqual([]);
    expect(await validate({ prompt: 'Look.', isolation: 'vm' }, agentAcceptedInput)).not.toEqual([]);
    expect(await validate({ description: 'x' }, agentAcceptedInput)).not.toEqual([]);
    for (const field of Object.values(agentAcceptedInput.properties))
      expect(field.description.length).toBeGreaterThan(10);
  });

  it('lists the agents with what they are for', () => {
    const text = describeAgents([
      { name: 'all', description: 'Does all.', tools: null },
      { name: 'reviewer', description: 'Reviews.\nThoroughly.', tools: ['Read', 'Grep'] },
    ]);
    expect(text).toContain('- all: Does all.\n- reviewer: Reviews. Thoroughly. (tools: Read, Grep)');
  });

  it('asks for the agent by either name, and gives its report', async () => {
    const asked = call({
      prompt: 'Look.',
      subagent_type: 'reviewer',
      description: 'look',
      model: 'lite',
      effort: 'low',
    });
    expect(await asked.outcome).toEqual({
      model: 'Two problems.',
      data: { result: 'Two problems.', agent: 'reviewer' },
    });
    expect(asked.requests).toEqual([
      { agent: 'reviewer', prompt: 'Look.', description: 'look', model: 'lite', effort: 'low' },
    ]);
    const other = call({ prompt: 'Look at all of it.', agent: 'reviewer', timeout_ms: 5 });
    await other.outcome;
    expect(other.requests).toEqual([
      { agent: 'reviewer', prompt: 'Look at all of it.', description: 'Look at all of it.', timeoutMs: 5 },
    ]);
    const plain = call({ prompt: 'Look.' });
    await plain.outcome;
    expect(plain.requests[0]?.agent).toBeNull();
  });

  it('says what is missing if the agent did not finish', async () => {
    const cut = call({ prompt: 'Look.' }, { error: 'The limit of 2 turns was reached.' });
    expect(await cut.outcome).toEqual({
      model: 'The agent reviewer did not finish. The limit of 2 turns was reached. What it said last:\n\nTwo problems.',
      data: { result: 'Two problems.', agent: 'reviewer', error: 'The limit of 2 turns was reached.' },
      isError: true,
    });
    const silent = call({ prompt: 'Look.' }, { error: 'no key', text: '' });
    expect((await silent.outcome).model).toBe('The agent reviewer did not finish. no key It said nothing.');
  });

  it('throws after an abort, so that the call is told as interrupted', async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(
      call({ prompt: 'Look.' }, { error: 'It was interrupted.' }, abort.signal).outcome,
    ).rejects.toBeInstanceOf(ToolError);
  });

  it('refuses what cannot be done: two names, no prompt, no agents here', async () => {
    await expect(call({ prompt: 'Look.', agent: 'a', subagent_type: 'b' }).outcome).rejects.toThrow(/Name one agent/);
    await expect(call({ prompt: ' ' }).outcome).rejects.toThrow(/prompt is empty/);
    await expect(agentTool.run({ prompt: 'Look.' }, createToolContext())).rejects.toThrow(/No more agents/);
  });

  it('has a title for people, whatever the input', () => {
    expect(agentTool.title({ prompt: 'Look.\nNow.', subagent_type: 'reviewer' })).toBe('reviewer: Look. Now.');
    expect(agentTool.title({ prompt: 'Look.', description: 'look around' })).toBe('agent: look around');
    expect(agentTool.title({ prompt: 'Look.', agent: 'a', subagent_type: 'b' })).toBe('b: Look.');
  });
});
