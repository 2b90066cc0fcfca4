import { describe, expect, it } from 'vitest';
import { createCompactor } from '../../../src/engine/compaction/compactor.js';
import { initialState } from '../../../src/engine/query-loop.js';
import type { Draft, LoopDeps, LoopState } from '../../../src/engine/state/loop-state.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';

const WINDOW = 20_000;
const PROSE = 'The quick reader opens every file that the task names, and writes down what each of them promises. ';

/** A conversation that takes about that part of the window. */
function filled(part: number, compaction: Partial<LoopState['compaction']> = {}): LoopState {
  const words = PROSE.repeat(Math.ceil((WINDOW * part) / 21));
  const start = initialState({ messages: [{ role: 'user', content: words }], model: 'm', wantsValue: false });
  return { ...start, compaction: { ...start.compaction, ...compaction } };
}

function compactor(isAutomatic = true) {
  const estimator = createTokenEstimator();
  const made = createCompactor({ estimator, contextWindow: () => WINDOW, isAutomatic, pinSources: async () => [] });
  const frame = { model: 'm', system: [], tools: [], messages: [], maxTokens: 1_000 };
  // What stands beside the messages is known from the first reply on.
  made.observe(frame, {
    input_tokens: 10,
    output_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  });
  return made;
}

/** What `compactIfNeeded` tells, and whether it leaves the state as it is. Only for states that need no summary. */
async function asked(made: ReturnType<typeof compactor>, state: LoopState) {
  const told: Draft[] = [];
  const work = made.compactIfNeeded(state, {} as LoopDeps);
  for (;;) {
    const step = await work.next();
    if (step.done) return { told, isSame: step.value === state };
    told.push(step.value);
  }
}

describe('a compactor that says there is room', () => {
  it.each([0, 0.05, 0.3, 0.5, 0.6])('would do and tell nothing, at %d of the window', async (part) => {
    const made = compactor();
    const state = filled(part);
    expect(made.hasRoom(state)).toBe(true);
    expect(await asked(made, state)).toEqual({ told: [], isSame: true });
  });

  it('does not say so if a warning is due, may be given again, or the window is full', async () => {
    const manual = compactor(false);
    expect(manual.hasRoom(filled(0.78))).toBe(false);
    expect((await asked(manual, filled(0.78))).told).toHaveLength(1);
    expect(manual.hasRoom(filled(0.78, { warned: true }))).toBe(true);
    expect(manual.hasRoom(filled(0.1, { warned: true }))).toBe(false);
    expect(await asked(manual, filled(0.1, { warned: true }))).toEqual({ told: [], isSame: false });
    expect(compactor().hasRoom(filled(0.95, { warned: true }))).toBe(false);
  });

  it('does not say so of a large conversation before it knows what stands beside it', () => {
    const made = createCompactor({
      estimator: createTokenEstimator(),
      contextWindow: () => WINDOW,
      isAutomatic: true,
      pinSources: async () => [],
    });
    expect(made.hasRoom(filled(0.1))).toBe(true);
    expect(made.hasRoom(filled(0.33))).toBe(false);
  });
});
