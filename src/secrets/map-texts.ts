// Changes the texts of a message, or of any JSON value. Rule: a value without a change is given back as it is.
import { isKept, isThinking, mapFields, mayBeSecret, saysItself } from './some-text.js';

type Fields = Readonly<Record<string, unknown>>;

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
