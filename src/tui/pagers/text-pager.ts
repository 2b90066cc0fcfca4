// A text that is read once and scrolled: what fills the context, the list of keys.

import { keyList } from '../keybindings.js';
import type { Pager } from '../layer.js';
import { bodyRows, faultText, type PanelParts, pagerWindow } from './pager-window.js';
import { createScrollView, type PagerLine } from './scroll-view.js';
import { closes } from './transcript.js';

export function openText(
  { theme, bindings, refresh }: Pick<PanelParts, 'theme' | 'bindings' | 'refresh'>,
  title: string,
  read: () => Promise<readonly PagerLine[]>,
): Pager {
  let lines: readonly PagerLine[] = [{ text: 'Looking …', tone: 'dim' }];
  const view = createScrollView({ lines: () => lines, theme, bindings });
  void read()
    .catch((error: unknown): PagerLine[] => [{ text: faultText(error), tone: 'bad' }])
    .then((all) => {
      lines = all;
      refresh();
    });
  return {
    title,
    render(size) {
      const body = view.render({ columns: size.columns, rows: bodyRows(size) });
      return pagerWindow(
        {
          title,
          note: view.note,
          body,
          footer: 'q closes  / searches',
          field: view.search === null ? null : { label: '/', field: view.search },
        },
        size,
        theme,
      );
    },
    handle: (input) => (view.handle(input) ? 'taken' : closes(input, bindings)),
  };
}

/** What `?` shows: every key that does something, as it is bound now. */
export function openKeys(parts: Pick<PanelParts, 'theme' | 'bindings' | 'refresh'>, file: string): Pager {
  const { bindings } = parts;
  const listed = (title: string, place: 'prompt' | 'pager'): PagerLine[] => {
    const rows = keyList(bindings, place);
    const width = Math.min(30, Math.max(...rows.map(({ keys }) => keys.length)));
    return [
      { text: title, tone: 'heading' },
      ...rows.map(
        ({ keys, does }): PagerLine => ({ text: `${keys.padEnd(width)}  ${does}`, indent: 2, hang: width + 2 }),
      ),
      { text: '' },
    ];
  };
  return openText(parts, 'Keys', async () => [
    ...listed('While you write', 'prompt'),
    ...listed('In lists and texts like this one', 'pager'),
    { text: '@ names a file, / a command, # at the start keeps a note.' },
    { text: `Other keys: ${file}, such as { "transcript": "f2" }.`, tone: 'dim' },
    ...bindings.problems.map((problem): PagerLine => ({ text: `${file}: ${problem}`, tone: 'warning' })),
  ]);
}
