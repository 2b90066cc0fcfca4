// Kinds of agents, and their definitions as a host gives them. What could not be done as one says is refused; what has no effect yet
// is told. Pure.
import { ConfigError } from '../protocol/errors.js';
import { HOOK_EVENTS } from '../protocol/hooks.js';
import type { AgentMcpServerSpec } from '../protocol/mcp.js';
import type { AgentDefinition, EffortLevel } from '../protocol/options.js';
import { PERMISSION_MODES, type PermissionMode } from '../protocol/permissions.js';
import type { NoticeCode } from '../protocol/system-messages.js';
import { currentToolName } from '../protocol/tool-names.js';
import { isRecord } from '../util/json.js';

/** Where a definition comes from. */
export interface AgentSource {
  readonly scope: 'built-in' | 'option' | 'project' | 'user' | 'plugin';
  /** Absolute; null if it stands in no file. */
  readonly file: string | null;
}

export interface AgentType {
  readonly name: string;
  /** What it is for, told to the model that may call it. */
  readonly description: string;
  /** Its system prompt; null for one that is built in, see `promptOf`. */
  readonly prompt: string | null;
  readonly source: AgentSource;
  /** Names of the tools it may have; null for all of the session. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  /** As the definition names it; null for the model of the agent that calls it. */
  readonly model: string | null;
  /** `small`: in place of the model that calls it a small one of the same provider, if there is one. */
  readonly size?: 'small';
  readonly initialPrompt?: string;
  readonly maxTurns?: number;
  readonly effort?: EffortLevel;
  readonly permissionMode?: PermissionMode;
  /** Names of skills whose texts it works by. */
  readonly skills?: readonly string[];
  /** Servers of the session that it may use, by name, and servers of its own. */
  readonly mcpServers?: readonly AgentMcpServerSpec[];
  /** As settings have them; read when the agent starts. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Whose folder keeps what it wants to remember. */
  readonly memory?: 'user' | 'project' | 'local';
  /** For people. */
  readonly color?: string;
  /** True: its calls do not wait for it. */
  readonly background?: boolean;
  /** `worktree`: it works in a checkout of its own. */
  readonly isolation?: 'worktree';
}

export type NamedDefinition = AgentDefinition & { readonly name?: string };

export interface DefinitionRules {
  /** Whether an agent's mode may skip all questions. */
  readonly allowBypass: boolean;
  /** Names of the tools of the session. */
  readonly toolNames: readonly string[];
  /** Names of its skills. Absent: it has none. */
  readonly skillNames?: readonly string[] | undefined;
  /** Whether a subagent may start agents of its own. */
  readonly mayNest: boolean;
}

export interface AgentTypes {
  /** In the order of their definitions. */
  readonly agents: readonly AgentType[];
  readonly notices: readonly { readonly code: NoticeCode; readonly message: string; readonly remedy?: string }[];
}

type Notices = AgentTypes['notices'][number][];

