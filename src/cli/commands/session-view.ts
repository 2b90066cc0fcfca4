// One stored session as terminal lines: what it is about, and its newest messages. Pure; all text is escaped here.
import type { ToolResultBlock } from '../../protocol/content.js';
import type { SDKSessionInfo, SessionMessage } from '../../protocol/session-store.js';
import { formatBytes } from '../../util/text.js';
import { escapeAnswer } from '../../view/escape-text.js';
import { formatMoment } from '../../view/figures.js';
import { oneLine } from '../../view/tool-title.js';
import { paint, renderToolResult, renderToolUse, type Style } from '../lines/index.js';
import { titleOf } from './session-table.js';

const LABEL_WIDTH = 10;

type Block = Readonly<Record<string, unknown>>;

/** @param earlier messages before those shown */
export function renderSession(
  sessionId: string,
  info: SDKSessionInfo | undefined,
  messages: readonly SessionMessage[],
  earlier: number,
  style: Style,
): string[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['id', sessionId],
    ['folder', info?.cwd],
    ['branch', info?.gitBranch],
    ['tag', info?.tag],
    ['archived', info?.archived ? 'yes' : undefined],
    ['started', timeText(info?.createdAt)],
    ['changed', timeText(info?.lastModified)],
    ['size', info?.fileSize === undefined ? undefined : formatBytes(info.fileSize)],
  ];
  const lines = rows
    .filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
    .map(
      ([label, value]) =>
        `${paint(label.padEnd(LABEL_WIDTH), 'dim', style)}${oneLine(value, style.columns - LABEL_WIDTH)}`,
    );
  const title = paint(
    oneLine(info === undefined ? 'Session without a title' : titleOf(info), style.columns),
    'bold',
    style,
  );
  const before =
    earlier === 0 ? [] : ['', paint(`… ${earlier} earlier ${earlier === 1 ? 'message' : 'messages'}`, 'dim', style)];
  return [title, ...lines, ...before, ...renderMessages(messages, style)];
}

/** What was said and done, in order. */
export function renderMessages(messages: readonly SessionMessage[], style: Style): string[] {
  return messages.flatMap((message) => renderStored(message, style));
}

function timeText(at: number | undefined): string | undefined {
  return at === undefined ? undefined : formatMoment(at);
}

/** A message of any writer: what it holds is looked at before it is used. */
function renderStored({ type, message }: SessionMessage, style: Style): string[] {
  const content = (message as { content?: unknown } | null | undefined)?.content;
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : blocksOf(content);
  return blocks.flatMap((block) => renderBlock(block, type === 'user', style));
}

function blocksOf(content: unknown): readonly Block[] {
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : [];
}

function renderBlock(block: Block, isTyped: boolean, style: Style): string[] {
  switch (block.type) {
    case 'text': {
      const text = typeof block.text === 'string' ? escapeAnswer(block.text.trim()) : '';
      if (text === '') return [];
      const lines = text.split('\n');
      return ['', ...(isTyped ? lines.map((line) => paint(`> ${line}`, 'cyan', style)) : lines)];
    }
    case 'tool_use':
      return [renderToolUse(typeof block.name === 'string' ? block.name : 'unknown', block.input, style)];
    case 'tool_result':
      return renderToolResult(toResult(block), style);
    case 'image':
    case 'document':
      return [paint(`[${block.type}]`, 'dim', style)];
    default:
      return [];
  }
}

function toResult(block: Block): ToolResultBlock {
  const { content } = block;
  const text = typeof content === 'string' ? content : blocksOf(content).map(textOf).join('\n');
  return {
    type: 'tool_result',
    tool_use_id: '',
    content: text,
    ...(block.is_error === true ? { is_error: true } : {}),
  };
}

function textOf(block: Block): string {
  return block.type === 'text' && typeof block.text === 'string' ? block.text : `[${String(block.type)}]`;
}
