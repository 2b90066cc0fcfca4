// The settings of one value each: what counts, where from, and other values for the person's own file.

import { type SettingKey, settingKeys } from '../../sdk/settings/index.js';
import { oneLine } from '../../view/escape-text.js';
import type { Pager } from '../face.js';
import { createTextField, type TextField } from '../text-field.js';
import { createListView } from './list-view.js';
import { bodyRows, closes, faultText, type PanelParts, pagerWindow } from './pager-window.js';

const SOURCES: Readonly<Record<string, string>> = {
  policySettings: 'managed',
  flagSettings: 'this start',
  localSettings: 'this folder',
  projectSettings: 'the project',
  userSettings: 'yours',
};

/** What people change most stands first. */
const FIRST = ['model', 'theme', 'editorMode', 'permissions.defaultMode', 'outputStyle', 'language', 'reducedMotion'];

interface Row extends SettingKey {
  readonly value: unknown;
  readonly source: string | null;
}

/** @param onChange told of each key that was written, so that the terminal's own settings act at once */
export function openSettings(parts: PanelParts, onChange: () => void): Pager {
  const { theme, bindings, refresh, query } = parts;
  let rows: readonly Row[] = [];
  let said: string | null = 'Looking …';
  let typing: { readonly row: Row; readonly field: TextField } | null = null;
  /** One after the other: a key that is pressed while a file is written counts from what it then holds. */
  let last: Promise<void> = Promise.resolve();
  let isBusy = 0;
  const list = createListView<Row>({
    items: () => rows,
    row: ({ key, value, source, description }) => ({
      text: value === undefined ? key : `${key} = ${oneLine(String(value), 40)}`,
      note: oneLine(`${source === null ? '' : `(${source}) `}${description}`, 200),
    }),
    words: ({ key, description }) => `${key} ${description}`,
    theme,
    bindings,
    empty: 'There are no settings.',
  });
  const read = async (): Promise<void> => {
    const { effective, sources } = await query.getSettings();
    const rank = ({ key }: SettingKey) => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);
    const settings = settingKeys().toSorted((a, b) => rank(a) - rank(b));
    rows = settings.map((setting) => {
      const value = valueAt(effective, setting.key);
      const from =
        value === undefined
          ? undefined
          : sources.findLast(({ settings }) => valueAt(settings, setting.key) !== undefined);
      return { ...setting, value, source: from === undefined ? null : (SOURCES[from.source] ?? from.source) };
    });
  };
  const work = (what: () => Promise<string | null>): void => {
    isBusy++;
    last = last
      .then(what)
      .catch((error: unknown) => faultText(error))
      .then((answer) => {
        said = answer;
        isBusy--;
        refresh();
      });
  };
  const write = (row: Row, valueFrom: (now: unknown) => unknown): void =>
    work(async () => {
      const value = valueFrom(rows.find(({ key }) => key === row.key)?.value);
      await query.updateSettings('userSettings', nested(row.key, value));
      await read();
      onChange();
      const now = rows.find(({ key }) => key === row.key);
      const isStronger = now?.source !== null && now?.source !== 'yours' && now?.value !== value;
      const what =
        value === null
          ? `${row.key} is no longer in your settings.`
          : `${row.key} = ${String(value)} stands in your settings.`;
      return isStronger ? `${what} But ${now?.source} says ${String(now?.value)}, which counts here.` : what;
    });
  work(async () => {
    await read();
    return null;
  });
  return {
    title: 'Settings',
    render(size) {
      const body = list.render({ columns: size.columns, rows: bodyRows(size) });
      const field =
        typing === null
          ? list.search === null
            ? null
            : { label: '/', field: list.search }
          : { label: `${typing.row.key} =`, field: typing.field };
      return pagerWindow(
        {
          title: 'Settings',
          note: list.note,
          body,
          footer: said ?? 'Enter changes yours  u takes yours away  / searches  q closes',
          field,
        },
        size,
        theme,
      );
    },
    handle(input) {
      if (typing !== null) {
        const { row, field } = typing;
        if (input.type === 'key' && input.key === 'escape') typing = null;
        else if (input.type === 'key' && input.key === 'enter') {
          typing = null;
          const text = field.text.trim();
          const isNumber = row.isNumber && Number.isFinite(Number(text));
          write(row, () => (text === '' ? null : isNumber ? Number(text) : text));
        } else if (!field.handle(input)) return 'ignored';
        return 'taken';
      }
      const { chosen } = list;
      if (list.search === null && input.type === 'key' && chosen !== null) {
        if (input.key === 'u') {
          write(chosen, () => null);
          return 'taken';
        }
        if (input.key === 'enter') {
          const { values, value } = chosen;
          if (values === null)
            typing = { row: chosen, field: createTextField(value === undefined ? '' : String(value)) };
          else write(chosen, (now) => values[(values.indexOf(now as string | boolean) + 1) % values.length]);
          return 'taken';
        }
      }
      if (isBusy === 0 && input.type === 'key') said = null;
      return list.handle(input) ? 'taken' : closes(input, bindings);
    },
  };
}

function valueAt(settings: unknown, key: string): unknown {
  let value = settings;
  for (const name of key.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function nested(key: string, value: unknown): Record<string, unknown> {
  const names = key.split('.');
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
}
