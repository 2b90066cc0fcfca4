// What a host looks up while a prompt is prepared, and sends along with it.
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { PrefetchedPrompt } from '../../src/session/config/config.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { testEngine } from '../support/engine.js';

describe('a prefetch', () => {
  it('is begun before the hooks are heard, and its texts go along with the prompt', async () => {
    const order: string[] = [];
    let found: (texts: string[]) => void = () => undefined;
    const seen: PrefetchedPrompt[] = [];
    const model = scriptedModel([text('ok')]);
    const { engine, folder } = await testEngine(model, {
      prefetch: (prompt) => {
        seen.push(prompt);
        order.push('begun');
        return new Promise((resolve) => {
          found = resolve;
        });
      },
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              async () => {
                order.push('hook');
                found(['Use the skill "review".', ' ']);
                return {};
              },
            ],
          },
        ],
      },
    });
    await collect(engine.submitMessage('look at it'));
    expect(order).toEqual(['begun', 'hook']);
    expect(seen).toMatchObject([{ text: 'look at it', cwd: folder }]);
    expect(model.requests[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: 'look at it' },
      { type: 'text', text: 'Use the skill "review".' },
    ]);
  });

  it('that fails is logged, and the prompt goes on without', async () => {
    const logged: string[] = [];
    for (const prefetch of [
      async () => Promise.reject(new Error('no index')),
      () => {
        throw new Error('at once');
      },
    ]) {
      const model = scriptedModel([text('ok')]);
      const { engine } = await testEngine(model, { prefetch, log: (event) => logged.push(event) });
      expect(lastResult(await collect(engine.submitMessage('go'))).subtype).toBe('success');
      expect(model.requests[0]?.messages[0]?.content).toBe('go');
    }
    expect(logged.filter((event) => event === 'prefetch_failed')).toHaveLength(2);
  });

  it('is not waited for once the prompt is aborted', async () => {
    const { engine } = await testEngine(scriptedModel([]), {
      prefetch: () => {
        engine.interrupt();
        return new Promise(() => undefined);
      },
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).terminal_reason).toBe('aborted');
  });

  it('that hangs is waited for a minute, and told to stop', async () => {
    const host = createNodeHost();
    const model = scriptedModel([text('ok')]);
    const logged: string[] = [];
    let signal: AbortSignal | undefined;
    const { engine } = await testEngine(model, {
      // That minute is over at once.
      host: { ...host, clock: { ...host.clock, after: (ms, work) => host.clock.after(ms === 60_000 ? 0 : ms, work) } },
      prefetch: (prompt) => {
        signal = prompt.signal;
        return new Promise(() => undefined);
      },
      log: (event) => logged.push(event),
    });
    expect(lastResult(await collect(engine.submitMessage('go')))).toMatchObject({ result: 'ok' });
    expect(signal?.aborted).toBe(true);
    expect(logged).toContain('prefetch_failed');
  });

  it('is not begun for a slash command that is answered here', async () => {
    let begun = 0;
    const { getCommands } = await import('../../src/context/slash-commands.js');
    const { engine } = await testEngine(scriptedModel([]), {
      commands: await getCommands(),
      prefetch: async () => {
        begun += 1;
        return [];
      },
    });
    await collect(engine.submitMessage('/help'));
    expect(begun).toBe(0);
  });
});
