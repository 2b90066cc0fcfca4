// The controls of an open session. One rule: none of them waits for a prompt that runs, and none writes to its stream.
import type { FlagChanges } from '../../context/effective-settings.js';
import { isFileError } from '../../host/host.js';
import type {
  AskSideQuestionOptions,
  EffectiveParts,
  McpCallOptions,
  McpSetServersResult,
  McpToken,
  SDKControlAddDirectoriesResponse,
  SDKControlFileSuggestionsResponse,
  SDKControlGetContextUsageResponse,
  SDKControlGetHooksListingResponse,
  SDKControlGetTaskOutputResponse,
  SDKControlGetUsageResponse,
  SDKControlListPermissionRulesResponse,
  SDKControlMcpCallResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SDKPermissionRuleEntry,
  SDKPlanModeSnapshot,
  SideQuestionResult,
} from '../../protocol/control.js';
import { AbortError, ConfigError, ToolError } from '../../protocol/errors.js';
import type { McpCompleteParams, McpServerStatus } from '../../protocol/mcp.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { type EffortLevel, type SdkPluginConfig, THINKING_DISPLAYS } from '../../protocol/options.js';
import type { PermissionBehavior, PermissionMode } from '../../protocol/permissions.js';
import type { ApiKeySource, RejectedPart } from '../../protocol/system-messages.js';
import { inheritTools } from '../../subagents/inherit.js';
import type { TaskFacts } from '../../tools/background-tasks.js';
import { createUpdateGoal, UPDATE_GOAL_TOOL } from '../../tools/update-goal.js';
import { linkAbort } from '../../util/abort.js';
import { shorten } from '../../util/text.js';
import type { PluginFacts } from '../config/index.js';
import {
  type AgentRun,
  combine,
  countConversation,
  NOTHING_COUNTED,
  noticeDraft,
  pluginsOf,
  type Session,
  type SessionRuntime,
} from '../core/index.js';
import { createSessionGoals, type SessionGoals } from '../goals/index.js';
import type { NewServer } from '../mcp/index.js';
import { askForTitle, stateLine } from '../prompt/index.js';
import { type AnnotationLine, titleLineOf } from '../store/index.js';
import { contextUsage } from './context-usage.js';
import { effectiveParts, ownRun } from './effective-parts.js';
import { hooksListing } from './hooks-listing.js';
import {
  authenticate,
  callTool,
  clearAuth,
  completeArgument,
  injectToken,
  overrideServerMode,
  readServerResource,
  reconnectServer,
  setServers,
  submitCallback,
  toggleServer,
} from './server-controls.js';
import { askSideQuestion, suggestPrompt } from './side-question.js';
import {
  addDirectories,
  addNote,
  fileSuggestions,
  instructionFiles,
  type NoteScope,
  type ReadFileOptions,
  readFile,
  registerRoot,
  type SessionInstructions,
  seedReadState,
} from './workspace-controls.js';

/** What a session is, before its first prompt too. */
export interface SessionFacts {
  readonly sessionId: string;
  readonly permissionMode: PermissionMode;
  readonly apiKeySource: ApiKeySource;
  /** Of the model, as in `system/init`. */
  readonly provider: string;
  /** The model of the next request, unless a policy names another. */
  readonly model: string;
  readonly effort: EffortLevel | undefined;
}

