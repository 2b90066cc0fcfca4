// Calls that wait for a decision: who makes them wait, who decides, and what becomes of the rest.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { parseRule } from '../../src/permissions/rule.js';
import type { HookJSONOutput } from '../../src/protocol/hooks.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { DeferredDecision } from '../../src/protocol/permissions.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { resolveOptions } from '../../src/sdk/resolve-options.js';
import { createSdkMcpServer, tool } from '../../src/sdk/tools/tool.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { fakeHost } from '../../src/testing/fake-host.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { checkDeferrals } from '../support/soak/deferrals.js';

const rules = { mode: 'default', allow: [], ask: [], deny: [], roots: ['/w'] } as const;

/** A session whose first reply makes one call that waits. */
async function waiting(config: Partial<QueryEngineConfig> = {}, after: readonly ScriptedStep[] = [text('done')]) {
  const probe = probeTool();
  const model = scriptedModel([reply(toolCall('Probe', { value: 'a' }, 'toolu_a')), ...after]);
  const { engine } = await testEngine(model, {
    permissions: rules,
    canUseTool: undefined,
    deferPermissions: true,
    tools: [probe],
    ...config,
  });
  const result = lastResult(await collect(engine.submitMessage('go')));
  const decide = async (...decisions: DeferredDecision[]) => collect(engine.submitDecisions(decisions));
  return { engine, probe, model, result, decide };
}

const allow = { toolUseID: 'toolu_a', behavior: 'allow' } as const;
const deny = { toolUseID: 'toolu_a', behavior: 'deny', message: 'not today' } as const;

