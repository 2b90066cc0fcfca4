// Lists of which one thing is chosen for the session: the model, the output style.

import { listOutputStyles } from '../../sdk/prompts/index.js';
import { oneLine } from '../../view/escape-text.js';
import type { Pager } from '../face.js';
import { createListView } from './list-view.js';
import { bodyRows, closes, faultText, type PanelParts, pagerWindow } from './pager-window.js';

interface Choice {
  readonly value: string;
  readonly name: string;
  readonly about: string;
  readonly isCurrent: boolean;
}

/** The models that can be named. What is chosen answers from the next request on. */
export function openModels(parts: PanelParts): Pager {
  const { query, store } = parts;
  return openChoices(parts, {
    title: 'Model',
    empty: 'No list of models can be made here. Name one: /model <name>',
    async read() {
      const { model, provider } = store.getState().session;
      const current = [model, `${provider}/${model}`];
      return (await query.supportedModels())
        .filter(({ isEnabled }) => isEnabled)
        .map(({ value, displayName, description }) => ({
          value,
          name: value.endsWith(displayName) ? value : `${value}  ${displayName}`,
          about: description,
          isCurrent: current.includes(value),
        }));
    },
    async choose({ value }) {
      await query.setModel(value);
      return `From the next request on ${value} answers.`;
    },
  });
}

/** The output styles. What is chosen stands in the settings of the folder, and counts from the next session on. */
export function openOutputStyles(parts: PanelParts): Pager {
  const { query, options } = parts;
  return openChoices(parts, {
    title: 'Output style',
    empty: 'There are no output styles.',
    async read() {
      const [styles, { effective }] = await Promise.all([listOutputStyles(options), query.getSettings()]);
      const current = effective['outputStyle'] ?? 'default';
      const named = styles.map(({ name, description }) => ({ name, about: description }));
      const all = named.some(({ name }) => name === 'default')
        ? named
        : [{ name: 'default', about: 'As the model answers without a style.' }, ...named];
      return all.map(({ name, about }) => ({ value: name, name, about, isCurrent: name === current }));
    },
    async choose({ value }) {
      await query.updateSettings('localSettings', { outputStyle: value === 'default' ? null : value });
      return `The output style ${value} stands in the settings of this folder. It counts from the next session on.`;
    },
  });
}

interface ChoiceParts {
  readonly title: string;
  readonly empty: string;
  read(): Promise<readonly Choice[]>;
  /** @returns what is said of it */
  choose(choice: Choice): Promise<string>;
}

function openChoices(
  { theme, bindings, refresh, say }: PanelParts,
  { title, empty, read, choose }: ChoiceParts,
): Pager {
  let choices: readonly Choice[] = [];
  let said: string | null = 'Looking …';
  let isBusy = true;
  const list = createListView<Choice>({
    items: () => choices,
    row: ({ name, about, isCurrent }, columns) => ({
      text: oneLine(`${isCurrent ? '* ' : '  '}${name}`.trimEnd(), columns),
      note: oneLine(`${isCurrent ? 'in use. ' : ''}${about}`, 200),
    }),
    words: ({ name, about }) => `${name} ${about}`,
    theme,
    bindings,
    empty,
  });
  const work = (what: () => Promise<void>): void => {
    isBusy = true;
    void what()
      .catch((error: unknown) => {
        said = faultText(error);
      })
      .then(() => {
        isBusy = false;
        refresh();
      });
  };
  work(async () => {
    choices = await read();
    list.choose(({ isCurrent }) => isCurrent);
    said = null;
  });
  return {
    title,
    render(size) {
      const body = list.render({ columns: size.columns, rows: bodyRows(size) });
      return pagerWindow(
        {
          title,
          note: list.note,
          body,
          footer: said ?? 'Enter chooses  / searches  q closes',
          field: list.search === null ? null : { label: '/', field: list.search },
        },
        size,
        theme,
      );
    },
    handle(input) {
      if (list.search === null && input.type === 'key' && input.key === 'enter') {
        const { chosen } = list;
        if (chosen === null || isBusy) return 'taken';
        work(async () => {
          const answer = await choose(chosen);
          choices = choices.map((each) => ({ ...each, isCurrent: each.value === chosen.value }));
          said = answer;
          say([answer]);
        });
        return 'taken';
      }
      if (!isBusy && input.type === 'key') said = null;
      return list.handle(input) ? 'taken' : closes(input, bindings);
    },
  };
}
