// What signing in to one server takes: who the client is, where it is kept, the way there, and which addresses the server may name.
// One rule: secrets go over TLS or stay on this machine, and a server elsewhere names nothing on this machine.
import type { HostClock, HostIds } from '../../host/host.js';
import type { McpToken } from '../../protocol/control.js';
import type { McpTokenStore } from '../../protocol/mcp.js';
import { shorten } from '../../util/text.js';

/** Signing in to one server, while a session lasts. */
export interface ServerAuth {
  /**
   * Begins to sign in.
   * @param redirectUri the address at which the host itself takes the user back; absent: one of this machine
   * @throws Error in words that follow the name of the server and a colon
   */
  begin(redirectUri?: string): Promise<BegunSignIn>;
  /** True if the server asked for more rights than were given. */
  wantsMore(): Promise<boolean>;
  /** Finishes what was begun. @throws Error in such words */
  submit(callback: string): Promise<void>;
  /** Forgets all that is kept of this server. */
  clear(): Promise<void>;
  /** Uses a token that somebody got elsewhere, as long as the session lasts. It is not kept. */
  use(token: McpToken): void;
  /** Nobody waits for a browser any more. */
  close(): void;
}

interface BegunSignIn {
  /** For the user's browser. */
  readonly authUrl: string;
  /** Settles with the tokens; rejects if it was given up. */
  readonly done: Promise<void>;
}

/** `oauth` of a definition: what somebody registered by hand. */
export interface OAuthTerms {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Address of a document that says what the client is: its id if the authorization server takes such ids. */
  readonly clientMetadataUrl?: string;
  /** Port of the address that the browser is sent back to; absent: any free one. */
  readonly callbackPort?: number;
  /** Asked for instead of what the server names, by spaces. */
  readonly scopes?: string;
}

export interface AuthPlace {
  /** The name of the server, for people. */
  readonly name: string;
  readonly url: URL;
  readonly terms: OAuthTerms;
  readonly store: McpTokenStore;
  fetch(address: string | URL, init?: RequestInit): Promise<Response>;
  readonly clock: Pick<HostClock, 'now' | 'after'>;
  readonly ids: Pick<HostIds, 'uuid'>;
  /** Told of each secret before it is used. */
  onSecret(value: string, kind: string): void;
}

/** What credentials are kept by: a server of the same name at another address gets none of them. */
export function credentialsKey({ name, url }: Pick<AuthPlace, 'name' | 'url'>): string {
  return `${name} ${url.href}`;
}

/** @param what the address is for, in words that follow "the address" @throws Error */
export function checkEndpoint(address: string, what: string, server: URL): URL {
  const shown = JSON.stringify(shorten(address, 200));
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) throw new Error(`the address ${what} is not a valid one: ${shown}`);
  if (url.username !== '' || url.password !== '') throw new Error(`the address ${what} has a user in it: ${shown}`);
  if (isLoopback(url)) {
    if (isLoopback(server) && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
    throw new Error(`the address ${what} is on this machine, and the server is not: ${shown}`);
  }
  if (url.protocol === 'https:') return url;
  throw new Error(`the address ${what} does not begin with https: ${shown}`);
}

/** True for this machine itself. */
export function isLoopback({ hostname }: URL): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
