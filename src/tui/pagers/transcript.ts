// The whole conversation, from the first prompt to what comes while it is open.

import type { SDKMessage } from '../../protocol/messages.js';
import { getSessionMessages } from '../../sdk/sessions.js';
import type { Pager } from '../layer.js';
import { type CallTitles, messageLines } from './message-lines.js';
import { bodyRows, pagerWindow } from './pager-window.js';
import { faultText, type PanelParts, placeOf } from './panel-parts.js';
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

/** What closes every pager; any other key is not for it. */
export function closes(
  input: Parameters<Pager['handle']>[0],
  bindings: PanelParts['bindings'],
): ReturnType<Pager['handle']> {
  const isKey = input.type === 'key' && input.key !== null;
  return isKey && bindings.actionOf(input.key ?? '', 'pager') === 'pager.close' ? 'close' : 'ignored';
}
