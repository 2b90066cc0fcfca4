// What a session is given: its configuration, the limits, and what is wrong with either.
export { type AppState, type AppStateStore, createAppState } from './app-state.js';
export { checkConfig, checkModelName, checkOutputSchema, refuse } from './check-config.js';
export { childEnvironment, HIDDEN_VARIABLES, PASSED_VARIABLES } from './child-env.js';
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
  SessionStatus,
  SettingsChange,
  SettingsMoment,
} from './config.js';
export { LIMITS, resolveLimits } from './limits.js';
export type { SessionState, WaitingCall } from './session-state.js';
export { checkController, hasUsualParts, isTexts } from './usual-parts.js';
export { logTo } from './verbose-log.js';
export { isFired, withoutEffect } from './without-effect.js';
