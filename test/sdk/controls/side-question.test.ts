// What is asked of a model beside the conversation: questions, titles.
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/protocol/errors.js';
import { listSessions } from '../../../src/sdk/sessions.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { controlled, gate } from '../../support/controlled.js';

const lastText = (request: { readonly messages: readonly { readonly content: unknown }[] } | undefined) =>
  JSON.stringify(request?.messages.at(-1)?.content);

describe('askSideQuestion', () => {
  it('goes on from the conversation with the same beginning, has no tools, and is forgotten', async () => {
    const model = scriptedModel([text('Hello.'), text('Forty-two.'), text('Bye.')]);
    const { session, ask } = await controlled(model);
    await ask('Hi.');
    const history = [{ question: 'Before?', response: 'Yes.' }];
    expect(await session.askSideQuestion('How many?', { history })).toEqual({
      response: 'Forty-two.',
      synthetic: false,
    });
    await ask('Bye.');
    const [first, side, last] = model.requests;
    expect(side?.system).toEqual(first?.system);
    expect(side?.tools).toEqual(first?.tools);
    expect(side?.messages.slice(0, 1)).toEqual(first?.messages);
    expect(side?.toolChoice).toBe('none');
    expect(lastText(side)).toContain('How many?');
    expect(JSON.stringify(last?.messages)).not.toMatch(/How many|Forty-two|Before/);
    const { session: used } = await session.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
    const single = model.requests.length;
    expect(single).toBe(3);
    expect(Object.values(used.model_usage).reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBeGreaterThan(0);
  });

  it('is answered while a prompt runs, with a call that is still open', async () => {
    const asked = gate();
    const began = async () => {
      asked.open();
      return {};
    };
    const model = scriptedModel([
      toolCall('Bash', { command: 'while [ ! -e go ]; do sleep 0.02; done' }),
      (request) => {
        expect(lastText(request)).toContain('What now?');
        return text('Waiting.');
      },
      text('Done.'),
    ]);
    const { session, say, result, cwd } = await controlled(model, {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      hooks: { PreToolUse: [{ hooks: [began] }] },
    });
    say('Go.');
    const reading = result();
    await asked.passed;
    expect(await session.askSideQuestion('What now?')).toMatchObject({ response: 'Waiting.' });
    await writeFile(`${cwd}/go`, '');
    expect((await reading).subtype).toBe('success');
    model.assertDone();
  });

  it('ends with the caller, with the session and with a failure, each by its own error', async () => {
    const begun = gate();
    const model = scriptedModel((_request, at) => {
      begun.open();
      if (at === 0) return { error: new ModelError('invalid_request', 'no') };
      return at === 1 ? text('') : { waitFor: new Promise(() => undefined), ...reply(text('late')) };
    });
    const { session } = await controlled(model);
    await expect(session.askSideQuestion('1')).rejects.toThrow('no');
    expect(await session.askSideQuestion('2')).toBeNull();
    const stop = new AbortController();
    const aborted = session.askSideQuestion('3', { signal: stop.signal });
    aborted.catch(() => undefined);
    await expect.poll(() => model.calls).toBe(3);
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    const closed = session.askSideQuestion('4');
    closed.catch(() => undefined);
    await expect.poll(() => model.calls).toBe(4);
    session.close();
    await expect(closed).rejects.toMatchObject({ name: 'AbortError' });
    await expect(session.askSideQuestion(' ')).rejects.toMatchObject({ code: 'session_invalid' });
  });

  it('is refused if it makes no sense', async () => {
    const { session } = await controlled(scriptedModel([]));
    await expect(session.askSideQuestion('')).rejects.toThrow('empty');
    await expect(session.askSideQuestion('x', { history: [{}] as never })).rejects.toThrow('history');
  });

  it('keeps to the budget of the session', async () => {
    const { session } = await controlled(scriptedModel([]), { maxBudgetUsd: 0.000_000_1, model: 'claude-opus-4-5' });
    await expect(session.askSideQuestion('x')).rejects.toThrow('budget');
  });
});

describe('titles', () => {
  it('are made by one request, and kept if that is asked for; a name of a person beats them', async () => {
    const model = scriptedModel([text('Greeting the user'), text('Hello.'), text('Second title'), text('Bye.')]);
    const { session, ask, cwd, home, messages } = await controlled(model);
    const titleNow = async () => (await listSessions({ dir: cwd, env: { TURNWRIGHT_HOME: home } }))[0]?.summary;
    expect(await session.generateSessionTitle('Say hello', { persist: true })).toBe('Greeting the user');
    await ask('Hi.');
    expect(await titleNow()).toBe('Greeting the user');
    expect(await session.generateSessionTitle('Something')).toBe('Second title');
    expect(await titleNow()).toBe('Greeting the user');
    await session.renameSession('  My own  ');
    expect(await titleNow()).toBe('My own');
    await ask('Bye.');
    expect(await titleNow()).toBe('My own');
    expect(messages.some((message) => message.type === 'system' && message.subtype === 'session_title_changed')).toBe(
      false,
    );
    await expect(session.renameSession(' ')).rejects.toThrow('empty');
    await expect(session.generateSessionTitle('')).rejects.toThrow('empty');
  });
});
