// Opens the MCP servers of a session: those that the host connected, those that the session connects itself, and those of its
// agents. Loaded if there are some.
import { readDefinition } from '../../mcp/server-definition.js';
import { mcpServerRule } from '../../mcp/tool-names.js';
import { RpcError } from '../../mcp/transport.js';
import { restrictsTool } from '../../permissions/tool-rule.js';
import { ToolError } from '../../protocol/errors.js';
import type { AgentMcpServerSpec, MCPServerConnection } from '../../protocol/mcp.js';
import type { Tools } from '../../tools/tool.js';
import { shorten } from '../../util/text.js';
import type { QueryEngineConfig } from '../config/index.js';
import { canAsk } from '../features.js';
import { openKnownToolsFile, SessionServers } from '../mcp/index.js';
import type { ServersAccess, ToolsHolder, ToolsPlace } from './open-tools.js';
import { serverNetwork } from './server-network.js';

/**
 * Contract: waits for no server that does not answer at once, unless a tool of one is who is asked about calls.
 * @param taken names of tools that are there without them
 */
export async function openServers(
  config: QueryEngineConfig,
  place: ToolsPlace,
  taken: readonly string[],
  ended: AbortSignal,
): Promise<SessionServers> {
  const denied = config.permissions?.deny ?? [];
  const mayAsk = canAsk(config);
  const { mcpSampling: sampling = 'off' } = config;
  const maySample = sampling === 'allow' || (sampling === 'ask' && mayAsk);
  const connections: readonly MCPServerConnection[] = config.mcpClients;
  const servers = new SessionServers(
    connections,
    config.mcpServers ?? [],
    {
      ...place,
      cwd: config.cwd,
      lists: config.mcpServerLists ?? null,
      network: async () => serverNetwork(config, place),
      sandbox: (await place.confining)?.commands ?? null,
      knownTools: openKnownToolsFile(place.host, place.env, {
        mayWrite: config.persistSession !== false,
        onProblem: (problem) =>
          place.onDraft({
            type: 'system',
            subtype: 'notice',
            level: 'warning',
            code: 'mcp_tools_unknown',
            message: `What is known of the tools of MCP servers from earlier sessions cannot be used: a tool that says something else than then is not noticed. ${problem}`,
          }),
      }),
      taken,
      commands: () => config.commands,
      isDenied: (tool) => denied.some((rule) => restrictsTool(rule, tool)),
      asked: {
        roots: place.roots,
        elicit: mayAsk
          ? async (...question) =>
              (await place.elicit()?.(...question)) ?? { action: 'none', reason: 'nobody can be asked yet' }
          : null,
        sample: maySample
          ? async (...asked) => {
              const sampler = place.sampler();
              if (sampler === null) throw new Error('The model cannot be asked yet.');
              if (sampling === 'ask') await askUser(place, ...asked);
              return sampler(...asked);
            }
          : null,
      },
    },
    ended,
  );
  place.closing.push(() => servers.close());
  await servers.takeFirst();
  if (config.permissionPromptToolName?.startsWith('mcp__') === true) {
    await servers.join(ended);
    servers.take();
  }
  return servers;
}

const SHOWN_QUESTION = 2_000;

/** @throws Error unless the user says yes */
async function askUser(place: ToolsPlace, params: unknown, signal: AbortSignal, server: string): Promise<void> {
  const shown = shorten(JSON.stringify(params) ?? '', SHOWN_QUESTION);
  const message = `The MCP server ${server} asks the model of this session, at its cost: ${shown}\n\nMay it?`;
  const requestedSchema = {
    type: 'object',
    properties: { answer: { type: 'string', enum: ['yes', 'no'], description: 'Let the model answer the server?' } },
    required: ['answer'],
  };
  const answer = await place.elicit()?.({ message, requestedSchema }, signal, server);
  if (answer?.action === 'accept' && answer.content['answer'] === 'yes') return;
  throw new RpcError(-1, 'The user did not allow it.');
}

// The tools of MCP servers that came, went or changed, for the session's agent and those it starts from now on.

/** False if there was nothing new. Contract: what a request shares has to be made anew afterwards. */
export async function takeServerTools(config: QueryEngineConfig, holder: ToolsHolder): Promise<boolean> {
  const servers = holder.servers.now;
  if (servers === null || !servers.hasNews) return false;
  const before: Tools = servers.tools;
  servers.take();
  const isEarlier = (tool: Tools[number]) => before.includes(tool);
  const others = holder.agents.tools.filter((tool) => !isEarlier(tool));
  const more = servers.tools.filter(({ name }) => name !== config.permissionPromptToolName);
  // What was said of definitions is the same as before.
  const agents = await holder.agents.again({ tools: [...others, ...more] });
  // What came to the session since it began stays: a goal's tool, a plan's, that of its first skills.
  const known = new Set([...holder.agents.main.tools, ...agents.main.tools].map(({ name }) => name));
  const beside = holder.setup.tools.filter(({ name }) => !known.has(name));
  holder.agents = agents;
  holder.setup = { ...agents.main, tools: [...agents.main.tools, ...beside] };
  return true;
}

// MCP servers that an agent's definition names: those of the session by name, which limit it, and servers of its own, which
// run once for all its runs and end with the session.

/**
 * The tools that the agent has then. Names of servers leave out the tools of all others; servers of its own add theirs.
 * @throws ToolError for a definition that cannot be used
 */
export async function serversOfAgent(
  agent: string,
  specs: readonly AgentMcpServerSpec[],
  tools: Tools,
  servers: ServersAccess,
  signal: AbortSignal,
): Promise<Tools> {
  const named = specs.filter((spec) => typeof spec === 'string');
  const isMeant = (tool: string) =>
    !tool.startsWith('mcp__') || named.some((server) => tool.startsWith(`${mcpServerRule(server)}__`));
  const kept = named.length === 0 ? tools : tools.filter(({ name }) => isMeant(name));
  const configs = specs.flatMap((spec) => (typeof spec === 'string' ? [] : Object.entries(spec)));
  if (configs.length === 0) return kept;
  const definitions = configs.map(([name, config]) => {
    const definition = readDefinition(name, config);
    if (typeof definition !== 'string') return definition;
    throw new ToolError(`The agent ${agent} cannot work: its MCP server ${name} ${definition}.`);
  });
  const own = await servers.ofAgent(agent, definitions);
  await own.join(signal);
  own.take();
  const taken = new Set(kept.map(({ name }) => name));
  return [...kept, ...own.tools.filter(({ name }) => !taken.has(name))];
}
