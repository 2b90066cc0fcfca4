// Sessions for the simulated prompt cache: what the host and the model do, and which breaks of the cache that explains. One
// rule: a break that is not written down here is a fault of the engine.
import { ModelError } from '../../../src/protocol/errors.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import type { ScriptedFunction, ScriptedModelOptions } from '../../../src/testing/model/scripted-model.js';
import { isSummaryRequest } from '../summary-request.js';
import type { CacheBreak, PromptCacheRules } from './simulator.js';
import { rounds, type Stage, type Step } from './stage.js';

export interface Scenario {
  readonly name: string;
  /** Conversations that begin in it: subagents, forks of nothing, `/clear`. Default 1. */
  readonly begins?: number;
  /** In their order; a request may have several. Default none. */
  readonly breaks?: readonly CacheBreak[];
  readonly rules?: Partial<PromptCacheRules>;
  readonly model?: ScriptedModelOptions;
  /** `scale`: how many times as long as in `npm test`. */
  readonly run: (stage: Stage, scale: number) => Promise<unknown>;
}

const MINUTE = 60_000;
const SUMMARY = text(`<summary>${'What was found so far. '.repeat(60)}</summary>`);

export const readFile = (round: number) =>
  toolCall('Read', { file_path: round % 2 === 0 ? 'a.txt' : 'b.txt', offset: (round % 12) * 30 + 1, limit: 30 });
export const reading = (calls: number) => rounds(calls, readFile);
export const summarising =
  (answer: ScriptedFunction): ScriptedFunction =>
  (request, index) =>
    isSummaryRequest(request) ? SUMMARY : answer(request, index);
export const prompts = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `Question ${at + 1}: what of part ${at + 1}?`);
export const endsWithResult = ({ messages }: ModelRequest): boolean =>
  JSON.stringify(messages.at(-1)?.content).includes('"tool_result"');
const parallel = (width: number) => () => reply(...Array.from({ length: width }, (_, at) => readFile(at)));
const resume = (stage: Stage): Options => ({ resume: stage.last.sessionId });
const lastAssistant = (stage: Stage): string =>
  stage.last.messages.findLast((message) => message.type === 'assistant')?.uuid ?? '';
const uuidOf = (stage: Stage, at: number): string =>
  stage.last.messages.filter((message) => message.type === 'assistant')[at]?.uuid ?? '';

/** One session of prompts whose answers are of one kind. */
function plain(name: string, steps: readonly Step[], answer: () => ScriptedFunction, options: Options = {}): Scenario {
  return { name, run: (stage, scale) => stage.talk(Array(scale).fill(steps).flat(), answer(), options) };
}

