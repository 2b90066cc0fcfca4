// Scripts in a thread of their own.
export { runScript, type ScriptAnswer, type ScriptEnd } from './run-script.js';
