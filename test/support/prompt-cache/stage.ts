// A session over the scripted model, with the requests of its Messages API form put to a simulated prompt cache. One rule:
// what goes to the simulator is the body that the provider would send, byte for byte.
import { SUMMARY_HEADER } from '../../../src/engine/state/engine-notes.js';
import type { SDKMessage, SDKUserMessage } from '../../../src/protocol/messages.js';
import { createBodyBuilder } from '../../../src/providers/anthropic/request-body.js';
import type { ModelRequest, Provider } from '../../../src/providers/contract/provider.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import type { Query } from '../../../src/sdk/query-controls.js';
import { type FakeHost, fakeHost } from '../../../src/testing/fake-host.js';
import { text } from '../../../src/testing/model/script.js';
import {
  type ScriptedFunction,
  type ScriptedModelOptions,
  scriptedModel,
} from '../../../src/testing/model/scripted-model.js';
import { bodyText } from '../body-text.js';
import { isSummaryRequest } from '../summary-request.js';
import { type CacheReading, createPromptCache, type Explanation, type PromptCacheRules } from './simulator.js';

interface NamedPrompt {
  readonly uuid: string;
  readonly content: string;
}

/** What happens in a session: a prompt, or something done to the session between two prompts. */
type MessageContent = SDKUserMessage['message']['content'];

export type Step = MessageContent | NamedPrompt | ((session: Query) => Promise<unknown>);

export interface Stage {
  readonly host: FakeHost;
  /** Of every request so far. */
  readonly readings: readonly CacheReading[];
  /** Ids of the messages of the last `talk`, and its session. */
  readonly last: { readonly sessionId: string; readonly messages: readonly SDKMessage[] };
  /** One `query()`: its prompts one behind the other, each answered by `answer`. */
  talk(steps: readonly Step[], answer: ScriptedFunction, options?: Options): Promise<readonly SDKMessage[]>;
  /** Said before a request that goes on from an earlier place. */
  rewound(): void;
}

/** Enough for every prefix to be kept. */
const SYSTEM = 'Rules of this house, to be kept by whoever works here. '.repeat(120);

export function createStage(rules: Partial<PromptCacheRules> = {}, model: ScriptedModelOptions = {}): Stage {
  const host = fakeHost({ files: { '/project/a.txt': 'alpha\n'.repeat(400), '/project/b.txt': 'beta\n'.repeat(400) } });
  const cache = createPromptCache({ now: host.clock.now, ...rules });
  const readings: CacheReading[] = [];
  const last = { sessionId: '', messages: [] as SDKMessage[] };
  let isRewound = false;
  let wasSummary = false;
  let cuts = 0;
  // One model for all sessions, so that no id comes twice.
  let current: ScriptedFunction = () => text('Nobody asked.');
  const scripted = scriptedModel((request, index) => current(request, index), model);

  /** What the engine did is read off the texts that it puts into a conversation. */
  const explain = (request: ModelRequest, body: string): Explanation | null => {
    const [before, wasRewound, hadSummary] = [cuts, isRewound, wasSummary];
    cuts = body.split('to save space').length - 1;
    isRewound = false;
    wasSummary = isSummaryRequest(request);
    if (wasRewound) return 'rewound';
    if (hadSummary && firstText(request).startsWith(SUMMARY_HEADER)) return 'compacted';
    return cuts > before ? 'shrunk' : null;
  };

  return {
    host,
    readings,
    last,
    rewound() {
      isRewound = true;
    },
    async talk(steps, answer, options = {}) {
      current = answer;
      const bodies = createBodyBuilder();
      const provider: Provider = {
        id: 'anthropic',
        ...(scripted.outputSchema === undefined ? {} : { outputSchema: scripted.outputSchema }),
        async *stream(request: ModelRequest, limits, signal) {
          const body = bodyText(bodies.build(request));
          const { reading, answered } = cache.ask(JSON.parse(body) as Record<string, unknown>, explain(request, body));
          readings.push(reading);
          let isAnswered = false;
          for await (const event of scripted.stream(request, limits, signal)) {
            if (!isAnswered) answered();
            isAnswered = true;
            yield event;
          }
        },
      };
      const all: Options = {
        provider,
        host,
        model: 'claude-sonnet-4-5',
        systemPrompt: { type: 'preset', preset: 'turnwright', append: SYSTEM },
        // Only those compact that are meant to.
        contextWindow: 1_000_000,
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        limits: { retryBaseMs: 0, retryMaxMs: 0 },
        ...options,
      };
      last.messages = [];
      await play(steps, all, last.messages);
      scripted.assertDone();
      last.sessionId = last.messages.find((message) => 'session_id' in message)?.session_id ?? '';
      return last.messages;
    },
  };
}

/** Gives the next step when the one before has its result. */
async function play(steps: readonly Step[], options: Options, seen: SDKMessage[]): Promise<void> {
  let goOn: () => void = () => undefined;
  let session: Query | null = null;
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const step of steps) {
      if (typeof step === 'function') {
        if (session !== null) await step(session);
        continue;
      }
      const ended = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const { content, uuid } = isNamed(step) ? step : { content: step as MessageContent, uuid: undefined };
      yield {
        type: 'user',
        message: { role: 'user', content },
        parent_tool_use_id: null,
        ...(uuid === undefined ? {} : { uuid }),
      };
      await ended;
    }
  }
  session = query({ prompt: prompts(), options });
  for await (const message of session) {
    seen.push(message);
    if (message.type === 'result') goOn();
  }
}

function isNamed(step: Exclude<Step, (session: Query) => unknown>): step is NamedPrompt {
  return typeof step === 'object' && 'uuid' in step;
}

function firstText({ messages }: ModelRequest): string {
  const content = messages[0]?.content;
  if (typeof content === 'string') return content;
  const [block] = content ?? [];
  return block?.type === 'text' ? block.text : '';
}

/** Answers by what came last: calls in turn while there are some for the prompt, then a text. */
export function rounds(calls: number, call: (round: number, request: ModelRequest) => ReturnType<ScriptedFunction>) {
  let round = 0;
  return (request: ModelRequest) => {
    if (round < calls) return call(round++, request);
    round = 0;
    return text(`Done, at ${request.messages.length} messages. ${'That is what was found. '.repeat(20)}`);
  };
}