/** Contract: as the methods of the same names say in `sdk/query-controls.ts`. */
export interface EngineControls {
  facts(): SessionFacts;
  getContextUsage(options?: { readonly detail?: 'summary' | 'full' }): Promise<SDKControlGetContextUsageResponse>;
  setMaxThinkingTokens(tokens: number | null, display?: string | null): void;
  /** What the host changed of the settings that it gave. */
  flagSettings(): FlagChanges;
  /** Fields of them, by their names; null takes one away. In force as a change of a file is. @throws ConfigError */
  changeFlagSettings(fields: FlagChanges): void;
  /** What the next request would be made of. */
  effectiveParts(): Promise<EffectiveParts>;
  listPermissionRules(managedOnly: boolean): SDKControlListPermissionRulesResponse;
  addDirectories(directories: readonly string[]): Promise<SDKControlAddDirectoriesResponse>;
  seedReadState(path: string, mtime: number): Promise<void>;
  readFile(path: string, options?: ReadFileOptions): Promise<SDKControlReadFileResponse | null>;
  generateSessionTitle(description: string, persist: boolean): Promise<string | null>;
  renameSession(title: string): Promise<void>;
  askSideQuestion(question: string, options?: AskSideQuestionOptions): Promise<SideQuestionResult | null>;
  /** A message with what the user might say next, after the last prompt; null if there is none. Does not throw. */
  suggestPrompt(until: AbortSignal): Promise<SDKMessage | null>;
  getTaskOutput(taskId: string): Promise<SDKControlGetTaskOutputResponse>;
  mcpServerStatus(): readonly McpServerStatus[];
  reconnectMcpServer(name: string): Promise<void>;
  toggleMcpServer(name: string, enabled: boolean): Promise<void>;
  setMcpServers(servers: readonly NewServer[]): Promise<McpSetServersResult>;
  mcpAuthenticate(
    name: string,
    redirectUri: string | undefined,
  ): Promise<{ readonly authUrl?: string; readonly requiresUserAction: boolean }>;
  mcpSubmitOAuthCallbackUrl(name: string, callbackUrl: string): Promise<void>;
  mcpClearAuth(name: string): Promise<void>;
  readMcpResource(name: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  completeMcpArgument(name: string, params: McpCompleteParams): Promise<{ readonly values: string[] }>;
  callMcpTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options?: McpCallOptions,
  ): Promise<SDKControlMcpCallResponse>;
  injectMcpToken(name: string, token: McpToken): Promise<void>;
  hooksListing(): Promise<SDKControlGetHooksListingResponse>;
  suggestFiles(query: string): Promise<SDKControlFileSuggestionsResponse>;
  /** @throws ConfigError */
  registerRepoRoot(directory: string): Promise<void>;
  setMcpPermissionModeOverride(name: string, mode: 'default' | 'auto' | null): Promise<{ readonly warning?: string }>;
  getUsage(): Promise<SDKControlGetUsageResponse>;
  /** Which instruction files were loaded, and which were not. */
  instructions(): Promise<SessionInstructions>;
  /** Agents, skills, commands, plugins, servers and hooks that are not there, with the reason. */
  rejectedParts(): readonly RejectedPart[];
  /** As `addNote`. */
  addNote(scope: NoteScope, note: string): Promise<string>;
  /** The prompts that the conversation holds, the oldest first. */
  prompts(): readonly OwnPrompt[];
  /** The name of the output style. */
  outputStyle(): string;
  /** The plugins of the session. */
  plugins(): readonly PluginFacts[];
  /** What runs in the background. */
  tasks(): readonly TaskFacts[];
  setPlanMode(active: boolean): SDKPlanModeSnapshot;
  getPlanMode(): SDKPlanModeSnapshot;
  /** Opened with the first call. */
  goals(): Promise<SessionGoals>;
  setProxy(proxy: string | null): Promise<void>;
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  /** @param added plugins that the session has from now on */
  reloadPlugins(added: readonly SdkPluginConfig[]): Promise<Omit<SDKControlReloadPluginsResponse, 'commands'>>;
  /** Ends the requests that controls sent. Contract: nothing of them runs when this resolves. */
  close(): Promise<void>;
}

