// The controls of a query that a program rarely needs; loaded with the first call of one.

import { DEFAULT_STYLE } from '../../context/output-styles.js';
import { CAPABILITIES, CLAUDE_CODE_VERSION } from '../../protocol/capabilities.js';
import type { SDKControlInitializeResponse } from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import { DOORS } from '../features.js';
import type { SessionControls } from '../query-controls.js';
import type { ControlledQuery } from './controlled-query.js';
import { readSettings } from './read-settings.js';

export function createControls(query: ControlledQuery): SessionControls {
  let initialized: ReturnType<SessionControls['initializationResult']> | null = null;
  const initialize = () => {
    initialized = initializationResult(query);
    return initialized;
  };
  const session = async () => (await query.open()).controls();
  const byok = async () => {
    await query.open(); // a closed session changes nothing
    return DOORS.configuration();
  };
  return {
    initializationResult: () => initialized ?? initialize(),
    reinitialize: initialize,
    getContextUsage: async (options) => (await session()).getContextUsage(checkDetail(options)),
    setMaxThinkingTokens: async (tokens, display) => (await session()).setMaxThinkingTokens(tokens, display),
    applyFlagSettings: async (settings) => (await DOORS.configuration()).applyFlagSettings(query, settings),
    updateSettings: async (source, settings) => (await DOORS.configuration()).updateSettings(query, source, settings),
    getSettings: () => readSettings(query),
    describeEffectiveConfig: async () => (await DOORS.configuration()).effectiveConfig(query),
    listPermissionRules: async () => (await session()).listPermissionRules(false),
    addDirectories: async (directories) => (await session()).addDirectories(directories),
    seedReadState: async (path, mtime) => (await session()).seedReadState(path, mtime),
    readFile: async (path, options) => (await session()).readFile(path, options ?? {}),
    generateSessionTitle: async (description, options) =>
      (await session()).generateSessionTitle(description, options?.persist === true),
    renameSession: async (title) => (await session()).renameSession(title),
    askSideQuestion: async (question, options) => (await session()).askSideQuestion(question, options ?? {}),
    async cancelAsyncMessage(uuid) {
      const waiting = query.queue.waiting.find((message) => message.uuid === uuid);
      return waiting !== undefined && query.queue.remove(waiting);
    },
    backgroundTasks: async (toolUseId) => (await query.open()).moveToBackground(toolUseId),
    getTaskOutput: async (taskId) => (await session()).getTaskOutput(taskId),
    mcpServerStatus: async () => [...(await session()).mcpServerStatus()],
    async setMcpServers(servers) {
      const { newServers } = await DOORS.otherControls();
      const { usable, errors } = newServers(servers);
      const result = await (await session()).setMcpServers(usable);
      return { ...result, errors: { ...errors, ...result.errors } };
    },
    reconnectMcpServer: async (name) => (await session()).reconnectMcpServer(name),
    toggleMcpServer: async (name, enabled) => (await session()).toggleMcpServer(name, enabled),
    readMcpResource: async (name, uri) => (await session()).readMcpResource(name, uri),
    completeMcpArgument: async (name, params) => (await session()).completeMcpArgument(name, params),
    setMcpPermissionModeOverride: async (name, mode) => (await session()).setMcpPermissionModeOverride(name, mode),
    mcpAuthenticate: async (name, redirectUri) => (await session()).mcpAuthenticate(name, redirectUri),
    mcpSubmitOAuthCallbackUrl: async (name, url) => (await session()).mcpSubmitOAuthCallbackUrl(name, url),
    mcpClearAuth: async (name) => (await session()).mcpClearAuth(name),
    callMcpTool: async (tool, input, options) => (await session()).callMcpTool(tool, input ?? {}, options),
    injectMcpToken: async (name, token) => (await session()).injectMcpToken(name, token),
    getHooksListing: async () => (await session()).hooksListing(),
    suggestFiles: async (typed) => (await session()).suggestFiles(typed),
    async registerRepoRoot(directory, { reloadSkills = false, reloadPlugins = false } = {}) {
      const controls = await session();
      await controls.registerRepoRoot(directory);
      if (reloadSkills) await controls.reloadSkills();
      if (reloadPlugins) await (await DOORS.configuration()).reloadPlugins(query, {});
    },
    reloadSkills: async () => (await session()).reloadSkills(),
    reloadPlugins: async (options) => (await DOORS.configuration()).reloadPlugins(query, options ?? {}),
    reloadOutputStyles: async () => ({ available_output_styles: await styleNames(query) }),
    listPlugins: async () => (await session()).plugins().map((plugin) => ({ ...plugin, enabled: true })),
    accountInfo: async () => (await (initialized ?? initialize())).account,
    usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: async () => (await session()).getUsage(),
    setPlanMode: async (active) => (await session()).setPlanMode(active),
    getPlanMode: async () => (await session()).getPlanMode(),
    setGoal: async (params) => (await (await session()).goals()).set(params),
    getGoal: async () => (await (await session()).goals()).current,
    clearGoal: async () => (await (await session()).goals()).clear(),
    setGoalMaxTurns: async (turns) => (await (await session()).goals()).setMaxTurns(turns),
    setProxy: async (proxy) => (await session()).setProxy(proxy ?? null),
    listByokConfigs: async () => (await byok()).listByokConfigs(query),
    createByokConfig: async (input) => (await byok()).createByokConfig(query, input),
    updateByokConfig: async (input) => (await byok()).updateByokConfig(query, input),
    deleteByokConfig: async (target) => (await byok()).deleteByokConfig(query, target),
    checkByokConfig: async (input) => (await byok()).checkByokConfig(query, input),
    validateByokModel: async (input) => (await byok()).validateByokModel(query, input),
    flushMemory: unsupported('flushMemory', NO_MEMORIES),
    refreshMemory: unsupported('refreshMemory', NO_MEMORIES),
    flushSkillEvolution: unsupported('flushSkillEvolution', 'no skills are written from what sessions do'),
  };
}

