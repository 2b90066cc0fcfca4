// One hook of settings: an action, or a command line for a shell, which reads the event as JSON and answers by its exit code and what
// it prints. Rule: whatever it does, it costs no more than its bounds, and nothing that it started outlives it.
import { type HostExec, isFileError, type RunOutcome } from '../host/host.js';
import { isEngineError } from '../protocol/errors.js';
import type { HookEvent, HookInput } from '../protocol/hooks.js';
import type { CommandSandbox, WrappedCommand } from '../sandbox/command-sandbox.js';
import { linkAbort, type SharedSignal, shareSignal } from '../util/abort.js';
import { askAboutEvent, callForEvent, postEvent } from './action-hooks.js';
import { readAnswer } from './command-answer.js';
import type {
  DeclaredHook,
  DeclaredHooks,
  HookAction,
  HookAnswer,
  HookGroup,
  HookPowers,
  OnPrinted,
} from './declared-hooks.js';
import { compileMatcher } from './matcher.js';
import { textOfThrown } from './read-output.js';

/** A hook of settings that may run. */
export interface CommandHook {
  readonly event: HookEvent;
  /** Where it stands: `PreToolUse[0].hooks[1] (.claude/settings.json)`. */
  readonly label: string;
  /** Whose settings it stands in. */
  readonly scope: string;
  /** Absolute; null for settings that were given as an object. */
  readonly file: string | null;
  readonly matcher: string | undefined;
  /** The line for a shell; of a hook with an action, what that is in a line, for people. */
  readonly command: string;
  /** What is done in place of a command. */
  readonly action?: HookAction;
  readonly timeoutMs: number;
  readonly onFailure: 'continue' | 'block';
  readonly isAsync: boolean;
  /** Milliseconds that it may go on unwaited for. Default `timeoutMs`. */
  readonly asyncTimeoutMs?: number;
  readonly statusMessage: string | undefined;
  /** True for what a repository may bring along: it runs in the sandbox, if the session has one. */
  readonly isConfined: boolean;
  /** Absolute; what the command knows as the folder of the project. */
  readonly projectFolder: string;
  /** Absolute; what the command knows as the folder of the plugin that it is from. */
  readonly pluginFolder?: string;
  /** Absolute; what the command knows as the folder of the skill that it is from. */
  readonly skillFolder?: string;
  /** There: it runs once, and this says if it has. */
  readonly once?: { isSpent: boolean };
  /** Files that the command names and that are not what was trusted; null if the host vouches for them. */
  readonly changedFiles: (() => Promise<readonly string[]>) | null;
}

/** Where commands run. */
export interface CommandPlace {
  readonly exec: HostExec;
  readonly cwd: string;
  /** Null if commands run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** The whole environment of a command that hears of `input`. */
  environment(input: HookInput): Readonly<Record<string, string>>;
  /** The words before the command line. @throws ToolError if there is no shell */
  shell(): Promise<readonly string[]>;
  /** What hooks have that are no commands. */
  readonly powers: HookPowers;
}

/** Names of the variable that says where the project is. */
const FOLDER_VARIABLES = ['TURNWRIGHT_PROJECT_DIR', 'CLAUDE_PROJECT_DIR', 'QODER_PROJECT_DIR'];
const PLUGIN_VARIABLES = ['TURNWRIGHT_PLUGIN_ROOT', 'CLAUDE_PLUGIN_ROOT', 'QODER_PLUGIN_ROOT'];
const SKILL_VARIABLES = ['TURNWRIGHT_SKILL_DIR', 'CLAUDE_SKILL_DIR', 'QODER_SKILL_DIR'];

/** Bytes. */
const MAX_INPUT = 16 * 1024 * 1024;
const MAX_STDOUT = 1024 * 1024;
const MAX_STDERR = 64 * 1024;
/** So much of what it printed is given to the sandbox, which looks for refusals. Characters. */
const SHOWN_TO_SANDBOX = 20_000;

/** What ends a command, and who hears that it goes on by itself. */
export interface CommandSignals {
  readonly signal: AbortSignal;
  /** Its first line said so, perhaps with milliseconds. Absent: it may not. */
  readonly onAsync?: (timeoutMs: number | null) => void;
}