export function createEngineControls(session: Session, runtime: SessionRuntime): EngineControls {
  const ending = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  /** Work that a request belongs to: it ends with the session. */
  const beside = async <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const { controller, release } = linkAbort(ending.signal);
    const abort = () => controller.abort();
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    try {
      if (controller.signal.aborted) throw new AbortError('The request was aborted before it began.');
      const working = work(controller.signal);
      underWay.add(working);
      return await working.finally(() => underWay.delete(working));
    } finally {
      signal?.removeEventListener('abort', abort);
      release();
    }
  };
  const plan = () => ({ active: runtime.gate.mode === 'plan' });
  return {
    facts: () => ({
      sessionId: session.sessionId,
      permissionMode: runtime.gate.mode,
      apiKeySource: runtime.apiKeySource,
      provider: runtime.provider.id,
      model: session.modelOverride(session.memory.settings?.model ?? runtime.model),
      effort: (session.memory.settings ?? runtime.setup).effort,
    }),
    getContextUsage: (options) => contextUsage(session, runtime, options),
    setMaxThinkingTokens(tokens, display) {
      if (tokens !== null && !(Number.isInteger(tokens) && tokens >= 0))
        throw new ConfigError(
          `maxThinkingTokens is ${String(tokens)}. Give a whole number of tokens, 0 for none, or null for what the options say.`,
        );
      const known = THINKING_DISPLAYS.find((each) => each === display);
      runtime.requests.overrideThinking({ tokens, display: display == null ? display : known });
      if (display == null || known !== undefined) return;
      throw new ConfigError(
        `No model here shows its thinking as ${JSON.stringify(display)}, so that stays as it was; the number of tokens counts. Give ${THINKING_DISPLAYS.join(' or ')}.`,
        { code: 'not_supported' },
      );
    },
    flagSettings: () => session.config.flagSettings?.changes ?? {},
    changeFlagSettings(fields) {
      const { flagSettings } = session.config;
      if (flagSettings === undefined)
        throw new ConfigError('This session reads no settings, so there are none to change. Open it by query().');
      flagSettings.change(fields);
    },
    effectiveParts: () => effectiveParts(session, runtime),
    listPermissionRules: (managedOnly) => permissionRules(session, runtime, managedOnly),
    addDirectories: (directories) => addDirectories(session, runtime, directories),
    seedReadState: (path, mtime) => seedReadState(session, path, mtime),
    readFile: (path, options) => readFile(session, runtime, path, options),
    generateSessionTitle: (description, persist) =>
      beside((signal) => generateTitle(session, runtime, description, persist, signal)),
    renameSession: (title) => renameSession(session, runtime, title),
    askSideQuestion: (question, { signal: until, history = [] } = {}) =>
      beside((signal) => askSideQuestion(session, runtime, question, history, signal), until),
    suggestPrompt: (until) => beside((signal) => suggestPrompt(session, runtime, signal), until).catch(() => null), // it was aborted before it began
    getTaskOutput: (taskId) => taskOutput(session, runtime, taskId),
    mcpServerStatus: () => runtime.servers.now?.facts() ?? [],
    reconnectMcpServer: (name) => reconnectServer(runtime, name),
    toggleMcpServer: (name, enabled) => toggleServer(runtime, name, enabled),
    setMcpServers: (servers) => setServers(runtime, servers),
    mcpAuthenticate: (name, redirectUri) => authenticate(runtime, name, redirectUri),
    mcpSubmitOAuthCallbackUrl: (name, url) => submitCallback(runtime, name, url),
    mcpClearAuth: (name) => clearAuth(runtime, name),
    readMcpResource: (name, uri) => beside((signal) => readServerResource(session, runtime, name, uri, signal)),
    completeMcpArgument: (name, params) => beside((signal) => completeArgument(session, runtime, name, params, signal)),
    callMcpTool: (tool, input, options = {}) =>
      beside((signal) => callTool(session, runtime, tool, input, options, signal)),
    injectMcpToken: async (name, token) => injectToken(runtime, name, token),
    hooksListing: async () => hooksListing(session, runtime),
    suggestFiles: (query) => beside((signal) => fileSuggestions(session, runtime, query, signal)),
    registerRepoRoot: (directory) => registerRoot(session, runtime, directory),
    setMcpPermissionModeOverride: async (name, mode) => overrideServerMode(session, runtime, name, mode),
    getUsage: () => sessionUsage(session, runtime),
    instructions: () => instructionFiles(session, runtime),
    rejectedParts: () => session.config.loaded?.().rejected ?? [],
    addNote: (scope, note) => addNote(session, scope, note),
    prompts: () => ownPrompts(session),
    tasks: () => runningTasks(runtime),
    plugins: () => pluginsOf(session),
    reloadPlugins: (added) => reloadPlugins(session, runtime, added),
    outputStyle: () => session.config.outputStyle?.name ?? 'default',
    setPlanMode(active) {
      if (typeof active !== 'boolean') throw new ConfigError('setPlanMode takes true or false.');
      runtime.gate.setPlan(active);
      return plan();
    },
    getPlanMode: plan,
    goals: async () => openGoals(session, runtime),
    async reloadSkills() {
      const { skills } = await session.features.takeSkills(session, runtime);
      return { skills: skills.map(({ name, description, argumentHint }) => ({ name, description, argumentHint })) };
    },
    async setProxy(proxy) {
      const { setProxy } = runtime.models;
      if (proxy !== null && typeof proxy !== 'string')
        throw new ConfigError('setProxy takes the address of a proxy, or null for what the variables say.');
      if (setProxy === undefined)
        throw new ConfigError(
          'The provider of the option provider answers, on its own way, so no proxy counts for it.',
          {
            code: 'not_supported',
          },
        );
      await setProxy(proxy);
    },
    async close() {
      ending.abort();
      await Promise.allSettled(underWay);
    },
  };
}

// The prompts of a conversation as a person would name them, and what runs in the background.

interface OwnPrompt {
  readonly uuid: string;
  /** How it begins, on one line. */
  readonly text: string;
  /** ISO 8601. */
  readonly timestamp: string | undefined;
}

const SHOWN = 100;

