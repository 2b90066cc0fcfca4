// Puts a session together: the one place where defaults become real things.

import {
  type Budget,
  createLimitWatch,
  type LoopDeps,
  type MessageDraft,
  type ShownMessage,
} from '../engine/state/index.js';
import type { HookPowers } from '../hooks/hook-action.js';
import type { Host } from '../host/host.js';
import { ConfigError, ToolError } from '../protocol/errors.js';
import type { HookInput } from '../protocol/hooks.js';
import type { SDKMessage } from '../protocol/messages.js';
import type { WebOptions } from '../protocol/web-options.js';
import { createSecrets, type Secrets } from '../providers/keys/index.js';
import type { Tools } from '../tools/tool.js';
import { loadOnce } from '../util/load-once.js';
import type { Checkpoints } from './checkpoints/index.js';
import {
  checkConfig,
  checkOutputSchema,
  hasUsualParts,
  logTo,
  type PendingNotice,
  type QueryEngineConfig,
  resolveLimits,
  withoutEffect,
} from './config/index.js';
import { modeDrafts, noticeDraft, notificationDraft, type SessionRuntime, stateDraft } from './core/index.js';
import { openLiveHooks, type PromptFacts } from './hooks/index.js';
import {
  hasOverrides,
  lazyPrices,
  type ModelPolicy,
  modelLimits,
  openModels,
  type SessionModels,
  type sessionBudget,
} from './models/index.js';
import {
  announced,
  canAsk,
  contextOf,
  createPermissionGate,
  createWaitFor,
  type Elicit,
  type ElicitorOptions,
  type PermissionGate,
  type PromptTool,
  type Provenance,
  type ProvenanceOptions,
  tellStatus,
} from './permission/index.js';
import { lazyGitWatch, openCommandSandbox } from './sandbox/index.js';
import { createSessionVault, shieldSecrets } from './secrets/index.js';
import type { Prices, UsageLedger } from './spending/index.js';
import { keepInReach, openRetention, openSessionTranscript } from './store/index.js';
import { createSessionTasks } from './tasks/index.js';
import type { OpenedTelemetry, SessionTelemetry, TelemetryPlace } from './telemetry/index.js';
import {
  createAgentParts,
  createServersAccess,
  openTools,
  type Sampler,
  setUpAgents,
  spoolFolder,
} from './tools/index.js';
import { createWorkplace, lazyWorktrees, leftWorktrees, tellMoved } from './workplace/index.js';

/** Taken if nothing is known of the model, tokens. */
const DEFAULT_CONTEXT_WINDOW = 200_000;
/** Messages of agents in the background that wait for a reader. */
const MAX_WAITING = 400;

/**
 * @param ended aborted when the session ends before it was put together
 * @param openCheckpoints gives those of the session, or none
 * @throws ConfigError if the configuration cannot be used
 */
export async function assembleRuntime(...parts: Parts): Promise<SessionRuntime> {
  const closing: (() => Promise<void>)[] = [];
  try {
    return await assemble(closing, ...parts);
  } catch (error) {
    for (const close of closing.reverse()) await close().catch(() => undefined); // what failed first is told
    throw error;
  }
}

type Parts = [
  config: QueryEngineConfig,
  host: Host,
  sessionId: string,
  ledger: UsageLedger,
  ended: AbortSignal,
  openCheckpoints: () => Promise<Checkpoints | null>,
];

