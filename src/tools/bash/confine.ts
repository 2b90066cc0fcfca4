// Where a command of the shell runs: inside the session's sandbox or outside, and what the model must know of that.
import type { BashInput } from '../../protocol/tool-io.js';
import type { SandboxViolation, WrappedCommand } from '../../sandbox/command-sandbox.js';
import type { ReadyCommand } from '../shared/index.js';
import type { ToolContext } from '../tool.js';
import { shellCommand, shellEnvironment } from './shell.js';

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