type Detail = Parameters<SessionControls['getContextUsage']>[0];

/** @throws ConfigError */
function checkDetail(options: Detail): NonNullable<Detail> {
  const { detail } = options ?? {};
  if (detail === undefined || detail === 'summary' || detail === 'full') return options ?? {};
  throw new ConfigError(`detail is ${JSON.stringify(detail)}. Give summary or full.`);
}

/** A control that published clients have and this engine has not. */
function unsupported(name: string, why: string): () => Promise<never> {
  return async () => {
    throw new ConfigError(`${name}() is not supported: ${why}.`, { code: 'not_supported' });
  };
}

const NO_MEMORIES = 'sessions write no memories of their own; agents keep theirs in a folder, as they work';

/** What a client asks first about a session. */
async function initializationResult(query: ControlledQuery): Promise<SDKControlInitializeResponse> {
  const engine = await query.open();
  const [models, agents, controls, styles] = await Promise.all([
    query.listModels(),
    query.listAgents(),
    engine.controls(),
    styleNames(query),
  ]);
  const facts = controls.facts();
  return {
    commands: engine.supportedCommands(),
    agents,
    output_style: controls.outputStyle(),
    available_output_styles: styles,
    models,
    account: { apiKeySource: facts.apiKeySource },
    permissionMode: facts.permissionMode,
    capabilities: [...CAPABILITIES],
    claude_code_version: CLAUDE_CODE_VERSION,
  };
}

/** Those that a session of these options could have, as they are now. */
async function styleNames({ options }: ControlledQuery): Promise<string[]> {
  const { listOutputStyles } = await DOORS.otherControls();
  return [DEFAULT_STYLE, ...(await listOutputStyles(options)).map(({ name }) => name)];
}
