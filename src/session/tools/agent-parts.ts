// The agents of a session: what its own is made of, which others may be started, and what each of them has of its own:
// requests, compaction, spending, and what its tools see.
import path from 'node:path';
import { createCompactor } from '../../engine/compaction/index.js';
import { createRequestBuilder, type RequestBuilder } from '../../engine/request/index.js';
import {
  type Budget,
  type Compactor,
  type createLimitedSpending,
  FREE_SPENDING,
  type LoopDeps,
  type Spending,
} from '../../engine/state/index.js';
import { createTokenEstimator } from '../../engine/tokens/index.js';
import type { Host } from '../../host/host.js';
import { restrictsName } from '../../permissions/tool-rule.js';
import { ConfigError } from '../../protocol/errors.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { builtInAgents } from '../../subagents/built-in-agents.js';
import type { AgentType, AgentTypes, DefinitionRules } from '../../subagents/definition.js';
import { inheritTools } from '../../subagents/inherit.js';
import { agentTool, describeAgents } from '../../tools/agent.js';
import type { TaskFacts } from '../../tools/background-tasks.js';
import type { PlanAccess, TodoStore, ToolContext, Tools, ToolWorktrees } from '../../tools/tool.js';
import type { WebAccess } from '../../tools/web-access.js';
import { childEnvironment, type PendingNotice, type QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import type { Elicit } from '../permission/index.js';
import type { Prices } from '../spending/index.js';
import type { SessionTasks } from '../tasks/index.js';
import type { SessionTelemetry } from '../telemetry/index.js';
import type { Workplace } from '../workplace/index.js';
import type { MainAgent } from './defined-agents.js';

/** What the agents of a session share. */
export interface SharedParts {
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  /** Complete as far as variables go. */
  readonly secrets: Secrets;
  readonly prices: Prices;
  /** Tokens. */
  contextWindow(model: string): number;
  /** Null if nothing limits what may be spent. */
  readonly budget: Budget | null;
  /** Loaded for a session with a budget. */
  readonly limitSpending: typeof createLimitedSpending | null;
  /** Where files of the session go, beside its transcript; null if it keeps none. */
  readonly sessionFolder: string | null;
  /** Null if nobody can be asked. */
  readonly elicit: Elicit | null;
  /** Files that a rule keeps from being read. */
  readonly hiddenFiles: ToolContext['hiddenFiles'];
  /** Null if commands run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** Null if secrets are left as they are. */
  readonly vault: SecretVault | null;
  readonly tasks: SessionTasks;
  /** Null if nothing is recorded. */
  readonly telemetry: SessionTelemetry | null;
  /** Absent: an agent that makes no plans. */
  readonly openPlan?: () => Promise<PlanAccess>;
  /** Made with the first call that needs it. */
  readonly openWeb: () => Promise<WebAccess>;
  /** Of the agent alone. */
  readonly workplace: Workplace;
  /** Absent: the agent cannot move to another. */
  readonly worktrees?: ToolWorktrees;
}

export interface AgentParts {
  readonly requests: RequestBuilder;
  readonly compactor: Compactor;
  readonly spending: Spending;
  readonly toolContext: LoopDeps['toolContext'];
}

/** Output too large to show goes there. */
export function spoolFolder(sessionFolder: string | null): string | null {
  return sessionFolder === null ? null : path.join(sessionFolder, 'tool-results');
}

/** @param agentId null: the session's own agent */
export function createAgentParts(config: QueryEngineConfig, agentId: string | null, shared: SharedParts): AgentParts {
  const { host, prices, budget } = shared;
  const estimator = createTokenEstimator();
  const requests = createRequestBuilder();
  const compactor = createCompactor({
    estimator,
    contextWindow: shared.contextWindow,
    isAutomatic: config.autoCompact ?? true,
    async pinSources(messages) {
      const { pinSources } = await DOORS.tools();
      return pinSources(
        config,
        host,
        messages,
        () => runningTasks(shared.tasks, agentId),
        () => requests.loaded,
        shared.workplace,
        shared.hiddenFiles,
      );
    },
  });
  return {
    requests,
    compactor,
    spending:
      budget === null || shared.limitSpending === null
        ? FREE_SPENDING
        : shared.limitSpending({
            budget,
            pricing: (name) => prices.known()?.pricing(name) ?? null,
            inputTokensAtMost: (request) => compactor.inputTokensAtMost(request),
          }),
    toolContext: toolContexts(config, agentId, shared),
  };
}

/** Those that a compaction must not make an agent forget. */
function runningTasks({ registry }: SessionTasks, agentId: string | null): readonly TaskFacts[] {
  return registry?.runningOf(agentId) ?? [];
}

function toolContexts(config: QueryEngineConfig, agentId: string | null, shared: SharedParts): LoopDeps['toolContext'] {
  const { host, limits, sessionFolder, elicit, hiddenFiles, sandbox, vault } = shared;
  const { secrets, tasks, openWeb, workplace, telemetry } = shared;
  const openTasks = async () => (await tasks.open()).forAgent(agentId);
  // What is found to be a secret later must not reach a process either.
  let child = { version: secrets.version, env: childEnvironment(shared.env, secrets) };
  const childEnv = () => {
    const { version } = secrets;
    if (child.version !== version) child = { version, env: childEnvironment(shared.env, secrets) };
    return child.env;
  };
  const todos: TodoStore = {
    get: () => config.getAppState().todos ?? [],
    set: (next) => config.setAppState((previous) => ({ ...previous, todos: next })),
  };
  const spoolDirectory = spoolFolder(sessionFolder);
  return (toolUseId, signal): ToolContext => ({
    host,
    cwd: workplace.cwd,
    folder: workplace.folder,
    moveTo: workplace.moveTo,
    ...(shared.worktrees === undefined ? {} : { worktrees: shared.worktrees }),
    childEnv: childEnv(),
    ...(telemetry === null ? {} : traceOf(telemetry, agentId, toolUseId, childEnv())),
    signal,
    toolUseId,
    readFileCache: config.readFileCache,
    spoolDirectory,
    toolTimeoutMs: limits.toolTimeoutMs,
    todos,
    ...(hiddenFiles === undefined ? {} : { hiddenFiles }),
    ...(sandbox === null ? {} : { sandbox }),
    ...(vault === null ? {} : { secrets: vault }),
    openTasks,
    background: {
      afterMs: config.backgroundAfterMs ?? null,
      atTimeout: config.backgroundOnTimeout ?? false,
      listen: (move) => tasks.listen(toolUseId, move),
    },
    ...(shared.openPlan === undefined ? {} : { openPlan: shared.openPlan }),
    openWeb,
    elicit: elicit === null ? null : (question) => elicit(question, signal),
    isNonInteractiveSession: config.isNonInteractiveSession ?? true,
    onProgress: () => undefined,
  });
}

/** What works for the call goes on with its trace. */
function traceOf(
  telemetry: SessionTelemetry,
  agentId: string | null,
  toolUseId: string,
  childEnv: ToolContext['childEnv'],
): Partial<Pick<ToolContext, 'traceContext' | 'childEnv'>> {
  const traceContext = telemetry.traceContext(agentId, toolUseId);
  if (traceContext === null) return {};
  return { traceContext, childEnv: { ...childEnv, ...telemetry.variables(agentId, toolUseId) } };
}

export interface SessionAgents {
  readonly main: MainAgent;
  /** Which subagents there are: built in first, then of files, then of the host; a stronger one takes the place of its name. */
  readonly types: readonly AgentType[];
  /** The tools of the session, which no agent has more of, but for those that its host named for it. */
  readonly tools: Tools;
  /** Those that only agents have whose definition is the host's and names them. */
  readonly agentTools: Tools;
  /** How deep agents may start agents; 0: none at all. */
  readonly maxDepth: number;
  readonly notices: readonly PendingNotice[];
  /** The same with other tools, or other files of agents. @throws ConfigError as `setUpAgents` */
  again(changes: Partial<Pick<AgentFields, 'tools' | 'agentFiles'>>): Promise<SessionAgents>;
}

/** Subagents start no agents of their own, unless a configuration says so. */
const DEFAULT_DEPTH = 1;

/** The fields of a configuration that say which agents there are. */
type AgentFields = Pick<
  QueryEngineConfig,
  | 'agents'
  | 'agentFiles'
  | 'agentTools'
  | 'builtInAgents'
  | 'tools'
  | 'agent'
  | 'coordinator'
  | 'maxAgentDepth'
  | 'maxTurns'
  | 'effort'
  | 'permissions'
  | 'skills'
  | 'allowDangerouslySkipPermissions'
>;

/** @throws ConfigError if a definition cannot be used, or names an agent that is not there */
export async function setUpAgents(config: AgentFields): Promise<SessionAgents> {
  const maxDepth = checkDepth(config.maxAgentDepth ?? DEFAULT_DEPTH);
  const { agents: types, notices } = await readTypes(config, maxDepth);
  const offered = inheritTools(config.tools, { tools: null, disallowedTools: [] }, maxDepth > 0 && types.length > 0);
  const tools = offered.map((tool) =>
    tool.run === agentTool.run ? { ...agentTool, description: describeAgents(types) } : tool,
  );
  const again: SessionAgents['again'] = (changes) => setUpAgents({ ...config, ...changes });
  const rest = { types, tools, agentTools: config.agentTools ?? [], maxDepth, notices, again };
  const plain = { tools, maxTurns: config.maxTurns, effort: config.effort };
  if (config.agent === undefined && config.coordinator !== true) {
    return { main: plain, ...rest };
  }
  const { setUpMainAgent } = await DOORS.definedAgents();
  return { main: await setUpMainAgent(config, plain, types), ...rest };
}

async function readTypes(config: AgentFields, maxDepth: number): Promise<AgentTypes> {
  const toolNames = config.tools.map((tool) => tool.name);
  const denied = config.permissions?.deny ?? [];
  // Those that `Agent(name)` denies are not offered.
  const isThere = ({ name }: AgentType) => !denied.some((rule) => restrictsName(rule, agentTool.name, name));
  const builtIn = builtInAgents(checkBuiltIn(config.builtInAgents), toolNames).filter(isThere);
  if (config.agents.length === 0 && config.agentFiles === undefined) return { agents: builtIn, notices: [] };
  const { definedAgents } = await DOORS.definedAgents();
  const rules: DefinitionRules = {
    allowBypass: mayBypass(config),
    toolNames,
    skillNames: config.skills?.names,
    mayNest: maxDepth > 1,
  };
  const ofAgents = (config.agentTools ?? []).map((tool) => tool.name);
  const { agents, notices } = definedAgents(config, rules, ofAgents);
  const types = new Map([...builtIn, ...agents].map((type) => [type.name, type]));
  return { agents: [...types.values()].filter(isThere), notices };
}

function checkBuiltIn(wanted: unknown = true): boolean | readonly string[] {
  if (typeof wanted === 'boolean') return wanted;
  if (Array.isArray(wanted) && wanted.every((name) => typeof name === 'string')) return wanted;
  throw new ConfigError('builtInAgents is true, false, or a list of names of built-in agents.');
}

function mayBypass({ allowDangerouslySkipPermissions, permissions }: AgentFields): boolean {
  const mode = permissions?.mode;
  return allowDangerouslySkipPermissions === true || mode === 'bypassPermissions' || mode === 'yolo';
}

function checkDepth(depth: number): number {
  if (Number.isInteger(depth) && depth >= 0) return depth;
  throw new ConfigError(`maxAgentDepth is ${depth}. Give a whole number of at least 0.`);
}