/** @param closing what ends with the session, the last first */
async function assemble(
  closing: (() => Promise<void>)[],
  ...[config, host, sessionId, ledger, ended, openCheckpoints]: Parts
): Promise<SessionRuntime> {
  if (!hasUsualParts(config)) (await import('./config/check-parts.js')).checkParts(config);
  checkConfig(config);
  if (config.jsonSchema !== undefined) await checkOutputSchema(config.jsonSchema, 'jsonSchema');
  const env = { ...host.env, ...config.env };
  const limits = resolveLimits(env, config.limits);
  const gitWatch = lazyGitWatch(config, host, env);
  const release = host.exec.hold?.();
  closing.push(async () => release?.());
  const secrets = createSecrets();
  if (config.web !== undefined) await admitWeb(config.web, env, secrets);
  const keepsKey = config.persistSession !== false;
  const vault = config.redactSecrets === false ? null : createSessionVault({ host, env, secrets, keepsKey });
  const drafts: (MessageDraft | ShownMessage)[] = [];
  let onTold: () => void = () => undefined;
  const onDraft = (draft: MessageDraft | ShownMessage): void => {
    drafts.push(draft);
    onTold();
  };
  let unshown = 0;
  /** Of agents in the background, who do not wait until somebody reads. */
  const show = (message: SDKMessage): void => {
    if (message.type === 'system' || drafts.length < MAX_WAITING) onDraft({ type: 'shown', message });
    else unshown += 1;
  };
  const takeDrafts = () => {
    const left = unshown;
    unshown = 0;
    return left === 0 ? drafts.splice(0) : [...drafts.splice(0), unshownNotice(left)];
  };
  let changedRoots: PermissionGate['changedRoots'] = () => ({ added: [], removed: [] });
  const confining = openCommandSandbox(config, host, env, gitWatch, onDraft, () => changedRoots());
  confining.catch(() => undefined); // told where it is waited for
  closing.push(async () => void (await (await confining)?.commands.close()));
  let elicit: Elicit | null = null;
  let gate: PermissionGate;
  const log: LoopDeps['log'] = (event, detail) => logTo(config, event, detail);
  const ending = new AbortController();
  closing.push(async () => ending.abort());
  let sampler: Sampler | null = null;
  const cannotAsk: HookPowers['askModel'] = async () => {
    throw new ToolError('The model cannot be asked yet.');
  };
  let askers: Pick<HookPowers, 'askModel' | 'askAgent'> = { askModel: cannotAsk, askAgent: cannotAsk };
  const opened = await openTools(config);
  const servers = await createServersAccess(
    config,
    {
      ...{ host, sessionId, env, limits, vault, secrets, confining, closing, onDraft, log },
      elicit: () => elicit,
      sampler: () => sampler,
      roots: () => workspaceOf(config.cwd, gate),
    },
    opened.tools.map(({ name }) => name),
    AbortSignal.any([ended, ending.signal]),
  );
  const offered = [...opened.tools, ...(servers.now?.tools ?? [])];
  const prompting = await openPrompting(config, offered, (id, signal) => toolContext(id, signal));
  const tools = prompting?.others ?? offered;
  const agents = await setUpAgents({ ...config, tools });
  // Loading the provider and finding the transcript's place wait for different things.
  const [models, transcript, checkpoints, sandbox] = await Promise.all([
    openModels(config, agents.main.model, host, env, secrets),
    openSessionTranscript(config, { host, env, sessionId, limits, vault }),
    openCheckpoints(),
    confining,
  ]);
  const { model, apiKeySource, notices: modelNotices } = models;
  const provider = vault === null ? models.provider : shieldSecrets(models.provider, vault);

  let signal = new AbortController().signal;
  let promptFacts: PromptFacts = {};
  let hasPrompts = false;
  const notices: PendingNotice[] = [
    ...(config.notices ?? []),
    ...withoutEffect(config),
    ...opened.notices,
    ...agents.notices,
    ...modelNotices,
    ...(sandbox?.notices ?? []),
    ...(await leftWorktrees(host, config.cwd)),
  ];
  const telemetry = await openRecording(config, env, {
    env,
    sessionId,
    vault,
    providerOf: (name) => models.locate(name).provider,
    now: () => host.clock.monotonic(),
    costUsd: () => (ledger.costUnknown ? null : ledger.totalCostUsd),
    tell: (notice) => onDraft(noticeDraft(notice)),
    log,
  });
  notices.push(...(telemetry?.notices ?? []));
  const recorder = telemetry?.telemetry ?? null;
  closing.push(async () => recorder?.close());
  const watchPaths: string[] = [];
  const laterContext: string[] = [];
  const hooks = await openLiveHooks({
    matchers: config.hooks ?? {},
    commands: [...(config.commandHooks ?? []), ...(config.pluginHooks ?? [])],
    host,
    sessionId,
    cwd: config.cwd,
    env,
    secrets,
    sandbox: sandbox?.commands ?? null,
    powers: {
      openWeb: async () => (await import('./web/index.js')).openHookWeb(config, host, env, secrets),
      askModel: (question, until) => askers.askModel(question, until),
      askAgent: (question, until) => askers.askAgent(question, until),
      async callTool(server, name, input, until) {
        const { callServerTool } = await import('./hooks/call-server-tool.js');
        return callServerTool(server, name, input, servers.now?.tools ?? [], toolContext(host.ids.uuid(), until));
      },
    },
    includeEvents: config.includeHookEvents ?? false,
    ...(recorder === null ? {} : { variablesFor: hookVariables(recorder) }),
    vault,
    facts: () => ({
      transcriptPath: transcript.path ?? '',
      permissionMode: gate.mode,
      cwd: workplace.cwd,
      signal,
      prompt: promptFacts,
    }),
    onDraft,
    onWatchPaths: (paths) => void watchPaths.push(...paths),
    onLateContext: (texts) => void laterContext.push(...texts),
  });
  const watchedFiles = loadOnce(async () => {
    const { createWatchedFiles } = await import('./hooks/watched-files.js');
    const declared = { matchers: config.hooks ?? {}, commands: config.commandHooks ?? [] };
    return createWatchedFiles(watchPaths, hooks, declared, host, config.cwd);
  });
  const waitFor = createWaitFor((status, wait) => {
    tellStatus(config, status);
    if (config.includeSessionState !== true) return;
    onDraft(stateDraft(status === 'running' ? status : 'requires_action'));
    if (wait !== undefined) onDraft(notificationDraft(wait));
  }, hooks);
  elicit = await openElicitor(config, { host, hooks, timeoutMs: limits.elicitationTimeoutMs, waitFor, onDraft });
  const provenance = await openSessionProvenance(config, {
    rules: () => gate.rules,
    tell: (notice) => onDraft(noticeDraft(notice)),
  });
  const canUseTool = prompting?.canUseTool ?? config.canUseTool;
  gate = createPermissionGate({
    context: contextOf(config),
    canUseTool: canUseTool === undefined ? undefined : announced(canUseTool, waitFor),
    defers: config.deferPermissions ?? false,
    hooks,
    provenance,
    async saveUpdates(updates) {
      if (updates.some(({ type }) => type === 'addDirectories' || type === 'removeDirectories'))
        servers.now?.tellRoots();
      notices.push(...((await config.saveUpdates?.(updates)) ?? []));
    },
    openPlan: () => openPlan(),
    onMode(mode, before) {
      for (const draft of modeDrafts(mode, before)) onDraft(draft);
    },
    async vouch(seen) {
      notices.push(...(await (await import('./sandbox/open-git-watch.js')).vouchFor(gitWatch, seen)));
    },
  });

  const workplace = createWorkplace({
    host,
    folder: config.cwd,
    roots: () => gate.rules?.roots ?? config.additionalDirectories ?? [],
    onMoved: (old_cwd, new_cwd) => tellMoved(hooks, old_cwd, new_cwd),
  });
  changedRoots = gate.changedRoots;
  const worktrees = lazyWorktrees({
    config,
    host,
    env,
    sessionId,
    hooks,
    gitWatch,
    workplace,
    gate,
    sandbox: sandbox?.commands ?? null,
    onDraft,
  });
  const retention = openRetention(config, host, env, log, (notice) => {
    notices.push(notice);
  });
  const prices = lazyPrices(config, models, host, env);
  // Only the catalogue knows what overrides say, so with some it must be there before the first request.
  if (hasOverrides(config, env)) await prices.load();
  const policy = await openPolicy(config, host, sessionId, models);
  const fallback = policy === null ? await openFallback(config, host) : null;
  const budget = await openBudget(
    config,
    policy === null ? [model, ...(fallback?.models ?? [])] : [],
    models.admit,
    prices.load,
    ledger,
  );
  const limitSpending =
    budget === null ? null : (await import('../engine/spending/limited-spending.js')).createLimitedSpending;
  const sessionFolder = transcript.path === null ? null : transcript.path.slice(0, -'.jsonl'.length);
  const openPlan = loadOnce(async () => {
    const plan = await (await import('./plan/session-plan.js')).openPlan(
      host,
      sessionFolder,
      config.planModeInstructions,
    );
    if (plan.place !== null) gate.allowPlanFile(plan.place);
    return plan;
  });
  const validator = loadOnce(async () => (await import('./config/check-values.js')).openValidator(tools, onDraft));
  const tasks = createSessionTasks({
    host,
    limits,
    spoolDirectory: spoolFolder(sessionFolder),
    tell: onDraft,
    show,
    hooks,
  });
  const limitsOf = modelLimits(models, prices.known);
  const learnedLimits = new Map<string, number>();
  const contextWindow = (name: string) =>
    config.contextWindow ?? limitsOf(name)?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  const openWeb = loadOnce(async () => {
    const { openSessionWeb } = await import('./web/index.js');
    return openSessionWeb(config, host, env, secrets);
  });
  const { requests, compactor, spending, toolContext } = createAgentParts(config, null, {
    host,
    env,
    limits,
    secrets,
    prices,
    contextWindow,
    budget,
    limitSpending,
    sessionFolder,
    elicit,
    hiddenFiles: gate.hiddenFiles,
    sandbox: sandbox?.commands ?? null,
    vault,
    tasks,
    telemetry: recorder,
    openPlan,
    openWeb,
    workplace,
    worktrees,
  });
  return {
    env,
    limits,
    provider,
    models,
    policy,
    chain: (primary) => fallback?.chain(primary, models, prices) ?? null,
    model,
    secrets,
    apiKeySource,
    transcript,
    vault,
    checkpoints,
    sessionFolder,
    gate,
    provenance,
    hooks,
    agents,
    changedRoots,
    sandbox: sandbox?.commands ?? null,
    setup: agents.main,
    servers,
    setSampler(next) {
      sampler = next;
    },
    setHookModels(next) {
      askers = next;
    },
    requests,
    compactor,
    budget,
    limitSpending,
    spending,
    prices,
    hiddenFiles: gate.hiddenFiles,
    openWeb,
    typed: [],
    tasks,
    telemetry: recorder,
    openPlan,
    watchedFiles,
    laterContext,
    workplace,
    tell: onDraft,
    retention,
    takeNotices: () => notices.splice(0),
    takeDrafts,
    onTold(listener) {
      onTold = listener;
      if (drafts.length > 0) listener();
    },
    promptFacts: () => promptFacts,
    setPrompt(next, facts) {
      signal = next;
      promptFacts = facts;
      hasPrompts = true;
      hooks.beginPrompt();
    },
    loop: {
      validateJson: async (value, schema) => (await validator())(value, schema),
      limitWatch: createLimitWatch(),
      toolContext,
      lostPlace: workplace.lost,
      gitWatch,
      async beforeSideEffect(call) {
        await transcript.sync();
        await tasks.registry?.inspect();
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
        await tasks.close();
        await worktrees.close();
        await hooks.close();
        await checkpoints?.close();
        await retention.finish();
        if (hasPrompts && transcript.path !== null) await keepInReach(host, transcript, transcript.path, log);
      } finally {
        // Whatever failed, nobody must find the session locked.
        await transcript.close().finally(models.close);
        for (const close of closing.reverse()) await close();
      }
    },
  };
}

