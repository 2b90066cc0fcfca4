// One MCP server as a session has it: what it was given as, how it stands, what the session took of it, and who is signed in to it.
// One rule: how a server stands is read off it here alone.
import type { Command } from '../../context/slash-commands.js';
import type { LastingServer } from '../../mcp/lasting-server.js';
import type { ServerAuth } from '../../mcp/oauth/index.js';
import type { ServerListing } from '../../mcp/offer-tools.js';
import { argumentHint, promptBlocks, readArguments } from '../../mcp/prompts.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import { isUsableName, mcpToolName } from '../../mcp/tool-names.js';
import type { TransportPlace } from '../../mcp/transport.js';
import type { McpToken } from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import type { MCPServerConnection, McpClient, McpListedPrompt, McpServerStatus } from '../../protocol/mcp.js';
import { linkAbort } from '../../util/abort.js';
import { isRecord } from '../../util/json.js';
import { errorText, shorten } from '../../util/text.js';

export interface ServerEntry {
  readonly name: string;
  /** Null for one that the host connected. */
  readonly definition: McpServerDefinition | null;
  /** What the host gave; else what stands for a server that is switched off. */
  readonly given: MCPServerConnection | null;
  /** Set for one that `set` added. */
  readonly identity: string | null;
  server: LastingServer | null;
  isOff: boolean;
  /** What the session has of it now; null before its first. */
  listing: ServerListing | null;
  prompts: readonly McpListedPrompt[];
  /** What the session takes next, of a server that the host connected. */
  next: { readonly listing: ServerListing; readonly prompts: readonly McpListedPrompt[] } | null;
  /** Lines of its log that became notices. */
  logged: number;
}

const SWITCHED_OFF = 'it was switched off in this session';

export function newEntry(
  given: McpServerDefinition | MCPServerConnection,
  identity: string | null = null,
): ServerEntry {
  const isConnection = 'type' in given && !('command' in given) && !('open' in given);
  return {
    name: given.name,
    definition: isConnection ? null : (given as McpServerDefinition),
    given: isConnection ? (given as MCPServerConnection) : null,
    identity,
    server: null,
    isOff: false,
    listing: null,
    prompts: [],
    next: null,
    logged: 0,
  };
}

export function stateOf({ name, server, given, isOff, next }: ServerEntry): MCPServerConnection {
  if (isOff) return { name, type: 'disabled', error: SWITCHED_OFF };
  if (server !== null) return server.state;
  if (given !== null && next !== null)
    return next.listing.status.status === 'connected'
      ? given
      : { name, type: next.listing.status.status, ...errorOf(next.listing.status) };
  return given === null || given.type === 'connected' ? { name, type: 'pending' } : given;
}

function errorOf({ error }: McpServerStatus) {
  return error === undefined ? {} : { error };
}

export function statusOf(entry: ServerEntry): McpServerStatus {
  const { name, type, error } = stateOf(entry);
  return { name, status: type, ...(error === undefined || type === 'connected' ? {} : { error }) };
}

/** The status with all that is known of the server. */
export function factsOf(entry: ServerEntry): McpServerStatus {
  const status = statusOf(entry);
  const client = stateOf(entry).client;
  const info = client?.getServerVersion?.();
  const capabilities = client?.getServerCapabilities?.();
  const { scope, config } = entry.definition ?? entry.given ?? {};
  return {
    ...status,
    ...(info === undefined ? {} : { serverInfo: { name: info.name, version: info.version } }),
    ...(config === undefined ? {} : { config }),
    ...(scope === undefined ? {} : { scope }),
    ...(isRecord(capabilities) ? { capabilities } : {}),
    ...(status.status === 'connected' ? { tools: (listingOf(entry)?.listed ?? []).flatMap(toolFacts) } : {}),
  };
}

function listingOf({ server, listing, next }: ServerEntry): ServerListing | null {
  return server === null ? (next?.listing ?? listing) : listing;
}

function toolFacts(tool: unknown): NonNullable<McpServerStatus['tools']>[number][] {
  const { name, description, annotations } = isRecord(tool) ? tool : {};
  if (typeof name !== 'string') return [];
  const { readOnlyHint, destructiveHint, openWorldHint } = isRecord(annotations) ? annotations : {};
  const hints = {
    ...(typeof readOnlyHint === 'boolean' ? { readOnly: readOnlyHint } : {}),
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint } : {}),
    ...(typeof openWorldHint === 'boolean' ? { openWorld: openWorldHint } : {}),
  };
  const about = typeof description === 'string' ? { description } : {};
  return [{ name, ...about, ...(Object.keys(hints).length === 0 ? {} : { annotations: hints }) }];
}

// Prompts of MCP servers as slash commands: `/mcp__<server>__<prompt>`, with what is typed behind them as arguments. One
// rule: the server is asked when the user calls the command, and at no other time.

const MAX_DESCRIPTION = 300;
/** The user waits for it. Milliseconds. */
const PROMPT_TIMEOUT_MS = 60_000;

