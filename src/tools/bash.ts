// Bash: runs one shell command to its end and reports its output and exit code; then nothing the command started is
// alive. Or starts it as a background task, which the session ends.
import type { JsonSchema } from '../protocol/json.js';
import type { BashInput, BashOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { loadCommand } from './bodies.js';
import { defineTool, type Tool } from './tool.js';

/** The longest time a call may ask for. */
export const MAX_TIMEOUT_MS = 600_000;

/** The same for a command in the background: a day. */
export const MAX_BACKGROUND_MS = 86_400_000;

/** What the model sees of stdout and stderr together, bytes. */
export const MAX_SHOWN_BYTES = 30_000;

const MAX_TITLE_LENGTH = 80;

export const bashInputSchema = {
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, description: 'The command line.' },
    timeout: {
      type: 'number',
      description: `Milliseconds until the command is stopped: usually 120000, at most ${MAX_TIMEOUT_MS}. In the background: no limit unless you give one, at most ${MAX_BACKGROUND_MS}.`,
    },
    description: {
      type: 'string',
      description: 'What the command does, in five to ten words. The user sees it.',
    },
    run_in_background: {
      type: 'boolean',
      description: 'Run the command as a background task.',
    },
    dangerouslyDisableSandbox: {
      type: 'boolean',
      description: 'Ask to run outside the sandbox. Only after the sandbox made the command fail.',
    },
  },
  required: ['command'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Runs a command line with bash and returns stdout, stderr and the exit code. Use it for builds, tests, git, package managers and other programs. For files, use Read, Edit, Write, Glob and Grep instead of cat, sed, echo, find and grep.

- Each call is a new shell: variables do not carry over. The working directory does: after \`cd\`, the next calls of all tools start there, within the workspace; you are told when it changed.
- Quote paths that hold spaces. Join commands that depend on each other with \`&&\`; send independent ones as separate calls.
- Nobody can type: stdin is closed and there is no terminal. Pass flags such as \`-y\`, \`--no-edit\` or \`-m\`. Start no editors, pagers, REPLs or watch modes.
- A command is over when its shell exits; whatever it left running with \`&\` is stopped then.
- Start servers, watchers and long builds with \`run_in_background\`. The call returns the id of a task at once; you will be told when the task ends, so do not sleep or poll. TaskOutput reads its output and writes to its stdin, TaskStop stops it. Tasks that still run when the session ends are stopped.
- After \`timeout\`, everything the command started is stopped, and you get the output so far. The user may move a command that runs to the background: then it goes on as a task.
- Output over ${MAX_SHOWN_BYTES} bytes is cut in the middle. The cut names the file that holds all of it: Read any part of that with offset and limit instead of running the command again.`;

/** Runs shell commands. Its `tool_use_result` is `BashOutput`, with output cut as the model sees it. */
export const bashTool: Tool<BashInput, BashOutput> = defineTool<BashInput, BashOutput>({
  name: 'Bash',
  description: DESCRIPTION,
  inputSchema: bashInputSchema,
  otherFields: {
    cwd: 'write `cd dir && command` in command',
    workdir: 'write `cd dir && command` in command',
    restart: 'each call is a new shell, so leave it out',
  },
  readOnly: false,
  concurrencySafe: false,
  title: (input) => shorten(input.description?.trim() || firstLine(input.command), MAX_TITLE_LENGTH),
  subject: (input) => ({
    kind: 'command',
    command: input.command,
    ...(input.dangerouslyDisableSandbox === true ? { unsandboxed: true } : {}),
    ...(input.run_in_background === true ? { outlives: true } : {}),
  }),
  run: async (input, context) => (await loadCommand()).runCommand(input, context),
});

function firstLine(command: string): string {
  return command.trim().split('\n', 1)[0] ?? '';
}