/** Few sessions have a policy on untrusted content. @throws ConfigError */
async function openSessionProvenance(
  { untrustedContent: policy, cwd, initialMessages, resumedState, isFolderGranted = false }: QueryEngineConfig,
  place: Pick<ProvenanceOptions, 'rules' | 'tell'>,
): Promise<Provenance | null> {
  if (policy === undefined) return null;
  const { openProvenance } = await import('./permission/provenance.js');
  return openProvenance({
    ...{ policy, cwd, isVouched: isFolderGranted },
    kept: resumedState?.untrusted,
    messages: initialMessages ?? [],
    ...place,
  });
}

function unshownNotice(count: number): MessageDraft {
  return noticeDraft({
    code: 'messages_not_shown',
    message: `Nobody read the stream while agents worked in the background, so ${count} of their messages are not in it. Their transcripts have them.`,
  });
}

/** Few sessions are recorded. `TURNWRIGHT_TELEMETRY` counts before the variable of the published SDKs, the option before both. */
async function openRecording(
  { telemetry: option }: QueryEngineConfig,
  env: Host['env'],
  place: Omit<TelemetryPlace, 'captureContent'>,
): Promise<OpenedTelemetry | null> {
  const isOn = option ?? isSet(env['TURNWRIGHT_TELEMETRY'] ?? env['CLAUDE_CODE_ENABLE_TELEMETRY']);
  if (isOn === false) return null;
  const { openTelemetry } = await import('./telemetry/index.js');
  return openTelemetry(option, place);
}

