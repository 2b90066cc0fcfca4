import { describe, expect, it } from 'vitest';
import { getCommands } from '../../../src/context/slash-commands.js';
import { createBudget } from '../../../src/engine/state/spending.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { query } from '../../../src/sdk/query.js';
import { getSessionInfo, listSessions } from '../../../src/sdk/sessions.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';

const textOf = (model: ScriptedModel, at: number) => JSON.stringify(model.requests[at]);
const titlesIn = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'session_title_changed' ? [message.title] : [],
  );

/** Runs the prompts in one session, and says what a list shows then. */
async function run(
  model: ScriptedModel,
  config: Partial<QueryEngineConfig>,
  prompts = ['first prompt', 'second prompt'],
) {
  const { engine, home } = await testEngine(model, { limits: { maxRetries: 0 }, ...config });
  const messages: SDKMessage[] = [];
  for (const prompt of prompts) messages.push(...(await collect(engine.submitMessage(prompt))));
  await engine.close();
  const [info] = await listSessions({ env: { TURNWRIGHT_HOME: home } });
  return { messages, info, engine, home };
}

describe('a title by the model', () => {
  it('is asked for once, after the first prompt, and counted', async () => {
    const model = scriptedModel([text('one'), text('**"Fix the parser."**\nand more'), text('two')]);
    const { messages, info, engine } = await run(model, { titles: 'model' });
    model.assertDone();
    expect(info).toMatchObject({
      summary: 'Fix the parser',
      customTitle: 'Fix the parser',
      firstPrompt: 'first prompt',
    });
    expect(titlesIn(messages)).toEqual(['Fix the parser']);
    expect(textOf(model, 1)).toContain('first prompt');
    expect(textOf(model, 1)).toContain('one');
    expect(model.requests[1]).toMatchObject({ tools: [], maxTokens: 64 });
    // All three requests, and nothing of the title's in the conversation.
    const used = model.requests.length;
    expect(used).toBe(3);
    expect(textOf(model, 2)).not.toContain('parser');
    const [first] = messages.filter((message) => message.type === 'result');
    expect(first?.usage.output_tokens).toBeGreaterThan(0);
    expect(engine.getMessages().length).toBe(4);
  });

  it('is paid for: its tokens are in the result of the prompt', async () => {
    const withTitle = await run(scriptedModel([text('one'), text('A title')]), { titles: 'model' }, ['first']);
    const without = await run(scriptedModel([text('one')]), {}, ['first']);
    const tokens = (messages: readonly SDKMessage[]) => lastResult(messages).usage.output_tokens;
    expect(tokens(withTitle.messages)).toBeGreaterThan(tokens(without.messages));
  });

  it('is not asked for unless wanted, nor if there is a title', async () => {
    const plain = scriptedModel([text('one'), text('two')]);
    expect((await run(plain, {})).info?.summary).toBe('second prompt');
    const named = scriptedModel([text('one'), text('two')]);
    expect((await run(named, { titles: 'model', title: ' Mine ' })).info?.customTitle).toBe('Mine');
    const unkept = scriptedModel([text('one')]);
    await run(unkept, { titles: 'model', persistSession: false }, ['first']);
    for (const model of [plain, named, unkept]) model.assertDone();
  });

  it('leaves the session well if it fails, and is not tried again', async () => {
    const logged: string[] = [];
    const log = (event: string) => void logged.push(event);
    const failing = [{ error: new ModelError('overloaded', 'busy') }, text('  '), toolCall('Probe')];
    for (const failure of failing) {
      const probe = probeTool();
      const model = scriptedModel([text('one'), failure, text('two')]);
      const { messages, info } = await run(model, { titles: 'model', log, tools: [probe] });
      model.assertDone();
      expect(info?.summary).toBe('second prompt');
      expect(titlesIn(messages)).toEqual([]);
      expect(messages.filter((message) => message.type === 'result').map((message) => message.subtype)).toEqual([
        'success',
        'success',
      ]);
      expect(probe.runs).toEqual([]);
    }
    expect(logged.filter((event) => event === 'title_failed').length).toBeGreaterThan(0);
  });

  it('is not asked for if the budget does not allow it', async () => {
    const logged: unknown[] = [];
    const log = (event: string, detail: unknown) => void (event === 'title_failed' && logged.push(detail));
    // The reply spends nearly all of what there is.
    const usage = { input_tokens: 10, output_tokens: 33_325 };
    for (const [limitUsd, requests] of [
      [0.5, 1],
      [5, 2],
    ] as const) {
      const model = scriptedModel(
        requests === 1 ? [{ ...reply(text('one')), usage }] : [{ ...reply(text('one')), usage }, text('Title')],
      );
      const provider = { ...model, id: 'anthropic' };
      const { messages } = await run(
        model,
        { titles: 'model', budget: createBudget(limitUsd), userSpecifiedModel: 'claude-sonnet-4-5', provider, log },
        ['first'],
      );
      model.assertDone();
      expect(titlesIn(messages).length).toBe(requests - 1);
    }
    expect(logged).toEqual([{ reason: 'unaffordable' }]);
  });

  it('is not asked for if no model answered', async () => {
    const failed = scriptedModel([{ error: new ModelError('authentication', 'no') }]);
    await run(failed, { titles: 'model' }, ['first']);
    failed.assertDone();
    const local = scriptedModel([]);
    await run(local, { titles: 'model', commands: await getCommands() }, ['/help']);
    local.assertDone();
  });
});

describe('the option title', () => {
  it('names a new session at once, and no resumed one', async () => {
    const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
    const env = { TURNWRIGHT_HOME: home };
    const seen: (string | undefined)[] = [];
    const model = scriptedModel([
      async () => {
        seen.push((await listSessions({ env }))[0]?.summary);
        return text('one');
      },
      text('two'),
    ]);
    const options = { cwd, env, provider: model, tools: [] };
    const first = lastResult(await collect(query({ prompt: 'go', options: { ...options, title: 'Given' } })));
    expect(seen).toEqual(['Given']);
    await collect(
      query({ prompt: 'on', options: { ...options, title: 'Other', titles: 'model', resume: first.session_id } }),
    );
    model.assertDone();
    expect((await getSessionInfo(first.session_id, { env }))?.summary).toBe('Given');
  });

  it.each([[{ title: ' ' }], [{ title: 'x'.repeat(2_001) }], [{ title: 7 as never }], [{ titles: 'ai' as never }]])(
    'refuses %o',
    async (given) => {
      const options = { ...given, provider: scriptedModel([]), cwd: await temporaryFolder() };
      await expect(collect(query({ prompt: 'go', options }))).rejects.toMatchObject({ code: 'config_invalid' });
    },
  );
});
