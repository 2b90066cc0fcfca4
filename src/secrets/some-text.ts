// Looks at the texts of a message, or of any JSON value. Rule: ids, signed thinking and the bytes of media are no texts.

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
export function isThinking(value: object): boolean {
  const { type } = value as Fields;
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Ids of a message and its blocks, and the bytes of media. */
export function isKept(key: string, parent: object, isBlock: boolean): boolean {
  return (isBlock && IDS.has(key)) || (key === 'data' && (parent as Fields).type === 'base64');
}

/** Known values are that long at least, in characters. */
export function mayBeSecret(key: string): boolean {
  return key.length >= 8;
}

/** As an address object does: what it holds is in no field of its own. */
export function saysItself(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function' && !ArrayBuffer.isView(value);
}
