// What each protocol does with each kind of content, found out by doing it. Each case answers with the word that stands in
// the table of docs/providers.md, and throws if the protocol does something worse than it may.
import { expect } from 'vitest';
import type { AssistantMessage, MessageParam, StopReason, UserBlock } from '../../../src/protocol/content.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import type { MockStep } from '../../../src/testing/mock/mock-wire.js';
import { foldEvents } from '../../../src/testing/model/collect.js';
import { reply, type ScriptedBlock, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { attempt } from '../../support/anthropic-replies.js';
import type { Conformer } from './adapters.js';

export interface Capability {
  readonly name: string;
  readonly run: (adapter: Conformer) => Promise<string>;
}

const ASK: MessageParam = { role: 'user', content: 'hello' };
const TOOL = {
  name: 'Read',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { file_path: { type: 'string' } } },
};
const BASE: ModelRequest = { model: 'gpt-5.2', system: [], tools: [TOOL], messages: [ASK], maxTokens: 9_000 };
const PDF = 'JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL1BhZ2U+PgplbmRvYmoK';

/** Sends one request. Whatever the case, the mock's checker must have taken it. */
async function exchange(adapter: Conformer, step: MockStep, request: Partial<ModelRequest> = {}) {
  const { mock, provider } = await adapter.serve({ steps: () => (typeof step === 'function' ? {} : step) });
  const { events, error } = await attempt(provider, { request: { ...BASE, ...request } });
  expect(error).toBeNull();
  expect(mock.violations).toEqual([]);
  return { message: foldEvents(events), body: JSON.stringify(mock.requests[0]?.body) };
}

async function blocksOf(adapter: Conformer, ...blocks: ScriptedBlock[]): Promise<AssistantMessage['content']> {
  return (await exchange(adapter, reply(...blocks))).message.content;
}

/** What a request with this block of a user looks like. */
async function sent(adapter: Conformer, ...content: UserBlock[]): Promise<string> {
  return (await exchange(adapter, text('x'), { messages: [{ role: 'user', content }] })).body;
}

/** The first word whose test holds; throws if none does. */
function word(...choices: readonly (readonly [boolean, string])[]): string {
  const found = choices.find(([holds]) => holds);
  if (found === undefined) throw new Error('None of the ways in which this may be done.');
  return found[1];
}

const image: UserBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } };
const withCall = (blocks: readonly UserBlock[], name = 'Read', id = 'toolu_01'): MessageParam[] => [
  ASK,
  { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: blocks as never }] },
];