/** Those that the conversation holds, the oldest first. */
function ownPrompts({ history }: Session): readonly OwnPrompt[] {
  return history.messages.flatMap((message) => {
    if (message.type !== 'user' || message.isMeta === true || message.isCompactSummary === true) return [];
    const { content } = message.message;
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    if (blocks.some((block) => block.type === 'tool_result')) return [];
    const [first] = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const text = shorten((first ?? '').replace(/\s+/g, ' ').trim(), SHOWN);
    return text === '' ? [] : [{ uuid: message.uuid, text, timestamp: message.timestamp }];
  });
}

/** None, and nothing is opened, if nothing was started. */
function runningTasks({ tasks }: SessionRuntime): readonly TaskFacts[] {
  return tasks.registry?.running ?? [];
}

// What a session has cost. One rule: it counts all that was sent, whoever sent it: prompts, subagents, controls.

async function sessionUsage(
  { ledger, history, memory, host, startedAt }: Session,
  { prices }: SessionRuntime,
): Promise<SDKControlGetUsageResponse> {
  ledger.priceWith(await prices.load());
  const counts = combine(memory.earlier ?? NOTHING_COUNTED, countConversation(history.messages), 1);
  return {
    session: {
      total_cost_usd: ledger.totalCostUsd,
      total_api_duration_ms: Math.round(ledger.apiDurationMs),
      total_duration_ms: Math.round(host.clock.monotonic() - startedAt),
      total_lines_added: counts.linesAdded,
      total_lines_removed: counts.linesRemoved,
      model_usage: { ...ledger.byModel },
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  };
}

// What a background task has written so far. One rule: what is read here is not taken from the model, which reads for
// itself.

/** Bytes of its end that are shown. */
const SHOWN_BYTES = 100_000;

/** @throws ToolError if there is no such task, or nothing of it was kept */
async function taskOutput(
  { host }: Session,
  { tasks }: SessionRuntime,
  taskId: string,
): Promise<SDKControlGetTaskOutputResponse> {
  const id = String(taskId);
  const registry = await tasks.open();
  const file = registry.knows(id)
    ? (await registry.forAgent(null).find(id)).outputFile
    : await registry.earlierOutput(id);
  if (file === null) {
    if (!registry.knows(id)) await registry.forAgent(null).find(id); // says what there is
    throw new ToolError(`Nothing of the output of task ${shorten(id, 60)} was kept: the session keeps no files.`);
  }
  try {
    const handle = await host.fs.openRead(file);
    try {
      const { size } = await handle.stat();
      const from = Math.max(0, size - SHOWN_BYTES);
      const output = new TextDecoder().decode(await handle.read(from, SHOWN_BYTES));
      // A character may be cut where the end begins.
      return { output: from === 0 ? output : output.replace(/^\uFFFD+/, ''), total_bytes: size, truncated: from > 0 };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return { output: '', total_bytes: 0, truncated: false };
    throw error;
  }
}

// The goals of one session, opened with the first word about one: its state, the tool by which the model says that it is
// reached, and the line that a resume reads.

/** Once for a session. @throws ConfigError if `goalMaxTurns` is no number of turns */
function openGoals(session: Session, runtime: SessionRuntime): SessionGoals {
  const { memory, config, host } = session;
  const { transcript, provenance } = runtime;
  memory.goals ??= createSessionGoals({
    host,
    maxTurns: config.goalMaxTurns,
    restored: config.resumedState?.goal,
    tell: runtime.tell,
    changed: () => {
      session.queue.nudge();
      if (memory.isPromptRunning !== true)
        transcript.annotate(stateLine(session, transcript, provenance?.sources)).catch(() => undefined); // the next prompt tells
    },
  });
  offerTool(session, runtime, memory.goals);
  return memory.goals;
}

/** It stays, since a list of tools that changes to and fro would be read anew each time. */
function offerTool({ config, depth }: Session, runtime: SessionRuntime, goals: SessionGoals): void {
  if (depth > 0 || runtime.setup.tools.some(({ name }) => name === UPDATE_GOAL_TOOL)) return;
  const tool = createUpdateGoal((status, reason) => goals.report(status, reason));
  const type = runtime.agents.types.find(({ name }) => name === config.agent);
  const added = type === undefined ? [tool] : inheritTools([tool], type, true);
  if (added.length > 0) runtime.setup = { ...runtime.setup, tools: [...runtime.setup.tools, ...added] };
}

// The permission rules in force, for a client that shows them.

/** As published clients call them. */
const SOURCES: Readonly<Record<string, SDKPermissionRuleEntry['source']>> = {
  managed: 'policySettings',
  flag: 'flagSettings',
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
  cliArg: 'cliArg',
  command: 'command',
};

/** What stands in a file can be changed there. */
const EDITABILITY: Readonly<Record<string, SDKPermissionRuleEntry['editability']>> = {
  managed: 'readonly',
  flag: 'readonly',
  local: 'persistent',
  project: 'persistent',
  user: 'persistent',
};

/** What denies first, as it decides first. */
const BEHAVIORS: readonly PermissionBehavior[] = ['deny', 'ask', 'allow'];

function permissionRules(
  { config }: Session,
  { gate: { rules } }: SessionRuntime,
  managedOnly: boolean,
): SDKControlListPermissionRulesResponse {
  const entries = BEHAVIORS.flatMap((behavior): SDKPermissionRuleEntry[] =>
    (rules?.[behavior] ?? []).map(({ source, origin }) => ({
      behavior,
      rule: source,
      source: SOURCES[origin] ?? 'session',
      editability: EDITABILITY[origin] ?? 'session',
    })),
  );
  const initial = new Set([config.cwd, ...(config.additionalDirectories ?? [])]);
  const [, ...folders] = rules?.roots ?? [];
  return {
    state: {
      rules: entries,
      workspaceDirectories: [...new Set(folders)]
        .filter((folder) => folder !== config.cwd)
        .map((folder) => ({ path: folder, source: initial.has(folder) ? 'cliArg' : 'session' })),
      originalCwd: config.cwd,
      managedOnly,
    },
  };
}

// Takes over plugins that were looked for again. One rule: what of them did not change goes on as it is, and what came or went
// counts from the next prompt on, its servers as soon as they are connected.

/** @throws ConfigError if one that the host names cannot be used, and in a session that was not opened by options */
async function reloadPlugins(
  session: Session,
  runtime: SessionRuntime,
  added: readonly SdkPluginConfig[],
): Promise<Omit<SDKControlReloadPluginsResponse, 'commands'>> {
  const { config, memory, features } = session;
  if (config.reloadPlugins === undefined)
    throw new ConfigError(
      'This session looks for no plugins, so there are none to look for again. Open it by query().',
    );
  const { plugins, hooks, servers, notices, problems } = await config.reloadPlugins(added);
  memory.plugins = plugins;
  memory.pluginHooks = hooks;
  await runtime.hooks.replace([...(memory.commandHooks ?? config.commandHooks ?? []), ...hooks], true);
  const told = [...notices];
  const agents = await config.reopenAgents?.(true);
  if (agents != null) told.push(...(await features.takeAgentsChange(runtime, agents)));
  await features.takeSkills(session, runtime);
  let failed = 0;
  if (servers.gone.length + servers.come.length > 0) {
    const { errors } = await (await runtime.servers.open()).exchange(servers.gone, servers.come);
    failed = Object.keys(errors).length;
  }
  for (const notice of told) runtime.tell(noticeDraft(notice));
  return {
    plugins: plugins.map(({ name, path, source }) => ({ name, path, source })),
    agents: runtime.agents.types.map(({ name, description, model }) => ({
      name,
      description,
      ...(model === null ? {} : { model }),
    })),
    mcpServers: [...(runtime.servers.now?.facts() ?? [])],
    error_count: problems + failed,
  };
}

// Titles of a session that runs: one that a person gives, one that a model makes. One rule: a title given before there is
// a transcript waits for its first line.

/** @throws ConfigError if the title cannot be one */
async function renameSession(session: Session, runtime: SessionRuntime, title: string): Promise<void> {
  const { type, customTitle } = titleLineOf(session.sessionId, title);
  await keepTitle(session, runtime, { type, customTitle });
}

/** Null if there is none. @throws ConfigError if there is nothing to make a title from */
async function generateTitle(
  session: Session,
  runtime: SessionRuntime,
  description: string,
  persist: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  if (typeof description !== 'string' || description.trim() === '')
    throw new ConfigError('The description is empty, so there is nothing to make a title from.');
  const run: AgentRun = ownRun(session, runtime);
  if (runtime.budget !== null) await runtime.prices.load();
  const title = await askForTitle(run, description, '', signal, true);
  session.ledger.priceWith(await runtime.prices.load());
  if (title !== null && persist) await keepTitle(session, runtime, { type: 'ai-title', aiTitle: title });
  return title;
}

async function keepTitle({ memory }: Session, { transcript }: SessionRuntime, line: AnnotationLine): Promise<void> {
  memory.isTitled = true;
  if (transcript.lastUuid === null) memory.title = line;
  else {
    await transcript.annotate(line);
    await transcript.sync();
  }
}
