// The checkpoint journal of a session: one JSON object a line, appended, never rewritten; and what it tells of each path. What
// was there before a call is in it before the call runs. A rewind writes where its lines say, so nothing that is read back is
// taken on trust.

import path from 'node:path';
import { type AppendHandle, type Host, isFileError } from '../../host/host.js';
import { isRecord } from '../../util/json.js';
import { ownPart } from '../store/index.js';
import { type Image, isSameImage, type LostReason } from './image.js';
import type { Gap } from './not-covered.js';

/** Paths are absolute, with every link on the way resolved. Times are ISO 8601. */
export type JournalRecord =
  /** Everything from here on belongs to this prompt: the state before is what a rewind to it restores. */
  | { readonly type: 'prompt'; readonly uuid: string; readonly at: string }
  /** The same for a rewind, which can be taken back like a prompt. */
  | { readonly type: 'rewind'; readonly uuid: string; readonly target: string; readonly at: string }
  /** A call is about to run. `paths`: what it will change; null: it may change anything in the workspace. */
  | { readonly type: 'open'; readonly call: string; readonly tool: string; readonly paths: readonly OpenPath[] | null }
  /** The call ran. A path that stayed as it was is not in it. */
  | {
      readonly type: 'close';
      readonly call: string;
      readonly changes: readonly Change[];
      readonly gaps: readonly Gap[];
    }
  /** The session went on without checkpoints. */
  | { readonly type: 'pause'; readonly at: string }
  /** What calls that still run have changed so far. */
  | { readonly type: 'changes'; readonly changes: readonly Change[]; readonly gaps: readonly Gap[] };

export interface OpenPath {
  readonly path: string;
  readonly before: Image;
  readonly lost?: LostReason;
  /** What a rewind is about to make of it. */
  readonly planned?: Image;
}

export interface Change {
  readonly path: string;
  readonly before: Image;
  /** Null if the process ended before it could be told. */
  readonly after: Image | null;
  /** Why the content of `before` is not kept. */
  readonly lost?: LostReason;
}

/** Null for what is no record of a journal. */
export function parseRecord(line: string): JournalRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null; // the caller counts it
  }
  return isRecord(value) && isJournalRecord(value) ? (value as unknown as JournalRecord) : null;
}

type Fields = Readonly<Record<string, unknown>>;

function isJournalRecord(value: Fields): boolean {
  switch (value.type) {
    case 'prompt':
      return isText(value.uuid) && isText(value.at);
    case 'rewind':
      return isText(value.uuid) && isText(value.target) && isText(value.at);
    case 'pause':
      return isText(value.at);
    case 'open':
      return isText(value.call) && isText(value.tool) && (value.paths === null || isListOf(value.paths, isOpenPath));
    case 'close':
      return isText(value.call) && isListOf(value.changes, isChange) && isListOf(value.gaps, isGap);
    case 'changes':
      return isListOf(value.changes, isChange) && isListOf(value.gaps, isGap);
    default:
      return false;
  }
}

function isOpenPath(value: Fields): boolean {
  return isPath(value.path) && isImage(value.before) && (value.planned === undefined || isImage(value.planned));
}

function isChange(value: Fields): boolean {
  return isPath(value.path) && isImage(value.before) && (value.after === null || isImage(value.after));
}

function isGap(value: Fields): boolean {
  return isText(value.reason) && (value.path === null || isText(value.path));
}

function isImage(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value.kind) {
    case 'absent':
    case 'other':
      return true;
    case 'file':
      return isMode(value.mode) && isNumber(value.size) && isText(value.hash) && /^[0-9a-f]{64}$/.test(value.hash);
    case 'unread':
      return isMode(value.mode) && [value.size, value.mtimeMs, value.ctimeMs, value.inode].every(isNumber);
    case 'symlink':
      return isText(value.target) && !value.target.includes('\0');
    case 'directory':
      return isMode(value.mode);
    default:
      return false;
  }
}

/** Absolute, and the shortest way to write it. */
function isPath(value: unknown): boolean {
  return isText(value) && path.isAbsolute(value) && path.resolve(value) === value && !value.includes('\0');
}

function isMode(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0o7777;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf(value: unknown, isItem: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isRecord(item) && isItem(item));
}

export interface Journal {
  /**
   * Appends lines. What could not be written is kept and written before the next one.
   * @throws FileError if not everything is in the file now
   */
  append(record: JournalRecord): Promise<void>;
  /** Contract: everything appended is on the disk when this resolves. @throws FileError */
  sync(): Promise<void>;
  /** Everything so far, what could not be written yet included. @throws FileError */
  read(): Promise<ReadJournal>;
  close(): Promise<void>;
}

interface ReadJournal {
  readonly records: readonly JournalRecord[];
  /** Lines that could not be read. Half a line, as a crash leaves it, does not count. */
  readonly damaged: number;
}

const TORN = '{"type":"torn"}';
/** Ends half a line, and says that it is one: nothing is missing but what a crash kept from being written. */
const TORN_END = `\n${TORN}\n`;

/**
 * Contract: `read` comes before the first `append`.
 * @param file absolute; made with the first line
 */
