// One session of 2,000 turns with 50 KB of tool output each: what it keeps is the conversation, and nothing else.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { Provider } from '../../src/providers/contract/provider.js';
import { createScriptIds, streamReply, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';
import { recordFigure } from '../support/figures.js';
import { CAN_COUNT, countHandles, type OpenHandles } from '../support/soak/open-handles.js';

const TURNS = 2_000;
const FIRST = 200;
const OUTPUT_BYTES = 50_000;
const WINDOW = 200_000;
const MAX_GROWTH_BYTES = 1_024;
/** One prompt; many of them make the session. */
const TURNS_PER_PROMPT = 100;

it('keeps under 1 KB a turn beside the conversation, and leaves nothing open', async () => {
  const before = process.getActiveResourcesInfo().sort();
  let turn = 0;
  // No validator: what it remembers of each message would count as growth of the engine.
  const ids = createScriptIds();
  const provider: Provider = {
    id: 'scripted',
    async *stream(request) {
      const content = { blocks: [toolCall('Probe', { value: String(++turn) }, `toolu_${turn}`)] };
      const context = {
        model: request.model,
        ids,
        requestSize: JSON.stringify(request.messages).length,
        chunkSize: 16,
      };
      yield* streamReply({ content }, context);
    },
  };
  // Lines that differ, so that no two outputs share memory and no turn looks like the one before.
  const line = 'src/module.ts:120: the quick brown fox jumps over the lazy dog\n';
  const output = () => `turn ${turn}\n${line.repeat(Math.ceil(OUTPUT_BYTES / line.length))}`.slice(0, OUTPUT_BYTES);
  const probe = probeTool({ run: async () => Buffer.from(output()).toString('latin1') });
  const { engine } = await testEngine(scriptedModel([]), {
    provider,
    tools: [probe],
    maxTurns: TURNS_PER_PROMPT,
    contextWindow: WINDOW,
    persistSession: true,
  });
  let shrunk = 0;
  const heaps = new Map<number, number>();
  while (turn < TURNS) {
    for await (const message of engine.submitMessage(`go on from ${turn}`)) {
      if (message.type === 'system' && (message.subtype === 'compact_boundary' || message.subtype === 'notice'))
        shrunk++;
      if (message.type === 'result') expect({ turn, ...message }).toMatchObject({ terminal_reason: 'max_turns' });
    }
    if (turn >= FIRST) heaps.set(turn, heapBeside(engine.getMessages()));
  }
  const growth = slopeOf([...heaps]);
  await engine.close();
  await new Promise((resolve) => setImmediate(resolve));
  const left = process.getActiveResourcesInfo().sort();
  recordFigure('turns', 'heap growth a turn beside the conversation, turn 200 to 2,000', growth.toFixed(0), 'bytes');
  recordFigure('turns', 'times that old output was removed', shrunk, 'times');
  recordFigure('turns', 'handles left open', Math.max(0, left.length - before.length), 'handles');
  expect(shrunk).toBeGreaterThan(0);
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  expect(left.length).toBeLessThanOrEqual(before.length);
});

it.skipIf(!CAN_COUNT)('keeps as many descriptors and sockets open at its end as after its first prompts', async () => {
  const { turns, before, during, after } = await countHandles(TURNS);
  const most = (kind: keyof OpenHandles) => Math.max(...during.map((open) => open[kind]));
  recordFigure('turns', 'turns over loopback with commands and files', turns, 'turns');
  for (const kind of ['fds', 'sockets'] as const) {
    const name = kind === 'fds' ? 'file descriptors' : 'sockets';
    recordFigure(
      'turns',
      `${name} while it runs, beside those of before, at least`,
      least(during, kind) - before[kind],
      name,
    );
    recordFigure('turns', `${name} while it runs, beside those of before, at most`, most(kind) - before[kind], name);
    recordFigure('turns', `${name} left open`, after[kind] - before[kind], name);
    expect(most(kind)).toBe(during[0]?.[kind]);
  }
  expect(after).toEqual(before);
});

function least(during: readonly OpenHandles[], kind: keyof OpenHandles): number {
  return Math.min(...during.map((open) => open[kind]));
}

/** The heap less what a copy of the conversation takes: JSON has no objects, and would count them as growth. */
function heapBeside(conversation: unknown): number {
  const before = heapAfterCollection();
  const copy: unknown = JSON.parse(JSON.stringify(conversation));
  const copied = heapAfterCollection() - before;
  // Used once more, so that it is not collected before it was measured.
  return copy === null ? 0 : before - copied;
}

/** Of the line that fits the points best: one heap alone says little, as what is waiting to be freed differs. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([turns]) => turns)), mean(points.map(([, bytes]) => bytes))];
  const rise = points.reduce((sum, [turns, bytes]) => sum + (turns - x) * (bytes - y), 0);
  return rise / points.reduce((sum, [turns]) => sum + (turns - x) ** 2, 0);
}

/** Twice, as finalisers may free more. */
function heapAfterCollection(): number {
  setFlagsFromString('--expose_gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
