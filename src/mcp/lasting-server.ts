// One MCP server for as long as a session lasts, over any transport: connected, watched, connected again where it ended,
// and its tools followed. One rule: what it offers changes for the session only where the session asks, between two
// prompts.
import type { MCPServerConnection, McpClient, McpListedTool } from '../protocol/mcp.js';
import { raceAbort } from '../util/abort.js';
import { errorText, shorten } from '../util/text.js';
import { type Connection, type ConnectPlace, connectServer } from './client/connect.js';
import { SessionLostError } from './http/session-lost.js';
import { NeedsAuthError } from './oauth/needs-auth.js';
import type { McpServerDefinition } from './server-definition.js';
import { changeNotice, type ServerNotice } from './tool-changes.js';

export interface LastingServerPlace extends ConnectPlace {
  readonly monotonic: () => number;
  /** Told as it happens. */
  onNotice(notice: ServerNotice): void;
}

export interface LastingServer {
  readonly name: string;
  /** Settles with the first start, whatever came of it. Never rejects. */
  readonly started: Promise<void>;
  /** What it offers from now on; what of that is new is told. */
  offer(): ServerOffer;
  /**
   * Between two prompts: starts it again where it ended, and lists anew where it said so. One that was never ready is not
   * waited for. Never rejects.
   */
  refresh(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** After so many ends in a row it is not started any more. */
const MAX_FAILURES = 5;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 30_000;
/** What ran that long had started well: its next end is a first one. */
const STEADY_MS = 60_000;
const SHOWN_GARBAGE = 120;
const NOT_READY = 'it is not ready yet; its tools are there from the prompt on that finds it ready';

export interface ServerOffer {
  /** Its client is the same for as long as the server is. */
  readonly connection: MCPServerConnection;
  /** The very same list as long as it says the same; null where there is none now. */
  readonly tools: readonly McpListedTool[] | null;
}

/** Starts at once. */
export function openLastingServer(definition: McpServerDefinition, place: LastingServerPlace): LastingServer {
  return new RestartingServer(definition, place);
}

class RestartingServer implements LastingServer {
  readonly name: string;
  readonly started: Promise<void>;
  readonly #definition: McpServerDefinition;
  readonly #place: LastingServerPlace;
  readonly #closing = new AbortController();
  readonly #client: McpClient;
  #connection: Connection | null = null;
  #connecting: Promise<Connection> | null = null;
  /** What the server lists, as last heard. */
  #listed: readonly McpListedTool[] = [];
  /** What the session was told that it offers; null before it was. */
  #told: readonly McpListedTool[] | null = null;
  /** It said that its tools are others, and was not heard yet. */
  #isStale = false;
  #failures = 0;
  #failure: string | null = null;
  /** Somebody has to sign in before it can be used. */
  #needsAuth = false;
  #endedAt = Number.NEGATIVE_INFINITY;
  #startedAt = 0;
  #isGarbageTold = false;

  constructor(definition: McpServerDefinition, place: LastingServerPlace) {
    this.name = definition.name;
    this.#definition = definition;
    this.#place = place;
    this.#client = {
      listTools: async () => ({ tools: this.#listed }),
      // Two parameters: that is how a client says where it wants its options.
      callTool: async (params: { name: string }, options: { signal: AbortSignal }) =>
        this.#call(params, options.signal),
    };
    this.started = this.#ready(this.#closing.signal).then(
      () => undefined,
      () => undefined, // told by its status
    );
  }

  offer(): ServerOffer {
    const { name } = this;
    if (this.#connection === null) {
      const isPending = this.#connecting !== null && this.#failure === null;
      const error = isPending ? NOT_READY : (this.#failure ?? 'it ended');
      const type = isPending ? 'pending' : this.#needsAuth ? 'needs-auth' : 'failed';
      return { connection: { name, type, error }, tools: null };
    }
    const change = this.#told === null ? null : changeNotice(name, this.#told, this.#listed);
    if (change !== null) this.#place.onNotice(change);
    if (this.#told === null || change !== null) this.#told = this.#listed;
    return { connection: { name, type: 'connected', client: this.#client }, tools: this.#told };
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const ready = this.#ready(signal);
    if (this.#told === null) return void ready.catch(() => undefined); // told by its status
    try {
      const connection = await ready;
      if (!this.#isStale) return;
      const tools = await connection.list(signal);
      if (this.#connection !== connection) return;
      this.#isStale = false;
      this.#listed = tools;
    } catch {
      // Told by its status, or asked again before the next prompt.
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connecting = await this.#connecting?.catch(() => null); // one that failed has nothing to stop
    await (connecting ?? this.#connection)?.stop();
  }

  async #call(params: { readonly name: string }, signal: AbortSignal, isAgain = false): Promise<unknown> {
    const connection = await this.#ready(signal);
    if (!this.#listed.some(({ name }) => name === params.name))
      throw new Error(`since it was started again it has no tool ${shorten(params.name, 100)}`);
    try {
      return await connection.request('tools/call', params, { signal });
    } catch (error) {
      // It was not carried out, so it is made again in a new session; a second such answer is told.
      if (!(error instanceof SessionLostError) || isAgain) throw error;
      return this.#call(params, signal, true);
    }
  }

  /** The connection; one that ended is made anew, once for all who ask. @throws Error */
  #ready(signal: AbortSignal): Promise<Connection> {
    if (this.#connection !== null) return Promise.resolve(this.#connection);
    if (this.#closing.signal.aborted) return Promise.reject(new Error('the session ended'));
    if (this.#failures >= MAX_FAILURES) return Promise.reject(new Error(`${this.#failure} It is not started again.`));
    this.#connecting ??= this.#start().finally(() => {
      this.#connecting = null;
    });
    return orAborted(this.#connecting, signal);
  }

  async #start(): Promise<Connection> {
    const isFirst = this.#endedAt === Number.NEGATIVE_INFINITY;
    if (!isFirst) await this.#holdBack();
    try {
      this.#isStale = false;
      const listeners = {
        onNotification: (method: string) => {
          if (method === 'notifications/tools/list_changed') this.#relist();
        },
        onGarbage: (text: string) => this.#tellGarbage(text),
      };
      const connection = await connectServer(this.#definition, this.#place, listeners, this.#closing.signal);
      this.#connection = connection;
      this.#listed = connection.tools;
      this.#startedAt = this.#place.monotonic();
      this.#failure = null;
      this.#needsAuth = false;
      void connection.ended.then((why) => this.#lose(connection, why));
      if (!isFirst)
        this.#place.onNotice({
          code: 'mcp_server_restarted',
          message: `The MCP server ${this.name} had ended and was started again.`,
        });
      return connection;
    } catch (error) {
      this.#needsAuth = error instanceof NeedsAuthError;
      // It is there, and waits for a person.
      if (this.#needsAuth) this.#failure = errorText(error);
      else this.#noteFailure(errorText(error));
      throw error;
    }
  }

  /** The longer, the more often it ended. @throws Error where the session ends meanwhile */
  async #holdBack(): Promise<void> {
    const { clock, monotonic } = this.#place;
    const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, this.#failures - 1));
    let cancel: () => void = () => undefined;
    const waited = new Promise<void>((resolve) => {
      cancel = clock.after(Math.max(0, this.#endedAt + backoff - monotonic()), resolve);
    });
    await raceAbort(waited, this.#closing.signal);
    cancel();
    if (this.#closing.signal.aborted) throw new Error('the session ended');
  }

  #lose(connection: Connection, why: string): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    if (this.#closing.signal.aborted) return;
    if (this.#place.monotonic() - this.#startedAt >= STEADY_MS) this.#failures = 0;
    this.#noteFailure(why);
  }

  #noteFailure(why: string): void {
    this.#failures += 1;
    this.#failure = why;
    this.#endedAt = this.#place.monotonic();
  }

  /** In the background, so that the next prompt need not wait for it. */
  #relist(): void {
    const connection = this.#connection;
    if (this.#isStale || connection === null) return;
    this.#isStale = true;
    connection.list(this.#closing.signal).then(
      (tools) => {
        if (this.#connection !== connection) return;
        this.#isStale = false;
        this.#listed = tools;
      },
      () => undefined, // asked again between two prompts
    );
  }

  #tellGarbage(text: string): void {
    if (this.#isGarbageTold) return;
    this.#isGarbageTold = true;
    void this.#place.hide(text).then((clean) =>
      this.#place.onNotice({
        code: 'mcp_server_output',
        message: `The MCP server ${this.name} sends what is no message of the protocol: ${JSON.stringify(shorten(clean, SHOWN_GARBAGE))}. It is left out, from now on without a word.`,
        remedy: 'A server that is a program writes its log to stderr, and nothing but messages to stdout.',
      }),
    );
  }
}

/** @throws Error once the signal is aborted; the work goes on for others. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('it was told to stop'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
