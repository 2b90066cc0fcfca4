// Which tools a session has: the built-in ones that the options leave, and the model's way to ask the user if
// somebody can answer. Tools of MCP servers come on top in the session.

import type { Host } from '../../host/host.js';
import { restrictsTool } from '../../permissions/tool-rule.js';
import { ConfigError } from '../../protocol/errors.js';
import { currentToolName, meantTool } from '../../protocol/tool-names.js';
import { SEARCH_VARIABLES } from '../../protocol/web-options.js';
import type { PendingNotice } from '../../session/config/index.js';
import { getTools } from '../../tools/builtin.js';
import type { AnyTool, Tools } from '../../tools/tool.js';
import { nearestWord } from '../../util/text.js';
import { DOORS } from '../features.js';
import type { McpServersGiven } from '../mcp/index.js';
import type { Options } from '../options/index.js';

export const QUESTION_TOOL = 'AskUserQuestion';
const SEARCH_TOOL = 'WebSearch';
const PLAN_TOOL = 'ExitPlanMode';
/** For sessions that name it. */
export const CONFIG_TOOL = 'Config';
const PLAN_FIRST_TOOL = 'EnterPlanMode';
const TODO_TOOL = 'TodoWrite';
/** For sessions that keep their list item by item. */
const TASK_LIST_NAMES = ['TaskCreate', 'TaskGet', 'TaskUpdate', 'TaskList'];

export interface ChosenTools {
  readonly tools: Tools;
  /** Those that `tools` leaves out and definitions of `agents` name; absent if there are none. */
  readonly agentTools?: Tools;
  /** The model can ask the user. */
  readonly canAsk: boolean;
  /** A session that comes to mode plan later may offer the tool that ends it. */
  readonly mayPlanLater: boolean;
  /** Names that name nothing. */
  readonly notices: readonly PendingNotice[];
}

/**
 * @param more tools that there are besides, if nothing leaves them out
 * @param restricted names of tools that settings deny or ask about
 */
export async function chooseTools(
  options: Options,
  servers: McpServersGiven | null,
  env: Host['env'],
  more: Tools = [],
  restricted: readonly string[] = [],
): Promise<ChosenTools> {
  const builtIn = await withSearch([...(await withTaskList(await getTools(), options)), ...more], options, env);
  const all = await withPlans(await withQuestions(builtIn, options), options);
  const wanted = toolNames(options.tools);
  const namesIn = (rules: readonly string[] = []) => rules.map((rule) => currentToolName(toolOfRule(rule)));
  const allowed = namesIn(options.allowedTools);
  const refused = namesIn(options.disallowedTools);
  const named = [...(wanted ?? []), ...allowed, ...refused];
  const external = servers !== null && named.some((name) => name.startsWith('mcp__')) ? await servers.names(named) : [];
  const known = new Set([
    ...all.map((tool) => tool.name),
    QUESTION_TOOL,
    PLAN_TOOL,
    PLAN_FIRST_TOOL,
    CONFIG_TOOL,
    SEARCH_TOOL,
    'Skill',
    ...TASK_LIST_NAMES,
    TODO_TOOL,
    ...external,
  ]);
  // What restricts means a tool in whatever case it is written.
  const folded = new Set([...known].map((name) => name.toLowerCase()));
  const isUnknown = (name: string) => !name.includes('*') && !folded.has(name.toLowerCase());
  const denied = (options.disallowedTools ?? []).map((name) => ({ toolName: name.trim(), content: null }));
  const isDenied = (name: string) => denied.some((rule) => restrictsTool(rule, name));
  const tools = all.filter((tool) => (wanted === null || wanted.includes(tool.name)) && !isDenied(tool.name));
  const ofAgents = Object.values(options.agents ?? {}).flatMap((agent) => namesOfAgent(agent).map(currentToolName));
  const agentTools = all.filter(
    (tool) => !tools.includes(tool) && ofAgents.includes(tool.name) && !isDenied(tool.name),
  );
  return {
    tools,
    ...(agentTools.length === 0 ? {} : { agentTools }),
    canAsk: tools.some((tool) => tool.name === QUESTION_TOOL),
    mayPlanLater:
      canApprovePlan(options) && (wanted === null || wanted.includes(PLAN_FIRST_TOOL)) && !isDenied(PLAN_TOOL),
    notices: [
      ...unknownTools(
        [...new Set([...(wanted ?? []), ...allowed, ...refused.filter(isUnknown)])].filter((name) => !known.has(name)),
        known,
      ),
      ...slips(restricted.filter(isUnknown), known),
    ],
  };
}

/** What is wrong with a definition is told when it is read. */
function namesOfAgent(agent: unknown): readonly string[] {
  const { tools } = (agent ?? {}) as { readonly tools?: unknown };
  return Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : [];
}

/** One notice for all: some programs name every tool of another engine. */
function unknownTools(names: readonly string[], known: ReadonlySet<string>): readonly PendingNotice[] {
  if (names.length === 0) return [];
  const message =
    names.length === 1
      ? `There is no tool ${names[0]}, so naming it has no effect.`
      : `There are no tools ${names.join(', ')}, so naming them has no effect.`;
  const [only = ''] = names;
  const near = names.length === 1 ? nearestWord(only.slice(0, 60), [...known]) : undefined;
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  return [{ code: 'unknown_tool_name', message, remedy: `${meant}Known tools: ${[...known].join(', ')}.` }];
}

