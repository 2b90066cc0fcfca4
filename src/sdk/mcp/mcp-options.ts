// Which MCP servers a session has: those of the option `mcpServers`, in this process or programs, and those of the
// project's files that may be started. One rule: what the host asks for and cannot have is an error, what a project asks
// for is told.
import type { ProjectServer } from '../../context/project-servers.js';
import { filesOfCommands, serverWords } from '../../context/trust.js';
import type { Host } from '../../host/host.js';
import { expandVariables, whyMissing } from '../../mcp/expand-variables.js';
import { createLinkedTransport, isConnectableServer } from '../../mcp/in-process/index.js';
import { type McpServerDefinition, readDefinition, unknownFields } from '../../mcp/server-definition.js';
import { type ServerLists, whyNotListed } from '../../mcp/server-lists.js';
import { mcpServerRule, mcpToolName } from '../../mcp/tool-names.js';
import { ConfigError } from '../../protocol/errors.js';
import type {
  ConnectableMcpServer,
  MCPServerConnection,
  McpCallExtra,
  McpCallSession,
  McpClient,
  McpRequestOptions,
  McpSdkServer,
  McpServerConfig,
} from '../../protocol/mcp.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import { PROVIDER_SECRET_VARIABLES } from '../../providers/keys/index.js';
import { childEnvironment, type PendingNotice, withoutHidden } from '../../session/config/index.js';
import type { NewServer } from '../../session/mcp/index.js';
import { isSameJson } from '../../util/json.js';
import { errorText } from '../../util/text.js';

export interface McpServersGiven {
  readonly connections: readonly MCPServerConnection[];
  /** Servers that the session opens itself. */
  readonly definitions: readonly McpServerDefinition[];
  readonly notices: readonly PendingNotice[];
  /**
   * The names that rules may use for these servers and their tools; of those that the session opens any of `named`, as they
   * were not asked yet.
   */
  names(named: readonly string[]): Promise<readonly string[]>;
}

/** What files of the project say, see `EffectiveSettings`. */
export interface ProjectServers {
  readonly servers: readonly ProjectServer[];
  readonly root: string;
  readonly values: Pick<Settings, 'allowedMcpServers' | 'deniedMcpServers'>;
}

/** What runs in this process answers at once; one that does not comes later. */
const FIRST_WAIT_MS = 5;

/** A shorter value could be anything. Characters. */
const SHORTEST_KEY = 8;

/**
 * One server a key of the option, which is its name in the names of its tools.
 * @param allowedMcpServerNames no others; absent: all
 * @param place the host, the environment of the session, and its working directory
 * @throws ConfigError if a server of the option cannot be used
 */
export function readMcpServers(
  option: Readonly<Record<string, McpServerConfig>> = {},
  project: ProjectServers | null,
  place: { readonly host: Pick<Host, 'fs' | 'sha256'>; readonly env: Host['env']; readonly cwd: string },
  allowedMcpServerNames?: readonly string[],
): McpServersGiven {
  const isAllowed = (name: string) => allowedMcpServerNames?.includes(name) ?? true;
  const lists = {
    denied: project?.values.deniedMcpServers ?? [],
    allowed: project?.values.allowedMcpServers ?? null,
  };
  const named = Object.entries(option);
  const given = named
    .filter(([name]) => isAllowed(name))
    .map(([name, config]) => {
      const made = ofOption(name, config);
      const why = whyNotListed(name, config, lists);
      return why === null ? made : ({ name, type: 'disabled', error: why } as const);
    });
  const found = project?.servers ?? [];
  const servers = found.filter(({ name }) => isAllowed(name));
  const left = [...named.map(([name]) => name), ...found.map(({ name }) => name)].filter((name) => !isAllowed(name));
  const free = servers.filter(({ name }) => !Object.hasOwn(option, name));
  const read = free.map((server) => ofProject(server, project, place, lists));
  const all = [...given, ...read];
  const notices: PendingNotice[] = [
    ...free.flatMap(notEnabled),
    ...servers.filter((one) => !free.includes(one)).map(hidden),
    ...[...new Set(left)].map(notAllowed),
    ...named.flatMap(([name, config]) => (isAllowed(name) ? notListed(name, whyNotListed(name, config, lists)) : [])),
    ...free.flatMap(({ name, config }) => notListed(name, whyNotListed(name, config, lists))),
  ];
  const connections = all.flatMap((one) => (isDefinition(one) ? [] : [one]));
  const definitions = all.flatMap((one) => (isDefinition(one) ? [one] : []));
  return { connections, definitions, notices, names: (named) => namesOf(connections, definitions, named) };
}

