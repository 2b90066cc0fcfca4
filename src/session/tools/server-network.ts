// What MCP servers over the network need of a session: the way there, and where sign-ins are kept. Loaded with the first.
import type { NetworkPlace } from '../../mcp/transport.js';
import { ConfigError } from '../../protocol/errors.js';
import type { McpTokenStore } from '../../protocol/mcp.js';
import { childEnvironment, type QueryEngineConfig } from '../config/index.js';
import { openModelAccess, openModelReach, storedTokens } from '../models/index.js';
import type { ToolsPlace } from './open-tools.js';

export async function serverNetwork(
  { models = {}, mcpTokenStore }: Pick<QueryEngineConfig, 'models' | 'mcpTokenStore'>,
  { host, env, secrets }: Pick<ToolsPlace, 'host' | 'env' | 'secrets'>,
): Promise<NetworkPlace> {
  const { clock, ids, exec } = host;
  if (mcpTokenStore !== undefined && !isStore(mcpTokenStore))
    throw new ConfigError('mcpTokenStore is not a store of tokens: it needs the methods read and write.');
  return {
    clock,
    ids,
    exec,
    env: childEnvironment(env, secrets),
    routeTo: openModelReach(host, openModelAccess(host, env, models, undefined, secrets), models).routeTo,
    tokens: mcpTokenStore ?? storedTokens(host, env),
    onSecret: (value, kind) => secrets.addValue(value, kind),
  };
}

function isStore(store: McpTokenStore): boolean {
  return typeof store?.read === 'function' && typeof store.write === 'function';
}
