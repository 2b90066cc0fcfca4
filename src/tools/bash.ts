// Bash: runs one shell command to its end and reports its output and exit code; then nothing the command started is
// alive. Or starts it as a background task, which the session ends.
import type { JsonSchema } from '../protocol/json.js';
import type { BashInput, BashOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { MAX_BACKGROUND_MS, MAX_SHOWN_BYTES, MAX_TIMEOUT_MS } from './bash/limits.js';
import { defineTool, type Tool } from './tool.js';

const MAX_TITLE_LENGTH = 80;

export const bashInputSchema = {
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, description: 'The command line for bash.' },
    timeout: {
      type: 'number',
      description: `Milliseconds after which the command is terminated. At most ${MAX_TIMEOUT_MS}; in the background ${MAX_BACKGROUND_MS}, and no limit without it.`,
    },
    description: {
      type: 'string',
      description: 'What the command does, in five to ten words, for the person watching.',
    },
    run_in_background: {
      type: 'boolean',
      description: 'True: the call returns at once, and the command goes on as a background task.',
    },
    dangerouslyDisableSandbox: {
      type: 'boolean',
      description:
        'Asks to run the command outside the sandbox, where there is one. Leave it out unless the command failed because of the sandbox.',
    },
  },
  required: ['command'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Runs a shell command with bash and returns stdout, stderr and the exit code.

Use it for builds, tests, git, package managers and other programs. For files use the tools made for them: Read instead of cat, head or tail; Edit or Write instead of sed, awk or redirection; Glob instead of find; Grep instead of grep or rg. Say what you think in your reply, not with echo.

- Each call starts a new shell in the session's working directory. Variables and \`cd\` do not carry over: use absolute paths, or \`cd dir && command\` in one call.
- Quote paths that hold spaces. Chain dependent commands with \`&&\`; make separate calls for independent ones.
- Nobody can answer a prompt: stdin is closed and there is no terminal. Pass flags such as \`-y\`, \`--no-edit\` or \`-m\`, and do not start editors, pagers, REPLs or watch modes.
- A command ends when its shell exits. Processes it left behind with \`&\` are terminated then.
- Start servers, watchers and long builds with \`run_in_background\`, without \`&\`: you get the id of a task and go on, and you are told when it ends. TaskOutput reads what it prints and writes to its stdin, TaskStop ends it. It ends with the session at the latest. Do not wait for it with sleep.
- \`timeout\` is in milliseconds, at most ${MAX_TIMEOUT_MS}. On timeout everything is terminated and the output so far is returned.
- Output over ${MAX_SHOWN_BYTES} bytes is cut in the middle. The cut says how many bytes are missing and which file has all of it: read parts of that file instead of running the command again.`;

/** Runs shell commands. Its `tool_use_result` is `BashOutput`, with output cut as the model sees it. */
export const bashTool: Tool<BashInput, BashOutput> = defineTool<BashInput, BashOutput>({
  name: 'Bash',
  description: DESCRIPTION,
  inputSchema: bashInputSchema,
  readOnly: false,
  concurrencySafe: false,
  title: (input) => shorten(input.description?.trim() || firstLine(input.command), MAX_TITLE_LENGTH),
  subject: (input) => ({
    kind: 'command',
    command: input.command,
    ...(input.dangerouslyDisableSandbox === true ? { unsandboxed: true } : {}),
    ...(input.run_in_background === true ? { outlives: true } : {}),
  }),
  run: async (input, context) => (await import('./bash/run-command.js')).runCommand(input, context),
});

function firstLine(command: string): string {
  return command.trim().split('\n', 1)[0] ?? '';
}
