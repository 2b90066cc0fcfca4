// A session of its own that begins as another one was: its lines with new ids, and everything that belongs to them. The
// other session is only read.
import path from 'node:path';
import { type AppendHandle, type Host, isFileError, removeIfThere } from '../../host/host.js';
import { UUID } from '../../util/text.js';
import type { SessionState } from '../config/index.js';
import { toStateLine } from './entry.js';
import { linesForwards } from './line-reader.js';
import { type EntryValue, isOfSession, parseBytes, parseLine } from './read-entry.js';
import { openTranscriptFile } from './read-transcript.js';
import { foldEntry, lastingTitle, type SessionFacts } from './session-facts.js';
import { ownPart, type SessionPlace } from './session-places.js';

export interface ForkPlan {
  readonly from: SessionPlace;
  /** Nothing stands there yet. */
  readonly to: SessionPlace;
  /** The line that the copy ends with, by its place in the file. Default: the last. */
  readonly upToAt?: number;
  /** What the fork goes on with. */
  readonly state: SessionState;
  /** The last entry of the conversation, by its id in the other session. */
  readonly lastUuid: string | null;
  /** Default: that of the other session, and "(fork)". */
  readonly title?: string;
}

/** Folders of a session whose content a fork has too. Spooled output is named by its path in the conversation. */
const CARRIED = ['subagents', 'blobs', 'checkpoints'] as const;

/**
 * Contract: the fork is there as a whole or not at all; damaged lines are not in it.
 * @returns how ids of the other session are spelled in this one
 * @throws FileError
 */
export async function copySession(host: Host, plan: ForkPlan): Promise<ForkMap> {
  const { from, to } = plan;
  const map = createForkMap(from.sessionId, to.sessionId);
  const aside = `${to.file}.fork`;
  try {
    for (const name of CARRIED) {
      const source = await ownPart(host, from.ownFolder, name);
      if (source !== null) await copyFolder(host, source, path.join(to.ownFolder, name), map);
    }
    await writeFork(host, plan, aside, map);
    await host.fs.rename(aside, to.file);
  } catch (error) {
    for (const left of [aside, to.ownFolder]) await removeIfThere(host, left).catch(() => undefined); // the error says it
    throw error;
  }
  return map;
}

async function writeFork(host: Host, { from, to, ...plan }: ForkPlan, file: string, map: ForkMap): Promise<void> {
  const target = await host.fs.openAppend(file);
  try {
    const facts = await copyLines(host, from, plan.upToAt ?? Number.POSITIVE_INFINITY, map, target);
    const customTitle = plan.title ?? `${lastingTitle(facts, from.sessionId)} (fork)`;
    const leafUuid = plan.lastUuid === null ? null : map.id(plan.lastUuid);
    const now = new Date(host.clock.now()).toISOString();
    const lines = [{ type: 'custom-title', customTitle }, toStateLine(plan.state, leafUuid, now)];
    await target.append(lines.map((line) => `${JSON.stringify({ ...line, sessionId: to.sessionId })}\n`).join(''));
    await target.sync();
  } finally {
    await target.close();
  }
}

async function copyLines(
  host: Pick<Host, 'fs'>,
  from: SessionPlace,
  upToAt: number,
  map: ForkMap,
  target: AppendHandle,
): Promise<SessionFacts> {
  let facts: SessionFacts = {};
  const { handle, size } = await openTranscriptFile(host, from.file);
  try {
    for await (const lines of linesForwards(handle, size)) {
      let text = '';
      for (const line of lines) {
        if (line.at > upToAt) break;
        const parsed = parseLine(line, false);
        if (parsed.value === null) continue;
        const value = parsed.isLossy ? withoutSigned(parsed.value) : parsed.value;
        facts = foldEntry(facts, value);
        const copy = lineOfFork(value, from.sessionId, map);
        if (copy !== null) text += `${JSON.stringify(copy)}\n`;
      }
      if (text !== '') await target.append(text);
      if ((lines.at(-1)?.at ?? 0) > upToAt) break;
    }
  } finally {
    await handle.close();
  }
  return facts;
}

/** What is signed must be byte for byte what the model gave, and this is not. */
function withoutSigned(entry: EntryValue): EntryValue {
  const message = entry.message as { content?: unknown } | null | undefined;
  if (entry.type !== 'assistant' || !Array.isArray(message?.content)) return entry;
  const content = message.content.filter(
    (block: { type?: unknown } | null) => block?.type !== 'thinking' && block?.type !== 'redacted_thinking',
  );
  return { ...entry, message: { ...message, content } };
}

/** Null for what belongs to the other session alone: its title, its tag, its cost. */
function lineOfFork(value: EntryValue, sessionId: string, map: ForkMap): EntryValue | null {
  if (typeof value.uuid === 'string') return map.entry(value);
  return isOfSession(value.sessionId, sessionId) && value.type === 'last-prompt' ? map.record(value) : null;
}

async function copyFolder(host: Host, from: string, to: string, map: ForkMap): Promise<void> {
  const entries = await host.fs.entries(from).catch((error: unknown) => {
    if (isFileError(error, 'ENOENT')) return [];
    throw error;
  });
  for (const { name, kind } of entries) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (kind === 'directory') await copyFolder(host, source, target, map);
    else if (kind === 'file' && name.endsWith('.jsonl')) await copyRecords(host, source, target, map);
    else if (kind === 'file') await copyFile(host, source, target, map);
  }
}

/** A line that is no record stays as it is: whoever reads the file must see that something is wrong with it. */
async function copyRecords(host: Host, from: string, to: string, map: ForkMap): Promise<void> {
  const source = await host.fs.openRead(from);
  const target = await host.fs.openAppend(to);
  try {
    const { size } = await source.stat();
    for await (const lines of linesForwards(source, size)) {
      for (const line of lines) {
        const { value } = parseLine(line, false);
        const bytes = line.isTooLong ? await source.read(line.at, line.length) : line.bytes;
        const text =
          value === null ? (line.text ?? new TextDecoder().decode(bytes)) : JSON.stringify(map.record(value));
        // Half a last line stays half a line.
        await target.append(line.at + line.length === size ? text : `${text}\n`);
      }
    }
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
}

async function copyFile(host: Host, from: string, to: string, map: ForkMap): Promise<void> {
  const bytes = await host.fs.readFile(from);
  const value = from.endsWith('.json') ? parseBytes(bytes) : null;
  await host.fs.createFile(to, value === null ? bytes : `${JSON.stringify(map.record(value))}\n`, { mode: 0o600 });
}

// An entry of one session as the entry of a fork of it: another session, other ids, the same words. Pure, and without a
// table of ids, so that it takes no memory however long the session is.

/** Maps values of one session to those of its fork. The same id always becomes the same id, and never that of another. */
interface ForkMap {
  id(uuid: string): string;
  /** An entry of the conversation: with new ids, and a note of where it comes from. */
  entry(value: EntryValue): EntryValue;
  /** Any other line or file of the session: only what names the session or an entry is changed. */
  record(value: EntryValue): EntryValue;
}

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