/** Servers that are added while a session runs: those that can be used, and what is wrong with the others. */
export function newServers(servers: Readonly<Record<string, McpServerConfig>>): {
  readonly usable: readonly NewServer[];
  readonly errors: Record<string, string>;
} {
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    throw new ConfigError('setMcpServers takes an object: a definition for each name.');
  const usable: NewServer[] = [];
  const errors: Record<string, string> = {};
  for (const [name, config] of Object.entries(servers)) {
    try {
      const isSdk = (config as { type?: unknown } | null)?.type === 'sdk';
      usable.push({ given: ofOption(name, config), identity: isSdk ? name : JSON.stringify(config), config });
    } catch (error) {
      errors[name] = errorText(error);
    }
  }
  return { usable, errors };
}

async function namesOf(
  connections: McpServersGiven['connections'],
  definitions: McpServersGiven['definitions'],
  named: readonly string[],
): Promise<string[]> {
  const listed = await Promise.all(
    connections.map(async ({ name, client }) => {
      const { tools } = (await client?.listTools()) ?? { tools: [] };
      return [mcpServerRule(name), ...tools.map((tool) => mcpToolName(name, tool.name))];
    }),
  );
  const rules = definitions.map(({ name }) => mcpServerRule(name));
  const ofOthers = named.filter((name) => rules.some((rule) => name.startsWith(`${rule}__`)));
  return [...listed.flat(), ...rules, ...ofOthers];
}

function isDefinition(one: MCPServerConnection | McpServerDefinition): one is McpServerDefinition {
  return 'command' in one || 'open' in one;
}

function ofOption(name: string, config: McpServerConfig): MCPServerConnection | McpServerDefinition {
  if (name.trim() === '') throw new ConfigError('A server in mcpServers has no name. Give it one as its key.');
  const server = sdkServerOf(name, config);
  if (server !== null) {
    if (isOwnServer(server)) return { name, type: 'connected', client: clientOf(server) };
    const { firstWaitMs = FIRST_WAIT_MS } = server as { readonly firstWaitMs?: number };
    return { name, firstWaitMs, open: async () => createLinkedTransport(server) };
  }
  const definition = readDefinition(name, config);
  if (typeof definition !== 'string') return definition;
  throw new ConfigError(`mcpServers.${name} ${definition}.`);
}

const WHY_NOT = {
  not_trusted: 'nobody vouches for it as it stands',
  not_enabled: 'settings say which servers of .mcp.json are used, and do not name it',
  disabled: 'settings switch it off',
} as const;

function ofProject(
  { name, config, file, base, files, state, owner }: ProjectServer,
  project: ProjectServers | null,
  { host, env, cwd }: Parameters<typeof readMcpServers>[2],
  lists: ServerLists,
): MCPServerConnection | McpServerDefinition {
  if (state !== 'used') return { name, type: 'disabled', error: WHY_NOT[state] };
  const failed = (error: string): MCPServerConnection => ({ name, type: 'failed', error: `${error} (${file})` });
  const { value, missing } = expandVariables(config, owner === 'project' ? withoutKeys(env) : withoutHidden(env));
  if (missing.length > 0) {
    const isKept = owner === 'project' && missing.some((variable) => env[variable] !== undefined);
    const why = isKept
      ? 'is a key for models, or hidden by settings: no server of a project gets it'
      : whyMissing(missing, env);
    return failed(`its definition names the variable ${missing.join(', ')}, which ${why}`);
  }
  // As it is used, so that a variable brings nothing past a list.
  const why = whyNotListed(name, value, lists);
  if (why !== null) return { name, type: 'disabled', error: why };
  const definition = readDefinition(name, value);
  if (typeof definition === 'string') return failed(`it ${definition}`);
  if (project === null || files === null) return definition;
  const { root } = project;
  const check = async () => {
    if (isSameJson(await filesOfCommands(host, root, [cwd, base], serverWords(config)), files)) return null;
    return 'files that it names changed since somebody vouched for it. The next session asks again';
  };
  return { ...definition, check };
}

