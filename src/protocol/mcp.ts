// MCP server configuration and tool results. Structural types, so that nothing of an MCP library is loaded to name them.

export type McpStdioServerConfig = {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
};

export type McpSSEServerConfig = {
  readonly type: 'sse';
  readonly url: string;
  readonly headers?: Record<string, string>;
};

export type McpHttpServerConfig = {
  readonly type: 'http';
  readonly url: string;
  readonly headers?: Record<string, string>;
};

/** A server that runs in this process. Made by `createSdkMcpServer()`. */
export type McpSdkServerConfigWithInstance = {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: McpSdkServer;
};

export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

/** An in-process server: the tools it has, and a way to call one. */
export interface McpSdkServer {
  readonly name: string;
  readonly version: string;
  listTools(): readonly {
    readonly name: string;
    readonly description: string;
    readonly annotations?: ToolAnnotations;
  }[];
  /** Validates `args`, then runs the tool. Contract: never throws; a failure is `isError: true` with its text. */
  callTool(name: string, args: unknown, extra: { readonly signal: AbortSignal }): Promise<CallToolResult>;
}

export interface McpServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  readonly error?: string;
}

/** A connected server, as `QueryEngineConfig.mcpClients` takes it. */
export interface MCPServerConnection {
  readonly name: string;
  readonly type: 'connected' | 'failed' | 'pending' | 'needs-auth' | 'disabled';
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