/** Contract: never throws; settles soon after `signal` is aborted, and then nothing of the command is alive. */
async function runCommandHook(
  hook: CommandHook,
  input: HookInput,
  place: CommandPlace,
  signals: CommandSignals,
  onPrinted?: OnPrinted,
): Promise<HookAnswer> {
  const { signal } = signals;
  try {
    const text = inputText(input);
    if (hook.action !== undefined) return await runAction(hook, hook.action, input, text, place, signal);
    const changed = (await hook.changedFiles?.()) ?? [];
    if (changed.length > 0) return { output: undefined, error: changedText(changed) };
    const wrapped = await confine(hook, input, place, signal);
    return await runWrapped(hook, wrapped, text, place, signals, onPrinted);
  } catch (error) {
    if (hook.action !== undefined) return { output: undefined, error: textOfThrown(error).replace(/\.$/, '') };
    if (isFileError(error)) return { output: undefined, error: `it could not be started. ${error.message}` };
    if (isEngineError(error)) return { output: undefined, error: `it was not started. ${error.message}` };
    return { output: undefined, error: `it was not started: ${textOfThrown(error)}` };
  }
}

/** @throws Error with why there is no answer */
async function runAction(
  hook: CommandHook,
  action: HookAction,
  input: HookInput,
  text: string,
  { powers, environment }: CommandPlace,
  signal: AbortSignal,
): Promise<HookAnswer> {
  switch (action.type) {
    case 'http':
      return postEvent(hook, action, text, environment(input), await powers.openWeb(), signal);
    case 'prompt':
    case 'agent':
      return askAboutEvent(hook, action, text, powers, signal);
    case 'mcp_tool':
      return callForEvent(hook, action, input, powers, signal);
    default:
      return action satisfies never;
  }
}

/** @throws Error if it cannot be written, or is more than a hook is given */
function inputText(input: HookInput): string {
  const text = `${JSON.stringify(input)}\n`;
  if (text.length > MAX_INPUT) throw new Error(`the event has ${text.length} characters, more than ${MAX_INPUT}`);
  return text;
}

function changedText(files: readonly string[]): string {
  const shown = files.slice(0, 5).join(', ') + (files.length > 5 ? ` and ${files.length - 5} more` : '');
  return `it was not started: what it names is not as it was trusted (${shown}). Look at the change, and start the session anew to be asked again`;
}

/** A project's command runs inside, or not at all. @throws ToolError */
async function confine(
  hook: CommandHook,
  input: HookInput,
  place: CommandPlace,
  signal: AbortSignal,
): Promise<WrappedCommand> {
  const words = [...(await place.shell()), hook.command];
  const { pluginFolder, skillFolder } = hook;
  const folders = Object.fromEntries([
    ...FOLDER_VARIABLES.map((name) => [name, hook.projectFolder]),
    ...(pluginFolder === undefined ? [] : PLUGIN_VARIABLES.map((name) => [name, pluginFolder])),
    ...(skillFolder === undefined ? [] : SKILL_VARIABLES.map((name) => [name, skillFolder])),
  ]);
  const env = { ...place.environment(input), ...folders };
  if (!hook.isConfined || place.sandbox === null) return { command: words, env, ended: async () => [] };
  return place.sandbox.wrap(words, { cwd: place.cwd, env, signal });
}

async function runWrapped(
  hook: CommandHook,
  { command, env, ended }: WrappedCommand,
  input: string,
  { exec, cwd }: CommandPlace,
  { signal, onAsync }: CommandSignals,
  onPrinted?: OnPrinted,
): Promise<HookAnswer> {
  const tell = (stream: 'stdout' | 'stderr') =>
    onPrinted === undefined ? undefined : (text: string) => onPrinted(stream, text);
  const [stdout, stderr] = [collectBytes(MAX_STDOUT, tell('stdout')), collectBytes(MAX_STDERR, tell('stderr'))];
  /** Characters of the line by which it said that it goes on by itself; null as long as it did not. */
  let said: number | null = null;
  const hear = (chunk: Uint8Array): void => {
    const isFirst = onAsync !== undefined && said === null && !stdout.text().includes('\n');
    stdout.add(chunk);
    if (!isFirst) return;
    const text = stdout.text();
    const end = text.indexOf('\n');
    const goesOn = end < 0 ? null : readAsyncLine(text.slice(0, end));
    if (goesOn === null) return;
    said = end + 1;
    onAsync(goesOn.timeoutMs);
  };
  let outcome: RunOutcome;
  try {
    // Its time is counted by whoever waits for it, and ends it by the signal.
    outcome = await exec.run({
      command,
      cwd,
      env,
      input,
      signal,
      timeoutMs: 0,
      onStdout: hear,
      onStderr: stderr.add,
    });
  } finally {
    await ended(`${stderr.text()}\n${stdout.text()}`.slice(-SHOWN_TO_SANDBOX));
  }
  return readAnswer(hook.event, outcome, {
    stdout: stdout.text().slice(said ?? 0),
    stderr: stderr.text(),
    tooMuch: [...stdout.excess('stdout'), ...stderr.excess('stderr')],
  });
}

