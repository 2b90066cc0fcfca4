// The face itself: what is drawn where, and who gets an input. Layers and pagers of other rooms are put on it; what runs
// in the session is `run-session.ts`'s matter.

import type { SDKMessage } from '../protocol/messages.js';
import type { PersonalFiles } from '../sdk/faces/index.js';
import type { Query } from '../sdk/query-controls.js';
import { errorText } from '../util/text.js';
import { escapeHidden } from '../view/escape-text.js';
import type { Clock } from './clock.js';
import type { Composer } from './composer/index.js';
import type { Conversation } from './conversation/index.js';
import type { Layer, OpenFace, Pager } from './face.js';
import type { ActionName, Keybindings } from './keybindings.js';
import { wrapTextWithAnsi } from './pi.js';
import { cutLine, type Frame, type Input, type OwnScreen, type Size } from './screen/index.js';
import type { State, Store } from './state.js';
import { activityLines, statusLine } from './status/index.js';
import type { Theme } from './theme.js';

export interface FaceParts {
  readonly screen: OwnScreen;
  readonly store: Store<State>;
  readonly clock: Clock;
  readonly theme: Theme;
  /** Of the file in the home folder, once it was read. */
  keys(): Keybindings;
  files(): PersonalFiles | null;
  readonly composer: Composer;
  /** Null until the session is put together. */
  conversation(): Conversation | null;
  readonly opened: Promise<Query>;
  /** Such as `NORMAL`; null for none. */
  draftMode(): string | null;
}

/** Of a stream, so often a frame is drawn, milliseconds. */
const STREAM_MS = 33;
/** How long a hint stands, milliseconds. */
const HINT_MS = 2_000;
const HINT_ROWS = 3;
/** While something runs its time is drawn, milliseconds. */
const TICK_MS = 1_000;
/** Rows of the window that the open text may take: what a smaller window pushes out cannot be taken back. */
const OPEN_PART = 2;
const NOTHING_OPEN = { text: [], calls: [] };

/** By words, so that all of it can be read. */
function hintRows(hint: string, columns: number): string[] {
  return wrapTextWithAnsi(hint, Math.max(8, columns))
    .slice(0, HINT_ROWS)
    .map((row) => row.trimEnd());
}