const TURNS: readonly Scenario[] = [
  plain('one prompt', ['What is this?'], () => () => text('A house.')),
  plain('many prompts', prompts(6), () => reading(0)),
  plain('rounds of tools', prompts(3), () => reading(4)),
  plain('many rounds of tools', ['Look at everything.'], () => reading(24)),
  plain('two calls at once', prompts(3), () => rounds(2, parallel(2))),
  plain('twelve calls at once', prompts(2), () => rounds(3, parallel(12))),
  plain('forty calls at once', prompts(2), () => rounds(2, parallel(40))),
  plain('text beside calls', prompts(3), () => rounds(3, (n) => reply(text(`Round ${n}.`), readFile(n)))),
  plain('unknown tools and wrong input', prompts(2), () =>
    rounds(3, (n) => (n % 2 === 0 ? toolCall('Nobody', { n }) : toolCall('Read', { wrong: n }))),
  ),
  plain(
    'calls that are denied',
    prompts(2),
    () => rounds(2, (n) => toolCall('Write', { file_path: `${n}.txt`, content: 'x' })),
    {
      permissionMode: 'default',
    },
  ),
  plain('files are written and changed', prompts(2), () =>
    rounds(3, (n) => toolCall('Write', { file_path: `new-${n}.txt`, content: `line ${n}\n`.repeat(40) })),
  ),
  plain('a list of todos', prompts(2), () =>
    rounds(3, (n) => toolCall('TodoWrite', { todos: [{ id: '1', content: `step ${n}`, status: 'in_progress' }] })),
  ),
  plain(
    'prompts of several blocks',
    [
      [
        { type: 'text', text: 'First.' },
        { type: 'text', text: 'Second.' },
      ],
      'And then?',
    ],
    () => reading(2),
  ),
  plain('attached files', ['What says @a.txt?', 'And @b.txt?'], () => reading(1)),
  plain('a reply that the output limit cut', prompts(2), () => {
    let n = 0;
    return () =>
      n++ % 3 === 0 ? { blocks: [text('Half of')], stopReason: 'max_tokens' as const } : text('the answer.');
  }),
  plain('an empty reply', prompts(2), () => {
    let n = 0;
    return () => (n++ % 2 === 0 ? { blocks: [] } : text('So be it.'));
  }),
  plain('local commands between prompts', ['One?', '/help', 'Two?', '/cost', 'Three?'], () => reading(1)),
  plain(
    'mostly thinking, with a budget',
    prompts(3),
    () => rounds(2, (n) => reply(thinking(`Hm ${n}.`, `sig-${n}`), readFile(n))),
    {
      thinking: { type: 'enabled', budgetTokens: 2_000 },
    },
  ),
  plain(
    'adaptive thinking and effort',
    prompts(3),
    () => rounds(2, (n) => reply(thinking(`Hm ${n}.`, `sig-${n}`), readFile(n))),
    {
      thinking: { type: 'adaptive' },
      effort: 'high',
    },
  ),
  {
    name: 'a model whose API leaves out the thinking of earlier prompts',
    rules: { leavesOutOldThinking: true },
    breaks: ['old_thinking', 'old_thinking'],
    run: (stage) =>
      stage.talk(
        prompts(3),
        rounds(2, (n) => reply(thinking(`Hm ${n}.`, `sig-${n}`), readFile(n))),
        {
          thinking: { type: 'adaptive' },
        },
      ),
  },
];

