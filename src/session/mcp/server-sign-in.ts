// Signing in to the MCP servers of a session, and out of them. One rule: a server whose credentials changed is connected
// again at once, and a prompt that comes meanwhile waits for it as for servers that come back.
import type { ServerAuth } from '../../mcp/oauth/index.js';
import type { TransportPlace } from '../../mcp/transport.js';
import type { McpToken } from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { type ServerEntry, stateOf } from './server-entry.js';

export interface SignInPlace {
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
