// What an agent's definition may bring along: MCP servers and hooks of its own.
import { readDefinition } from '../../mcp/server-definition.js';
import { mcpServerRule } from '../../mcp/tool-names.js';
import { ToolError } from '../../protocol/errors.js';
import type { AgentMcpServerSpec } from '../../protocol/mcp.js';
import type { AgentType } from '../../subagents/agent-type.js';
import type { Tools } from '../../tools/tool.js';
import type { PreloadedSkill } from '../config/index.js';
import { type AgentRun, noticeDraft, type Runtime } from '../core/index.js';
import { definitionHooks, skillHooks } from '../hooks/index.js';
import type { ServersAccess } from '../tools/index.js';

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

// The hooks that an agent has for itself: of its definition, and of the skills that it works by.

/** What of them cannot be used is told. @throws ConfigError */
export async function addOwnHooks(
  { session: { host, config }, runtime }: AgentRun,
  { name, source, hooks = {} }: AgentType,
  skills: readonly PreloadedSkill[],
  tell: Runtime['tell'],
): Promise<void> {
  const { scope, file } = source;
  const defined = [
    definitionHooks(host, config, { kind: 'agent', name, scope, file, hooks, inAgent: true }),
    ...skills.flatMap((skill) => (skill.hooks === null ? [] : [skillHooks(host, config, skill.hooks, true)])),
  ];
  for (const notice of defined.flatMap(({ notices }) => notices)) tell(noticeDraft(notice));
  const commands = defined.flatMap((each) => each.commands);
  if (commands.length > 0) await runtime.hooks.add?.('the agent', commands);
}
