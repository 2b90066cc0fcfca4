// The tools of a session without those of MCP servers: those it was given, and the model's way to ask the user if
// somebody can answer; what checks their inputs; and whether the session has MCP servers.

import { createJsonValidator } from '../../engine/output/index.js';
import type { MessageDraft, ValidateJson } from '../../engine/state/index.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { Tools } from '../../tools/tool.js';
import type { QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import type { SessionServers } from '../mcp/index.js';
import type { openServers } from './open-server-tools.js';
import type { OpenedTools, ServersAccess, ToolsPlace } from './opened-tools.js';

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

// The MCP servers of a session: opened with it if there are some, or when the first one is added.

interface ServersFeature {
  isNeeded(config: QueryEngineConfig): boolean;
  door(): Promise<{ readonly openServers: typeof openServers }>;
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
