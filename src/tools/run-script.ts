// RunScript: a script of the model's that calls the other tools. It runs in a machine of its own and touches nothing but
// through calls, each of which is decided about by itself; so the tool itself only reads.

import type { JsonSchema } from '../protocol/json.js';
import type { RunScriptInput, RunScriptOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { executeScript, type ScriptSetting } from './run-script/index.js';
import { type AnyTool, defineTool, type Tool } from './tool.js';

export const RUN_SCRIPT = 'RunScript';

export const runScriptInputSchema = {
  type: 'object',
  properties: {
    code: { type: 'string', minLength: 1, description: 'JavaScript: the body of an async function.' },
    description: { type: 'string', description: 'What it does, in three to eight words.' },
  },
  required: ['code'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Runs a script that calls tools as functions. You see only what it prints or returns, so use it for work on many results: to search, filter, count, compare or change in bulk. For one or two calls, call the tools directly.
- JavaScript without types or modules: the body of an async function. \`const { text } = await tools.Read({ file_path })\`
- console.log prints; return gives a value. Return what you need and no more.
- A call that fails throws. A denied call throws a DeniedError with the reason: do not seek the same effect another way.
- Promise.all runs calls that only read at the same time.
- Files, network and processes can be reached only through tools. There are no timers and no imports.`;

/** True for a tool that a script can call. */
export function isScriptable({ forModelOnly, callsTools }: AnyTool): boolean {
  return forModelOnly !== true && callsTools !== true;
}

/** Contract: the same declarations, the same definition. */
export function createRunScript(setting: ScriptSetting): Tool<RunScriptInput, RunScriptOutput> {
  return defineTool<RunScriptInput, RunScriptOutput>({
    name: RUN_SCRIPT,
    description: `${DESCRIPTION}\n\n${setting.declarations}`,
    inputSchema: runScriptInputSchema,
    readOnly: true,
    concurrencySafe: false,
    callsTools: true,
    title: ({ code, description }) => shorten(description ?? code, 100),
    subject: () => ({ kind: 'none' }),
    run: async (input, context) => executeScript(input, context, setting),
  });
}
