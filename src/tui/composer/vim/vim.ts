// The vim mode of the prompt: modes, counts, operators, text objects, visual. One rule: it holds no text but what it cut and
// what it can undo; each key gets the text as it is and gives it back changed, so nothing of it can be lost in here.
import {
  type Find,
  found,
  MOTION_KEYS,
  type Motion,
  motion,
  type Positions,
  positionsIn,
  type Range,
  textObject,
} from './motions.js';

export type VimMode = 'insert' | 'normal' | 'visual' | 'visual-line';

/** A text, and the place of the caret in UTF-16 units. */
export interface Draft {
  readonly text: string;
  readonly caret: number;
}

/**
 * What a key did: `taken` with the draft afterwards, or `passed` on to whoever edits without vim, as `key` if that is
 * another than was pressed.
 */
export type VimAnswer = { readonly taken: Draft } | { readonly passed: true; readonly key?: 'up' | 'down' };

export interface Vim {
  readonly mode: VimMode;
  /** What was typed of a command that is not whole yet, such as `2d`. */
  readonly pending: string;
  /** What is marked, in the draft of the last key; null outside visual. */
  selection(draft: Draft): { readonly start: number; readonly end: number } | null;
  /** @param key as the terminal's input names it, or the character itself */
  handle(key: string, draft: Draft): VimAnswer;
  /** For a new prompt: inserting, nothing to undo. What was cut stays. */
  reset(): void;
}

interface Register {
  readonly text: string;
  readonly isLines: boolean;
}

const UNDO_LIMIT = 500;
const COUNT_LIMIT = 9_999;
const OPERATORS: ReadonlySet<string> = new Set(['d', 'c', 'y', '>', '<', 'gu', 'gU', 'g~']);
/** Waits for one more key. */
const FIRST_KEYS: ReadonlySet<string> = new Set(['g', 'f', 'F', 't', 'T', 'r', '"', 'z']);
const SHIFT = '  ';
const PASSED: VimAnswer = { passed: true };

