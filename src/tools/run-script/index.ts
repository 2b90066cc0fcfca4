// What RunScript does: tools declared for a script, and its run.
export { declareTool, outputType } from './declare-tools.js';
export { executeScript, type ScriptSetting } from './execute-script.js';
