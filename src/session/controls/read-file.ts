// A file of the workspace, for a client that shows it to a person. One rule: it is the file that was decided on, inside
// the workspace with every link resolved, and one that no rule keeps from being read.
import path from 'node:path';
import { isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import type { SDKControlFileSuggestionsResponse, SDKControlReadFileResponse } from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import { runRipgrep } from '../../tools/shared/index.js';
import { toBase64 } from '../../util/bytes.js';
import { type ListedFile, rankFiles, withFolders } from '../../util/rank-files.js';
import type { Session, SessionRuntime } from '../core/index.js';

export interface ReadFileOptions {
  readonly maxBytes?: number;
  readonly encoding?: 'utf-8' | 'base64';
}

/** Bytes, if the caller names none. */
const USUAL_BYTES = 1024 * 1024;
/** However much is asked for. */
const MOST_BYTES = 32 * 1024 * 1024;
/** A byte of a character that began before it. */
const isContinued = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Null if it may not or cannot be read. @throws ConfigError if the arguments cannot be used */
export async function readFile(
  { host, config }: Session,
  { gate, hiddenFiles }: SessionRuntime,
  file: string,
  { maxBytes = USUAL_BYTES, encoding }: ReadFileOptions = {},
): Promise<SDKControlReadFileResponse | null> {
  if (typeof file !== 'string' || file === '' || file.includes('\0'))
    throw new ConfigError('readFile takes the path of a file.');
  if (!Number.isInteger(maxBytes) || maxBytes < 0)
    throw new ConfigError(`maxBytes is ${String(maxBytes)}. Give a whole number of at least 0.`);
  if (encoding !== undefined && encoding !== 'utf-8' && encoding !== 'base64')
    throw new ConfigError(`encoding is ${JSON.stringify(encoding)}. Give utf-8 or base64.`);
  const absPath = path.resolve(config.cwd, file);
  try {
    const located = await host.fs.locate(absPath);
    if (located.stat?.kind !== 'file') return null;
    const roots = gate.rules?.roots ?? [await host.fs.realpath(config.cwd)];
    if (!roots.some((root) => isInside(root, located.realPath))) return null;
    if (gate.rules?.deny.some((rule) => rule.content === null && rule.toolName === 'Read')) return null;
    const isHidden = await hiddenFiles?.(null);
    if (isHidden != null && (isHidden(absPath) || isHidden(located.realPath))) return null;
    const handle = await host.fs.openLocated(located);
    try {
      const most = Math.min(maxBytes, MOST_BYTES);
      const bytes = await handle.read(0, most + 1);
      return answer(absPath, bytes, most, encoding);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // not there, out of reach, or another one by now: there is nothing to show
    throw error;
  }
}

/** What is no text is given as base64, whatever was asked for: half of it as text would be of no use. */
function answer(
  absPath: string,
  bytes: Uint8Array,
  most: number,
  encoding: ReadFileOptions['encoding'],
): SDKControlReadFileResponse {
  const isLonger = bytes.length > most;
  const shown = bytes.subarray(0, most);
  const truncated = isLonger ? { truncated: true } : {};
  const text = encoding === 'base64' ? null : textOf(shown, isLonger ? bytes : null);
  if (text === null) return { contents: toBase64(shown), absPath, ...truncated, encoding: 'base64' };
  return { contents: text, absPath, ...truncated };
}

/** Null for what is no UTF-8. @param whole one byte more, if the text was cut: a character is not cut in two */
function textOf(bytes: Uint8Array, whole: Uint8Array | null): string | null {
  let end = bytes.length;
  if (whole !== null) while (end > 0 && isContinued(whole[end])) end -= 1;
  const kept = bytes.subarray(0, end);
  if (kept.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(kept);
  } catch {
    return null; // another encoding, or no text at all
  }
}

// Says that the model knows a file, so that it can be edited without another look. One rule: a file that changed since
// stays unknown.

/** @throws ConfigError if the arguments cannot be used */
export async function seedReadState({ host, config }: Session, file: string, mtime: number): Promise<void> {
  if (typeof file !== 'string' || file === '' || file.includes('\0'))
    throw new ConfigError('seedReadState takes the path of a file and the time it was changed at.');
  if (typeof mtime !== 'number' || !Number.isFinite(mtime))
    throw new ConfigError(`mtime is ${String(mtime)}. Give milliseconds since 1970.`);
  try {
    const { realPath, stat } = await host.fs.locate(path.resolve(config.cwd, file));
    if (stat?.kind !== 'file' || Math.floor(stat.mtimeMs) > mtime) return;
    // A copy or a new name changes the other time, and not what the file holds.
    config.readFileCache.set(realPath, { hash: null, seenAtMs: Math.max(mtime, Math.floor(stat.ctimeMs)) });
  } catch (error) {
    if (!isFileError(error)) throw error; // gone, or out of reach: there is nothing to know
  }
}

// Files that fit what somebody types behind `@`, for a client that shows them as the terminal does. Loaded with the first
// question. One rule: as Glob, nothing that a rule hides from Read.

/** What a window shows. */
const MOST = 40;
const MOST_FILES = 100_000;
const DEADLINE_MS = 5_000;

/** @throws ConfigError; ToolError if files cannot be listed */
export async function fileSuggestions(
  { host }: Session,
  { loop }: SessionRuntime,
  query: string,
  signal: AbortSignal,
): Promise<SDKControlFileSuggestionsResponse> {
  if (typeof query !== 'string') throw new ConfigError('suggestFiles takes what is typed, a text.');
  const context = loop.toolContext(host.ids.uuid(), signal);
  const hides = (await context.hiddenFiles?.(context.cwd)) ?? null;
  const names: string[] = [];
  await runRipgrep(
    {
      arguments: ['--files', '--hidden', '--null', '--no-messages', '--glob', '!.git', '--', './'],
      cwd: context.cwd,
      separator: 'nul',
      deadlineMs: DEADLINE_MS,
      onRecord(record) {
        const name = record.startsWith('./') ? record.slice(2) : record;
        if (!/[\p{Cc}"\ufffd]/u.test(name) && hides?.(path.join(context.cwd, name)) !== true) names.push(name);
        return names.length < MOST_FILES;
      },
    },
    context,
  );
  const files: readonly ListedFile[] = withFolders(names, false, new Set());
  return {
    suggestions: rankFiles(files, query, MOST).map((file) => ({
      path: file.path,
      type: file.path.endsWith('/') ? 'directory' : 'file',
    })),
  };
}
