// One MCP server for as long as a session lasts, over any transport: connected, watched, connected again if it ended,
// and what it offers followed. One rule: what it offers changes for the session only when the session takes it, between
// two requests.
import type { MCPServerConnection, McpListedPrompt, McpListedTool, McpRequestOptions } from '../protocol/mcp.js';
import { raceAbort } from '../util/abort.js';
import { isRecord } from '../util/json.js';
import { errorText, shorten } from '../util/text.js';
import {
  type Connection,
  type ConnectPlace,
  callTool,
  connectServer,
  type RequestOptions,
  type RpcProgress,
  type ServerFacts,
} from './client/index.js';
import type { McpServerDefinition } from './server-definition.js';
import {
  hashTools,
  KnownTools,
  type KnownToolsStore,
  type ServerNotice,
  type ToolHashes,
  toolChanges,
} from './tool-changes.js';
import { NeedsAuthError, SessionLostError } from './transport.js';

export interface LastingServerPlace extends ConnectPlace {
  readonly monotonic: () => number;
  /** Told as it happens. */
  onNotice(notice: ServerNotice): void;
  /** Keeps what is known of its tools, beyond this session. Absent: that is known for this session alone. */
  readonly knownTools?: KnownToolsStore | null;
  /** Its state, or what it offers, is another now. */
  onChange?(): void;
  /** A resource that the session subscribed to says something else. */
  onResourceUpdated?(uri: string): void;
  /** It wrote to its log. */
  onLog?(entry: ServerLogEntry): void;
  /** The user came to the end of a page that it had asked for. */
  onPageCompleted?(elicitationId: string): void;
}

export interface ServerLogEntry {
  /** By the names of the protocol: `debug` to `emergency`. */
  readonly level: string;
  readonly logger: string | null;
  readonly data: unknown;
}

export interface LastingServer {
  readonly name: string;
  /** Settles with the first start, whatever came of it. Never rejects. */
  readonly started: Promise<void>;
  /** What it said of itself last; null if it never got ready. */
  readonly facts: ServerFacts | null;
  /** As it is now, whatever the session has taken of it. */
  readonly state: MCPServerConnection;
  /** What it offers from now on; what of that is new is told. */
  offer(): ServerOffer;
  /** True if it offers something else than it last did. One that ended keeps its offer until it is asked for again. */
  readonly hasNews: boolean;
  /** True if it came or went since its last offer. */
  readonly isOtherwise: boolean;
  /**
   * Between two prompts: starts it again if it ended, and lists anew if it said so. One that was never ready is not
   * waited for. Never rejects.
   */
  refresh(signal: AbortSignal): Promise<void>;
  /** Ends the connection if there is one, and makes another at once. @throws Error with why there is none */
  reconnect(signal: AbortSignal): Promise<void>;
  /** The folders of the workspace are others now. */
  tellRoots(): void;
  /** Names of tools that say something else of themselves than before, until somebody let one run all the same. */
  readonly changed: ReadonlySet<string>;
  accept(tool: string): void;
  close(): Promise<void>;
}

/** After so many ends in a row it is not started any more. */
const MAX_FAILURES = 5;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 30_000;
/** What ran that long had started well: its next end is a first one. */
const STEADY_MS = 60_000;
/** Between two lists of one that says again and again that they changed. */
const RELIST_PAUSE_MS = 200;
/** One that let the time of a call run out without a word has so long to say whether it is there, when it is needed next. */
const DEAF_MS = 10_000;
const DEAF = 'it does not answer any more, also not whether it is there.';
const SHOWN_GARBAGE = 120;
/** Subscriptions that are kept for one server. */
const MAX_SUBSCRIPTIONS = 50;
const LOG_LEVEL = 'warning';
const NOT_READY = 'it is not ready yet; its tools are there as soon as it is';

export interface ServerOffer {
  /** Its client is the same for as long as the server is. */
  readonly connection: MCPServerConnection;
  /** The very same list as long as it says the same; null if there is none now. */
  readonly tools: readonly McpListedTool[] | null;
  readonly prompts: readonly McpListedPrompt[];
}

interface Listed {
  readonly tools: readonly McpListedTool[];
  readonly hashes: ToolHashes;
}

const NOTHING: Listed = { tools: [], hashes: new Map() };

async function withHashes(tools: readonly McpListedTool[]): Promise<Listed> {
  return { tools, hashes: await hashTools(tools) };
}

type Client = NonNullable<MCPServerConnection['client']>;

/** Starts at once. */
export function openLastingServer(definition: McpServerDefinition, place: LastingServerPlace): LastingServer {
  return new RestartingServer(definition, place);
}