export function createVim(): Vim {
  let mode: VimMode = 'insert';
  let typed: string[] = [];
  let anchor = 0;
  let wanted: number | null = null;
  let find: Find | null = null;
  let undo: Draft[] = [];
  let redo: Draft[] = [];
  /** The text that the last key left, to see what others changed. */
  let left: string | null = null;
  /** Where inserting began, for `.`. */
  let inserting: { readonly draft: Draft; readonly keys: readonly string[] } | null = null;
  let last: { readonly keys: readonly string[]; readonly inserted: string } | null = null;
  let repeating = false;
  const registers = new Map<string, Register>();

  const remember = (draft: Draft): void => {
    undo.push(draft);
    if (undo.length > UNDO_LIMIT) undo.shift();
    redo = [];
  };
  const cut = (name: string | null, register: Register): void => {
    if (register.text === '' && !register.isLines) return;
    registers.set('"', register);
    if (name === null) return;
    const lower = name.toLowerCase();
    const before = registers.get(lower);
    // A capital letter adds to what is there.
    const adds = name !== lower && before !== undefined;
    registers.set(lower, adds ? { text: before.text + register.text, isLines: before.isLines } : register);
  };
  const insert = (draft: Draft, keys: readonly string[]): Draft => {
    mode = 'insert';
    inserting = { draft, keys };
    return draft;
  };
  const insertFrom = (draft: Draft, caret: number, keys: readonly string[]): Draft => {
    remember(draft);
    return insert({ ...draft, caret }, keys);
  };

  const runNormal = (command: Command, keys: readonly string[], draft: Draft): Draft | null => {
    const places = positionsIn(draft.text);
    const at = draft.caret;
    const times = command.count ?? 1;
    const column = wanted ?? places.columnOf(at);
    const change = (text: string, caret: number): Draft => {
      remember(draft);
      last = repeating ? last : { keys, inserted: '' };
      return { text, caret };
    };
    const take = (range: Range): Draft => operate('d', range, command, draft, places, keys);
    const rest = (from: number, to: number): Range => ({ start: from, end: to, isLines: false });
    if (command.operator !== null) {
      const range = rangeOf(command, places, at, column);
      return range === null ? draft : operate(command.operator, range, command, draft, places, keys);
    }
    const { verb } = command;
    switch (verb) {
      case 'i':
        return insertFrom(draft, at, keys);
      case 'a':
        return insertFrom(draft, at === places.lineEnd(at) ? at : places.next(at), keys);
      case 'I':
        return insertFrom(draft, places.firstNonBlank(at), keys);
      case 'A':
        return insertFrom(draft, places.lineEnd(at), keys);
      case 'o':
      case 'O': {
        const place = verb === 'o' ? places.lineEnd(at) : places.lineStart(at);
        remember(draft);
        const text = `${draft.text.slice(0, place)}\n${draft.text.slice(place)}`;
        return insert({ text, caret: verb === 'o' ? place + 1 : place }, keys);
      }
      case 'x':
      case 'delete':
        return at === places.lineEnd(at) ? draft : take(rest(at, forward(places, at, times)));
      case 'X': {
        let from = at;
        for (let left = times; left > 0 && from > places.lineStart(at); left--) from = places.previous(from);
        return from === at ? draft : take(rest(from, at));
      }
      case 'D':
        return take(rest(at, lineEndAfter(places, at, times)));
      case 'C':
        return operate('c', rest(at, lineEndAfter(places, at, times)), command, draft, places, keys);
      case 's':
        return operate('c', rest(at, forward(places, at, times)), command, draft, places, keys);
      case 'S':
        return operate('c', linesFrom(places, at, times), command, draft, places, keys);
      case 'Y':
        return operate('y', linesFrom(places, at, times), command, draft, places, keys);
      case '~': {
        const end = forward(places, at, times);
        if (end === at) return draft;
        const text = splice(draft.text, at, end, withCase(places, at, end, otherCase));
        return change(text, Math.min(end, positionsIn(text).lastInLine(at)));
      }
      case 'r': {
        const end = forward(places, at, times, true);
        const character = command.character === 'enter' ? '\n' : (command.character ?? '');
        if (end === at || (character.length > 1 && isKeyName(character)) || character === '') return draft;
        const count = [...clustersBetween(places, at, end)].length;
        const text = splice(draft.text, at, end, character === '\n' ? '\n' : character.repeat(count));
        return change(text, character === '\n' ? at + 1 : at + character.length * (count - 1));
      }
      case 'J':
        return joined(places, at, Math.max(2, times), change) ?? draft;
      case 'p':
      case 'P': {
        const register = registers.get(command.register?.toLowerCase() ?? '"');
        if (register === undefined) return draft;
        const put = putAt(draft, places, register, verb === 'p', times);
        return change(put.text, put.caret);
      }
      case 'u':
      case 'ctrl+r': {
        let now = draft;
        for (let left = times; left > 0; left--) {
          const [from, to] = verb === 'u' ? [undo, redo] : [redo, undo];
          const state = from.pop();
          if (state === undefined) break;
          to.push(now);
          now = state;
        }
        return now;
      }
      case '.':
        return again(command.count, draft);
      case 'v':
      case 'V':
        mode = verb === 'v' ? 'visual' : 'visual-line';
        anchor = at;
        return draft;
      default:
        break;
    }
    const moved = move(command, places, at, column);
    return moved === null ? draft : { ...draft, caret: moved.to };
  };

  const move = (command: Command, places: Positions, at: number, column: number): Motion | null => {
    const { verb, count, character } = command;
    if (verb === 'f' || verb === 'F' || verb === 't' || verb === 'T') {
      if (character === null || isKeyName(character)) return null;
      find = { key: verb, character };
      return found(places, at, count ?? 1, find);
    }
    return motion(verb, places, { at, count, column, find });
  };

  const rangeOf = (command: Command, places: Positions, at: number, column: number): Range | null => {
    const { verb, operator, object } = command;
    if (verb === operator || (operator?.startsWith('g') === true && verb === operator.slice(1)))
      return linesFrom(places, at, command.count ?? 1);
    if (object !== null) return textObject(object, verb === 'a', places, at, command.count ?? 1);
    // To change a word leaves the blanks behind it.
    const onWord = at < places.lineEnd(at) && places.classAt(at, false) !== 'blank';
    if (operator === 'c' && onWord && (verb === 'w' || verb === 'W'))
      return changedWord(places, at, verb, command.count ?? 1);
    const moved = move(command, places, at, column);
    return moved === null ? null : spanned(places, at, moved, verb === 'w' || verb === 'W');
  };

  const operate = (
    operator: string,
    range: Range,
    { register }: Command,
    draft: Draft,
    places: Positions,
    keys: readonly string[],
  ): Draft => {
    const { text } = draft;
    const { start, end, isLines } = whole(places, range);
    const inside = text.slice(start, end);
    const done = (changed: string, caret: number): Draft => {
      if (changed === text) return { text, caret };
      remember(draft);
      if (!repeating) last = { keys, inserted: '' };
      return { text: changed, caret };
    };
    switch (operator) {
      case 'y':
        cut(register, { text: inside, isLines });
        return {
          text,
          caret: isLines
            ? Math.min(draft.caret, start) === start && draft.caret > start
              ? start
              : draft.caret
            : start,
        };
      case 'd': {
        cut(register, { text: inside, isLines });
        if (!isLines) return done(splice(text, start, end, ''), start);
        // The line feed goes too: the one behind, or of the last line the one before.
        const [from, to] = end < text.length ? [start, end + 1] : [Math.max(0, start - 1), end];
        const changed = splice(text, from, to, '');
        const after = positionsIn(changed);
        return done(changed, after.firstNonBlank(Math.min(start, changed.length)));
      }
      case 'c': {
        cut(register, { text: inside, isLines });
        const from = isLines ? Math.min(places.firstNonBlank(start), end) : start;
        remember(draft);
        return insert({ text: splice(text, from, end, ''), caret: from }, keys);
      }
      case '>':
      case '<': {
        const [first, until] = [places.lineStart(start), places.lineEnd(Math.max(start, isLines ? end : end - 1))];
        const shifted = text
          .slice(first, until)
          .split('\n')
          .map((line) => (operator === '>' ? (line === '' ? '' : SHIFT + line) : line.replace(/^(?: {1,2}|\t)/, '')))
          .join('\n');
        const changed = splice(text, first, until, shifted);
        return done(changed, positionsIn(changed).firstNonBlank(first));
      }
      default: {
        const toCase = operator === 'gu' ? lowerCase : operator === 'gU' ? upperCase : otherCase;
        return done(splice(text, start, end, withCase(places, start, end, toCase)), start);
      }
    }
  };

  /** `.`: the last change once more. */
  const again = (count: number | null, draft: Draft): Draft => {
    if (last === null || repeating) return draft;
    const { keys, inserted } = last;
    const command = parse(keys);
    if (command === 'more' || command === 'unknown') return draft;
    repeating = true;
    const before = undo.length;
    let now = runNormal({ ...command, count: count ?? command.count }, keys, draft) ?? draft;
    if ((mode as VimMode) === 'insert') {
      now = { text: splice(now.text, now.caret, now.caret, inserted), caret: now.caret + inserted.length };
      mode = 'normal';
      inserting = null;
      const places = positionsIn(now.text);
      if (now.caret > places.lineStart(now.caret)) now = { ...now, caret: places.previous(now.caret) };
      // What only inserts has not been remembered as a change of its own.
      if (undo.length === before && now.text !== draft.text) remember(draft);
    }
    repeating = false;
    return now;
  };

  const runVisual = (command: Command, keys: readonly string[], draft: Draft): Draft => {
    const places = positionsIn(draft.text);
    const at = draft.caret;
    const range = marked(draft, places);
    const { verb } = command;
    const leave = (draftAfter: Draft): Draft => {
      if (mode !== 'insert') mode = 'normal';
      return draftAfter;
    };
    const lines = (): Range => ({
      start: places.lineStart(range.start),
      end: places.lineEnd(Math.max(range.start, range.end - 1)),
      isLines: true,
    });
    const operator = { x: 'd', delete: 'd', s: 'c', '~': 'g~', u: 'gu', U: 'gU' }[verb] ?? verb;
    if (command.object !== null) {
      const object = textObject(command.object, verb === 'a', places, at, command.count ?? 1);
      if (object === null) return draft;
      anchor = object.start;
      if (object.isLines) mode = 'visual-line';
      return { ...draft, caret: object.end > object.start ? places.previous(object.end) : object.start };
    }
    switch (verb) {
      case 'v':
      case 'V': {
        const wantedMode = verb === 'v' ? 'visual' : 'visual-line';
        mode = mode === wantedMode ? 'normal' : wantedMode;
        return draft;
      }
      case 'o': {
        const to = anchor;
        anchor = at;
        return { ...draft, caret: to };
      }
      case 'X':
      case 'D':
        return leave(operate('d', lines(), command, draft, places, []));
      case 'C':
      case 'S':
        return leave(operate('c', lines(), command, draft, places, []));
      case 'Y':
        return leave(operate('y', lines(), command, draft, places, []));
      case 'J': {
        const [from, to] = [places.lineOf(range.start), places.lineOf(Math.max(range.start, range.end - 1))];
        return leave(
          joined(places, range.start, Math.max(2, to - from + 1), (text, caret) => {
            remember(draft);
            return { text, caret };
          }) ?? draft,
        );
      }
      case 'r': {
        const { character } = command;
        if (character === null || isKeyName(character)) return leave(draft);
        const filled = [...clustersBetween(places, range.start, range.end)].map((each) =>
          each === '\n' ? each : character,
        );
        remember(draft);
        return leave({ text: splice(draft.text, range.start, range.end, filled.join('')), caret: range.start });
      }
      case 'p':
      case 'P': {
        const register = registers.get(command.register?.toLowerCase() ?? '"');
        if (register === undefined) return leave(draft);
        cut(null, { text: draft.text.slice(range.start, range.end), isLines: range.isLines });
        remember(draft);
        const text = register.isLines && !range.isLines ? `\n${register.text}\n` : register.text;
        return leave({ text: splice(draft.text, range.start, range.end, text), caret: range.start });
      }
      default:
        break;
    }
    if (OPERATORS.has(operator)) return leave(operate(operator, range, command, draft, places, keys.slice(0, 0)));
    const moved = move(command, places, at, wanted ?? places.columnOf(at));
    return moved === null ? draft : { ...draft, caret: moved.to };
  };

  const marked = (draft: Draft, places: Positions): Range => {
    const place = places.snap(anchor);
    const [from, to] = place <= draft.caret ? [place, draft.caret] : [draft.caret, place];
    if (mode === 'visual-line') return { start: places.lineStart(from), end: places.lineEnd(to), isLines: true };
    return { start: from, end: places.next(to), isLines: false };
  };

  /** The caret of normal mode stands on a character. */
  const settle = ({ text, caret }: Draft): Draft => {
    const places = positionsIn(text);
    const at = places.snap(caret);
    const isBehind = mode === 'normal' && at === places.lineEnd(at) && at > places.lineStart(at);
    return { text, caret: isBehind ? places.previous(at) : at };
  };

  const answer = (draft: Draft): VimAnswer => {
    const settled = settle(draft);
    left = settled.text;
    return { taken: settled };
  };

  return {
    get mode() {
      return mode;
    },
    get pending() {
      return typed.join('');
    },
    selection(draft) {
      if (mode !== 'visual' && mode !== 'visual-line') return null;
      const { start, end } = marked(draft, positionsIn(draft.text));
      return { start, end };
    },
    reset() {
      [mode, typed, undo, redo, inserting, left, wanted] = ['insert', [], [], [], null, null, null];
    },
    handle(key, given) {
      if (mode === 'insert') {
        if (key !== 'escape' && key !== 'ctrl+[') return PASSED;
        mode = 'normal';
        wanted = null;
        if (inserting !== null) {
          const inserted = insertedText(inserting.draft, given);
          if (inserting.keys.length > 0) last = { keys: inserting.keys, inserted };
          // Nothing was written: nothing to undo.
          if (undo.at(-1)?.text === given.text) undo.pop();
        } else if (left !== null && left !== given.text) remember({ text: left, caret: 0 });
        else if (left === null && given.text !== '') remember({ text: '', caret: 0 });
        inserting = null;
        const places = positionsIn(given.text);
        const at = places.snap(given.caret);
        return answer({ text: given.text, caret: at > places.lineStart(at) ? places.previous(at) : at });
      }
      const draft = settle(given);
      // Somebody else put another text there, such as a prompt of the history.
      if (left !== null && left !== given.text) remember({ text: left, caret: 0 });
      left = given.text;
      if (key === 'escape' || key === 'ctrl+[') {
        if (typed.length === 0 && mode === 'normal') return PASSED;
        typed = [];
        mode = 'normal';
        return answer(draft);
      }
      const isFirst = typed.length === 0;
      if (isFirst && mode === 'normal') {
        if (draft.text === '' && key === '/') {
          mode = 'insert';
          return PASSED;
        }
        if (key === 'enter' || (draft.text === '' && key === '?') || isForOthers(key)) return PASSED;
        const places = positionsIn(draft.text);
        if ((key === 'k' || key === 'up') && places.lineOf(draft.caret) === 0) return { passed: true, key: 'up' };
        if ((key === 'j' || key === 'down') && places.lineOf(draft.caret) === places.lineCount - 1)
          return { passed: true, key: 'down' };
      } else if (isForOthers(key)) return PASSED;
      const keys = [...typed, key === 'space' ? ' ' : key];
      const command = parse(keys, mode !== 'normal');
      if (command === 'more') {
        typed = keys;
        return answer(draft);
      }
      typed = [];
      if (command === 'unknown') return answer(draft);
      const column = wanted ?? positionsIn(draft.text).columnOf(draft.caret);
      const after = mode === 'normal' ? (runNormal(command, keys, draft) ?? draft) : runVisual(command, keys, draft);
      const keepsColumn = command.operator === null && ['j', 'k', 'up', 'down'].includes(command.verb);
      wanted = keepsColumn
        ? column
        : command.operator === null && command.verb === '$'
          ? Number.MAX_SAFE_INTEGER
          : null;
      return answer(after);
    },
  };
}

