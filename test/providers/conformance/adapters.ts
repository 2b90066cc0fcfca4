// Each protocol as the conformance tables see it: how to reach it, and how the mock server writes it.
import { onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { createAiSdkProvider } from '../../../src/providers/ai-sdk.js';
import { createAnthropicProvider } from '../../../src/providers/anthropic.js';
import { createOpenAIChatProvider } from '../../../src/providers/openai-chat.js';
import { createOpenAIResponsesProvider } from '../../../src/providers/openai-responses.js';
import type { Provider } from '../../../src/providers/provider.js';
import { CHAT_WIRE } from '../../../src/testing/mock-chat.js';
import { MESSAGES_WIRE } from '../../../src/testing/mock-frames.js';
import { type MockProviderOptions, startMockProvider } from '../../../src/testing/mock-provider.js';
import { RESPONSES_WIRE } from '../../../src/testing/mock-responses.js';
import type { MockWire } from '../../../src/testing/mock-wire.js';
import { streamReply } from '../../../src/testing/script-events.js';
import { createScriptIds, planReply, type ScriptedReply } from '../../../src/testing/script-steps.js';
import { scriptedAiSdkModel } from '../../support/ai-sdk-script.js';
import { API_KEY } from '../../support/anthropic-replies.js';

export interface WireAdapter {
  readonly api: NonNullable<MockProviderOptions['api']>;
  /** As documents name it. */
  readonly title: string;
  readonly wire: MockWire;
  connect(url: string, apiKey?: string): Provider & { close(): void };
}

const { clock } = createNodeHost();

export const ADAPTERS: readonly WireAdapter[] = [
  {
    api: 'anthropic',
    title: 'Anthropic Messages',
    wire: MESSAGES_WIRE,
    connect: (url, apiKey = API_KEY) => createAnthropicProvider({ baseUrl: url, apiKey, clock }),
  },
  {
    api: 'openai-chat',
    title: 'OpenAI Chat Completions',
    wire: CHAT_WIRE,
    connect: (url, apiKey = API_KEY) => createOpenAIChatProvider({ id: 'openai', baseUrl: `${url}/v1`, apiKey, clock }),
  },
  {
    api: 'openai-responses',
    title: 'OpenAI Responses',
    wire: RESPONSES_WIRE,
    connect: (url, apiKey = API_KEY) =>
      createOpenAIResponsesProvider({ id: 'openai', baseUrl: `${url}/v1`, apiKey, clock }),
  },
];

/** A mock server of that protocol and a provider for it. Both are closed when the test ends. */
export async function serve(adapter: WireAdapter, options: Omit<MockProviderOptions, 'api'>) {
  const mock = await startMockProvider({ ...options, api: adapter.api });
  const provider = adapter.connect(mock.url);
  onTestFinished(async () => {
    provider.close();
    await mock.close();
  });
  return { mock, provider };
}

/** The frames a reply is sent in. */
export function framesOf(adapter: WireAdapter, reply: ScriptedReply, chunkSize: number): string[] {
  const plan = planReply(reply);
  if (plan === null) return [];
  const context = { model: 'm', ids: createScriptIds(), requestSize: 100, chunkSize };
  return [...adapter.wire.frames(streamReply(plan, context), undefined)];
}

/** Whoever joins the table of capabilities: also one that no wire leads to. */
export interface Conformer {
  readonly api: string;
  /** As documents name it. */
  readonly title: string;
  serve(options: Pick<MockProviderOptions, 'steps'>): Promise<{
    readonly mock: {
      readonly violations: readonly unknown[];
      readonly requests: readonly { readonly body: unknown }[];
    };
    readonly provider: Provider;
  }>;
}

const AI_SDK: Conformer = {
  api: 'ai-sdk',
  title: 'AI SDK model object',
  async serve({ steps }) {
    const model = scriptedAiSdkModel(() => (typeof steps === 'function' ? steps({}, 0) : {}) as ScriptedReply);
    return { mock: { violations: [], requests: model.requests }, provider: createAiSdkProvider(model, clock) };
  },
};

export const CONFORMERS: readonly Conformer[] = [
  ...ADAPTERS.map((adapter) => ({
    api: adapter.api,
    title: adapter.title,
    serve: (options: Pick<MockProviderOptions, 'steps'>) => serve(adapter, options),
  })),
  AI_SDK,
];
