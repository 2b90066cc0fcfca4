// Each protocol as the conformance tables see it: how to reach it, and how a reply is written in it. Model objects of the
// AI SDK join as one more, in each of their versions.
import { onTestFinished } from 'vitest';
import type { HostClock } from '../../../src/host/host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { createAiSdkProvider } from '../../../src/providers/ai-sdk/ai-sdk.js';
import { AI_SDK_VERSIONS, type AiSdkVersion } from '../../../src/providers/ai-sdk/language-model.js';
import { createAnthropicProvider } from '../../../src/providers/anthropic/anthropic.js';
import type { Provider } from '../../../src/providers/contract/provider.js';
import { createOpenAIChatProvider } from '../../../src/providers/openai-chat/openai-chat.js';
import { createOpenAIResponsesProvider } from '../../../src/providers/openai-responses/openai-responses.js';
import { CHAT_WIRE } from '../../../src/testing/mock/mock-chat.js';
import { type MockProviderOptions, startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import { RESPONSES_WIRE } from '../../../src/testing/mock/mock-responses.js';
import { MESSAGES_WIRE, type MockFunction, type MockWire } from '../../../src/testing/mock/mock-wire.js';
import { createScriptIds, planReply, type ScriptedReply, streamReply } from '../../../src/testing/model/script.js';
import { partsOf, scriptedAiSdkModel } from '../../support/ai-sdk-script.js';
import { API_KEY } from '../../support/anthropic-replies.js';

export interface WireAdapter {
  readonly api: NonNullable<MockProviderOptions['api']>;
  /** As documents name it. */
  readonly title: string;
  readonly wire: MockWire;
  connect(url: string, apiKey?: string, clock?: HostClock): Provider & { close(): void };
}

const { clock: realClock } = createNodeHost();

export const ADAPTERS: readonly WireAdapter[] = [
  {
    api: 'anthropic',
    title: 'Anthropic Messages',
    wire: MESSAGES_WIRE,
    connect: (url, apiKey = API_KEY, clock = realClock) => createAnthropicProvider({ baseUrl: url, apiKey, clock }),
  },
  {
    api: 'openai-chat',
    title: 'OpenAI Chat Completions',
    wire: CHAT_WIRE,
    connect: (url, apiKey = API_KEY, clock = realClock) =>
      createOpenAIChatProvider({ id: 'openai', baseUrl: `${url}/v1`, apiKey, clock }),
  },
  {
    api: 'openai-responses',
    title: 'OpenAI Responses',
    wire: RESPONSES_WIRE,
    connect: (url, apiKey = API_KEY, clock = realClock) =>
      createOpenAIResponsesProvider({ id: 'openai', baseUrl: `${url}/v1`, apiKey, clock }),
  },
];

/** A mock server of that protocol and a provider for it. Both are closed when the test ends. */
export async function serve(adapter: WireAdapter, options: Omit<MockProviderOptions, 'api'>, clock?: HostClock) {
  const mock = await startMockProvider({ ...options, api: adapter.api });
  const provider = adapter.connect(mock.url, undefined, clock);
  onTestFinished(async () => {
    provider.close();
    await mock.close();
  });
  return { mock, provider };
}

/** Whoever joins a table: also one that no wire leads to. */
export interface Conformer {
  /** Unique. */
  readonly api: string;
  /** As documents name it. */
  readonly title: string;
  /** The pieces a reply is sent in, as texts. */
  frames(reply: ScriptedReply, chunkSize: number): readonly string[];
  /** How many of them come before the reply has begun for who listens, that one included. */
  readonly opening: number;
  /** Something that answers as the steps say, and a provider for it. */
  serve(
    options: Pick<MockProviderOptions, 'steps' | 'chunkSize'>,
    clock?: HostClock,
  ): Promise<{
    readonly mock: {
      readonly violations: readonly unknown[];
      readonly requests: readonly { readonly body: unknown }[];
    };
    readonly provider: Provider;
  }>;
}

const WIRES: readonly Conformer[] = ADAPTERS.map((adapter) => ({
  api: adapter.api,
  title: adapter.title,
  opening: 1,
  frames(reply, chunkSize) {
    const plan = planReply(reply);
    if (plan === null) return [];
    const context = { model: 'm', ids: createScriptIds(), requestSize: 100, chunkSize };
    return [...adapter.wire.frames(streamReply(plan, context), undefined)];
  },
  serve: (options, clock) => serve(adapter, options, clock),
}));

function aiSdk(version: AiSdkVersion): Conformer {
  return {
    api: `ai-sdk ${version}`,
    title: 'AI SDK model object',
    opening: 2,
    frames(reply, chunkSize) {
      const plan = planReply(reply);
      return plan === null ? [] : partsOf(plan, version, chunkSize).map((part) => JSON.stringify(part));
    },
    async serve({ steps = () => ({}), chunkSize }, clock = realClock) {
      const answer: MockFunction = async (body, index) => {
        const step = typeof steps === 'function' ? steps : (steps[index] ?? {});
        return typeof step === 'function' ? step(body, index) : step;
      };
      const mock = scriptedAiSdkModel(answer, { version, ...(chunkSize === undefined ? {} : { chunkSize }) });
      return { mock, provider: createAiSdkProvider(mock, clock) };
    },
  };
}

/** Each protocol, and each version of model objects. */
export const CONFORMERS: readonly Conformer[] = [...WIRES, ...AI_SDK_VERSIONS.map(aiSdk)];

/** As the table of capabilities has them. */
export const COLUMNS: readonly Conformer[] = [...WIRES, aiSdk('v4')];