describe('a call that waits', () => {
  it('ends the prompt well, named in the result; an allow runs it and the model goes on', async () => {
    const { engine, probe, model, result, decide } = await waiting();
    const call = { id: 'toolu_a', name: 'Probe', input: { value: 'a' }, reason: 'Probe needs approval' };
    expect(result).toMatchObject({
      subtype: 'success',
      terminal_reason: 'tool_deferred',
      deferred_tool_use: call,
      deferred_tool_uses: [call],
      permission_denials: [],
    });
    expect(probe.runs).toEqual([]);
    expect(await engine.deferredCalls()).toEqual([call]);
    const messages = await decide(allow);
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
    expect(lastResult(messages)).toMatchObject({ result: 'done', terminal_reason: 'completed' });
    expect(lastResult(messages)).not.toHaveProperty('deferred_tool_uses');
    expect(probe.runs).toEqual([{ value: 'a' }]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'ran a' }],
    });
  });

  it('a deny is told to the model and listed', async () => {
    const { probe, model, decide } = await waiting();
    const messages = await decide(deny);
    expect(lastResult(messages).permission_denials).toMatchObject([{ tool_use_id: 'toolu_a', reason: 'not today' }]);
    expect(probe.runs).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('not today');
  });

  it('may run with another input, which is checked', async () => {
    const changed = await waiting();
    await changed.decide({ ...allow, updatedInput: { value: 'b' } });
    expect(changed.probe.runs).toEqual([{ value: 'b' }]);
    const wrong = await waiting();
    await wrong.decide({ ...allow, updatedInput: { other: 1 } });
    expect(wrong.probe.runs).toEqual([]);
  });

  it('does not run if the decision was about another input', async () => {
    const { probe, decide } = await waiting();
    const messages = await decide({ ...allow, decidedInput: { value: 'x' } });
    expect(probe.runs).toEqual([]);
    expect(lastResult(messages).permission_denials).toMatchObject([{ reason: expect.stringMatching(/another input/) }]);
  });

  it('rules that come with a decision hold for those after it', async () => {
    const probe = probeTool();
    const calls = [toolCall('Probe', { value: 'a' }, 'toolu_a'), toolCall('Probe', { value: 'b' }, 'toolu_b')];
    const model = scriptedModel([reply(...calls), text('done')]);
    const { engine } = await testEngine(model, {
      permissions: rules,
      canUseTool: undefined,
      deferPermissions: true,
      tools: [probe],
    });
    await collect(engine.submitMessage('go'));
    const rule = {
      type: 'addRules',
      rules: [{ toolName: 'Probe' }],
      behavior: 'deny',
      destination: 'session',
    } as const;
    await collect(engine.submitDecisions([{ ...allow, updatedPermissions: [rule] }]));
    const result = lastResult(await collect(engine.submitDecisions([{ ...allow, toolUseID: 'toolu_b' }])));
    expect(result.permission_denials).toMatchObject([
      { tool_use_id: 'toolu_b', reason: expect.stringMatching(/rule/) },
    ]);
    expect(probe.runs).toEqual([{ value: 'a' }]);
  });

  it('does not run if settings deny it by the time of the decision', async () => {
    const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
    const made = path.join(cwd, 'made');
    const model = scriptedModel([toolCall('Write', { file_path: made, content: 'x' }, 'toolu_a'), text('done')]);
    const options = { provider: model, cwd, env: { TURNWRIGHT_HOME: home }, deferPermissions: true };
    const engine = new QueryEngine(await resolveOptions(options, createNodeHost()));
    onTestFinished(() => engine.close());
    await collect(engine.submitMessage('go'));
    await writeFile(path.join(home, 'settings.json'), JSON.stringify({ permissions: { deny: [`Edit(/${made})`] } }));
    const result = lastResult(await collect(engine.submitDecisions([allow])));
    expect(result.permission_denials).toMatchObject([
      { tool_use_id: 'toolu_a', reason: expect.stringMatching(/rule/) },
    ]);
    expect(existsSync(made)).toBe(false);
  });

  it.each([
    ['no answer', {}],
    ['another behaviour', { behavior: 'perhaps' }],
    ['an input that is none', { behavior: 'allow', updatedInput: 1 }],
  ])('%s is a no', async (_, given) => {
    const { probe, decide } = await waiting();
    const messages = await decide({ toolUseID: 'toolu_a', ...given } as unknown as DeferredDecision);
    expect(probe.runs).toEqual([]);
    expect(lastResult(messages).permission_denials).toHaveLength(1);
  });

  it('decisions about calls that do not wait change nothing, and are told', async () => {
    const { probe, decide } = await waiting();
    const messages = await decide({ ...allow, toolUseID: 'toolu_b' }, allow, allow);
    const told = messages.filter((message) => message.type === 'system' && message.subtype === 'notice');
    expect(told).toMatchObject([{ code: 'deferred_dropped' }, { code: 'deferred_dropped' }]);
    expect(probe.runs).toHaveLength(1);
    const again = await decide(allow);
    expect(lastResult(again)).toMatchObject({ is_error: true, errors: [expect.stringMatching(/No call .* waits/)] });
    expect(probe.runs).toHaveLength(1);
  });

  it.each<[string, unknown, RegExp]>([
    ['with another field', { tool_use_id: 'toolu_a', behavior: 'allow' }, /toolUseID \(it has tool_use_id, behavior\)/],
    ['with an empty id', { toolUseID: '', behavior: 'allow' }, /names no call/],
    ['with a number', { toolUseID: 3 }, /names no call/],
    ['that is nothing', null, /it is empty/],
  ])('a decision %s is told for what it is', async (_what, decision, said) => {
    const { probe, decide } = await waiting();
    const messages = await decide(decision as DeferredDecision);
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'deferred_dropped', message: expect.stringMatching(said) }),
    );
    expect(JSON.stringify(messages)).not.toContain('undefined');
    expect(probe.runs).toEqual([]);
  });

  it('another prompt withdraws it: the model reads that it did not run', async () => {
    const { engine, probe, model, decide } = await waiting({}, [text('as you like')]);
    const messages = await collect(engine.submitMessage('never mind'));
    expect(lastResult(messages).result).toBe('as you like');
    expect(messages).toContainEqual(expect.objectContaining({ code: 'deferred_dropped' }));
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toMatch(/Not run: it had to be approved.*never mind/);
    expect(await engine.deferredCalls()).toEqual([]);
    expect(lastResult(await decide(allow)).is_error).toBe(true);
    expect(probe.runs).toEqual([]);
  });
});

