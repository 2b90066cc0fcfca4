// What a session is given: its configuration, the limits, and what is wrong with either.

export {
  checkConfig,
  checkController,
  checkModelName,
  checkOutputSchema,
  checkParts,
  isFired,
  refuse,
  withoutEffect,
} from './check-config.js';
export { childEnvironment, HIDDEN_VARIABLES, PASSED_VARIABLES, withoutHidden } from './child-env.js';
export type {
  AgentFiles,
  LiveSettings,
  ModelOptions,
  OfferedChange,
  OrphanedPermission,
  PendingNotice,
  PluginFacts,
  PrefetchedPrompt,
  PreloadedSkill,
  QueryEngineConfig,
  ReloadedPlugins,
  ReloadedSkills,
  SessionSkills,
  SessionState,
  SessionStatus,
  SettingsChange,
  SettingsMoment,
  WaitingCall,
} from './config.js';
export { type AppState, type AppStateStore, createAppState, HOW_TO_TRUST, told } from './config.js';
export { LIMITS, resolveLimits } from './limits.js';
export { logTo } from './verbose-log.js';
