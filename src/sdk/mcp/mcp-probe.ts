// One MCP server of the configuration, outside of any session: whether it can be reached and what it offers, and signing in
// to it. What `turnwright mcp list`, `test`, `login` and `logout` do.

import path from 'node:path';
import type { Host } from '../../host/host.js';
import { type LastingServer, openLastingServer } from '../../mcp/lasting-server.js';
import type { ServerAuth } from '../../mcp/oauth/index.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import type { TransportPlace } from '../../mcp/transport.js';
import { ConfigError } from '../../protocol/errors.js';
import type { McpListedTool, McpServerConfig, McpServerStatus } from '../../protocol/mcp.js';
import { createSecrets } from '../../providers/keys/index.js';
import { type KnownToolsFile, openKnownToolsFile } from '../../session/mcp/index.js';
import { serverNetwork } from '../../session/tools/index.js';
import { modelOptions } from '../models/index.js';
import { withSettings } from '../settings/index.js';
import { readMcpServers } from './mcp-options.js';

export interface ProbedServer extends Omit<McpServerStatus, 'tools'> {
  readonly tools: readonly Pick<McpListedTool, 'name' | 'description'>[];
  /** Those that say something else of themselves than ever before. */
  readonly strange: readonly string[];
  /** Until it was ready, milliseconds. */
  readonly readyMs: number;
}

export interface ProbeOptions {
  readonly cwd: string;
  /** Longest wait for one, milliseconds. */
  readonly timeoutMs: number;
  /** True: as if somebody vouched for the folder. */
  readonly isTrusted: boolean;
  /** True: what their tools say counts as known from now on. */
  readonly accepts?: boolean;
  /** Only these; absent: all. */
  readonly names?: readonly string[];
  /** Servers beside those of files. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
}

/** Each is started, asked for its tools, and ended; all at the same time. @throws ConfigError */
export async function probeServers(host: Host, options: ProbeOptions): Promise<readonly ProbedServer[]> {
  const { place, definitions, others } = await openPlace(host, options);
  const problems: string[] = [];
  const known = openKnownToolsFile(host, place.env, {
    mayWrite: options.accepts === true,
    onProblem: (problem) => problems.push(problem),
  });
  const probed = await Promise.all(definitions.map((definition) => probe(host, definition, place, known, options)));
  if (options.accepts === true && problems[0] !== undefined) throw new ConfigError(problems[0]);
  return [...others.map((status) => ({ ...status, tools: [], strange: [], readyMs: 0 })), ...probed];
}

async function openPlace(host: Host, { cwd, isTrusted, names, mcpServers }: ProbeOptions) {
  const { options, settings } = await withSettings({ cwd, ...(isTrusted ? { trustFolder: true } : {}) }, host);
  const env = { ...host.env, ...options.env };
  const project = settings?.effective ?? null;
  const { definitions, connections } = readMcpServers(
    mcpServers,
    project,
    { host, env, cwd: path.resolve(cwd) },
    names,
  );
  const models = await modelOptions(options, host);
  const secrets = createSecrets();
  const place: TransportPlace = {
    exec: host.exec,
    clock: host.clock,
    cwd,
    env,
    sandbox: null,
    hide: async (text) => {
      let clean = text;
      for (const secret of secrets.values.keys()) clean = clean.replaceAll(secret, '[secret]');
      return clean;
    },
    network: async () => serverNetwork({ models }, { host, env, secrets }),
  };
  const others = connections.map(
    ({ name, type, error }): McpServerStatus => ({
      name,
      status: type,
      ...(error === undefined ? {} : { error }),
    }),
  );
  return { place, definitions, others };
}

async function probe(
  host: Host,
  definition: McpServerDefinition,
  place: TransportPlace,
  known: KnownToolsFile,
  { timeoutMs, accepts }: ProbeOptions,
): Promise<ProbedServer> {
  const since = host.clock.monotonic();
  const server: LastingServer = openLastingServer(definition, {
    ...place,
    monotonic: () => host.clock.monotonic(),
    startTimeoutMs: timeoutMs,
    knownTools: known.of(definition),
    onNotice: () => undefined,
    asked: { elicit: null, roots: () => [place.cwd] },
  });
  try {
    await server.started;
    const readyMs = Math.round(host.clock.monotonic() - since);
    const { connection, tools } = server.offer();
    const { name, type, error } = connection;
    const strange = [...server.changed];
    if (accepts === true) for (const tool of strange) server.accept(tool);
    return { name, status: type, ...(error === undefined ? {} : { error }), tools: tools ?? [], strange, readyMs };
  } finally {
    await server.close();
  }
}

/**
 * Signs in to a server, or forgets what is kept of it.
 * @throws ConfigError if there is no such server, or nobody signs in to it
 */
export async function serverAuth(host: Host, cwd: string, name: string): Promise<ServerAuth> {
  const { definitions, others, place } = await openPlace(host, { cwd, timeoutMs: 0, isTrusted: false, names: [name] });
  const definition = definitions.find((each) => each.name === name);
  const other = others.find((each) => each.name === name);
  if (definition === undefined) {
    if (other === undefined)
      throw new ConfigError(`There is no MCP server ${name} here. "turnwright mcp list" shows them.`);
    throw new ConfigError(`The MCP server ${name} is not used here: ${other.error ?? other.status}.`);
  }
  const auth = 'open' in definition ? ((await definition.auth?.(place)) ?? null) : null;
  if (auth !== null) return auth;
  throw new ConfigError(
    `Nobody signs in to the MCP server ${name}: it is a program, has credentials in its headers, or is reached without TLS.`,
  );
}
