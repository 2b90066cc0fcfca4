// The MCP servers of a session: connected side by side, one set for the session and all its subagents. One rule: a server
// that is slow or fails is told, and keeps nobody from working with the others.
import { type Command, toSlashCommand } from '../../context/slash-commands.js';
import type { Host } from '../../host/host.js';
import { openLastingServer } from '../../mcp/lasting-server.js';
import { listing, listServer, offerTools, serverInstructions, withoutTools } from '../../mcp/offer-tools.js';
import {
  createResourceTools,
  hasResources,
  listResources,
  type ResourceAccess,
  readResource,
} from '../../mcp/resource-tools.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import { type ServerLists, whyNotListed } from '../../mcp/server-lists.js';
import { mcpServerRule } from '../../mcp/tool-names.js';
import { ConfigError } from '../../protocol/errors.js';
import type {
  MCPServerConnection,
  McpClient,
  McpCompleteParams,
  McpListedPrompt,
  McpServerStatus,
} from '../../protocol/mcp.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { AnyTool, Tools } from '../../tools/tool.js';
import { raceAbort, type SharedSignal, shareSignal } from '../../util/abort.js';
import { isRecord } from '../../util/json.js';
import { errorText, shorten } from '../../util/text.js';
import {
  factsOf,
  newEntry,
  promptCommands,
  type ServerEntry,
  ServerSignIn,
  stateOf,
  statusOf,
} from './server-entry.js';
import { type NewsPlace, ServerNews } from './server-news.js';

/** A session that has said what it is starts its servers; one that has nothing to say starts them after so long. */
const START_LATEST_MS = 250;
/** The first request waits for servers that long; slower ones join later. */
const FIRST_WAIT_MS = 5_000;
/** A later prompt waits that long for servers that ended or changed. */
const LATER_WAIT_MS = 2_000;
/** What lists its tools at once is in the first message of the session. */
const HOST_WAIT_MS = 5;
const BYTES_A_TOKEN = 3;

export interface SessionServersPlace extends NewsPlace {
  /** What settings say of servers there may be; null: nothing. */
  readonly lists: ServerLists | null;
  /** Names of tools that are there without them. */
  readonly taken: readonly string[];
  /** True for a tool that would be denied anyway: it is not offered, as with the built-in ones. */
  isDenied(tool: string): boolean;
  /** Those of the session without those of its servers. */
  commands(): readonly Command[];
}

/** A server that is added while the session runs. */
export interface NewServer {
  readonly given: McpServerDefinition | MCPServerConnection;
  /** Its definition as JSON: the same text is the same server. Null: it stays when the host sets others. */
  readonly identity: string | null;
  /** As it was given, for what settings say of servers. Default: `given`. */
  readonly config?: unknown;
}

export class SessionServers {
  /** Signing in to them, and out of them. */
  readonly signIn: ServerSignIn;
  readonly #place: SessionServersPlace;
  readonly #ended: AbortSignal;
  /** The same as one listener, however many servers are asked at the same time. */
  readonly #endedWithAll: SharedSignal;
  readonly #entries: ServerEntry[];
  readonly #resourceTools: readonly AnyTool[];
  readonly #news: ServerNews;
  readonly #firsts: Promise<unknown>[] = [];
  readonly #cancelStart: () => void;
  #isStarted = false;
  #tools: Tools = [];
  #commands: readonly Command[] = [];
  #hasNews = false;
  #isJoined = false;
  #statusKey: string;

