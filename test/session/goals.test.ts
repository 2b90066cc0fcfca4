// What a session works towards by itself: prompts of its own until the model says so, somebody stops it, or a limit does.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SDKGoalSnapshot } from '../../src/protocol/index.js';
import type { SDKMessage, TerminalReason } from '../../src/protocol/messages.js';
import { query } from '../../src/sdk/query.js';
import { createSdkMcpServer, tool } from '../../src/sdk/tools/tool.js';
import { createSessionGoals } from '../../src/session/goals/session-goal.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { controlled, gate } from '../support/controlled.js';
import { temporaryFolder } from '../support/engine.js';

const done = (status = 'complete') => toolCall('UpdateGoal', { status, reason: 'I looked.' });
const look = toolCall('Bash', { command: 'ls' });
const updates = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'goal_updated' ? [message] : []));
const lastTexts = (request: unknown): string => JSON.stringify(request).slice(-3_000);

describe('a goal', () => {
  it('is worked towards prompt after prompt until the model says that it is reached', async () => {
    const model = scriptedModel([look, text('One step.'), look, text('Another.'), done(), text('All green.')]);
    const { session, messages, result } = await controlled(model, { allowedTools: ['Bash'] });
    expect(await session.getGoal()).toBeNull();
    const goal = await session.setGoal({ objective: 'All tests pass.' });
    expect(goal).toMatchObject({ objective: 'All tests pass.', status: 'active', turns_used: 0, max_turns: 200 });
    for (let prompt = 0; prompt < 3; prompt++) expect(await result()).toMatchObject({ subtype: 'success' });
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
    expect(lastTexts(model.requests[0])).toContain('All tests pass.');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain('UpdateGoal');
    expect(await session.getGoal()).toMatchObject({ status: 'complete', turns_used: 6 });
    const told = updates(messages);
    expect(told.map(({ goal: { status } }) => status)).toEqual(['active', 'active', 'active', 'complete', 'complete']);
    expect(told[3]).toMatchObject({ reason: 'I looked.' });
    expect(told.at(-1)?.goal.turns_used).toBe(6);
    expect(model.requests).toHaveLength(6);
  });

  it('has its tool also if servers come to the session later', async () => {
    const model = scriptedModel([done(), text('All green.')]);
    const more = createSdkMcpServer({
      name: 'more',
      tools: [tool('look', 'Looks.', {}, async () => ({ content: [] }))],
    });
    const { session, result } = await controlled(model, {});
    await session.setGoal({ objective: 'All tests pass.' });
    await session.setMcpServers({ more });
    expect(await result()).toMatchObject({ subtype: 'success', result: 'All green.' });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['UpdateGoal', 'mcp__more__look']),
    );
  });

  it('waits behind what the user says, who is answered with the goal in sight', async () => {
    const model = scriptedModel([text('Four.'), done(), text('Done.')]);
    const { session, ask, result, messages } = await controlled(model, {});
    await session.setPermissionMode('default');
    const asked = ask('What is two and two?');
    await session.setGoal({ objective: 'Find out.' });
    await asked;
    await result();
    expect(await session.getGoal()).toMatchObject({ status: 'complete' });
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(2);
  });

  it('of a prompt that is a text goes on until it is reached, and the query ends', async () => {
    const model = scriptedModel([text('Hello.'), look, text('A step.'), done(), text('Done.')]);
    const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
    const session = query({
      prompt: 'Hello.',
      options: { provider: model, cwd, env: { TURNWRIGHT_HOME: home }, allowedTools: ['Bash'] },
    });
    await session.setGoal({ objective: 'Reach it.' });
    const messages: SDKMessage[] = [];
    for await (const message of session) messages.push(message);
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(3);
    expect(lastTexts(model.requests[0])).toContain('Hello.');
    expect(lastTexts(model.requests[0])).toContain('beside what this message says');
  });

  it('stops if the model needs the user, and goes on when the user says so', async () => {
    const model = scriptedModel([done('blocked'), text('Which key?'), done(), text('Done.'), text('Hello.')]);
    const { session, result, ask, messages } = await controlled(model);
    await session.setGoal({ objective: 'Deploy.' });
    await result();
    expect(await session.getGoal()).toMatchObject({ status: 'blocked' });
    await session.setGoal({ status: 'active' });
    await result();
    expect(await session.getGoal()).toMatchObject({ status: 'complete' });
    expect(await session.clearGoal()).toBe(true);
    expect(await session.clearGoal()).toBe(false);
    await ask('Hi.');
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'goal_cleared', goal_id: expect.any(String) }));
  });

  it('is paused by an interrupt, in the middle of a call', async () => {
    const running = gate();
    const model = scriptedModel([
      async () => {
        running.open();
        return new Promise<never>(() => undefined);
      },
    ]);
    const { session, result, messages } = await controlled(model);
    await session.setGoal({ objective: 'Dig.' });
    const reading = result();
    await running.passed;
    await session.interrupt();
    await reading;
    expect(await session.getGoal()).toMatchObject({ status: 'paused' });
    expect(updates(messages).at(-1)).toMatchObject({ reason: 'interrupted' });
  });

  it('takes no more replies than it may, in the middle of a prompt too', async () => {
    const model = scriptedModel(() => look);
    const { session, result, messages } = await controlled(model, { goalMaxTurns: 4, allowedTools: ['Bash'] });
    expect(await session.setGoalMaxTurns(3)).toBe(3);
    await session.setGoal({ objective: 'Never.' });
    expect(await result()).toMatchObject({ subtype: 'error_max_turns' });
    expect(model.requests).toHaveLength(3);
    expect(await session.getGoal()).toMatchObject({ status: 'paused', turns_used: 3, max_turns: 3 });
    expect(updates(messages).at(-1)).toMatchObject({ reason: 'safety-limit' });
    expect(await session.setGoalMaxTurns(null)).toBe(200);
    expect(await session.setGoal({ status: 'active' })).toMatchObject({ max_turns: 203 });
    await session.clearGoal();
  });

  it('is not asked for again if the model only talks', async () => {
    const model = scriptedModel(() => text('I think about it.'));
    const { session, result, messages } = await controlled(model);
    await session.setGoal({ objective: 'Think.' });
    for (let prompt = 0; prompt < 3; prompt++) await result();
    expect(await session.getGoal()).toMatchObject({ status: 'blocked' });
    expect(updates(messages).at(-1)).toMatchObject({ reason: 'no-progress' });
    expect(model.requests).toHaveLength(3);
  });

  it('is kept with the session, paused, and survives prompts that say nothing of it', async () => {
    const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
    const env = { TURNWRIGHT_HOME: home };
    const first = await controlled(scriptedModel([done('blocked'), text('Stuck.')]), { cwd, env });
    await first.session.setGoal({ objective: 'Build it.' });
    const { session_id: resume } = await first.result();
    await first.session.setGoal({ status: 'active' });
    await first.session.interrupt();
    await first.session[Symbol.asyncDispose]();
    for (const _ of [1, 2]) {
      const next = await controlled(
        scriptedModel(() => text('ok')),
        { cwd, env, resume },
      );
      await next.ask('Hello again.');
      await next.session[Symbol.asyncDispose]();
    }
    const last = await controlled(
      scriptedModel(() => text('ok')),
      { cwd, env, resume },
    );
    expect(await last.session.getGoal()).toMatchObject({
      objective: 'Build it.',
      status: expect.not.stringMatching('active'),
    });
  });

  it('refuses what is no goal, in words', async () => {
    const { session } = await controlled(scriptedModel([]));
    for (const [params, words] of [
      [{}, 'objective'],
      [{ status: 'active' }, 'no goal to change'],
      [{ objective: ' ' }, 'says what is to be reached'],
      [{ objective: 'x'.repeat(10_001) }, '10001 characters'],
      [{ objective: 'x', status: 'nearly' }, 'is one of'],
      [{ objective: 'x', creditsBudget: -1 }, 'above 0'],
    ] as const)
      await expect(session.setGoal(params as never)).rejects.toThrow(words);
    await expect(session.setGoalMaxTurns(0)).rejects.toThrow('at least 1');
    expect(await session.getGoal()).toBeNull();
  });
});

