// One shell command from its start to its result. Nothing it started is alive when it returns.
import path from 'node:path';
import { type FileStat, type HostFs, isFileError, type RunOutcome } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { BashInput, BashOutput } from '../../protocol/tool-io.js';
import type { SandboxViolation, WrappedCommand } from '../../sandbox/command-sandbox.js';
import { isWholeImage, readImageHeader } from '../../util/media-headers.js';
import { count } from '../../util/text.js';
import { MAX_TIMEOUT_MS } from '../bash.js';
import type { FileState } from '../file-state-cache.js';
import { putIntoCommand } from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import { type CommandWatch, goOnInBackground, startInBackground, watchCommand } from './background-command.js';
import { collectOutput, renderOutput, type ShownOutput } from './command-output.js';
import { confine, sandboxNotes } from './shell.js';

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
  return `[Files that you have read have changed: ${changed.slice(0, SHOWN).join(', ')}${more}. Read them again before you edit them.]`;
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

// What a command's output is, beside its text: an image, a change of git's, an exit code that is an answer. One rule: it is
// read from what was printed and written, and nothing is run for it.

type GitOperation = NonNullable<BashOutput['gitOperation']>;
type MediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface PrintedImage {
  readonly type: 'base64';
  readonly media_type: MediaType;
  readonly data: string;
}

/** As the Messages API takes them, which are the narrowest limits. */
const IMAGE_BYTES = 5 * 1_024 * 1_024;
const IMAGE_SIDE = 8_000;
/** Of a file that holds all that was printed. */
const MAX_PRINTED_BYTES = Math.ceil((IMAGE_BYTES * 4) / 3) + 1_024;
const DATA_ADDRESS = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/\s]+={0,2})\s*$/;
const HEAD_CHARACTERS = 256 * 1_024;
const TAIL_CHARACTERS = 64 * 1_024;

/** The image that a command printed as one data address and nothing beside it; null if it is none that a model takes. */
export async function printedImage({ stdout, stderr, file }: ShownOutput, fs: HostFs): Promise<PrintedImage | null> {
  if (!stdout.startsWith('data:image/') || stderr !== '' || (file !== null && file.size > MAX_PRINTED_BYTES))
    return null;
  const printed = file === null ? stdout : await fs.readFile(file.path).then(decode, () => ''); // gone: its text is shown
  const [, mediaType, encoded = ''] = DATA_ADDRESS.exec(printed.trim()) ?? [];
  const data = encoded.replace(/\s+/g, '');
  const length = Math.floor((data.replace(/=+$/, '').length * 3) / 4);
  if (mediaType === undefined || data.length % 4 !== 0 || length > IMAGE_BYTES) return null;
  const head = atob(data.slice(0, HEAD_CHARACTERS));
  const tail = data.length <= HEAD_CHARACTERS ? head : atob(data.slice(-TAIL_CHARACTERS));
  const header = readImageHeader(head);
  if (header === null || header.mediaType !== mediaType || header.width === 0 || header.height === 0) return null;
  if (Math.max(header.width ?? 0, header.height ?? 0) > IMAGE_SIDE) return null;
  return isWholeImage(header.mediaType, head, tail, length)
    ? { type: 'base64', media_type: header.mediaType as MediaType, data }
    : null;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Exit codes that are answers: what programs say by them that did not fail. */
const MEANINGS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: 'No matches found' },
  egrep: { 1: 'No matches found' },
  fgrep: { 1: 'No matches found' },
  rg: { 1: 'No matches found' },
  diff: { 1: 'Files differ' },
  cmp: { 1: 'Files differ' },
  find: { 1: 'Some folders could not be read' },
  test: { 1: 'The condition is false' },
  '[': { 1: 'The condition is false' },
};

/** What the exit code of a line says whose last program is one of these; null if it says nothing else. */
export function readExitCode(command: string, exitCode: number): string | null {
  if (exitCode === 0) return null;
  const program = programsOf(command).at(-1) ?? '';
  return Object.hasOwn(MEANINGS, program) ? (MEANINGS[program]?.[exitCode] ?? null) : null;
}

const SILENT =
  /^(?:mv|cp|rm|mkdir|rmdir|chmod|chown|chgrp|touch|ln|cd|pushd|popd|export|unset|set|wait|true|:|sleep|kill)$/;

/** True for a line whose programs all say nothing if they succeed. */
export function isSilent(command: string): boolean {
  const programs = programsOf(command);
  return programs.length > 0 && programs.every((program) => SILENT.test(program));
}

