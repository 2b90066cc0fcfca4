// The lines of a checkpoint journal, and the check that a line read back is one. A rewind writes where they say, so
// nothing is taken on trust.
import path from 'node:path';
import type { Image, LostReason } from './image.js';
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
  return isObject(value) && isRecord(value) ? (value as unknown as JournalRecord) : null;
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: Fields): boolean {
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
  if (!isObject(value)) return false;
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

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, isItem: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));
}