/** What a first line says that begins as an answer which is still to come; null if it says something else. */
function readAsyncLine(line: string): { readonly timeoutMs: number | null } | null {
  if (!line.trimStart().startsWith('{') || line.length > MAX_ASYNC_LINE) return null;
  try {
    const said = JSON.parse(line) as { readonly async?: unknown; readonly asyncTimeout?: unknown };
    if (said.async !== true) return null;
    const { asyncTimeout: ms } = said;
    return { timeoutMs: typeof ms === 'number' && ms > 0 && ms <= MAX_ASYNC_MS ? ms : null };
  } catch {
    return null; // no JSON, or not all of it: an answer like any other
  }
}

const MAX_ASYNC_LINE = 2_000;
const MAX_ASYNC_MS = 86_400_000;

/** Keeps the first bytes; the others are counted, so that the program can go on writing. */
function collectBytes(limit: number, onText?: (text: string) => void) {
  const chunks: Uint8Array[] = [];
  // Not half a character at the end of a chunk.
  const decoder = onText === undefined ? null : new TextDecoder();
  let size = 0;
  return {
    add(chunk: Uint8Array): void {
      if (size < limit) {
        const kept = chunk.slice(0, limit - size);
        chunks.push(kept);
        if (decoder !== null) onText?.(decoder.decode(kept, { stream: true }));
      }
      size += chunk.length;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
    excess: (name: string) => (size > limit ? [`${size} bytes on ${name}, more than ${limit}`] : []),
  };
}

// Commands of settings as hooks that are run beside those given as code.

export interface OpenedCommands {
  readonly declared: DeclaredHooks;
  /** Ends what still runs. Contract: afterwards nothing that a command started is alive. May be called twice. */
  close(): Promise<void>;
}

/**
 * @param hooks in the order their answers are merged
 * @throws ConfigError for a matcher that cannot be used
 */
export function openCommands(hooks: readonly CommandHook[], place: CommandPlace): OpenedCommands {
  const ending = new AbortController();
  const aside = shareSignal(ending.signal);
  const running = new Map<Promise<unknown>, AbortController>();
  const declared = new Map<HookEvent, HookGroup[]>();
  for (const hook of hooks) {
    const { once } = hook;
    const call: DeclaredHook['call'] = (input, _toolUseId, signal, onPrinted) => {
      if (once !== undefined) once.isSpent = true;
      const { controller, release } = linkAbort(signal);
      let onAsync: (timeoutMs: number | null) => void = () => undefined;
      const goesOn = new Promise<HookAnswer>((resolve) => {
        onAsync = (timeoutMs) => {
          release(); // the prompt that it heard of may end before it
          resolve({ output: undefined, later: { answer: run, timeoutMs, stop: () => controller.abort() } });
        };
      });
      const mayGoOn = hook.event !== 'SessionEnd' && !hook.isAsync;
      const signals = { signal: controller.signal, ...(mayGoOn ? { onAsync } : {}) };
      const run = runCommandHook(hook, input, place, signals, onPrinted).finally(() => {
        release();
        running.delete(run);
      });
      running.set(run, controller);
      return Promise.race([run, goesOn]);
    };
    const groups = declared.get(hook.event) ?? [];
    declared.set(hook.event, groups);
    groups.push({
      applies: compileMatcher(hook.event, hook.matcher, `hooks.${hook.label}`),
      hooks: [declaredHook(hook, call, aside)],
    });
  }
  return {
    declared,
    async close() {
      ending.abort();
      // Nobody waits for a Notification either, so one may still run.
      for (const controller of running.values()) controller.abort();
      await Promise.all(running.keys());
    },
  };
}

function declaredHook(hook: CommandHook, call: DeclaredHook['call'], aside: SharedSignal): DeclaredHook {
  const { label, timeoutMs, onFailure, statusMessage, isAsync, asyncTimeoutMs, once, isConfined } = hook;
  return {
    label,
    timeoutMs,
    onFailure,
    statusMessage,
    call,
    endsItself: true,
    isConfined,
    same: JSON.stringify([hook.action ?? hook.command, hook.projectFolder, isAsync]),
    ...(isAsync ? { aside } : {}),
    ...(once === undefined ? {} : { isSpent: () => once.isSpent }),
    ...(asyncTimeoutMs === undefined ? {} : { asideTimeoutMs: asyncTimeoutMs }),
  };
}
