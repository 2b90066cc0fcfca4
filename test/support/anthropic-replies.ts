// Replies of the Messages API as events, and the small things every test of the provider needs.
import { onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { ModelEvent } from '../../src/protocol/content.js';
import { ModelError } from '../../src/protocol/errors.js';
import { type AnthropicConfig, createAnthropicProvider } from '../../src/providers/anthropic/anthropic.js';
import type { AttemptLimits, ModelRequest, Provider } from '../../src/providers/contract/provider.js';
import type { TransportKind } from '../../src/providers/http/routed-fetch.js';
import { type Answer, frame, startSseServer } from './sse-server.js';

export type WireEvent = { readonly type: string; readonly [field: string]: unknown };

export const API_KEY = 'sk-ant-secret-key-0123456789';
export const TRANSPORTS: readonly TransportKind[] = ['node', 'fetch'];
const LIMITS: AttemptLimits = { requestTimeoutMs: 10_000, streamIdleMs: 10_000 };
const NO_ABORT = new AbortController().signal;
export const REQUEST: ModelRequest = {
  model: 'claude-test',
  system: [],
  tools: [],
  messages: [{ role: 'user', content: 'hello' }],
  maxTokens: 1_000,
};

export const messageStart: WireEvent = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 1 },
  },
};
export const messageStop: WireEvent = { type: 'message_stop' };

export function messageDelta(stop_reason: string | null = 'end_turn'): WireEvent {
  return { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } };
}

export function blockStart(index: number, content_block: WireEvent): WireEvent {
  return { type: 'content_block_start', index, content_block };
}

export function blockDelta(index: number, delta: WireEvent): WireEvent {
  return { type: 'content_block_delta', index, delta };
}

export function blockStop(index: number): WireEvent {
  return { type: 'content_block_stop', index };
}

export function textBlock(index: number, ...texts: string[]): WireEvent[] {
  const deltas = texts.map((text) => blockDelta(index, { type: 'text_delta', text }));
  return [blockStart(index, { type: 'text', text: '' }), ...deltas, blockStop(index)];
}

export function toolBlock(index: number, id: string, ...json: string[]): WireEvent[] {
  const deltas = json.map((partial_json) => blockDelta(index, { type: 'input_json_delta', partial_json }));
  return [blockStart(index, { type: 'tool_use', id, name: 'Read', input: {} }), ...deltas, blockStop(index)];
}

export function thinkingBlock(index: number, thinking: string, signature: string): WireEvent[] {
  return [
    blockStart(index, { type: 'thinking', thinking: '', signature: '' }),
    blockDelta(index, { type: 'thinking_delta', thinking }),
    blockDelta(index, { type: 'signature_delta', signature }),
    blockStop(index),
  ];
}

/** Blocks as a whole reply. */
export function reply(...blocks: WireEvent[][]): WireEvent[] {
  return [messageStart, ...blocks.flat(), messageDelta(), messageStop];
}

export function textReply(...texts: string[]): WireEvent[] {
  return reply(textBlock(0, ...texts));
}

export function wire(events: readonly WireEvent[]): string {
  return events.map(frame).join('');
}

/** A provider for a server, closed when the test ends. */
export function connect(url: string, config: Partial<AnthropicConfig> = {}): Provider & { close(): void } {
  const provider = createAnthropicProvider({
    apiKey: API_KEY,
    baseUrl: url,
    clock: createNodeHost().clock,
    ...config,
  });
  onTestFinished(() => provider.close());
  return provider;
}

/** A server that gives `answer`, and a provider for it. Both are closed when the test ends. */
export async function serve(answer: Answer, transport: TransportKind = 'node') {
  const server = await startSseServer(answer);
  onTestFinished(() => server.close());
  return { server, provider: connect(server.url, { transport }) };
}

/** What one attempt gave: its events, and its error or null. */
export interface Outcome {
  readonly events: ModelEvent[];
  readonly error: ModelError | null;
}

/** Drains one attempt. Anything thrown that is no ModelError is thrown on: it breaks the contract. */
export async function attempt(
  provider: Provider,
  { request = REQUEST, limits = LIMITS, signal = NO_ABORT, onEvent = (_: ModelEvent): void => undefined } = {},
): Promise<Outcome> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of provider.stream(request, limits, signal)) {
      events.push(event);
      onEvent(event);
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { events, error };
  }
  return { events, error: null };
}
