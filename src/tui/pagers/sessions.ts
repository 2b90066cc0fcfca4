// Earlier sessions: found by words, gone on with, named, copied, deleted. One rule: only a second key deletes.

import type { SDKSessionInfo } from '../../protocol/session-store.js';
import { deleteSession, forkSession, listSessions, renameSession } from '../../sdk/sessions.js';
import { formatBytes } from '../../util/text.js';
import { oneLine } from '../../view/escape-text.js';
import { formatMoment } from '../../view/figures.js';
import type { Pager } from '../face.js';
import { createTextField, type TextField } from '../text-field.js';
import { createListView } from './list-view.js';
import { bodyRows, closes, faultText, type PanelParts, pagerWindow, placeOf } from './pager-window.js';

const KEYS = 'Enter goes on with it  / searches  r names  f copies  d deletes  a all folders  q closes';

export function openSessions(parts: PanelParts): Pager {
  const { theme, bindings, refresh, store } = parts;
  let sessions: readonly SDKSessionInfo[] = [];
  let isEverywhere = false;
  let said: string | null = 'Looking for sessions …';
  let naming: { readonly session: SDKSessionInfo; readonly field: TextField } | null = null;
  let deleting: SDKSessionInfo | null = null;
  let isBusy = false;
  const where = () => {
    const { dir, ...rest } = placeOf(parts);
    return isEverywhere ? rest : { dir, ...rest };
  };
  const list = createListView<SDKSessionInfo>({
    items: () => sessions,
    row: (session, columns) => ({
      text: oneLine(titleOf(session), Math.max(20, columns - 40)),
      note: noteOf(session, store.getState().session.id, isEverywhere),
    }),
    words: (session) =>
      [titleOf(session), session.firstPrompt, session.gitBranch, session.cwd, session.sessionId, session.tag].join(' '),
    theme,
    bindings,
    empty: 'There are no sessions here yet.',
  });
  /** One thing at a time: what is seen is what it is done to. */
  const work = (what: () => Promise<string | null>): void => {
    if (isBusy) return;
    isBusy = true;
    void what()
      .catch((error: unknown) => `It could not be done: ${faultText(error)}`)
      .then((answer) => {
        said = answer;
        isBusy = false;
        refresh();
      });
  };
  /** What was chosen stays so, wherever it stands now. */
  const read = async (): Promise<void> => {
    const chosen = list.chosen?.sessionId;
    sessions = await listSessions(where());
    list.choose((each) => each.sessionId === chosen);
  };
  work(async () => {
    await read();
    return null;
  });
  const press = (key: string): ReturnType<Pager['handle']> | null => {
    const session = list.chosen;
    if (key === 'a') {
      isEverywhere = !isEverywhere;
      work(async () => {
        await read();
        return isEverywhere ? 'The sessions of all folders.' : null;
      });
      return 'taken';
    }
    if (session === null) return null;
    if ((key === 'enter' || key === 'd') && session.sessionId === store.getState().session.id) {
      said = 'That is this session.';
      return 'taken';
    }
    switch (key) {
      case 'enter':
        parts.resume(session.sessionId);
        return 'close';
      case 'r':
        naming = { session, field: createTextField(titleOf(session)) };
        return 'taken';
      case 'f':
        work(async () => {
          const { sessionId } = await forkSession(session.sessionId, where());
          await read();
          list.choose((each) => each.sessionId === sessionId);
          return `Copied as ${sessionId.slice(0, 8)}. Enter goes on with the copy.`;
        });
        return 'taken';
      case 'd':
        deleting = session;
        said = `d once more deletes "${oneLine(titleOf(session), 40)}" for good, any other key keeps it.`;
        return 'taken';
      default:
        return null;
    }
  };
  return {
    title: 'Sessions',
    render(size) {
      const field =
        naming === null
          ? list.search === null
            ? null
            : { label: '/', field: list.search }
          : { label: 'Name:', field: naming.field };
      const body = list.render({ columns: size.columns, rows: bodyRows(size) });
      return pagerWindow(
        {
          title: isEverywhere ? 'Sessions of all folders' : 'Sessions',
          note: list.note,
          body,
          footer: said ?? KEYS,
          field,
        },
        size,
        theme,
      );
    },
    handle(input) {
      if (naming !== null) {
        const { session, field } = naming;
        if (input.type === 'key' && input.key === 'escape') naming = null;
        else if (input.type === 'key' && input.key === 'enter') {
          naming = null;
          work(async () => {
            await renameSession(session.sessionId, field.text, where());
            await read();
            return null;
          });
        } else if (!field.handle(input)) return 'ignored';
        return 'taken';
      }
      if (input.type === 'key' && deleting !== null) {
        const session = deleting;
        deleting = null;
        said = null;
        if (input.key === 'd')
          work(async () => {
            await deleteSession(session.sessionId, where());
            await read();
            return 'Deleted.';
          });
        return 'taken';
      }
      if (list.search === null && input.type === 'key' && input.key !== null) {
        const answer = press(input.key);
        if (answer !== null) return answer;
      }
      if (input.type === 'key') said = null;
      return list.handle(input) ? 'taken' : closes(input, bindings);
    },
  };
}

function titleOf({ customTitle, firstPrompt, summary }: SDKSessionInfo): string {
  return customTitle ?? (summary === '' ? (firstPrompt ?? '') : summary);
}

function noteOf(session: SDKSessionInfo, current: string | null, showsFolder: boolean): string {
  const facts = [
    session.sessionId === current ? 'this session' : null,
    formatMoment(session.lastModified),
    session.gitBranch === undefined ? null : oneLine(session.gitBranch, 20),
    session.fileSize === undefined ? null : formatBytes(session.fileSize).replace(' ', '\u00a0'),
    showsFolder && session.cwd !== undefined ? oneLine(session.cwd, 60) : null,
  ];
  return facts.filter((fact) => fact !== null).join(' · ');
}
