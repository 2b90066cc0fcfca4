// If a session has its MCP servers: opened with it if there are some, or when the first one is added.
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { SessionServers } from '../mcp/index.js';
import type { ServersAccess, ToolsPlace } from './opened-tools.js';

interface ServersFeature {
  isNeeded(config: QueryEngineConfig): boolean;
  door(): Promise<typeof import('./open-server-tools.js')>;
}

/**
 * @param taken names of tools that are there without them
 * @param ended aborted when the session ends
 * @param feature when servers are opened with the session, and what opens them
 */
export async function createServersAccess(
  config: QueryEngineConfig,
  place: ToolsPlace,
  taken: readonly string[],
  ended: AbortSignal,
  { isNeeded, door }: ServersFeature,
): Promise<ServersAccess> {
  let now: SessionServers | null = null;
  let opening: Promise<SessionServers> | null = null;
  const ofAgents = new Map<string, Promise<SessionServers>>();
  const openOwn = async (mcpServers: readonly McpServerDefinition[]) => {
    const { openServers } = await door();
    const { permissionPromptToolName: _, ...rest } = config;
    return openServers({ ...rest, mcpClients: [], mcpServers }, place, taken, ended);
  };
  const access: ServersAccess = {
    get now() {
      return now;
    },
    open() {
      opening ??= door().then(async ({ openServers }) => {
        now = await openServers(config, place, taken, ended);
        return now;
      });
      return opening;
    },
    ofAgent(agent, definitions) {
      const own = ofAgents.get(agent) ?? openOwn(definitions);
      ofAgents.set(agent, own);
      return own;
    },
  };
  if (isNeeded(config)) await access.open();
  return access;
}