const KEPT: readonly Scenario[] = [
  {
    name: 'resumed',
    run: async (stage, scale) => {
      await stage.talk(prompts(2), reading(3));
      for (let n = 0; n < scale; n++) await stage.talk(['Go on.'], reading(2), resume(stage));
    },
  },
  {
    name: 'resumed three times',
    run: async (stage) => {
      await stage.talk(['One.'], reading(1));
      for (const prompt of prompts(3)) await stage.talk([prompt], reading(1), resume(stage));
    },
  },
  {
    name: 'continued',
    run: async (stage) => {
      await stage.talk(['One.'], reading(3));
      await stage.talk(['Two.'], reading(1), { continue: true });
    },
  },
  {
    name: 'resumed after parallel calls',
    run: async (stage) => {
      await stage.talk(prompts(2), rounds(2, parallel(15)));
      await stage.talk(['Go on.'], rounds(1, parallel(15)), resume(stage));
    },
  },
  {
    name: 'resumed with thinking',
    run: async (stage) => {
      const answer = () => rounds(2, (n) => reply(thinking(`Hm ${n}.`, `sig-${n}`), readFile(n)));
      await stage.talk(prompts(2), answer(), { thinking: { type: 'adaptive' } });
      await stage.talk(prompts(2), answer(), { ...resume(stage), thinking: { type: 'adaptive' } });
    },
  },
  {
    name: 'thinking switched off when resumed',
    breaks: ['thinking'],
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1), { thinking: { type: 'adaptive' } });
      await stage.talk(prompts(2), reading(1), { ...resume(stage), thinking: { type: 'disabled' } });
    },
  },
  {
    name: 'another effort when resumed',
    breaks: ['effort'],
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1), { effort: 'high' });
      await stage.talk(prompts(2), reading(1), { ...resume(stage), effort: 'low' });
    },
  },
  {
    name: 'another system prompt when resumed',
    breaks: ['system'],
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1), { systemPrompt: 'Be brief. '.repeat(600) });
      await stage.talk(prompts(2), reading(1), { ...resume(stage), systemPrompt: 'Be long. '.repeat(600) });
    },
  },
  {
    name: 'a fork',
    run: async (stage) => {
      await stage.talk(prompts(2), reading(2));
      await stage.talk(['Otherwise?'], reading(2), { ...resume(stage), forkSession: true });
    },
  },
  {
    name: 'two forks of one session, and a fork of a fork',
    run: async (stage) => {
      await stage.talk(prompts(2), reading(2));
      const first = resume(stage);
      await stage.talk(['This way?'], reading(1), { ...first, forkSession: true });
      await stage.talk(['Further?'], reading(1), { ...resume(stage), forkSession: true });
      stage.rewound();
      await stage.talk(['That way?'], reading(1), { ...first, forkSession: true });
    },
    breaks: ['rewound'],
  },
  {
    name: 'a fork from an earlier answer',
    breaks: ['rewound'],
    run: async (stage) => {
      await stage.talk(prompts(3), reading(0));
      const resumeSessionAt = uuidOf(stage, 0);
      stage.rewound();
      await stage.talk(['Otherwise?'], reading(1), { ...resume(stage), forkSession: true, resumeSessionAt });
    },
  },
  {
    name: 'resumed at an earlier answer',
    breaks: ['rewound'],
    run: async (stage) => {
      await stage.talk(prompts(3), reading(0));
      const resumeSessionAt = uuidOf(stage, 1);
      stage.rewound();
      await stage.talk(['Otherwise?'], reading(1), { ...resume(stage), resumeSessionAt });
    },
  },
  {
    name: 'resumed at its last answer',
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1));
      await stage.talk(['More?'], reading(1), { ...resume(stage), resumeSessionAt: lastAssistant(stage) });
    },
  },
  {
    name: 'the conversation is set back',
    breaks: ['rewound'],
    run: async (stage) => {
      const ids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
      await stage.talk(
        [
          'One?',
          { uuid: ids[0] as string, content: 'Two?' },
          async (session) => {
            stage.rewound();
            await session.rewind(ids[0] as string, { mode: 'conversation' } as never);
          },
          'Another two?',
        ],
        reading(1),
        { enableFileCheckpointing: true },
      );
    },
  },
  {
    name: 'a pause of four minutes',
    run: (stage) => stage.talk(['One?', () => stage.host.advance(4 * MINUTE), 'Two?'], reading(2)),
  },
  {
    name: 'a pause of six minutes',
    breaks: ['expired'],
    run: (stage) => stage.talk(['One?', () => stage.host.advance(6 * MINUTE), 'Two?', 'Three?'], reading(2)),
  },
  {
    name: 'a new day, with a cache that keeps longer',
    rules: { ttlMs: 1e9 },
    run: (stage) => stage.talk(['One?', () => stage.host.advance(26 * 60 * MINUTE), 'Two?', 'Three?'], reading(1)),
  },
  {
    name: 'resumed on a new day, with a cache that keeps longer',
    rules: { ttlMs: 1e9 },
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1));
      await stage.host.advance(26 * 60 * MINUTE);
      await stage.talk(prompts(2), reading(1), resume(stage));
    },
  },
  {
    name: 'cleared',
    begins: 2,
    run: (stage) => stage.talk(['One?', '/clear', 'Two?', 'Three?'], reading(1)),
  },
  {
    name: 'a second session of the same kind',
    begins: 2,
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1));
      await stage.talk(['Something else.', 'And?'], reading(1));
    },
  },
];

