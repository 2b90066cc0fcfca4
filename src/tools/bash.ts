// Bash: runs one shell command to its end and reports its output and exit code. It refuses background tasks, and
// nothing the command started is alive when it returns.
import { isFileError, type RunOutcome } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { BashInput, BashOutput } from '../protocol/tool-io.js';
import { count, shorten } from '../util/text.js';
import { collectOutput, MAX_SHOWN_BYTES, type ShownOutput } from './bash/command-output.js';
import { shellCommand, shellEnvironment } from './bash/shell.js';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from './tool.js';

/** The longest time a call may ask for. */
const MAX_TIMEOUT_MS = 600_000;
const MAX_TITLE_LENGTH = 80;
/** Exit codes of commands that were stopped: as `timeout` and a shell's Ctrl-C give them. */
const EXIT_TIMED_OUT = 124;
const EXIT_INTERRUPTED = 130;

export const bashInputSchema = {
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, description: 'The command line for bash.' },
    timeout: {
      type: 'number',
      description: `Milliseconds after which the command is terminated. At most ${MAX_TIMEOUT_MS}.`,
    },
    description: {
      type: 'string',
      description: 'What the command does, in five to ten words, for the person watching.',
    },
    run_in_background: { type: 'boolean', description: 'Not available yet: leave it out.' },
    dangerouslyDisableSandbox: { type: 'boolean', description: 'Leave it out unless the user asked for it.' },
  },
  required: ['command'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Runs a shell command with bash and returns stdout, stderr and the exit code.

Use it for builds, tests, git, package managers and other programs. For files use the tools made for them: Read instead of cat, head or tail; Edit or Write instead of sed, awk or redirection; Glob instead of find; Grep instead of grep or rg. Say what you think in your reply, not with echo.

- Each call starts a new shell in the session's working directory. Variables and \`cd\` do not carry over: use absolute paths, or \`cd dir && command\` in one call.
- Quote paths that hold spaces. Chain dependent commands with \`&&\`; make separate calls for independent ones.
- Nobody can answer a prompt: stdin is closed and there is no terminal. Pass flags such as \`-y\`, \`--no-edit\` or \`-m\`, and do not start editors, pagers, REPLs or watch modes.
- A command ends when its shell exits. Processes it left in the background are terminated then; servers started with \`&\` do not survive the call.
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
  subject: (input) => ({ kind: 'command', command: input.command }),
  run: runCommand,
});

function firstLine(command: string): string {
  return command.trim().split('\n', 1)[0] ?? '';
}

async function runCommand(input: BashInput, context: ToolContext): Promise<ToolOutcome<BashOutput>> {
  refuseUnusable(input, context);
  const timeoutMs = chooseTimeout(input.timeout, context.toolTimeoutMs);
  const output = collectOutput({
    fs: context.host.fs,
    clock: context.host.clock,
    spoolPath: context.spoolDirectory && `${context.spoolDirectory}/bash-${context.host.ids.uuid()}.txt`,
    onProgress: (text) => context.onProgress(text),
  });
  const outcome = await startCommand(input.command, context, timeoutMs, output);
  const shown = await output.finish();
  if (outcome.ended === 'aborted') throw interrupted(shown);
  return report(outcome, shown, timeoutMs);
}

function refuseUnusable(input: BashInput, context: ToolContext): void {
  if (input.run_in_background) {
    throw new ToolError(
      'Background tasks do not exist yet, so nothing was run. Run the command in the foreground, with a timeout.',
    );
  }
  if (input.command.includes('\0')) {
    throw new ToolError('The command holds a NUL byte, which no shell accepts. Nothing was run; remove it.');
  }
  if (input.command.trim() === '') throw new ToolError('The command is empty. Give a command to run.');
  if (context.signal.aborted) throw new ToolError('Interrupted before the command started. Nothing was run.');
}

function chooseTimeout(asked: number | undefined, fallback: number): number {
  if (asked === undefined || !(asked > 0)) return fallback;
  return Math.min(Math.ceil(asked), MAX_TIMEOUT_MS);
}

async function startCommand(
  command: string,
  context: ToolContext,
  timeoutMs: number,
  output: ReturnType<typeof collectOutput>,
): Promise<RunOutcome> {
  try {
    return await context.host.exec.run({
      command: await shellCommand(command, context),
      cwd: context.cwd,
      env: shellEnvironment(context),
      signal: context.signal,
      timeoutMs,
      onStdout: output.onStdout,
      onStderr: output.onStderr,
      pause: output.pause,
    });
  } catch (error) {
    if (isFileError(error)) throw new ToolError(`The command could not be started. ${error.message}`);
    throw error;
  }
}

function report(outcome: RunOutcome, shown: ShownOutput, timeoutMs: number): ToolOutcome<BashOutput> {
  const timedOut = outcome.ended === 'timed_out';
  const exitCode = outcome.exitCode ?? EXIT_TIMED_OUT;
  const notes: string[] = [];
  if (timedOut) {
    notes.push(
      `[Terminated: the command ran longer than ${timeoutMs} ms. The output above is what it printed so far.]`,
    );
  } else if (exitCode !== 0) {
    notes.push(`Exit code ${exitCode}${outcome.signal === null ? '' : ` (${outcome.signal})`}`);
  }
  if (outcome.leftovers !== undefined) {
    const processes = count(outcome.leftovers, 'process', 'processes');
    notes.push(`[Terminated when the command ended: ${processes} it had left running.]`);
  }
  const model = [renderOutput(shown), ...notes].filter((part) => part !== '').join('\n');
  const data: BashOutput = { ...shown, exitCode, ...(timedOut && { interrupted: true }) };
  return { model: model || '(no output)', data, isError: timedOut || exitCode !== 0 };
}

function interrupted(shown: ShownOutput): ToolError {
  const data: BashOutput = { ...shown, exitCode: EXIT_INTERRUPTED, interrupted: true };
  const printed = renderOutput(shown);
  const output = printed === '' ? 'It had printed nothing.' : `It had printed:\n${printed}`;
  return new ToolError(`The command was interrupted while it ran; its effects are unknown. ${output}`, data);
}

/** Both streams as one text, without the line ends at their ends; stderr is marked where both have content. */
function renderOutput({ stdout, stderr }: ShownOutput): string {
  const out = stdout.trimEnd();
  const err = stderr.trimEnd();
  if (out === '' || err === '') return out + err;
  return `${out}\n[stderr]\n${err}`;
}
