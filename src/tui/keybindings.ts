// Every action that a key starts, and which key: the defaults, and over them `keybindings.json` in the home folder. One rule: a
// file that is wrong costs the lines that are wrong, each of which is told, and never the way out.
import { isRecord } from '../util/json.js';
import { nearestWord } from '../util/text.js';

export const KEYBINDINGS_FILE = 'keybindings.json';

export interface Keybindings {
  /** The action of a key at a place; null if it has none. @param key as the terminal's input has it */
  actionOf(key: string, place: ActionPlace): ActionName | null;
  /** In the order of their declaration. */
  keysOf(name: ActionName): readonly string[];
  /** What of the file does not count, and why; a sentence each. */
  readonly problems: readonly string[];
}

/** Longer than any file that a person writes, characters. */
const LONGEST = 100_000;
/** Problems of one file that are told one by one. */
const MAX_TOLD = 10;

/** @param text of the file; null if there is none */
export function readKeybindings(text: string | null): Keybindings {
  const problems: string[] = [];
  const given = text === null ? {} : parse(text, problems);
  const chosen = new Map<ActionName, readonly string[]>();
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith('$')) continue; // `$schema`, for editors
    const keys = chosenKeys(name, value, problems);
    if (keys !== null) chosen.set(name as ActionName, keys);
  }
  const told =
    problems.length > MAX_TOLD ? [...problems.slice(0, MAX_TOLD), `${problems.length - MAX_TOLD} more.`] : problems;
  return bind(chosen, told);
}

function parse(text: string, problems: string[]): Readonly<Record<string, unknown>> {
  const fail = (why: string) => {
    problems.push(`${why} All keys are as by default.`);
    return {};
  };
  if (text.length > LONGEST) return fail(`it is longer than ${LONGEST} characters.`);
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, '') || '{}');
    return isRecord(value) ? value : fail('it must hold one object, such as { "transcript": "ctrl+o" }.');
  } catch (error) {
    return fail(`it is not JSON (${error instanceof Error ? error.message : String(error)}).`);
  }
}

function chosenKeys(name: string, value: unknown, problems: string[]): readonly string[] | null {
  const shown = JSON.stringify(name.slice(0, 60));
  if (!isActionName(name)) {
    const near = nearestWord(
      name.slice(0, 60),
      ACTIONS.map((action) => action.name),
    );
    problems.push(`there is no action ${shown}.${near === undefined ? ' ? lists them.' : ` Did you mean "${near}"?`}`);
    return null;
  }
  const action = ACTIONS.find((each) => each.name === name) as Action;
  if (action.isFixed === true) {
    problems.push(`"${name}" stays on ${action.keys.map(shownKey).join(', ')}.`);
    return null;
  }
  const given = value === null ? [] : Array.isArray(value) ? (value as unknown[]) : [value];
  const keys: string[] = [];
  for (const each of given) {
    const key = typeof each === 'string' ? keyName(each) : null;
    if (key === null)
      problems.push(`"${name}": ${JSON.stringify(each)?.slice(0, 60)} is not a key. Write it as "ctrl+o" or "f2".`);
    else if (!keys.includes(key)) keys.push(key);
  }
  // If every key is wrong, the action would be lost by a slip.
  return keys.length === 0 && given.length > 0 ? null : keys;
}

function bind(chosen: ReadonlyMap<ActionName, readonly string[]>, problems: readonly string[]): Keybindings {
  const told = [...problems];
  const byPlace: Record<ActionPlace, Map<string, ActionName>> = { prompt: new Map(), pager: new Map() };
  const keys = new Map<ActionName, string[]>(ACTIONS.map(({ name }) => [name, []]));
  const take = (action: Action & { readonly name: ActionName }, key: string, isChosen: boolean): void => {
    const taken = byPlace[action.place];
    const owner =
      taken.get(key) ?? [...taken].find(([each]) => sameByteAs(each) === key || sameByteAs(key) === each)?.[1];
    if (owner === undefined) {
      taken.set(key, action.name);
      keys.get(action.name)?.push(key);
    } else if (!isChosen) told.push(`${shownKey(key)} is "${owner}" now, and no longer "${action.name}".`);
    else if (taken.has(key)) told.push(`${shownKey(key)} cannot be "${action.name}": it is "${owner}" already.`);
    else
      told.push(`${shownKey(key)} cannot be "${action.name}": many terminals send the same for it as for "${owner}".`);
  };
  // What stays first, then what was chosen; a default gives way.
  for (const action of ACTIONS) if (isFixed(action)) for (const key of action.keys) take(action, key, false);
  for (const action of ACTIONS)
    if (chosen.has(action.name)) for (const key of chosen.get(action.name) ?? []) take(action, key, true);
  for (const action of ACTIONS)
    if (!isFixed(action) && !chosen.has(action.name)) for (const key of action.keys) take(action, key, false);
  return {
    // A capital letter is what older terminals send for Shift and the letter.
    actionOf: (key, place) => byPlace[place].get(/^[A-Z]$/.test(key) ? `shift+${key.toLowerCase()}` : key) ?? null,
    keysOf: (name) => keys.get(name) ?? [],
    problems: told,
  };
}

