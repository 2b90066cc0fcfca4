// Random conversations with what crashes, aborts and compactions leave of them. One rule: whatever it is, the request
// that the real builder makes of it is accepted by the strict wire validator, and repairing it again changes nothing.
import fc from 'fast-check';
import { expect } from 'vitest';
import { compactedMessages, shrinkHistory } from '../../../src/engine/compaction/ask-summary.js';
import { createHistoryRepairer } from '../../../src/engine/history/repair-history.js';
import { initialState } from '../../../src/engine/query-loop.js';
import { createRequestBuilder } from '../../../src/engine/request/build-request.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { ContentBlock, MessageParam } from '../../../src/protocol/content.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import { createCallIds, createWireNames } from '../../../src/providers/openai/request-parts.js';
import { createChatBodyBuilder } from '../../../src/providers/openai-chat/request-body.js';
import { createResponsesBodyBuilder } from '../../../src/providers/openai-responses/request-body.js';
import { validateChatRequest } from '../../../src/testing/wire/wire-chat.js';
import { validateResponsesRequest } from '../../../src/testing/wire/wire-responses.js';
import { toWireBody, validateModelRequest, validateWireRequest } from '../../../src/testing/wire/wire-validator.js';
import { validHistories } from '../../testing/histories.js';

const DAMAGES = [
  'drop message',
  'repeat message',
  'swap messages',
  'truncate',
  'drop block',
  'repeat block',
  'reverse blocks',
  'move block',
  'orphan result',
  'aborted turn',
  'lost results',
  'cut text',
  'empty text',
  'unsign',
  'broken input',
  'compaction',
  'shrink',
  'interruption',
  'subagent',
  'fork',
  'rewind',
] as const;
type Damage = (typeof DAMAGES)[number];

const damages = fc.array(fc.record({ kind: fc.constantFrom(...DAMAGES), at: fc.nat(1_000), block: fc.nat(20) }), {
  maxLength: 6,
});

/** Damaged histories, and where each was when an earlier request was built of it. */
const damagedHistories = fc
  .record({ whole: validHistories, damages, seen: fc.nat(1_000) })
  .map(({ whole, damages: list, seen }) => ({
    whole,
    messages: list.reduce((messages, one) => damage(messages, one.kind, one.at, one.block), whole),
    seen,
  }));

/** @throws what fast-check throws: the smallest history that is refused, with its seed */
export function checkHistories(runs: number, seed: number): void {
  fc.assert(
    fc.property(damagedHistories, ({ whole, messages, seen }) => {
      const builder = createRequestBuilder();
      builder.configure({ system: ['You are a test.', ' '], tools: [], maxTokens: 1_000 });
      const build = (given: readonly MessageParam[]) =>
        builder.build(initialState({ messages: given, model: 'm', wantsValue: false })).request;
      // A builder that has seen the history grow, or another one, must not answer differently from one that has not.
      if (seen % 2 === 0) build(whole);
      else build(messages.slice(0, messages.length === 0 ? 0 : seen % messages.length));
      const request = build(messages);
      expect(validateModelRequest(request)).toEqual([]);
      expect(validateWireRequest(toWireBody(request))).toEqual([]);
      for (const [body, validate] of otherBodies(request)) expect(validate(JSON.parse(body))).toEqual([]);
      const again = createHistoryRepairer().prepare(request.messages);
      expect(again.repairs).toEqual([]);
      expect(again.messages).toEqual(request.messages);
      expect(createHistoryRepairer().prepare(messages).messages).toEqual(request.messages);
    }),
    { seed, numRuns: runs },
  );
}

/** The same request in the forms of the other APIs, each with its checker. */
function otherBodies(request: ModelRequest) {
  const parts = () => ({ server: 'test', ids: createCallIds(), names: createWireNames(64) });
  const strict = createChatBodyBuilder({ ...parts(), quirks: {} });
  const plain = createChatBodyBuilder({ ...parts(), quirks: { images: false, files: false, nineCharacterIds: true } });
  const responses = createResponsesBodyBuilder(parts());
  return [
    [strict.build(request), validateChatRequest],
    [plain.build(request), validateChatRequest],
    [responses.build(request), validateResponsesRequest],
  ] as const;
}

