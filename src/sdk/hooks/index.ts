// The hooks of a folder, without a session.
export type { HookList, HooksOptions, HookTrial } from './hooks.js';
export { listHooks, tryHooks } from './hooks.js';