class RestartingServer implements LastingServer {
  readonly name: string;
  readonly started: Promise<void>;
  readonly changed = new Set<string>();
  readonly #known: KnownTools;
  readonly #definition: McpServerDefinition;
  readonly #place: LastingServerPlace;
  readonly #closing = new AbortController();
  readonly #client: Client;
  /** What the session follows, by their addresses. */
  readonly #subscribed = new Set<string>();
  #connection: Connection | null = null;
  #connecting: Promise<Connection> | null = null;
  #facts: ServerFacts | null = null;
  /** What the server lists, as last heard. */
  #listed: Listed = NOTHING;
  #prompts: readonly McpListedPrompt[] = [];
  /** What the session was told that it offers; null before it was. */
  #told: Listed | null = null;
  #offered: ServerOffer | null = null;
  /** How often it said that its tools are others, and of that what was heard. */
  #changes = 0;
  #heard = 0;
  #relisting: Promise<void> | null = null;
  #failures = 0;
  #failure: string | null = null;
  /** Somebody has to sign in before it can be used. */
  #needsAuth = false;
  #endedAt = Number.NEGATIVE_INFINITY;
  #startedAt = 0;
  #isGarbageTold = false;
  /** A connection on which time ran out, and how much had been heard on it by then. */
  #doubted: { readonly connection: Connection; readonly heard: number } | null = null;
  #asking: Promise<void> | null = null;

