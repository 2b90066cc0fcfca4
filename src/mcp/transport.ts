// One way to an MCP server: JSON-RPC messages in and out, and the two ways it can fail that mean something to whoever uses it. What the
// messages mean is the business of `client/`, how long a server lasts that of `lasting-server.ts`. One rule: a transport is used
// for one connection, and then thrown away.
import type { HostClock, HostExec, HostIds } from '../host/host.js';
import type { McpTokenStore } from '../protocol/mcp.js';
import type { TransportChoice } from '../providers/http/index.js';
import type { CommandSandbox } from '../sandbox/command-sandbox.js';

/** Contract: nothing is called before `start`, nor after `ended` settled. */
export interface TransportListeners {
  /** One message as it was parsed: an object, or an array of them from servers of an older version. */
  onMessage(message: unknown): void;
  /** Something came that is no message. */
  onGarbage(text: string): void;
  /**
   * A message did not come through: an answer too long to be read, or a request that could not be sent.
   * @param head how the message began: its `id` says which request fails
   */
  onLost(head: string, error: Error): void;
}

export interface McpTransport {
  /**
   * Opens it. Contract: settles soon after the signal aborts.
   * @throws Error in words that follow "the server cannot be used:"; nothing of it is left then
   */
  start(listeners: TransportListeners, signal: AbortSignal): Promise<void>;
  /**
   * @param headers of this message; a way without headers leaves them
   * Contract: never throws. What cannot be sent ends the transport, or fails that one request by `onLost`.
   */
  send(message: object, headers?: Readonly<Record<string, string>>): void;
  /** Told after the handshake, before anything else is sent. */
  setProtocolVersion?(version: string): void;
  /** How it ended, in words that follow the name of the server; settles once. Never rejects. */
  readonly ended: Promise<string>;
  /** What the server said last outside the protocol, for people: begins with a space; '' if it said nothing. */
  lastWords?(): Promise<string>;
  /** After a call: takes back what the sandbox could not hold beforehand, and tells it. */
  inspect?(): Promise<void>;
  /** Nothing of it is alive when this settles. May be called again, also before `start`. Never rejects. */
  close(): Promise<void>;
}

/** What a session gives the transports of its servers. */
export interface TransportPlace {
  readonly exec: Pick<HostExec, 'open'>;
  readonly clock: Pick<HostClock, 'after'>;
  readonly cwd: string;
  /** Of the session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null if servers run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** Takes secrets out of what a server said. */
  hide(text: string): Promise<string>;
  /** What ways over the network need besides. Absent: there is no network. @throws ConfigError */
  network?(): Promise<NetworkPlace>;
}

export interface NetworkPlace {
  readonly clock: Pick<HostClock, 'after' | 'now'>;
  readonly ids: Pick<HostIds, 'uuid'>;
  readonly exec: Pick<HostExec, 'run'>;
  /** For commands that print headers: without the keys of models. */
  readonly env: Readonly<Record<string, string>>;
  /** The proxy and the authorities for an address; undefined: straight. */
  routeTo(address: string): Promise<TransportChoice | undefined>;
  readonly tokens: McpTokenStore;
  /** Told of each secret before it is used. */
  onSecret(value: string, kind: string): void;
}

/** An error that the other side answered with, or that it is answered with. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export class SessionLostError extends Error {
  constructor() {
    super('it does not know the session any more (HTTP 404); it was started again perhaps.');
    this.name = 'SessionLostError';
  }
}

/** Contract: its text is for people, and names no token. */
export class NeedsAuthError extends Error {
  constructor(why = 'somebody has to sign in to it first.') {
    super(why);
    this.name = 'NeedsAuthError';
  }
}
