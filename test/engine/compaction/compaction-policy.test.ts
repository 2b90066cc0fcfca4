import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterNotice,
  afterCompaction as afterOutcome,
  afterWarning,
  compactionThreshold,
  isRearmed,
  MIN_TURNS_BETWEEN,
  shouldCompact,
  shouldWarn,
} from '../../../src/engine/compaction/compactor.js';
import { type CompactionState, NO_COMPACTION } from '../../../src/engine/state/loop-state.js';

const RUNS = 1_000;
const WINDOW = 200_000;
const afterCompaction = (
  state: CompactionState,
  before: number,
  after: number,
  window: number,
  turn: number,
  frame = 0,
): CompactionState => afterOutcome(state, { before, after, frame, window }, turn);
const at = (estimatedTokens: number, turn: number) => ({
  estimatedTokens,
  messageTokens: estimatedTokens,
  window: WINDOW,
  maxOutput: 32_000,
  turn,
});

describe('the threshold', () => {
  it.each([
    [200_000, 8_000, 160_000],
    [200_000, 32_000, 160_000],
    [200_000, 64_000, 128_000],
    [32_000, 16_000, 12_800],
    [8_000, 8_000, 3_200],
    [1_000_000, 64_000, 800_000],
  ])('of a window of %i with replies of %i is %i', (window, maxOutput, expected) => {
    expect(compactionThreshold(window, maxOutput)).toBe(expected);
  });
});

describe('whether to compact', () => {
  it('begins at the threshold', () => {
    expect(shouldCompact(NO_COMPACTION, at(159_999, 1))).toBe('no');
    expect(shouldCompact(NO_COMPACTION, at(160_000, 1))).toBe('compact');
  });

  it('is no if the window is not known', () => {
    for (const window of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(shouldCompact(NO_COMPACTION, { ...at(1e9, 1), window })).toBe('no');
    }
    expect(shouldCompact(NO_COMPACTION, at(Number.NaN, 1))).toBe('no');
  });

  it('is blocked if the messages are too small a part of what fills the window', () => {
    expect(shouldCompact(NO_COMPACTION, { ...at(170_000, 1), messageTokens: 59_000 })).toBe('blocked');
    expect(shouldCompact(NO_COMPACTION, { ...at(170_000, 1), messageTokens: 61_000 })).toBe('compact');
  });

  it('is not asked again within five turns; an overflow then is told instead', () => {
    const state = afterCompaction(NO_COMPACTION, 170_000, 40_000, WINDOW, 10);
    expect(state.blocked).toBe(false);
    expect(shouldCompact(state, at(165_000, 12))).toBe('no');
    expect(shouldCompact(state, at(190_000, 12))).toBe('blocked');
    expect(shouldCompact(state, at(165_000, 15))).toBe('compact');
  });

  it.each([
    ['freed little', 170_000, 130_000],
    ['left the window full', 400_000, 150_000],
    ['failed', 170_000, 170_000],
    ['made it larger', 170_000, 180_000],
  ])(
    'is blocked after a compaction that %s, until the context changed by a fifth of the window',
    (_name, before, after) => {
      const state = afterCompaction(NO_COMPACTION, before, after, WINDOW, 10);
      expect(state).toMatchObject({ blocked: true, noticed: false, lastFreed: before - after });
      const near = Math.max(after, 160_000);
      expect(shouldCompact(state, at(near, 100))).toBe('blocked');
      expect(shouldCompact(state, at(after + 0.2 * WINDOW + 1, 100))).toBe('compact');
      expect(shouldCompact(state, at(100_000, 100))).toBe('no');
    },
  );

  it('remembers that the block was told of, until the next compaction', () => {
    const state = afterNotice(afterCompaction(NO_COMPACTION, 170_000, 170_000, WINDOW, 10));
    expect(state.noticed).toBe(true);
    expect(afterNotice(state)).toBe(state);
    expect(afterCompaction(state, 170_000, 20_000, WINDOW, 30)).toMatchObject({ noticed: false, blocked: false });
  });

  it('does not come sooner because turns were counted from the start again', () => {
    expect(afterCompaction(afterCompaction(NO_COMPACTION, 9, 1, 10, 50), 9, 1, 10, 3).lastAtTurn).toBe(50);
  });
});

