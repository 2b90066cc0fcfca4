// Mode plan, and the one way for a model out of it.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { CanUseTool, CanUseToolOptions, PermissionResult } from '../../src/protocol/permissions.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import type { Query } from '../../src/sdk/query-controls.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
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
    expect(messages).toContainEqual(
      expect.objectContaining({
        type: 'user',
        tool_use_result: expect.objectContaining({ success: true, plan: PLAN }),
      }),
    );
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
    expect(messages).toContainEqual(
      expect.objectContaining({ type: 'user', tool_use_result: expect.objectContaining({ success: true }) }),
    );
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

  it('stays in the mode if the tool is called all the same', async () => {
    const { result } = await plan(null, { tools: ['ExitPlanMode', 'Write'] });
    expect(result.permission_denials.map(({ tool_name: name }) => name)).toEqual(['ExitPlanMode', 'Write']);
    expect(result.permission_denials[0]?.reason).toContain('approves the plan');
  });

  it.each(['default', 'acceptEdits', 'auto'] as const)('mode %s has no such tool', async (permissionMode) => {
    const { offered } = await plan({ behavior: 'allow' }, { permissionMode }, []);
    expect(offered).not.toContain('ExitPlanMode');
  });
});

/** A session whose prompts come one after another; whoever is asked answers by `answer`. */
async function planned(
  steps: Parameters<typeof scriptedModel>[0],
  answer: CanUseTool,
  options: Partial<Options> = {},
  prompts: readonly string[] = ['go'],
  onResult?: (session: Query) => Promise<void>,
) {
  const asked: { name: string; input: Record<string, unknown>; about: CanUseToolOptions }[] = [];
  const model = scriptedModel(steps);
  const home = await temporaryFolder();
  const cwd = await temporaryFolder();
  const session = query({
    prompt: (async function* () {
      for (const content of prompts)
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null } as const;
    })(),
    options: {
      cwd,
      provider: model,
      env: { TURNWRIGHT_HOME: home },
      permissionMode: 'plan',
      canUseTool: async (name, input, about) => {
        asked.push({ name, input, about });
        return answer(name, input, about);
      },
      ...options,
    },
  });
  const messages: SDKMessage[] = [];
  for await (const message of session) {
    messages.push(message);
    if (message.type === 'result') await onResult?.(session);
  }
  const told = (at: number) => JSON.stringify(model.requests.at(at)?.messages.at(-1));
  const plans = async () => {
    const files = (await readdir(home, { recursive: true })).filter((file) => file.endsWith('plan.md'));
    return Promise.all(files.map((file) => readFile(join(home, file), 'utf8')));
  };
  return { asked, messages, model, told, plans, cwd, denials: () => lastResult(messages).permission_denials };
}

/** The file of the plan, as the model was told of it. */
const fileIn = (told: string) => /with Write or Edit: (\S+plan\.md)/.exec(told)?.[1] ?? '';
const yes: CanUseTool = async () => ({ behavior: 'allow' });
const no: CanUseTool = async () => ({ behavior: 'deny', message: 'begin with the tests' });

describe('the model in mode plan', () => {
  it('is told how to plan, with each prompt, and when that is over', async () => {
    const { told, model } = await planned([text('a'), text('b')], no, {}, ['one', 'two'], (session) =>
      session.setPermissionMode('default'),
    );
    expect(told(0)).toContain('1. Look: read the code');
    expect(told(0)).toContain('show it with ExitPlanMode');
    expect(told(1)).not.toContain('1. Look');
    expect(told(1)).toContain('Plan mode is over');
    expect(model.violations).toEqual([]);
  });

  it('is told what the host says in place of that', async () => {
    const { told } = await planned([text('a')], no, { planModeInstructions: 'Draw a tree first.' });
    expect(told(0)).toContain('Draw a tree first.');
    expect(told(0)).not.toContain('1. Look');
    expect(told(0)).toContain('only reading is allowed');
  });

  it('is not told that the mode is over if its plan was approved', async () => {
    const { told } = await planned([SHOW, text('a'), text('b')], yes, {}, ['one', 'two']);
    expect(told(-1)).not.toContain('Plan mode is over: whoever');
  });

  it('writes its plan into one file, changes it there, and no other', async () => {
    const steps: Parameters<typeof scriptedModel>[0] = ({ messages }, at) => {
      const file = fileIn(JSON.stringify(messages));
      if (at === 0) return toolCall('Write', { file_path: file, content: '1. Look.\n' });
      if (at === 1) return toolCall('Edit', { file_path: file, old_string: 'Look', new_string: 'Write' });
      if (at === 2) return toolCall('Write', { file_path: `${file}.sh`, content: 'x' });
      return at === 3 ? toolCall('ExitPlanMode', {}) : text('done');
    };
    const { asked, plans, denials } = await planned(steps, no);
    expect(await plans()).toEqual(['1. Write.\n']);
    expect(denials().map(({ tool_name: name }) => name)).toEqual(['Write', 'ExitPlanMode']);
    // Who is asked sees what the file holds.
    expect(asked).toMatchObject([
      { name: 'ExitPlanMode', input: { plan: '1. Write.' }, about: { exitPlanMode: { plan: '1. Write.' } } },
    ]);
    expect(asked[0]?.about.exitPlanMode?.planFilePath).toMatch(/plan\.md$/);
  });

  it('does not write through a link that was put in the place of the file', async () => {
    const elsewhere = join(await temporaryFolder(), 'elsewhere.md');
    writeFileSync(elsewhere, 'kept');
    const { told, denials } = await planned(({ messages }, at) => {
      const file = fileIn(JSON.stringify(messages));
      if (at === 0) {
        mkdirSync(dirname(file), { recursive: true });
        symlinkSync(elsewhere, file);
        return toolCall('Write', { file_path: file, content: 'x' });
      }
      return text('done');
    }, no);
    expect(told(-1)).toContain('plan mode changes nothing');
    expect(denials()).toHaveLength(1);
    expect(await readFile(elsewhere, 'utf8')).toBe('kept');
  });

  it('reads that there is no plan to show', async () => {
    const { asked, told } = await planned([toolCall('ExitPlanMode', {}), text('done')], yes);
    expect(asked).toEqual([]);
    expect(told(-1)).toContain('There is no plan yet');
  });
});

