// What a conversation held, in numbers: messages, calls, lines that were changed. One rule: what a compaction or `/clear`
// took out of it stays counted.

import { blocksOf, type Message } from '../messages/index.js';

export interface ConversationCounts {
  readonly messages: number;
  /** What the user said. */
  readonly prompts: number;
  readonly calls: number;
  readonly failed: number;
  readonly succeeded: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export const NOTHING_COUNTED: ConversationCounts = {
  messages: 0,
  prompts: 0,
  calls: 0,
  failed: 0,
  succeeded: 0,
  linesAdded: 0,
  linesRemoved: 0,
};

const NAMES = Object.keys(NOTHING_COUNTED) as (keyof ConversationCounts)[];

export function countConversation(messages: readonly Message[]): ConversationCounts {
  return messages.map(countMessage).reduce((sum, each) => combine(sum, each, 1), NOTHING_COUNTED);
}

/** `a` and `sign` times `b`. */
export function combine(a: ConversationCounts, b: ConversationCounts, sign: 1 | -1): ConversationCounts {
  const counts = { ...a };
  for (const name of NAMES) (counts as Record<string, number>)[name] = a[name] + sign * b[name];
  return counts;
}

/** What is to be remembered of a conversation that another one takes the place of. */
export function countReplaced(
  earlier: ConversationCounts | undefined,
  before: readonly Message[],
  after: readonly Message[],
): ConversationCounts {
  return combine(combine(earlier ?? NOTHING_COUNTED, countConversation(before), 1), countConversation(after), -1);
}

function countMessage(message: Message): ConversationCounts {
  const blocks = blocksOf(message.message.content);
  if (message.type === 'assistant') {
    const calls = blocks.filter(({ type }) => type === 'tool_use').length;
    return { ...NOTHING_COUNTED, messages: 1, calls };
  }
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.is_error === true] : []));
  const failed = results.filter((isError) => isError).length;
  const isPrompt = results.length === 0 && message.isMeta !== true && message.isCompactSummary !== true;
  return {
    ...NOTHING_COUNTED,
    // A summary stands for messages that are counted already.
    messages: message.isCompactSummary === true ? 0 : 1,
    prompts: isPrompt ? 1 : 0,
    failed,
    succeeded: results.length - failed,
    ...linesOf(message.toolUseResult),
  };
}

function linesOf(result: unknown): Pick<ConversationCounts, 'linesAdded' | 'linesRemoved'> {
  const { diff } = (result ?? {}) as { readonly diff?: unknown };
  if (typeof diff !== 'string') return { linesAdded: 0, linesRemoved: 0 };
  const lines = diff.split('\n').filter((line) => !/^(\+\+\+|---) /.test(line));
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { linesAdded: count('+'), linesRemoved: count('-') };
}
