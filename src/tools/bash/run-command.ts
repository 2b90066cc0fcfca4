// One shell command from its start to its result. Nothing it started is alive when it returns.

import path from 'node:path';
import { type FileStat, type HostFs, isFileError, type RunOutcome } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { BashInput, BashOutput } from '../../protocol/tool-io.js';
import type { SandboxViolation, WrappedCommand } from '../../sandbox/command-sandbox.js';
import { count } from '../../util/text.js';
import type { FileState } from '../file-state-cache.js';
import { putIntoCommand } from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import { goOnInBackground, startInBackground } from './background-command.js';
import { collectOutput, renderOutput, type ShownOutput } from './command-output.js';
import { confine, sandboxNotes } from './confine.js';
import {
  gitHubLimitNote,
  gitOperation,
  isSilent,
  type PrintedImage,
  printedImage,
  readExitCode,
} from './describe-result.js';
import { MAX_TIMEOUT_MS } from './limits.js';
import { type CommandWatch, watchCommand } from './watch-command.js';

/** Exit codes of commands that were stopped: as `timeout` and a shell's Ctrl-C give them. */
const EXIT_TIMED_OUT = 124;
const EXIT_INTERRUPTED = 130;

export async function runCommand(input: BashInput, context: ToolContext): Promise<ToolOutcome<BashOutput>> {
  refuseUnusable(input, context);
  if (input.run_in_background === true) return startInBackground(input, context);
  const timeoutMs = chooseTimeout(input.timeout, context.toolTimeoutMs);
  const ready = await putIntoCommand(input.command, context);
  const mark = context.host.ids.uuid();
  const output = collectOutput({
    mark,
    fs: context.host.fs,
    clock: context.host.clock,
    spoolPath: context.spoolDirectory && `${context.spoolDirectory}/bash-${context.host.ids.uuid()}.txt`,
    onProgress: (text) => context.onProgress(text),
    hidden: (await context.secrets?.open())?.stream ?? null,
  });
  const wrapped = await confine(ready, context, context.signal, mark);
  const since = context.host.clock.now();
  const watch = watchCommand(context, timeoutMs, output);
  let shown: ShownOutput | null = null;
  let violations: readonly SandboxViolation[] = [];
  let outcome: RunOutcome | null = null;
  try {
    outcome = await startCommand(wrapped, context, watch, output).finally(watch.end);
    if (outcome.rest === undefined) shown = await output.finish();
  } finally {
    if (outcome?.rest === undefined)
      violations = await wrapped.ended(shown === null ? '' : `${shown.stderr}\n${shown.stdout}`);
  }
  if (outcome.rest !== undefined || shown === null) {
    return goOnInBackground({ input, context, wrapped, output, rest: outcome.rest, by: watch.movedBy, timeoutMs });
  }
  if (outcome.ended === 'aborted' && watch.waiting === null) throw interrupted(shown);
  const place = await placeNote(input, context, outcome, output.endFolder);
  const waits = watch.waiting === null ? [] : [waitsNote(watch.waiting)];
  const image = outcome.ended === 'exited' ? await printedImage(shown, context.host.fs) : null;
  const hints = {
    staleReadFileStateHint: await changedFilesNote(context, since),
    ghRateLimitHint: outcome.exitCode === 0 ? null : gitHubLimitNote(input.command, shown),
  };
  return report(input, outcome, { ...shown, image, hints }, timeoutMs, [
    ...waits,
    ...place,
    ...sandboxNotes(input, context, violations),
  ]);
}

function waitsNote(program: string): string {
  return `[Terminated: ${program} waited for somebody to type at a terminal, and nobody can. Give its answers by flags, a file or a pipe, or run it with run_in_background and answer by TaskOutput.]`;
}

/** Words that may change where a shell stands. */
const MOVES = /(?:^|[\s;&|(){}])(?:cd|pushd|popd)(?![\w-])/;

/** A command that ended by itself takes the agent along; of any other that might have, the agent hears that it did not. */
async function placeNote(
  { command }: BashInput,
  { cwd, moveTo }: ToolContext,
  { ended }: RunOutcome,
  endFolder: string | null,
): Promise<readonly string[]> {
  if (moveTo === undefined) return [];
  if (ended === 'exited' && endFolder !== null) {
    const note = await moveTo(endFolder);
    return note === null ? [] : [note];
  }
  return MOVES.test(command) && !/^\s*\(.*\)\s*$/s.test(command) ? [`[The working directory is still ${cwd}.]`] : [];
}

/** @throws ToolError if no shell could run it */
export function refuseUnusable(input: BashInput, context: ToolContext): void {
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
  { command, env }: WrappedCommand,
  context: ToolContext,
  watch: CommandWatch,
  output: ReturnType<typeof collectOutput>,
): Promise<RunOutcome> {
  try {
    return await context.host.exec.run({
      command,
      cwd: context.cwd,
      env,
      signal: watch.signal,
      release: watch.release,
      timeoutMs: watch.timeoutMs,
      onWaiting: watch.setWaiting,
      onStdout: output.onStdout,
      onStderr: output.onStderr,
      pause: output.pause,
    });
  } catch (error) {
    if (isFileError(error)) throw new ToolError(`The command could not be started. ${error.message}`);
    throw error;
  }
}

