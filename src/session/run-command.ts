// A slash command that a prompt names: a local one answers, one that expands becomes the prompt. One rule: what a command
// of the host's own gives is checked, whatever its type says.
import type { Command, CommandContext } from '../context/slash-commands.js';
import type { UserMessageParam } from '../protocol/content.js';
import { AbortError, ConfigError } from '../protocol/errors.js';
import { ABORTED, raceAbort } from '../util/abort.js';
import { isTexts } from './usual-parts.js';

/** What a command makes of its prompt; what is absent stays as it was typed. */
export interface CommandEffect {
  readonly message?: UserMessageParam;
  /** False: `resultText` is the whole answer. */
  readonly shouldQuery?: false;
  readonly resultText?: string;
  readonly compaction?: { readonly instructions: string | null };
  readonly allowedTools?: readonly string[];
  readonly model?: string | null;
}

/**
 * @param args what the prompt says behind the command's name
 * @throws ConfigError for a command that gives nothing usable; AbortError where the signal ended it
 */
export async function runCommand(
  command: Command,
  args: string,
  context: CommandContext,
  signal: AbortSignal,
): Promise<CommandEffect> {
  if (command.type === 'compaction') {
    return { shouldQuery: false, compaction: { instructions: args === '' ? null : args } };
  }
  if (command.type === 'local') {
    const shown = await unlessAborted(async () => command.run(args, context), signal);
    return { shouldQuery: false, resultText: checkText(command, shown) };
  }
  const expanded = await unlessAborted(async () => command.expand(args), signal);
  return {
    message: { role: 'user', content: checkText(command, expanded) },
    ...approvalsOf(command),
  };
}

/** A command of the host's own may be no TypeScript. */
function checkText({ name, type }: Command, text: unknown): string {
  if (typeof text === 'string' && (type === 'local' || text.trim() !== '')) return text;
  const method = type === 'local' ? 'run()' : 'expand()';
  throw new ConfigError(`The command /${name} gave no text: its ${method} must resolve to a string.`);
}

function approvalsOf(command: Extract<Command, { type: 'prompt' }>): CommandEffect {
  const { name, allowedTools, model } = command;
  if (allowedTools !== undefined && !isTexts(allowedTools))
    throw new ConfigError(`allowedTools of the command /${name} must be a list of permission rules.`);
  if (model !== undefined && typeof model !== 'string')
    throw new ConfigError(`model of the command /${name} must be the name of a model.`);
  return { allowedTools: allowedTools ?? [], model: model ?? null };
}

async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const done = await raceAbort(work(), signal);
  if (done === ABORTED) throw new AbortError('The command was interrupted. What it had begun may still go on.');
  return done;
}
