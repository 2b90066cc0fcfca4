// Which key starts which action: the defaults, and over them `keybindings.json` in the home folder. One rule: a file that is
// wrong costs the lines that are wrong, each of which is told, and never the way out.
import { isRecord } from '../../util/is-record.js';
import { nearestWord } from '../../util/nearest.js';
import { ACTIONS, type Action, type ActionName, type ActionPlace, isActionName } from './actions.js';
import { keyName, sameByteAs, shownKey } from './key-names.js';

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
