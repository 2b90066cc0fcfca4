// What all dialogs share. A dialog opens under the draft. One rule: nobody answers it by accident. It takes keys only once it
// is painted and the keyboard has rested; a letter that begins a word is not an answer and goes to the draft; what is pasted
// never answers; Enter answers only with a choice that was chosen in this dialog before.

import { formatCount } from '../../view/figures.js';
import { displayWidth, fitToWidth, wrapText } from '../../view/width.js';
import type { Face } from '../face.js';
import { openText } from '../pagers/index.js';
import type { Frame, Input, Size } from '../screen/index.js';
import { createTextField, type TextField } from '../text-field.js';
import type { Tone } from '../theme.js';

export type DialogFace = Pick<
  Face,
  'clock' | 'theme' | 'openLayer' | 'openPager' | 'refresh' | 'passOn' | 'bindings' | 'draftHolds'
>;

/** Escaped text that is wrapped when it is drawn. */
export interface Line {
  readonly text: string;
  readonly tone?: Tone;
  /** Columns that it stands in from the left. */
  readonly indent?: number;
}

export interface Choice {
  /** One letter or digit. */
  readonly key: string;
  readonly label: string;
  /** What follows from it, escaped. */
  readonly about?: string;
  /** One of several that may be picked: Space picks it too, if the arrows stand on it. */
  readonly isTick?: boolean;
  act(): void;
}

export interface FieldView {
  /** What to write. */
  readonly label: string;
  readonly initial?: string;
  /** @returns what is wrong with it, in which case the field stays; null if it was taken */
  send(text: string): string | null | Promise<string | null>;
}

/** What a dialog shows now. */
export interface DialogView {
  /** What is asked, in a line or two. */
  readonly head: readonly Line[];
  /** What it is about: shown as far as there is room, with the count of what is left out. `v` opens all of it. */
  readonly body: readonly Line[];
  /** Shown below it, whole. */
  readonly foot: readonly Line[];
  readonly choices: readonly Choice[];
  /** What Esc does, for the line of keys. */
  readonly dismisses: string;
}

export interface DialogOptions {
  readonly name: string;
  readonly view: () => DialogView;
  /** Esc. */
  dismiss(): void;
  /** Aborted, interrupted or answered elsewhere. Called at most once, and never after `close`. */
  gone(): void;
  readonly signal?: AbortSignal | undefined;
  /** Told which choice the arrows stand on; null for none. */
  chose?(choice: Choice | null): void;
}

export interface Dialog {
  /** Takes it away: it is answered. */
  close(): void;
  /** Opens a field for text; Esc closes it again. */
  write(field: FieldView): void;
  /** It asks something else now: the keyboard has to rest again, and nothing is chosen. */
  asksAnew(): void;
}

/** The keyboard has to rest so long before a key answers, milliseconds. */
const REST_MS = 500;
/** Timers may fire a little before their time is over by the clock, milliseconds. */
const EARLY_MS = 5;
/** A letter that another key follows within this time began a word, milliseconds. */
const ALONE_MS = 200;
/** A window that is smaller shows no choices: nobody answers what cannot be seen. */
const LEAST_ROWS = 4;
const LEAST_COLUMNS = 20;

