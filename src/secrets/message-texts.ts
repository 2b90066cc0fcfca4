// The texts of a message, or of any JSON value, looked at and changed. Rule: ids, signed thinking and the bytes of media are no texts,
// and a value without a change is given back as it is.

type Fields = Readonly<Record<string, unknown>>;

/** Keys of a message and its blocks that hold no text. */
const IDS = new Set(['id', 'tool_use_id', 'type', 'role', 'model', 'signature', 'stop_reason', 'usage']);

/** @param isBlock true in a message and its blocks, in which the names of keys are known */
export function someText(value: unknown, isBlock: boolean, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => someText(item, isBlock, test));
  if (isBlock && isThinking(value)) return false;
  if (saysItself(value)) return someText(value.toJSON(), isBlock, test);
  for (const key in value) {
    if (isKept(key, value, isBlock)) continue;
    if (mayBeSecret(key) && test(key)) return true;
    if (someText((value as Fields)[key], isBlock && key !== 'input', test)) return true;
  }
  return false;
}

/** The same object if nothing changed. */
export function mapFields(value: Fields, change: (item: unknown, key: string) => unknown): Fields {
  let changed: Record<string, unknown> | null = null;
  for (const [key, item] of Object.entries(value)) {
    const next = change(item, key);
    if (next === item) continue;
    changed ??= { ...value };
    changed[key] = next;
  }
  return changed ?? value;
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

/** Known values are that long at least, in characters. */
function mayBeSecret(key: string): boolean {
  return key.length >= 8;
}

/** As an address object does: what it holds is in no field of its own. */
function saysItself(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function' && !ArrayBuffer.isView(value);
}

/** As `someText`, with a change of each text and of each long key. */
export function mapTexts(value: unknown, isBlock: boolean, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, isBlock, change));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (isBlock && isThinking(value)) return value;
  if (saysItself(value)) {
    const said = value.toJSON();
    const mapped = mapTexts(said, isBlock, change);
    return mapped === said ? value : mapped;
  }
  const renamed = renameKeys(value as Fields, change);
  return mapFields(renamed, (item, key) =>
    isKept(key, value, isBlock) ? item : mapTexts(item, isBlock && key !== 'input', change),
  );
}

function renameKeys(value: Fields, change: (text: string) => string): Fields {
  const keys = Object.keys(value);
  const renamed = keys.map((key) => (mayBeSecret(key) ? change(key) : key));
  if (renamed.every((key, index) => key === keys[index])) return value;
  return Object.fromEntries(renamed.map((key, index) => [key, value[keys[index] ?? '']]));
}
