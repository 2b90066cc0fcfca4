// An entry of one session as the entry of a fork of it: another session, other ids, the same words. Pure, and without a
// table of ids, so that it takes no memory however long the session is.
import type { EntryValue } from './read-entry.js';

/** Maps values of one session to those of its fork. The same id always becomes the same id, and never that of another. */
export interface ForkMap {
  id(uuid: string): string;
  /** An entry of the conversation: with new ids, and a note of where it comes from. */
  entry(value: EntryValue): EntryValue;
  /** Any other line or file of the session: only what names the session or an entry is changed. */
  record(value: EntryValue): EntryValue;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Keys whose value is the id of an entry, or a list of such. */
const NAMES_ENTRIES = /uuids?$|^messageid$|^target$/i;
/** What was said is the same in the fork, whatever stands in it. */
const WORDS: ReadonlySet<string> = new Set(['message', 'toolUseResult', 'content', 'attachment', 'lastPrompt']);
/** Digits that say which kind of UUID it is stay: they are the same for all. */
const KEPT = new Map([
  [12, 0x0],
  [16, 0x3],
]);

/** @param fromId @param toId the sessions' ids: UUIDs in lower case */
export function createForkMap(fromId: string, toId: string): ForkMap {
  const key = digitsOf(toId).map((digit, at) => digit & (KEPT.get(at) ?? 0xf));
  const id = (uuid: string): string => {
    if (!UUID.test(uuid)) return uuid;
    const hex = digitsOf(uuid)
      .map((digit, at) => (digit ^ (key[at] ?? 0)).toString(16))
      .join('');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  };
  const mapValue = (name: string, value: unknown): unknown => {
    if (typeof value === 'string') {
      if (name === 'sessionId' || name === 'session_id') return value.toLowerCase() === fromId ? toId : value;
      return NAMES_ENTRIES.test(name) ? id(value) : value;
    }
    if (Array.isArray(value)) return value.map((item) => mapValue(name, item));
    return typeof value === 'object' && value !== null ? mapObject(value as EntryValue) : value;
  };
  const mapObject = (value: EntryValue): EntryValue =>
    Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, WORDS.has(name) ? item : mapValue(name, item)]),
    );
  return {
    id,
    record: mapObject,
    entry(value) {
      const { uuid } = value;
      const { forkedFrom: _earlier, ...rest } = mapObject(value);
      return { ...rest, forkedFrom: { sessionId: fromId, messageUuid: uuid } };
    },
  };
}

function digitsOf(uuid: string): number[] {
  return Array.from(uuid.replaceAll('-', ''), (digit) => Number.parseInt(digit, 16));
}
