// The controls of a query that a program rarely needs; loaded with the first call of one.
import { ConfigError } from '../../protocol/errors.js';
import type { SessionControls } from '../query-controls.js';
import type { ControlledQuery } from './controlled-query.js';
import { initializationResult } from './initialization.js';

export function createControls(query: ControlledQuery): SessionControls {
  let initialized: ReturnType<SessionControls['initializationResult']> | null = null;
  const initialize = () => {
    initialized = initializationResult(query);
    return initialized;
  };
  return {
    initializationResult: () => initialized ?? initialize(),
    reinitialize: initialize,
    getContextUsage: unsupported('getContextUsage'),
    setMaxThinkingTokens: unsupported('setMaxThinkingTokens'),
    applyFlagSettings: unsupported('applyFlagSettings'),
    updateSettings: unsupported('updateSettings'),
    getSettings: unsupported('getSettings'),
    listPermissionRules: unsupported('listPermissionRules'),
    addDirectories: unsupported('addDirectories'),
    seedReadState: unsupported('seedReadState'),
    readFile: unsupported('readFile'),
    generateSessionTitle: unsupported('generateSessionTitle'),
    renameSession: unsupported('renameSession'),
    askSideQuestion: unsupported('askSideQuestion'),
    async cancelAsyncMessage(uuid) {
      const waiting = query.queue.waiting.find((message) => message.uuid === uuid);
      return waiting !== undefined && query.queue.remove(waiting);
    },
    backgroundTasks: unsupported('backgroundTasks'),
    getTaskOutput: unsupported('getTaskOutput'),
    mcpServerStatus: unsupported('mcpServerStatus'),
    setMcpServers: unsupported('setMcpServers'),
    reconnectMcpServer: unsupported('reconnectMcpServer'),
    toggleMcpServer: unsupported('toggleMcpServer'),
    readMcpResource: unsupported('readMcpResource'),
    setMcpPermissionModeOverride: unsupported('setMcpPermissionModeOverride'),
    mcpAuthenticate: unsupported('mcpAuthenticate'),
    mcpSubmitOAuthCallbackUrl: unsupported('mcpSubmitOAuthCallbackUrl'),
    mcpClearAuth: unsupported('mcpClearAuth'),
    reloadSkills: unsupported('reloadSkills'),
    reloadPlugins: unsupported('reloadPlugins'),
    reloadOutputStyles: unsupported('reloadOutputStyles'),
    listPlugins: unsupported('listPlugins'),
    accountInfo: async () => (await (initialized ?? initialize())).account,
    usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: unsupported('usage'),
    setPlanMode: unsupported('setPlanMode'),
    getPlanMode: unsupported('getPlanMode'),
    setGoal: unsupported('setGoal'),
    getGoal: unsupported('getGoal'),
    clearGoal: unsupported('clearGoal'),
    setGoalMaxTurns: unsupported('setGoalMaxTurns'),
    setProxy: unsupported('setProxy'),
    listByokConfigs: unsupported('listByokConfigs'),
    createByokConfig: unsupported('createByokConfig'),
    updateByokConfig: unsupported('updateByokConfig'),
    deleteByokConfig: unsupported('deleteByokConfig'),
    checkByokConfig: unsupported('checkByokConfig'),
    validateByokModel: unsupported('validateByokModel'),
    flushMemory: unsupported('flushMemory'),
    refreshMemory: unsupported('refreshMemory'),
    flushSkillEvolution: unsupported('flushSkillEvolution'),
  };
}

/** A control that published clients have and this engine has not. */
function unsupported(name: string): () => Promise<never> {
  return async () => {
    throw new ConfigError(`${name}() is not supported by this version of Turnwright.`, { code: 'not_supported' });
  };
}
