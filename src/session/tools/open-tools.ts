// The tools of a session without those of MCP servers: those it was given, and the model's way to ask the user if
// somebody can answer; what checks their inputs; and whether the session has MCP servers.
import { createJsonValidator } from '../../engine/output/index.js';
import type { MessageDraft, ValidateJson } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { Tools } from '../../tools/tool.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import type { SessionServers } from '../mcp/index.js';
import type { Elicit } from '../permission/index.js';
import type { SessionAgents } from './agent-parts.js';
import type { AgentSetup } from './defined-agents.js';

interface OpenedTools {
  readonly tools: Tools;
  readonly notices: readonly PendingNotice[];
}

/** The MCP servers of a session. */
export interface ServersAccess {
  /** Null for as long as there are none. */
  readonly now: SessionServers | null;
  /** For those who add one. */
  open(): Promise<SessionServers>;
  /** Servers that one agent alone has; opened with its first run. */
  ofAgent(agent: string, definitions: readonly McpServerDefinition[]): Promise<SessionServers>;
}

/** Asks the model for a server: takes and gives what `sampling/createMessage` does. @throws Error */
export type Sampler = (params: unknown, signal: AbortSignal, server: string) => Promise<unknown>;

/** What follows from the tools of a session. */
export interface ToolsHolder {
  agents: SessionAgents;
  setup: AgentSetup;
  readonly servers: ServersAccess;
}

/** What MCP servers are connected with. */
export interface ToolsPlace {
  readonly host: Host;
  readonly sessionId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  readonly vault: SecretVault | null;
  readonly secrets: Secrets;
  readonly confining: Promise<{ readonly commands: CommandSandbox } | null>;
  /** Null until it is known who can be asked. */
  elicit(): Elicit | null;
  /** Null until there is a prompt. */
  sampler(): Sampler | null;
  /** The folders of the workspace, the working directory first. */
  roots(): readonly string[];
  /** Takes what ends with the session. */
  readonly closing: (() => Promise<void>)[];
  onDraft(draft: MessageDraft): void;
  log(event: string, detail: Readonly<Record<string, unknown>>): void;
}

export async function openTools(config: QueryEngineConfig): Promise<OpenedTools> {
  return firstOfEachName(await inNewWords(await withQuestions(config)));
}

/** No API takes two tools of one name. */
function firstOfEachName(tools: Tools): Pick<OpenedTools, 'tools' | 'notices'> {
  const names = new Set<string>();
  const kept = tools.filter(({ name }) => !names.has(name) && names.add(name));
  if (kept.length === tools.length) return { tools, notices: [] };
  const taken = new Set(tools.filter((tool) => !kept.includes(tool)).map(({ name }) => name));
  const notices = [...taken].map((name) => ({
    code: 'tool_name_taken' as const,
    message: `More than one tool is named ${name}: the first of them counts, the others are left out.`,
    remedy: 'Give each tool a name of its own.',
  }));
  return { tools: kept, notices };
}

async function withQuestions({ tools, handleElicitation }: QueryEngineConfig): Promise<Tools> {
  if (handleElicitation === undefined || tools.some((tool) => tool.asksUser === true)) return tools;
  const { createAskUserQuestion } = await DOORS.questions();
  return [...tools, createAskUserQuestion()];
}

/** Model APIs know no draft before 4. */
async function inNewWords(tools: Tools): Promise<Tools> {
  if (!tools.some(({ inputSchema }) => /draft-0[0-3]/.test(String(inputSchema.$schema ?? '')))) return tools;
  const { modernSchema } = await DOORS.tools();
  return tools.map((tool) => ({ ...tool, inputSchema: modernSchema(tool.inputSchema) as typeof tool.inputSchema }));
}

/**
 * What holds inputs of tools and structured answers to their schemas. A schema that cannot be used is told once.
 * @param tools those of MCP servers included
 */
export function openValidator(tools: Tools, onDraft: (draft: MessageDraft) => void): ValidateJson {
  return createJsonValidator((schema, why) => onDraft(unusableSchema(tools, schema, why)));
}

/** What is told of a tool whose calls cannot be checked, so that none of them runs. */
function unusableSchema(tools: Tools, schema: JsonSchema, why: string): MessageDraft {
  const tool = tools.find(({ inputSchema, acceptedInput, approvedInput }) =>
    [inputSchema, acceptedInput, approvedInput].includes(schema),
  );
  const name = tool === undefined ? 'A tool' : `The tool ${tool.name}`;
  return {
    type: 'system',
    subtype: 'notice',
    code: 'tool_schema_unusable',
    level: 'warning',
    message: `${name} cannot be called: the schema of its input cannot be used, for ${why}.`,
    remedy: 'Correct the schema where the tool is declared, or leave the tool out.',
  };
}

type OpenServers = (
  config: QueryEngineConfig,
  place: ToolsPlace,
  taken: readonly string[],
  ended: AbortSignal,
) => Promise<SessionServers>;

/** The MCP servers of a session are opened with it if there are some, or when the first one is added. */
interface ServersFeature {
  isNeeded(config: QueryEngineConfig): boolean;
  door(): Promise<{ readonly openServers: OpenServers }>;
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
