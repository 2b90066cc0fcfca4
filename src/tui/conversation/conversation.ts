// The conversation on its way into the scrollback: each message becomes lines once, as soon as nothing can change them any
// more. What is still open is drawn in the live region. All text of a model, a tool or a file is escaped here.

import type { SDKMessage, SDKPartialAssistantMessage } from '../../protocol/messages.js';
import { type DiffLine, diffOfResult, signOfDiff } from '../../view/diff-lines.js';
import { describeInput, escapeAnswer, escapeHidden, oneLine } from '../../view/escape-text.js';
import { formatCount, formatDuration, runFigures } from '../../view/figures.js';
import { type CallItem, itemsOf, type NoteItem, type OutputItem } from '../../view/items.js';
import { todoLines } from '../../view/task-list.js';
import { createAgentLabels, createToldDenials } from '../../view/told-so-far.js';
import { displayWidth } from '../../view/width.js';
import { wrapTextWithAnsi } from '../pi.js';
import { cellsOf, wrapLine } from '../screen/index.js';
import type { OpenCall, State } from '../state.js';
import type { Theme } from '../theme.js';
import { createMarkdownFlow } from './markdown-flow.js';

export interface Conversation {
  /** Takes a message in the order of the stream. @returns the lines that are finished by it */
  take(message: SDKMessage): string[];
  /** What a person wrote, as it goes into the conversation. */
  prompt(text: string): string[];
  /** A note of the terminal's own. */
  note(lines: readonly string[]): string[];
  /** What is not finished, as rows: the open block of text, then calls that run. */
  open(state: State, now: number): { readonly text: string[]; readonly calls: string[] };
}

/** Lines of a result that are shown; all with `verbose`. */
const RESULT_LINES = 4;
/** Lines of a diff. */
const DIFF_LINES = 20;
/** Longest line of a result, characters: what is longer is not a text for people. */
const LONGEST_LINE = 4_000;
/** Calls that run at once and are drawn. */
const OPEN_CALLS = 6;
/** Longest prompt that is shown whole, lines. */
const PROMPT_LINES = 40;

type Kind = 'prompt' | 'text' | 'call' | 'note' | 'end';

