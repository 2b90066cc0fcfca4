// What a prompt hook asks, and what the answer of a model means to an event.
import { describe, expect, it } from 'vitest';
import type { HookQuestion } from '../../src/hooks/declared-hooks.js';
import { createHookRunner } from '../../src/hooks/run-hooks.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { HOOK_EVENTS, type HookEvent, type HookInput } from '../../src/protocol/hooks.js';
import { commandHook, NO_POWERS, openedCommands } from '../support/command-hooks.js';
import { hookInput } from './inputs.js';

async function ask(event: HookEvent, prompt: string, said: string, more: Partial<HookInput> = {}) {
  const asked: HookQuestion[] = [];
  const askModel = async (question: HookQuestion) => {
    asked.push(question);
    return said;
  };
  const hook = commandHook(event, 'asks', { action: { type: 'prompt', prompt, model: 'small' } });
  const { declared, close } = openedCommands([hook], '/', {}, { ...NO_POWERS, askModel });
  const input = { ...hookInput(event), ...more } as HookInput;
  const result = await createHookRunner({}, createNodeHost(), declared).run(
    input,
    undefined,
    new AbortController().signal,
  );
  await close();
  return { asked, result, errors: result.failures.map(({ error }) => error) };
}

describe('a hook of the type prompt', () => {
  it.each(HOOK_EVENTS)(
    '%s: a no refuses where something can be refused, else it is told to the user',
    async (event) => {
      const { result, errors } = await ask(event, 'Is it fine?', '{"ok": false, "reason": "too late"}');
      expect(errors).toEqual([]);
      const said = [
        result.block?.reason,
        result.permission?.reason,
        result.request?.behavior,
        result.elicitation?.action,
      ];
      if (result.systemMessages.length === 0) expect(said.some((each) => each !== undefined)).toBe(true);
      else expect(result.systemMessages).toEqual(['too late']);
      expect((await ask(event, 'Is it fine?', '{"ok": true}')).result).toMatchObject({
        block: null,
        permission: null,
        request: null,
        systemMessages: [],
      });
    },
  );

  it('puts the event where the prompt wants it, as it is, else behind it', async () => {
    const price = { prompt: 'costs $& and $1' } as Partial<HookInput>;
    const { asked } = await ask('UserPromptSubmit', 'Look: $ARGUMENTS. Again: $ARGUMENTS', '{"ok": true}', price);
    const event = JSON.stringify({ ...hookInput('UserPromptSubmit'), ...price });
    expect(asked[0]?.text.replaceAll('\n', '')).toBe(`Look: ${event}. Again: ${event}`);
    expect(asked[0]?.model).toBe('small');
    const behind = await ask('Stop', 'Is it done?', '{"ok": true}');
    expect(behind.asked[0]?.text).toContain(`Is it done?\n\nWhat happened:\n${JSON.stringify(hookInput('Stop'))}`);
  });

  it.each(['', 'yes', 'true', '{"ok": "true"}', '[{"ok": true}]', '{"ok": true} and more', '{"reason": "no"}'])(
    'fails with the answer %j',
    async (said) => {
      const { errors } = await ask('Stop', 'Is it done?', said);
      expect(errors).toEqual([expect.stringContaining('the model gave no {"ok": true} or {"ok": false}')]);
    },
  );

  it('asks nothing about an event that is too long', async () => {
    const { asked, errors } = await ask('UserPromptSubmit', 'Fine?', '{"ok": true}', {
      prompt: 'x'.repeat(200_001),
    } as Partial<HookInput>);
    expect(asked).toEqual([]);
    expect(errors).toEqual([expect.stringContaining('more than 200000')]);
  });
});
