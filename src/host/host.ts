// The machine as the engine sees it. Everything above this floor reaches files, processes, the clock, ids and the
// environment through a Host, so one process can serve many users and a test can hold all of it in memory.

/** A file as `stat` sees it. Sizes in bytes, times in milliseconds since the epoch. */
import { isAbsolutePath } from '../util/posix-path.js';

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  /** Last change of content, mode, owner or name. Nobody can set it back, as they can `mtimeMs`. */
  readonly ctimeMs: number;
  /** Permission bits only, for example 0o644. */
  readonly mode: number;
  /** The file system that it stands on. */
  readonly device: number;
  /** Tells a file from another that took its path. Unique on its device among files that exist at the same time. */
  readonly inode: number;
}

/** What stands in a directory. A link is a link here, whatever it points to. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileStat['kind'];
}

/** A file opened for reading. Contract: `close` may be called twice. */
export interface ReadHandle {
  /** Stat of the opened file itself, whatever its path names by now. */
  stat(): Promise<FileStat>;
  /** Reads up to `length` bytes at `position`; fewer only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The two ends of a file. `tail` is empty if `head` is the whole file. */
export interface FileEnds {
  readonly stat: FileStat;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/**
 * Where a path led at one moment, and what stood there. Plain data: a decision is made on it, and what is done then is
 * done to this file or folder and to no other.
 */
export interface Located {
  /** As it was asked for. */
  readonly path: string;
  /** Absolute, every symbolic link resolved. What did not exist stands in it as it was written. */
  readonly realPath: string;
  /** What stood at `realPath`; null if nothing did. Never a link. */
  readonly stat: FileStat | null;
  /** If nothing did: the deepest folder above it that existed. */
  readonly above: { readonly path: string; readonly stat: FileStat } | null;
}

/**
 * A folder that is held open: whatever takes its name meanwhile, this is still the one. Paths are relative to it, and no
 * link is followed on the way to them: what is reached through one is not there.
 * Contract: `close` may be called twice; nothing else is called after it.
 */
export interface FolderHandle {
  /** The `cwd` that starts a program of this host in it. Good until `close`. */
  readonly cwd: string;
  /** What stands in it, sorted. */
  names(): Promise<string[]>;
  /** `lstat` of each path, in their order; null for what is not there. */
  lstatAll(paths: readonly string[]): Promise<readonly (FileStat | null)[]>;
  /**
   * Opens files for a program that this host runs: what it reads under the path it is given is that file, whatever
   * takes its name meanwhile. At most some hundred at a time.
   */
  lend(paths: readonly string[]): Promise<LentFiles>;
  /**
   * Whether all names below it on the way to these folders meant the same all the time since it was opened: none was
   * made, moved or taken away there. False also if that cannot be told.
   */
  wasQuiet(folders: readonly string[]): Promise<boolean>;
  close(): Promise<void>;
}

/** Contract: `giveBack` may be called twice. */
export interface LentFiles {
  /** For each: the path to give to the program, and what it is. Null for what is no regular file or cannot be read. */
  readonly files: readonly ({ readonly path: string; readonly stat: FileStat } | null)[];
  giveBack(): Promise<void>;
}

/** A file opened for appending. Contract: one `append` is one write; a short write is an error. */
export interface AppendHandle {
  append(text: string): Promise<void>;
  /** Data is on the disk when this resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface AtomicWriteOptions {
  /** Permission bits of a new file; an existing file keeps its own. Default 0o644. */
  readonly mode?: number;
  /** False: the content need not survive a power cut, and costs no wait for the disk. Default true. */
  readonly durable?: boolean;
}

/**
 * Files. All paths absolute. A missing file is `FileError` with code `ENOENT`; every other failure a `FileError`
 * with the system's code.
 */
export interface HostFs {
  /** Follows symbolic links. */
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  /** `lstat` of very many files, in their order; null for each that cannot be looked at. `EINVAL` as everywhere. */
  lstatAll(paths: readonly string[]): Promise<readonly (FileStat | null)[]>;
  /** Absolute path with every symbolic link resolved. */
  realpath(path: string): Promise<string>;
  readFile(path: string): Promise<Uint8Array>;
  openRead(path: string): Promise<ReadHandle>;
  /**
   * The first `length` bytes of a file and the last `length` of what follows, as of one moment: what a list needs of
   * each of very many files. Regular files only; `EINVAL` or `EISDIR` for anything else.
   */
  readEnds(path: string, length: number): Promise<FileEnds>;
  /**
   * As `readEnds`, for lists: of a regular file, as `stat` said just now, which is not looked at again.
   * Contract: the bytes count only while `look` runs, and it keeps none of them. What it throws comes out.
   */
  lookAtEnds<T>(path: string, stat: FileStat, length: number, look: (ends: FileEnds) => T): Promise<T>;
  /** Creates the file (mode 0o600) and its folders (0o700) if they are missing. */
  openAppend(path: string): Promise<AppendHandle>;
  /**
   * Replaces the file's content in one step: a reader sees the old content or the new, never a part. Creates missing
   * folders, follows a symbolic link to its target, keeps an existing file's permission bits.
   */
  writeFileAtomic(path: string, data: Uint8Array | string, options?: AtomicWriteOptions): Promise<void>;
  /**
   * Makes a file that must not exist yet, with its whole content, in one step. Creates missing folders (0o700), follows
   * no link. `EEXIST` if anything stands there.
   */
  createFile(path: string, data: Uint8Array | string, options?: AtomicWriteOptions): Promise<void>;
  /**
   * What a path leads to. What is not there is no failure: `ENOENT` says that a link on the way leads nowhere, so that
   * nobody can tell what would be made.
   */
  locate(path: string): Promise<Located>;
  /**
   * Opens a regular file for reading; `EISDIR` or `EINVAL` for anything else, without opening it.
   * Contract: it is the file that was located, or `ESTALE`. No name is followed to another.
   */
  openLocated(located: Located): Promise<ReadHandle>;
  /**
   * As `writeFileAtomic`, for a file that was located, or the place of one. What is written aside stands in the same
   * folder, which is found without following a link; missing folders are made there.
   * Contract: `ESTALE` if anything else stands there by now, and nothing is written then, nor left behind.
   * @returns size and times of the new content
   */
  replaceLocated(located: Located, data: Uint8Array | string, options?: AtomicWriteOptions): Promise<FileStat>;
  /** Holds the folder that was located, of a file the one it stands in. Contract: it is that one, or `ESTALE`. */
  holdFolder(located: Located): Promise<FolderHandle>;
  /** Moves a file, link or directory; what stands at `to` is replaced if it is a file. Creates no folders. */
  rename(from: string, to: string): Promise<void>;
  /** Sets the permission bits. `ELOOP` for a symbolic link. */
  chmod(path: string, mode: number): Promise<void>;
  /** The text of a symbolic link, as it was written. `EINVAL` for anything else. */
  readlink(path: string): Promise<string>;
  /** Makes a symbolic link with the text `target`, which need not exist. `EEXIST` if anything stands there. */
  symlink(target: string, path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  /** As `readdir`, with the kind of each entry: saves a call for each. */
  entries(path: string): Promise<readonly DirectoryEntry[]>;
  mkdir(path: string, options?: { readonly mode?: number }): Promise<void>;
  /** With all its content. A symbolic link is removed itself. */
  remove(path: string): Promise<void>;
  /** Removes one file, one link, or one directory that is empty: `ENOTEMPTY` for any other. */
  removeEntry(path: string): Promise<void>;
}

/** A failed file operation. `code` is the system's: ENOENT, EACCES, EISDIR, ENOSPC … */
export class FileError extends Error {
  readonly code: string;
  readonly path: string;

