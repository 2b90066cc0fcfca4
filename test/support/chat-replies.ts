// Replies of a Chat Completions API as chunks, and the small things every test of that provider needs.
import { onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { Provider } from '../../src/providers/contract/provider.js';
import { createOpenAIChatProvider, type OpenAIChatConfig } from '../../src/providers/openai-chat/openai-chat.js';
import { API_KEY } from './anthropic-replies.js';
import { type Answer, startSseServer, stream } from './sse-server.js';

export type Chunk = Readonly<Record<string, unknown>>;

export const DONE = 'data: [DONE]\n\n';

export function chunkFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A chunk with this delta. */
export function delta(fields: Chunk, finish: string | null = null): Chunk {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-test',
    choices: [{ index: 0, delta: fields, finish_reason: finish }],
  };
}

export const usageChunk: Chunk = {
  id: 'chatcmpl-1',
  choices: [],
  usage: {
    prompt_tokens: 19,
    completion_tokens: 9,
    total_tokens: 28,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
};

/** Deltas as a whole reply. */
export function chatReply(finish: string, ...deltas: Chunk[]): string {
  const chunks = [
    delta({ role: 'assistant', content: '' }),
    ...deltas.map((fields) => delta(fields)),
    delta({}, finish),
  ];
  return [...chunks, usageChunk].map(chunkFrame).join('') + DONE;
}

/** One entry of `tool_calls`. */
export function callDelta(entry: Chunk): Chunk {
  return { tool_calls: [entry] };
}

/** A provider for a server, closed when the test ends. */
function connectChat(url: string, config: Partial<OpenAIChatConfig> = {}): Provider & { close(): void } {
  const provider = createOpenAIChatProvider({
    id: 'openai',
    apiKey: API_KEY,
    baseUrl: `${url}/v1`,
    clock: createNodeHost().clock,
    ...config,
  });
  onTestFinished(() => provider.close());
  return provider;
}

/** A server that gives `answer`, and a provider for it. Both are closed when the test ends. */
export async function serveChat(answer: Answer | string, config: Partial<OpenAIChatConfig> = {}) {
  const server = await startSseServer(typeof answer === 'string' ? stream(answer) : answer);
  onTestFinished(() => server.close());
  return { server, provider: connectChat(server.url, config) };
}