function isSet(variable: string | undefined): boolean {
  return variable === '1' || variable?.toLowerCase() === 'true';
}

/** A hook's command goes on with the trace of the call that it hears of, or of the agent. */
function hookVariables(telemetry: SessionTelemetry): (input: HookInput) => Readonly<Record<string, string>> {
  return (input) => {
    const { agent_id: agentId, tool_use_id: callId } = input as {
      readonly agent_id?: string;
      readonly tool_use_id?: string;
    };
    return telemetry.variables(agentId ?? null, callId ?? null);
  };
}

/** What the option says is checked, and its key is a secret from the start. @throws ConfigError */
async function admitWeb(web: WebOptions, env: Host['env'], secrets: Secrets): Promise<void> {
  const { checkWeb, searchKey } = await import('./config/check-web.js');
  checkWeb(web, env);
  searchKey(web, env, secrets);
}

/** The working directory first; it and what it is a link to are one. */
function workspaceOf(cwd: string, gate: PermissionGate | undefined): readonly string[] {
  return [...new Set([cwd, ...(gate?.rules?.roots ?? [])])];
}

/** Most sessions are asked by a callback, or by nobody. @throws ConfigError */
async function openPrompting(
  { permissionPromptToolName: name, canUseTool }: QueryEngineConfig,
  tools: Tools,
  contextOf: LoopDeps['toolContext'],
): Promise<PromptTool | null> {
  if (name === undefined) return null;
  if (canUseTool !== undefined)
    throw new ConfigError('permissionPromptToolName and canUseTool both say who is asked. Give one of them.');
  const { openPromptTool } = await import('./permission/prompt-tool.js');
  return openPromptTool(name, tools, contextOf);
}