export function createJournal({ fs }: Pick<Host, 'fs'>, file: string): Journal {
  let handle: AppendHandle | null = null;
  let isDirty = false;
  /** The file ends with half a line. */
  let isTorn = false;
  const backlog: JournalRecord[] = [];

  const flush = async (): Promise<void> => {
    while (backlog.length > 0) {
      handle ??= await fs.openAppend(file);
      const line = JSON.stringify(backlog[0]);
      const lead = isTorn ? TORN_END : '';
      isTorn = true;
      await handle.append(`${lead}${line}\n`);
      isTorn = false;
      isDirty = true;
      backlog.shift();
    }
  };

  return {
    async append(record) {
      backlog.push(record);
      await flush();
    },
    async sync() {
      await flush();
      if (!isDirty) return;
      await handle?.sync();
      isDirty = false;
    },
    async read() {
      const { text, records, damaged } = await readJournal(fs, file);
      isTorn = text !== '' && !text.endsWith('\n');
      return { records: [...records, ...backlog], damaged };
    },
    async close() {
      const open = handle;
      handle = null;
      await open?.close();
    },
  };
}

async function readJournal(fs: Host['fs'], file: string): Promise<ReadJournal & { readonly text: string }> {
  let bytes: Uint8Array;
  try {
    bytes = await fs.readFile(file);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return { text: '', records: [], damaged: 0 };
    throw error;
  }
  const text = new TextDecoder().decode(bytes);
  // What follows the last line end was not written whole.
  const lines = text.split('\n').slice(0, -1);
  const records: JournalRecord[] = [];
  let damaged = 0;
  for (const [index, line] of lines.entries()) {
    if (line === '' || line === TORN || lines[index + 1] === TORN) continue;
    const record = parseRecord(line);
    if (record === null) damaged += 1;
    else records.push(record);
  }
  return { text, records, damaged };
}

export interface Story {
  /** The state at the checkpoint. */
  readonly target: Image;
  /** Why the content of `target` is not kept. */
  readonly lost: LostReason | null;
  /** What the agent's last change made of it. More than one if a call ended with the process. */
  readonly expected: readonly Image[];
  /** Somebody else changed it between two changes of the agent. */
  readonly isBroken: boolean;
  /** A call that could change it ended with the process. */
  readonly isInterrupted: boolean;
}

export interface Stories {
  /** By path. */
  readonly paths: ReadonlyMap<string, Story>;
  readonly gaps: readonly Gap[];
  /** Calls that could change anything, and not only one file. */
  readonly commands: number;
}

/** Null if there is no checkpoint of that id. */
export function storiesSince(records: readonly JournalRecord[], uuid: string): Stories | null {
  const start = checkpointIndex(records, uuid);
  if (start === -1) return null;
  const since = records.slice(start);
  const closed = new Set(since.flatMap((record) => (record.type === 'close' ? [record.call] : [])));
  const paths = new Map<string, Story>();
  const gaps: Gap[] = [];
  let commands = 0;
  for (const record of since) {
    if (record.type === 'pause') gaps.push({ path: null, reason: 'not_recorded' });
    if (record.type === 'open') {
      if (record.paths === null) commands += 1;
      if (closed.has(record.call)) continue;
      if (record.paths === null) gaps.push({ path: null, reason: 'interrupted' });
      for (const { path, before, lost, planned } of record.paths ?? []) {
        const change: Change = { path, before, after: null, ...(lost === undefined ? {} : { lost }) };
        paths.set(path, goOn(paths.get(path), change, planned));
      }
    }
    if (record.type === 'close' || record.type === 'changes') {
      gaps.push(...record.gaps);
      for (const change of record.changes) paths.set(change.path, goOn(paths.get(change.path), change));
    }
  }
  return { paths, gaps, commands };
}

/** Where the checkpoint stands; -1 if there is none of that id. */
export function checkpointIndex(records: readonly JournalRecord[], uuid: string): number {
  return records.findLastIndex(
    (record) => (record.type === 'prompt' || record.type === 'rewind') && record.uuid === uuid,
  );
}

function goOn(story: Story | undefined, { before, after, lost }: Change, planned?: Image): Story {
  const expected = after === null ? [before, ...(planned === undefined ? [] : [planned])] : [after];
  if (story === undefined) {
    return { target: before, lost: lost ?? null, expected, isBroken: false, isInterrupted: after === null };
  }
  const follows = story.expected.some((image) => isSameImage(image, before));
  return {
    ...story,
    expected,
    isBroken: story.isBroken || !follows,
    // If it is known again what it was, the interruption changed nothing.
    isInterrupted: after === null || (story.isInterrupted && !follows),
  };
}

// Which files each prompt of a session changed, as its checkpoints tell it. Only reads.

/**
 * Absolute paths by the uuid of the prompt, sorted; empty for a session without checkpoints.
 * @param ownFolder of the session, beside its transcript
 * @throws FileError if they cannot be read
 */
export async function filesByPrompt(
  host: Pick<Host, 'fs'>,
  ownFolder: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = await ownPart(host, ownFolder, 'checkpoints');
  if (folder === null) return new Map();
  const journal = createJournal(host, path.join(folder, 'journal.jsonl'));
  const { records } = await journal.read();
  const found = new Map<string, Set<string>>();
  let current = new Set<string>();
  for (const record of records) {
    // What a rewind changes is no prompt's.
    if (record.type === 'prompt' || record.type === 'rewind') current = new Set();
    if (record.type === 'prompt') found.set(record.uuid, current);
    for (const file of pathsOf(record)) current.add(file);
  }
  return new Map([...found].map(([uuid, files]) => [uuid, [...files].sort()]));
}

function pathsOf(record: JournalRecord): readonly string[] {
  return record.type === 'close' || record.type === 'changes' ? record.changes.map((change) => change.path) : [];
}
