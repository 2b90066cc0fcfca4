// What is kept of signing in to MCP servers, and where a host may keep it.

/** Of one server. Plain data, and secret as a whole. */
export interface McpCredentials {
  /** The authorization server that all of this belongs to: none of it is ever shown to another. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** The ways to say who asks that the token endpoint knows; absent: it did not say. */
  readonly authMethods?: readonly string[];
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Where the client was registered to be sent back to. */
  readonly redirectUri?: string;
  /** Absent: only the client is known, and somebody has to sign in. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** When it is refreshed before it is used: milliseconds since 1970 by the clock of this machine. Absent: once it is refused. */
  readonly expiresAt?: number;
  /** What was granted, by spaces. */
  readonly scope?: string;
  /** What the server asked for beyond that; the next sign-in asks for it too. */
  readonly wantedScope?: string;
  /** The resource that tokens are for. */
  readonly resource?: string;
}

/**
 * Where credentials of MCP servers are kept: by default the file of `turnwright login`, which only its owner can read.
 * Servers are named by a key of their name and address, so that another address never gets the credentials of this one.
 */
export interface McpTokenStore {
  /** Null if nothing is kept. */
  read(server: string): Promise<McpCredentials | null>;
  /** Null forgets. */
  write(server: string, credentials: McpCredentials | null): Promise<void>;
  /**
   * Runs `work` while nobody else runs work for this server, in other processes too: a refresh token is used once.
   * Absent: sessions of this process wait for each other, and those of others do not.
   */
  exclusive?<T>(server: string, work: () => Promise<T>): Promise<T>;
}