/** Told to the model behind the output, and to programs by themselves. */
type CommandHints = Readonly<Record<'staleReadFileStateHint' | 'ghRateLimitHint', string | null>>;

function report(
  { command, dangerouslyDisableSandbox }: BashInput,
  outcome: RunOutcome,
  shown: ShownOutput & { readonly image: PrintedImage | null; readonly hints: CommandHints },
  timeoutMs: number,
  moreNotes: readonly string[],
): ToolOutcome<BashOutput> {
  const timedOut = outcome.ended === 'timed_out';
  const isStopped = timedOut || outcome.ended === 'aborted';
  const exitCode = outcome.exitCode ?? EXIT_TIMED_OUT;
  const notes: string[] = [];
  if (timedOut) {
    notes.push(
      `[Terminated: the command ran longer than ${timeoutMs} ms. The output above is what it printed so far.]`,
    );
  } else if (exitCode !== 0 && !isStopped) {
    notes.push(`Exit code ${exitCode}${outcome.signal === null ? '' : ` (${outcome.signal})`}`);
  }
  const meaning = isStopped ? null : readExitCode(command, exitCode);
  if (outcome.leftovers !== undefined) {
    const processes = count(outcome.leftovers, 'process', 'processes');
    notes.push(`[Terminated when the command ended: ${processes} it had left running.]`);
  }
  const { stdout, stderr, file, image, hints } = shown;
  const told = Object.entries(hints).filter((hint): hint is [string, string] => hint[1] !== null);
  const printed = image === null ? renderOutput(shown) : '';
  const text = [printed, ...notes, ...moreNotes, ...told.map(([, hint]) => hint)]
    .filter((part) => part !== '')
    .join('\n');
  const operation = exitCode === 0 ? gitOperation(command, shown) : null;
  const data: BashOutput = {
    stdout,
    stderr,
    exitCode,
    ...(isStopped && { interrupted: true }),
    ...(timedOut && { timedOutAfterMs: timeoutMs }),
    ...(file !== null && { persistedOutputPath: file.path, persistedOutputSize: file.size }),
    ...(meaning !== null && { returnCodeInterpretation: meaning }),
    ...(image !== null && { isImage: true }),
    ...(isSilent(command) && { noOutputExpected: true }),
    ...(dangerouslyDisableSandbox === true && { dangerouslyDisableSandbox }),
    ...(operation !== null && { gitOperation: operation }),
    ...Object.fromEntries(told),
  };
  const isError = isStopped || exitCode !== 0;
  if (image === null) return { model: text || '(no output)', data, isError };
  const noted = text === '' ? [] : [{ type: 'text', text } as const];
  return { model: [{ type: 'image', source: image }, ...noted], data, isError };
}

function interrupted(shown: ShownOutput): ToolError {
  const { stdout, stderr } = shown;
  const data: BashOutput = { stdout, stderr, exitCode: EXIT_INTERRUPTED, interrupted: true };
  const printed = renderOutput(shown);
  const output = printed === '' ? 'It had printed nothing.' : `It had printed:\n${printed}`;
  return new ToolError(`The command was interrupted while it ran; its effects are unknown. ${output}`, data);
}

// Files that the model has read and that a command changed: told with its result, as the next edit of one would be refused.
// One rule: a file counts only if it was touched while the command ran and holds something else than what was read.

/** So many are looked at, those first that were read last. What is larger counts as changed without being read. */
const LOOKED_AT = 100;
const COMPARED_BYTES = 1_048_576;
/** Clocks of file systems are coarse. */
const COARSE_MS = 20;
const SHOWN = 10;

type Seen = readonly [path: string, state: FileState];

/** @param since when the command began, milliseconds since 1970. @returns null if there are none */
async function changedFilesNote(
  { readFileCache, host: { fs, sha256 }, cwd }: Pick<ToolContext, 'readFileCache' | 'host' | 'cwd'>,
  since: number,
): Promise<string | null> {
  const seen = [...readFileCache.entries()].slice(0, LOOKED_AT);
  if (seen.length === 0) return null;
  const stats = await fs.lstatAll(seen.map(([file]) => file));
  const changed: string[] = [];
  for (const [at, each] of seen.entries()) {
    const stat = stats[at] ?? null;
    const isTouched = stat?.kind === 'file' && stat.ctimeMs >= since - COARSE_MS;
    if (isTouched && (await isOther(each, stat, fs, sha256))) changed.push(path.relative(cwd, each[0]));
  }
  if (changed.length === 0) return null;
  const more = changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : '';
  return `[Files that you have read are others now: ${changed.slice(0, SHOWN).join(', ')}${more}. Read one again before you edit it.]`;
}

async function isOther(
  [file, state]: Seen,
  { size }: FileStat,
  fs: HostFs,
  sha256: ToolContext['host']['sha256'],
): Promise<boolean> {
  if (state.hash === null || state.size !== size || size > COMPARED_BYTES) return true;
  try {
    return (await sha256(await fs.readFile(file))) !== state.hash;
  } catch {
    return false; // gone by now, or not to be read: whoever uses it is told
  }
}
