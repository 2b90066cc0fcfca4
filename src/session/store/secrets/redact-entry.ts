// Takes secrets out of an entry before it is written. What most entries cost is a look at their strings; signed
// thinking, ids and the bytes of media are never touched.

import type { TranscriptEntry } from '../entry.js';
import type { SecretFinder } from './find-secrets.js';
import { hasLongRun, isLong } from './long-runs.js';

export interface Redactor {
  /** The entry without secrets; the very same where there are none. */
  clean(entry: TranscriptEntry): TranscriptEntry | Promise<TranscriptEntry>;
  /** What was taken out since the last call, by kind. */
  takeCounts(): ReadonlyMap<string, number>;
}

/** A secret without a long word in it says what it is by one of these: few, as each is looked for in every text. */
const MARKERS = /PRIVATE KEY|AccountKey=|ccess_?[Kk]ey|Q~|whsec_|Basic [\w+/]{12}/;
/** The keys of an entry that hold what users, models and tools say. */
const SPOKEN = new Set(['message', 'toolUseResult', 'lastPrompt', 'customTitle', 'aiTitle', 'tag', 'state']);
/** Keys of a message and its blocks that hold no text. */
const IDS = new Set(['id', 'tool_use_id', 'type', 'role', 'model', 'signature', 'stop_reason', 'usage']);

/** @param values what is known to be secret, each with its kind */
export function createRedactor(values: ReadonlyMap<string, string>): Redactor {
  const secrets = [...values.keys()];
  // The others are looked for only in a text that has a long word.
  const short = secrets.filter((value) => !hasLongRun(value));
  let counts = new Map<string, number>();
  let finder: SecretFinder | null = null;

  const isMarked = (text: string): boolean => MARKERS.test(text) || short.some((value) => text.includes(value));
  const givesCause = (text: string): boolean =>
    (isLong(text) && hasLongRun(text)) || text.includes('://') || isMarked(text);
  const onFound = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);

  const redact = (entry: TranscriptEntry, found: SecretFinder): TranscriptEntry => {
    const isSecret = (text: string): boolean => found.suspects(text) || isMarked(text);
    if (!someSpoken(entry, isSecret)) return entry;
    return mapSpoken(entry, (text) => (isSecret(text) ? found.redact(text, onFound) : text));
  };

  return {
    clean(entry) {
      if (finder !== null) return redact(entry, finder);
      if (!someSpoken(entry, givesCause)) return entry;
      return import('./find-secrets.js').then(({ createSecretFinder }) => {
        finder ??= createSecretFinder(values);
        return redact(entry, finder);
      });
    },
    takeCounts() {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function someSpoken(entry: TranscriptEntry, test: (text: string) => boolean): boolean {
  for (const [key, value] of Object.entries(entry)) {
    if (SPOKEN.has(key) && someString(value, key === 'message', test)) return true;
  }
  return false;
}

function mapSpoken(entry: TranscriptEntry, change: (text: string) => string): TranscriptEntry {
  return mapFields(entry as unknown as Fields, (value, key) =>
    SPOKEN.has(key) ? mapStrings(value, key === 'message', change) : value,
  ) as unknown as TranscriptEntry;
}

/** @param isBlock true in a message and its blocks, where the names of keys are known */
function someString(value: unknown, isBlock: boolean, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => someString(item, isBlock, test));
  if (isBlock && isThinking(value)) return false;
  for (const key in value) {
    if (isKept(key, value, isBlock)) continue;
    if (isLong(key) && test(key)) return true;
    if (someString((value as Fields)[key], isBlock && key !== 'input', test)) return true;
  }
  return false;
}

function mapStrings(value: unknown, isBlock: boolean, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapStrings(item, isBlock, change));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (isBlock && isThinking(value)) return value;
  const renamed = renameKeys(value as Fields, change);
  return mapFields(renamed, (item, key) =>
    isKept(key, value, isBlock) ? item : mapStrings(item, isBlock && key !== 'input', change),
  );
}

/** Signed: it goes back as it came. */
function isThinking(value: object): boolean {
  const { type } = value as Fields;
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Ids of a message and its blocks, and the bytes of media. */
function isKept(key: string, parent: object, isBlock: boolean): boolean {
  return (isBlock && IDS.has(key)) || (key === 'data' && (parent as Fields).type === 'base64');
}

/** The same object where nothing changed. */
function mapFields(value: Fields, change: (item: unknown, key: string) => unknown): Fields {
  let changed: Record<string, unknown> | null = null;
  for (const [key, item] of Object.entries(value)) {
    const next = change(item, key);
    if (next === item) continue;
    changed ??= { ...value };
    changed[key] = next;
  }
  return changed ?? value;
}

function renameKeys(value: Fields, change: (text: string) => string): Fields {
  const keys = Object.keys(value);
  const renamed = keys.map((key) => (isLong(key) ? change(key) : key));
  if (renamed.every((key, index) => key === keys[index])) return value;
  return Object.fromEntries(renamed.map((key, index) => [key, value[keys[index] ?? '']]));
}