/** Keys with Ctrl, Alt or Super are the terminal's own, but for redo. */
function isForOthers(key: string): boolean {
  return key !== 'ctrl+r' && /^(?:shift\+)?(?:ctrl|alt|super)\+|^(?:shift\+)?(?:tab|f\d+|pageUp|pageDown)$/.test(key);
}

interface Command {
  readonly register: string | null;
  readonly count: number | null;
  readonly operator: string | null;
  /** What is done, or the motion that an operator takes. */
  readonly verb: string;
  /** Behind `f`, `t`, `r`. */
  readonly character: string | null;
  /** Behind `i` or `a` of an operator or in visual. */
  readonly object: string | null;
}

const VERBS: ReadonlySet<string> = new Set([...'iaIAoOxXDCsSY~rJpPuvV.', 'ctrl+r', 'delete']);
const OBJECTS = 'wWpbB()[]{}<>"\'`';

/** `more`: it goes on. `unknown`: there is no such command. */
function parse(keys: readonly string[], isVisual = false): Command | 'more' | 'unknown' {
  let at = 0;
  let register: string | null = null;
  let count: number | null = null;
  const number = (): void => {
    let digits = '';
    while (/^[1-9]$/.test(keys[at] ?? '') || (digits !== '' && keys[at] === '0')) digits += keys[at++];
    if (digits !== '') count = Math.min(COUNT_LIMIT, (count ?? 1) * Number(digits.slice(0, 5)));
  };
  number();
  if (keys[at] === '"') {
    if (keys.length === at + 1) return 'more';
    register = /^[a-zA-Z"]$/.test(keys[at + 1] ?? '') ? (keys[at + 1] ?? null) : null;
    if (register === '"') register = null;
    at += 2;
    number();
  }
  const word = (): string | null => {
    const key = keys[at];
    if (key === undefined) return null;
    at += 1;
    if (key !== 'g') return key;
    const second = keys[at++];
    return second === undefined ? null : `g${second}`;
  };
  let verb = word();
  if (verb === null) return 'more';
  let operator: string | null = null;
  if (OPERATORS.has(verb) && !isVisual) {
    operator = verb;
    number();
    verb = word();
    if (verb === null) return 'more';
  }
  let character: string | null = null;
  let object: string | null = null;
  if ((operator !== null || isVisual) && (verb === 'i' || verb === 'a')) {
    object = keys[at++] ?? null;
    if (object === null) return 'more';
    if (!OBJECTS.includes(object)) return 'unknown';
  } else if (FIRST_KEYS.has(verb) && verb !== 'g' && verb !== 'z') {
    if (verb === '"' || (operator !== null && verb === 'r')) return 'unknown';
    character = keys[at++] ?? null;
    if (character === null) return 'more';
  }
  const isDoubled =
    operator !== null && (verb === operator || (operator.startsWith('g') && verb === operator.slice(1)));
  const isKnown =
    object !== null ||
    isDoubled ||
    MOTION_KEYS.has(verb) ||
    'fFtT'.includes(verb) ||
    (operator === null && VERBS.has(verb)) ||
    (isVisual && (OPERATORS.has(verb) || 'Uu'.includes(verb)));
  return isKnown ? { register, count, operator, verb, character, object } : 'unknown';
}

function isKeyName(key: string): boolean {
  return /^[a-z][a-zA-Z0-9]+$|^.+\+.+$/.test(key);
}

function splice(text: string, from: number, to: number, put: string): string {
  return text.slice(0, from) + put + text.slice(to);
}

/** Behind as many clusters, within the line. @param whole true: none if there are not as many */
function forward(places: Positions, at: number, times: number, whole = false): number {
  const end = places.lineEnd(at);
  let place = at;
  for (let left = times; left > 0; left--) {
    if (place >= end) return whole ? at : place;
    place = places.next(place);
  }
  return place;
}

function* clustersBetween(places: Positions, from: number, to: number): Generator<string> {
  for (let place = from; place < to; place = places.next(place)) yield places.text.slice(place, places.next(place));
}

function lineEndAfter(places: Positions, at: number, times: number): number {
  const line = Math.min(places.lineOf(at) + times - 1, places.lineCount - 1);
  return places.lineEnd(places.startOfLine(line) ?? at);
}

function linesFrom(places: Positions, at: number, times: number): Range {
  return { start: places.lineStart(at), end: lineEndAfter(places, at, times), isLines: true };
}

function changedWord(places: Positions, at: number, verb: 'w' | 'W', times: number): Range {
  const big = verb === 'W';
  let end = at;
  for (let left = times; left > 0; left--) {
    while (end < places.text.length && left < times && places.classAt(end, big) === 'blank') end = places.next(end);
    const kind = places.classAt(end, big);
    while (end < places.text.length && places.text[end] !== '\n' && places.classAt(end, big) === kind)
      end = places.next(end);
  }
  return { start: at, end, isLines: false };
}

/** What an operator takes with a motion. */
function spanned(places: Positions, at: number, { to, reach }: Motion, isWord: boolean): Range {
  const [start, end] = at <= to ? [at, to] : [to, at];
  if (reach === 'lines') return { start: places.lineStart(start), end: places.lineEnd(end), isLines: true };
  if (reach === 'inclusive') return { start, end: places.text[end] === '\n' ? end : places.next(end), isLines: false };
  // The last word of a line does not take the next line along.
  if (isWord && places.lineOf(end) > places.lineOf(start)) {
    const before = places.text.slice(start, end);
    const fold = before.lastIndexOf('\n');
    if (before.slice(fold + 1).trim() === '' && fold > 0)
      return { start, end: start + before.search(/\n\s*$/), isLines: false };
  }
  return { start, end, isLines: false };
}

/** No range ends inside a mark or a cluster. */
function whole({ snap, next }: Positions, { start, end, isLines }: Range): Range {
  const last = snap(end);
  return { start: snap(start), end: last === end ? end : next(last), isLines };
}

const lowerCase = (text: string): string => text.toLowerCase();
const upperCase = (text: string): string => text.toUpperCase();
const otherCase = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());

