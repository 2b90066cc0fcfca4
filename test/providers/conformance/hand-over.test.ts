// One session over all protocols in turn, each behind a strict checker: every request is valid, each API gets back only its
// own reasoning, and nothing of the history has to be repaired.
import { expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { Provider } from '../../../src/providers/provider.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { collect, lastResult } from '../../../src/testing/collect.js';
import type { MockFunction } from '../../../src/testing/mock-steps.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/script-steps.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire-images.js';
import { defineTool } from '../../../src/tools/tool.js';
import { temporaryFolder } from '../../support/engine.js';
import { plainConfig } from '../../support/plain-config.js';
import { ADAPTERS, serve } from './adapters.js';

const TURNS = 12;
const LONG_NAME = `mcp__server__${'very_'.repeat(12)}long`;

it('goes from any API to any other and back', async () => {
  let turn = 0;
  const order: number[] = [];
  const served = await Promise.all(
    ADAPTERS.map(({ api }, own) => {
      const answer: MockFunction = () => {
        order.push(own);
        turn++;
        if (turn === TURNS) return text('All done.');
        const calls = [
          toolCall(LONG_NAME, { turn }, `call.${api}/${'x'.repeat(60)}${turn}`.replaceAll(/[./]/g, '_')),
          toolCall('Shot', {}, `s${turn}`),
        ];
        return reply(thinking(`Thought ${turn}`, `signature-of-${api}-${turn}`), text(`Turn ${turn}.`), ...calls);
      };
      return serve(ADAPTERS[own] as (typeof ADAPTERS)[number], { steps: answer });
    }),
  );
  /** After a fixed order that has every step from one to another. */
  const next = [0, 1, 2, 0, 2, 1, 0, 0, 1, 1, 2, 2];
  let asked = 0;
  const provider: Provider = {
    id: 'all',
    stream(request, limits, signal) {
      const at = next[asked++ % next.length] ?? 0;
      return (served[at] as (typeof served)[number]).provider.stream(request, limits, signal);
    },
  };
  const long = defineTool<{ turn?: number }, string>({
    name: LONG_NAME,
    description: 'Answers.',
    inputSchema: { type: 'object', properties: { turn: { type: 'number' } } },
    readOnly: true,
    concurrencySafe: true,
    title: () => 'long',
    subject: () => ({ kind: 'none' }),
    run: async ({ turn: number }) => ({ model: `answer ${number}`, data: '' }),
  });
  const shot = defineTool<object, string>({
    name: 'Shot',
    description: 'Shows.',
    inputSchema: { type: 'object', properties: {} },
    readOnly: true,
    concurrencySafe: true,
    title: () => 'shot',
    subject: () => ({ kind: 'none' }),
    run: async () => ({
      model: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } }],
      data: '',
    }),
  });
  const home = await temporaryFolder();
  const engine = new QueryEngine({
    ...plainConfig(),
    cwd: home,
    provider,
    userSpecifiedModel: 'gpt-5.2',
    thinkingConfig: { type: 'enabled', budgetTokens: 2_000 },
    tools: [long as never, shot as never],
    host: createNodeHost(),
    env: { TURNWRIGHT_HOME: home },
  });
  const messages = await collect(engine.submitMessage('Go.'));
  await engine.close();

  for (const { mock } of served) expect(mock.violations).toEqual([]);
  expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'All done.', num_turns: TURNS });
  expect(messages.filter((message) => message.type === 'system' && message.subtype === 'history_repaired')).toEqual([]);
  expect(order).toEqual(next);
  for (const [own, { mock }] of served.entries()) {
    expect(mock.violations).toEqual([]);
    const bodies = mock.requests.map(({ body }) => JSON.stringify(body));
    for (const { api } of ADAPTERS) {
      const isOwn = ADAPTERS[own]?.api === api && api !== 'openai-chat';
      const last = bodies.at(-1) ?? '';
      expect(last.includes(`signature-of-${api}-`), `${api} in ${ADAPTERS[own]?.api}`).toBe(isOwn);
    }
    expect(bodies.at(-1)).toContain('answer 1');
    expect(bodies.at(-1)).toContain(ONE_PIXEL_PNG);
  }
});