function damage(messages: MessageParam[], kind: Damage, at: number, block: number): MessageParam[] {
  const length = Math.max(1, messages.length);
  const index = at % length;
  const message = messages[index];
  if (message === undefined) return messages;
  const blocks: readonly ContentBlock[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const place = block % Math.max(1, blocks.length);
  const withBlocks = (next: readonly unknown[]) =>
    messages.with(index, { role: message.role, content: next } as MessageParam);
  const one = blocks[place];
  switch (kind) {
    case 'drop message':
      return messages.toSpliced(index, 1);
    case 'repeat message':
      return messages.toSpliced(block % length, 0, message);
    case 'swap messages':
      return messages.toSpliced(index, 2, ...messages.slice(index, index + 2).reverse());
    case 'truncate':
      return block % 2 === 0 ? messages.slice(0, index) : messages.slice(index);
    case 'drop block':
      return withBlocks(blocks.toSpliced(place, 1));
    case 'repeat block':
      return withBlocks(blocks.toSpliced(place, 0, ...blocks.slice(place, place + 1)));
    case 'reverse blocks':
      return withBlocks(blocks.toReversed());
    case 'move block':
      return moveBlock(messages, index, place, block);
    case 'orphan result':
      return withBlocks([...blocks, { type: 'tool_result', tool_use_id: `toolu_lost_${at}`, content: 'lost' }]);
    case 'aborted turn':
      return messages.toSpliced(index, 0, {
        role: 'assistant',
        content: [
          { type: 'text', text: block % 2 === 0 ? 'Half of a' : '' },
          { type: 'tool_use', id: `toolu_aborted_${at}_${block}`, name: 'Read', input: {} },
        ],
      });
    case 'lost results':
      return messages.map((each) =>
        typeof each.content === 'string'
          ? each
          : ({ ...each, content: each.content.filter((part) => part.type !== 'tool_result') } as MessageParam),
      );
    case 'cut text':
      return one?.type === 'text' ? withBlocks(blocks.with(place, { ...one, text: one.text.slice(0, 1) })) : messages;
    case 'empty text':
      return one?.type === 'text' ? withBlocks(blocks.with(place, { ...one, text: ' ' })) : messages;
    case 'unsign':
      return one?.type === 'thinking'
        ? withBlocks(blocks.with(place, { type: 'thinking', thinking: one.thinking }))
        : messages;
    case 'broken input':
      return one?.type === 'tool_use' ? withBlocks(blocks.with(place, { ...one, input: '{"path": "a' })) : messages;
    case 'compaction':
      return compactedMessages({ summary: 'It was done.', pins: ['todo', ' '], tail: messages.slice(index) });
    case 'shrink': {
      const step = ([1, 2, 3] as const)[block % 3] ?? 3;
      return [...(shrinkHistory(messages, step, 10 + at, createTokenEstimator())?.messages ?? messages)];
    }
    case 'interruption':
      return messages.toSpliced(index, 0, { role: 'user', content: block % 2 === 0 ? 'Stop.' : '' });
    case 'subagent':
      return interleaved(messages, index, block);
    case 'fork':
      // Two branches of one conversation follow each other, the second with other words under the same ids.
      return [...messages, ...messages.slice(index).map((each) => renamed(each, (id) => id, `${block} `))];
    case 'rewind':
      // The conversation goes on from an earlier place, where an answer from beyond it still arrives.
      return [
        ...messages.slice(0, index),
        { role: 'user', content: 'Another way.' },
        ...messages.slice(-(block % 3) - 1),
      ];
    default:
      return kind satisfies never;
  }
}

/** Between the messages from `index` on stand those of a subagent, under ids of its own or, by a fault, the same ones. */
function interleaved(messages: readonly MessageParam[], index: number, block: number): MessageParam[] {
  const others = messages
    .slice(0, 1 + (block % Math.max(1, messages.length)))
    .map((each) => renamed(each, (id) => (block % 2 === 0 ? `agent_${id}` : id), ''));
  const rest = messages.slice(index);
  const pairs = Array.from({ length: Math.max(rest.length, others.length) }, (_, at) => [rest[at], others[at]]);
  return [...messages.slice(0, index), ...pairs.flat().filter((each) => each !== undefined)];
}

/** A copy, as another process would have written it. @param added stands before each text */
function renamed(message: MessageParam, idOf: (id: string) => string, added: string): MessageParam {
  const { content } = message;
  if (typeof content === 'string') return { role: message.role, content: `${added}${content}` } as MessageParam;
  const blocks = content.map((part: ContentBlock) => {
    if (part.type === 'text') return { ...part, text: `${added}${part.text}` };
    if (part.type === 'tool_use') return { ...part, id: idOf(part.id) };
    return part.type === 'tool_result' ? { ...part, tool_use_id: idOf(part.tool_use_id) } : { ...part };
  });
  return { role: message.role, content: blocks } as MessageParam;
}

/** A block stands in another message, also of another role. */
function moveBlock(messages: MessageParam[], from: number, place: number, to: number): MessageParam[] {
  const source = messages[from];
  const target = to % messages.length;
  if (source === undefined || typeof source.content === 'string' || target === from) return messages;
  const moved = source.content[place];
  const sink = messages[target];
  if (moved === undefined || sink === undefined || typeof sink.content === 'string') return messages;
  return messages
    .with(from, { role: source.role, content: source.content.filter((each) => each !== moved) } as MessageParam)
    .with(target, { role: sink.role, content: [moved, ...sink.content] } as MessageParam);
}
