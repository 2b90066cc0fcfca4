// MCP servers that an agent's definition names: of those of the session only these, and servers of its own, which live as
// long as it works. Loaded with the first of them.
import { type McpServerDefinition, readDefinition } from '../../mcp/server-definition.js';
import { mcpServerRule } from '../../mcp/tool-names.js';
import { ruleMatchesTool } from '../../permissions/rule.js';
import type { AgentType } from '../../subagents/agent-type.js';
import type { Tools } from '../../tools/tool.js';
import { type AgentRun, noticeDraft } from '../core/index.js';

export interface AgentServers {
  readonly tools: Tools;
  /** Nothing of them is alive when this settles. May be called again. */
  close(): Promise<void>;
}

/** @param tools of the agent, with those of all servers of the session */
export async function openAgentServers(
  { session, runtime }: AgentRun,
  { name: agent, mcpServers = [] }: AgentType,
  tools: Tools,
  signal: AbortSignal,
): Promise<AgentServers> {
  const tell = (message: string) => runtime.tell(noticeDraft({ code: 'agent_problem', message }));
  const named = mcpServers.filter((server) => typeof server === 'string');
  const prefixes = named.map((name) => `${mcpServerRule(name)}__`);
  const kept =
    named.length === 0
      ? tools
      : tools.filter(({ name }) => !name.startsWith('mcp__') || prefixes.some((prefix) => name.startsWith(prefix)));
  const missing = named.filter((_, at) => !tools.some(({ name }) => name.startsWith(prefixes[at] ?? '')));
  if (missing.length > 0)
    tell(`The agent ${agent} names MCP servers of which this session has no tools: ${missing.join(', ')}.`);
  const own: McpServerDefinition[] = [];
  for (const spec of mcpServers) {
    if (typeof spec === 'string') continue;
    for (const [name, config] of Object.entries(spec)) {
      const definition = readDefinition(name, config);
      if (typeof definition === 'string')
        tell(`The MCP server ${name} of the agent ${agent} cannot be used: it ${definition}.`);
      else own.push(definition);
    }
  }
  if (own.length === 0) return { tools: kept, close: async () => undefined };
  const { SessionServers } = await import('../mcp/session-servers.js');
  const { serverNetwork } = await import('../tools/server-network.js');
  const { host, config } = session;
  const { env, limits, vault, secrets, sandbox, workplace } = runtime;
  const denied = config.permissions?.deny ?? [];
  const onDraft = runtime.tell;
  const servers = new SessionServers(
    [],
    own,
    {
      host,
      cwd: workplace.folder,
      env,
      limits,
      vault,
      sandbox,
      network: async () => serverNetwork(config, { host, env, secrets }),
      asked: { roots: () => [workplace.folder], elicit: null, sample: null },
      taken: kept.map(({ name }) => name),
      isDenied: (tool) => denied.some((rule) => ruleMatchesTool(rule, tool)),
      onDraft,
      log: runtime.loop.log,
    },
    signal,
  );
  await servers.takeFirst();
  await servers.join(signal);
  servers.take();
  for (const { name, status, error } of servers.statuses())
    if (status !== 'connected') tell(`The MCP server ${name} of the agent ${agent} is not there: ${error ?? status}.`);
  return { tools: [...kept, ...servers.tools], close: () => servers.close() };
}