/** Marks stay: their words are not text. */
function withCase(places: Positions, start: number, end: number, toCase: (cluster: string) => string): string {
  let changed = '';
  for (let at = start; at < end; at = places.next(at)) {
    const cluster = places.text.slice(at, places.next(at));
    changed += places.classAt(at, false) === 'mark' ? cluster : toCase(cluster);
  }
  return changed;
}

function joined(
  places: Positions,
  at: number,
  lines: number,
  change: (text: string, caret: number) => Draft,
): Draft | null {
  let { text } = places;
  let caret = at;
  for (let left = lines - 1; left > 0; left--) {
    const end = text.indexOf('\n', places.lineStart(at));
    if (end === -1) break;
    const rest = text.slice(end + 1).replace(/^[ \t]+/, '');
    const gap =
      rest === '' || rest.startsWith('\n') || /[ \t]$/.test(text.slice(0, end)) || end === places.lineStart(at)
        ? ''
        : ' ';
    text = text.slice(0, end) + gap + rest;
    caret = end;
  }
  return text === places.text ? null : change(text, caret);
}

function putAt(draft: Draft, places: Positions, register: Register, isBehind: boolean, times: number): Draft {
  const { text, caret: at } = draft;
  if (!register.isLines) {
    const place = isBehind && at < places.lineEnd(at) ? places.next(at) : at;
    const put = register.text.repeat(times);
    const changed = splice(text, place, place, put);
    return {
      text: changed,
      caret: put.includes('\n') ? place : Math.max(place, positionsIn(changed).previous(place + put.length)),
    };
  }
  const put = Array.from({ length: times }, () => register.text).join('\n');
  const place = isBehind ? places.lineEnd(at) : places.lineStart(at);
  const changed = isBehind ? splice(text, place, place, `\n${put}`) : splice(text, place, place, `${put}\n`);
  return { text: changed, caret: positionsIn(changed).firstNonBlank(isBehind ? place + 1 : place) };
}

/** What was written since inserting began; empty if something was taken away too. */
function insertedText(before: Draft, after: Draft): string {
  const head = before.text.slice(0, before.caret);
  const tail = before.text.slice(before.caret);
  if (after.text.length < before.text.length || !after.text.startsWith(head) || !after.text.endsWith(tail)) return '';
  return after.text.slice(head.length, after.text.length - tail.length);
}