const TROUBLE: readonly Scenario[] = [
  {
    name: 'overloaded now and then',
    run: (stage, scale) => {
      let n = 0;
      const answer = reading(3);
      return stage.talk(prompts(3 * scale), (request) =>
        n++ % 3 === 1 ? { error: new ModelError('overloaded', 'Busy.', { status: 529 }) } : answer(request),
      );
    },
  },
  {
    name: 'streams that are cut',
    run: (stage) => {
      let n = 0;
      const answer = reading(3);
      return stage.talk(prompts(2), (request) =>
        n++ % 3 === 1 ? { blocks: [text('Half a reply')], cutAfterEvents: 2 } : answer(request),
      );
    },
  },
  {
    name: 'another model takes over, and the first comes back',
    breaks: ['model', 'model'],
    run: (stage) => {
      let n = 0;
      return stage.talk(
        prompts(3),
        (request) => {
          if (request.model !== 'claude-haiku-4-5' && n++ === 1) {
            return { error: new ModelError('overloaded', 'Busy.', { status: 529 }) };
          }
          return endsWithResult(request) ? text('Done.') : readFile(request.messages.length);
        },
        { fallbackModel: 'claude-haiku-4-5', limits: { maxRetries: 0 } },
      );
    },
  },
  {
    name: 'another model, and back',
    breaks: ['model', 'model'],
    run: (stage) =>
      stage.talk(
        ['One?', (session) => session.setModel('claude-haiku-4-5'), 'Two?', (session) => session.setModel(), 'Three?'],
        reading(2),
      ),
  },
  {
    name: 'an interrupt in the middle of a reply',
    run: (stage) => {
      let n = 0;
      const abort: { now: () => void } = { now: () => undefined };
      return stage.talk(
        [
          async (session) => {
            abort.now = () => void session.interrupt();
          },
          'One?',
          'Two?',
          'Three?',
        ],
        () => {
          if (n++ !== 1) return text('Answered.');
          abort.now();
          return { blocks: [text('never whole')], stallAfterEvents: 3 };
        },
      );
    },
  },
  {
    name: 'an interrupt while a tool runs',
    run: (stage) => {
      let interrupt: () => void = () => undefined;
      return stage.talk(
        [
          async (session) => {
            interrupt = () => void session.interrupt();
          },
          'One?',
          'Two?',
          'Three?',
        ],
        reading(2),
        {
          hooks: {
            PreToolUse: [
              {
                hooks: [
                  async () => {
                    interrupt();
                    return {};
                  },
                ],
              },
            ],
          },
        },
      );
    },
  },
  {
    name: 'an interrupted session is resumed',
    run: async (stage) => {
      let n = 0;
      let interrupt: () => void = () => undefined;
      await stage.talk(
        [
          async (session) => {
            interrupt = () => void session.interrupt();
          },
          'One?',
          'Two?',
        ],
        (request) => {
          if (n++ < 2) return endsWithResult(request) ? text('Done.') : readFile(n);
          interrupt();
          return { stall: true };
        },
      );
      await stage.talk(['Go on.'], reading(1), resume(stage));
    },
  },
  {
    name: 'the window is full: a summary',
    breaks: ['compacted'],
    run: (stage) => stage.talk(['Look.', '/compact', 'And now?', 'Then?'], summarising(reading(6))),
  },
  {
    name: 'a summary as the user wants it',
    breaks: ['compacted'],
    run: (stage) => stage.talk(['Look.', '/compact Keep the names.', 'And now?'], summarising(reading(6))),
  },
  {
    name: 'a summary with adaptive thinking',
    breaks: ['compacted'],
    run: (stage) =>
      stage.talk(
        ['Look.', '/compact', 'And now?'],
        summarising(rounds(3, (n) => reply(thinking('Hm.', `s${n}`), readFile(n)))),
        {
          thinking: { type: 'adaptive' },
        },
      ),
  },
  {
    name: 'two summaries',
    breaks: ['compacted', 'compacted'],
    run: (stage) =>
      stage.talk(['Look.', '/compact', 'Look again.', 'And again.', '/compact', 'Now?'], summarising(reading(5))),
  },
  {
    name: 'a summary, then resumed',
    breaks: ['compacted'],
    run: async (stage) => {
      await stage.talk(['Look.', '/compact', 'And now?'], summarising(reading(6)));
      await stage.talk(['Go on.'], reading(2), resume(stage));
    },
  },
  {
    name: 'a window that fills by itself',
    breaks: ['compacted', 'compacted', 'compacted'],
    run: (stage) =>
      stage.talk(
        ['Look at it.', 'Again.'],
        summarising(rounds(14, (n) => reply(text(`${'Word for word it says. '.repeat(220)} ${n}`), readFile(n)))),
        {
          contextWindow: 48_000,
        },
      ),
  },
  {
    name: 'old output is taken out',
    breaks: ['shrunk'],
    run: (stage) => {
      stage.host.fs.addFile(
        '/project/big.txt',
        'A long line of output, of which nothing is needed later on.\n'.repeat(1_500),
      );
      const look = (n: number) => toolCall('Read', { file_path: 'big.txt', offset: n + 1, limit: 1_200 });
      return stage.talk(['Look at it.'], summarising(rounds(12, look)), { contextWindow: 200_000 });
    },
  },
];

export const BASIC_SCENARIOS: readonly Scenario[] = [...TURNS, ...KEPT, ...TROUBLE];