function isFixed(action: Action): boolean {
  return action.isFixed === true;
}

/** The list of keys, a line each: keys, and what they do. Actions without a key are commands too, and left out. */
export function keyList(
  bindings: Keybindings,
  place: ActionPlace,
): readonly { readonly keys: string; readonly does: string }[] {
  return ACTIONS.filter((action) => action.place === place && bindings.keysOf(action.name).length > 0).map(
    ({ name, does }) => ({ keys: bindings.keysOf(name).map(shownKey).join(', '), does }),
  );
}

// Names of keys as `keybindings.json` has them: `ctrl+r`, `shift+tab`, `f5`. One rule: two names of one key have one form,
// which is what the terminal's input is called too.

const MODIFIERS = ['shift', 'ctrl', 'alt', 'super'] as const;
type Modifier = (typeof MODIFIERS)[number];

const OTHER_MODIFIERS: Readonly<Record<string, Modifier>> = {
  control: 'ctrl',
  option: 'alt',
  meta: 'alt',
  cmd: 'super',
  command: 'super',
};

const SYMBOLS = '`-=[]\\;\',./!@#$%^&*()_|~{}:<>?"';

const SPECIAL = [
  'escape',
  'enter',
  'tab',
  'space',
  'backspace',
  'delete',
  'insert',
  'home',
  'end',
  'pageUp',
  'pageDown',
  'up',
  'down',
  'left',
  'right',
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
];

const OTHER_NAMES: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  page_up: 'pageUp',
  page_down: 'pageDown',
  pgup: 'pageUp',
  pgdn: 'pageDown',
};

/** What terminals without a newer keyboard protocol send for both. */
const SAME_BYTE: Readonly<Record<string, string>> = {
  'ctrl+i': 'tab',
  'ctrl+m': 'enter',
  'ctrl+[': 'escape',
  'ctrl+h': 'backspace',
};

/** The one form of a key's name; null if there is no such key. */
export function keyName(given: string): string | null {
  const text = given.trim();
  // The key itself may be a plus.
  const parts =
    text.endsWith('++') || text === '+' ? [...text.slice(0, -1).split('+').filter(Boolean), '+'] : text.split('+');
  const base = baseName(parts.pop() ?? '');
  const modifiers = parts.map(modifierName);
  if (base === null || modifiers.includes(null) || new Set(modifiers).size < modifiers.length) return null;
  // Who writes `ctrl+R` means the key, not the shift.
  const isUpper = parts.length === 0 && /^[A-Z]$/.test(text);
  return [...MODIFIERS.filter((each) => modifiers.includes(each) || (each === 'shift' && isUpper)), base].join('+');
}

/** The other key that older terminals cannot tell from this one; null if there is none. */
function sameByteAs(name: string): string | null {
  return Object.hasOwn(SAME_BYTE, name) ? (SAME_BYTE[name] ?? null) : null;
}

const SHOWN: Readonly<Record<string, string>> = {
  pageUp: 'PageUp',
  pageDown: 'PageDown',
  escape: 'Esc',
};

