// Mode plan, and the one way for a model out of it.
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { CanUseTool, CanUseToolOptions, PermissionResult } from '../../src/protocol/permissions.js';
import type { Options } from '../../src/sdk/options.js';
import { query } from '../../src/sdk/query.js';
import type { Query } from '../../src/sdk/query-controls.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script-steps.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { isSummaryRequest } from '../support/summary-request.js';

const PLAN = '1. Write a.txt.';
const WRITE = toolCall('Write', { file_path: 'a.txt', content: 'x' });
const SHOW = toolCall('ExitPlanMode', { plan: PLAN });

/** A session that shows a plan, then writes a file; whoever is asked about anything else says no. */
async function plan(answer: PermissionResult | null, options: Partial<Options> = {}, calls = [SHOW, WRITE]) {
  const asked: [string, CanUseToolOptions][] = [];
  const canUseTool: CanUseTool = async (name, _input, about) => {
    asked.push([name, about]);
    return name === 'ExitPlanMode' && answer !== null ? answer : { behavior: 'deny', message: 'not that' };
  };
  const model = scriptedModel([...calls, text('done')]);
  const cwd = await temporaryFolder();
  const messages = await collect(
    query({
      prompt: 'go',
      options: {
        cwd,
        provider: model,
        env: { TURNWRIGHT_HOME: await temporaryFolder() },
        permissionMode: 'plan',
        ...(answer === null ? {} : { canUseTool }),
        ...options,
      },
    }),
  );
  const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
  return {
    asked,
    offered,
    messages,
    result: lastResult(messages),
    told: JSON.stringify(model.requests.at(-1)?.messages),
  };
}

describe('a plan', () => {
  it('is shown to whoever approves it', async () => {
    const { asked, offered } = await plan({ behavior: 'deny', message: 'no' });
    expect(offered).toContain('ExitPlanMode');
    expect(asked.map(([name]) => name)).toEqual(['ExitPlanMode']);
    expect(asked[0]?.[1]).toMatchObject({ exitPlanMode: { plan: PLAN }, decisionReasonType: 'mode' });
  });

  it('that is refused leaves the mode as it is, and the model reads why', async () => {
    const { result, told } = await plan({ behavior: 'deny', message: 'begin with the tests' });
    expect(told).toContain('begin with the tests');
    expect(result.permission_denials.map(({ tool_name: name }) => name)).toEqual(['ExitPlanMode', 'Write']);
    expect(result.permission_denials[1]?.reason).toContain('plan mode');
  });

  it('that is approved ends the mode: what follows is asked about as before it', async () => {
    const { asked, told, messages } = await plan({ behavior: 'allow' });
    expect(messages).toContainEqual(expect.objectContaining({ type: 'user', tool_use_result: { success: true } }));
    expect(told).toContain('Plan mode is over');
    expect(asked.map(([name]) => name)).toEqual(['ExitPlanMode', 'Write']);
  });

  it('may be approved with the mode that follows', async () => {
    const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
    const { asked, result } = await plan({ behavior: 'allow', updatedPermissions: [...updatedPermissions] });
    expect(asked.map(([name]) => name)).toEqual(['ExitPlanMode']);
    expect(result.permission_denials).toEqual([]);
  });

  it('may be changed by whoever approves it', async () => {
    const { asked, told } = await plan({ behavior: 'allow', updatedInput: { plan: '1. Test. 2. Write.' } });
    expect(told).toContain('1. Test. 2. Write.');
    expect(asked).toHaveLength(2);
  });

  it('is no way out for a second time', async () => {
    const { asked, result } = await plan({ behavior: 'allow' }, {}, [SHOW, SHOW]);
    expect(asked).toHaveLength(1);
    expect(result.permission_denials).toMatchObject([{ reason: expect.stringContaining('not in plan mode') }]);
  });

  it('is not approved by a rule, nor by a hook', async () => {
    const hook = async () =>
      ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }) as const;
    const { asked } = await plan(
      { behavior: 'deny', message: 'no' },
      {
        allowedTools: ['ExitPlanMode'],
        hooks: { PreToolUse: [{ hooks: [hook] }] },
      },
    );
    expect(asked.map(([name]) => name)).toEqual(['ExitPlanMode']);
  });

  it('is denied by a rule', async () => {
    const { asked, offered } = await plan({ behavior: 'allow' }, { disallowedTools: ['ExitPlanMode'] });
    expect(offered).not.toContain('ExitPlanMode');
    expect(asked).toEqual([]);
  });

  it('goes back to the mode that the session had', async () => {
    const asked: string[] = [];
    const session = query({
      prompt: (async function* () {
        yield { type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null } as const;
      })(),
      options: {
        cwd: await temporaryFolder(),
        provider: scriptedModel([SHOW, WRITE, text('done')]),
        env: { TURNWRIGHT_HOME: await temporaryFolder() },
        permissionMode: 'acceptEdits',
        tools: ['ExitPlanMode', 'Write'],
        canUseTool: async (name) => {
          asked.push(name);
          return name === 'ExitPlanMode' ? { behavior: 'allow' } : { behavior: 'deny', message: 'no' };
        },
      },
    });
    await session.setPermissionMode('plan');
    const messages = await collect(session);
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'init', permissionMode: 'plan' }));
    expect(asked).toEqual(['ExitPlanMode']);
    expect(lastResult(messages).permission_denials).toEqual([]);
  });
});

