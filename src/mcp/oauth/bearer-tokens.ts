// The token that goes with each request to a server, and what follows when it is refused: a refresh, once for all who
// wait for it, in other processes too. One rule: a refresh token is sent to the issuer that gave it, and is used once.
import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  OAuthError,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import type { McpToken } from '../../protocol/control.js';
import type { McpCredentials, McpTokenStore } from '../../protocol/mcp.js';
import { errorText, shorten } from '../../util/text.js';
import { NeedsAuthError } from '../transport.js';
import { type AuthPlace, checkEndpoint, credentialsKey } from './signing-in.js';

/** What a server said when it refused a request. Untrusted. */
export interface Challenge {
  readonly scope?: string;
  readonly resourceMetadataUrl?: URL;
}

/** As the library's transports take it, in words of our own: published types need no library. */
export interface BearerTokens {
  /** Before each request. */
  token(): Promise<string | undefined>;
  /** After a 401; then the request is sent once more. */
  onUnauthorized(refused: { readonly response: Response }): Promise<void>;
  /** What was asked for last; null before. */
  readonly challenge: Challenge | null;
  /** A call needs rights that the token does not have: notes them for the next sign-in. @returns what the call fails with */
  needMore(error: { readonly requiredScope?: string }): Promise<Error>;
  /** What was kept may be other by now. */
  forget(): void;
  /** From now on this one, until it is refused or forgotten. */
  use(token: McpToken): void;
}

/** A token is refreshed so long before it ends, so that none ends on its way; one of a short life at half of it. */
const MARGIN_MS = 30_000;
/** What is said to last longer says nothing. */
const LONGEST_LIFE_MS = 10 * 365 * 86_400_000;
const MAX_SCOPE = 1_000;

export function createBearerTokens(place: AuthPlace): BearerTokens {
  return new Tokens(place);
}

class Tokens implements BearerTokens {
  challenge: Challenge | null = null;
  readonly #place: AuthPlace;
  readonly #key: string;
  #kept: McpCredentials | null | undefined;
  #refreshing: Promise<McpCredentials> | null = null;

  constructor(place: AuthPlace) {
    this.#place = place;
    this.#key = credentialsKey(place);
  }

  async token(): Promise<string | undefined> {
    this.#kept ??= await this.#read();
    const kept = this.#kept;
    if (kept?.accessToken === undefined) return undefined;
    const isOver = kept.expiresAt !== undefined && this.#place.clock.now() >= kept.expiresAt;
    if (!isOver || kept.refreshToken === undefined) return kept.accessToken;
    try {
      return (await this.#refreshed(kept.accessToken)).accessToken;
    } catch (error) {
      if (error instanceof NeedsAuthError) return undefined; // the server says so too, with what it wants
      return kept.accessToken; // clocks differ, so it may be good all the same
    }
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    this.challenge = {
      ...(scope === undefined ? {} : { scope: shorten(scope, MAX_SCOPE) }),
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    };
    const used = this.#kept?.accessToken;
    const stored = await this.#read();
    if (stored?.accessToken !== undefined && stored.accessToken !== used) {
      this.#kept = stored; // another session refreshed it, or somebody signed in
      return;
    }
    if (stored?.refreshToken === undefined || used === undefined) throw new NeedsAuthError();
    await this.#refreshed(used);
  }

  async needMore({ requiredScope = '' }: { readonly requiredScope?: string }): Promise<Error> {
    const scope = shorten(requiredScope, MAX_SCOPE);
    const stored = await this.#read();
    if (stored !== null) {
      const wantedScope = computeScopeUnion(stored.scope, stored.wantedScope, scope);
      await this.#write({ ...stored, ...(wantedScope === undefined ? {} : { wantedScope }) });
    }
    const rights = scope === '' ? '' : ` (${scope})`;
    return new Error(
      `this needs more rights than you gave it${rights}. The user can sign in again: turnwright mcp login ${this.#place.name}`,
    );
  }

  forget(): void {
    this.#kept = undefined;
  }

  use({ accessToken, expiresAt }: McpToken): void {
    this.#place.onSecret(accessToken, `token of the MCP server ${this.#place.name}`);
    const nobody = { issuer: '', tokenEndpoint: '', clientId: '' };
    this.#kept = { ...nobody, accessToken, ...(expiresAt === undefined ? {} : { expiresAt }) };
  }

  async #read(): Promise<McpCredentials | null> {
    const found = await this.#place.store.read(this.#key);
    for (const secret of [found?.accessToken, found?.refreshToken, found?.clientSecret])
      if (secret !== undefined) this.#place.onSecret(secret, `token of the MCP server ${this.#place.name}`);
    return found;
  }

