// Puts a session together: the one place where defaults become real things.
import type { Budget } from '../engine/budget.js';
import type { LoopDeps, MessageDraft } from '../engine/loop-state.js';
import { createJsonValidator } from '../engine/validate-json.js';
import type { Host } from '../host/host.js';
import type { McpServerStatus } from '../protocol/mcp.js';
import type { EngineLimits } from '../protocol/options.js';
import type { ApiKeySource } from '../protocol/system-messages.js';
import { MODEL_LIMITS_TABLE, type ModelLimits } from '../providers/model-limits.js';
import type { Provider } from '../providers/provider.js';
import { resolveProvider } from '../providers/registry.js';
import { type AgentParts, createAgentParts, type Prices } from './agent-parts.js';
import { type SessionAgents, setUpAgents } from './agent-setup.js';
import { checkConfig, checkOutputSchema } from './check-config.js';
import type { Checkpoints } from './checkpoints/checkpoints.js';
import type { PendingNotice, QueryEngineConfig } from './config.js';
import type { Elicit, ElicitorOptions } from './elicitation.js';
import { resolveLimits } from './limits.js';
import type { AgentSetup } from './main-agent.js';
import { NO_HOOKS } from './no-hooks.js';
import { openTools, unusableSchema } from './open-tools.js';
import { type AgentGate, createPermissionGate, type PermissionGate } from './permission-gate.js';
import { createPriceBook, type PriceBook } from './price-book.js';
import { sessionBudget } from './session-budget.js';
import type { SessionHooks, SessionHooksOptions } from './session-hooks.js';
import { keepInReach, openRetention, type Retention } from './session-keeping.js';
import { openSessionTranscript } from './session-transcript.js';
import type { Transcript } from './store/transcript.js';
import type { UsageLedger } from './usage-ledger.js';
import { logTo } from './verbose-log.js';
import { announced, createWaitFor, tellStatus } from './waiting.js';
import { withoutEffect } from './without-effect.js';

/** What an agent of a session needs once it runs: the session's own from its first prompt on, or a subagent. */
export interface Runtime extends Pick<AgentParts, 'requests' | 'compactor' | 'spending'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  readonly provider: Provider;
  /** The model of the agent; `setModel` overrides the session's. */
  readonly model: string;
  readonly apiKeySource: ApiKeySource;
  readonly transcript: Transcript;
  /** Null for a session whose files cannot be set back. */
  readonly checkpoints: Checkpoints | null;
  /** Where files of the session go, beside its transcript; null where it keeps none. */
  readonly sessionFolder: string | null;
  readonly gate: AgentGate;
  readonly hooks: SessionHooks;
  readonly agents: SessionAgents;
  readonly setup: AgentSetup;
  readonly mcpServers: readonly McpServerStatus[];
  readonly budget: Budget | null;
  readonly prices: Prices;
  /** What the session has to tell, once. */
  takeNotices(): readonly PendingNotice[];
  readonly retention: Retention;
  /** Messages that hooks gave rise to since the last call. */
  takeDrafts(): readonly MessageDraft[];
  /** The signal of the running prompt, for hooks. */
  setSignal(signal: AbortSignal): void;
  readonly loop: Pick<
    LoopDeps,
    | 'validateJson'
    | 'toolContext'
    | 'beforeSideEffect'
    | 'recordRequest'
    | 'log'
    | 'maxOutputTokens'
    | 'learnOutputLimit'
    | 'contextWindow'
  >;
  close(): Promise<void>;
}

/** That of the session's own agent. */
export interface SessionRuntime extends Runtime {
  readonly gate: PermissionGate;
}

/** Taken where nothing is known of the model, tokens. */
const DEFAULT_CONTEXT_WINDOW = 200_000;

/**
 * @param ended aborted when the session ends before it was put together
 * @param openCheckpoints gives those of the session, or none
 * @throws ConfigError where the configuration cannot be used
 */
