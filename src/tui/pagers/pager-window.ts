// What all pagers look like (a title, the body, a line that says which keys there are), what those of a session are given, and
// the plainest: a text that is read once and scrolled.
import type { SDKMessage } from '../../protocol/messages.js';
import type { Options } from '../../sdk/options/index.js';
import type { Query } from '../../sdk/query-controls.js';
import { displayWidth, fitToWidth } from '../../view/width.js';
import type { Clock } from '../clock.js';
import type { Pager } from '../face.js';
import { type Keybindings, keyList } from '../keybindings.js';
import type { Frame, Size } from '../screen/index.js';
import type { State, Store } from '../state.js';
import type { TextField } from '../text-field.js';
import type { Theme } from '../theme.js';
import { createScrollView, type PagerLine } from './scroll-view.js';

interface WindowParts {
  readonly title: string;
  /** Beside the title, such as a count. */
  readonly note?: string;
  /** Painted lines, as many as `bodyRows` at most. */
  readonly body: readonly string[];
  /** What can be done, or what is asked. */
  readonly footer: string;
  /** A field in place of the footer, behind its label. */
  readonly field?: { readonly label: string; readonly field: TextField } | null;
}

/** Rows there are for the body. */
export function bodyRows({ rows }: Size): number {
  return Math.max(0, rows - (rows > 3 ? 2 : rows > 1 ? 1 : 0));
}

export function pagerWindow(
  { title, note = '', body, footer, field = null }: WindowParts,
  size: Size,
  theme: Theme,
): Frame {
  const { rows, columns } = size;
  const lines: string[] = [];
  const head = note === '' ? title : `${title}  ${note}`;
  if (rows > 3) lines.push(theme.paint(fitToWidth(` ${head}`, columns), 'heading'));
  const room = bodyRows(size);
  for (let row = 0; row < room; row++) lines.push(body[row] ?? '');
  if (rows <= 1) return { lines: lines.slice(0, rows), caret: null };
  if (field === null) {
    lines.push(theme.paint(fitToWidth(` ${fittingFooter(footer, columns - 1)}`, columns), 'dim'));
    return { lines, caret: null };
  }
  const label = fitToWidth(` ${field.label} `, Math.max(0, columns - 4));
  const shown = field.field.render(columns - label.length);
  lines.push(`${theme.paint(label, 'strong')}${shown.text}`);
  return { lines, caret: { row: lines.length - 1, column: Math.min(columns - 1, label.length + shown.caret) } };
}

/** What does not fit is left out as a whole, and the way out last: keys stand two blanks apart. */
function fittingFooter(footer: string, columns: number): string {
  if (displayWidth(footer) <= columns) return footer;
  const parts = footer.split('  ');
  const out = parts.find((part) => part.startsWith('q '));
  if (out === undefined) return footer;
  const others = parts.filter((part) => part !== out);
  const line = () => [...others, '…', out].join('  ');
  while (others.length > 1 && displayWidth(line()) > columns) others.pop();
  if (displayWidth(line()) <= columns) return line();
  return `${fitToWidth(others[0] ?? '', Math.max(1, columns - displayWidth(out) - 2))}  ${out}`;
}

export interface PanelParts {
  readonly query: Query;
  readonly store: Pick<Store<State>, 'getState' | 'subscribe'>;
  readonly theme: Theme;
  readonly bindings: Keybindings;
  readonly clock: Clock;
  /** Draws the pager with the next frame. */
  readonly refresh: () => void;
  /** A note of the terminal's own, committed. */
  readonly say: (lines: readonly string[]) => void;
  /** Every message of the session from now on. The returned function ends it. */
  readonly onMessage: (listener: (message: SDKMessage) => void) => () => void;
  /** Those of the session: where it runs, and with which variables. */
  readonly options: Options;
  /** Ends this session, and goes on with another one. */
  readonly resume: (sessionId: string) => void;
  /** Puts a text into the composer, in place of the draft. */
  readonly putDraft: (text: string) => void;
}

/** For the functions over stored sessions. */
export function placeOf({ options, store }: PanelParts): {
  readonly dir: string;
  readonly env?: NonNullable<Options['env']>;
} {
  return { dir: store.getState().session.cwd, ...(options.env === undefined ? {} : { env: options.env }) };
}

/** What went wrong, as one line. */
export function faultText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
}

/** What closes every pager; any other key is not for it. */
export function closes(
  input: Parameters<Pager['handle']>[0],
  bindings: PanelParts['bindings'],
): ReturnType<Pager['handle']> {
  const isKey = input.type === 'key' && input.key !== null;
  return isKey && bindings.actionOf(input.key ?? '', 'pager') === 'pager.close' ? 'close' : 'ignored';
}

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