  constructor(definition: McpServerDefinition, place: LastingServerPlace) {
    this.name = definition.name;
    this.#definition = definition;
    this.#place = place;
    this.#known = new KnownTools(place.knownTools ?? null);
    this.#client = this.#makeClient();
    this.started = this.#ready(this.#closing.signal).then(
      () => undefined,
      () => undefined, // told by its status
    );
  }

  get facts(): ServerFacts | null {
    return this.#facts;
  }

  get hasNews(): boolean {
    if (this.#connection === null) return false;
    const { connection, prompts } = this.#offered ?? {};
    return connection?.type !== 'connected' || this.#isOther() || prompts !== this.#prompts;
  }

  get isOtherwise(): boolean {
    return this.#offered?.connection.type !== this.state.type;
  }

  get state(): MCPServerConnection {
    const { name } = this;
    if (this.#connection !== null) return { name, type: 'connected', client: this.#client };
    if (this.#connecting !== null) return { name, type: 'pending', error: this.#failure ?? NOT_READY };
    return { name, type: this.#needsAuth ? 'needs-auth' : 'failed', error: this.#failure ?? 'it ended' };
  }

  offer(): ServerOffer {
    const { name, state: connection } = this;
    if (connection.type !== 'connected') {
      this.#offered = { connection, tools: null, prompts: [] };
      return this.#offered;
    }
    const { hashes } = this.#listed;
    const changes = toolChanges(name, this.#told?.hashes ?? null, hashes, this.#known);
    if (changes !== null) this.#place.onNotice(changes);
    if (this.#told === null || changes !== null) this.#told = this.#listed;
    this.#known.meet(hashes);
    this.changed.clear();
    for (const [tool, hash] of hashes) if (this.#known.isStrange(tool, hash)) this.changed.add(tool);
    this.#offered = { connection, tools: this.#told.tools, prompts: this.#prompts };
    return this.#offered;
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const ready = this.#ready(signal);
    if (this.#told === null) return void ready.catch(() => undefined); // told by its status
    try {
      const connection = await ready;
      await raceAbort(this.#relist(connection), signal);
    } catch {
      // Told by its status, or asked again before the next prompt.
    }
  }

  async reconnect(signal: AbortSignal): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.stop();
    this.#failures = 0;
    this.#endedAt = Number.NEGATIVE_INFINITY;
    this.#isGarbageTold = false;
    const ready = this.#ready(signal);
    this.#place.onChange?.();
    await ready;
  }

  tellRoots(): void {
    this.#connection?.notify('notifications/roots/list_changed');
  }

  accept(tool: string): void {
    const hash = this.#told?.hashes.get(tool);
    if (!this.changed.delete(tool) || hash === undefined) return;
    this.#known.accept(tool, hash);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connecting = await this.#connecting?.catch(() => null); // one that failed has nothing to stop
    await Promise.all([(connecting ?? this.#connection)?.stop(), this.#known.kept()]);
  }

  /** True if it lists something else than it last offered. */
  #isOther(): boolean {
    const [told, listed] = [this.#told, this.#listed];
    if (told === null || this.#offered?.tools !== told.tools) return true;
    return told !== listed && toolChanges(this.name, told.hashes, listed.hashes, this.#known) !== null;
  }

  /** Two parameters of `callTool`: that is how a client says where it wants its options. */
  #makeClient(): Client {
    const plain =
      (method: string) =>
      (params: object = {}, options: McpRequestOptions = {}) =>
        this.#request(method, params, options);
    return {
      listTools: async () => ({ tools: this.#listed.tools }),
      callTool: async (params: { name: string }, options: McpRequestOptions) => this.#call(params, options),
      getServerCapabilities: () => this.#facts?.capabilities,
      getServerVersion: () => this.#facts ?? undefined,
      getInstructions: () => this.#facts?.instructions,
      listResources: plain('resources/list'),
      listResourceTemplates: plain('resources/templates/list'),
      readResource: plain('resources/read'),
      listPrompts: async () => ({ prompts: this.#prompts }),
      getPrompt: plain('prompts/get'),
      complete: plain('completion/complete'),
      subscribeResource: async ({ uri }, options) => {
        if (this.#subscribed.has(uri) || this.#subscribed.size >= MAX_SUBSCRIPTIONS) return;
        // Known before the answer: news may come first.
        this.#subscribed.add(uri);
        await this.#request('resources/subscribe', { uri }, options ?? {}).catch((error: unknown) => {
          this.#subscribed.delete(uri);
          throw error;
        });
      },
    };
  }

  async #request(method: string, params: object, options: McpRequestOptions): Promise<unknown> {
    const { signal = this.#closing.signal } = options;
    const connection = await this.#usable(signal);
    return this.#orDoubted(connection, signal, () => connection.request(method, params, withProgress(signal, options)));
  }

  async #call(params: { readonly name: string }, options: McpRequestOptions, isAgain = false): Promise<unknown> {
    const { signal = this.#closing.signal } = options;
    const connection = await this.#usable(signal);
    // What a server lists may be anything.
    const tool = this.#listed.tools.find((each: McpListedTool | null) => each?.name === params.name);
    if (tool === undefined) throw new Error(`by now it has no tool ${shorten(params.name, 100)}`);
    try {
      return await this.#orDoubted(connection, signal, () =>
        callTool(connection, tool, params, withProgress(signal, options), this.#place.clock),
      );
    } catch (error) {
      // It was not carried out, so it is made again in a new session; a second such answer is told.
      if (!(error instanceof SessionLostError) || isAgain) throw error;
      return this.#call(params, options, true);
    }
  }

  /** A connection whose server said nothing until time ran out is not trusted again unseen. @throws what `work` does */
  async #orDoubted<T>(connection: Connection, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { heard } = connection;
    try {
      return await work();
    } catch (error) {
      if (isOutOfTime(signal) && connection.heard === heard) this.#doubted = { connection, heard };
      throw error;
    }
  }

  /** As `#ready`; but one that is in doubt is asked whether it is there, and takes a new connection if it is not. */
  async #usable(signal: AbortSignal): Promise<Connection> {
    const connection = await this.#ready(signal);
    const { connection: doubted, heard = 0 } = this.#doubted ?? {};
    if (connection !== doubted) return connection;
    if (connection.heard === heard) {
      this.#asking ??= this.#ask(connection).finally(() => {
        this.#asking = null;
      });
      await orAborted(this.#asking, signal);
    }
    return this.#ready(signal);
  }

  /** Until it said something, or is gone. Never rejects. */
  async #ask(connection: Connection): Promise<void> {
    const late = new AbortController();
    const cancel = this.#place.clock.after(DEAF_MS, () => late.abort());
    const { heard } = connection;
    await connection.ping(late.signal).catch(() => undefined); // it is lost, which is told, or its time is over
    cancel();
    if (this.#doubted?.connection === connection) this.#doubted = null;
    if (!late.signal.aborted || connection.heard > heard || this.#connection !== connection) return;
    // Nobody uses it from here on, and the next is not made beside it.
    this.#connection = null;
    await connection.stop();
    this.#noteFailure(DEAF);
    this.#place.onChange?.();
  }

  /** The connection; one that ended is made anew, once for all who ask. @throws Error */
  #ready(signal: AbortSignal): Promise<Connection> {
    if (this.#connection !== null) return Promise.resolve(this.#connection);
    if (this.#closing.signal.aborted) return Promise.reject(new Error('the session ended'));
    if (this.#failures >= MAX_FAILURES && this.#definition.isRemote !== true)
      return Promise.reject(new Error(`${this.#failure} It is not started again.`));
    this.#connecting ??= this.#start().finally(() => {
      this.#connecting = null;
      if (!this.#closing.signal.aborted) this.#place.onChange?.();
    });
    return orAborted(this.#connecting, signal);
  }

  async #start(): Promise<Connection> {
    const isFirst = this.#endedAt === Number.NEGATIVE_INFINITY;
    if (!isFirst) await this.#holdBack();
    try {
      this.#heard = this.#changes;
      const listeners = {
        onNotification: (method: string, params: unknown) => this.#hear(method, params),
        onGarbage: (text: string) => this.#tellGarbage(text),
      };
      const connection = await connectServer(this.#definition, this.#place, listeners, this.#closing.signal);
      const [listed] = await Promise.all([withHashes(connection.tools), this.#known.read()]);
      this.#connection = connection;
      this.#facts = connection.facts;
      this.#listed = listed;
      this.#prompts = connection.prompts;
      this.#startedAt = this.#place.monotonic();
      this.#failure = null;
      this.#needsAuth = false;
      void connection.ended.then((why) => this.#lose(connection, why));
      this.#begin(connection);
      // It said so while it got ready.
      if (this.#heard < this.#changes) this.#relist(connection).catch(() => undefined); // asked again between two prompts
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

  /** What is said to a server that just got ready. */
  #begin({ facts, request }: Connection): void {
    const { signal } = this.#closing;
    const ask = (method: string, params: object) => void request(method, params, { signal }).catch(() => undefined); // a wish
    if (facts.capabilities['logging'] !== undefined && this.#place.onLog !== undefined)
      ask('logging/setLevel', { level: LOG_LEVEL });
    for (const uri of this.#subscribed) ask('resources/subscribe', { uri });
  }

  /** The longer, the more often it ended. @throws Error if the session ends meanwhile */
  async #holdBack(): Promise<void> {
    const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, this.#failures - 1));
    await this.#pause(Math.max(0, this.#endedAt + backoff - this.#place.monotonic()));
  }

  /** @throws Error if the session ends meanwhile */
  async #pause(ms: number): Promise<void> {
    let cancel: () => void = () => undefined;
    const waited = new Promise<void>((resolve) => {
      cancel = this.#place.clock.after(ms, resolve);
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
    this.#place.onChange?.();
    // At once, so that whoever needs it next does not wait for the start.
    if (this.#failures < MAX_FAILURES) this.#ready(this.#closing.signal).catch(() => undefined); // told by its status
  }

  #noteFailure(why: string): void {
    this.#failures += 1;
    this.#failure = why;
    this.#endedAt = this.#place.monotonic();
  }

  #hear(method: string, params: unknown): void {
    const { uri, level, logger, data, elicitationId } = isRecord(params) ? params : {};
    const connection = this.#connection;
    switch (method) {
      case 'notifications/tools/list_changed':
        this.#changes += 1;
        // In the background, so that the next request need not wait for it.
        if (connection !== null) this.#relist(connection).catch(() => undefined); // asked again between two prompts
        return;
      case 'notifications/prompts/list_changed':
        connection?.listPrompts(this.#closing.signal).then(
          (prompts) => {
            this.#prompts = prompts;
            this.#place.onChange?.();
          },
          () => undefined, // they stay as they were
        );
        return;
      case 'notifications/resources/updated':
        if (typeof uri === 'string' && this.#subscribed.has(uri)) this.#place.onResourceUpdated?.(uri);
        return;
      case 'notifications/message':
        if (typeof level === 'string')
          this.#place.onLog?.({ level, logger: typeof logger === 'string' ? logger : null, data });
        return;
      case 'notifications/elicitation/complete':
        if (typeof elicitationId === 'string') this.#place.onPageCompleted?.(elicitationId);
        return;
      default:
        // Of no use here: resources are listed when they are asked for.
        return;
    }
  }

  /** Until all is heard that it said. */
  #relist(connection: Connection): Promise<void> {
    this.#relisting ??= this.#listAgain(connection).finally(() => {
      this.#relisting = null;
    });
    return this.#relisting;
  }

  async #listAgain(connection: Connection): Promise<void> {
    for (let lists = 0; this.#heard < this.#changes && this.#connection === connection; lists += 1) {
      // One that says so with each list must not be asked without end at full speed.
      if (lists > 0) await this.#pause(RELIST_PAUSE_MS);
      const changes = this.#changes;
      const tools = await withHashes(await connection.listTools(this.#closing.signal));
      if (this.#connection !== connection) return;
      this.#heard = changes;
      this.#listed = tools;
      this.#place.onChange?.();
    }
  }

  #tellGarbage(text: string): void {
    if (this.#isGarbageTold) return;
    this.#isGarbageTold = true;
    void this.#place.hide(text).then((clean) =>
      this.#place.onNotice({
        code: 'mcp_server_output',
        message: `The MCP server ${this.name} sends what is not a message of the protocol: ${JSON.stringify(shorten(clean, SHOWN_GARBAGE))}. It is left out, from now on without a word.`,
        remedy: 'A server that is a program writes its log to stderr, and nothing but messages to stdout.',
      }),
    );
  }
}

function isOutOfTime({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.name === 'TimeoutError';
}

function withProgress(signal: AbortSignal, { onprogress }: McpRequestOptions): RequestOptions {
  if (onprogress === undefined) return { signal };
  return { signal, onProgress: (progress: RpcProgress) => onprogress(progress) };
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
