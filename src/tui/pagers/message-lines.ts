// A message of the conversation as lines of the transcript. One rule: nothing is cut, and nothing of it is carried out by the
// terminal.
import type { SDKMessage } from '../../protocol/messages.js';
import { isRecord } from '../../util/is-record.js';
import { escapeAnswer, escapeHidden } from '../../view/escape-text.js';
import { type Item, itemsOf } from '../../view/items.js';
import { describeInput } from '../../view/tool-title.js';
import type { Tone } from '../theme.js';
import type { PagerLine } from './scroll-view.js';

const STEP = 2;

/** @param message live, or of a stored transcript: whatever stands there */
export function messageLines(message: SDKMessage): readonly PagerLine[] {
  const nested = (message as { readonly parent_tool_use_id?: string | null }).parent_tool_use_id ?? null;
  const indent = nested === null ? 0 : STEP;
  const prompt = nested === null ? promptText(message) : null;
  if (prompt !== null) return [{ text: '' }, ...split(escapeAnswer(prompt), 'prompt', STEP, '> ', true)];
  if (!hasContent(message)) return [];
  return itemsOf(message).flatMap((item) => itemLines(item, indent));
}

/** What the user said; null for any other message. */
export function promptText(message: unknown): string | null {
  if (!isRecord(message) || message['type'] !== 'user' || message['isSynthetic'] === true) return null;
  const inner = message['message'];
  const content = isRecord(inner) ? inner['content'] : null;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.some((block) => isRecord(block) && block['type'] === 'tool_result'))
    return null;
  const texts = content.flatMap((block: unknown) =>
    isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return texts.length === 0 ? null : texts.join('\n');
}

function hasContent(message: SDKMessage): boolean {
  if (message.type !== 'assistant' && message.type !== 'user') return true;
  const { content } = (message.message ?? {}) as { readonly content?: unknown };
  return Array.isArray(content) || typeof content === 'string';
}

function itemLines(item: Item, indent: number): readonly PagerLine[] {
  switch (item.type) {
    case 'text':
      return item.text.trim() === '' ? [] : [{ text: '' }, ...split(escapeAnswer(item.text.trim()), undefined, indent)];
    case 'thinking':
      return item.text.trim() === '' ? [] : split(escapeHidden(item.text.trim()), 'quote', indent + STEP, 'thinks: ');
    case 'call': {
      const what = describeInput(item.input);
      return [{ text: '' }, ...split(escapeHidden(`${item.name} ${what}`.trim()), 'accent', indent, '* ')];
    }
    case 'output':
      return item.text === ''
        ? []
        : split(escapeHidden(item.text), item.isError ? 'bad' : 'dim', indent + STEP, item.isError ? 'failed: ' : '');
    case 'note':
      return [{ text: item.text, tone: item.tone, indent }];
    default:
      return [];
  }
}

/** @param mark before the first line, so that it is told without colour too */
function split(text: string, tone: Tone | undefined, indent: number, mark = '', isPrompt = false): PagerLine[] {
  return text
    .replaceAll('\t', '  ')
    .split('\n')
    .map((line, at) => {
      const first = at === 0 && mark !== '';
      return {
        text: first ? `${mark}${line}` : line,
        indent: first && mark.length <= indent ? indent - mark.length : indent,
        ...(tone === undefined ? {} : { tone }),
        ...(isPrompt && at === 0 ? { isPrompt: true } : {}),
      };
    });
}
