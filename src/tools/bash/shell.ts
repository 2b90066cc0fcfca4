// Which shell runs a command, with which environment, how a very long command reaches it, how the sandbox wraps it, and where it
// stood when it ended. Rule: nothing here waits for a person, no pager, no editor, no password prompt; and what a command
// says of its folder is looked at.
import path from 'node:path';
import { ToolError } from '../../protocol/errors.js';
import type { BashInput } from '../../protocol/tool-io.js';
import type { SandboxViolation, WrappedCommand } from '../../sandbox/command-sandbox.js';
import type { ReadyCommand } from '../shared/index.js';
import type { ToolContext } from '../tool.js';

/** Values that keep programs from waiting for a person. They win over the session's own. */
const NON_INTERACTIVE: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_PAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  AWS_PAGER: '',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
};

/** A bash that reads a socket takes itself for one on another machine, and runs ~/.bashrc, unless a shell started it. */
export const NOT_REMOTE: Readonly<Record<string, string>> = { SHLVL: '1' };

/** Linux refuses a single argument of 128 KiB; longer commands go through a file. */
const MAX_ARGUMENT_BYTES = 120_000;

/** The environment of a command. */
export function shellEnvironment({ childEnv }: Pick<ToolContext, 'childEnv'>): Record<string, string> {
  return { ...childEnv, ...NON_INTERACTIVE };
}

/**
 * The words that run `command` in the shell of this machine: /bin/bash, else a bash on the PATH, else sh.
 * @param mark with it the shell tells where it ended, as `readEndFolder` reads it; null: it does not
 * @throws ToolError if there is no shell, or no place for a command too long to be an argument
 */
async function shellCommand(
  { command, hasSecrets }: ReadyCommand,
  context: ToolContext,
  mark: string | null = null,
): Promise<string[]> {
  const shell = await findShell(context);
  // Only bash has all that its end is told with.
  const teller = mark === null || path.basename(shell) !== 'bash' ? null : mark;
  const toldFrom = (from: 'eval' | '.', what: string) =>
    teller === null ? null : [shell, '-c', '--', tellingScript(teller, from), shell, what];
  if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES)
    return toldFrom('eval', command) ?? [shell, '-c', '--', command];
  if (context.spoolDirectory === null) {
    throw new ToolError('The command is too long for this session. Write it to a script file and run that file.');
  }
  if (hasSecrets) {
    throw new ToolError(
      'The command is too long to hold secrets: it would have to stand in a file. Split it, or let it read them itself.',
    );
  }
  const script = path.join(context.spoolDirectory, `command-${context.host.ids.uuid()}.sh`);
  await context.host.fs.writeFileAtomic(script, command, { mode: 0o600 });
  return toldFrom('.', script) ?? [shell, script];
}

