// The hooks of a folder, without a session.
export type { HookList, HooksOptions, HookTrial } from './try-hooks.js';
export { listHooks, tryHooks } from './try-hooks.js';
