// The published surface of `turnwright/testing`. Written by `npm run api`; a change here is a change for users.

import type { IncomingHttpHeaders } from 'node:http';

import {
  AssistantMessage,
  MessageParam,
  ModelError,
  ModelEvent,
  RedactedThinkingBlock,
  SDKMessage,
  SDKResultMessage,
  SessionStore,
  StopReason,
  TextBlock,
  ThinkingBlock,
  Usage,
} from './protocol.js';
import { Host, ModelRequest, Provider } from './index.js';

// host/host.ts

interface FileStat {
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
interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileStat['kind'];
}

/** A file opened for reading. Contract: `close` may be called twice. */
interface ReadHandle {
  /** Stat of the opened file itself, whatever its path names by now. */
  stat(): Promise<FileStat>;
  /** Reads up to `length` bytes at `position`; fewer only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The two ends of a file. `tail` is empty if `head` is the whole file. */
interface FileEnds {
  readonly stat: FileStat;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/**
 * Where a path led at one moment, and what stood there. Plain data: a decision is made on it, and what is done then is
 * done to this file or folder and to no other.
 */
interface Located {
  /** As it was asked for. */
  readonly path: string;
  /** Absolute, every symbolic link resolved. What did not exist stands in it as it was written. */
  readonly realPath: string;
  /** What stood at `realPath`; null if nothing did. Never a link. */
  readonly stat: FileStat | null;
  /** If nothing did: the deepest folder above it that existed. */
  readonly above: {
    readonly path: string;
    readonly stat: FileStat;
  } | null;
}

/**
 * A folder that is held open: whatever takes its name meanwhile, this is still the one. Paths are relative to it, and no
 * link is followed on the way to them: what is reached through one is not there.
 * Contract: `close` may be called twice; nothing else is called after it.
 */
interface FolderHandle {
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
interface LentFiles {
  /** For each: the path to give to the program, and what it is. Null for what is no regular file or cannot be read. */
  readonly files: readonly ({
    readonly path: string;
    readonly stat: FileStat;
  } | null)[];
  giveBack(): Promise<void>;
}

/** A file opened for appending. Contract: one `append` is one write; a short write is an error. */
interface AppendHandle {
  append(text: string): Promise<void>;
  /** Data is on the disk when this resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface AtomicWriteOptions {
  /** Permission bits of a new file; an existing file keeps its own. Default 0o644. */
  readonly mode?: number;
  /** False: the content need not survive a power cut, and costs no wait for the disk. Default true. */
  readonly durable?: boolean;
}

/**
 * Files. All paths absolute. A missing file is `FileError` with code `ENOENT`; every other failure a `FileError`
 * with the system's code.
 */
interface HostFs {
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
  mkdir(
    path: string,
    options?: {
      readonly mode?: number;
    },
  ): Promise<void>;
  /** With all its content. A symbolic link is removed itself. */
  remove(path: string): Promise<void>;
  /** Removes one file, one link, or one directory that is empty: `ENOTEMPTY` for any other. */
  removeEntry(path: string): Promise<void>;
}

interface RunOptions {
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

interface RunOutcome {
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
interface OpenOptions extends Pick<RunOptions, 'command' | 'cwd' | 'env' | 'onStdout' | 'onStderr' | 'pause'> {
  /** Called once when nothing more comes on its stdout, which may be before it ends. Contract: must not throw. */
  readonly onStdoutEnd?: () => void;
}

/** How long a program that is stopped has for each step, milliseconds. */
interface StopPatience {
  /** From the end of its stdin to TERM. Default 250. */
  readonly inputMs?: number;
  /** From TERM to KILL. Default 700. */
  readonly termMs?: number;
}

/** How a program ended, as in `RunOutcome`. */
type ProcessEnd = Pick<RunOutcome, 'exitCode' | 'signal' | 'leftovers'>;

interface RunningProcess {
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

/** Names a process so that a later one with the same number is not taken for it. Plain data: it stands in files. */
interface ProcessIdentity {
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

interface HostClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** Minutes that the clock of the people there is ahead of UTC at a moment, which gives them their date. Absent: 0. */
  utcOffset?(at: number): number;
  /** Calls `callback` once after `ms`. The returned function cancels it. An unref'd timer does not keep a process alive. */
  after(ms: number, callback: () => void): () => void;
}

// host/memory/memory-fs.ts

/** What can be counted and made to fail: the calls of HostFs, those of its handles, and `run` of HostExec. */
type MemoryOperation = keyof HostFs | 'handleStat' | 'read' | 'append' | 'sync' | 'run';

/** Called before each operation takes effect; throws to make it fail. */
type OperationHook = (operation: MemoryOperation, path: string) => void;

/** The setters below act at once and are not operations: no hook sees them. */
interface MemoryFs extends HostFs {
  /** Makes a directory and its parents. */
  addDirectory(path: string): void;
  /** Makes a new file (mode 0o644) and its folders. */
  addFile(path: string, content: string | Uint8Array): void;
  /** Makes a symbolic link; `target` may be relative to the link's folder, and need not exist. */
  addSymlink(path: string, target: string): void;
  /** Makes something that is neither file nor directory, like a FIFO. */
  special(path: string): void;
  /** Every file's text by absolute path, sorted by path; what is not UTF-8 shows replacement characters. */
  files(): Record<string, string>;
}

// host/memory/memory-host.ts

interface MemoryHostOptions {
  /** Content by absolute path; folders are created. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** First value of the clock, milliseconds since the epoch. Default 2025-01-01. */
  readonly now?: number;
  /** Default `/project`. Created. */
  readonly cwd?: string;
  /** Default `/home/user`. Created. */
  readonly homedir?: string;
  /** What this process is called, if a test has several. Default pid 1. */
  readonly process?: Partial<ProcessIdentity>;
  /** Pids of other processes of this machine that are alive. Default: any is, until it is taken out. */
  readonly alive?: ReadonlySet<number>;
  /** Seed of `ids.random`. Default 1. */
  readonly seed?: number;
  /** Answers a program call; undefined if there is no such program. */
  readonly commands?: (options: RunOptions) => Promise<RunOutcome> | undefined;
  /** As `commands`, of programs that stay. */
  readonly programs?: (options: OpenOptions) => RunningProcess | undefined;
  /** Sees every operation before it takes effect, and may throw a FileError in its place. */
  readonly onOperation?: OperationHook;
}

interface MemoryHost extends Host {
  readonly fs: MemoryFs;
  readonly clock: MemoryClock;
  /** As `clock.advance`. */
  advance(ms: number): Promise<void>;
  /** As `fs.addSymlink`. */
  symlink(path: string, target: string): void;
  /** As `fs.files`. */
  files(): Record<string, string>;
  /** Makes the next call of `operation` reject with a FileError of this code. Several calls queue up. */
  failNext(operation: MemoryOperation, code: string): void;
}

/** Creates a machine in memory. Nothing of it moves by itself: time goes on only by `advance`. */
declare function createMemoryHost(options?: MemoryHostOptions): MemoryHost;

interface MemoryClock extends HostClock {
  /**
   * Moves the time on by `ms`, running each due timer at its own time and letting promise callbacks run after each.
   * A timer set meanwhile runs too if it is due.
   */
  advance(ms: number): Promise<void>;
  /** Number of timers that wait. */
  pending(): number;
}

// testing/cassettes/cassette-file.ts

/** One request and its answer. */
export interface CassetteExchange {
  /** By order of arrival, from 0. */
  readonly index: number;
  readonly request: {
    readonly method: string;
    /** With its query. */
    readonly path: string;
    /** Parsed; the text if it is not JSON. */
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As they came, one write each. `base64` if the bytes are not text. */
    readonly chunks: readonly (
      | string
      | {
          readonly base64: string;
        }
    )[];
    /** The connection broke behind the last chunk. */
    readonly isCut?: true;
  };
}

/** Folders by names that stand for them in the file: `{ project: '/home/me/project' }`. Absolute. */
export type CassetteFolders = Readonly<Record<string, string>>;

// testing/cassettes/cassette.ts

export interface RecordCassetteOptions {
  /**
   * The address that requests are sent on to: `https://api.anthropic.com`. A path of it goes before the path of each
   * request.
   */
  readonly upstream: string;
  /** Values that must not get into the file, beside credentials, values of secret variables, and texts shaped like keys. */
  readonly secrets?: readonly string[];
  /** Folders that may be others when it is played, by names that stand for them in the file. */
  readonly folders?: CassetteFolders;
}

export interface CassetteRecorder {
  /** The base URL for the session that is recorded. */
  readonly url: string;
  /** Exchanges that are whole by now. */
  readonly exchanges: number;
  /**
   * Ends the recording, and puts the file in its place. May be called twice.
   * @throws Error if an exchange could not be recorded; then an earlier file stays as it was
   */
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that sends each request on and writes down what came.
 * Contract: the client gets the answer as it comes; the file holds no credential; it is there, whole, after `close()`.
 *
 * @example
 * const cassette = await recordCassette('session.jsonl', { upstream: 'https://api.anthropic.com' });
 * // … a session with ANTHROPIC_BASE_URL = cassette.url
 * await cassette.close();
 */
export declare function recordCassette(file: string, options: RecordCassetteOptions): Promise<CassetteRecorder>;

export interface ReplayCassetteOptions {
  /**
   * Places of request bodies that may differ, with all below them: `['system', 'metadata.user_id', 'tools.*.description']`.
   * Default none.
   */
  readonly ignore?: readonly string[];
  /** As when it was recorded: they are taken out of requests before these are compared. */
  readonly secrets?: readonly string[];
  /** The same names as when it was recorded, each with the folder that has its place now. */
  readonly folders?: CassetteFolders;
}

export interface CassettePlayer {
  /** The base URL for the session. */
  readonly url: string;
  readonly exchanges: readonly CassetteExchange[];
  /** Recorded exchanges that were not asked for yet. */
  readonly remaining: number;
  /** Requests that were not recorded, each with where it differs. */
  readonly problems: readonly string[];
  /** Throws if a request was not recorded, or exchanges are left. */
  assertDone(): void;
  close(): Promise<void>;
}

/**
 * Plays a cassette on loopback. A request gets the first answer that is left of an equal one, so requests of parallel
 * agents may come in another order. One that was not recorded is answered with status 400 and the text of its problem.
 * Contract: answers are the recorded bytes, in the recorded writes; no key is looked at, nothing leaves the machine.
 * @throws Error if the file is not a cassette, of another version, or cut
 */
export declare function replayCassette(file: string, options?: ReplayCassetteOptions): Promise<CassettePlayer>;

// testing/cassettes/replay-transcript.ts

export interface ReplayedTranscript {
  /** Answers with the replies, one after the other; `assertDone()` throws if some were not asked for. */
  readonly model: ScriptedModel;
  /** What the user said, in order, without what the engine wrote: to be said again. */
  readonly prompts: readonly string[];
}

/**
 * Reads the newest conversation of a transcript, also across its compactions. Replies that a compaction asked for are in no
 * transcript, so such a session is best replayed with `autoCompact: false`.
 * Contract: blocks and ids of calls are those of the file; a reply without content is left out.
 * @throws Error if the file holds no conversation, only a part of it, or replies that lie in files of their own
 */
export declare function replayTranscript(file: string, options?: ScriptedModelOptions): Promise<ReplayedTranscript>;

// testing/fake-host.ts

/** What `fakeHost` takes: files to start with, the clock, ids. */
export type FakeHostOptions = NonNullable<Parameters<typeof createMemoryHost>[0]>;

/** A `Host` in memory, with what a test needs to look into it. */
export type FakeHost = ReturnType<typeof createMemoryHost>;

/**
 * A host that lives in memory: same ids and times in every run, no disk, no processes of the real machine.
 * Contract: two hosts share nothing.
 */
export declare function fakeHost(options?: FakeHostOptions): FakeHost;

// testing/mock/mock-exchange.ts

/** How an exchange ended: the answer went out whole, the script broke it off, or the client went away. */
export type ExchangeEnd = 'answered' | 'cut' | 'abandoned';

// testing/mock/mock-provider.ts

export interface MockProviderOptions {
  /** The protocol spoken. Default `anthropic`. */
  readonly api?: MockApi;
  /**
   * Whose server it plays, with `api: 'openai-chat'`: `compatible` takes the fields for thinking that DeepSeek, Qwen, vLLM,
   * OpenRouter and others have. Default `openai`.
   */
  readonly server?: ChatServer;
  /** Answers by order of arrival, or one function for all. Default: a short text for every request. */
  readonly steps?: readonly MockStep[] | MockFunction;
  /** Characters of one delta. Default 16. */
  readonly chunkSize?: number;
  /** Figures for every reply that does not bring its own. */
  readonly usage?: Partial<Usage>;
  /** How many of the last requests are kept in `requests`. Default all. */
  readonly keepRequests?: number;
}

/** One request as it came. */
export interface MockRequest {
  /** Counts the requests of the server from 0. */
  readonly index: number;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; the raw text if it is not JSON. */
  readonly body: unknown;
  /** Size of the body, counted up to 64 MB. */
  readonly bytes: number;
  /** Counts the connections of the server from 1: equal for requests that shared a socket. */
  readonly connection: number;
  /** Settles when the exchange is over. Never rejects. */
  readonly ended: Promise<ExchangeEnd>;
}

export interface MockProvider {
  /**
   * `http://127.0.0.1:port`. The API is at `/v1/messages` below it, or `/chat/completions`, or `/responses`, behind any
   * path prefix.
   */
  readonly url: string;
  readonly requests: readonly MockRequest[];
  readonly violations: readonly WireViolation[];
  /** Connections opened so far. */
  readonly connections: number;
  /** Steps that were not asked for yet; 0 if one function answers. */
  readonly remaining: number;
  /** Settles when `count` requests have come in, all told. */
  waitForRequests(count: number): Promise<void>;
  /** Throws if a request was invalid or found no step, a step function threw, or steps are left. */
  assertClean(): void;
  /** Destroys every socket and stops listening. May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts a mock of the model API on 127.0.0.1 and a free port.
 * Contract: speaks to clients of this machine only; call `close()` at the end, or the process stays alive.
 *
 * @example
 * const provider = await startMockProvider({ steps: [{ status: 529 }, text('hello')] });
 */
export declare function startMockProvider(options?: MockProviderOptions): Promise<MockProvider>;

// testing/mock/mock-wire.ts

/** Ways an answer can break the protocol while its status says 200. */
export type Malformation =
  /** A web page, as a captive portal sends it. */
  | 'html'
  /** The whole reply as one JSON document, though a stream was asked for. */
  | 'json'
  /** A stream without a single event. */
  | 'empty'
  /** An event whose data is not JSON, then the end. */
  | 'bad-json'
  /** The first delta before its block is opened. */
  | 'out-of-order'
  /** A whole stream that never mentions usage: odd, but usable. */
  | 'no-usage';

export interface WireTraits extends ReplyTraits {
  /** The socket is destroyed after this many bytes of the event stream. */
  readonly cutAfterBytes?: number;
  /** Bytes of one write; default: one write per event. */
  readonly writeBytes?: number;
  /** A ping after every event, and while the stream is stalled one every `pingEveryMs`. */
  readonly pings?: boolean;
  /** Milliseconds between two pings of a stalled stream. Default 20. */
  readonly pingEveryMs?: number;
  readonly malformed?: Malformation;
  /** Added to the response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply with wire faults. Without `blocks` and `deltas` it is a short text. */
export interface MockReply extends WireTraits {
  readonly blocks?: readonly ScriptedBlock[];
  readonly deltas?: number;
  readonly delta?: string;
}

/** An answer that is not a stream: an error, a redirect. */
export interface MockStatus {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is if it is a string, else as JSON. Default: the API's error document for the status. */
  readonly body?: unknown;
  readonly waitFor?: Promise<unknown>;
}

/**
 * No answer: nothing at all, or with `pings` the head of a stream and pings until the client gives up.
 */
export interface MockStall {
  readonly stall: true;
  readonly pings?: boolean;
  readonly pingEveryMs?: number;
}

export type MockAnswer = Exclude<ScriptedAnswer, ScriptedStall> | MockReply | MockStatus | MockStall;

/** Answers a request by looking at its parsed body. `index` counts the requests of the server from 0. */
export type MockFunction = (body: unknown, index: number) => MockAnswer | Promise<MockAnswer>;

export type MockStep = MockAnswer | MockFunction;

/** The protocols the mock server speaks. */
export type MockApi = 'anthropic' | 'openai-chat' | 'openai-responses';

// testing/model/collect.ts

/** Drains a stream. Contract: throws what the stream throws; what came before is then lost. */
export declare function collect<T = SDKMessage>(stream: AsyncIterable<T>): Promise<T[]>;

/**
 * The result of one prompt.
 * @throws Error if there is not exactly one result, or something else than a prompt suggestion or a session state
 *   follows it
 */
export declare function lastResult(messages: readonly SDKMessage[]): SDKResultMessage;

/** The text of a message: its text blocks joined, a result's text; empty if the message has none. */
export declare function textOf(message: SDKMessage): string;

/**
 * Folds the events of one whole stream into the message they spell.
 * @throws Error if the stream breaks the contract: wrong order, an open block, a delta of another block's type,
 *   input that is not JSON, no end. The text names the event.
 */
export declare function foldEvents(events: readonly ModelEvent[]): AssistantMessage;

// testing/model/script.ts

/** A call as a script writes it. Without `id` it gets the next of `toolu_0001`, `toolu_0002` … */
export interface ScriptedToolUse {
  readonly type: 'tool_use';
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
  /** Streamed in place of `input`, as it is: for input that is not whole or not JSON. */
  readonly rawInput?: string;
}

export type ScriptedBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ScriptedToolUse;

/** What any step may say of its reply. */
export interface ReplyTraits {
  /** Default: `tool_use` if the reply holds a call, else `end_turn`. */
  readonly stopReason?: StopReason;
  /** Tokens. What is not given is estimated: characters / 4 of the request and of the reply. */
  readonly usage?: Partial<Usage>;
  /** The stream breaks after this many events, `message_start` included. */
  readonly cutAfterEvents?: number;
  /** What it breaks with. Default: a `stream_cut`, on the wire a destroyed socket. */
  readonly cutWith?: ModelError;
  /** The stream falls silent after this many events, until the caller gives up. */
  readonly stallAfterEvents?: number;
  /** The answer starts when this is settled: a gate, not a timer. */
  readonly waitFor?: Promise<unknown>;
}

/** A reply of whole blocks. */
export interface ScriptedReply extends ReplyTraits {
  readonly blocks: readonly ScriptedBlock[];
}

/** A reply of one text block in `deltas` equal deltas; cheap to stream at any length. */
export interface ScriptedDeltas extends ReplyTraits {
  readonly deltas: number;
  /** Default `'word '`. */
  readonly delta?: string;
}

/** A failure before any event. */
export interface ScriptedFailure {
  readonly error: ModelError;
  readonly waitFor?: Promise<unknown>;
}

/** No answer at all, until the caller gives up. */
export interface ScriptedStall {
  readonly stall: true;
}

/** One answer. A bare block is a reply of that block. */
export type ScriptedAnswer = ScriptedBlock | ScriptedReply | ScriptedDeltas | ScriptedFailure | ScriptedStall;

export declare function text(value: string): TextBlock;

export declare function toolCall(name: string, input?: unknown, id?: string): ScriptedToolUse;

export declare function thinking(value: string, signature: string): ThinkingBlock;

/** A reply of these blocks. Add traits by spreading: `{ ...reply(text('half')), cutAfterEvents: 3 }`. */
export declare function reply(...blocks: readonly ScriptedBlock[]): ScriptedReply;

// testing/model/scripted-model.ts

/** Answers a request by looking at it. `callIndex` counts the requests of this model from 0. */
export type ScriptedFunction = (request: ModelRequest, callIndex: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

export type ScriptedStep = ScriptedAnswer | ScriptedFunction;

export interface ScriptedModelOptions {
  /** Characters of one delta. Default 16. */
  readonly chunkSize?: number;
  /** Figures for every reply that does not bring its own. */
  readonly usage?: Partial<Usage>;
  /** Also demand that each request continues the one before it. For one conversation without compaction or rewind. */
  readonly appendOnly?: boolean;
  /** What its API makes of a schema, as `Provider.outputSchema`. Default: it knows no schemas, so a tool is asked for. */
  readonly outputSchema?: Provider['outputSchema'];
  /** How many of the last requests are kept in `requests`. Default all; set it if a test runs thousands of turns. */
  readonly keepRequests?: number;
}

export interface ScriptedModel extends Provider {
  readonly id: 'scripted';
  /** What was asked, oldest first. Frozen; the message list is a copy, so later turns do not show in it. */
  readonly requests: readonly ModelRequest[];
  /** What the wire validator found, over all requests. */
  readonly violations: readonly WireViolation[];
  /** Requests so far. */
  readonly calls: number;
  /** Steps that were not asked for yet; 0 for a model that is one function. */
  readonly remaining: number;
  /**
   * Throws if steps are left, a request found no step or was not valid, or a step function threw. Call it at the end
   * of a test.
   */
  assertDone(): void;
}

/**
 * A model that answers the n-th request with the n-th step, or every request with one function.
 * Contract: honours the abort signal at once with `ModelError('aborted')`. An invalid request throws
 * `WireViolationError`, a request without a step throws an `Error` that names what was asked: neither is a
 * `ModelError`, so no engine retries it.
 *
 * @example
 * const model = scriptedModel([toolCall('Read', { file_path: '/a' }), text('It says hello.')]);
 */
export declare function scriptedModel(
  steps: readonly ScriptedStep[] | ScriptedFunction,
  options?: ScriptedModelOptions,
): ScriptedModel;

// testing/session-store-conformance.ts

export interface StoreCase {
  readonly name: string;
  /** Contract: rejects with an Error that says what was expected and what came. */
  run(): Promise<void>;
}

export interface StoreConformanceOptions {
  /** A store with nothing in it, for each case another. */
  create(): SessionStore | Promise<SessionStore>;
  /**
   * The same store as a later process finds it. Absent: the store keeps nothing beyond its own life, and nothing is
   * asked of it.
   */
  reopen?(store: SessionStore): SessionStore | Promise<SessionStore>;
}

/**
 * The cases a store must pass; those of optional methods check nothing if the store does not have them.
 * @example for (const { name, run } of sessionStoreConformance({ create: () => new MyStore() })) test(name, run);
 */
export declare function sessionStoreConformance(options: StoreConformanceOptions): readonly StoreCase[];

// testing/wire/wire-blocks.ts

/** A whole PNG of one pixel, base64: the smallest image the validator takes. */
export declare const ONE_PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

// testing/wire/wire-chat.ts

interface ChatCheckOptions {
  /** Size of the body as sent. */
  readonly bytes?: number;
  /** Fields of a server of another maker. */
  readonly extraFields?: readonly string[];
  /** Whose server it is. `compatible`: one of another maker, with the fields for thinking that such have. Default `openai`. */
  readonly server?: ChatServer;
}

/**
 * Checks the body of one `POST /chat/completions`.
 * Contract: pure, linear in the size of the body, never throws; an empty list means that OpenAI's API would take the request
 * as far as its shape decides.
 */
export declare function validateChatRequest(body: unknown, options?: ChatCheckOptions): WireViolation[];

// testing/wire/wire-responses.ts

/**
 * Checks the body of one `POST /responses` with `store: false`.
 * Contract: pure, linear in the size of the body, never throws; an empty list means that OpenAI's API would take the
 * request as far as its shape decides.
 */
export declare function validateResponsesRequest(
  body: unknown,
  options?: {
    readonly bytes?: number;
  },
): WireViolation[];

// testing/wire/wire-session.ts

export interface SessionWireValidatorOptions {
  /**
   * Also reports `prefix_changed` if a request does not start with the messages of the one before it. The last of
   * them may have grown at its end; cache breakpoints may move. Default false: compaction and rewind are legal.
   */
  readonly appendOnly?: boolean;
}

export interface SessionWireValidator {
  /** Checks the next body on the wire. `bytes` as for `validateWireRequest`. */
  checkBody(body: unknown, bytes?: number): WireCheck;
  /**
   * Checks the next canonical request.
   * Contract: relies on messages never changing after they were sent once, so each is looked into once.
   */
  checkModelRequest(request: ModelRequest): WireCheck;
  /** Tells of a reply the model gave, so that its thinking is known before it comes back for the first time. */
  noteReply(message: Pick<MessageParam, 'content'>): void;
}

/** A validator for the requests of one conversation, in order. */
export declare function createSessionWireValidator(options?: SessionWireValidatorOptions): SessionWireValidator;

// testing/wire/wire-validator.ts

/** Whose Chat Completions: OpenAI's, or those of another maker. */
type ChatServer = 'openai' | 'compatible';

/** The verdict on one request. */
export interface WireCheck {
  readonly violations: readonly WireViolation[];
  /** Estimate of the serialised size, characters. */
  readonly size: number;
}

/**
 * Checks the body of one `POST /v1/messages`.
 * Contract: pure, linear in the size of the body, never throws; an empty list means that the API would take the
 * request as far as its shape decides. Text inside signed thinking is opaque and not judged.
 * @param body  the parsed JSON
 * @param options.bytes  size of the body as sent; without it the size is worked out if it may matter
 */
export declare function validateWireRequest(
  body: unknown,
  options?: {
    readonly bytes?: number;
  },
): WireViolation[];

/** Checks a request as providers get it, by the same rules: it is mapped to the body it would become. */
export declare function validateModelRequest(request: ModelRequest): WireViolation[];

// testing/wire/wire-violation.ts

/** Every rule of the validator. A code names the rule, not the place; `path` names the place. */
export declare const WIRE_VIOLATION_CODES: readonly [
  'body_invalid',
  'body_too_large',
  'not_json',
  'nesting_too_deep',
  'lone_surrogate',
  'unknown_field',
  'field_invalid',
  'model_invalid',
  'stream_invalid',
  'max_tokens_invalid',
  'thinking_config_invalid',
  'thinking_budget_invalid',
  'system_invalid',
  'tool_invalid',
  'tool_name_invalid',
  'tool_name_duplicate',
  'tool_schema_invalid',
  'tool_choice_invalid',
  'output_schema_invalid',
  'messages_empty',
  'role_invalid',
  'role_order',
  'content_invalid',
  'content_empty',
  'block_unknown',
  'block_role',
  'text_invalid',
  'text_empty',
  'text_blank',
  'tool_use_invalid',
  'tool_use_duplicate',
  'tool_result_invalid',
  'tool_result_missing',
  'tool_result_orphan',
  'tool_result_duplicate',
  'tool_result_order',
  'tool_result_content',
  'thinking_invalid',
  'thinking_unsigned',
  'thinking_order',
  'thinking_last',
  'thinking_missing',
  'thinking_changed',
  'cache_control_invalid',
  'cache_control_target',
  'cache_control_order',
  'cache_control_excess',
  'image_invalid',
  'image_type_mismatch',
  'image_unreadable',
  'image_too_large',
  'image_dimensions',
  'image_excess',
  'document_invalid',
  'document_encrypted',
  'document_pages',
  'prefill_whitespace',
  'prefill_forbidden',
  'prefix_changed',
];

export type WireViolationCode = (typeof WIRE_VIOLATION_CODES)[number];

/** One broken rule. `path` is dotted from the body's root, as the API writes it: `messages.3.content.0.text`. */
export interface WireViolation {
  readonly code: WireViolationCode;
  readonly path: string;
  readonly detail: string;
}

/** One line per violation: path, detail, code. */
export declare function formatViolations(violations: readonly WireViolation[]): string;

/** A request that the model API would refuse. Not a `ModelError`, so no engine mistakes it for a provider's failure. */
export declare class WireViolationError extends Error {
  readonly violations: readonly WireViolation[];
  constructor(violations: readonly WireViolation[]);
}

export {};