export function openFace(parts: FaceParts): OpenFace {
  const { screen, store, clock, theme, keys, composer, conversation } = parts;
  const actions = new Map<ActionName, () => boolean | undefined>();
  const layers: Layer[] = [];
  const pasteLooks: ((text: string) => boolean)[] = [];
  const keyLooks: ((input: Extract<Input, { type: 'key' }>) => boolean)[] = [];
  const layerListeners: ((count: number) => void)[] = [];
  const messageListeners = new Set<(message: SDKMessage) => void>();
  let pager: { readonly pager: Pager; readonly done: () => void } | null = null;
  let statusLines: readonly string[] | null = null;
  let hintText: string | null = null;
  let stopHint = (): void => undefined;
  let stopSoon: (() => void) | null = null;
  let stopTick: (() => void) | null = null;
  /** Windows that are being loaded, and what was typed since. */
  let opening = 0;
  const held: Input[] = [];
  let isDue = false;
  let isClosed = false;
  /** The frame that shows a layer for the first time. */
  let firstOf: { readonly frame: Frame; readonly layer: Layer } | null = null;
  const paintedLayers = new WeakSet<Layer>();

  function compose(): Frame {
    const { size } = screen;
    const { columns, rows } = size;
    const state = store.getState();
    const now = clock.now();
    const draft = composer.render(columns);
    const layer = layers[0];
    const below = layer === undefined ? belowDraft(state, columns) : [];
    const drawn = layer?.render({ columns, rows: Math.max(1, rows - draft.lines.length - 1) });
    const layerLines = drawn?.lines ?? [];
    const waiting = layers.length - 1;
    const fixed =
      draft.lines.length + below.length + layerLines.length + (waiting > 0 ? 1 : 0) + (layer === undefined ? 0 : 1);
    let room = Math.max(0, rows - fixed - 1);
    const activity = activityLines(state, now, columns, theme, layer !== undefined).slice(
      0,
      Math.max(1, Math.floor(room / 2)),
    );
    room -= activity.length + 1;
    const { text, calls } = conversation()?.open(state, now) ?? NOTHING_OPEN;
    const most = Math.max(0, Math.min(room, Math.floor(rows / OPEN_PART)));
    const open = [...text, ...(text.length > 0 && calls.length > 0 ? [''] : []), ...calls].slice(
      -most || Number.POSITIVE_INFINITY,
    );
    const above = [...(most > 0 ? open : []), ...(rows > fixed ? [''] : []), ...(room > 0 || most > 0 ? activity : [])];
    const lines = [...above, ...draft.lines];
    let caret = draft.caret === null ? null : { row: draft.caret.row + above.length, column: draft.caret.column };
    if (drawn !== undefined) {
      lines.push('');
      if (drawn.caret !== null) caret = { row: drawn.caret.row + lines.length, column: drawn.caret.column };
      lines.push(...layerLines);
      if (waiting > 0)
        lines.push(theme.paint(`${waiting} more ${waiting === 1 ? 'question waits' : 'questions wait'}`, 'dim'));
    }
    lines.push(...below);
    const frame = { lines, caret };
    if (layer !== undefined && !paintedLayers.has(layer)) firstOf = { frame, layer };
    return frame;
  }

  function belowDraft(state: State, columns: number): readonly string[] {
    if (hintText !== null) return hintRows(hintText, columns).map((row) => theme.paint(row, 'warning'));
    if (statusLines !== null) return statusLines.map((line) => cutLine(line, columns));
    const line = statusLine(state, parts.draftMode(), columns, theme);
    return line === '' ? [] : [line];
  }

  function paint(): void {
    isDue = false;
    stopSoon?.();
    stopSoon = null;
    if (isClosed) return;
    if (pager !== null) screen.alternate(drawPager);
    else screen.live(compose);
    tick();
  }

  /** Nothing wakes a terminal in which nothing runs. */
  function tick(): void {
    stopTick?.();
    stopTick = null;
    if (store.getState().run === null || isClosed) return;
    stopTick = clock.after(TICK_MS, refresh);
  }

  function refresh(): void {
    if (isDue || isClosed) return;
    isDue = true;
    queueMicrotask(paint);
  }

  function refreshSoon(): void {
    if (isDue || stopSoon !== null || isClosed) return;
    stopSoon = clock.after(STREAM_MS, paint);
  }

  function closePager(): void {
    const open = pager;
    if (open === null) return;
    pager = null;
    screen.alternate(null);
    open.pager.dispose?.();
    open.done();
    refresh();
  }

  function drawPager(size: Size): Frame {
    if (pager === null) return { lines: [], caret: null };
    const frame = pager.pager.render(size);
    if (layers.length === 0) return frame;
    // What waits for an answer must not stay hidden behind a window.
    const lines = [...frame.lines];
    while (lines.length < size.rows) lines.push('');
    lines[size.rows - 1] = theme.paint(
      cutLine(' A question waits: q closes this, and shows it.', size.columns),
      'warning',
    );
    return { ...frame, lines };
  }

  function hint(text: string): void {
    hintText = text;
    stopHint();
    stopHint = clock.after(HINT_MS, () => {
      hintText = null;
      refresh();
    });
    refresh();
  }

  function run(action: ActionName): boolean {
    const act = actions.get(action);
    if (act === undefined) return false;
    try {
      return act() !== false;
    } catch (error) {
      // A key must not end the program.
      hint(escapeHidden(errorText(error)));
      return true;
    }
  }

  function takeKey(input: Extract<Input, { type: 'key' }>): void {
    const { key, data } = input;
    const isOfList = composer.isCompleting && ['enter', 'tab', 'escape', 'up', 'down'].includes(key ?? '');
    if (isOfList) {
      const wasCommand = key === 'enter' && composer.shownText.startsWith('/');
      composer.handleKey(data);
      if (wasCommand && !composer.isCompleting) run('send');
      return;
    }
    if (keyLooks.some((look) => look(input))) return;
    const action = key === null ? null : keys().actionOf(key, 'prompt');
    if (action !== null && run(action)) return;
    composer.handleKey(data);
  }

  function take(input: Input): void {
    if (isClosed) return;
    if (input.type === 'focus') {
      store.setState((state) => ({ ...state, focused: input.focused }));
      return;
    }
    if (opening > 0) {
      held.push(input);
      return;
    }
    if (hintText !== null) {
      hintText = null;
      stopHint();
    }
    if (pager !== null) {
      const isOut = input.type === 'key' && input.key === 'ctrl+c';
      const answer = isOut ? 'close' : pager.pager.handle(input);
      if (answer === 'close') closePager();
      refresh();
      return;
    }
    const isWayOut =
      input.type === 'key' && (input.key === 'ctrl+c' || keys().actionOf(input.key ?? '', 'prompt') === 'suspend');
    const layer = layers[0];
    if (layer === undefined || isWayOut || !layer.handle(input)) toDraft(input);
    refresh();
  }

  function holdInputs(until: Promise<unknown>): void {
    opening++;
    void until.finally(() => {
      opening--;
      // One of them may open the next window.
      while (opening === 0 && held.length > 0) for (const input of held.splice(0, 1)) take(input);
    });
  }

  const holdsText = (key: string) => !composer.isEmpty && ['enter', 'up', 'down'].includes(key);

  function toDraft(input: Input): void {
    if (input.type === 'key') takeKey(input);
    else if (input.type === 'paste' && !pasteLooks.some((look) => look(input.text))) composer.paste(input);
  }

  const stopStore = store.subscribe(refreshSoon);
  screen.onResize(refresh);

  return {
    screen,
    store,
    theme,
    clock,
    opened: parts.opened,
    get bindings() {
      return keys();
    },
    get files() {
      return parts.files();
    },
    onMessage(listener) {
      messageListeners.add(listener);
      return () => void messageListeners.delete(listener);
    },
    tell(message) {
      for (const listener of messageListeners) listener(message);
    },
    get layerCount() {
      return layers.length;
    },
    onLayers: (listener) => void layerListeners.push(listener),
    openLayer(layer) {
      layers.push(layer);
      for (const listener of layerListeners) listener(layers.length);
      refresh();
      return () => {
        const at = layers.indexOf(layer);
        if (at === -1) return;
        layers.splice(at, 1);
        for (const listener of layerListeners) listener(layers.length);
        layer.dispose?.();
        refresh();
      };
    },
    draftHolds(key) {
      if (composer.isCompleting) return ['enter', 'tab', 'escape', 'up', 'down'].includes(key);
      const mode = parts.draftMode();
      // Tab is not a command of vim.
      if (mode !== null && key !== 'tab') return !mode.startsWith('INSERT') || key === 'escape' || holdsText(key);
      return holdsText(key);
    },
    passOn(input) {
      toDraft(input);
      refresh();
    },
    openPager(next) {
      closePager();
      return new Promise((resolve) => {
        pager = { pager: next, done: resolve };
        screen.alternate(drawPager);
      });
    },
    say(lines) {
      screen.commit(conversation()?.note(lines) ?? lines);
      refresh();
    },
    refresh,
    refreshSoon,
    on: (action, act) => void actions.set(action, act),
    run,
    onPaste: (look) => void pasteLooks.push(look),
    onKey: (look) => void keyLooks.push(look),
    take,
    holdInputs,
    framed(frame) {
      if (firstOf?.frame !== frame) return;
      const { layer } = firstOf;
      firstOf = null;
      paintedLayers.add(layer);
      if (layers[0] === layer) layer.painted?.(clock.now());
    },
    hint,
    setStatusLine(lines) {
      statusLines = lines;
      refreshSoon();
    },
    close() {
      isClosed = true;
      stopStore();
      stopTick?.();
      stopSoon?.();
      stopHint();
      closePager();
      for (const layer of layers.splice(0)) layer.dispose?.();
    },
  };
}
