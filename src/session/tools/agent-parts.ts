// What every agent of a session has of its own, the main one and each subagent: requests, compaction, spending, and
// what its tools see.
import path from 'node:path';
import { createCompactor } from '../../engine/compaction/index.js';
import { createRequestBuilder, type RequestBuilder } from '../../engine/request/index.js';
import type { createLimitedSpending } from '../../engine/spending/index.js';
import { type Budget, type Compactor, FREE_SPENDING, type LoopDeps, type Spending } from '../../engine/state/index.js';
import { createTokenEstimator } from '../../engine/tokens/index.js';
import type { Host } from '../../host/host.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { TaskFacts } from '../../tools/background-tasks.js';
import type { PlanAccess, TodoStore, ToolContext, ToolWorktrees } from '../../tools/tool.js';
import type { WebAccess } from '../../tools/web-access.js';
import { childEnvironment, type QueryEngineConfig } from '../config/index.js';
import { DOORS } from '../features.js';
import type { Elicit } from '../permission/index.js';
import type { Prices } from '../spending/index.js';
import type { SessionTasks } from '../tasks/index.js';
import type { SessionTelemetry } from '../telemetry/index.js';
import type { Workplace } from '../workplace/index.js';

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