describe('a session that comes to mode plan later', () => {
  /** Each turn may change the mode; whoever is asked approves plans and nothing else. */
  async function later(
    steps: Parameters<typeof scriptedModel>[0],
    options: Partial<Options> = {},
    onTurn?: (session: Query, turn: number) => Promise<void>,
  ) {
    const asked: string[] = [];
    const model = scriptedModel(steps);
    const prompts = async function* () {
      for (const content of ['one', 'two'])
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null } as const;
    };
    const session = query({
      prompt: prompts(),
      options: {
        cwd: await temporaryFolder(),
        provider: model,
        env: { TURNWRIGHT_HOME: await temporaryFolder() },
        canUseTool: async (name) => {
          asked.push(name);
          return name === 'ExitPlanMode' ? { behavior: 'allow' } : { behavior: 'deny', message: 'no' };
        },
        ...options,
      },
    });
    const messages: SDKMessage[] = [];
    for await (const message of session) {
      messages.push(message);
      if (message.type === 'user' || message.type === 'result') await onTurn?.(session, model.requests.length);
    }
    const offered = model.requests.map(({ tools }) => tools.some(({ name }) => name === 'ExitPlanMode'));
    return { asked, offered, messages, requests: model.requests };
  }
  const LOOK = toolCall('Glob', { pattern: '*' });

  it('offers the way out from its next request on, and goes on offering it', async () => {
    const { asked, offered, messages } = await later(
      [LOOK, SHOW, text('planned'), text('done')],
      {},
      async (session, turn) => {
        if (turn === 1) await session.setPermissionMode('plan');
      },
    );
    expect(offered).toEqual([false, true, true, true]);
    expect(asked).toEqual(['ExitPlanMode']);
    expect(messages).toContainEqual(expect.objectContaining({ type: 'user', tool_use_result: { success: true } }));
  });

  it('offers it with its next prompt, and tells so', async () => {
    const { offered, messages, requests } = await later([text('one'), text('two')], {}, async (session, turn) => {
      if (turn === 1) await session.setPermissionMode('plan');
    });
    expect(offered).toEqual([false, true]);
    const inits = messages.filter((each) => each.type === 'system' && each.subtype === 'init');
    expect(inits.map((each) => 'tools' in each && (each.tools as string[]).includes('ExitPlanMode'))).toEqual([
      false,
      true,
    ]);
    expect(requests[1]?.system).toEqual(requests[0]?.system);
  });

  it.each<[string, Partial<Options>]>([
    ['where nobody can approve a plan', { canUseTool: undefined as never }],
    ['where the tools of the session are named', { tools: ['Glob'] }],
    ['where it is disallowed', { disallowedTools: ['ExitPlanMode'] }],
  ])('does not %s', async (_, options) => {
    const { offered } = await later([text('one'), text('two')], options, (session) =>
      session.setPermissionMode('plan'),
    );
    expect(offered).toEqual([false, false]);
  });
});

it('an approved plan stands word for word behind a compaction', async () => {
  const filler = 'What was looked at. '.repeat(2_000);
  const model = scriptedModel((request) => {
    if (isSummaryRequest(request)) return text('<summary>It was planned.</summary>');
    return model.requests.length === 1 ? SHOW : text(filler);
  });
  const prompts = async function* () {
    for (const content of ['Plan it.', '/compact', 'Go on.'])
      yield { type: 'user' as const, message: { role: 'user' as const, content }, parent_tool_use_id: null };
  };
  const session = query({
    prompt: prompts(),
    options: {
      cwd: await temporaryFolder(),
      provider: model,
      env: { TURNWRIGHT_HOME: await temporaryFolder() },
      permissionMode: 'plan',
      canUseTool: async () => ({ behavior: 'allow' }),
    },
  });
  await collect(session);
  const last = JSON.stringify(model.requests.at(-1)?.messages);
  expect(last).toContain('It was planned.');
  expect(last).toContain(JSON.stringify(`The plan that the user approved:\n\n${PLAN}`));
});

describe('a session that nobody can approve a plan in', () => {
  it('is not offered the tool', async () => {
    expect((await plan(null, {}, [])).offered).not.toContain('ExitPlanMode');
  });

  it('stays in the mode where the tool is called all the same', async () => {
    const { result } = await plan(null, { tools: ['ExitPlanMode', 'Write'] });
    expect(result.permission_denials.map(({ tool_name: name }) => name)).toEqual(['ExitPlanMode', 'Write']);
    expect(result.permission_denials[0]?.reason).toContain('approves the plan');
  });

  it.each(['default', 'acceptEdits', 'auto'] as const)('mode %s has no such tool', async (permissionMode) => {
    const { offered } = await plan({ behavior: 'allow' }, { permissionMode }, []);
    expect(offered).not.toContain('ExitPlanMode');
  });
});
