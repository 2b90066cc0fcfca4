// What the host is told while somebody is asked.

import { describe, expect, it } from 'vitest';
import { parseRule } from '../../../src/permissions/rule.js';
import type { HookInput } from '../../../src/protocol/hooks.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../../support/engine.js';

describe('the status of a session', () => {
  it('is awaiting_input once while several calls are asked about, also for a question', async () => {
    const told: string[] = [];
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const probe = probeTool({ readOnly: true, concurrencySafe: true });
    const { engine } = await testEngine(
      scriptedModel([
        reply(toolCall('Probe', { value: 'a' }), toolCall('Probe', { value: 'b' })),
        toolCall('AskUserQuestion', { question: 'Which?' }),
        text('ok'),
      ]),
      {
        tools: [probe],
        setSDKStatus: (status) => void told.push(status),
        permissions: { mode: 'default', allow: [], ask: [parseRule('Probe')], deny: [], roots: [] },
        canUseTool: async () => {
          asked += 1;
          if (asked === 2) release();
          await both;
          return { behavior: 'allow' };
        },
        handleElicitation: async () => {
          told.push('asked');
          return null;
        },
      },
    );
    lastResult(await collect(engine.submitMessage('go')));
    expect(told).toEqual([
      'running',
      'awaiting_input',
      'running',
      // The call of the question itself, then the question.
      'awaiting_input',
      'running',
      'awaiting_input',
      'asked',
      'running',
      'completed',
    ]);
    expect(probe.runs).toHaveLength(2);
  });

  it('is not changed by an answer that comes after an abort', async () => {
    const told: string[] = [];
    let answer: () => void = () => undefined;
    const { engine } = await testEngine(scriptedModel([toolCall('Probe')]), {
      tools: [probeTool()],
      setSDKStatus: (status) => void told.push(status),
      canUseTool: () =>
        new Promise((resolve) => {
          answer = () => resolve({ behavior: 'allow' });
          engine.interrupt();
        }),
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('aborted');
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(['running', 'awaiting_input', 'aborted']);
  });

  it('that cannot be told is no denial', async () => {
    const probe = probeTool();
    const faults: string[] = [];
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probe],
      log: (event) => void faults.push(event),
      setSDKStatus: () => {
        throw new Error('the supervisor is gone');
      },
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).subtype).toBe('success');
    expect(probe.runs).toHaveLength(1);
    expect(faults.filter((event) => event === 'set_status_failed').length).toBeGreaterThan(2);
  });
});

describe('Notification hooks', () => {
  it('hear what is waited for, and hold nobody up', async () => {
    const heard: HookInput[] = [];
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probeTool()],
      hooks: {
        Notification: [
          {
            matcher: 'permission_prompt',
            hooks: [
              (input) => {
                heard.push(input);
                return new Promise(() => undefined);
              },
            ],
          },
        ],
      },
    });
    lastResult(await collect(engine.submitMessage('go')));
    expect(heard).toMatchObject([
      {
        notification_type: 'permission_prompt',
        title: 'Permission needed',
        message: 'Probe waits for permission: probe',
      },
    ]);
  });

  it('hear of the end of the session, and not of that of the prompt', async () => {
    const signals: AbortSignal[] = [];
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probeTool()],
      hooks: {
        Notification: [
          {
            hooks: [
              (_input, _id, { signal }) => {
                signals.push(signal);
                return new Promise(() => undefined);
              },
            ],
          },
        ],
      },
    });
    lastResult(await collect(engine.submitMessage('go')));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await engine.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('hear nothing if nobody is asked', async () => {
    let isHeard = false;
    const hook = async () => {
      isHeard = true;
      return {};
    };
    const { engine } = await testEngine(scriptedModel([toolCall('Probe'), text('ok')]), {
      tools: [probeTool()],
      permissions: { mode: 'bypassPermissions', allow: [], ask: [], deny: [], roots: [] },
      hooks: { Notification: [{ hooks: [hook] }] },
    });
    lastResult(await collect(engine.submitMessage('go')));
    expect(isHeard).toBe(false);
  });
});