describe('an approved plan', () => {
  it('is kept as it was approved, and the model reads that it was changed', async () => {
    const changing: CanUseTool = async (_name, input) => ({
      behavior: 'allow',
      updatedInput: { ...input, plan: '1. Test. 2. Write.' },
    });
    const { plans, told, messages } = await planned([SHOW, text('done')], changing);
    expect(await plans()).toEqual(['1. Test. 2. Write.\n']);
    expect(told(-1)).toContain('They changed it first');
    const done = expect.objectContaining({ plan: '1. Test. 2. Write.', planWasEdited: true });
    expect(messages).toContainEqual(expect.objectContaining({ type: 'user', tool_use_result: done }));
  });

  it('is kept before it is asked about, so that a person can change it in its file', async () => {
    const { plans, told } = await planned([SHOW, text('done')], async (_name, _input, { exitPlanMode }) => {
      await writeFile(exitPlanMode?.planFilePath ?? '', '1. By hand.\n');
      return { behavior: 'deny', message: 'look at the file' };
    });
    expect(await plans()).toEqual(['1. By hand.\n']);
    expect(told(-1)).toContain('look at the file');
  });
});

describe('EnterPlanMode', () => {
  const ENTER = toolCall('EnterPlanMode', {});
  const asking = { permissionMode: 'acceptEdits', isNonInteractiveSession: false } as const;

  it('is offered if a person follows, and begins the mode with their consent', async () => {
    const { asked, told, messages, model, cwd } = await planned([ENTER, WRITE, SHOW, WRITE, text('done')], yes, asking);
    expect(asked.map(({ name }) => name)).toEqual(['EnterPlanMode', 'ExitPlanMode']);
    expect(told(1)).toContain('1. Look: read the code');
    expect(told(2)).toContain('plan mode changes nothing');
    expect(model.requests.map(({ tools }) => tools.some(({ name }) => name === 'ExitPlanMode'))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('x');
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_use_result: expect.objectContaining({ success: true }) }),
    );
  });

  it('leaves the mode as it is if the person says no, in every mode', async () => {
    for (const permissionMode of ['default', 'bypassPermissions'] as const) {
      const { asked, denials, told } = await planned([ENTER, text('done')], no, {
        ...asking,
        permissionMode,
        allowDangerouslySkipPermissions: true,
        allowedTools: ['EnterPlanMode'],
      });
      expect(asked.map(({ name }) => name)).toEqual(['EnterPlanMode']);
      expect(told(-1)).toContain('begin with the tests');
      expect(denials()).toHaveLength(1);
    }
  });

  it('is not offered if nobody follows, unless it is named', async () => {
    const named = async (options: Partial<Options>) => {
      const { model } = await planned([text('done')], yes, { permissionMode: 'default', ...options });
      return model.requests[0]?.tools.some(({ name }) => name === 'EnterPlanMode');
    };
    expect(await named({})).toBe(false);
    expect(await named({ tools: ['EnterPlanMode'] })).toBe(true);
  });

  it('has nothing to begin in mode plan', async () => {
    const { asked, told } = await planned([ENTER, text('done')], yes, { tools: ['EnterPlanMode', 'ExitPlanMode'] });
    expect(asked).toEqual([]);
    expect(told(-1)).toContain('in plan mode already');
  });
});
