// How a run is shown: one view for people, two for programs, and SDK messages as terminal lines. All text that comes from a
// model, a tool or a file is escaped here. One prompt without a terminal has a view of its own (`print-mode.ts`), which is all
// that a plain prompt loads.

import type { ToolResultBlock } from '../../protocol/content.js';
import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
} from '../../protocol/messages.js';
import {
  createTextEscaper,
  describeInput,
  escapeAnswer,
  escapeHidden,
  oneLine,
  type TextEscaper,
} from '../../view/escape-text.js';
import { formatCount, runFigures } from '../../view/figures.js';
import { type Item, itemsOf, type NoteItem, outputOf } from '../../view/items.js';
import { todoLines } from '../../view/task-list.js';
import { createAgentLabels, createToldDenials } from '../../view/told-so-far.js';
import { fitToWidth } from '../../view/width.js';
import type { Output } from '../cli-io.js';
import { type Colour, paint, type Style } from './style.js';

export interface View {
  /** Contract: call in the order of the stream; resolves when the next message may be shown. */
  show(message: SDKMessage): Promise<void>;
  /** The stream is over. May be called once. */
  end?(): Promise<void>;
  /** One line of the command line's own, on stderr. */
  say(line: string): Promise<void>;
}

export interface ViewOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  /** For the lines on stderr. */
  readonly style: Style;
}

/**
 * For people: what the model says on stdout as it comes, everything else on stderr.
 * @param shared true if both streams are one terminal, so that lines must not land inside a half-written answer line
 */
export function createTextView({ stdout, stderr, style, shared }: ViewOptions & { readonly shared: boolean }): View {
  let provider: string | undefined;
  /** The message being streamed or streamed last; its text is not printed again. */
  let streamedId: string | undefined;
  const escaper: TextEscaper = createTextEscaper();
  const agents = createAgentLabels();
  const denials = createToldDenials(style.verbose);
  let midLine = false;
  let answered = false;

  async function writeAnswer(text: string): Promise<void> {
    if (text === '') return;
    midLine = !text.endsWith('\n');
    answered = true;
    await stdout.write(text);
  }

  async function endAnswerLine(): Promise<void> {
    await writeAnswer(escaper.end());
    if (midLine) await writeAnswer('\n');
  }

  async function writeLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const lead = shared && midLine ? '\n' : '';
    if (lead !== '') midLine = false;
    await stderr.write(`${lead}${lines.join('\n')}\n`);
  }

  async function writeRendered(message: SDKMessage): Promise<void> {
    await writeLines(renderMessage(denials.without(message), style, agents.of(message)));
  }

  async function showEvent({ event, parent_tool_use_id }: SDKPartialAssistantMessage): Promise<void> {
    if (parent_tool_use_id !== null) return;
    switch (event.type) {
      case 'message_start':
        streamedId = event.message.id;
        return;
      case 'content_block_start':
        if (event.content_block.type === 'text') await writeAnswer(escaper.push(event.content_block.text));
        return;
      case 'content_block_delta':
        if (event.delta.type === 'text_delta') await writeAnswer(escaper.push(event.delta.text));
        return;
      case 'content_block_stop':
        return endAnswerLine();
      case 'message_delta':
      case 'message_stop':
        return;
      default:
        return ignoreEvent(event);
    }
  }

  async function showAssistant(message: SDKAssistantMessage): Promise<void> {
    await endAnswerLine();
    if (message.parent_tool_use_id === null && message.message.id !== streamedId) {
      const texts = message.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      for (const text of message.display_content === undefined ? texts : [message.display_content]) {
        await writeAnswer(escapeAnswer(text));
        await endAnswerLine();
      }
    }
    await writeRendered(message);
  }

  async function showResult(message: SDKResultMessage): Promise<void> {
    await endAnswerLine();
    if (!answered && message.subtype === 'success' && !message.is_error) {
      await writeAnswer(escapeAnswer(message.result));
      await endAnswerLine();
    }
    answered = false;
    await writeRendered(message);
    // A local command, or a prompt that never got to the model, has no figures.
    if (message.num_turns > 0) {
      await writeLines([renderFigures(message, provider, style)]);
    }
  }

  return {
    async show(message) {
      agents.note(message);
      switch (message.type) {
        case 'stream_event':
          return showEvent(message);
        case 'assistant':
          // What went wrong is told with the result.
          if (message.error !== undefined) return;
          return showAssistant(message);
        case 'result':
          return showResult(message);
        case 'system':
          if (message.subtype === 'init') provider = message.provider;
          if (message.subtype === 'stream_reset') {
            await endAnswerLine();
            streamedId = undefined;
          }
          // The first message has lines for `--verbose` only, and is there before the first request.
          return message.subtype === 'init' && !style.verbose ? undefined : writeRendered(message);
        default:
          return writeRendered(message);
      }
    },
    say: (line) => writeLines([paint(line, 'yellow', style)]),
  };
}

/** A newer engine's stream event that carries no text. */
function ignoreEvent(_event: never): void {
  // Nothing of it can be shown.
}

/** `--output-format stream-json`: each message as one line, nothing on stderr but what is not in the stream. */
export function createStreamJsonView({ stdout, stderr, style }: ViewOptions): View {
  return {
    show: (message) => stdout.write(`${JSON.stringify(message)}\n`),
    say: (line) => stderr.write(`${paint(line, 'yellow', style)}\n`),
  };
}

/** `--output-format json`: the last result message alone, once there is no other. Warnings, waits and refusals go to stderr as they happen. */
export function createJsonView({ stdout, stderr, style }: ViewOptions): View {
  let result: SDKMessage | null = null;
  return {
    async show(message) {
      if (message.type === 'result') result = message;
      if (!isWorthTelling(message)) return;
      for (const line of renderMessage(message, style)) await stderr.write(`${line}\n`);
    },
    async end() {
      if (result !== null) await stdout.write(`${JSON.stringify(result)}\n`);
    },
    say: (line) => stderr.write(`${paint(line, 'yellow', style)}\n`),
  };
}

function isWorthTelling(message: SDKMessage): boolean {
  if (message.type !== 'system') return false;
  if (message.subtype === 'notice') return message.level === 'warning';
  return message.subtype === 'api_retry' || message.subtype === 'permission_denied';
}

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
