// A search by the provider of the session's model, over loopback: what its API is asked, and what is read of its reply.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { createOpenAIResponsesProvider } from '../../../src/providers/openai-responses/openai-responses.js';
import { collectHits } from '../../../src/providers/web/index.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import {
  API_KEY,
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  REQUEST,
  textReply,
  wire,
} from '../../support/anthropic-replies.js';
import { temporaryFolder } from '../../support/engine.js';
import { frame, startSseServer, stream } from '../../support/sse-server.js';

/** A reply that searches, as the Messages API streams it. */
const SEARCHED = [
  messageStart,
  blockStart(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
  blockDelta(0, { type: 'input_json_delta', partial_json: '{"query":"otters"}' }),
  blockStop(0),
  blockStart(1, {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      { type: 'web_search_result', url: 'https://a.test/otters', title: 'Otters', encrypted_content: 'x' },
      { type: 'web_search_result', url: 'https://blocked.test/', title: 'No', encrypted_content: 'x' },
    ],
  }),
  blockStop(1),
  blockStart(2, { type: 'text', text: '' }),
  blockDelta(2, {
    type: 'citations_delta',
    citation: {
      type: 'web_search_result_location',
      url: 'https://a.test/otters',
      title: 'Otters',
      cited_text: 'They swim.',
    },
  }),
  blockDelta(2, { type: 'text_delta', text: 'Otters swim.' }),
  blockStop(2),
  messageDelta(),
  messageStop,
];

const CALL = [
  messageStart,
  blockStart(0, { type: 'tool_use', id: 'toolu_1', name: 'WebSearch', input: {} }),
  blockDelta(0, {
    type: 'input_json_delta',
    partial_json: '{"query":"otters","blocked_domains":["blocked.test"]}',
  }),
  blockStop(0),
  messageDelta('tool_use'),
  messageStop,
];

describe('web.search.provider model', () => {
  it('searches by the Messages API, within the session and its costs', async () => {
    const replies = [CALL, SEARCHED, textReply('done')];
    const server = await startSseServer((response, seen) =>
      stream(wire(replies.shift() ?? textReply('?')))(response, seen),
    );
    onTestFinished(() => server.close());
    const folder = await temporaryFolder();
    const messages = await collect(
      query({
        prompt: 'go',
        options: {
          cwd: folder,
          model: 'claude-test',
          env: { TURNWRIGHT_HOME: folder, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: API_KEY },
          allowedTools: ['WebSearch'],
          web: { search: { provider: 'model' } },
        },
      }),
    );
    const outputs = messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : []));
    expect(outputs).toEqual([
      { query: 'otters', results: [{ title: 'Otters', url: 'https://a.test/otters', snippet: 'They swim.' }] },
    ]);
    const [, searching] = server.requests.map(({ body }) => JSON.parse(body) as { tools: unknown[] });
    expect(searching?.tools).toEqual([
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3, blocked_domains: ['blocked.test'] },
    ]);
    expect(server.requests).toHaveLength(3);
  });

  it('searches by the Responses API', async () => {
    const item = {
      type: 'message',
      content: [
        {
          type: 'output_text',
          text: 'Otters swim.',
          annotations: [{ type: 'url_citation', url: 'https://a.test/otters', title: 'Otters' }],
        },
      ],
    };
    const events = [
      { type: 'response.created', response: { id: 'resp_1', model: 'gpt-test', status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'web_search_call', id: 'ws_1' } },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'web_search_call', id: 'ws_1' } },
      { type: 'response.output_item.added', output_index: 1, item: { type: 'message', content: [] } },
      { type: 'response.output_item.done', output_index: 1, item },
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed', usage: {} } },
    ];
    const server = await startSseServer(stream(events.map(frame).join('')));
    const provider = createOpenAIResponsesProvider({
      id: 'openai',
      apiKey: API_KEY,
      baseUrl: server.url,
      clock: createNodeHost().clock,
    });
    onTestFinished(async () => {
      provider.close();
      await server.close();
    });
    const parts: unknown[] = [];
    const webSearch = {
      maxUses: 1,
      allowedDomains: ['a.test'],
      blockedDomains: [],
      onPart: (part: unknown) => parts.push(part),
    };
    const request: ModelRequest = { ...REQUEST, webSearch };
    expect(provider.searchesWeb?.('gpt-test')).toBe(true);
    for await (const _ of provider.stream(
      request,
      { requestTimeoutMs: 5_000, streamIdleMs: 5_000 },
      new AbortController().signal,
    ));
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      tools: [{ type: 'web_search', filters: { allowed_domains: ['a.test'] } }],
    });
    expect(collectHits(parts)).toEqual([{ title: 'Otters', url: 'https://a.test/otters', snippet: '' }]);
  });

  it('says so if the model cannot search', async () => {
    const model = scriptedModel([toolCall('WebSearch', { query: 'otters' }), text('ok')]);
    const folder = await temporaryFolder();
    const options = {
      cwd: folder,
      provider: model,
      env: { TURNWRIGHT_HOME: folder },
      allowedTools: ['WebSearch'],
      web: { search: { provider: 'model' as const } },
    };
    await collect(query({ prompt: 'go', options }));
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('cannot search by itself');
  });
});