/** @param isBelow something stands above it already, from which it keeps apart */
export function createConversation(
  theme: Theme,
  columns: () => number,
  verbose: boolean,
  isBelow = false,
): Conversation {
  const flow = createMarkdownFlow(theme, columns);
  const agents = createAgentLabels();
  const denials = createToldDenials(verbose);
  /** By id, until their results come. */
  const calls = new Map<string, CallItem>();
  let provider: string | undefined;
  /** The message whose text was streamed: it is not shown again. */
  let streamedId: string | null = null;
  let isStreaming = false;
  let hasAnswered = false;
  let last: Kind | null = isBelow ? 'end' : null;

  /** Kinds stand apart; notes and calls of a subagent stand together. */
  function emit(kind: Kind, lines: readonly string[]): string[] {
    if (lines.length === 0) return [];
    const isApart = last !== null && (kind !== last || kind === 'call' || kind === 'prompt');
    last = kind;
    return isApart ? ['', ...lines] : [...lines];
  }

  function text(lines: readonly string[]): string[] {
    if (lines.length === 0) return [];
    hasAnswered = true;
    if (last === 'text') return [...lines];
    return emit('text', lines);
  }

  const endText = (): string[] => {
    isStreaming = false;
    return text(flow.end());
  };

  function takeEvent({ event, parent_tool_use_id: parent }: SDKPartialAssistantMessage): string[] {
    if (parent !== null) return [];
    switch (event.type) {
      case 'message_start':
        streamedId = event.message.id;
        return endText();
      case 'content_block_start':
        if (event.content_block.type !== 'text') return endText();
        isStreaming = true;
        // Two blocks of text are two texts.
        if (last === 'text') last = 'end';
        return text(flow.push(event.content_block.text));
      case 'content_block_delta':
        return event.delta.type === 'text_delta' ? text(flow.push(event.delta.text)) : [];
      case 'content_block_stop':
        return endText();
      default:
        return [];
    }
  }

  function takeMessage(message: SDKMessage): string[] {
    const agent = agents.of(message);
    const shown = denials.without(message);
    const isOfAgent = isFromAgent(message);
    const step = isOfAgent
      ? `  ${agent === null ? '' : `${theme.paint(oneLine(agent, 30), 'dim')} ${theme.paint('│', 'dim')} `}`
      : '';
    const out: string[] = [];
    for (const item of itemsOf(shown, agent)) {
      switch (item.type) {
        case 'text':
          if (isOfAgent || (message.type === 'assistant' && message.message.id === streamedId)) break;
          // Two blocks of text are two texts, however they came.
          if (last === 'text') last = 'end';
          out.push(...text([...flow.push(displayed(message) ?? item.text), ...flow.end()]));
          break;
        case 'thinking':
          if (verbose) out.push(...emit('note', [step + theme.paint(`~ ${oneLine(item.text, columns() - 4)}`, 'dim')]));
          break;
        case 'call':
          calls.set(item.id, item);
          break;
        case 'output':
          out.push(...takeOutput(item, message, step, isOfAgent));
          break;
        case 'note':
          if (verbose || !item.isDetail) out.push(...emit('note', noteLines(item, step)));
          break;
        default:
          item satisfies never;
      }
    }
    return out;
  }

  function takeOutput(item: OutputItem, message: SDKMessage, step: string, isOfAgent: boolean): string[] {
    const call = calls.get(item.callId);
    calls.delete(item.callId);
    const title = callTitle(call, item.isError, step, columns(), theme);
    if (isOfAgent) {
      const lines = [title, ...(item.isError ? resultLines(item, step) : [])];
      return emit('note', lines);
    }
    const todos = call === undefined ? [] : todoLines(call.name, call.input, columns() - 2);
    if (todos.length > 0 && !item.isError)
      return emit('call', [
        title,
        ...todos.map(({ text: line, status }) =>
          status === 'in_progress' ? theme.paint(line, 'strong') : theme.paint(line, 'dim'),
        ),
      ]);
    const result = message.type === 'user' ? message.tool_use_result : undefined;
    const diff = item.isError ? null : diffOfResult(result, call?.input);
    return emit('call', [title, ...(diff === null ? resultLines(item, step) : diffLines(diff))]);
  }

  function resultLines({ text: output, isError }: OutputItem, step: string): string[] {
    const tone = isError ? 'bad' : 'dim';
    if (output === '') return [step + theme.paint('(no output)', 'dim')];
    const lines = output.split('\n');
    const most = verbose ? lines.length : RESULT_LINES;
    // A line more costs no more than saying that it is left out.
    const shown = lines.length <= most + 1 ? lines : lines.slice(0, most);
    const left = lines.length - shown.length;
    return [
      ...shown.map((line) => step + theme.paint(escapeHidden(cut(line)), tone)),
      ...(left > 0 ? [step + theme.paint(`… ${formatCount(left)} more lines`, 'dim')] : []),
    ];
  }

  /** What an edit changed, without numbers: so it can be copied. */
  function diffLines(diff: readonly DiffLine[]): string[] {
    const shown = verbose || diff.length <= DIFF_LINES ? diff : diff.slice(0, DIFF_LINES - 1);
    const left = diff.length - shown.length;
    return [
      ...shown.map((line) => {
        const { kind, text: own } = line;
        const isChange = kind === 'added' || kind === 'removed';
        return theme.paint(cut(`${signOfDiff(line)}${kind === 'skipped' ? ' ' : ''}${own}`), isChange ? kind : 'dim');
      }),
      ...(left > 0 ? [theme.paint(`… ${formatCount(left)} more lines of this change`, 'dim')] : []),
    ];
  }

  function noteLines(item: NoteItem, step: string): string[] {
    const room = Math.max(8, columns() - step.length);
    const lines = item.isShort ? [oneLine(item.text, room)] : wrapTextWithAnsi(item.text, room);
    return lines.map((line) => step + theme.paint(line.trimEnd(), item.tone));
  }

  return {
    take(message) {
      agents.note(message);
      switch (message.type) {
        case 'stream_event':
          return takeEvent(message);
        case 'assistant': {
          // What went wrong is told with the result.
          if (message.error !== undefined) return [];
          const before = isFromAgent(message) ? [] : endText();
          return [...before, ...takeMessage(message)];
        }
        case 'result': {
          const open = endText();
          const answer =
            !hasAnswered && message.subtype === 'success' && !message.is_error && message.result !== ''
              ? text([...flow.push(message.result), ...flow.end()])
              : [];
          hasAnswered = false;
          calls.clear();
          const end = takeMessage(message);
          const figures = message.num_turns > 0 ? figureLines(runFigures(message, provider), columns()) : [];
          const painted = figures.map((line) => theme.paint(line.trimEnd(), 'dim'));
          return [...open, ...answer, ...end, ...emit('end', painted)];
        }
        case 'system': {
          if (message.subtype === 'init') {
            provider = message.provider;
            return verbose ? takeMessage(message) : [];
          }
          const open = message.subtype === 'stream_reset' ? endText() : [];
          if (message.subtype === 'stream_reset') streamedId = null;
          return [...open, ...takeMessage(message)];
        }
        default:
          return takeMessage(message);
      }
    },
    prompt(given) {
      const lines = escapeAnswer(given).split('\n');
      const shown = lines.length > PROMPT_LINES + 1 ? lines.slice(0, PROMPT_LINES) : lines;
      const left = lines.length - shown.length;
      const more = left > 0 ? [theme.paint(`  … ${formatCount(left)} more lines`, 'dim')] : [];
      return emit('prompt', [
        ...shown.map(
          (line, at) => `${theme.paint(at === 0 ? '> ' : '  ', 'accent')}${theme.paint(cut(line), 'prompt')}`,
        ),
        ...more,
      ]);
    },
    note: (lines) =>
      emit(
        'note',
        lines.flatMap((line) => wrapNote(line, columns())),
      ),
    open(state, now) {
      const open = isStreaming ? flow.open() : [];
      const isApart = open.length > 0 && last !== null && last !== 'text';
      const running = openCalls(state, now, columns(), theme);
      // As they stand once they are finished, so that nothing moves then.
      const areApart = state.calls[0]?.parent === null && open.length === 0 && last !== null;
      return { text: isApart ? ['', ...open] : open, calls: areApart ? ['', ...running] : running };
    },
  };
}