/** Contract: what a server lists that is no prompt is left out; of two with one name the first counts. */
export function promptCommands(
  server: string,
  client: McpClient,
  prompts: readonly McpListedPrompt[],
  ended: AbortSignal,
): Command[] {
  const commands = new Map<string, Command>();
  for (const prompt of prompts) {
    const title: unknown = prompt?.name;
    if (typeof title !== 'string' || title === '') continue;
    const name = mcpToolName(server, title);
    if (!isUsableName(name) || commands.has(name)) continue;
    const { description, title: shown = title } = prompt;
    const text = typeof description === 'string' && description.trim() !== '' ? description : String(shown);
    commands.set(name, {
      type: 'prompt',
      name,
      description: `${shorten(text.replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION)} (MCP server ${server})`,
      argumentHint: argumentHint(prompt),
      expand: (typed) => expand(server, client, prompt, typed, ended),
    });
  }
  return [...commands.values()];
}

/** @throws ConfigError with what is wrong, for the user */
async function expand(server: string, client: McpClient, prompt: McpListedPrompt, typed: string, ended: AbortSignal) {
  const { name } = prompt;
  // A signal of a time that another signal stands on may be collected, and then never comes (Node 20).
  const late = AbortSignal.timeout(PROMPT_TIMEOUT_MS);
  const { controller, release } = linkAbort(ended);
  const onLate = () => controller.abort(late.reason);
  late.addEventListener('abort', onLate, { once: true });
  const { signal } = controller;
  try {
    if (client.getPrompt === undefined) throw new Error('it gives no prompts');
    const answer = await client.getPrompt({ name, arguments: readArguments(prompt, typed) }, { signal });
    return promptBlocks(server, name, answer);
  } catch (error) {
    throw new ConfigError(`The prompt ${name} of the MCP server ${server} cannot be used. ${errorText(error)}`);
  } finally {
    late.removeEventListener('abort', onLate);
    release();
  }
}

interface SignInPlace {
  /** @throws ConfigError if there is none of that name */
  find(name: string): ServerEntry;
  /** Where a connection to it is made. */
  placeOf(entry: ServerEntry): TransportPlace;
  /** Connects it again. Never rejects. */
  connectAgain(name: string): Promise<void>;
}

export class ServerSignIn {
  readonly #place: SignInPlace;
  /** Of servers that somebody signed in to, or tried to. */
  readonly #auths = new Map<string, ServerAuth>();
  /** Servers that somebody signed in to just now. */
  readonly #returning = new Set<Promise<void>>();

  constructor(place: SignInPlace) {
    this.#place = place;
  }

  /** Servers that are connected again by now. None of these rejects. */
  get returning(): readonly Promise<void>[] {
    return [...this.#returning];
  }

  /**
   * Begins to sign in to a server; it is connected again as soon as that is done.
   * @returns the address for the user's browser; null if nothing is missing
   * @throws ConfigError if nobody signs in to it; Error with what is wrong with it
   */
  async begin(name: string, redirectUri?: string): Promise<string | null> {
    const auth = await this.#authOf(name);
    const { type } = stateOf(this.#place.find(name));
    if (type === 'connected' && !(await auth.wantsMore())) return null;
    const { authUrl, done } = await named(name, auth.begin(redirectUri));
    done.then(() => this.#signedIn(name)).catch(() => undefined); // it was given up; its status says so
    return authUrl;
  }

  /** @throws ConfigError, Error */
  async submit(name: string, callback: string): Promise<void> {
    const auth = await this.#authOf(name);
    await named(name, auth.submit(callback));
    await this.#signedIn(name);
  }

  /** Contract: nothing of it is kept, and the connection that used it is gone, when this settles. @throws ConfigError */
  async clear(name: string): Promise<void> {
    await (await this.#authOf(name)).clear();
    await this.#signedIn(name);
  }

  /** Uses a token that was got elsewhere, for this session alone. @throws ConfigError */
  async use(name: string, token: McpToken): Promise<void> {
    (await this.#authOf(name)).use(token);
    await this.#signedIn(name);
  }

  /** The server is gone. */
  forget(name: string): void {
    this.#auths.get(name)?.close();
    this.#auths.delete(name);
  }

  close(): void {
    for (const auth of this.#auths.values()) auth.close();
  }

  async #authOf(name: string): Promise<ServerAuth> {
    const entry = this.#place.find(name);
    const known = this.#auths.get(name);
    if (known !== undefined) return known;
    const { definition } = entry;
    const auth =
      definition !== null && 'open' in definition ? await definition.auth?.(this.#place.placeOf(entry)) : null;
    if (auth == null)
      throw new ConfigError(
        `Nobody signs in to the MCP server ${name}: it is a program, has credentials in its headers, or is reached without TLS.`,
      );
    this.#auths.set(name, auth);
    return auth;
  }

  /** What follows is told by its status. */
  #signedIn(name: string): Promise<void> {
    const work = this.#place.connectAgain(name).finally(() => this.#returning.delete(work));
    this.#returning.add(work);
    return work;
  }
}

async function named<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Error(`The MCP server ${name}: ${errorText(error)}.`, { cause: error });
  }
}