  constructor(code: string, path: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FileError';
    this.code = code;
    this.path = path;
  }
}

export function isFileError(error: unknown, code?: string): error is FileError {
  return error instanceof FileError && (code === undefined || error.code === code);
}

export interface RunOptions {
  /** Program and arguments; no shell is involved. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds until the process group is terminated; 0 for no limit. */
  readonly timeoutMs: number;
  /** What the program reads on stdin, which then ends. Absent: stdin is closed. It need not be read. */
  readonly input?: string;
  /** Called with each chunk as it comes. Contract: must not throw; keeps no reference to the chunk. */
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  /**
   * Back-pressure: asked after each chunk. If it gives a promise, no more output is read until that settles.
   * Contract: must not throw; the promise must not reject.
   */
  readonly pause?: () => Promise<void> | null;
  /**
   * Aborted if nobody waits any more and the program is to go on: then `run` settles as `released`, and `rest` is the
   * program. A host that cannot do so goes on as if it were not there.
   */
  readonly release?: AbortSignal;
  /**
   * Called once, if a program of the run waits for somebody to type, with its name: it reads a terminal that it made for
   * itself. Only if the machine tells. Contract: must not throw.
   */
  readonly onWaiting?: (program: string) => void;
  /** True: it is known to leave no process behind, so none that left its group is looked for at its end. */
  readonly leavesNothing?: boolean;
}

export interface RunOutcome {
  /** Exit code; 128 + n after signal n; null if the program never ended by itself. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly ended: 'exited' | 'timed_out' | 'aborted' | 'released';
  /** With `released`: what still runs. Its output goes on to the same place. */
  readonly rest?: RunningProcess;
  /** Processes the program left running when it exited, and that were ended. Absent if there were none. */
  readonly leftovers?: number;
}

/** A program that stays until it is stopped. */
export interface OpenOptions extends Pick<RunOptions, 'command' | 'cwd' | 'env' | 'onStdout' | 'onStderr' | 'pause'> {
  /** Called once when nothing more comes on its stdout, which may be before it ends. Contract: must not throw. */
  readonly onStdoutEnd?: () => void;
}

/** How long a program that is stopped has for each step, milliseconds. */
export interface StopPatience {
  /** From the end of its stdin to TERM. Default 250. */
  readonly inputMs?: number;
  /** From TERM to KILL. Default 700. */
  readonly termMs?: number;
}

/** How a program ended, as in `RunOutcome`. */
export type ProcessEnd = Pick<RunOutcome, 'exitCode' | 'signal' | 'leftovers'>;

export interface RunningProcess {
  /** To its stdin. Contract: never rejects; false if it does not take it any more. */
  write(data: string): Promise<boolean>;
  /** Settles once it ended and nothing that it started is alive. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Closes its stdin, and leaves it to the program what it makes of that. */
  endInput(): void;
  /**
   * Closes its stdin, then TERM, then KILL, within two seconds unless `patience` says more.
   * Contract: as `ended`; may be called again.
   */
  stop(patience?: StopPatience): Promise<ProcessEnd>;
}

/** Processes. */
export interface HostExec {
  /**
   * Runs a program in a process group of its own until it ends, times out or is aborted. Its stdin is closed, but for
   * `input`.
   * Contract: when this settles, nothing the program started is alive (TERM, then KILL after a grace of at most 2 s;
   * processes that left the group are found by an environment mark), nor if this process ended meanwhile. Rejects
   * with `FileError` only if the program could not be started.
   */
  run(options: RunOptions): Promise<RunOutcome>;
  /**
   * Starts a program that stays, such as a server, in a process group of its own, with pipes to it.
   * Contract: nothing it started is alive after `stop`, nor if this process ended without calling it. Rejects with
   * `FileError` only if the program could not be started.
   */
  open(options: OpenOptions): Promise<RunningProcess>;
  /**
   * Says that programs may be started until the function that comes back is called, so that what watches over them is
   * kept from one to the next. Contract: cheap; starts nothing by itself. Absent: there is nothing to keep.
   */
  hold?(): () => void;
}

/** Names a process so that a later one with the same number is not taken for it. Plain data: it stands in files. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system counts. Empty if that cannot be known. */
  readonly started: string;
  /** The running system: another after each boot. Empty if that cannot be known. */
  readonly boot: string;
  /** The space in which process numbers mean the same, as one container. */
  readonly space: string;
  /** The machine's name. */
  readonly machine: string;
}

/** `unknown`: it cannot be seen from here, as in another container or on another machine. */
export type ProcessState = 'alive' | 'ended' | 'unknown';

/** Who this process is, and whether others still live. */
export interface HostProcesses {
  self(): Promise<ProcessIdentity>;
  stateOf(process: ProcessIdentity): Promise<ProcessState>;
}

export interface HostClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** Minutes that the clock of the people there is ahead of UTC at a moment, which gives them their date. Absent: 0. */
  utcOffset?(at: number): number;
  /** Calls `callback` once after `ms`. The returned function cancels it. An unref'd timer does not keep a process alive. */
  after(ms: number, callback: () => void): () => void;
}

export interface HostIds {
  /** A new random UUID. */
  uuid(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export interface Host {
  readonly fs: HostFs;
  readonly exec: HostExec;
  readonly processes: HostProcesses;
  readonly clock: HostClock;
  readonly ids: HostIds;
  /** SHA-256 of the bytes, hex. */
  sha256(bytes: Uint8Array): Promise<string>;
  /** The environment of the host. Read-only; a session's own variables are merged over it by the SDK. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: {
    readonly os: string;
    readonly release: string;
    readonly homedir: string;
    readonly tmpdir: string;
    readonly cwd: string;
    /** The program that runs JavaScript files as this process does. Absent if there is none to start. */
    readonly node?: string;
  };
}

// What stands in a folder, for whoever goes through folders: one that cannot be gone through has nothing in it.

/** Contract: empty for what is not there, is no folder, or is not ours to read. */
export async function entriesIn(fs: Pick<HostFs, 'entries'>, folder: string): Promise<readonly DirectoryEntry[]> {
  try {
    return await fs.entries(folder);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return []; // as the contract says
  }
}

/** Contract: false for what is not there, is no folder, or leads nowhere. */
export async function isFolder(fs: Pick<HostFs, 'stat'>, folder: string): Promise<boolean> {
  try {
    return (await fs.stat(folder)).kind === 'directory';
  } catch (error) {
    if (isFileError(error)) return false;
    throw error;
  }
}

/** For `catch`: what cannot be had is as if it were not there. */
export function ignoreFileError(error: unknown): void {
  if (!isFileError(error)) throw error;
}

/** Contract: what is not there is gone already. @throws FileError */
export async function removeIfThere({ fs }: Pick<Host, 'fs'>, path: string): Promise<void> {
  try {
    await fs.remove(path);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}

// Builds the FileErrors of every host, so that one failure reads the same on each of them.

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBADF: 'it is already closed',
  EBUSY: 'it is in use',
  EDQUOT: 'the quota of the user is used up',
  EEXIST: 'it already exists',
  EFBIG: 'it is too large',
  EINVAL: 'this kind of file or path cannot be used here',
  EIO: 'the disk reported an error',
  EISDIR: 'it is a directory',
  ELOOP: 'a symbolic link is in the way',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a part of the path is not a directory',
  ENOTEMPTY: 'the directory is not empty',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ESHORT: 'only a part was written',
  ESTALE: 'something else stands there by now',
};

/** A FileError whose message names the action, the path, the reason and the code. */
export function fileFailure(code: string, path: string, action: string, cause?: unknown): FileError {
  const reason = REASONS[code] ?? 'the system refused';
  return new FileError(code, path, `Cannot ${action} ${path}: ${reason} (${code}).`, { cause });
}

/** Throws EINVAL for a path no host accepts: relative, or with a NUL in it. */
export function requireUsablePath(path: string, action: string, isAbsolute = isAbsolutePath): void {
  if (!isAbsolute(path) || path.includes('\0')) throw fileFailure('EINVAL', path, action);
}
