// Takes a conversation apart: the prompts with the calls made for each, and where the work happens.
import type { MessageParam, ToolResultBlock, UserBlock } from '../../protocol/content.js';
import type { ModelRequest } from '../contract/index.js';
import type { CallResult } from './flow.js';

/** A prompt, and what was done for it. */
export interface Exchange {
  readonly prompt: string;
  readonly results: readonly CallResult[];
}

/** Blocks that an engine puts beside what the user typed. */
const ADDED_BLOCK =
  /^\s*<((?:system|context|environment|env|memory|project|session|git|instructions|hook|reminder|user-prompt|command|local-command|ide)[\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>\s*/i;
/** Says nothing new: the prompt before counts. The second is what is said if structured output is missing. */
const GOES_ON = /^\s*(?:please\s+)?(?:continue|go on|proceed)[\s.!]*$|\bStructuredOutput\b/i;

/**
 * The exchanges, newest last. Text beside tool results counts as a prompt only if `isRequest` says so: it may be a word
 * of a hook.
 */
export function exchangesOf(messages: readonly MessageParam[], isRequest: (text: string) => boolean): Exchange[] {
  const results = new Map(
    messages.flatMap((message) => resultsOf(message).map((result) => [result.tool_use_id, result])),
  );
  const exchanges: { prompt: string; results: CallResult[] }[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      const prompt = promptOf(message.content, isRequest);
      if (prompt !== null && !(exchanges.length > 0 && GOES_ON.test(prompt))) exchanges.push({ prompt, results: [] });
      continue;
    }
    for (const block of typeof message.content === 'string' ? [] : message.content) {
      if (block.type !== 'tool_use') continue;
      const result = results.get(block.id);
      const input = typeof block.input === 'object' && block.input !== null ? { ...block.input } : {};
      const text = result === undefined ? 'No result was recorded for this call.' : textOf(result);
      const isError = result === undefined || result.is_error === true;
      exchanges.at(-1)?.results.push({ call: { name: block.name, input }, text, isError });
    }
  }
  return exchanges;
}

function promptOf(content: string | readonly UserBlock[], isRequest: (text: string) => boolean): string | null {
  const blocks: readonly UserBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const lastResult = blocks.findLastIndex((block) => block.type === 'tool_result');
  const texts = blocks.slice(lastResult + 1).map((block) => (block.type === 'text' ? typedText(block.text) : ''));
  return texts.findLast((text) => text !== '' && (lastResult === -1 || isRequest(text))) ?? null;
}

function typedText(text: string): string {
  const rest = text.replace(ADDED_BLOCK, '');
  return rest === text ? text.trim() : typedText(rest);
}

function resultsOf({ role, content }: MessageParam): ToolResultBlock[] {
  if (role !== 'user' || typeof content === 'string') return [];
  return content.filter((block) => block.type === 'tool_result');
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** The working directory as the system prompt or the first message tells it; null if neither does. */
export function workingDirectory({ system, messages }: ModelRequest): string | null {
  const first = messages[0]?.content;
  const blocks = typeof first === 'object' ? first : [];
  const texts = [...system, ...blocks].map((block) => (block.type === 'text' ? block.text : ''));
  const line = /^(?:working directory|cwd): *(.+?)\/?$/im;
  return texts.map((text) => line.exec(text)?.[1]).find((path) => path !== undefined) ?? null;
}