describe('the warning', () => {
  const LEVEL = 0.85 * 160_000;

  it('comes below the threshold, once a crossing, and again only after a clear fall', () => {
    expect(shouldWarn(NO_COMPACTION, at(LEVEL - 1, 1))).toBe(false);
    expect(shouldWarn(NO_COMPACTION, at(LEVEL, 1))).toBe(true);
    const warned = afterWarning(NO_COMPACTION, true);
    expect(shouldWarn(warned, at(LEVEL + 20_000, 2))).toBe(false);
    expect(isRearmed(warned, at(LEVEL - 1, 3))).toBe(false);
    expect(isRearmed(warned, at(0.85 * LEVEL - 1, 4))).toBe(true);
    expect(shouldWarn(afterWarning(warned, false), at(LEVEL, 5))).toBe(true);
  });

  it('outlives a compaction that left the context as full', () => {
    expect(afterCompaction(afterWarning(NO_COMPACTION, true), 170_000, 169_000, WINDOW, 9).warned).toBe(true);
  });

  it('never comes if the window is not known', () => {
    for (const window of [0, Number.NaN, Number.POSITIVE_INFINITY])
      expect(shouldWarn(NO_COMPACTION, { ...at(1e9, 1), window })).toBe(false);
  });
});

describe('over any session', () => {
  /** Evenly spread, which `fc.double` is not: most of its numbers are next to nothing. */
  const share = (min: number, max: number) => fc.integer({ min: min * 1_000, max: max * 1_000 }).map((n) => n / 1_000);
  /** What each turn adds, share of the window; one turn may be larger than the threshold. What a compaction leaves. */
  const sessions = fc.record({
    window: fc.integer({ min: 4_000, max: 1_000_000 }),
    // System prompt and tools, share of the window.
    frame: fc.oneof(fc.constant(0), share(0, 1.1)),
    outputShare: share(0, 1.2),
    turns: fc.array(fc.oneof({ weight: 6, arbitrary: share(0, 0.1) }, { weight: 1, arbitrary: share(0.1, 2) }), {
      minLength: 10,
      maxLength: 80,
    }),
    left: fc.array(share(0, 1.1), { minLength: 1, maxLength: 6 }),
  });

  it('there is at most one compaction in five turns, and each makes headroom or blocks the next with one notice', () => {
    fc.assert(
      fc.property(sessions, ({ window, frame: frameShare, outputShare, turns, left }) => {
        const frame = frameShare * window;
        // The messages if the last compaction was in vain.
        let blockedAt: number | null = null;
        let state = NO_COMPACTION;
        let tokens = 0.05 * window;
        const compactions: number[] = [];
        let notices = 0;
        for (const [turn, share] of turns.entries()) {
          tokens += share * window;
          // Asked several times a turn: before the request and again after each repair or retry.
          for (let ask = 0; ask < 3; ask++) {
            const situation = {
              estimatedTokens: frame + tokens,
              messageTokens: tokens,
              window,
              maxOutput: outputShare * window,
              turn,
            };
            const decision = shouldCompact(state, situation);
            if (decision === 'compact') {
              const before = tokens;
              tokens *= left[compactions.length % left.length] ?? 1;
              compactions.push(turn);
              // Whatever else fills the window: another is made only if there is something new to gain by it.
              if (blockedAt !== null) expect(Math.abs(before - blockedAt)).toBeGreaterThan(0.2 * window);
              state = afterCompaction(state, before, tokens, window, turn, frame);
              const isInVain = before - tokens < 0.3 * window || frame + tokens > 0.7 * window;
              expect(state.blocked).toBe(isInVain);
              blockedAt = isInVain ? tokens : null;
              notices = 0;
            } else if (decision === 'blocked' && !state.noticed) {
              state = afterNotice(state);
              notices++;
            }
            expect(notices).toBeLessThanOrEqual(1);
          }
        }
        for (const [index, turn] of compactions.entries()) {
          const previous = compactions[index - 1];
          if (previous !== undefined) expect(turn - previous).toBeGreaterThanOrEqual(MIN_TURNS_BETWEEN);
        }
      }),
      { seed: 42, numRuns: RUNS },
    );
  });
});