describe('a call that was allowed in a process that died while it ran', () => {
  it('is not begun again: its decision was on the disk before it started', async () => {
    const runs: number[] = [];
    const { ids } = createMemoryHost();
    let left: Record<string, string> = {};
    /** A process over the files that the one before it had written by the time it died. */
    const run = async (pid: number, options: Options): Promise<SDKMessage[]> => {
      const memory = createMemoryHost({
        files: left,
        process: { pid, started: String(pid) },
        alive: new Set([pid]),
      });
      const ask = tool('ask', 'Runs.', { id: z.string() }, async () => {
        runs.push(pid);
        left = memory.files();
        return { content: [] };
      });
      const messages = await collect(
        query({
          prompt: options.resume === undefined ? 'go' : '',
          options: {
            host: { ...memory, ids },
            cwd: '/project',
            env: { TURNWRIGHT_HOME: '/home/user/.turnwright' },
            tools: [],
            mcpServers: { probe: createSdkMcpServer({ name: 'probe', tools: [ask] }) },
            deferPermissions: true,
            ...options,
          },
        }),
      );
      if (!runs.includes(pid)) left = memory.files();
      return messages;
    };
    const first = await run(1, { provider: scriptedModel([toolCall('mcp__probe__ask', { id: 'a' }, 'toolu_a')]) });
    expect(lastResult(first).terminal_reason).toBe('tool_deferred');
    const resume = lastResult(first).session_id;
    const decided = { resume, decisions: [allow] };
    await run(2, { ...decided, provider: scriptedModel([text('done')]) });
    expect(runs).toEqual([2]);
    // What the second process wrote after the call began is lost with it.
    const third = await run(3, { ...decided, provider: scriptedModel([text('done')]) });
    expect(runs).toEqual([2]);
    expect(third).toContainEqual(expect.objectContaining({ code: 'deferred_dropped' }));
  });
});

describe('a call that may wait for a while only', () => {
  const DAY = 86_400_000;
  const now = Date.parse('2025-01-01T00:00:00.000Z');

  it('is denied with that reason once it is over, whatever was decided; the model goes on', async () => {
    const host = fakeHost({ now, files: { '/w/a.txt': '' } });
    const { engine, probe, model, result, decide } = await waiting({ host, cwd: '/w', deferredExpiryMs: DAY });
    expect(result).toMatchObject({ deferred_tool_use: { id: 'toolu_a', expires_at: '2025-01-02T00:00:00.000Z' } });
    await host.advance(DAY);
    expect(await engine.deferredCalls()).toHaveLength(1);
    const ended = lastResult(await decide(allow));
    expect(probe.runs).toEqual([]);
    expect(ended).toMatchObject({
      result: 'done',
      permission_denials: [{ tool_use_id: 'toolu_a', reason: expect.stringContaining('2025-01-02') }],
    });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('nobody decided about it until');
    expect(await engine.deferredCalls()).toEqual([]);
  });

  it('runs up to then', async () => {
    const host = fakeHost({ now, files: { '/w/a.txt': '' } });
    const { probe, decide } = await waiting({ host, cwd: '/w', deferredExpiryMs: DAY });
    await host.advance(DAY - 1);
    await decide(allow);
    expect(probe.runs).toHaveLength(1);
  });

  it('is over without a decision as well, and lets the others go on', async () => {
    const host = fakeHost({ now, files: { '/w/a.txt': '' } });
    const { decide } = await waiting({ host, cwd: '/w', deferredExpiryMs: DAY });
    await host.advance(2 * DAY);
    expect(lastResult(await decide())).toMatchObject({ result: 'done', permission_denials: [{}] });
  });

  it.each([
    ['as the session said that deferred it', DAY, undefined],
    ['as the one says that goes on', undefined, DAY],
    ['at the sooner end of both', DAY, 2 * DAY],
    ['at the sooner end of both', 2 * DAY, DAY],
  ])('ends for another process %s', async (_what, before, after) => {
    const host = fakeHost({ now, files: { '/w/a.txt': '' } });
    const options = { cwd: '/w', deferPermissions: true, env: { TURNWRIGHT_HOME: '/home' } };
    const run = async (given: Partial<Options>) => {
      const found: SDKMessage[] = [];
      const prompt = given.resume === undefined ? 'go' : '';
      for await (const message of query({ prompt, options: { ...options, host, ...given } })) found.push(message);
      return lastResult(found);
    };
    const write = toolCall('Write', { file_path: '/outside/a', content: 'x' }, 'toolu_a');
    const expiry = (ms: number | undefined) => (ms === undefined ? {} : { deferredExpiryMs: ms });
    const first = await run({ provider: scriptedModel([write]), ...expiry(before) });
    expect(first.terminal_reason).toBe('tool_deferred');
    await host.advance(DAY);
    const provider = scriptedModel([text('done')]);
    const last = await run({ provider, resume: first.session_id, decisions: [allow], ...expiry(after) });
    expect(last).toMatchObject({ result: 'done', permission_denials: [{ tool_use_id: 'toolu_a' }] });
    await expect(host.fs.stat('/outside/a')).rejects.toThrow();
  });

  it.each([0, -1, 1.5, Number.NaN])('%s milliseconds are refused', async (deferredExpiryMs) => {
    const { result } = await waiting({ deferredExpiryMs });
    expect(result).toMatchObject({ is_error: true, errors: [expect.stringContaining('deferredExpiryMs')] });
  });
});

