// Model objects of the AI SDK, written from its published types: each version in its own words, no package needed.
import { ReadableStream } from 'node:stream/web';
import type { AiSdkLanguageModel, AiSdkVersion, Fields } from '../../src/providers/ai-sdk/language-model.js';

export interface FakeModel extends AiSdkLanguageModel {
  /** What was asked, oldest first. */
  readonly calls: Fields[];
  /** Streams that were told to stop. */
  cancelled: number;
}

/** One answer: parts, after which the stream closes, or stays open if the last one is `'stall'`; or a rejection. */
export type FakeAnswer = readonly (Fields | 'stall')[] | { readonly reject: unknown } | 'silence';

export function fakeModel(
  specificationVersion: AiSdkVersion,
  answers: readonly FakeAnswer[],
  traits: {
    readonly provider?: string;
    readonly modelId?: string;
    readonly headers?: Fields;
    readonly supportedUrls?: unknown;
  } = {},
): FakeModel {
  const calls: Fields[] = [];
  const model: FakeModel = {
    specificationVersion,
    provider: traits.provider ?? 'fake.chat',
    modelId: traits.modelId ?? 'fake-1',
    ...('supportedUrls' in traits ? { supportedUrls: traits.supportedUrls } : {}),
    calls,
    cancelled: 0,
    async doStream(options: never) {
      const answer = answers[Math.min(calls.length, answers.length - 1)] ?? [];
      calls.push(options);
      if (answer === 'silence') return new Promise<never>(() => undefined);
      if (!Array.isArray(answer)) throw (answer as { reject: unknown }).reject;
      const parts = answer as readonly (Fields | 'stall')[];
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) if (part !== 'stall') controller.enqueue(part);
          if (parts.at(-1) !== 'stall') controller.close();
        },
        cancel() {
          model.cancelled += 1;
        },
      });
      return { stream, response: { headers: traits.headers ?? {} } };
    },
  };
  return model;
}

/** The part that ends a stream, as each version writes it. */
export function finish(version: AiSdkVersion, reason: string, more: Fields = {}): Fields {
  if (version === 'v2') {
    const usage = { inputTokens: 100, outputTokens: 7, totalTokens: 107, cachedInputTokens: 40 };
    return { type: 'finish', finishReason: reason, usage, ...more };
  }
  const usage = {
    inputTokens: { total: 100, noCache: 50, cacheRead: 40, cacheWrite: 10 },
    outputTokens: { total: 7, text: 5, reasoning: 2 },
  };
  return { type: 'finish', finishReason: { unified: reason, raw: reason }, usage, ...more };
}

export function textParts(text: string, more: Fields = {}): Fields[] {
  const half = Math.ceil(text.length / 2);
  return [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: text.slice(0, half) },
    { type: 'text-delta', id: '0', delta: text.slice(half) },
    { type: 'text-end', id: '0', ...more },
  ];
}

/** A call, streamed and then whole. */
export function callParts(id: string, toolName: string, input: unknown, more: Fields = {}): Fields[] {
  const text = JSON.stringify(input);
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: text.slice(0, 3) },
    { type: 'tool-input-delta', id, delta: text.slice(3) },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName, input: text, ...more },
  ];
}
