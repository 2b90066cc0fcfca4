// Stored sessions as terminal lines: many as a table that fits, one with what it is about and its newest messages. Pure:
// sessions, a width and a time in, lines out. Text of a session is escaped here.

import type { ToolResultBlock } from '../../protocol/content.js';
import type { SDKSessionInfo, SessionMessage } from '../../protocol/session-store.js';
import { formatBytes } from '../../util/text.js';
import { escapeAnswer, oneLine } from '../../view/escape-text.js';
import { formatMoment } from '../../view/figures.js';
import { displayWidth } from '../../view/width.js';
import { paint, renderToolResult, renderToolUse, type Style } from '../lines/index.js';

/** Characters of an id that are shown, if they tell the sessions apart. */
const SHORT_ID = 8;
/** Columns that a title gets at least, before the table becomes wider than the terminal. */
const LEAST_TITLE = 16;
const GAP = '  ';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface TableOptions {
  readonly style: Style;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether sessions of several folders are listed. */
  readonly showsFolder: boolean;
}

/** One line a session, and one with the names of the columns before them. */
export function sessionTable(sessions: readonly SDKSessionInfo[], { style, now, showsFolder }: TableOptions): string[] {
  const length = idLength(sessions.map(({ sessionId }) => sessionId));
  const rows = sessions.map((info) => [
    info.sessionId.slice(0, length),
    timeAgo(info.lastModified, now),
    info.fileSize === undefined ? '' : formatBytes(info.fileSize),
  ]);
  const heads = ['ID', 'CHANGED', 'SIZE'];
  const widths = heads.map((head, at) => Math.max(...[head, ...rows.map((row) => row[at] ?? '')].map(displayWidth)));
  const left = Math.max(LEAST_TITLE, style.columns - widths.reduce((sum, width) => sum + width + GAP.length, 0));
  const folderWidth = showsFolder ? Math.min(30, Math.floor(left / 3)) : 0;
  const line = (cells: readonly string[], folder: string, title: string) => {
    const fixed = cells.map((cell, at) => pad(cell, widths[at] ?? 0, at === 2));
    const where = showsFolder ? [pad(folder, folderWidth, false)] : [];
    return [...fixed, ...where, title].join(GAP).trimEnd();
  };
  const titleWidth = left - (showsFolder ? folderWidth + GAP.length : 0);
  return [
    paint(line(heads, 'FOLDER', 'TITLE'), 'dim', style),
    ...sessions.map((info, at) =>
      line(rows[at] ?? [], folderEnd(info.cwd ?? '', folderWidth), oneLine(titleText(info), titleWidth)),
    ),
  ];
}

function titleText(info: SDKSessionInfo): string {
  return `${info.tag === undefined ? '' : `[${info.tag}] `}${titleOf(info)}${info.archived ? ' (archived)' : ''}`;
}

/** Its own title, else what it began with: that stays the same while it goes on. */
export function titleOf({ customTitle, firstPrompt, summary }: SDKSessionInfo): string {
  return customTitle ?? firstPrompt ?? summary;
}

/** The end of a path tells more than its start. */
function folderEnd(folder: string, columns: number): string {
  const whole = oneLine(folder, Number.MAX_SAFE_INTEGER / 16);
  if (displayWidth(whole) <= columns) return whole;
  const characters = [...whole];
  while (characters.length > 0 && displayWidth(characters.join('')) > columns - 1) characters.shift();
  return `…${characters.join('')}`;
}

function pad(text: string, width: number, isNumber: boolean): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return isNumber ? space + text : text + space;
}

/** As few characters as tell all of them apart. */
function idLength(ids: readonly string[]): number {
  for (let length = SHORT_ID; length < 36; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return length;
  }
  return 36;
}

/** `just now`, `5 min ago`, `3 h ago`, `2 d ago`; a date if it is more than a month. */
export function timeAgo(at: number, now: number): string {
  const passed = now - at;
  if (passed < MINUTE) return passed < -MINUTE ? dateOf(at) : 'just now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return passed < 31 * DAY ? `${Math.floor(passed / DAY)} d ago` : dateOf(at);
}

function dateOf(at: number): string {
  return formatMoment(at).slice(0, 10);
}

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