/** The shell of this machine. @throws ToolError if there is none */
export async function findShell(context: Pick<ToolContext, 'host' | 'childEnv'>): Promise<string> {
  const folders = (context.childEnv['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const candidates = ['bash', 'sh'].flatMap((name) => ['/bin', ...folders].map((folder) => path.join(folder, name)));
  for (const candidate of candidates) {
    if (await isProgram(candidate, context)) return candidate;
  }
  throw new ToolError('No shell was found: neither /bin/bash nor a bash or sh on the PATH. Install one of them.');
}

async function isProgram(file: string, context: Pick<ToolContext, 'host'>): Promise<boolean> {
  try {
    const stat = await context.host.fs.stat(file);
    return stat.kind === 'file' && (stat.mode & 0o111) !== 0;
  } catch {
    // Missing or unreadable: not a shell to use; the next candidate is tried.
    return false;
  }
}

/** A folder's name is no longer. */
const MAX_FOLDER = 8_192;
/** A number that no script takes for itself: small ones they use, and bash hands out those from 10 and from 63 on. */
const DESCRIPTOR = 97;
const NUL = 0;

/**
 * The script that runs a command, which is its first argument and no argument of the command. It is not in a subshell, and
 * `exit` in it ends the shell as ever.
 * @param from what makes the shell run it: `eval` for a text, `.` for a file
 */
function tellingScript(mark: string, from: 'eval' | '.'): string {
  return [
    `exec ${DESCRIPTOR}>&2`,
    `trap 'builtin printf "\\0%s:%s\\0" ${mark} "$PWD" 2>/dev/null >&${DESCRIPTOR}' EXIT`,
    '_turnwright_command=$1',
    'set --',
    `${from} -- "$_turnwright_command"`,
  ].join('; ');
}

interface EndFolder {
  /** Passes bytes of stderr on, without what the shell says of its end. */
  take(chunk: Uint8Array): void;
  /** Passes on what was held back. */
  end(): void;
  /** The last that it said; null if it ended without a word, as after `exec` or a signal. */
  readonly folder: string | null;
}

/** @param onBytes keeps no reference to the chunk */
export function readEndFolder(mark: string, onBytes: (chunk: Uint8Array) => void): EndFolder {
  const start = Buffer.from(`\0${mark}:`);
  let held: Buffer = Buffer.alloc(0);
  let folder: string | null = null;
  const pass = (bytes: Uint8Array): void => {
    if (bytes.length > 0) onBytes(bytes);
  };
  return {
    get folder() {
      return folder;
    },
    take(chunk) {
      // Most output has none.
      if (held.length === 0 && chunk.indexOf(NUL) === -1) return pass(chunk);
      let rest = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
      held = Buffer.alloc(0);
      for (;;) {
        const at = rest.indexOf(start);
        if (at === -1) break;
        pass(rest.subarray(0, at));
        const end = rest.indexOf(NUL, at + start.length);
        if (end === -1 && rest.length - at < start.length + MAX_FOLDER) {
          held = Buffer.from(rest.subarray(at));
          return;
        }
        if (end === -1) pass(rest.subarray(at, at + start.length));
        else folder = rest.subarray(at + start.length, end).toString('utf8');
        rest = rest.subarray(end === -1 ? at + start.length : end + 1);
      }
      const cut = beginsAt(rest, start);
      pass(rest.subarray(0, cut));
      held = Buffer.from(rest.subarray(cut));
    },
    end() {
      pass(held);
      held = Buffer.alloc(0);
    },
  };
}

/** The place from which the end of `bytes` may be the beginning of `start`; the length of `bytes` if there is none. */
function beginsAt(bytes: Buffer, start: Buffer): number {
  const from = Math.max(0, bytes.length - start.length + 1);
  for (let at = bytes.indexOf(NUL, from); at !== -1; at = bytes.indexOf(NUL, at + 1))
    if (start.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
  return bytes.length;
}

/** The command as it starts: inside the sandbox, if there is one and nobody allowed this call to run outside. `mark`: as of `shellCommand`. */
export async function confine(
  ready: ReadyCommand,
  context: ToolContext,
  signal: AbortSignal,
  mark: string | null = null,
): Promise<WrappedCommand> {
  const words = await shellCommand(ready, context, mark);
  const env = { ...shellEnvironment(context), ...ready.env };
  if (context.sandbox === undefined || context.runUnsandboxed === true) {
    return { command: words, env, ended: async () => [] };
  }
  return context.sandbox.wrap(words, { cwd: context.cwd, env, signal });
}

/** What the model must know to understand a failure. */
export function sandboxNotes(
  input: BashInput,
  { sandbox, runUnsandboxed }: ToolContext,
  violations: readonly SandboxViolation[],
): string[] {
  if (sandbox === undefined || runUnsandboxed === true) return [];
  const notes = violations.map(({ message }) => `[Sandbox: ${message}]`);
  if (input.dangerouslyDisableSandbox === true) {
    notes.push(
      sandbox.allowsUnsandboxed
        ? '[Sandbox: the command ran inside, for nobody allowed it to run outside.]'
        : '[Sandbox: the command ran inside; dangerouslyDisableSandbox is switched off here.]',
    );
  } else if (violations.length > 0 && sandbox.allowsUnsandboxed) {
    notes.push('[Sandbox: if the command needs this, ask to run it outside with dangerouslyDisableSandbox.]');
  }
  return notes;
}
