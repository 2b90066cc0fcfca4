// A copy of a session that goes its own way: every entry with a new uuid and the new session's id, each following what
// it followed before. The original is only read.
import type { Host, ReadHandle } from '../../host/host.js';
import { SessionError } from '../../protocol/errors.js';
import type { SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { linesForwards } from './forward-lines.js';
import { type EntryValue, parseLine } from './read-entry.js';
import { foldEntry, type SessionFacts, toSessionInfo } from './session-facts.js';
import { titleLineOf } from './session-metadata.js';
import type { SessionPlace } from './session-places.js';

export interface ForkOptions {
  /** Of the fork: a UUID that no session has. */
  readonly sessionId: string;
  /** The last entry of the original that the fork has, by its uuid. Default: all. */
  readonly upTo?: string;
  /** Default: the title of the original and " (fork)". */
  readonly title?: string;
}

/** Lines about the original that say nothing about the fork; undo history and queues stay with the original. */
const LEFT_BEHIND: ReadonlySet<unknown> = new Set([
  'custom-title',
  'ai-title',
  'tag',
  'last-prompt',
  'summary',
  'queue-operation',
  'file-history-snapshot',
]);

/** Characters of the original's title that go on in the fork's. */
const MAX_TITLE = 1_000;
/** Characters written at a time. */
const WRITE_CHARS = 1_000_000;

/**
 * Writes a fork beside its original.
 * Contract: the new transcript has its name only when it is whole and on the disk; its conversation is that of the
 * original up to and including `upTo`, with all branches. Of a compaction's boundary, what is before it.
 * @throws SessionError where `upTo` is not in the original, or that cannot be read; FileError where writing fails
 */
export async function forkTranscript(
  host: Host,
  from: SessionPlace,
  to: SessionPlace,
  options: ForkOptions,
): Promise<void> {
  const temporary = `${to.folder}/.turnwright-${host.ids.uuid()}.tmp`;
  const source = await host.fs.openRead(from.file);
  try {
    const { kind, size } = await source.stat();
    if (kind !== 'file') throw new SessionError('session_invalid', `${from.file} is not a file.`);
    try {
      await writeFork(host, temporary, forkedLines(source, size, createFork(host, from.sessionId, options)));
      await host.fs.rename(temporary, to.file);
    } catch (error) {
      await host.fs.remove(temporary).catch(() => undefined); // the failure is the thing to tell
      throw error;
    }
  } finally {
    await source.close();
  }
}

async function writeFork(host: Host, file: string, lines: AsyncIterable<EntryValue>): Promise<void> {
  const target = await host.fs.openAppend(file);
  try {
    let waiting = '';
    for await (const line of lines) {
      waiting += `${JSON.stringify(line)}\n`;
      if (waiting.length < WRITE_CHARS) continue;
      await target.append(waiting);
      waiting = '';
    }
    await target.append(waiting);
    await target.sync();
  } finally {
    await target.close();
  }
}

async function* forkedLines(source: ReadHandle, size: number, fork: Fork): AsyncGenerator<EntryValue> {
  reading: for await (const lines of linesForwards(source, size)) {
    for (const bytes of lines) {
      const parsed = parseLine({ text: null, bytes, isTooLong: false }, false);
      if (parsed.value === null) continue; // what the original cannot be read from is not copied
      const forked = fork.take(parsed.isLossy ? withoutSigned(parsed.value) : parsed.value);
      if (forked !== null) yield forked;
      if (fork.isDone) break reading;
    }
  }
  yield* fork.end();
}

/** A fork within a store. @throws SessionError where `upTo` is not in the original; whatever the store throws */
export async function forkInStore(
  host: Pick<Host, 'ids'>,
  store: SessionStore,
  key: { readonly projectKey: string; readonly sessionId: string },
  entries: readonly SessionStoreEntry[],
  options: ForkOptions,
): Promise<void> {
  const fork = createFork(host, key.sessionId, options);
  const copied: EntryValue[] = [];
  for (const entry of entries) {
    const forked = fork.take(entry);
    if (forked !== null) copied.push(forked);
    if (fork.isDone) break;
  }
  copied.push(...fork.end());
  await store.append({ projectKey: key.projectKey, sessionId: options.sessionId }, copied as SessionStoreEntry[]);
}

interface Fork {
  /** The entry as it stands in the fork; null for one that does not. Contract: in the order of the original. */
  take(entry: EntryValue): EntryValue | null;
  /** True once `upTo` was there: nothing more belongs to the fork. */
  readonly isDone: boolean;
  /** What stands at its end: the state that a resumed session goes on with, and the title. @throws SessionError */
  end(): readonly EntryValue[];
}

function createFork({ ids }: Pick<Host, 'ids'>, from: string, { sessionId, upTo, title }: ForkOptions): Fork {
  const uuids = new Map<string, string>();
  const renamed = (uuid: string): string => {
    const known = uuids.get(uuid);
    if (known !== undefined) return known;
    const fresh = ids.uuid();
    uuids.set(uuid, fresh);
    return fresh;
  };
  let facts: SessionFacts = {};
  let state: EntryValue | null = null;
  let isDone = false;
  // Before anything is written.
  if (title !== undefined) titleLineOf(sessionId, title);
  return {
    take(entry) {
      facts = foldEntry(facts, entry);
      if (entry.type === 'turnwright-state') state = withNewIds(entry, from, sessionId, renamed);
      if (typeof entry.uuid !== 'string' || entry.isSidechain === true || LEFT_BEHIND.has(entry.type)) return null;
      isDone = entry.uuid === upTo;
      if (isDone && entry.subtype === 'compact_boundary') return null;
      return {
        ...withNewIds(entry, from, sessionId, renamed),
        forkedFrom: { sessionId: from, messageUuid: entry.uuid },
      };
    },
    get isDone() {
      return isDone;
    },
    end() {
      if (upTo !== undefined && !isDone) {
        throw new SessionError(
          'session_invalid',
          `Session ${from} has no message ${upTo}, so it cannot be forked there.`,
        );
      }
      const named = title ?? `${titleOf(facts)} (fork)`;
      return [...(state === null ? [] : [state]), { ...titleLineOf(sessionId, named) }];
    },
  };
}

function titleOf(facts: SessionFacts): string {
  const info = toSessionInfo({ ...facts, isSidechain: false }, { sessionId: '', lastModified: 0 });
  return (info?.summary ?? 'Session').slice(0, MAX_TITLE);
}

/** Keys that name another entry, wherever they stand beside the message. */
const UUID_KEYS = [
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'leafUuid',
  'sourceToolAssistantUUID',
  'headUuid',
  'anchorUuid',
  'tailUuid',
];

function withNewIds(entry: EntryValue, from: string, to: string, renamed: (uuid: string) => string): EntryValue {
  const changed: Record<string, unknown> = { ...entry };
  for (const key of UUID_KEYS) {
    const uuid = changed[key];
    if (typeof uuid === 'string' && uuid !== '') changed[key] = renamed(uuid);
  }
  // What was written by another session keeps its id: readers take such an entry only where the conversation leads to it.
  for (const key of ['sessionId', 'session_id']) {
    if (isSameId(changed[key], from)) changed[key] = to;
  }
  for (const key of ['compactMetadata', 'preservedSegment']) {
    const inner = changed[key];
    if (typeof inner === 'object' && inner !== null) changed[key] = withNewIds(inner as EntryValue, from, to, renamed);
  }
  return changed;
}

function isSameId(value: unknown, sessionId: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === sessionId;
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
