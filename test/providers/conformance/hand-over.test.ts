// One session over all protocols and model objects in turn, each behind a strict checker: every request is valid, each API gets back only its
// own reasoning, and nothing of the history has to be repaired.
import { expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { Provider } from '../../../src/providers/contract/provider.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import type { MockFunction } from '../../../src/testing/mock/mock-wire.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { defineTool } from '../../../src/tools/tool.js';
import { temporaryFolder } from '../../support/engine.js';
import { plainConfig } from '../../support/plain-config.js';
import { CONFORMERS } from './adapters.js';

/** Each of them behind each, itself too: a sequence in which every pair stands once. */
const ORDER = everyPair(CONFORMERS.length);
const TURNS = ORDER.length;
const LONG_NAME = `mcp__server__${'very_'.repeat(12)}long`;

/** Numbers below `count`, each following each once. */
function everyPair(count: number): number[] {
  const left = new Set(Array.from({ length: count * count }, (_, pair) => pair));
  // Of Hierholzer: along pairs that are left; if none is, the way back is the way.
  const path = [0];
  const order: number[] = [];
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const from = at * count;
    const next = Array.from({ length: count }, (_, to) => to).find((to) => left.delete(from + to));
    if (next !== undefined) path.push(next);
    else order.push(path.pop() ?? 0);
  }
  return order.reverse();
}

it('goes from any API to any other and back', async () => {
  let turn = 0;
  const order: number[] = [];
  const served = await Promise.all(
    CONFORMERS.map(({ api, serve }, own) => {
      const answer: MockFunction = () => {
        order.push(own);
        turn++;
        if (turn === TURNS) return text('All done.');
        const calls = [
          toolCall(LONG_NAME, { turn }, `call.${api}/${'x'.repeat(60)}${turn}`.replaceAll(/[./ ]/g, '_')),
          toolCall('Shot', {}, `s${turn}`),
        ];
        return reply(thinking(`Thought ${turn}`, `signature-of-${api}-${turn}`), text(`Turn ${turn}.`), ...calls);
      };
      return serve({ steps: answer });
    }),
  );
  let asked = 0;
  const provider: Provider = {
    id: 'all',
    stream(request, limits, signal) {
      const at = ORDER[asked++ % TURNS] ?? 0;
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
  expect(order).toEqual(ORDER);
  for (const [own, { mock }] of served.entries()) {
    expect(mock.violations).toEqual([]);
    const bodies = mock.requests.map(({ body }) => JSON.stringify(body));
    for (const { api } of CONFORMERS) {
      const isOwn = CONFORMERS[own]?.api === api && api !== 'openai-chat';
      const last = bodies.at(-1) ?? '';
      expect(last.includes(`signature-of-${api}-`), `${api} in ${CONFORMERS[own]?.api}`).toBe(isOwn);
    }
    expect(bodies.at(-1)).toContain('answer 1');
    expect(bodies.at(-1)).toContain(ONE_PIXEL_PNG);
  }
});
