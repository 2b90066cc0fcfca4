// What works beside the conversation, with the todos: live output, and an end to it. One rule: only a second key stops.

import { count } from '../../util/text.js';
import { escapeHidden, oneLine } from '../../view/escape-text.js';
import { formatDuration } from '../../view/figures.js';
import { MARKS } from '../../view/task-list.js';
import type { Pager } from '../face.js';
import type { Task } from '../state.js';
import { createListView } from './list-view.js';
import { bodyRows, closes, faultText, type PanelParts, pagerWindow } from './pager-window.js';
import { createScrollView, type PagerLine } from './scroll-view.js';

/** How often the output of an open task is read, milliseconds. */
const LOOK_MS = 1_000;

export function openTasks(parts: PanelParts): Pager {
  const { theme, bindings, refresh, query, store, clock } = parts;
  let open: { readonly task: Task; lines: readonly PagerLine[]; text: string | null } | null = null;
  let stopping: Task | null = null;
  let said: string | null = null;
  let isClosed = false;
  let cancelLook: () => void = () => undefined;
  const unsubscribe = store.subscribe(refresh);
  const list = createListView<Task>({
    items: () => store.getState().tasks,
    row: (task, columns) => ({
      text: oneLine(`${task.background ? 'background' : 'foreground'}  ${nameOf(task)}`, Math.max(20, columns - 40)),
      note: [
        formatDuration(Math.max(0, clock.now() - task.since)),
        task.lastTool === null ? null : oneLine(task.lastTool, 30),
      ]
        .filter((fact) => fact !== null)
        .join(' · '),
    }),
    theme,
    bindings,
    empty: 'Nothing works beside the conversation.',
  });
  const output = createScrollView({ lines: () => open?.lines ?? [], theme, bindings, startsAtEnd: true });
  const look = (): void => {
    const looked = open;
    if (looked === null || isClosed) return;
    void query
      .getTaskOutput(looked.task.id)
      .then(
        ({ output: text, truncated, total_bytes: bytes }) => {
          if (text === looked.text) return;
          looked.text = text;
          const head: PagerLine[] = truncated ? [{ text: `The end of ${bytes} bytes:`, tone: 'dim' }] : [];
          looked.lines = [
            ...head,
            ...escapeHidden(text)
              .split('\n')
              .map((line) => ({ text: line })),
          ];
          refresh();
        },
        (error: unknown) => {
          looked.lines = [{ text: faultText(error), tone: 'warning' }];
          refresh();
        },
      )
      .then(() => {
        if (open === looked && !isClosed) cancelLook = clock.after(LOOK_MS, look);
      });
  };
  const leaveOutput = (): void => {
    cancelLook();
    open = null;
  };
  const tell = (work: Promise<string>): void => {
    void work
      .catch((error: unknown) => `It could not be done: ${faultText(error)}`)
      .then((answer) => {
        said = answer;
        refresh();
      });
  };
  const press = (key: string): boolean => {
    const task = open?.task ?? list.chosen;
    if (task === null) return false;
    if (key === 'enter' && open === null) {
      open = { task, lines: [{ text: 'Reading …', tone: 'dim' }], text: null };
      look();
      return true;
    }
    if (key === 'x') {
      stopping = task;
      said = `x once more stops "${oneLine(nameOf(task), 40)}" and all it started, any other key does not.`;
      return true;
    }
    if (key === 'ctrl+b' || (key === 'b' && open === null)) {
      if (task.background || task.toolUseId === null) said = 'It is in the background already.';
      else
        tell(
          query
            .backgroundTasks(task.toolUseId)
            .then((isDone) => (isDone ? 'It goes on in the background.' : 'It cannot go on in the background.')),
        );
      return true;
    }
    return false;
  };
  return {
    title: 'Tasks',
    render(size) {
      const room = { columns: size.columns, rows: bodyRows(size) };
      const isOpen = open !== null;
      const todos = isOpen ? [] : todoRows(parts, Math.floor(room.rows / 2));
      const listRoom = { ...room, rows: Math.max(1, room.rows - todos.length) };
      const body = isOpen ? output.render(room) : [...list.render(listRoom), ...todos];
      const view = isOpen ? output : list;
      return pagerWindow(
        {
          title: open === null ? 'Tasks' : oneLine(nameOf(open.task), Math.max(10, size.columns - 30)),
          note: view.note,
          body: body.slice(0, room.rows),
          footer:
            said ??
            (isOpen
              ? 'x stops  / searches  q back'
              : 'Enter shows the output  x stops  b to the background  / searches  q closes'),
          field: view.search === null ? null : { label: '/', field: view.search },
        },
        size,
        theme,
      );
    },
    handle(input) {
      const view = open === null ? list : output;
      if (input.type === 'key' && stopping !== null) {
        const task = stopping;
        [stopping, said] = [null, null];
        if (input.key === 'x') {
          said = 'Stopping …';
          tell(query.stopTask(task.id).then(() => `Stopped: ${oneLine(nameOf(task), 60)}`));
        }
        return 'taken';
      }
      if (input.type === 'key' && view.search === null) said = null;
      if (view.search === null && input.type === 'key' && input.key !== null && press(input.key)) return 'taken';
      if (view.handle(input)) return 'taken';
      const answer = closes(input, bindings);
      if (answer !== 'close' || open === null) return answer;
      leaveOutput();
      return 'taken';
    },
    dispose() {
      isClosed = true;
      cancelLook();
      unsubscribe();
    },
  };
}

function nameOf({ agent, description }: Task): string {
  return agent === null ? description : `${agent}: ${description}`;
}

/** A heading, and as many todos as fit; those that are left out are counted. */
function todoRows({ store, theme }: PanelParts, room: number): string[] {
  const { todos } = store.getState();
  if (todos.length === 0 || room < 3) return [];
  const done = todos.filter(({ status }) => status === 'completed').length;
  const fits = todos.length > room - 2 ? room - 3 : todos.length;
  const rows = todos.slice(0, fits).map(({ content, status }) => {
    const row = `  ${MARKS[status]} ${oneLine(content, 200)}`;
    return status === 'completed'
      ? theme.paint(row, 'dim')
      : status === 'in_progress'
        ? theme.paint(row, 'strong')
        : row;
  });
  const rest = todos.length - fits;
  return [
    '',
    theme.paint(` Todos  ${done} of ${todos.length} done`, 'heading'),
    ...rows,
    ...(rest > 0 ? [theme.paint(`  and ${count(rest, 'todo')} more`, 'dim')] : []),
  ];
}
