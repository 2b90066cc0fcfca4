// Puts a session together: the one place where defaults become real things. What only some sessions have is listed in
// `features.ts`.
import path from 'node:path';
import { createLimitWatch, type LoopDeps, type MessageDraft, type ShownMessage } from '../engine/state/index.js';
import type { HookPowers } from '../hooks/declared-hooks.js';
import type { Host } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { HookInput } from '../protocol/hooks.js';
import type { SDKMessage } from '../protocol/messages.js';
import { createSecrets } from '../providers/keys/index.js';
import type { ToolWorktrees } from '../tools/tool.js';
import { loadOnce } from '../util/load-once.js';
import type { Checkpoints } from './checkpoints/index.js';
import {
  checkConfig,
  checkOutputSchema,
  checkParts,
  logTo,
  type PendingNotice,
  type QueryEngineConfig,
  resolveLimits,
  withoutEffect,
} from './config/index.js';
import { modeDrafts, noticeDraft, notificationDraft, type SessionRuntime, stateDraft } from './core/index.js';
import { DOORS, OPENED, openIfNeeded } from './features.js';
import { openLiveHooks, type PromptFacts } from './hooks/index.js';
import { hasOverrides, lazyPrices, modelLimits, openModels } from './models/index.js';
import {
  announced,
  contextOf,
  createPermissionGate,
  createWaitFor,
  type Elicit,
  type PermissionGate,
  tellStatus,
} from './permission/index.js';
import { createSessionVault, shieldSecrets } from './secrets/index.js';
import type { UsageLedger } from './spending/index.js';
import { homeFolder, keepInReach, openRetention, openSessionTranscript } from './store/index.js';
import { createSessionTasks } from './tasks/index.js';
import type { SessionTelemetry } from './telemetry/index.js';
import {
  createAgentParts,
  createServersAccess,
  openTools,
  openValidator,
  type Sampler,
  setUpAgents,
  spoolFolder,
} from './tools/index.js';
import { createWorkplace, tellMoved } from './workplace/index.js';
import type { SessionWorktrees } from './worktrees/index.js';

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
  const env = { ...host.env, ...config.env };
  const ifNeeded = <Room>(feature: Parameters<typeof openIfNeeded<Room>>[0]) => openIfNeeded(feature, config, env);

  // What the configuration says can be used.
  checkParts(config);
  checkConfig(config);
  if (config.jsonSchema !== undefined) await checkOutputSchema(config.jsonSchema, 'jsonSchema');

  // What is secret, and what the session has to tell.
  const limits = resolveLimits(env, config.limits);
  const release = host.exec.hold?.();
  closing.push(async () => release?.());
  const secrets = createSecrets();
  (await ifNeeded(OPENED.web))?.admitWeb(config.web, env, secrets);
  const keepsKey = config.persistSession !== false;
  const vault = config.redactSecrets === false ? null : createSessionVault({ host, env, secrets, keepsKey });
  const log: LoopDeps['log'] = (event, detail) => logTo(config, event, detail);
  const { onDraft, show, takeDrafts, onTold } = collectDrafts();
  const tell = (notice: PendingNotice) => onDraft(noticeDraft(notice));

  // What confines commands begins to open; it is waited for below.
  const gitWatch = loadOnce(async () => (await DOORS.gitWatch()).openGitWatch(config, host, env));
  let changedRoots: PermissionGate['changedRoots'] = () => ({ added: [], removed: [] });
  const confining = ifNeeded(OPENED.sandbox).then(
    (room) =>
      room?.openSessionSandbox(config, config.sandbox ?? {}, {
        ...{ host, env, onNotice: tell, gitFacts: gitWatch, changedRoots: () => changedRoots() },
      }) ?? null,
  );
  confining.catch(() => undefined); // told by the code that waits for it
  closing.push(async () => void (await (await confining)?.commands.close()));

  // Tools, those of MCP servers included, and the agents that have them. What they ask of the session comes later.
  let elicit: Elicit | null = null;
  let gate: PermissionGate;
  let sampler: Sampler | null = null;
  const ending = new AbortController();
  closing.push(async () => ending.abort());
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
    OPENED.servers,
  );
  const offered = [...opened.tools, ...(servers.now?.tools ?? [])];
  const prompting = (await ifNeeded(OPENED.promptTool))?.openPromptTool(config, offered, (id, signal) =>
    toolContext(id, signal),
  );
  const tools = prompting?.others ?? offered;
  const agents = await setUpAgents({ ...config, tools });

  // Loading the provider and finding the transcript's place wait for different things.
  const [models, transcript, checkpoints, sandbox] = await Promise.all([
    openModels(config, agents.main.model, host, env, secrets),
    openSessionTranscript(config, { host, env, sessionId, limits, vault }),
    openCheckpoints(),
    confining,
  ]);
  const { model, apiKeySource } = models;
  const provider = vault === null ? models.provider : shieldSecrets(models.provider, vault);
  const sessionFolder = transcript.path === null ? null : transcript.path.slice(0, -'.jsonl'.length);

  let signal = new AbortController().signal;
  let promptFacts: PromptFacts = {};
  let hasPrompts = false;
  const notices: PendingNotice[] = [
    ...(config.notices ?? []),
    ...withoutEffect(config),
    ...opened.notices,
    ...agents.notices,
    ...models.notices,
    ...(sandbox?.notices ?? []),
    ...(await leftWorktrees(host, env, config.cwd)),
  ];
  const telemetry = await (await ifNeeded(OPENED.telemetry))?.openTelemetry(config.telemetry, {
    env,
    sessionId,
    vault,
    providerOf: (name) => models.locate(name).provider,
    now: () => host.clock.monotonic(),
    costUsd: () => (ledger.costUnknown ? null : ledger.totalCostUsd),
    tell,
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
      openWeb: async () => (await DOORS.web()).openHookWeb(config, host, env, secrets),
      askModel: (question, until) => askers.askModel(question, until),
      askAgent: (question, until) => askers.askAgent(question, until),
      async callTool(server, name, input, until) {
        const { callServerTool } = await DOORS.hooks();
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
    const { createWatchedFiles } = await DOORS.hooks();
    const declared = { matchers: config.hooks ?? {}, commands: config.commandHooks ?? [] };
    return createWatchedFiles(watchPaths, hooks, declared, host, config.cwd);
  });
  const waitFor = createWaitFor((status, wait) => {
    tellStatus(config, status);
    if (config.includeSessionState !== true) return;
    onDraft(stateDraft(status === 'running' ? status : 'requires_action'));
    if (wait !== undefined) onDraft(notificationDraft(wait));
  }, hooks);
  elicit =
    (await ifNeeded(OPENED.elicitation))?.createElicitor({
      ...{ host, hooks, timeoutMs: limits.elicitationTimeoutMs, waitFor, onDraft, handler: config.handleElicitation },
    }) ?? null;
  const provenance =
    (await ifNeeded(OPENED.provenance))?.openSessionProvenance(config, { rules: () => gate.rules, tell }) ?? null;
  const canUseTool = prompting?.canUseTool ?? config.canUseTool;
  gate = createPermissionGate({
    context: contextOf(config),
    canUseTool: canUseTool === undefined ? undefined : announced(canUseTool, waitFor),
    defers: config.deferPermissions ?? false,
    hooks,
    provenance,
    onNotice: tell,
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
      notices.push(...(await (await DOORS.gitWatch()).vouchFor(gitWatch, seen)));
    },
  });
  // Without rules whoever is asked decides every call.
  if (agents.main.denied !== undefined && gate.rules !== null) await gate.denyToo(agents.main.denied);

  const workplace = createWorkplace({
    host,
    folder: config.cwd,
    roots: () => gate.rules?.roots ?? config.additionalDirectories ?? [],
    onMoved: (old_cwd, new_cwd) => tellMoved(hooks, old_cwd, new_cwd),
  });
  changedRoots = gate.changedRoots;
  const { worktrees, closeWorktrees } = onFirstUse(async () => {
    const home = homeFolder(host, env);
    const parts = { config, host, env, home, sessionId, hooks, gitWatch, workplace, gate, onDraft };
    return (await DOORS.worktrees()).openWorktrees({ ...parts, sandbox: sandbox?.commands ?? null });
  });
  const retention = openRetention(config, host, env, log, (notice) => {
    notices.push(notice);
  });
  const prices = lazyPrices(config, models, host, env);
  // Only the catalogue knows what overrides say, so with some it must be there before the first request.
  if (hasOverrides(config, env)) await prices.load();
  const policy = (await ifNeeded(OPENED.modelPolicy))?.openModelPolicy(config, host, sessionId, models) ?? null;
  const fallback = (await ifNeeded(OPENED.fallback))?.openFallback(config, host) ?? null;
  const mayAnswer = policy === null ? [model, ...(fallback?.models ?? [])] : [];
  const spendingRoom = await ifNeeded(OPENED.budget);
  const budget = (await spendingRoom?.sessionBudget(config, mayAnswer, models.admit, prices.load, ledger)) ?? null;
  const limitSpending = budget === null ? null : (spendingRoom?.createLimitedSpending ?? null);
  const openPlan = loadOnce(async () => {
    const { openPlan: open } = await DOORS.prompt();
    const plan = await open(host, sessionFolder, config.planModeInstructions);
    if (plan.place !== null) gate.allowPlanFile(plan.place);
    return plan;
  });
  const spoolDirectory = spoolFolder(sessionFolder);
  if (spoolDirectory !== null) gate.allowResults(spoolDirectory);
  const tasks = createSessionTasks({
    host,
    limits,
    spoolDirectory,
    tell: onDraft,
    show,
    hooks,
    door: DOORS.tasks,
  });
  const limitsOf = modelLimits(models, prices.known);
  const learnedLimits = new Map<string, number>();
  const contextWindow = (name: string) =>
    config.contextWindow ?? limitsOf(name)?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  const openWeb = loadOnce(async () => {
    const { openSessionWeb } = await DOORS.web();
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
    onTold,
    promptFacts: () => promptFacts,
    setPrompt(next, facts) {
      signal = next;
      promptFacts = facts;
      hasPrompts = true;
      hooks.beginPrompt();
    },
    loop: {
      validateJson: openValidator(tools, onDraft),
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
        await closeWorktrees();
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

/** What is to be shown beside the messages of the loop, until somebody takes it. */
function collectDrafts() {
  const drafts: (MessageDraft | ShownMessage)[] = [];
  let unshown = 0;
  let hear: () => void = () => undefined;
  const onDraft = (draft: MessageDraft | ShownMessage): void => {
    drafts.push(draft);
    hear();
  };
  return {
    onDraft,
    /** Of agents in the background, who do not wait until somebody reads. */
    show(message: SDKMessage): void {
      if (message.type === 'system' || drafts.length < MAX_WAITING) onDraft({ type: 'shown', message });
      else unshown += 1;
    },
    takeDrafts() {
      const left = unshown;
      unshown = 0;
      return left === 0 ? drafts.splice(0) : [...drafts.splice(0), unshownNotice(left)];
    },
    onTold(listener: () => void): void {
      hear = listener;
      if (drafts.length > 0) listener();
    },
  };
}

function unshownNotice(count: number): MessageDraft {
  return noticeDraft({
    code: 'messages_not_shown',
    message: `Nobody read the stream while agents worked in the background, so ${count} of their messages are not in it. Their transcripts have them.`,
  });
}

/** Worktrees that are opened with the first call that moves there. */
function onFirstUse(open: () => Promise<SessionWorktrees>) {
  let opening: Promise<SessionWorktrees> | null = null;
  const opened = () => {
    opening ??= open();
    return opening;
  };
  const worktrees: ToolWorktrees = {
    enter: async (name, signal) => (await opened()).enter(name, signal),
    leave: async (how, signal) => (await opened()).leave(how, signal),
  };
  // What could not be loaded entered none.
  return { worktrees, closeWorktrees: async () => (await opening?.catch(() => null))?.close() };
}

/** Costs one look if there are no worktrees. */
async function leftWorktrees(host: Host, env: Host['env'], cwd: string): Promise<readonly PendingNotice[]> {
  const [area = null] = await host.fs.lstatAll([path.join(cwd, '.worktrees')]);
  if (area?.kind !== 'directory') return [];
  const { leftNotices } = await DOORS.worktrees();
  return leftNotices({ host, folder: await host.fs.realpath(cwd), home: homeFolder(host, env) });
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

/** The working directory first; it and what it is a link to are one. */
function workspaceOf(cwd: string, gate: PermissionGate | undefined): readonly string[] {
  return [...new Set([cwd, ...(gate?.rules?.roots ?? [])])];
}
