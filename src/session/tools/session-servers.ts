// The MCP servers that a session opens itself: side by side, one set for the session and all its subagents.
// One rule: a server that is slow or fails is told, and keeps nobody from working with the others.
import type { Host } from '../../host/host.js';
import { type LastingServer, openLastingServer, type ServerOffer } from '../../mcp/lasting-server.js';
import { openMcpServers } from '../../mcp/open-servers.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import { ruleMatchesTool } from '../../permissions/rule.js';
import type { McpServerStatus } from '../../protocol/mcp.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { Tools } from '../../tools/tool.js';
import { raceAbort } from '../../util/abort.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import type { Elicit } from '../permission/index.js';
import type { RefreshTools, ToolsHolder, ToolsPlace } from './opened-tools.js';

/** The first request waits for servers that long; slower ones join at a later prompt. */
const FIRST_WAIT_MS = 5_000;
/** A later prompt waits that long for servers that ended or changed. */
const LATER_WAIT_MS = 2_000;

export interface SessionServersPlace
  extends Pick<ToolsPlace, 'host' | 'env' | 'limits' | 'vault' | 'secrets' | 'onDraft'> {
  readonly sandbox: CommandSandbox | null;
  /** Null where nobody can be asked. */
  readonly elicit: Elicit | null;
  /** Of tools that are there without them. */
  readonly taken: readonly string[];
}

export interface SessionServers {
  readonly tools: Tools;
  readonly statuses: readonly McpServerStatus[];
  readonly notices: readonly PendingNotice[];
  readonly refresh: RefreshTools;
  /** Nothing of them is alive when this settles. May be called again. */
  close(): Promise<void>;
}

/** @param ended aborted when the session ends. Contract: never throws. */
export async function openSessionServers(
  config: QueryEngineConfig,
  definitions: readonly McpServerDefinition[],
  place: SessionServersPlace,
  ended: AbortSignal,
): Promise<SessionServers> {
  const servers = definitions.map((definition) => openLastingServer(definition, serverPlace(config, place)));
  const { clock } = place.host;
  await waitFor(Promise.all(servers.map(({ started }) => started)), clock, FIRST_WAIT_MS, ended);
  let offers = servers.map((server) => server.offer());
  const list = () => listOffers(offers, config, place);
  const first = await list();
  let statuses = first.statuses;
  let isFirst = true;
  let names = new Set(first.tools.map(({ name }) => name));
  return {
    ...first,
    async refresh(holder) {
      // The first prompt has them as they just started.
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst) return;
      const before = offers;
      offers = await refreshed(servers, clock);
      if (offers.every((offer, at) => isSame(offer, before[at]))) return;
      const now = await list();
      for (const notice of now.notices) holder.tell(noticeDraft(notice));
      await giveTools(config, holder, names, now.tools);
      names = new Set(now.tools.map(({ name }) => name));
      holder.mcpServers = [...holder.mcpServers.slice(0, -statuses.length), ...now.statuses];
      if (!isSameStatus(statuses, now.statuses))
        holder.tell({ type: 'system', subtype: 'mcp_status_change', servers: [...holder.mcpServers] });
      statuses = now.statuses;
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function serverPlace(config: QueryEngineConfig, place: SessionServersPlace) {
  const { cwd } = config;
  const { host, env, limits, vault, sandbox, elicit, onDraft } = place;
  return {
    exec: host.exec,
    clock: host.clock,
    monotonic: () => host.clock.monotonic(),
    cwd,
    env,
    sandbox,
    network: async () => (await import('./server-network.js')).serverNetwork(config, place),
    asked: { elicit, roots: () => [cwd] },
    startTimeoutMs: limits.mcpStartTimeoutMs,
    hide: async (text: string) => (vault === null ? text : (await vault.open()).hide(text, 'found')),
    onNotice: (notice: PendingNotice) => onDraft(noticeDraft(notice)),
  };
}

async function refreshed(servers: readonly LastingServer[], clock: Host['clock']): Promise<ServerOffer[]> {
  const late = new AbortController();
  await waitFor(Promise.all(servers.map((server) => server.refresh(late.signal))), clock, LATER_WAIT_MS, late.signal);
  late.abort();
  return servers.map((server) => server.offer());
}

async function listOffers(
  offers: readonly ServerOffer[],
  { permissions }: Pick<QueryEngineConfig, 'permissions'>,
  { host, limits, taken }: SessionServersPlace,
) {
  const connections = offers.map(({ connection }) => connection);
  const toolTimeoutMs = limits.mcpToolTimeoutMs;
  const { signal } = new AbortController();
  const opened = await openMcpServers(connections, { clock: host.clock, signal, taken, toolTimeoutMs });
  const denied = permissions?.deny ?? [];
  // A tool that would be denied anyway is not offered, as with the built-in ones.
  return { ...opened, tools: opened.tools.filter(({ name }) => !denied.some((rule) => ruleMatchesTool(rule, name))) };
}

function isSame(now: ServerOffer, before: ServerOffer | undefined): boolean {
  return now.connection.type === before?.connection.type && now.tools === before.tools;
}

function isSameStatus(before: readonly McpServerStatus[], now: readonly McpServerStatus[]): boolean {
  return now.every(({ status }, at) => status === before[at]?.status);
}

/** The session's agent, and those it starts, have these in place of the servers' earlier ones. */
async function giveTools(
  config: QueryEngineConfig,
  holder: ToolsHolder,
  before: ReadonlySet<string>,
  tools: Tools,
): Promise<void> {
  const isEarlier = ({ name }: Tools[number]) => before.has(name);
  const others = holder.agents.tools.filter((tool) => !isEarlier(tool));
  const more = tools.filter(({ name }) => name !== config.permissionPromptToolName);
  // What was said of definitions is the same as before.
  const agents = await holder.agents.again({ tools: [...others, ...more] });
  // It stays once it is there.
  const plan = holder.setup.tools.filter(
    (tool) => tool.exitsPlan === true && !agents.main.tools.some(({ name }) => name === tool.name),
  );
  holder.agents = agents;
  holder.setup = { ...agents.main, tools: [...agents.main.tools, ...plan] };
}

/** Contract: `work` must not reject. */
async function waitFor(work: Promise<unknown>, clock: Host['clock'], ms: number, signal: AbortSignal): Promise<void> {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort());
  await raceAbort(work, AbortSignal.any([late.signal, signal]));
  cancel();
}

function noticeDraft(notice: PendingNotice) {
  return { type: 'system', subtype: 'notice', level: 'warning', ...notice } as const;
}