/** First words of its commands, without the variables that are set for them. */
function programsOf(command: string): string[] {
  const parts = command.split(/\|\||&&|[|;&\n]/).filter((part) => part.trim() !== '');
  return parts.map((part) => /^\s*(?:\w+=\S*\s+)*(\S+)/.exec(part)?.[1] ?? '');
}

/** For a command of gh that GitHub refused as one too many; null for any other. */
export function gitHubLimitNote(command: string, { stdout, stderr }: ShownOutput): string | null {
  if (!/\bgh\b/.test(command)) return null;
  if (!/API rate limit (?:already )?exceeded|secondary rate limit/i.test(`${stderr}\n${stdout}`)) return null;
  return '[GitHub answers no more requests of this account for now. Do not repeat the command at once: `gh api rate_limit` says when the limit starts anew and does not count itself. Go on with what needs no GitHub, or tell the user.]';
}

/** What git says that a line did. Absent fields: nothing of that was seen. */
export function gitOperation(command: string, { stdout, stderr }: ShownOutput): GitOperation | null {
  if (!/\bgit\b|\bgh\b/.test(command)) return null;
  const said = `${stdout}\n${stderr}`;
  const found: GitOperation = {
    ...commitOf(command, said),
    ...pushOf(command, said),
    ...branchOf(command, said),
    ...pullRequestOf(command, said),
  };
  return Object.keys(found).length === 0 ? null : found;
}

function commitOf(command: string, said: string): Pick<GitOperation, 'commit'> {
  if (!/\bgit\b[^|;&\n]*\b(?:commit|cherry-pick)\b/.test(command)) return {};
  const [, branch = '', sha] = /^\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] /m.exec(said) ?? [];
  if (sha === undefined) return {};
  const kind = /\bcherry-pick\b/.test(command) ? 'cherry-picked' : /--amend\b/.test(command) ? 'amended' : 'committed';
  return { commit: { sha, kind, ...(branch.startsWith('detached') ? {} : { branch }) } };
}

function pushOf(command: string, said: string): Pick<GitOperation, 'push'> {
  if (!/\bgit\b[^|;&\n]*\bpush\b/.test(command)) return {};
  const [, branch] = /^ (?:[ +*]) (?:[0-9a-f]+\.{2,3}[0-9a-f]+|\[new branch\])\s+\S+ -> (\S+)/m.exec(said) ?? [];
  return branch === undefined ? {} : { push: { branch } };
}

function branchOf(command: string, said: string): Pick<GitOperation, 'branch'> {
  const [, verb, ref] = /\bgit\b[^|;&\n]*?\b(merge|rebase)\s+(?:-\S+\s+)*([^\s|;&-][^\s|;&]*)/.exec(command) ?? [];
  if (verb === undefined || ref === undefined) return {};
  if (verb === 'merge' && /^(?:Merge made by|Fast-forward)/m.test(said)) return { branch: { ref, action: 'merged' } };
  return verb === 'rebase' && said.includes('Successfully rebased') ? { branch: { ref, action: 'rebased' } } : {};
}

const PULL_REQUEST_ACTIONS = {
  create: 'created',
  edit: 'edited',
  merge: 'merged',
  comment: 'commented',
  close: 'closed',
  reopen: 'reopened',
  ready: 'ready',
} as const;

/** What flags make of two of these. */
function pullRequestAction(verb: string, command: string) {
  if (verb === 'ready' && /\s--undo\b/.test(command)) return 'draft';
  if (verb === 'merge' && /\s--disable-auto\b/.test(command)) return 'auto-merge-disabled';
  if (verb === 'merge' && /\s--auto\b/.test(command)) return 'auto-merge-enabled';
  return PULL_REQUEST_ACTIONS[verb as keyof typeof PULL_REQUEST_ACTIONS];
}

function pullRequestOf(command: string, said: string): Pick<GitOperation, 'pr'> {
  const [, verb, named] =
    /\bgh\s+pr\s+(create|edit|merge|comment|close|reopen|ready)\b(?:\s+(\d+))?/.exec(command) ?? [];
  if (verb === undefined) return {};
  const [url, shown] = /https:\/\/\S+\/pull\/(\d+)/.exec(said) ?? [];
  const number = Number(shown ?? named ?? Number.NaN);
  if (!Number.isInteger(number)) return {};
  const action = pullRequestAction(verb, command);
  return { pr: { number, action, ...(url === undefined ? {} : { url }) } };
}