const deferring = (): HookJSONOutput => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'defer',
    permissionDecisionReason: 'the owner decides',
  },
});

describe('who makes a call wait', () => {
  it('a PreToolUse hook, though somebody could be asked and a rule allows', async () => {
    const hooks = { PreToolUse: [{ hooks: [async () => deferring()] }] };
    const { probe, result, decide } = await waiting({
      hooks,
      deferPermissions: false,
      permissions: { ...rules, allow: [parseRule('Probe')] },
      canUseTool: async () => ({ behavior: 'allow' }),
    });
    expect(result).toMatchObject({ deferred_tool_use: { id: 'toolu_a', reason: 'the owner decides' } });
    await decide(allow);
    expect(probe.runs).toHaveLength(1);
  });

  it('is shown the input as a hook changed it, and no other runs', async () => {
    let value = 'by hook';
    const hook = async (): Promise<HookJSONOutput> => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { value } },
    });
    const { engine, probe, result, decide } = await waiting({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    expect(result).toMatchObject({ deferred_tool_use: { input: { value: 'by hook' } } });
    expect(await engine.deferredCalls()).toMatchObject([{ input: { value: 'by hook' } }]);
    await decide({ ...allow, decidedInput: { value: 'by hook' } });
    expect(probe.runs).toEqual([{ value: 'by hook' }]);
    const other = await waiting({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    value = 'another';
    const messages = await other.decide(allow);
    expect(other.probe.runs).toEqual([]);
    expect(lastResult(messages).permission_denials).toMatchObject([{ reason: expect.stringMatching(/another input/) }]);
  });

  it('is shown it in another process too', async () => {
    const host = fakeHost({ files: { '/w/a.txt': '' } });
    const hook = async (): Promise<HookJSONOutput> => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { file_path: '/w/b', content: 'by hook' } },
    });
    const hooks = { PreToolUse: [{ hooks: [hook] }] };
    const options = { cwd: '/w', deferPermissions: true, env: { TURNWRIGHT_HOME: '/home' }, host, hooks };
    const write = toolCall('Write', { file_path: '/w/a', content: 'by model' }, 'toolu_a');
    const first = lastResult(
      await collect(query({ prompt: 'go', options: { ...options, provider: scriptedModel([write]) } })),
    );
    expect(first.terminal_reason).toBe('tool_deferred');
    const resumed = { ...options, resume: first.session_id };
    const asked = lastResult(
      await collect(query({ prompt: '', options: { ...resumed, provider: scriptedModel([]), decisions: [] } })),
    );
    expect(asked).toMatchObject({ deferred_tool_use: { input: { file_path: '/w/b', content: 'by hook' } } });
    await collect(
      query({ prompt: '', options: { ...resumed, provider: scriptedModel([text('done')]), decisions: [allow] } }),
    );
    expect(await host.fs.stat('/w/b')).toMatchObject({ kind: 'file' });
  });

  it('nobody, if a rule or the mode decides', async () => {
    const denied = await waiting({ permissions: { ...rules, deny: [parseRule('Probe')] } });
    expect(denied.result).toMatchObject({ terminal_reason: 'completed', permission_denials: [{}] });
    const quiet = await waiting({ permissions: { ...rules, mode: 'dontAsk' } });
    expect(quiet.result).toMatchObject({ terminal_reason: 'completed', permission_denials: [{}] });
    const allowed = await waiting({ permissions: { ...rules, allow: [parseRule('Probe')] } });
    expect(allowed.probe.runs).toHaveLength(1);
  });
});

it('each allowed call runs once, whatever the order of decisions and however many processes are killed', async () => {
  const figures = await checkDeferrals(60, 42);
  expect(figures.schedules).toBe(60);
  expect(figures.kills).toBeGreaterThan(5);
});