  async #write(credentials: McpCredentials): Promise<void> {
    await this.#place.store.write(this.#key, credentials);
    this.#kept = credentials;
  }

  /** @param used the token that is not good any more. @throws NeedsAuthError; Error if nobody answers */
  #refreshed(used: string): Promise<McpCredentials> {
    this.#refreshing ??= exclusively(this.#place.store, this.#key, () => this.#refresh(used)).finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refresh(used: string): Promise<McpCredentials> {
    const stored = await this.#read();
    // Whoever was first has a new one by now.
    if (stored?.accessToken !== undefined && stored.accessToken !== used) {
      this.#kept = stored;
      return stored;
    }
    if (stored?.refreshToken === undefined) throw new NeedsAuthError();
    const { url, clock } = this.#place;
    const endpoint = checkEndpoint(stored.tokenEndpoint, 'for tokens', url);
    try {
      const tokens = await refreshAuthorization(stored.issuer, {
        metadata: metadataOf(stored, endpoint),
        clientInformation: clientOf(stored),
        refreshToken: stored.refreshToken,
        ...(stored.resource === undefined ? {} : { resource: stored.resource }),
        fetchFn: (address, init) => this.#place.fetch(address, init),
      });
      const next = withTokens(stored, tokens, clock.now());
      this.#place.onSecret(tokens.access_token, `token of the MCP server ${this.#place.name}`);
      await this.#write(next);
      return next;
    } catch (error) {
      if (!(error instanceof OAuthError) || isTemporary(error)) throw error;
      // Refused for good: the client stays known, if it is not the client itself that is refused.
      const { accessToken: _, refreshToken: __, expiresAt: ___, ...client } = stored;
      const isClient = error.code === 'invalid_client' || error.code === 'unauthorized_client';
      await this.#place.store.write(this.#key, isClient ? null : client);
      this.#kept = null;
      throw new NeedsAuthError(
        `the sign-in is over (${shorten(errorText(error.code), 60)}); somebody has to sign in again.`,
      );
    }
  }
}

function isTemporary({ code }: OAuthError): boolean {
  return ['server_error', 'temporarily_unavailable', 'too_many_requests'].includes(String(code));
}

/** What the library needs of an authorization server to ask for tokens. */
function metadataOf({ issuer, authMethods }: McpCredentials, tokenEndpoint: URL) {
  return {
    issuer,
    token_endpoint: tokenEndpoint.href,
    authorization_endpoint: tokenEndpoint.href,
    response_types_supported: ['code'],
    ...(authMethods === undefined ? {} : { token_endpoint_auth_methods_supported: [...authMethods] }),
  };
}

export function clientOf({ clientId, clientSecret }: Pick<McpCredentials, 'clientId' | 'clientSecret'>) {
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
}

interface GivenTokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

/** @param now milliseconds since 1970 */
export function withTokens(client: McpCredentials, tokens: GivenTokens, now: number): McpCredentials {
  const { accessToken: _, expiresAt: __, refreshToken: earlier, scope: granted, ...rest } = client;
  const { access_token, refresh_token = earlier, expires_in, scope = granted } = tokens;
  return {
    ...rest,
    accessToken: access_token,
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...endOf((expires_in ?? 0) * 1_000, now),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** By the clock of this machine alone, whatever the server takes the time for. */
function endOf(lifeMs: number, now: number): Pick<McpCredentials, 'expiresAt'> {
  if (!(lifeMs > 0 && lifeMs <= LONGEST_LIFE_MS)) return {};
  return { expiresAt: now + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) };
}

function exclusively<T>(store: McpTokenStore, key: string, work: () => Promise<T>): Promise<T> {
  return store.exclusive === undefined ? work() : store.exclusive(key, work);
}