export async function assembleRuntime(
  config: QueryEngineConfig,
  host: Host,
  sessionId: string,
  ledger: UsageLedger,
  ended: AbortSignal,
  openCheckpoints: () => Promise<Checkpoints | null>,
): Promise<SessionRuntime> {
  checkConfig(config);
  if (config.jsonSchema !== undefined) await checkOutputSchema(config.jsonSchema, 'jsonSchema');
  const env = { ...host.env, ...config.env };
  const limits = resolveLimits(env, config.limits);
  const opened = await openTools(config, host, ended);
  const agents = await setUpAgents({ ...config, tools: opened.tools });
  // Loading the provider and finding the transcript's place wait for different things.
  const [{ provider, model, apiKeySource, notices: modelNotices, close }, transcript, checkpoints] = await Promise.all([
    resolveModel(config, agents.main.model, { ...host, env }),
    openSessionTranscript(config, { host, env, sessionId, limits }),
    openCheckpoints(),
  ]);

  let signal = new AbortController().signal;
  let hasPrompts = false;
  let drafts: MessageDraft[] = [];
  let notices: readonly PendingNotice[] = [
    ...(config.notices ?? []),
    ...withoutEffect(config),
    ...opened.notices,
    ...agents.notices,
    ...modelNotices,
  ];
  const onDraft = (draft: MessageDraft) => void drafts.push(draft);
  const hooks = await openHooks(config, {
    host,
    sessionId,
    cwd: config.cwd,
    includeEvents: config.includeHookEvents ?? false,
    facts: () => ({ transcriptPath: transcript.path ?? '', permissionMode: gate.mode, signal }),
    onDraft,
  });
  const waitFor = createWaitFor((status) => tellStatus(config, status), hooks);
  const elicit = await openElicitor(config, { host, hooks, timeoutMs: limits.elicitationTimeoutMs, waitFor, onDraft });
  const gate = createPermissionGate({
    context: config.permissions ?? null,
    canUseTool: config.canUseTool === undefined ? undefined : announced(config.canUseTool, waitFor),
    hooks,
  });

  const log: LoopDeps['log'] = (event, detail) => logTo(config, event, detail);
  const retention = openRetention(config, host, env, log, (notice) => {
    notices = [...notices, notice];
  });
  const prices = lazyPrices(config, provider);
  // Only the catalogue knows what overrides say, so with some it must be there before the first request.
  if (config.catalogueOverrides !== undefined) await prices.load();
  const budget = await sessionBudget(config, model, prices.load, ledger);
  const sessionFolder = transcript.path === null ? null : transcript.path.slice(0, -'.jsonl'.length);
  const limitsOf = modelLimits(provider, prices.known);
  const learnedLimits = new Map<string, number>();
  const contextWindow = (name: string) =>
    config.contextWindow ?? limitsOf(name)?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  const { requests, compactor, spending, toolContext } = createAgentParts(config, {
    host,
    env,
    limits,
    prices,
    contextWindow,
    budget,
    sessionFolder,
    elicit,
  });
  return {
    env,
    limits,
    provider,
    model,
    apiKeySource,
    transcript,
    checkpoints,
    sessionFolder,
    gate,
    hooks,
    agents,
    setup: agents.main,
    mcpServers: opened.servers,
    requests,
    compactor,
    budget,
    spending,
    prices,
    retention,
    takeNotices() {
      const told = notices;
      notices = [];
      return told;
    },
    takeDrafts() {
      const told = drafts;
      drafts = [];
      return told;
    },
    setSignal(next) {
      signal = next;
      hasPrompts = true;
    },
    loop: {
      validateJson: createJsonValidator((schema, why) => onDraft(unusableSchema(opened.tools, schema, why))),
      toolContext,
      async beforeSideEffect(call) {
        await transcript.sync();
        return checkpoints === null ? null : checkpoints.beforeCall(call);
      },
      recordRequest: (record) => ledger.add(record),
      contextWindow,
      maxOutputTokens: (name) => {
        const limits = [limitsOf(name)?.maxOutputTokens, learnedLimits.get(name)].filter(
          (tokens) => tokens !== undefined,
        );
        return limits.length === 0 ? null : Math.min(...limits);
      },
      learnOutputLimit: (name, tokens) => void learnedLimits.set(name, tokens),
      log,
    },
    async close() {
      try {
        await checkpoints?.close();
        await retention.finish();
        if (hasPrompts && transcript.path !== null) await keepInReach(host, transcript, transcript.path, log);
      } finally {
        // Whatever failed, nobody must find the session locked.
        await transcript.close().finally(close);
      }
    },
  };
}

interface ResolvedModel {
  readonly provider: Provider;
  readonly model: string;
  readonly apiKeySource: ApiKeySource;
  readonly notices: readonly PendingNotice[];
  close(): void;
}

/** @param agentModel what the definition of the session's own agent names */
async function resolveModel(
  config: QueryEngineConfig,
  agentModel: string | undefined,
  host: Host,
): Promise<ResolvedModel> {
  const { provider, userSpecifiedModel: wanted = agentModel } = config;
  if (provider !== undefined) {
    const model = wanted ?? provider.id;
    return { provider, model, apiKeySource: config.apiKeySource ?? 'none', notices: [], close: () => undefined };
  }
  const resolved = await resolveProvider(wanted, host);
  const notices: PendingNotice[] = [];
  if (resolved.reason === 'no_key') {
    notices.push({
      code: 'offline_model',
      message:
        'No model key is configured, so the offline model answers. It is a deterministic planner, not a language model.',
      remedy: 'Set ANTHROPIC_API_KEY for a real model.',
    });
  }
  return { ...resolved, notices };
}

/** Most sessions have no hooks, so what runs them is loaded for those that do. */
async function openHooks(
  config: QueryEngineConfig,
  options: Omit<SessionHooksOptions, 'matchers'>,
): Promise<SessionHooks> {
  const { hooks: matchers = {} } = config;
  if (Object.keys(matchers).length === 0) return NO_HOOKS;
  const { createSessionHooks } = await import('./session-hooks.js');
  return createSessionHooks({ ...options, matchers });
}

/** The catalogue is large and rarely needed before the first reply, so it is loaded when it is asked for. */
function lazyPrices(config: QueryEngineConfig, provider: Provider): Prices {
  let book: PriceBook | null = null;
  let loading: Promise<PriceBook> | null = null;
  return {
    known: () => book,
    load: () => {
      loading ??= import('../providers/catalogue.js').then(async ({ loadCatalogue }) => {
        book = createPriceBook(await loadCatalogue(config.catalogueOverrides), provider);
        return book;
      });
      return loading;
    },
  };
}

/** The limits of a model, known from the first request on: of the catalogue once it is there, else of the short table. */
function modelLimits(provider: Provider, catalogue: () => PriceBook | null): (model: string) => ModelLimits | null {
  return (model) => catalogue()?.facts(model) ?? MODEL_LIMITS_TABLE.find(provider.id, model);
}

/** Most sessions have nobody to ask. */
async function openElicitor(
  { handleElicitation: handler }: QueryEngineConfig,
  options: Omit<ElicitorOptions, 'handler'>,
): Promise<Elicit | null> {
  if (handler === undefined && !options.hooks.has('Elicitation')) return null;
  const { createElicitor } = await import('./elicitation.js');
  return createElicitor({ ...options, handler });
}
