// A slash command that a prompt names: a local one answers, one that expands becomes the prompt. One rule: what a command
// of the host's own gives is checked, whatever its type says.
import type { Command, CommandContext } from '../../context/slash-commands.js';
import { type Host, isFileError } from '../../host/host.js';
import type { UserBlock, UserMessageParam } from '../../protocol/content.js';
import { AbortError, ConfigError } from '../../protocol/errors.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { isRecord, isTextList } from '../../util/json.js';
import { errorText, nearestWords, shorten } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';

/** What a command makes of its prompt; what is absent stays as it was typed. */
export interface CommandEffect {
  readonly message?: UserMessageParam;
  /** False: `resultText` is the whole answer. */
  readonly shouldQuery?: false;
  readonly resultText?: string;
  readonly compaction?: { readonly instructions: string | null };
  readonly allowedTools?: readonly string[];
  readonly model?: string | null;
  readonly notices?: readonly PendingNotice[];
}

/**
 * @param args what the prompt says behind the command's name
 * @param admit the name that requests use for a model
 * @throws ConfigError for a command that gives nothing usable; AbortError if the signal ended it
 */
export async function runCommand(
  command: Command,
  args: string,
  context: CommandContext,
  admit: (model: string) => Promise<string>,
  signal: AbortSignal,
): Promise<CommandEffect> {
  if (command.type === 'compaction') {
    return { shouldQuery: false, compaction: { instructions: args === '' ? null : args } };
  }
  if (command.type === 'local') {
    const shown = await unlessAborted(async () => command.run(args, context), signal);
    return { shouldQuery: false, resultText: checkText(command, shown) };
  }
  const expanded = await unlessAborted(async () => command.expand(args, context), signal);
  return {
    message: { role: 'user', content: checkContent(command, expanded) },
    allowedTools: approvalsOf(command),
    ...(await unlessAborted(async () => modelOf(command, admit), signal)),
  };
}

/** A command of the host's own may be no TypeScript. */
function checkText({ name, type }: Command, text: unknown): string {
  if (typeof text === 'string' && (type === 'local' || text.trim() !== '')) return text;
  const method = type === 'local' ? 'run()' : 'expand()';
  throw new ConfigError(`The command /${name} gave no text: its ${method} must resolve to a string.`);
}

function checkContent(command: PromptCommand, content: unknown): UserMessageParam['content'] {
  const isBlocks = Array.isArray(content) && content.length > 0 && content.every(isRecord);
  return isBlocks ? (content as unknown as readonly UserBlock[]) : checkText(command, content);
}

type PromptCommand = Extract<Command, { type: 'prompt' }>;

function approvalsOf({ name, allowedTools = [] }: PromptCommand): readonly string[] {
  if (isTextList(allowedTools)) return allowedTools;
  throw new ConfigError(`allowedTools of the command /${name} must be a list of permission rules.`);
}

/** A file that names a model was written for many machines: if it cannot be had here, the session's own answers. */
async function modelOf(
  { name, model }: PromptCommand,
  admit: (model: string) => Promise<string>,
): Promise<Pick<CommandEffect, 'model' | 'notices'>> {
  if (model === undefined) return { model: null };
  if (typeof model !== 'string') throw new ConfigError(`model of the command /${name} must be the name of a model.`);
  try {
    return { model: await admit(model) };
  } catch (error) {
    const message = `The command /${name} runs with the session's model: "${model.slice(0, 100)}", which it names, cannot be used. ${errorText(error)}`;
    return { model: null, notices: [{ code: 'command_model_unusable', message }] };
  }
}

async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const done = await raceAbort(work(), signal);
  if (done === ABORTED) throw new AbortError('The command was interrupted. What it had begun may still go on.');
  return done;
}

// A prompt that names a command there is none of: a slip, which no model is paid to answer. One rule: what may be a path
// is text.

const NAMED = 3;
const MAX_SHOWN = 60;

/** @throws ConfigError unless the word is the path of something */
export async function refuseUnknownCommand(
  name: string,
  commands: readonly Command[],
  { fs }: Pick<Host, 'fs'>,
): Promise<void> {
  if (await exists(`/${name}`, fs)) return;
  const names = commands.map((command) => command.name);
  const near = nearestWords(name, names, NAMED).map((each) => `/${each}`);
  const advice = near.length === 0 ? '/help lists the commands.' : `Did you mean ${near.join(' or ')}?`;
  throw new ConfigError(
    `There is no command /${shorten(name, MAX_SHOWN)}, so nothing was sent to the model. ${advice} If it was meant for the model, begin with another character.`,
  );
}

async function exists(path: string, fs: Host['fs']): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    // It is there and closed to us.
    if (isFileError(error)) return error.code !== 'ENOENT';
    throw error;
  }
}