export function openDialog(face: DialogFace, options: DialogOptions): Dialog {
  const { clock, theme } = face;
  let painted: number | null = null;
  let lastKey = Number.NEGATIVE_INFINITY;
  let chosen: number | null = null;
  let held: { readonly input: Input; readonly cancel: () => void } | null = null;
  let field: (FieldView & { readonly text: TextField; problem: string | null }) | null = null;
  let isOpen = true;
  let isAnswerable = true;
  /** Tab gave the keyboard to the question, whatever the draft would do with a key. */
  let hasKeyboard = false;
  let wake = (): void => undefined;

  const choose = (at: number | null): void => {
    chosen = at;
    options.chose?.(at === null ? null : (options.view().choices[at] ?? null));
  };
  /** How it is answered now, for the line of keys. */
  const waysTo = (): string => {
    const picks = options.view().choices.some(({ isTick: ticks }) => ticks === true) ? 'Space' : 'Enter';
    if (hasKeyboard || !face.draftHolds('down')) return `one key, or arrows and ${picks}`;
    return face.draftHolds('y') ? 'Tab, then one key' : 'one key, or Tab and arrows';
  };
  const restsAt = () => (painted === null ? Number.POSITIVE_INFINITY : Math.max(painted, lastKey) + REST_MS);
  /** The keyboard is in use: what comes is for the draft until it rests again. */
  const rest = (at: number): void => {
    lastKey = Math.max(lastKey, at);
    hasKeyboard = false;
    if (chosen !== null) choose(null);
    wake();
    wake = clock.after(REST_MS + EARLY_MS, face.refresh);
    face.refresh();
  };
  const handBack = (): void => {
    if (held === null) return;
    const { input, cancel } = held;
    held = null;
    cancel();
    face.passOn(input);
  };
  const end = (): boolean => {
    if (!isOpen) return false;
    isOpen = false;
    options.signal?.removeEventListener('abort', abort);
    wake();
    takeAway();
    return true;
  };
  const abort = (): void => {
    handBack();
    if (end()) options.gone();
  };

  function answerAlone(input: Input, at: number): void {
    choose(at);
    // A second step: keys that came while the program was busy are read before it.
    const act = () => {
      held = null;
      if (!isOpen) return;
      options.view().choices[at]?.act();
      face.refresh();
    };
    let cancel = clock.after(ALONE_MS, () => {
      cancel = clock.after(0, act);
    });
    held = { input, cancel: () => cancel() };
    face.refresh();
  }

  async function send(): Promise<void> {
    const sent = field;
    if (sent === null) return;
    const problem = await sent.send(sent.text.text);
    if (!isOpen) return;
    if (problem !== null) sent.problem = problem;
    else if (field === sent) field = null;
    face.refresh();
  }

  function handleField(input: Input): boolean {
    if (field === null) return false;
    const key = input.type === 'key' ? input.key : null;
    if (key === 'enter' || key === 'return') void send();
    else if (key === 'escape') {
      field = null;
      rest(clock.now());
    } else if (field.text.handle(input)) {
      field.problem = null;
      face.refresh();
    }
    // A key without a meaning: the draft is not in use while a field is open.
    else return input.type === 'key';
    return true;
  }

  function openAll(): void {
    const { head, body, foot } = options.view();
    const lines = [...head, ...body, ...foot].flatMap(({ text, ...look }) =>
      text.split('\n').map((line) => ({ text: line.replaceAll('\t', '  '), ...look })),
    );
    const pager = openText(face, `${options.name.charAt(0).toUpperCase()}${options.name.slice(1)}`, async () => lines);
    void face.openPager(pager).then(() => {
      if (isOpen) rest(clock.now());
    });
  }

  function handle(input: Input): boolean {
    if (input.type === 'focus' || painted === null || !isOpen) return false;
    if (field !== null) return handleField(input);
    if (held !== null || input.type === 'paste' || input.at < restsAt()) {
      handBack();
      rest(input.at);
      return false;
    }
    const { choices } = options.view();
    const { key } = input;
    if (!hasKeyboard && face.draftHolds(key ?? '')) {
      rest(input.at);
      return false;
    }
    if (key === 'tab') {
      hasKeyboard = !hasKeyboard;
      face.refresh();
      return true;
    }
    if (key === 'escape') {
      options.dismiss();
      return true;
    }
    if (key === 'v') {
      held = { input, cancel: clock.after(ALONE_MS, openHeld) };
      return true;
    }
    if (!isAnswerable) return false;
    if (key === 'up' || key === 'down') {
      const step = key === 'up' ? -1 : 1;
      const from = chosen ?? (step === 1 ? -1 : choices.length);
      choose(Math.min(Math.max(from + step, 0), choices.length - 1));
      face.refresh();
      return true;
    }
    const answersChosen = key === 'enter' || key === 'return' || (key === 'space' && isTick(choices, chosen));
    if (answersChosen && chosen !== null) {
      choices[chosen]?.act();
      face.refresh();
      return true;
    }
    const at = choices.findIndex((choice) => choice.key === key);
    if (at !== -1) {
      answerAlone(input, at);
      return true;
    }
    rest(input.at);
    return false;
  }

  const isTick = (choices: readonly Choice[], at: number | null) => at !== null && choices[at]?.isTick === true;
  const openHeld = (): void => {
    held = null;
    openAll();
  };

  const takeAway = face.openLayer({
    name: options.name,
    render(size) {
      const drawn = draw(options.view(), {
        size,
        theme,
        chosen,
        field,
        rests: clock.now() >= restsAt(),
        ways: waysTo(),
      });
      isAnswerable = drawn.isAnswerable;
      return drawn.frame;
    },
    handle,
    painted(at) {
      painted = at;
      wake();
      wake = clock.after(REST_MS + EARLY_MS, face.refresh);
    },
    dispose: abort,
  });
  if (options.signal?.aborted) abort();
  else options.signal?.addEventListener('abort', abort, { once: true });

  return {
    close: end,
    write(view) {
      field = { ...view, text: createTextField(view.initial, { hasLines: true }), problem: null };
      face.refresh();
    },
    asksAnew: () => rest(clock.now()),
  };
}

interface Drawing {
  readonly size: Size;
  readonly theme: Face['theme'];
  readonly chosen: number | null;
  readonly field: (FieldView & { readonly text: TextField; readonly problem: string | null }) | null;
  readonly rests: boolean;
  readonly ways: string;
}