function isFromAgent(message: SDKMessage): boolean {
  if (message.type === 'assistant' || message.type === 'user') return message.parent_tool_use_id !== null;
  return message.type === 'system' && message.agent_id !== undefined;
}

function displayed(message: SDKMessage): string | undefined {
  return message.type === 'assistant' ? message.display_content : undefined;
}

/**
 * In a window too narrow for both, those of the prompt alone: what the session took stands in the line of status. A figure
 * stays whole if it can.
 */
function figureLines(figures: string, columns: number): string[] {
  const shown = displayWidth(figures) <= columns ? figures : figures.replace(/ · session: .*$/, '');
  const lines: string[] = [];
  for (const figure of shown.split(' · ')) {
    const longer = `${lines.at(-1)} · ${figure}`;
    if (lines.length > 0 && displayWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(figure);
  }
  return lines.flatMap((line) => wrapTextWithAnsi(line, Math.max(8, columns)));
}

/** By words; what goes on stands one step in. */
function wrapNote(line: string, columns: number): string[] {
  if (cellsOf(line) <= columns) return [line];
  const step = columns < 20 ? '' : '  ';
  return wrapTextWithAnsi(line, Math.max(8, columns - step.length)).map((each, at) =>
    at === 0 ? each.trimEnd() : step + each.trimEnd(),
  );
}

/** `● Bash  ls -la`; a call that is not known, by its result alone. */
function callTitle(call: CallItem | undefined, isError: boolean, step: string, columns: number, theme: Theme): string {
  const mark = theme.paint(isError ? '✗' : '●', isError ? 'bad' : 'good');
  const name = oneLine(call?.name ?? 'result', 60);
  const detail =
    call === undefined ? '' : oneLine(describeInput(call.input), Math.max(8, columns - name.length - step.length - 4));
  return `${step}${mark} ${theme.paint(name, 'strong')}${detail === '' ? '' : `  ${detail}`}`;
}

/** Calls that run: for how long, and the end of what they printed. Those of subagents one step in. */
function openCalls(state: State, now: number, columns: number, theme: Theme): string[] {
  const shown = state.calls.slice(0, OPEN_CALLS);
  const lines = shown.flatMap((call) => openCallLines(call, now, columns, theme));
  const left = state.calls.length - shown.length;
  if (left > 0) lines.push(theme.paint(`  and ${left} more ${left === 1 ? 'call' : 'calls'}`, 'dim'));
  return lines;
}

function openCallLines(call: OpenCall, now: number, columns: number, theme: Theme): string[] {
  const step = call.parent === null ? '' : '  ';
  const time = formatDuration(Math.floor((now - call.since) / 1_000) * 1_000).replace('.0 s', ' s');
  const name = oneLine(call.name, 60);
  const room = columns - step.length - name.length - time.length - 7;
  const detail = oneLine(describeInput(call.input), Math.max(8, room));
  const head = `${step}${theme.paint('○', 'accent')} ${theme.paint(name, 'strong')}`;
  const title = [head, ...(detail === '' ? [] : [detail]), theme.paint(time, 'dim')].join('  ');
  const printed = call.output.filter((line, at) => line !== '' || at < call.output.length - 1).slice(-5);
  return [
    title,
    ...(call.progress === null ? [] : [step + theme.paint(oneLine(call.progress, columns - 2), 'dim')]),
    ...printed.map(
      (line) =>
        step +
        theme.paint(
          wrapLine(escapeHidden(line.replaceAll('\t', '    ')), Math.max(1, columns - step.length), 1)[0] ?? '',
          'dim',
        ),
    ),
  ];
}

/** What is longer is not a text for people: cut with its count. */
function cut(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  return `${line.slice(0, LONGEST_LINE)}… (+${formatCount(line.length - LONGEST_LINE)} characters)`;
}
