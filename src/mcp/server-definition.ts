// What is said of an MCP server that a session opens: its terms, and the way to it. One rule: a definition is whole before
// anything starts.

import { isRecord } from '../util/json.js';
import { HTTP_FIELDS, type HttpTerms, isHttpType, type OpenedHttpServer, readHttpTerms } from './http/index.js';
import type { ServerAuth } from './oauth/index.js';
import type { McpTransport, TransportPlace } from './transport.js';

export interface ServerTerms {
  readonly name: string;
  /** Longest call, milliseconds; absent: as the session's limits say. */
  readonly toolTimeoutMs?: number;
  /** Who named it, as `McpServerStatus` says it. */
  readonly scope?: string;
  /** What may be shown of its definition. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** True if it is not a process of this session: after it failed often it is still tried again when it is needed. */
  readonly isRemote?: boolean;
  /** It runs in the program of the host: it starts with the session, whose first message waits so long for it, milliseconds. */
  readonly firstWaitMs?: number;
  /** What makes it the server that it is, for what is kept of its tools. Absent: as the program and its arguments say; or nothing is kept. */
  readonly identity?: string;
  /** Asked before each start: why it may not be started now, in words that follow its name; null if it may. */
  check?(): Promise<string | null>;
}

/** A server that is a program of this machine. */
export interface StdioServerDefinition extends ServerTerms {
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that is reached in another way. */
export interface TransportServerDefinition extends ServerTerms {
  /** A new transport for each connection, not started. */
  open(place: TransportPlace): Promise<McpTransport>;
  /** Absent if nobody signs in to it. @throws ConfigError */
  auth?(place: TransportPlace): Promise<ServerAuth | null>;
}

export type McpServerDefinition = StdioServerDefinition | TransportServerDefinition;

const FIELDS = ['type', 'command', 'args', 'env', 'timeout'];

/** The definition, or what is wrong with it in words that follow "it". */
export function readDefinition(name: string, config: unknown): McpServerDefinition | string {
  if (!isRecord(config)) return 'is not an object';
  const { command, args = [], env = {}, timeout } = config;
  // Other programs write a url alone.
  const { type = command === undefined && config['url'] !== undefined ? 'http' : 'stdio' } = config;
  if (!isTimeout(timeout)) return 'has a timeout that is not a number of milliseconds';
  if (isHttpType(type)) {
    const terms = readHttpTerms(name, { ...config, type });
    return typeof terms === 'string' ? terms : httpServer(terms, timeout);
  }
  if (type !== 'stdio')
    return `has the type ${typeof type === 'string' ? JSON.stringify(type) : String(type)}; stdio, http and sse can be used`;
  if (typeof command !== 'string' || command.trim() === '') return 'has no command';
  if (!Array.isArray(args) || !args.every((each) => typeof each === 'string')) return 'has args that are not texts';
  if (!isRecord(env) || !Object.values(env).every((each) => typeof each === 'string'))
    return 'has an env that is not an object of texts';
  if ([command, ...args, ...Object.entries(env).flat()].some((each) => String(each).includes('\0')))
    return 'has a NUL character in it';
  const odd = Object.keys(env).find((variable) => variable === '' || variable.includes('='));
  if (odd !== undefined) return `names a variable ${JSON.stringify(odd)}, which is none`;
  const terms = timeout === undefined ? {} : { toolTimeoutMs: timeout };
  return { name, command, args: args as string[], env: env as Record<string, string>, ...terms };
}

function isTimeout(timeout: unknown): timeout is number | undefined {
  return timeout === undefined || (typeof timeout === 'number' && Number.isFinite(timeout) && timeout >= 0);
}

/** Keys of a definition that mean nothing here. */
export function unknownFields(config: object): string[] {
  const known = 'type' in config && isHttpType(config.type) ? HTTP_FIELDS : FIELDS;
  return Object.keys(config).filter((key) => !known.includes(key));
}

/** A server that is reached by HTTP. What speaks HTTP is loaded with its first connection. */
function httpServer(terms: HttpTerms, toolTimeoutMs: number | undefined) {
  let opened: Promise<OpenedHttpServer> | null = null;
  const server = (place: TransportPlace): Promise<OpenedHttpServer> => {
    opened ??= import('./http/open-http-server.js').then(({ openHttpServer }) => openHttpServer(terms, place));
    return opened;
  };
  return {
    name: terms.name,
    identity: terms.url.href,
    isRemote: true,
    ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
    open: async (place: TransportPlace) => (await server(place)).connect(),
    ...(terms.oauth === null ? {} : { auth: async (place: TransportPlace) => (await server(place)).auth }),
  };
}