export const CAPABILITIES: readonly Capability[] = [
  {
    name: 'text',
    async run(adapter) {
      expect(await blocksOf(adapter, text('Grüße, 世界 🎉'))).toEqual([text('Grüße, 世界 🎉')]);
      return 'yes';
    },
  },
  {
    name: 'thinking shown',
    async run(adapter) {
      const [first, second] = await blocksOf(adapter, thinking('Hm, let me see.', 'c2ln'), text('Yes.'));
      expect(second).toEqual(text('Yes.'));
      return word([first?.type === 'thinking' && first.thinking === 'Hm, let me see.', 'yes']);
    },
  },
  {
    name: 'thinking sent back',
    async run(adapter) {
      const { message } = await exchange(adapter, reply(thinking('Hm.', 'c2lnbmVk'), toolCall('Read', {}, 'call_a')));
      const history: MessageParam[] = [
        ASK,
        { role: 'assistant', content: message.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: 'A' }] },
      ];
      const { body } = await exchange(adapter, text('x'), { messages: history });
      return word([body.includes('c2lnbmVk'), 'yes'], [!body.includes('Hm.'), 'if the server wants it']);
    },
  },
  {
    name: 'thinking of another API',
    async run(adapter) {
      const foreign = ['turnwright-reasoning:other:{"x":"c2Vj"}', ...(adapter.api === 'anthropic' ? [] : ['c2Vj'])];
      for (const signature of foreign) {
        const content = [thinking('A secret.', signature), toolCall('Read', {}, 'call_a')] as never;
        const messages: MessageParam[] = [
          ASK,
          { role: 'assistant', content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: 'A' }] },
        ];
        const thinkingConfig = { type: 'enabled', budgetTokens: 2_000 } as const;
        const { body } = await exchange(adapter, text('x'), { messages, thinking: thinkingConfig });
        expect(body).not.toMatch(/secret|c2Vj/);
      }
      return 'left out';
    },
  },
  {
    name: 'several calls in one reply',
    async run(adapter) {
      const calls = [
        toolCall('Read', { file_path: '/ä' }, 'a'),
        toolCall('Read', {}, 'b'),
        toolCall('Read', { n: [1] }, 'c'),
      ];
      expect(await blocksOf(adapter, text('Both.'), ...calls)).toEqual([text('Both.'), ...calls]);
      return 'yes';
    },
  },
  {
    name: 'usage with cached tokens',
    async run(adapter) {
      const usage = { input_tokens: 7, output_tokens: 5, cache_creation_input_tokens: 3, cache_read_input_tokens: 11 };
      const { message } = await exchange(adapter, { ...reply(text('x')), usage });
      expect(message.usage).toEqual(usage);
      return 'yes';
    },
  },
  {
    name: 'why a reply ended',
    async run(adapter) {
      for (const stopReason of ['end_turn', 'max_tokens', 'refusal'] satisfies StopReason[]) {
        const { message } = await exchange(adapter, { ...reply(text('x')), stopReason });
        expect(message.stop_reason).toBe(stopReason);
      }
      expect((await exchange(adapter, toolCall('Read'))).message.stop_reason).toBe('tool_use');
      return 'yes';
    },
  },
  {
    name: 'the name of the request',
    run: async (adapter) => word([(await exchange(adapter, text('x'))).message.request_id === 'req_0001', 'yes']),
  },
  { name: 'images', run: async (adapter) => word([(await sent(adapter, image)).includes(ONE_PIXEL_PNG), 'yes']) },
  {
    name: 'images by URL',
    async run(adapter) {
      const body = await sent(adapter, { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } });
      return word(
        [!body.includes('is not shown') && body.includes('https://x.test/a.png'), 'yes'],
        [true, 'named in a text'],
      );
    },
  },
  {
    name: 'images in results of tools',
    async run(adapter) {
      const messages = withCall([text('Shot:'), image]);
      const { body } = await exchange(adapter, text('x'), { messages });
      expect(body).toContain(ONE_PIXEL_PNG);
      return word([body.includes('follows in the next user message'), 'in a message behind them'], [true, 'yes']);
    },
  },
  {
    name: 'PDF documents',
    async run(adapter) {
      const source = { type: 'base64', media_type: 'application/pdf', data: PDF } as const;
      return word([(await sent(adapter, { type: 'document', source, title: 'Plan' })).includes(PDF), 'yes']);
    },
  },
  {
    name: 'text documents',
    async run(adapter) {
      const source = { type: 'text', media_type: 'text/plain', data: 'The body.' } as const;
      const body = await sent(adapter, { type: 'document', source, title: 'Notes' });
      expect(body).toContain('The body.');
      return word([body.includes('"document"'), 'yes'], [body.includes('Notes'), 'as text']);
    },
  },
  {
    name: 'documents by URL',
    async run(adapter) {
      const body = await sent(adapter, { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } });
      expect(body).toContain('https://x.test/a.pdf');
      return word([!body.includes('is not shown'), 'yes'], [true, 'named in a text']);
    },
  },
  {
    name: 'an answer held to a schema',
    async run(adapter) {
      const { provider } = await adapter.serve({});
      const schema = {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      };
      const model = adapter.api === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-5.2';
      const outputSchema = provider.outputSchema?.(model, schema) ?? null;
      if (outputSchema === null) return 'through the tool';
      const { body } = await exchange(adapter, text('x'), { outputSchema });
      return word([body.includes('json_schema'), 'yes']);
    },
  },
  {
    name: 'effort',
    async run(adapter) {
      const { body } = await exchange(adapter, text('x'), { effort: 'low' });
      return word([/"(?:reasoning_?)?effort":"low"|"reasoning":"low"/i.test(body), 'yes']);
    },
  },
  {
    name: 'a thinking budget',
    async run(adapter) {
      const { body } = await exchange(adapter, text('x'), { thinking: { type: 'enabled', budgetTokens: 2_000 } });
      return word(
        [body.includes('2000'), 'yes'],
        [/effort":"low"/.test(body), 'as effort'],
        [adapter.api.startsWith('ai-sdk'), 'if its provider has one'],
      );
    },
  },
  {
    name: 'names of tools over 64 characters',
    async run(adapter) {
      const name = `mcp__${'long_'.repeat(14)}name`;
      const messages = withCall([text('A')], name);
      const { body } = await exchange(adapter, text('x'), { messages, tools: [{ ...TOOL, name }] });
      return word([body.includes(name), 'yes'], [body.includes(name.slice(0, 50)), 'shortened on the wire']);
    },
  },
  {
    name: 'ids of calls over 64 characters',
    async run(adapter) {
      const id = `call_${'0123456789'.repeat(10)}`;
      const { body } = await exchange(adapter, text('x'), { messages: withCall([text('A')], 'Read', id) });
      return word([body.includes(id), 'yes'], [body.includes(id.slice(0, 20)), 'shortened on the wire']);
    },
  },
  {
    name: 'prompt cache',
    async run(adapter) {
      const { body } = await exchange(adapter, text('x'));
      return word([/"cache_?control"/i.test(body), 'breakpoints'], [body.includes('"prompt_cache_key"'), 'a key']);
    },
  },
];
