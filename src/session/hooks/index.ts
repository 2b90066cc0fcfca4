// Hooks of a session: which there are, and how they are run.
export { openCommandHooks } from './command-hooks.js';
export { definitionHooks, pluginHooks, skillHooks } from './definition-hooks.js';
export { type LiveHooks, NO_HOOKS, openLiveHooks } from './live-hooks.js';
export type { PromptFacts, SessionHooks, WatchedFiles } from './session-hooks.js';
export { httpHookRules, type RefusedHook, type SettingsHooks, settingsHooks } from './settings-hooks.js';
