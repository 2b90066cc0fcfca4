// MCP servers: their configuration, what their tools give, and what is kept of signing in to them. Structural types, so that
// nothing of an MCP library is loaded to name them.
import type { JsonSchema } from './json.js';

export type McpStdioServerConfig = {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
};

/** A server of the older kind, with a stream of events. */
export type McpSSEServerConfig = McpRemoteServerConfig & { readonly type: 'sse' };

/** A server by Streamable HTTP. */
export type McpHttpServerConfig = McpRemoteServerConfig & { readonly type: 'http' };

/** What servers that are reached over the network have in common. */
export interface McpRemoteServerConfig {
  /** Of http or https, without a user in it. */
  readonly url: string;
  /** Sent with each request to its origin. With an `authorization` in it nobody is asked to sign in. */
  readonly headers?: Record<string, string>;
  /** A line for the shell that prints more headers as a JSON object, within 10 seconds, before each connection. */
  readonly headersHelper?: string;
  /** Longest call, milliseconds; 0: no limit. Default: `limits.mcpToolTimeoutMs`. */
  readonly timeout?: number;
  /** How to sign in. Default: what the server says; false: nobody is asked to. */
  readonly oauth?: McpOAuthConfig | false;
}

/** What somebody registered by hand with an authorization server. */
export interface McpOAuthConfig {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Address of a document of client metadata: the client's id at servers that take such ids. */
  readonly clientMetadataUrl?: string;
  /** Port of `http://localhost:PORT/callback`, where the browser comes back to. Default: any that is free. */
  readonly callbackPort?: number;
  /** Asked for in place of what the server names, by spaces. */
  readonly scopes?: string;
}

/**
 * A server that runs in this process: made by `createSdkMcpServer()`, or an `McpServer` or `Server` of
 * `@modelcontextprotocol/sdk` (1.x) or `@modelcontextprotocol/server` (2.x). One of these serves one session at a time.
 */
export type McpSdkServerConfigWithInstance<Instance = McpSdkServer | ConnectableMcpServer> = {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: Instance;
};

/** What is used of a server of the published libraries. */
export interface ConnectableMcpServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

/** An in-process server: the tools it has, and a way to call one. */
export interface McpSdkServer {
  readonly name: string;
  readonly version: string;
  listTools(): readonly McpListedTool[];
  /** Validates `args`, then runs the tool. Contract: never throws; a failure is `isError: true` with its text. */
  callTool(name: string, args: unknown, extra: McpCallExtra): Promise<CallToolResult>;
}

/** What a tool of an in-process server may know of its call, and do in its session while the call runs. */
export interface McpCallExtra {
  readonly signal: AbortSignal;
  /** Of the call; unique within its server. */
  readonly requestId?: string | number;
  readonly sessionId?: string;
  /** What came with the call; its `progressToken` goes into `notifications/progress`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Says how far the call is (`notifications/progress`), or writes to the log (`notifications/message`). */
  sendNotification?(notification: { readonly method: string; readonly params?: object }): Promise<void>;
  /**
   * Asks the session, as a server may: `elicitation/create`, `sampling/createMessage`, `roots/list`.
   * Contract: rejects with an Error if that is not allowed or not known.
   */
  sendRequest?(request: { readonly method: string; readonly params?: object }, schema?: unknown): Promise<unknown>;
}

/** The session that a call of an in-process server belongs to. */
export interface McpCallSession {
  readonly sessionId: string;
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

export interface McpServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  /** Why it is not connected, for people. */
  readonly error?: string;
  /** What it calls itself. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** How it is reached: no values of headers and variables, which may be secrets. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Who named it: `dynamic` for the host and the command line, `project` for `.mcp.json`, else the settings. */
  readonly scope?: string;
  /** What it can do, by the names of the protocol. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    /** What the server says of it: hints, and no permission. */
    readonly annotations?: {
      readonly readOnly?: boolean;
      readonly destructive?: boolean;
      readonly openWorld?: boolean;
    };
  }[];
}

/** A server that the host connected to, as `QueryEngineConfig.mcpClients` takes it. */
export interface MCPServerConnection {
  readonly name: string;
  readonly type: McpServerStatus['status'];
  /** Needed if the type is `connected`. The host closes it, not the session. */
  readonly client?: McpClient;
  /** Why it is not connected, for people. */
  readonly error?: string;
  /** As in `McpServerStatus`. */
  readonly scope?: string;
  /** As in `McpServerStatus`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/**
 * What is used of an MCP client. The `Client` of `@modelcontextprotocol/sdk` (1.x) and of
 * `@modelcontextprotocol/client` (2.x) are such clients, and so is any object with the first two methods.
 */
export interface McpClient {
  /** One page of the tools; asked again with `nextCursor` while there is one. */
  listTools(
    params?: { readonly cursor?: string },
    options?: McpRequestOptions,
  ): Promise<{ readonly tools: readonly McpListedTool[]; readonly nextCursor?: string | undefined }>;
  /**
   * Runs a tool; resolves with a `CallToolResult`. Contract: options are passed as the second argument if the
   * method declares two parameters, else as the third, as the published clients want it.
   */
  callTool(
    params: { readonly name: string; readonly arguments?: Record<string, unknown> },
    ...options: never[]
  ): Promise<unknown>;
  /** What the server said it can do; absent or undefined: tools, and nothing else. */
  getServerCapabilities?(): object | undefined;
  getServerVersion?(): { readonly name: string; readonly version: string } | undefined;
  /** How to use the server, as it says. */
  getInstructions?(): string | undefined;
  listResources?(params?: { readonly cursor?: string }, options?: McpRequestOptions): Promise<unknown>;
  listResourceTemplates?(params?: { readonly cursor?: string }, options?: McpRequestOptions): Promise<unknown>;
  readResource?(params: { readonly uri: string }, options?: McpRequestOptions): Promise<unknown>;
  subscribeResource?(params: { readonly uri: string }, options?: McpRequestOptions): Promise<unknown>;
  listPrompts?(params?: { readonly cursor?: string }, options?: McpRequestOptions): Promise<unknown>;
  getPrompt?(
    params: { readonly name: string; readonly arguments?: Record<string, string> },
    options?: McpRequestOptions,
  ): Promise<unknown>;
  complete?(params: McpCompleteParams, options?: McpRequestOptions): Promise<unknown>;
}

/** What is asked of a server that completes arguments: `completion/complete`. */
export interface McpCompleteParams {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Record<string, string> };
}

export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Each progress starts the time anew. */
  readonly resetTimeoutOnProgress?: boolean;
  /** For servers of this process: the session that calls. */
  readonly session?: McpCallSession;
  onprogress?(progress: { readonly progress: number; readonly total?: number; readonly message?: string }): void;
}

/** A tool as a server lists it. */
export interface McpListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** A JSON Schema of type object. */
  readonly inputSchema: JsonSchema;
  readonly annotations?: { readonly [Hint in keyof ToolAnnotations]?: ToolAnnotations[Hint] | undefined } | undefined;
  /** `anthropic/alwaysLoad`: true, it is never left out of requests. `anthropic/searchHint`: words to find it by. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** `taskSupport: 'required'`: it runs as a task of the server. */
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
}

/** A prompt as a server lists it. */
export interface McpListedPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
}

export type AgentMcpServerSpec = string | Record<string, McpServerConfig>;

/** Hints for scheduling and display; never a permission. */
export type ToolAnnotations = {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

export type McpToolResultContent =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name?: string; description?: string; mimeType?: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text?: string; blob?: string } };

export type CallToolResult = {
  content: McpToolResultContent[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
};

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
