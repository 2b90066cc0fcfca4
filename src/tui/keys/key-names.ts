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
export function sameByteAs(name: string): string | null {
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