/** Tools that rules of other engines name, and those of this one that not every session has. */
const OF_OTHERS: ReadonlySet<string> = new Set(
  (
    'MultiEdit NotebookRead LS TodoRead ListMcpResourcesTool ReadMcpResourceTool ListMcpResources ReadMcpResource PowerShell LSP Monitor ' +
    'CronCreate CronDelete CronList EnterWorktree ExitWorktree TeamCreate TeamDelete SendMessage ToolSearch RunScript ' +
    'TaskOutput TaskStop TaskCreate TaskGet TaskUpdate TaskList TodoWrite WebSearch WebFetch Agent Skill Config StructuredOutput'
  ).split(' '),
);
/** Of more than these it is said how many there are. */
const MAX_NAMED = 10;

/** Settings are written for many sessions, so a server that is not there now is none of these. One notice for all. */
function slips(names: readonly string[], known: ReadonlySet<string>): readonly PendingNotice[] {
  const unknown = [...new Set(names)].filter(
    (name) => !name.startsWith('mcp__') && !OF_OTHERS.has(name) && currentToolName(name) === name,
  );
  const [only] = unknown;
  if (only === undefined) return [];
  const meant = unknown.map((name) => meantTool(name) ?? nearestWord(name.slice(0, 60), [...known]));
  if (unknown.length === 1) {
    const message = `There is no tool ${only}, so a rule of settings that denies or asks about it PROTECTS NOTHING.`;
    const remedy =
      meant[0] === undefined ? 'Name a tool that there is, or take the rule out.' : `Did you mean ${meant[0]}?`;
    return [{ code: 'unknown_tool_name', message, remedy }];
  }
  const shown = unknown
    .slice(0, MAX_NAMED)
    .map((name, at) => (meant[at] === undefined ? name : `${name} (did you mean ${meant[at]}?)`));
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : '';
  const message = `${unknown.length} rules of settings that deny or ask name no tool, so they PROTECT NOTHING: ${shown.join(', ')}${more}.`;
  return [
    {
      code: 'unknown_tool_name',
      message,
      remedy: 'Name tools that there are, or take the rules out.',
    },
  ];
}

/** Null: all. What is meant to leave some out must not leave all in. @throws ConfigError */
function toolNames(tools: Options['tools']): readonly string[] | null {
  if (tools === undefined) return null;
  if (Array.isArray(tools)) return tools.map(currentToolName);
  if ((tools as { type?: unknown }).type === 'preset') return null;
  throw new ConfigError("`tools` must be a list of names, or { type: 'preset', preset } for all.");
}

/** In place of the one tool that sends the whole list, or those of both that `tools` names. */
async function withTaskList(builtIn: AnyTool[], { tools, taskTools }: Options): Promise<AnyTool[]> {
  const isNamed = Array.isArray(tools) && tools.some((name) => TASK_LIST_NAMES.includes(name));
  if (taskTools !== true && !isNamed) return builtIn;
  const { TASK_LIST_TOOLS } = await DOORS.namedTools();
  const at = builtIn.findIndex(({ name }) => name === TODO_TOOL);
  return builtIn.toSpliced(at, isNamed ? 0 : 1, ...TASK_LIST_TOOLS);
}

/** To a session in which nobody searches, the tool would be one that fails: only who names it in `tools` has it. */
async function withSearch(builtIn: Tools, { tools, web }: Options, env: Host['env']): Promise<Tools> {
  const isNamed = Array.isArray(tools) && tools.includes(SEARCH_TOOL);
  if (!isNamed && web?.search === undefined && !SEARCH_VARIABLES.some(([, name]) => env[name]?.trim())) return builtIn;
  return [...builtIn, (await DOORS.namedTools()).webSearchTool];
}

/**
 * Somebody can answer by `onElicitation`, or by `canUseTool`, which changes the input. Named in `tools` the tool is
 * offered in any case.
 */
async function withQuestions(builtIn: Tools, options: Options): Promise<Tools> {
  const { tools, onElicitation, canUseTool, toolConfig } = options;
  const isNamed = Array.isArray(tools) && tools.includes(QUESTION_TOOL);
  if (onElicitation === undefined && canUseTool === undefined && !isNamed) return builtIn;
  const { createAskUserQuestion } = await DOORS.answeredTools();
  return [...builtIn, createAskUserQuestion(toolConfig?.askUserQuestion)];
}

/**
 * A session that begins in mode plan can leave it if somebody can approve a plan. Named in `tools` the tool is offered
 * in any case; to all others it would only be one more tool, until they come to that mode.
 */
async function withPlans(builtIn: Tools, options: Options): Promise<Tools> {
  const { tools, permissionMode, planMode } = options;
  const isNamed = Array.isArray(tools) && tools.includes(PLAN_TOOL);
  const isPlanning = permissionMode === 'plan' || planMode === true;
  const [isFirst, isLast] = [mayPlanFirst(options), isNamed || (isPlanning && canApprovePlan(options))];
  if (!isFirst && !isLast) return builtIn;
  const { enterPlanModeTool, exitPlanModeTool } = await DOORS.answeredTools();
  return [...builtIn, ...(isFirst ? [enterPlanModeTool] : []), ...(isLast ? [exitPlanModeTool] : [])];
}

/** True if a person follows the session and can say yes; named in `tools`, in any case. */
function mayPlanFirst(options: Options): boolean {
  const { tools, isNonInteractiveSession } = options;
  if (Array.isArray(tools)) return tools.includes(PLAN_FIRST_TOOL);
  return isNonInteractiveSession === false && canApprovePlan(options);
}

function canApprovePlan({ canUseTool, permissionPromptToolName, deferPermissions }: Options): boolean {
  return canUseTool !== undefined || permissionPromptToolName !== undefined || deferPermissions === true;
}

/** `Bash` of `Bash(git *)`, the server of `mcp__server__*`; other names with stars as they are. */
function toolOfRule(rule: string): string {
  const at = rule.indexOf('(');
  return (at === -1 ? rule : rule.slice(0, at)).trim().replace(/^(mcp__[^*]*?)(?:__)\*$/, '$1');
}
