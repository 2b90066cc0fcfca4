// SDK messages as terminal lines: the activity beside the answer. Pure: a message and a style in, lines out. All text
// that comes from a model, a tool or a file is escaped here.
import type { ToolResultBlock } from '../../protocol/content.js';
import type { SDKMessage, SDKResultMessage } from '../../protocol/messages.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount, runFigures } from '../../view/figures.js';
import { type Item, itemsOf, type NoteItem, outputOf } from '../../view/items.js';
import { todoLines } from '../../view/todo-lines.js';
import { describeInput, oneLine } from '../../view/tool-title.js';
import { fitToWidth } from '../../view/width.js';
import { type Colour, paint, type Style } from './style.js';

/** Lines of a tool result shown with `--verbose`. */
const VERBOSE_RESULT_LINES = 40;
const COLOURS: Readonly<Record<NoteItem['tone'], Colour>> = { dim: 'dim', warning: 'yellow', bad: 'red' };

/**
 * The lines for one message: calls, results, notices, retries, refusals. Empty if there is nothing to show; the
 * answer's own text is never among them (see `views.ts`). `agent`: what to call the subagent it is from, if
 * several work at the same time.
 */
export function renderMessage(message: SDKMessage, style: Style, agent: string | null = null): string[] {
  return ofAgent(isOfAgent(message), agent, style, (inner) =>
    itemsOf(message, agent).flatMap((item) => renderItem(item, inner)),
  );
}

function isOfAgent(message: SDKMessage): boolean {
  if (message.type === 'assistant' || message.type === 'user') return message.parent_tool_use_id !== null;
  return message.type === 'system' && message.subtype !== 'init' && message.agent_id !== undefined;
}

function renderItem(item: Item, style: Style): string[] {
  switch (item.type) {
    case 'text':
      return [];
    case 'thinking':
      return style.verbose ? [paint(`~ ${oneLine(item.text, style.columns - 2)}`, 'dim', style)] : [];
    case 'call':
      return [renderToolUse(item.name, item.input, style), ...renderTodos(item.name, item.input, style)];
    case 'output':
      return renderOutput(item, style);
    case 'note': {
      if (item.isDetail && !style.verbose) return [];
      return [paint(item.isShort ? fitToWidth(item.text, style.columns) : item.text, COLOURS[item.tone], style)];
    }
    default:
      return item satisfies never;
  }
}

/** What a subagent does stands one step in, behind its name if that is not clear. */
function ofAgent(isOfAgent: boolean, agent: string | null, style: Style, render: (style: Style) => string[]): string[] {
  if (!isOfAgent) return render(style);
  const name = agent === null ? '' : `${oneLine(agent, 30)} │ `;
  const lines = render({ ...style, columns: Math.max(20, style.columns - 2 - name.length) });
  return lines.map((line) => `  ${name === '' ? '' : paint(name, 'dim', style)}${line}`);
}

/** The list below the call that sends it. */
function renderTodos(tool: string, input: unknown, style: Style): string[] {
  return todoLines(tool, input, style.columns - 2).map(({ text, status }) =>
    paint(`  ${text}`, status === 'in_progress' ? 'bold' : 'dim', style),
  );
}

/** `● Bash  ls -la` */
export function renderToolUse(name: string, input: unknown, style: Style): string {
  const title = oneLine(name, 60);
  const room = style.columns - title.length - 4;
  const detail = oneLine(describeInput(input), Math.max(8, room));
  return `${paint('●', 'green', style)} ${paint(title, 'bold', style)}${detail === '' ? '' : `  ${detail}`}`;
}

/** `  ⎿ first line … (+12 lines)`; with `verbose` every line up to a limit. */
export function renderToolResult(block: ToolResultBlock, style: Style): string[] {
  return renderOutput(outputOf(block), style);
}

function renderOutput(
  { text, isError }: Pick<Extract<Item, { type: 'output' }>, 'text' | 'isError'>,
  style: Style,
): string[] {
  const colour = isError ? 'red' : 'dim';
  if (text === '') return [paint('  ⎿ (no output)', colour, style)];
  const lines = joinHeading(text).split('\n');
  const shown = style.verbose ? Math.min(lines.length, VERBOSE_RESULT_LINES) : 1;
  const left = lines.length - shown;
  const more = left > 0 ? ` … (+${formatCount(left)} ${left === 1 ? 'line' : 'lines'})` : '';
  return lines.slice(0, shown).map((line, index) => {
    const tail = index === shown - 1 ? more : '';
    const room = Math.max(8, style.columns - 4 - tail.length);
    const body = fitToWidth(escapeLine(line, room), room);
    return paint(`  ${index === 0 ? '⎿' : ' '} ${body}${tail}`, colour, style);
  });
}

/** A first line that only announces the second says nothing by itself. */
function joinHeading(text: string): string {
  return text.replace(/^([^\n]{0,200}:)[ \t]*\n\s*(?=\S)/, '$1 ');
}

/** Only what can be shown is escaped: a line may be megabytes long. */
function escapeLine(line: string, columns: number): string {
  return escapeHidden(line.slice(0, columns * 4).replace(/\r$/, '')).replace(/\t/g, '  ');
}

/** What the prompt took, and the session if that is more. `provider` is the one `system/init` named. */
export function renderFigures(message: SDKResultMessage, provider: string | undefined, style: Style): string {
  return paint(runFigures(message, provider), 'dim', style);
}
