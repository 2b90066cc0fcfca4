// Which shell runs a command, with which environment, and how a very long command reaches it.
// Rule: nothing here waits for a person: no pager, no editor, no password prompt.
import path from 'node:path';
import { ToolError } from '../../protocol/errors.js';
import type { ReadyCommand } from '../shared/index.js';
import type { ToolContext } from '../tool.js';
import { tellingScript } from './end-folder.js';

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
export async function shellCommand(
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
