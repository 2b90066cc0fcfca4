// What a server wants back of a reply, from its stream to the next request.
import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../../src/protocol/content.js';
import type { ChatQuirks } from '../../../src/protocol/model-options.js';
import { CHAT_QUIRKS } from '../../../src/providers/choice/known-providers.js';
import { foldEvents } from '../../../src/testing/model/collect.js';
import { attempt, REQUEST } from '../../support/anthropic-replies.js';
import { type Chunk, callDelta, chatReply, serveChat } from '../../support/chat-replies.js';

/** The assistant message of the request that follows a reply of these deltas, and the reply. */
async function thereAndBack(quirks: ChatQuirks, ...deltas: Chunk[]) {
  const { server, provider } = await serveChat(chatReply('tool_calls', ...deltas), { quirks });
  const first = await attempt(provider);
  expect(first.error).toBeNull();
  const { content } = foldEvents(first.events);
  const results = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  const messages: MessageParam[] = [
    ...REQUEST.messages,
    { role: 'assistant', content },
    {
      role: 'user',
      content: results.map((tool_use_id) => ({ type: 'tool_result' as const, tool_use_id, content: 'A' })),
    },
  ];
  await attempt(provider, { request: { ...REQUEST, messages } });
  const body = JSON.parse(server.requests[1]?.body ?? '{}') as { messages: Record<string, unknown>[] };
  return { content, sent: body.messages[1] };
}

const call = (id: string, extra?: object, args = '{}') =>
  callDelta({
    index: 0,
    id,
    function: { name: 'Read', arguments: args },
    ...(extra === undefined ? {} : { extra_content: extra }),
  });

describe('a signature of Google', () => {
  const signed = { google: { thought_signature: 'c2ln\u2028+/=' } };

  it('goes back with its call, byte for byte', async () => {
    const { content, sent } = await thereAndBack(
      CHAT_QUIRKS.gemini,
      { content: 'Looking.' },
      call('', signed, '{"k":1}'),
      call('', undefined, '{"k":2}'),
    );
    expect(content.map(({ type }) => type)).toEqual(['text', 'thinking', 'tool_use', 'tool_use']);
    expect(sent?.['tool_calls']).toMatchObject([
      { extra_content: signed },
      { extra_content: CHAT_QUIRKS.gemini.foreignCallExtra },
    ]);
  });

  it('that comes after its call goes back, too', async () => {
    const late = callDelta({ index: 0, extra_content: signed });
    const { sent } = await thereAndBack({}, call('a'), late);
    expect(sent?.['tool_calls']).toMatchObject([{ id: 'a', extra_content: signed }]);
  });
});

describe('a list of reasoning', () => {
  it('goes back as it came, its pieces joined', async () => {
    const piece = (text: string) => ({ type: 'reasoning.text', index: 0, format: 'x', text });
    const encrypted = { type: 'reasoning.encrypted', index: 1, data: 'c2VjcmV0' };
    const { content, sent } = await thereAndBack(
      CHAT_QUIRKS.openrouter,
      { reasoning: 'Hm, ', reasoning_details: [piece('Hm, ')] },
      { reasoning: 'so.', reasoning_details: [piece('so.'), { type: 'reasoning.text', index: 0, signature: 'c2ln' }] },
      { reasoning_details: [encrypted] },
      call('a'),
    );
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm, so.' });
    expect(sent?.['reasoning_details']).toEqual([{ ...piece('Hm, so.'), signature: 'c2ln' }, encrypted]);
  });
});

describe('the text of reasoning', () => {
  it('goes back if the server wants it, and only there', async () => {
    const deltas = [{ reasoning_content: 'Hm.' }, call('a')];
    expect((await thereAndBack(CHAT_QUIRKS.deepseek, ...deltas)).sent?.['reasoning_content']).toBe('Hm.');
    expect((await thereAndBack({}, ...deltas)).sent).not.toHaveProperty('reasoning_content');
  });
});
