// Takes a conversation apart: the last prompt of the user, the tool calls since then with their results, and where the
// engine said the work happens. Reads from the end and no further than it must.
import type { MessageParam, ToolResultBlock, ToolUseBlock, UserBlock } from '../../protocol/content.js';
import type { ModelRequest } from '../contract/index.js';
import type { CallResult } from './flow.js';
import { readNumbered } from './read-results.js';

/** A prompt and what was done for it, oldest call first. Calls of one reply share their `turn`. */
export interface Segment {
  readonly prompt: string;
  readonly calls: readonly CallResult[];
  /** Index of the prompt's message. */
  readonly start: number;
}

// Blocks that an engine adds to what the user typed.
const ADDED_BLOCK =
  /^\s*<((?:system|context|environment|env|memory|project|session|git|instructions|hook|reminder|user-prompt|command|local-command|ide)[\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>\s*/i;
const GO_ON = /^\s*(?:please\s+)?(?:continue|go on|proceed|keep going|resume|carry on)\b[\s.!]*(?:please)?[.!\s]*$/i;

/**
 * The prompt to work on. A plain "continue", a reminder to call the tool for structured output, and text beside tool
 * results that is no request are passed over. `understands` tells a request from other text.
 */
export function lastSegment(request: ModelRequest, understands: (prompt: string) => boolean): Segment | null {
  return segmentBefore(request, request.messages.length, understands);
}

/** The prompt before message `end`, with the calls up to there. */
export function segmentBefore(
  request: ModelRequest,
  end: number,
  understands: (prompt: string) => boolean,
): Segment | null {
  const { messages } = request;
  for (let index = end - 1; index >= 0; index--) {
    const message = messages[index];
    const prompt = message === undefined ? null : promptOf(message, understands);
    if (prompt === null) continue;
    const passed = GO_ON.test(prompt) || /\bStructuredOutput\b/.test(prompt);
    if (passed && segmentBefore(request, index, understands) !== null) continue;
    return { prompt, calls: callsOf(messages.slice(index, end), index), start: index };
  }
  return null;
}

function promptOf(message: MessageParam, understands: (prompt: string) => boolean): string | null {
  if (message.role !== 'user') return null;
  const blocks: readonly UserBlock[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const lastResult = blocks.findLastIndex((block) => block.type === 'tool_result');
  for (const block of blocks.slice(lastResult + 1).toReversed()) {
    if (block.type !== 'text') continue;
    const text = typedText(block.text);
    if (text !== '' && (lastResult < 0 || understands(text))) return text;
  }
  return null;
}

function typedText(text: string): string {
  let rest = text;
  for (;;) {
    const next = rest.replace(ADDED_BLOCK, '');
    if (next === rest) return rest.trim();
    rest = next;
  }
}

function callsOf(messages: readonly MessageParam[], start: number): CallResult[] {
  const results = new Map<string, ToolResultBlock>();
  const uses: { use: ToolUseBlock; turn: number }[] = [];
  for (const [index, message] of messages.entries()) {
    for (const block of typeof message.content === 'string' ? [] : message.content) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, block);
      else if (block.type === 'tool_use') uses.push({ use: block, turn: start + index });
    }
  }
  return uses.map(({ use, turn }) => {
    const result = results.get(use.id);
    const input = typeof use.input === 'object' && use.input !== null ? { ...use.input } : {};
    const text = result === undefined ? 'No result was recorded for this call.' : resultText(result);
    return { call: { name: use.name, input }, text, isError: result === undefined || result.is_error === true, turn };
  });
}

function resultText(result: ToolResultBlock): string {
  if (typeof result.content === 'string') return result.content;
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/**
 * What the conversation showed of a whole file, or wrote to it, last before message `turn`. Looked for only where Read answers that nothing
 * changed, so the cost of looking back is rare.
 */
export function recallFile(request: ModelRequest, path: string, turn: number): readonly string[] | null {
  for (const { call, text, isError } of callsOf(request.messages.slice(0, turn + 1), 0)
    .filter((made) => made.turn < turn)
    .toReversed()) {
    if (isError || call.input['file_path'] !== path) continue;
    if (call.name === 'Write' && typeof call.input['content'] === 'string') {
      const content = call.input['content'];
      return content === '' ? [] : content.replace(/\n$/, '').split('\n');
    }
    if (call.name === 'Edit') return null;
    const shown = call.name === 'Read' ? readNumbered(text) : null;
    if (shown !== null && shown.first === 1 && shown.nextOffset === null && call.input['offset'] === undefined)
      return shown.lines;
  }
  return null;
}

/** A line for each prompt, and the tools used for it. */
export function conversationLines(request: ModelRequest, understands: (prompt: string) => boolean): string[] {
  const lines: string[] = [];
  let end = request.messages.length;
  for (;;) {
    const segment = segmentBefore(request, end, understands);
    if (segment === null || lines.length >= 40) return lines.toReversed();
    const done = segment.calls.map(
      ({ call, isError }) => `${call.name}${subjectOf(call.input)}${isError ? ' (failed)' : ''}`,
    );
    const prompt = segment.prompt.replace(/\s+/g, ' ').slice(0, 200);
    lines.push(
      `- Asked: ${prompt}${done.length === 0 ? '' : `\n  Calls: ${[...new Set(done)].slice(0, 20).join(', ')}`}`,
    );
    end = segment.start;
  }
}

function subjectOf(input: Readonly<Record<string, unknown>>): string {
  const subject = input['file_path'] ?? input['command'] ?? input['pattern'];
  return typeof subject === 'string' ? ` ${subject.replace(/\s+/g, ' ').slice(0, 80)}` : '';
}

/** The working directory as the engine's context tells it, without a slash at its end; null where it does not. */
export function workingDirectory(request: ModelRequest): string | null {
  const texts = [...request.system.map((block) => block.text), ...contextTexts(request.messages[0])];
  for (const text of texts) {
    const match =
      /^[\s>*-]*(?:\w+ )?(?:working directory|current directory|cwd)\s*:\s*[`"']?([^\n`"']+?)[`"']?\s*$/im.exec(text);
    if (match?.[1] !== undefined) return match[1].replace(/(?<=.)[/\\]+$/, '');
  }
  return null;
}

function contextTexts(message: MessageParam | undefined): string[] {
  if (message === undefined || message.role !== 'user' || typeof message.content === 'string') return [];
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