/** Of a plugin with the name of that before it. */
const NAME = /^(?:[A-Za-z0-9][\w-]{0,63}:)?[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u;
const EFFORTS: readonly EffortLevel[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const MEMORIES = ['user', 'project', 'local'] as const;
const OF_OPTION: AgentSource = { scope: 'option', file: null };
const FIELDS: Readonly<Record<keyof NamedDefinition, true>> = {
  name: true,
  description: true,
  prompt: true,
  tools: true,
  disallowedTools: true,
  model: true,
  mcpServers: true,
  skills: true,
  initialPrompt: true,
  maxTurns: true,
  effort: true,
  permissionMode: true,
  background: true,
  memory: true,
  isolation: true,
  hooks: true,
  color: true,
};

/** @throws ConfigError naming the first definition that cannot be used, and what to write instead */
export function readAgents(definitions: readonly NamedDefinition[], rules: DefinitionRules): AgentTypes {
  const notices: Notices = [];
  const agents = new Map<string, AgentType>();
  for (const [index, definition] of definitions.entries()) {
    const agent = readAgent(definition, index, rules, notices, OF_OPTION);
    if (agents.has(agent.name)) throw new ConfigError(`Two agents are named "${agent.name}". Give each its own name.`);
    agents.set(agent.name, agent);
  }
  return { agents: [...agents.values()], notices };
}

/**
 * The definition of a file. What it names and the session does not have is no notice: files are written for many sessions.
 * @throws ConfigError if it cannot be used
 */
export function readFileAgent(definition: NamedDefinition, source: AgentSource, rules: DefinitionRules): AgentType {
  return readAgent(definition, 0, rules, [], source);
}

/** The definitions of the option `agents`, which keeps the name as the key. @throws ConfigError */
export function namedDefinitions(agents: Readonly<Record<string, AgentDefinition>>): NamedDefinition[] {
  if (!isRecord(agents)) throw new ConfigError('agents must be an object: a definition for each name.');
  return Object.entries(agents).map(([name, definition]) => {
    if (!isRecord(definition))
      throw new ConfigError(`agents.${name} must be an object with a description and a prompt.`);
    return { ...(definition as AgentDefinition), name };
  });
}

function readAgent(
  given: NamedDefinition,
  index: number,
  rules: DefinitionRules,
  notices: Notices,
  source: AgentSource,
): AgentType {
  if (!isRecord(given)) throw new ConfigError(`agents[${index}] must be an object with a description and a prompt.`);
  const name = readName(given.name, index);
  const where = source.file === null ? `agents.${name}` : 'its';
  const tools = readNames(given.tools, `${where}.tools`);
  const disallowedTools = readNames(given.disallowedTools, `${where}.disallowedTools`) ?? [];
  notices.push(
    ...unusedFields(given, where),
    ...unknownTools([...(tools ?? []), ...disallowedTools.map(toolOfRule)], where, rules),
  );
  if (!rules.mayNest && tools?.includes('Agent') === true)
    notices.push({
      code: 'option_without_effect',
      message: `${where}.tools names Agent, but as a subagent it may start no agents of its own.`,
      remedy: 'A QueryEngine allows more by maxAgentDepth.',
    });
  const skills = readNames(given.skills, `${where}.skills`, 'skill names') ?? [];
  notices.push(...unknownSkills(skills, where, rules));
  const model = given.model === undefined ? null : filled(given.model, `${where}.model`);
  return {
    name,
    description: filled(given.description, `${where}.description`),
    prompt: filled(given.prompt, `${where}.prompt`),
    source,
    tools,
    disallowedTools,
    model: model === 'inherit' ? null : model,
    ...(given.initialPrompt === undefined
      ? {}
      : { initialPrompt: filled(given.initialPrompt, `${where}.initialPrompt`) }),
    ...(given.maxTurns === undefined ? {} : { maxTurns: readTurns(given.maxTurns, where) }),
    ...(given.effort === undefined ? {} : { effort: readEffort(given.effort, where) }),
    ...(skills.length === 0 ? {} : { skills }),
    ...(given.permissionMode === undefined
      ? {}
      : { permissionMode: readMode(given.permissionMode, where, rules, source) }),
    ...(given.mcpServers === undefined ? {} : { mcpServers: readServers(given.mcpServers, where) }),
    ...(given.hooks === undefined ? {} : { hooks: readHooks(given.hooks, where) }),
    ...(given.memory === undefined ? {} : { memory: oneOf(given.memory, MEMORIES, `${where}.memory`) }),
    ...(given.isolation === undefined
      ? {}
      : { isolation: oneOf(given.isolation, ['worktree'] as const, `${where}.isolation`) }),
    ...(given.background === undefined ? {} : { background: readFlag(given.background, `${where}.background`) }),
    ...(given.color === undefined ? {} : { color: filled(given.color, `${where}.color`) }),
  };
}

function readName(name: unknown, index: number): string {
  if (name === undefined) throw new ConfigError(`agents[${index}] has no name, so nothing could call it. Give it one.`);
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new ConfigError(
    `An agent cannot be named ${shown(name)}. Use letters, digits, "_", ".", ":" and "-", 64 at most, for example code-reviewer.`,
  );
}

function readNames(names: unknown, where: string, what = 'tool names'): string[] | null {
  if (names === undefined) return null;
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names.map(currentToolName);
  throw new ConfigError(`${where} must be a list of ${what}.`);
}

function readTurns(turns: unknown, where: string): number {
  if (Number.isInteger(turns) && (turns as number) >= 1) return turns as number;
  throw new ConfigError(`${where}.maxTurns is ${shown(turns)}. Give a whole number of at least 1.`);
}

function readEffort(effort: unknown, where: string): EffortLevel {
  const known = EFFORTS.find((level) => level === effort);
  if (known !== undefined) return known;
  throw new ConfigError(`${where}.effort is ${shown(effort)}. It is one of ${EFFORTS.join(', ')}.`);
}

function readMode(mode: unknown, where: string, rules: DefinitionRules, { file }: AgentSource): PermissionMode {
  const known = PERMISSION_MODES.find((candidate) => candidate === mode);
  if (known === undefined)
    throw new ConfigError(`${where}.permissionMode is ${shown(mode)}. It is one of ${PERMISSION_MODES.join(', ')}.`);
  // That of a file never allows more than the session does.
  if (file === null && (known === 'bypassPermissions' || known === 'yolo') && !rules.allowBypass)
    throw new ConfigError(
      `${where}.permissionMode ${known} skips all questions. It needs allowDangerouslySkipPermissions.`,
    );
  return known;
}

function unusedFields(given: NamedDefinition, where: string): Notices {
  const unknown = Object.keys(given).filter((field) => !Object.hasOwn(FIELDS, field));
  return unknown.map((field) => ({
    code: 'option_without_effect' as const,
    message: `${where}: there is no field ${field}, so it has no effect.`,
  }));
}

/** `Bash` of `Bash(git push *)`: a part of its calls may be refused. */
function toolOfRule(name: string): string {
  const at = name.indexOf('(');
  return at === -1 ? name : currentToolName(name.slice(0, at));
}

function unknownTools(names: readonly string[], where: string, { toolNames }: DefinitionRules): Notices {
  const unknown = [...new Set(names)].filter(
    (name) => !name.startsWith('mcp__') && !name.includes('*') && !toolNames.includes(name),
  );
  return unknown.map((name) => ({
    code: 'unknown_tool_name' as const,
    message: `${where}: this session has no tool ${name}, so naming it has no effect.`,
    remedy: `Its tools: ${toolNames.join(', ')}.`,
  }));
}

function unknownSkills(names: readonly string[], where: string, { skillNames = [] }: DefinitionRules): Notices {
  return names
    .filter((name) => !skillNames.includes(name))
    .map((name) => ({
      code: 'skill_problem' as const,
      message: `${where}: this session has no skill ${name}, so naming it has no effect.`,
      remedy: `Its skills: ${skillNames.join(', ') || 'none'}.`,
    }));
}

/** A name, or an object with one definition by its name. */
function readServers(servers: unknown, where: string): readonly AgentMcpServerSpec[] {
  const isSpec = (server: unknown) =>
    (typeof server === 'string' && server.trim() !== '') ||
    (isRecord(server) && Object.values(server).length > 0 && Object.values(server).every(isRecord));
  if (Array.isArray(servers) && servers.every(isSpec)) return servers as readonly AgentMcpServerSpec[];
  throw new ConfigError(`${where}.mcpServers must be a list: names of servers, or objects of definitions by name.`);
}

function readHooks(hooks: unknown, where: string): Readonly<Record<string, unknown>> {
  if (!isRecord(hooks)) throw new ConfigError(`${where}.hooks must be an object: a list of hooks for each event.`);
  const unknown = Object.keys(hooks).find((event) => !(HOOK_EVENTS as readonly string[]).includes(event));
  if (unknown === undefined) return hooks;
  throw new ConfigError(`${where}.hooks names ${shown(unknown)}, which is not a hook event.`);
}

function oneOf<T extends string>(value: unknown, known: readonly T[], where: string): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw new ConfigError(`${where} is ${shown(value)}. It is one of ${known.join(', ')}.`);
}

function readFlag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ConfigError(`${where} is ${shown(value)}. It is true or false.`);
}

function filled(text: unknown, where: string): string {
  if (typeof text === 'string' && text.trim() !== '') return text;
  throw new ConfigError(`${where} must be a text that is not empty.`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 80)}"` : String(value);
}