/** As people read it: `Ctrl-R`, `Shift-Tab`, `Esc`. */
export function shownKey(name: string): string {
  const parts =
    name === '+' || name.endsWith('++') ? [...name.slice(0, -1).split('+').filter(Boolean), '+'] : name.split('+');
  const base = parts.pop() ?? '';
  const isChar = base.length === 1;
  const shownBase = SHOWN[base] ?? (isChar && parts.length === 0 ? base : capital(base));
  return [...parts.map(capital), shownBase].join('-');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function modifierName(word: string): Modifier | null {
  const lower = word.trim().toLowerCase();
  const known = Object.hasOwn(OTHER_MODIFIERS, lower) ? OTHER_MODIFIERS[lower] : lower;
  return MODIFIERS.find((each) => each === known) ?? null;
}

function baseName(word: string): string | null {
  if (/^[a-zA-Z0-9]$/.test(word)) return word.toLowerCase();
  if (word.length === 1) return SYMBOLS.includes(word) || word === '+' ? word : null;
  const lower = word.toLowerCase();
  if (Object.hasOwn(OTHER_NAMES, lower)) return OTHER_NAMES[lower] ?? null;
  return SPECIAL.find((each) => each.toLowerCase() === lower) ?? null;
}

/** The places in which a key counts. What counts everywhere is at no other place. */
type ActionPlace = 'prompt' | 'pager';

interface Action {
  readonly name: string;
  readonly place: ActionPlace;
  /** In the form of `keyName`. */
  readonly keys: readonly string[];
  /** What it does, for people. */
  readonly does: string;
  /** True: its keys stay what they are, so that there is always a way out. */
  readonly isFixed?: true;
}

/** In the order of the list of keys. */
export const ACTIONS = [
  {
    name: 'send',
    place: 'prompt',
    keys: ['enter'],
    does: 'sends the prompt; while it works, it joins at the next step',
  },
  {
    name: 'queue',
    place: 'prompt',
    keys: ['tab'],
    does: 'while it works: queues the prompt for later; Up takes it back',
  },
  {
    name: 'newLine',
    place: 'prompt',
    keys: ['shift+enter', 'alt+enter', 'ctrl+j'],
    does: 'begins a new line; so does \\ before Enter',
  },
  {
    name: 'interrupt',
    place: 'prompt',
    keys: ['escape'],
    does: 'closes what is open, else interrupts; twice on an empty prompt: rewind',
    isFixed: true,
  },
  {
    name: 'clear',
    place: 'prompt',
    keys: ['ctrl+c'],
    does: 'clears the prompt, else interrupts; twice on an empty prompt: leaves',
    isFixed: true,
  },
  { name: 'leave', place: 'prompt', keys: ['ctrl+d'], does: 'twice on an empty prompt: leaves' },
  { name: 'historySearch', place: 'prompt', keys: ['ctrl+r'], does: 'searches earlier prompts' },
  { name: 'transcript', place: 'prompt', keys: ['ctrl+o'], does: 'shows the whole conversation' },
  { name: 'tasks', place: 'prompt', keys: ['ctrl+t'], does: 'shows what runs in the background, and the todos' },
  { name: 'externalEditor', place: 'prompt', keys: ['ctrl+g'], does: 'edits the prompt in $VISUAL or $EDITOR' },
  { name: 'pasteImage', place: 'prompt', keys: ['ctrl+v'], does: 'adds the image of the clipboard' },
  { name: 'undo', place: 'prompt', keys: ['ctrl+-'], does: 'takes back the last change of the prompt' },
  { name: 'nextMode', place: 'prompt', keys: ['shift+tab'], does: 'changes the permission mode' },
  { name: 'background', place: 'prompt', keys: ['ctrl+b'], does: 'sends what runs to the background' },
  { name: 'redraw', place: 'prompt', keys: ['ctrl+l'], does: 'shows the last turns again, at this width' },
  { name: 'suspend', place: 'prompt', keys: ['ctrl+z'], does: 'suspends Turnwright; `fg` brings it back' },
  { name: 'keys', place: 'prompt', keys: ['?'], does: 'on an empty prompt: shows this list' },
  { name: 'rewind', place: 'prompt', keys: [], does: 'chooses a prompt to go back to' },
  { name: 'sessions', place: 'prompt', keys: [], does: 'shows earlier sessions' },
  { name: 'model', place: 'prompt', keys: ['alt+p'], does: 'chooses the model' },
  { name: 'outputStyle', place: 'prompt', keys: [], does: 'chooses the output style' },
  { name: 'context', place: 'prompt', keys: [], does: 'shows what fills the context window' },
  { name: 'settings', place: 'prompt', keys: [], does: 'shows and changes settings' },
  { name: 'copy', place: 'prompt', keys: [], does: 'copies the last answer' },
  { name: 'pager.close', place: 'pager', keys: ['q', 'escape'], does: 'closes' },
  { name: 'pager.down', place: 'pager', keys: ['down', 'j'], does: 'one line down' },
  { name: 'pager.up', place: 'pager', keys: ['up', 'k'], does: 'one line up' },
  { name: 'pager.pageDown', place: 'pager', keys: ['pageDown', 'space', 'ctrl+f'], does: 'one page down' },
  { name: 'pager.pageUp', place: 'pager', keys: ['pageUp', 'b', 'ctrl+b'], does: 'one page up' },
  { name: 'pager.top', place: 'pager', keys: ['home', 'g'], does: 'to the top' },
  { name: 'pager.bottom', place: 'pager', keys: ['end', 'shift+g'], does: 'to the end' },
  { name: 'pager.search', place: 'pager', keys: ['/'], does: 'searches' },
  { name: 'pager.next', place: 'pager', keys: ['n'], does: 'next match' },
  { name: 'pager.previous', place: 'pager', keys: ['shift+n'], does: 'match before' },
  { name: 'pager.nextPrompt', place: 'pager', keys: [']', 'tab'], does: 'next prompt' },
  { name: 'pager.previousPrompt', place: 'pager', keys: ['[', 'shift+tab'], does: 'prompt before' },
] as const satisfies readonly Action[];

export type ActionName = (typeof ACTIONS)[number]['name'];

function isActionName(name: string): name is ActionName {
  return ACTIONS.some((action) => action.name === name);
}