/** What is asked and what can be answered always fit, or nothing can be answered. */
function draw(view: DialogView, drawing: Drawing): { readonly frame: Frame; readonly isAnswerable: boolean } {
  const { size, theme, field, rests } = drawing;
  const { columns, rows } = size;
  const head = view.head.flatMap((line) => drawLine(line, columns, theme));
  const body = view.body.flatMap((line) => drawLine(line, columns, theme));
  const foot = view.foot.flatMap((line) => drawLine(line, columns, theme));
  const room = rows - head.length - body.length - foot.length;
  const below = field === null ? drawChoices(view, drawing, room) : drawField(field, columns, theme);
  const needed = head.length + below.lines.length + (body.length > 0 ? 1 : 0);
  if (rows < LEAST_ROWS || columns < LEAST_COLUMNS || needed > rows) {
    const lines = [
      ...head,
      theme.paint(fitToWidth('The window is too small to answer here: v shows all of it', columns), 'warning'),
    ];
    return { frame: { lines: lines.slice(-rows), caret: null }, isAnswerable: false };
  }
  const [shownFoot, shownBody] = cutToRoom(foot, body, rows - head.length - below.lines.length, columns, theme);
  const lines = [...head, ...shownBody, ...shownFoot];
  const caret = below.caret === null ? null : { ...below.caret, row: below.caret.row + lines.length };
  // A line that says what to press, once keys are taken.
  const last =
    field === null && !rests ? [theme.paint(fitToWidth('  keys go to the draft until they rest', columns), 'dim')] : [];
  const kept = last.length === 0 ? below.lines : [...below.lines.slice(0, -1), ...last];
  return { frame: { lines: [...lines, ...kept], caret }, isAnswerable: true };
}

/** The foot whole if it leaves room for something of the body; of the body both ends, since either may hide the point. */
function cutToRoom(
  foot: readonly string[],
  body: readonly string[],
  room: number,
  columns: number,
  theme: Face['theme'],
): readonly [foot: readonly string[], body: readonly string[]] {
  const forFoot = Math.min(foot.length, Math.max(0, room - Math.min(body.length, 3)));
  const shownFoot = forFoot === foot.length ? foot : cutLines(foot, forFoot, columns, theme);
  return [shownFoot, cutLines(body, room - shownFoot.length, columns, theme)];
}

function cutLines(lines: readonly string[], room: number, columns: number, theme: Face['theme']): readonly string[] {
  if (lines.length <= room) return lines;
  if (room < 1) return [];
  const left = lines.length - (room - 1);
  const words = `    … ${formatCount(left)} more ${left === 1 ? 'line' : 'lines'}: v shows all`;
  const note = theme.paint(fitToWidth(words, columns), 'warning');
  const first = Math.ceil(((room - 1) * 2) / 3);
  const last = room - 1 - first;
  return [...lines.slice(0, first), note, ...(last > 0 ? lines.slice(-last) : [])];
}

function drawLine({ text, tone, indent = 0 }: Line, columns: number, theme: Face['theme']): string[] {
  const lead = ' '.repeat(Math.min(indent, Math.max(0, columns - 8)));
  return wrapText(text, columns - lead.length).map((line) => {
    return `${lead}${tone === undefined ? line : theme.paint(line, tone)}`;
  });
}

function drawChoices(view: DialogView, { size, theme, chosen, ways }: Drawing, room: number): Frame {
  const { columns } = size;
  const long = `  ${ways} · v shows all · Esc ${view.dismisses}`;
  const keys = fitToWidth(
    displayWidth(long) <= columns ? long : `  ${ways.split(',')[0]} · v all · Esc ${view.dismisses}`,
    columns,
  );
  const list = view.choices.map(({ key, label, about = '' }, at) => {
    const isChosen = at === chosen;
    const head = `${isChosen ? '›' : ' '} ${key}  ${label}`;
    const cut = fitToWidth(head, columns);
    const more = columns - displayWidth(cut) - 2;
    const tail = about === '' || more < 8 ? '' : theme.paint(`  ${fitToWidth(about, more)}`, 'dim');
    return `${isChosen ? theme.paint(cut, 'selected') : cut}${tail}`;
  });
  if (list.length < room) return { lines: [...list, theme.paint(keys, 'dim')], caret: null };
  // Little room: the choices beside each other, so that more is seen of what is asked.
  const words = view.choices.map(({ key, label }, at) => `${at === chosen ? '›' : ''}[${key}] ${label}`);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last}  ${word}`) <= columns) lines[lines.length - 1] = `${last}  ${word}`;
    else lines.push(fitToWidth(word, columns));
  }
  return { lines: [...lines, theme.paint(keys, 'dim')], caret: null };
}

function drawField(
  { label, text, problem }: NonNullable<Drawing['field']>,
  columns: number,
  theme: Face['theme'],
): Frame {
  const { lines, caret } = text.renderWhole(columns - 4);
  const head = drawLine({ text: label, tone: 'accent', indent: 2 }, columns, theme);
  const wrong = problem === null ? [] : drawLine({ text: problem, tone: 'bad', indent: 2 }, columns, theme);
  const keys = theme.paint(fitToWidth('  Enter sends · Shift-Enter begins a line · Esc goes back', columns), 'dim');
  return {
    lines: [...head, ...lines.map((line) => `  > ${line}`), ...wrong, keys],
    caret: caret === null ? null : { row: head.length + caret.row, column: caret.column + 4 },
  };
}