  /** @param ended aborted when the session ends */
  constructor(
    connections: readonly MCPServerConnection[],
    definitions: readonly McpServerDefinition[],
    place: SessionServersPlace,
    ended: AbortSignal,
  ) {
    this.#place = place;
    this.#ended = ended;
    this.#endedWithAll = shareSignal(ended);
    this.#news = new ServerNews(place, ended, () => this.#changed());
    this.signIn = new ServerSignIn({
      find: (name) => this.#find(name),
      placeOf: (entry) => this.#news.placeOf(entry),
      connectAgain: (name) => this.#connectAgain(name),
    });
    this.#resourceTools = createResourceTools(this.#access());
    this.#entries = [...connections.map((given) => newEntry(given)), ...definitions.map((given) => newEntry(given))];
    // To start a process takes longer than all else of a session's start, which none of them holds up.
    for (const entry of this.#entries) if (isOfHost(entry)) this.#firsts.push(this.#begin(entry));
    this.#cancelStart = place.host.clock.after(START_LATEST_MS, () => this.#start());
    this.#statusKey = keyOf(this.statuses());
  }

  /** What they offer, as the session took it last. */
  get tools(): Tools {
    return this.#tools;
  }

  /** Their prompts as slash commands. */
  get commands(): readonly Command[] {
    return this.#commands;
  }

  /** How to use their tools, as servers say that have some of these; '' if they say nothing. */
  instructionsFor(tools: Tools): string {
    const has = (server: string) => tools.some(({ name }) => name.startsWith(`${mcpServerRule(server)}__`));
    return serverInstructions(this.#said().filter(({ name }) => has(name))).text;
  }

  get names(): readonly string[] {
    return this.#entries.map(({ name }) => name);
  }

  /** True if `take` would change what the session has. */
  get hasNews(): boolean {
    return this.#hasNews || this.#entries.some((entry) => entry.server?.hasNews === true && entry.listing !== null);
  }

  /** In the order they were given, those of the host first. */
  statuses(): McpServerStatus[] {
    return this.#entries.map(statusOf);
  }

  /** The same with all that is known of each. */
  facts(): McpServerStatus[] {
    return this.#entries.map(factsOf);
  }

  /** What the host connected and answers at once: it is there from the first message on. */
  async takeFirst(): Promise<void> {
    const { clock } = this.#place.host;
    const most = Math.max(...this.#entries.map(({ definition }) => definition?.firstWaitMs ?? 0), HOST_WAIT_MS);
    if (this.#firsts.length > 0) await waitFor(Promise.all(this.#firsts), clock, most, this.#ended);
    this.#take(isOfHost);
  }

  /** Before the first request: waits a while for all of them. At a later prompt at once. */
  async join(signal: AbortSignal): Promise<void> {
    if (this.#isJoined) return;
    this.#start();
    const both = AbortSignal.any([signal, this.#ended]);
    await waitFor(Promise.all(this.#firsts), this.#place.host.clock, FIRST_WAIT_MS, both);
    if (signal.aborted) return;
    this.#isJoined = true;
    this.#hasNews = true;
  }

  /** Between two prompts: has those that ended, or changed, come back. The first prompt has them as they just started. */
  async refresh(): Promise<void> {
    if (!this.#isJoined) return;
    const late = new AbortController();
    const work = this.#entries.map(async (entry) => {
      // Each with a signal of its own: if more than ten listen to one, Node warns of a leak.
      if (!entry.isOff) await entry.server?.refresh(AbortSignal.any([late.signal]));
    });
    await waitFor(Promise.all([...work, ...this.signIn.returning]), this.#place.host.clock, LATER_WAIT_MS, late.signal);
    late.abort();
    if (this.#entries.some(({ server }) => server?.isOtherwise === true)) this.#hasNews = true;
  }

  /** From now on the session has what they offer by now; what of that is new is told. */
  take(): void {
    this.#take(() => true);
  }

  /** What changed of resources that the session read, once. */
  takeUpdates(): readonly { readonly server: string; readonly uri: string }[] {
    return this.#news.takeUpdates();
  }

  tellRoots(): void {
    for (const { server } of this.#entries) server?.tellRoots();
  }

  /** @throws Error with why it is not connected */
  async reconnect(name: string): Promise<void> {
    this.#start();
    const entry = this.#find(name);
    const { server } = entry;
    if (entry.isOff)
      throw new ConfigError(`The MCP server ${name} is switched off. Switch it on with toggleMcpServer.`);
    if (server === null) {
      if (entry.given?.type === 'connected') return this.#list(entry);
      throw new ConfigError(
        `The MCP server ${name} cannot be connected from here: ${entry.given?.error ?? 'the host connects it'}.`,
      );
    }
    try {
      await server.reconnect(this.#ended);
    } catch (error) {
      throw new Error(`The MCP server ${name} cannot be used: ${errorText(error)}`);
    } finally {
      this.#changed();
    }
  }

  /** Contract: a server that is switched off is gone when this settles. @throws Error */
  async toggle(name: string, isOn: boolean): Promise<void> {
    const entry = this.#find(name);
    if (entry.definition === null && entry.given?.type === 'disabled')
      throw new ConfigError(`The MCP server ${name} is not used: ${entry.given.error ?? 'the host switched it off'}.`);
    this.#start();
    if (entry.isOff === !isOn) return;
    entry.isOff = !isOn;
    this.#hasNews = true;
    if (isOn) await waitFor(this.#begin(entry), this.#place.host.clock, FIRST_WAIT_MS, this.#ended);
    else {
      const { server } = entry;
      entry.server = null;
      await server?.close();
    }
    this.#changed();
  }

  /** The servers that were added while the session runs become these. Those that it was opened with stay. */
  async set(
    servers: readonly NewServer[],
  ): Promise<{ added: string[]; removed: string[]; errors: Record<string, string> }> {
    const isKept = ({ name, identity }: ServerEntry) =>
      identity === null || servers.some((one) => one.given.name === name && one.identity === identity);
    const gone = this.#entries.filter((each) => !isKept(each)).map(({ name }) => name);
    return this.exchange(gone, servers);
  }

  /** Servers go, and others come. One that is there already stays as it is. */
  async exchange(
    gone: readonly string[],
    servers: readonly NewServer[],
  ): Promise<{ added: string[]; removed: string[]; errors: Record<string, string> }> {
    const added: string[] = [];
    const removed: string[] = [];
    const errors: Record<string, string> = {};
    for (const entry of this.#entries.filter(({ name }) => gone.includes(name))) {
      this.#entries.splice(this.#entries.indexOf(entry), 1);
      this.signIn.forget(entry.name);
      removed.push(entry.name);
      await entry.server?.close();
    }
    const starting: Promise<void>[] = [];
    for (const { given, identity, config = given } of servers) {
      const known = this.#entries.find(({ name }) => name === given.name);
      if (known !== undefined) {
        if (known.identity === null) errors[given.name] = 'the session was opened with a server of that name';
        continue;
      }
      const why = this.#place.lists === null ? null : whyNotListed(given.name, config, this.#place.lists);
      if (why !== null) {
        errors[given.name] = why;
        continue;
      }
      const entry = newEntry(given, identity);
      this.#entries.push(entry);
      added.push(entry.name);
      starting.push(this.#begin(entry));
    }
    await waitFor(Promise.all(starting), this.#place.host.clock, FIRST_WAIT_MS, this.#ended);
    for (const entry of this.#entries.filter(({ name }) => added.includes(name))) {
      const { type, error } = stateOf(entry);
      if (type === 'failed') errors[entry.name] = error ?? 'it failed';
    }
    if (added.length + removed.length > 0) this.#hasNews = true;
    this.#changed();
    return { added, removed, errors };
  }

  /** @throws Error if there is no such server or resource */
  async readResource(name: string, uri: string, signal: AbortSignal): ReturnType<typeof readResource> {
    const client = await this.#readyClientOf(name, signal);
    const contents = await readResource(client, uri, signal);
    this.#news.follow(name, client, uri);
    return contents;
  }

  /**
   * A tool of a server by its full name, once the server is there.
   * @throws ConfigError if there is none, a rule denies it, or the host has the server itself
   */
  async toolOf(name: string, signal: AbortSignal): Promise<AnyTool> {
    const entry = this.#entries.find((each) => name.startsWith(`${mcpServerRule(each.name)}__`));
    if (entry === undefined)
      throw new ConfigError(
        `There is no MCP server of the tool ${shorten(name, 100)}. Servers: ${this.names.join(', ')}.`,
      );
    if (entry.definition === null)
      throw new ConfigError(`The MCP server ${entry.name} is one of the host's own: call its tool there.`);
    const find = () => this.#tools.find((tool) => tool.name === name);
    if (find() === undefined) {
      await this.#readyClientOf(entry.name, signal);
      // Before the first prompt nobody has taken its tools; later they come with the next.
      if (!this.#isJoined) this.take();
    }
    const found = find();
    if (found !== undefined) return found;
    throw new ConfigError(
      `The MCP server ${entry.name} has no tool ${shorten(name, 100)} in this session, or a rule denies it.`,
    );
  }

  /** What a server proposes for an argument of a prompt or of a template. @throws Error */
  async complete(name: string, params: McpCompleteParams, signal: AbortSignal): Promise<readonly string[]> {
    const client = await this.#readyClientOf(name, signal);
    const capabilities = client.getServerCapabilities?.();
    if (client.complete === undefined || !isRecord(capabilities) || capabilities['completions'] === undefined)
      return [];
    const answer = await client.complete(params, { signal });
    const { completion } = isRecord(answer) ? answer : {};
    const { values } = isRecord(completion) ? completion : {};
    return Array.isArray(values) ? values.filter((value) => typeof value === 'string').slice(0, 100) : [];
  }

  /** Nothing of them is alive when this settles. May be called again. */
  async close(): Promise<void> {
    this.#cancelStart();
    this.signIn.close();
    await Promise.all(this.#entries.map(({ server }) => server?.close()));
  }

  #take(isMeant: (entry: ServerEntry) => boolean): void {
    this.#hasNews = false;
    for (const entry of this.#entries.filter(isMeant)) this.#takeOne(entry);
    const listings = this.#entries.flatMap(({ listing: taken }) => (taken === null ? [] : [taken]));
    const { limits, taken, isDenied } = this.#place;
    const offered = offerTools(listings, taken, (server) => this.#termsOf(server, limits));
    const resourceTools = this.#entries.some((entry) => this.#offersResources(entry)) ? this.#resourceTools : [];
    const free = resourceTools.filter(({ name }) => !taken.includes(name));
    this.#tools = [...free, ...offered.tools].filter(({ name }) => !isDenied(name));
    for (const notice of offered.notices) this.#news.tell(notice);
    this.#takeCommands();
    for (const server of serverInstructions(this.#said()).cut)
      this.#news.tell({
        code: 'mcp_instructions_cut',
        message: `What the MCP server ${server} says about its use is too long for the system prompt, and was cut.`,
      });
  }

  #takeOne(entry: ServerEntry): void {
    const { server } = entry;
    if (entry.isOff) {
      entry.listing = withoutTools({ name: entry.name, type: 'disabled' });
      entry.prompts = [];
    } else if (server !== null) {
      const { connection, tools, prompts } = server.offer();
      entry.listing = tools === null ? withoutTools(connection) : listing(connection, tools);
      entry.prompts = prompts;
    } else if (entry.next !== null) {
      entry.listing = entry.next.listing;
      entry.prompts = entry.next.prompts;
    }
  }

  #takeCommands(): void {
    const before = this.#commands;
    this.#commands = this.#entries.flatMap((entry) => {
      const client = entry.listing?.connection.client;
      return client === undefined ? [] : promptCommands(entry.name, client, entry.prompts, this.#ended);
    });
    const isSame =
      before.length === this.#commands.length && before.every(({ name }, at) => name === this.#commands[at]?.name);
    if (isSame) return;
    const commands = [...this.#place.commands(), ...this.#commands].map(toSlashCommand);
    this.#place.onDraft({ type: 'system', subtype: 'commands_changed', commands });
  }

  #said(): { readonly name: string; readonly instructions: string }[] {
    return this.#entries.flatMap(({ name, listing: taken }) => {
      const instructions = taken?.connection.client?.getInstructions?.();
      return typeof instructions === 'string' && instructions !== '' ? [{ name, instructions }] : [];
    });
  }

  /** What a server is given for one call or request; undefined: what any tool is. */
  #timeoutOf(entry: ServerEntry | undefined, { mcpToolTimeoutMs }: EngineLimits): number | undefined {
    return entry?.definition?.toolTimeoutMs ?? (mcpToolTimeoutMs === 0 ? undefined : mcpToolTimeoutMs);
  }

  #termsOf(server: string, limits: EngineLimits) {
    const { mcpOutputTokens } = limits;
    const entry = this.#entries.find(({ name }) => name === server);
    const toolTimeoutMs = this.#timeoutOf(entry, limits);
    return {
      ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
      ...(entry?.definition === null ? { session: this.#news.sessionOf(entry) } : {}),
      ...(mcpOutputTokens === 0 ? {} : { maxShownBytes: mcpOutputTokens * BYTES_A_TOKEN }),
      ...(entry?.server == null
        ? {}
        : {
            changed: {
              has: (tool: string) => entry.server?.changed.has(tool) ?? false,
              accept: (tool: string) => entry.server?.accept(tool),
            },
          }),
    };
  }

  /** Those that the session connects itself begin, once. */
  #start(): void {
    if (this.#isStarted || this.#ended.aborted) return;
    this.#isStarted = true;
    this.#cancelStart();
    for (const entry of this.#entries)
      if (entry.definition !== null && entry.server === null && !entry.isOff) this.#firsts.push(this.#begin(entry));
  }

  /** Starts it, or lists what the host connected. Never rejects. */
  async #begin(entry: ServerEntry): Promise<void> {
    if (entry.definition === null) return this.#list(entry);
    entry.server = openLastingServer(entry.definition, this.#news.placeOf(entry));
    await entry.server.started;
  }

  async #list(entry: ServerEntry): Promise<void> {
    const { given } = entry;
    if (given === null) return;
    const { host } = this.#place;
    entry.next = await this.#endedWithAll.use(async (ended) => ({
      listing: await listServer(given, host.clock, ended),
      prompts: await hostPrompts(given.client, ended),
    }));
    this.#hasNews = true;
    this.#changed();
  }

  /** With other credentials. Never rejects. */
  async #connectAgain(name: string): Promise<void> {
    const entry = this.#entries.find((each) => each.name === name);
    if (entry === undefined || entry.isOff || this.#ended.aborted) return;
    await entry.server?.reconnect(this.#ended).catch(() => undefined);
    this.#hasNews = true;
    this.#changed();
  }

  #changed(): void {
    if (this.#ended.aborted) return;
    const statuses = this.statuses();
    const key = keyOf(statuses);
    if (key === this.#statusKey) return;
    this.#statusKey = key;
    this.#place.onDraft({ type: 'system', subtype: 'mcp_status_change', servers: statuses });
  }

  #offersResources(entry: ServerEntry): boolean {
    return hasResources(entry.listing?.connection.client);
  }

  #access(): ResourceAccess {
    const { host, limits } = this.#place;
    return {
      names: () => this.#entries.filter((entry) => this.#offersResources(entry)).map(({ name }) => name),
      list: (server, signal) => listResources(this.#clientOf(server), host.clock, signal),
      read: (server, uri, signal) => this.readResource(server, uri, signal),
      timeoutOf: (server) =>
        this.#timeoutOf(
          this.#entries.find(({ name }) => name === server),
          limits,
        ),
      ...(limits.mcpOutputTokens === 0 ? {} : { maxShownBytes: limits.mcpOutputTokens * BYTES_A_TOKEN }),
    };
  }

  #find(name: string): ServerEntry {
    const entry = this.#entries.find((each) => each.name === name);
    if (entry !== undefined) return entry;
    const names = this.names;
    const known = names.length === 0 ? 'This session has none.' : `Servers: ${names.join(', ')}.`;
    throw new ConfigError(`There is no MCP server ${shorten(String(name), 100)}. ${known}`);
  }

  /** Waits a while for one that is on its way. @throws ConfigError */
  async #readyClientOf(name: string, signal: AbortSignal): Promise<McpClient> {
    if (stateOf(this.#find(name)).type === 'pending') {
      this.#start();
      const started = this.#find(name).server?.started ?? Promise.all(this.#firsts);
      await waitFor(started, this.#place.host.clock, FIRST_WAIT_MS, AbortSignal.any([signal, this.#ended]));
    }
    return this.#clientOf(name);
  }

  #clientOf(name: string): McpClient {
    const { client, type, error } = stateOf(this.#find(name));
    if (client !== undefined) return client;
    throw new ConfigError(
      `The MCP server ${name} is not connected (${type})${error === undefined ? '' : `: ${error}`}.`,
    );
  }
}

/** True for one that the host connected, or that runs in its program. */
function isOfHost({ definition }: ServerEntry): boolean {
  return definition === null || definition.firstWaitMs !== undefined;
}

function keyOf(statuses: readonly McpServerStatus[]): string {
  return JSON.stringify(statuses.map(({ name, status }) => [name, status]));
}

async function hostPrompts(client: McpClient | undefined, signal: AbortSignal): Promise<readonly McpListedPrompt[]> {
  const capabilities = client?.getServerCapabilities?.();
  if (client?.listPrompts === undefined || !isRecord(capabilities) || capabilities['prompts'] === undefined) return [];
  try {
    const answer = await client.listPrompts({}, { signal });
    const { prompts } = isRecord(answer) ? answer : {};
    return Array.isArray(prompts) ? prompts : [];
  } catch {
    return []; // without its prompts, as without those of a server that we connect
  }
}

/** Contract: `work` must not reject. */
async function waitFor(work: Promise<unknown>, clock: Host['clock'], ms: number, signal: AbortSignal): Promise<void> {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort());
  await raceAbort(work, AbortSignal.any([late.signal, signal]));
  cancel();
}
