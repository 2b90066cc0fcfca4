// The whole conversation, from the first prompt to what comes while it is open, each message as lines. One rule: nothing is cut,
// and nothing of it is carried out by the terminal.
import type { SDKMessage } from '../../protocol/messages.js';
import { getSessionMessages } from '../../sdk/sessions.js';
import { isRecord } from '../../util/json.js';
import { describeInput, escapeAnswer, escapeHidden, oneLine } from '../../view/escape-text.js';
import { type Item, itemsOf } from '../../view/items.js';
import type { Pager } from '../face.js';
import type { Tone } from '../theme.js';
import { bodyRows, closes, faultText, type PanelParts, pagerWindow, placeOf } from './pager-window.js';
import { createScrollView, type PagerLine } from './scroll-view.js';

export function openTranscript(parts: PanelParts): Pager {
  const { theme, bindings, refresh, onMessage, store } = parts;
  let earlier: PagerLine[] = [];
  let fault: string | null = null;
  let isRead = false;
  const live: SDKMessage[] = [];
  let lines: PagerLine[] = [];
  const seen = new Set<string>();
  const titles: CallTitles = new Map();
  const add = (message: SDKMessage): void => {
    const { uuid } = message as { readonly uuid?: string };
    if (uuid !== undefined && seen.has(uuid)) return;
    if (uuid !== undefined) seen.add(uuid);
    lines.push(...messageLines(message, titles));
  };
  const stop = onMessage((message) => {
    if (message.type === 'stream_event') return;
    if (isRead) add(message);
    else live.push(message);
    refresh();
  });
  const read = async (): Promise<void> => {
    const { id } = store.getState().session;
    try {
      const stored =
        id === null
          ? []
          : await getSessionMessages(id, { ...placeOf(parts), view: 'historical', includeSystemMessages: true });
      if (stored.length === 0 && id !== null)
        fault = 'Nothing of this session is on the disk; what comes from now on stands here.';
      for (const message of stored) add(message as unknown as SDKMessage);
    } catch (error) {
      fault = faultText(error);
    }
    isRead = true;
    for (const message of live.splice(0)) add(message);
    refresh();
  };
  const view = createScrollView({
    lines: () => (lines.length === 0 ? earlier : lines),
    theme,
    bindings,
    startsAtEnd: true,
  });
  earlier = [{ text: 'Reading the conversation …', tone: 'dim' }];
  void read().then(() => {
    earlier = [{ text: fault ?? 'Nothing was said yet.', tone: 'dim' }];
    if (fault !== null && lines.length > 0) lines = [{ text: fault, tone: 'warning' }, ...lines];
  });
  return {
    title: 'Transcript',
    render(size) {
      const body = view.render({ columns: size.columns, rows: bodyRows(size) });
      return pagerWindow(
        {
          title: 'Transcript',
          note: view.note,
          body,
          footer: 'q closes  / searches  n N next, before  ] [ next prompt, before  g G start, end',
          field: view.search === null ? null : { label: '/', field: view.search },
        },
        size,
        theme,
      );
    },
    handle: (input) => (view.handle(input) ? 'taken' : closes(input, bindings)),
    dispose: stop,
  };
}

const STEP = 2;
/** Of a call, before its result, columns. */
const TITLE = 60;

/** What calls are about whose results stand apart from them, by the ids of the calls. */
type CallTitles = Map<string, string>;

/**
 * @param message live, or of a stored transcript: whatever stands there
 * @param titles those of the messages before; this one adds its own
 */
export function messageLines(message: SDKMessage, titles: CallTitles = new Map()): readonly PagerLine[] {
  const nested = (message as { readonly parent_tool_use_id?: string | null }).parent_tool_use_id ?? null;
  const indent = nested === null ? 0 : STEP;
  const prompt = nested === null ? promptText(message) : null;
  if (prompt !== null) return [{ text: '' }, ...split(escapeAnswer(prompt), 'prompt', STEP, '> ', true)];
  if (!hasContent(message)) return [];
  const items = itemsOf(message);
  const calls = items.filter((item) => item.type === 'call');
  // Of one call the result follows; those of several follow one another.
  if (calls.length > 1)
    for (const { id, name, input } of calls) titles.set(id, oneLine(`${name} ${describeInput(input)}`, TITLE));
  return items.flatMap((item) => itemLines(item, indent, titles));
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

function itemLines(item: Item, indent: number, titles: CallTitles): readonly PagerLine[] {
  switch (item.type) {
    case 'text':
      return item.text.trim() === '' ? [] : [{ text: '' }, ...split(escapeAnswer(item.text.trim()), undefined, indent)];
    case 'thinking':
      return item.text.trim() === '' ? [] : split(escapeHidden(item.text.trim()), 'quote', indent + STEP, 'thinks: ');
    case 'call': {
      const what = describeInput(item.input);
      return [{ text: '' }, ...split(escapeHidden(`${item.name}  ${what}`.trim()), 'accent', indent, '● ')];
    }
    case 'output': {
      const title = titles.get(item.callId);
      const head = title === undefined ? [] : [{ text: `${title}:`, indent: indent + STEP, tone: 'dim' } as const];
      const tone = item.isError ? 'bad' : 'dim';
      const said =
        item.text === '' ? [] : split(escapeHidden(item.text), tone, indent + STEP, item.isError ? 'failed: ' : '');
      return item.text === '' && !item.isError ? [] : [...head, ...said];
    }
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
