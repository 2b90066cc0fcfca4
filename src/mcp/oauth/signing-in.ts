// What signing in to one server takes: who the client is, where it is kept, the way there.
import type { HostClock, HostIds } from '../../host/host.js';
import type { McpTokenStore } from '../../protocol/mcp-auth.js';

/** `oauth` of a definition: what somebody registered by hand. */
export interface OAuthTerms {
  readonly clientId?: string;
  readonly clientSecret?: string;
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
