// Shared by the tests of the test kit: a valid body, a valid canonical request, one plain HTTP client.
import { request as httpRequest } from 'node:http';
import type { MessageParam } from '../../src/protocol/content.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';

export const LIMITS = { requestTimeoutMs: 60_000, streamIdleMs: 60_000 };

export const READ_TOOL = {
  name: 'Read',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { file_path: { type: 'string' } } },
};

export function modelRequest(messages: readonly MessageParam[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'test-model',
    system: [{ type: 'text', text: 'Be brief.' }],
    tools: [READ_TOOL],
    messages,
    maxTokens: 4096,
    ...more,
  };
}

export function ask(text: string): MessageParam {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function wireBody(messages: unknown, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'test-model', max_tokens: 4096, stream: true, tools: [READ_TOOL], messages, ...more };
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** True where the response ended as HTTP says it should. */
  readonly complete: boolean;
}

/** Posts a body with plain node:http and reads until the end, the cut or the abort. Rejects if no response came. */
export function post(
  url: string,
  body: unknown,
  options: { signal?: AbortSignal; onText?: (text: string) => void } = {},
) {
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = httpRequest(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json' },
        ...(options.signal ? { signal: options.signal } : {}),
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          options.onText?.(text);
        });
        const settle = () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, complete: response.complete });
        response.on('error', settle); // a cut is what some tests wait for
        response.on('close', settle);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** The JSON of every data line of an event stream. */
export function parseEvents<T>(text: string): T[] {
  const events: T[] = [];
  for (const line of text.split('\n')) if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)) as T);
  return events;
}