describe('the states of a goal', () => {
  const REASONS: TerminalReason[] = ['completed', 'aborted', 'max_turns', 'api_error', 'budget_exhausted'];
  const step = fc.oneof(
    fc.record({
      op: fc.constant('set'),
      objective: fc.option(fc.constant('x'), { nil: undefined }),
      budget: fc.constantFrom(undefined, null, 1, 5),
    }),
    fc.record({ op: fc.constantFrom('pause', 'resume', 'clear', 'complete', 'blocked') }),
    fc.record({
      op: fc.constant('prompt'),
      reason: fc.constantFrom(...REASONS),
      turns: fc.nat(5),
      cost: fc.nat(3),
      isLimited: fc.boolean(),
    }),
  );
  it('end: no run of prompts keeps a goal active behind a failure, a limit or a spent budget', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (steps, maxTurns) => {
        let id = 0;
        const nextId = () => {
          id += 1;
          return String(id);
        };
        const told: SDKGoalSnapshot[] = [];
        const goals = createSessionGoals({
          host: { clock: { now: () => 1_000 } as never, ids: { uuid: nextId } as never },
          maxTurns,
          restored: undefined,
          tell: (draft) => void ('goal' in draft && told.push(draft.goal as SDKGoalSnapshot)),
          changed: () => undefined,
        });
        for (const each of steps) {
          const { op } = each;
          try {
            if (op === 'set' && 'objective' in each)
              goals.set({ objective: each.objective as string, creditsBudget: each.budget as number });
            else if (op === 'pause') goals.set({ status: 'paused' });
            else if (op === 'resume') goals.set({ status: 'active' });
            else if (op === 'clear') goals.clear();
            else if (op === 'complete' || op === 'blocked') goals.report(op, 'said');
            else if ('reason' in each) {
              const before = goals.current;
              goals.promptBegan();
              const { reason, turns, isLimited, cost: costUsd } = each;
              goals.promptEnded({ reason, isError: reason !== 'completed', isLimited, turns, costUsd, durationMs: 10 });
              if (before?.status === 'active') {
                expect(goals.current?.turns_used).toBe(before.turns_used + turns);
                if (reason !== 'completed' || isLimited) expect(goals.isActive).toBe(false);
              } else expect(goals.current).toBe(before);
            }
          } catch (error) {
            expect((error as Error).name).toBe('ConfigError');
          }
          const { current } = goals;
          if (goals.isActive && current !== null) {
            expect(goals.turnsLeft).toBeGreaterThan(0);
            expect(current.credits_used ?? 0).toBeLessThan(current.credits_budget ?? Number.POSITIVE_INFINITY);
          }
          if (current !== null) expect(told.at(-1)).toEqual(current);
        }
      }),
      { numRuns: 200 },
    );
  });
});