/** What any command gets: nothing that providers of models are paid with, under whatever name, and nothing hidden. */
function withoutKeys(env: Host['env']): Host['env'] {
  const found = PROVIDER_SECRET_VARIABLES.flatMap((name) => {
    const value = env[name];
    return value === undefined || value.length < SHORTEST_KEY ? [] : [[value, name] as const];
  });
  return childEnvironment(env, { variables: new Set(PROVIDER_SECRET_VARIABLES), values: new Map(found) });
}

function notEnabled({ name, file, state, config }: ProjectServer): PendingNotice[] {
  if (state === 'not_enabled') {
    return [
      {
        code: 'mcp_server_not_used',
        message: `The MCP server ${name} (${file}) is not started: ${WHY_NOT.not_enabled}.`,
        remedy: `Name it in enabledMcpjsonServers of your own settings.`,
      },
    ];
  }
  const odd = state === 'used' && typeof config === 'object' && config !== null ? unknownFields(config) : [];
  if (odd.length === 0) return [];
  const message = `The MCP server ${name} (${file}): ${odd.slice(0, 5).join(', ')} of its definition ${odd.length === 1 ? 'has' : 'have'} no effect.`;
  return [{ code: 'option_without_effect', message }];
}

function notListed(name: string, why: string | null): PendingNotice[] {
  if (why === null) return [];
  return [{ code: 'mcp_server_not_used', message: `The MCP server ${name} is not started: ${why}.` }];
}

function notAllowed(name: string): PendingNotice {
  const message = `The MCP server ${name} is not started: the option allowedMcpServerNames does not name it.`;
  return { code: 'mcp_server_not_used', message };
}

function hidden({ name, file }: ProjectServer): PendingNotice {
  const message = `The MCP server ${name} of ${file} is not started: the option mcpServers has one of that name.`;
  return { code: 'mcp_server_not_used', message };
}

/** The server of this process that a definition names; null if it names another. @throws ConfigError */
export function sdkServerOf(name: string, config: McpServerConfig): McpSdkServer | ConnectableMcpServer | null {
  const { type, instance } = (config ?? {}) as { readonly type?: unknown; readonly instance?: unknown };
  if (type !== 'sdk') return null;
  if (isOwnServer(instance) || isConnectableServer(instance)) return instance;
  throw new ConfigError(
    `mcpServers.${name}: its instance is not a server. Give what createSdkMcpServer() made, or an McpServer of ` +
      '@modelcontextprotocol/sdk or @modelcontextprotocol/server that is not connected.',
  );
}

function extraOf(
  signal: AbortSignal,
  requestId: number,
  session: McpCallSession | undefined,
  onprogress: McpRequestOptions['onprogress'],
): McpCallExtra {
  if (session === undefined) return { signal, requestId };
  return {
    signal,
    requestId,
    sessionId: session.sessionId,
    _meta: { progressToken: requestId },
    async sendNotification({ method, params }) {
      if (signal.aborted) return;
      const { progressToken, progress, total, message } = (params ?? {}) as Record<string, unknown>;
      if (method !== 'notifications/progress') session.notify(method, params);
      else if (progressToken === requestId && typeof progress === 'number')
        onprogress?.({
          progress,
          ...(typeof total === 'number' ? { total } : {}),
          ...(typeof message === 'string' ? { message } : {}),
        });
    },
    sendRequest: ({ method, params }) => session.request(method, params, signal),
  };
}

function clientOf(instance: McpSdkServer): McpClient {
  let lastCall = 0;
  return {
    listTools: async () => ({ tools: instance.listTools() }),
    // Two parameters: that is how a client says where it wants its options.
    callTool: async (params: { name: string; arguments?: Record<string, unknown> }, options: McpRequestOptions) => {
      const { signal = new AbortController().signal, session, onprogress } = options;
      return instance.callTool(params.name, params.arguments ?? {}, extraOf(signal, ++lastCall, session, onprogress));
    },
  };
}

/** An `McpServer` of the MCP SDK has neither method; its client has both, but no version. */
export function isOwnServer(instance: unknown): instance is McpSdkServer {
  const server = (instance ?? {}) as Partial<Record<keyof McpSdkServer, unknown>>;
  return (
    typeof server.listTools === 'function' &&
    typeof server.callTool === 'function' &&
    typeof server.version === 'string'
  );
}