/** Null where the host names no models. */
async function openPolicy(
  { resolveModel, resolveModelTimeoutMs: timeoutMs, listModels = async () => [] }: QueryEngineConfig,
  { clock }: Host,
  sessionId: string,
  { admit, admitCustom = admitNone }: SessionModels,
): Promise<ModelPolicy | null> {
  if (resolveModel === undefined) return null;
  const { createModelPolicy } = await import('./models/model-policy.js');
  return createModelPolicy({ resolveModel, timeoutMs, sessionId, clock, listModels, admit, admitCustom });
}

async function admitNone(): Promise<never> {
  throw new ConfigError('This session takes no models with keys of their own.');
}

/** Most sessions have one model. Null where a prompt never leaves it. */
async function openFallback(config: QueryEngineConfig, { ids }: Pick<Host, 'ids'>) {
  const { fallback, fallbackModel, onUserDialog, supportedDialogKinds } = config;
  if (fallback === undefined && fallbackModel === undefined) return null;
  const { createModelChain, fallbackSettings, refusalDialog } = await import('./models/model-chain.js');
  const settings = fallbackSettings({ fallback, fallbackModel });
  if (settings === null) return null;
  const confirm = refusalDialog({ onUserDialog, supportedDialogKinds }, settings, ids);
  return {
    models: settings.models,
    chain: (primary: () => string, models: SessionModels, prices: Prices) =>
      createModelChain(settings, primary, models, prices, confirm),
  };
}

/** Most sessions may spend what they like. */
async function openBudget(...[config, ...rest]: Parameters<typeof sessionBudget>): Promise<Budget | null> {
  if (config.budget === undefined && config.maxBudgetUsd === undefined) return null;
  return (await import('./models/session-budget.js')).sessionBudget(config, ...rest);
}

/** Most sessions have nobody to ask. */
async function openElicitor(
  config: QueryEngineConfig,
  options: Omit<ElicitorOptions, 'handler'>,
): Promise<Elicit | null> {
  if (!canAsk(config)) return null;
  const { createElicitor } = await import('./permission/elicitation.js');
  return createElicitor({ ...options, handler: config.handleElicitation });
}
