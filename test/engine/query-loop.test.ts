// Why the loop goes round: each continuation has a name, which stands in the state of the request that follows.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LoopDeps, type LoopState, NO_COMPACTION, type Transition } from '../../src/engine/state/loop-state.js';
import { EMPTY_HOOK_RESULT } from '../../src/hooks/hook-result.js';
import { type ModelError as Failure, ModelError } from '../../src/protocol/errors.js';
import { reply, type ScriptedAnswer, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool } from '../support/engine.js';
import { loopDeps, runLoop } from '../support/loop.js';
import { textOf } from './long-histories.js';

const done = text('done');
const refused = (kind: Failure['kind'], message: string) => ({ error: new ModelError(kind, message) });
const SUMMARY = text('<summary>All was done, and nothing is open.</summary>');
const full: LoopState['messages'] = [
  { role: 'user', content: textOf(9_000, 1) },
  { role: 'assistant', content: [text(textOf(8_000, 2))] },
  { role: 'user', content: 'go' },
];
const usage = { input_tokens: 500, output_tokens: 600 };

interface Case {
  readonly answers: readonly ScriptedAnswer[];
  readonly deps?: () => Partial<LoopDeps>;
  readonly from?: Partial<LoopState>;
  /** Of all that was built: requests, and what was only measured. */
  readonly seen: readonly Transition[];
}

const tools = () => {
  const probes = [probeTool()];
  return { currentTools: () => probes };
};
const chain = () => ({
  fallback: {
    models: ['other'],
    on: new Set(['overloaded'] as const),
    primary: 'scripted',
    admit: async (model: string) => ({ model }),
  },
});
const blockedOnce = () => {
  let asked = 0;
  const stop = { ...EMPTY_HOOK_RESULT, block: { reason: 'Not yet.' } };
  return {
    hooks: {
      has: (event: string) => event === 'Stop',
      run: async () => (asked++ === 0 ? stop : EMPTY_HOOK_RESULT),
    },
  };
};

const CASES: Readonly<Record<Transition, Case>> = {
  start: { answers: [done], seen: ['start'] },
  tools_ran: { answers: [toolCall('Probe'), done], deps: tools, seen: ['start', 'tools_ran'] },
  reply_was_cut: {
    answers: [{ ...reply(text('half')), stopReason: 'max_tokens' }, done],
    seen: ['start', 'reply_was_cut'],
  },
  reply_was_empty: { answers: [reply(), done], seen: ['start', 'reply_was_empty'] },
  structured_output_wanted: {
    answers: [done, toolCall('StructuredOutput', { a: 1 })],
    deps: () => ({ outputSchema: { type: 'object' } }),
    seen: ['start', 'structured_output_wanted'],
  },
  turn_paused: {
    answers: [{ ...reply(text('half')), stopReason: 'pause_turn' }, done],
    seen: ['start', 'turn_paused'],
  },
  model_fell_back: {
    answers: [refused('overloaded', 'busy'), done],
    deps: chain,
    seen: ['start', 'model_fell_back'],
  },
  refused_part_left_out: {
    answers: [
      {
        error: new ModelError('invalid_request', 'too many', {
          refused: { kind: 'max_tokens', limit: 4_000 } as never,
        }),
      },
      done,
    ],
    seen: ['start', 'refused_part_left_out'],
  },
  history_compacted: {
    answers: [SUMMARY, done],
    deps: () => ({ contextWindow: () => 20_000 }),
    from: { messages: full },
    seen: ['start', 'history_compacted'],
  },
  history_shrunk: {
    answers: [refused('context_overflow', 'too long'), done],
    from: { messages: full, compaction: { ...NO_COMPACTION, lastAtTurn: 0 } },
    seen: ['start', 'history_shrunk'],
  },
  loop_nudged: {
    answers: [1, 2, 3].map((): ScriptedAnswer => toolCall('Probe', { value: 'same' })).concat(done),
    deps: tools,
    seen: ['start', 'tools_ran', 'tools_ran', 'loop_nudged'],
  },
  text_repeated: {
    answers: [{ ...reply(text('and so on, '.repeat(200))), stopReason: 'max_tokens' }, done],
    seen: ['start', 'text_repeated'],
  },
  stop_hook_blocked: { answers: [done, done], deps: blockedOnce, seen: ['start', 'stop_hook_blocked'] },
  budget_wrap_up: {
    answers: [{ ...reply(toolCall('Probe')), usage }, done],
    deps: () => ({ ...tools(), taskBudget: 1_000 }),
    seen: ['start', 'budget_wrap_up'],
  },
};

describe('the loop goes round', () => {
  it.each(Object.entries(CASES))('%s', async (name, { answers, deps, from, seen }) => {
    const model = scriptedModel(answers);
    const { outcome, states } = await runLoop(loopDeps(model, deps?.()), from);
    expect([...new Set(states.map(({ transition }) => transition))]).toEqual([...new Set(seen)]);
    expect(states.at(-1)?.transition).toBe(name);
    expect(outcome.error).toBeNull();
    model.assertDone();
  });

  it('for reasons that the document lists, each once', () => {
    const document = readFileSync(new URL('../../docs/loop.md', import.meta.url), 'utf8');
    const [, table = ''] = document.split('| Transition | When |');
    const listed = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(Object.keys(CASES).sort());
  });
});

describe('a loop that starts in the middle', () => {
  it.each<[string, Partial<LoopState>, ScriptedAnswer, string]>([
    [
      'after three cut replies',
      { cutReplies: 3 },
      { ...reply(text('x')), stopReason: 'max_tokens' },
      'max_output_tokens',
    ],
    ['after an empty reply', { transition: 'reply_was_empty' }, reply(), 'empty_reply'],
    ['after ten pauses', { pauses: 10 }, { ...reply(text('x')), stopReason: 'pause_turn' }, 'api_error'],
    [
      'after three refusals of its length',
      { overflows: 3 },
      refused('context_overflow', 'too long'),
      'prompt_too_long',
    ],
    ['with its answer there', { isAnswered: true }, done, 'completed'],
  ])('%s', async (_name, from, answer, reason) => {
    const { outcome } = await runLoop(loopDeps(scriptedModel([answer])), from);
    expect(outcome.reason).toBe(reason);
  });

  it('yields what came, in order, and answers each call', async () => {
    const model = scriptedModel([reply(toolCall('Probe'), toolCall('Gone')), done]);
    const { drafts } = await runLoop(loopDeps(model, tools()));
    expect(drafts.map(({ type }) => type)).toEqual(['reply', 'user', 'user', 'reply']);
  });
});
