// Turns what the caller submitted into messages, or into the answer of a local command.
import { type Command, type CommandContext, parseSlashCommand } from '../context/slash-commands.js';
import type { UserBlock, UserMessageParam } from '../protocol/content.js';
import { AbortError, ConfigError } from '../protocol/errors.js';
import { ABORTED, raceAbort } from '../util/abort.js';
import { isTexts } from './usual-parts.js';

/** What a prompt may be: text, or blocks of the Messages API. */
export type PromptInput = string | readonly UserBlock[];

export interface ProcessedInput {
  /** The user's message, as it is kept and sent. */
  readonly message: UserMessageParam;
  /** False: `resultText` is the whole answer. */
  readonly shouldQuery: boolean;
  readonly resultText: string | null;
  /** Set where the prompt asks for a compaction: what its summary should attend to. */
  readonly compaction: { readonly instructions: string | null } | null;
  /** Tools approved while this prompt runs. */
  readonly allowedTools: readonly string[];
  /** Model for this prompt only. */
  readonly model: string | null;
  /** Blocks that were left out, and why. */
  readonly dropped: readonly string[];
}

/**
 * @param signal ends the waiting for a command; what the command does then is its own
 * @throws ConfigError where nothing usable was submitted; AbortError where the signal ended a command
 */
export async function processUserInput(
  input: PromptInput,
  commands: readonly Command[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<ProcessedInput> {
  const { message, dropped, problem } = readPrompt(input);
  if (message === null) throw new ConfigError(problem);
  const plain = {
    message,
    shouldQuery: true,
    resultText: null,
    compaction: null,
    allowedTools: [],
    model: null,
    dropped,
  };
  const called = commandOf(input, commands);
  if (called === undefined) return plain;
  const { command, args } = called;
  if (command.type === 'compaction') {
    return { ...plain, shouldQuery: false, compaction: { instructions: args === '' ? null : args } };
  }
  if (command.type === 'local') {
    const shown = await unlessAborted(async () => command.run(args, context), signal);
    return { ...plain, shouldQuery: false, resultText: checkText(command, shown) };
  }
  const expanded = await unlessAborted(async () => command.expand(args), signal);
  return {
    ...plain,
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

function approvalsOf(command: Extract<Command, { type: 'prompt' }>): Pick<ProcessedInput, 'allowedTools' | 'model'> {
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

/** The command that a prompt names. An unknown name is text for the model: it may be a path. */
export function commandOf(
  input: PromptInput,
  commands: readonly Command[],
): { readonly command: Command; readonly args: string } | undefined {
  const slash = typeof input === 'string' ? parseSlashCommand(input) : null;
  if (slash === null) return undefined;
  const command = commands.find((candidate) => candidate.name === slash.name);
  return command === undefined ? undefined : { command, args: slash.args };
}

const BLOCK_TYPES = ['text', 'image', 'document', 'tool_result'];

/** What a prompt becomes. `dropped`: blocks that were left out, and why. */
export type ReadPrompt =
  | { readonly message: UserMessageParam; readonly dropped: readonly string[]; readonly problem?: never }
  | { readonly message: null; readonly dropped: readonly string[]; readonly problem: string };

/** Contract: never throws; what cannot be a prompt is a problem. */
export function readPrompt(input: PromptInput): ReadPrompt {
  const unusable = (problem: string, dropped: readonly string[] = []) => ({ message: null, dropped, problem });
  if (typeof input === 'string') {
    if (input.trim() === '') return unusable('The prompt is empty. Give some text.');
    return { message: { role: 'user', content: input }, dropped: [] };
  }
  if (!Array.isArray(input)) return unusable('The prompt must be a string or an array of content blocks.');
  const dropped: string[] = [];
  const content = (input as readonly UserBlock[]).filter((block, index) => {
    const problem = blockProblem(block);
    if (problem !== null) dropped.push(`block ${index}: ${problem}`);
    return problem === null;
  });
  if (content.length > 0) return { message: { role: 'user', content }, dropped };
  const why = dropped.length === 0 ? '' : ` (${dropped.join('; ')})`;
  return unusable(`The prompt has no usable content${why}. Give some text.`, dropped);
}

function blockProblem(block: UserBlock): string | null {
  if (typeof block !== 'object' || block === null) return 'not an object';
  if (!BLOCK_TYPES.includes(block.type)) return `unknown type ${String(block.type)}`;
  if (block.type === 'text' && (typeof block.text !== 'string' || block.text.trim() === '')) return 'empty text';
  return null;
}
