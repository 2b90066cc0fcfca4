// Scripts in a thread of their own.
export { runScript } from './run-script.js';
export type { ScriptAnswer, ScriptEnd } from './script-protocol.js';
