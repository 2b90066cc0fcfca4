// The workspace of a session that runs, for a client: folders are added, a file is read or found by a part of its name, instruction
// files are listed and noted in. One rule: what is read is the file that was decided on, and what is written is the user's own
// words, at the end of a file that stays as it is.

import path from 'node:path';
import {
  type InstructionFile,
  type Instructions,
  LOCAL_FILES,
  PROJECT_FILES,
} from '../../context/instructions/index.js';
import { createTokenEstimator } from '../../engine/tokens/index.js';
import { type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { restrictsTool } from '../../permissions/tool-rule.js';
import type {
  SDKControlAddDirectoriesResponse,
  SDKControlFileSuggestionsResponse,
  SDKControlReadFileResponse,
} from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import { runRipgrep } from '../../tools/shared/index.js';
import { toBase64 } from '../../util/bytes.js';
import { type ListedFile, rankFiles, withFolders } from '../../util/rank-files.js';
import { errorText } from '../../util/text.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { instructionsNow, systemPrompt } from '../prompt/index.js';
import { homeFolder } from '../store/index.js';

/** @throws ConfigError for what is no list of paths, and if the session has no permissions */
export async function addDirectories(
  { host, config }: Session,
  { gate, hooks }: SessionRuntime,
  directories: readonly string[],
): Promise<SDKControlAddDirectoriesResponse> {
  if (!Array.isArray(directories) || !directories.every((folder) => typeof folder === 'string'))
    throw new ConfigError('addDirectories takes a list of folders.');
  if (gate.rules === null)
    throw new ConfigError('This session has no permissions, so it has no workspace to add folders to.');
  const added: string[] = [];
  const failed: { readonly path: string; readonly error: string }[] = [];
  for (const given of directories) {
    const folder = path.resolve(config.cwd, homeless(given, host.platform.homedir));
    const problem = given === '' || given.includes('\0') ? 'it is no path' : await problemOf(folder);
    if (problem !== null) failed.push({ path: given, error: `${folder} cannot be added: ${problem}.` });
    else if (!gate.rules.roots.includes(folder) && !added.includes(folder)) added.push(folder);
  }
  if (added.length > 0) {
    const real = await Promise.all(added.map((folder) => host.fs.realpath(folder)));
    const roots = [...new Set([...added, ...real])];
    await gate.update([{ type: 'addDirectories', directories: roots, destination: 'session' }]);
    if (hooks.has('DirectoryAdded'))
      for (const directory of added) await hooks.run('DirectoryAdded', { directory, source: 'register_repo_root' });
  }
  const own = [config.cwd, await host.fs.realpath(config.cwd)];
  const links = await Promise.all(gate.rules.roots.map(async (root) => ({ root, real: await realOf(root) })));
  // A folder and what it is a link to are one.
  const isName = (root: string) => links.some((each) => each.root !== root && each.real === root);
  return {
    added,
    failed,
    directories: [...new Set(gate.rules.roots)].filter((root) => !own.includes(root) && !isName(root)),
  };

  async function problemOf(folder: string): Promise<string | null> {
    try {
      return (await host.fs.stat(folder)).kind === 'directory' ? null : 'it is not a folder';
    } catch (error) {
      if (isFileError(error, 'ENOENT')) return 'there is no such folder';
      if (isFileError(error)) return errorText(error);
      throw error;
    }
  }

  async function realOf(root: string): Promise<string> {
    try {
      return await host.fs.realpath(root);
    } catch (error) {
      if (isFileError(error)) return root; // removed since: it still counts under its name
      throw error;
    }
  }
}

/**
 * Adds a folder that lies in the workspace as the session began with it: a repository of its own, for example.
 * @throws ConfigError for any other, and one that counts already
 */
export async function registerRoot(session: Session, runtime: SessionRuntime, directory: string): Promise<void> {
  const { host, config } = session;
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0'))
    throw new ConfigError('registerRepoRoot takes a folder.');
  const real = async (folder: string) => host.fs.realpath(folder).catch(() => folder); // no folder, which is told below
  const folder = await real(path.resolve(config.cwd, homeless(directory, host.platform.homedir)));
  const began = [config.cwd, ...(config.additionalDirectories ?? [])].map((root) => path.resolve(config.cwd, root));
  const roots = await Promise.all(began.map(real));
  if (!roots.some((root) => folder.startsWith(root.endsWith(path.sep) ? root : root + path.sep)))
    throw new ConfigError(`${folder} does not lie below a folder that the session began with. Use addDirectories.`);
  if (runtime.gate.rules?.roots.includes(folder) === true)
    throw new ConfigError(`${folder} is a folder of the workspace already.`);
  const { failed } = await addDirectories(session, runtime, [folder]);
  if (failed[0] !== undefined) throw new ConfigError(failed[0].error);
}

function homeless(folder: string, homedir: string): string {
  return folder === '~' || folder.startsWith('~/') ? path.join(homedir, folder.slice(1)) : folder;
}

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
    if (gate.rules?.deny.some((rule) => restrictsTool(rule, 'Read'))) return null;
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

export type NoteScope = 'project' | 'local' | 'user';

export interface SessionInstructions {
  readonly files: readonly (Pick<InstructionFile, 'source' | 'file' | 'type' | 'reason'> & {
    /** What its text takes of a context, about. */
    readonly tokens: number;
  })[];
  /** Files that were told later, by source. */
  readonly later: readonly string[];
  /** Rules that wait for a file, with their patterns. */
  readonly waiting: readonly { readonly source: string; readonly globs: readonly string[] }[];
  readonly leftOut: Instructions['leftOut'];
}

export async function instructionFiles(session: Session, runtime: SessionRuntime): Promise<SessionInstructions> {
  const { memory } = session;
  const loaded =
    memory.loadedInstructions ?? (await systemPrompt(session, runtime, instructionsNow)).parts.instructions;
  const estimator = createTokenEstimator();
  return {
    files: loaded.files.map(({ source, file, type, reason, text }) => ({
      source,
      file,
      type,
      reason,
      tokens: estimator.text(text),
    })),
    later: [...(memory.laterInstructions?.told.keys() ?? [])],
    waiting: loaded.waiting.flatMap(({ rule, files }) => {
      const source = files.at(-1)?.source;
      return source === undefined ? [] : [{ source, globs: rule.globs }];
    }),
    leftOut: loaded.leftOut,
  };
}

const MAX_NOTE = 10_000;
/** What a file is called that holds instructions. */
const NOTED = [...PROJECT_FILES, ...LOCAL_FILES].map((name) => path.basename(name));

/** @returns the absolute file that the note stands in now. @throws ConfigError for a note that is none; FileError */
export async function addNote({ host, config }: Session, scope: NoteScope, note: string): Promise<string> {
  const text = note.trim();
  if (text === '' || text.length > MAX_NOTE)
    throw new ConfigError(`A note has 1 to ${MAX_NOTE.toLocaleString('en-US')} characters.`);
  const folder = scope === 'user' ? homeFolder(host, { ...host.env, ...config.env }) : config.cwd;
  const names = scope === 'local' ? LOCAL_FILES : PROJECT_FILES.slice(0, 2);
  const files = names.map((name) => path.join(folder, name));
  const stats = await host.fs.lstatAll(files);
  const file = files.find((_, at) => stats[at] != null) ?? files[0] ?? folder;
  const { realPath } = await host.fs.locate(file);
  const isOwn = isInside(await host.fs.realpath(config.cwd), realPath) || NOTED.includes(path.basename(realPath));
  // A link that a repository brings along must not make us write somewhere else.
  if (scope !== 'user' && !isOwn)
    throw new ConfigError(`${file} is a link to another place, so nothing is noted there.`);
  const before = await readWhole(host, file);
  const line = text.includes('\n') ? text : `- ${text}`;
  const gap = before === '' ? '' : before.endsWith('\n') ? '' : '\n';
  if (scope === 'user') await host.fs.mkdir(folder, { mode: 0o700 });
  await host.fs.writeFileAtomic(file, `${before}${gap}${line}\n`);
  return file;
}

async function readWhole({ fs }: Pick<Host, 'fs'>, file: string): Promise<string> {
  try {
    const handle = await fs.openRead(file);
    try {
      const { size } = await handle.stat();
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.read(0, size));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return '';
    if (error instanceof TypeError) throw new ConfigError(`${file} is not UTF-8 text, so nothing is added to it.`);
    throw error;
  }
}
