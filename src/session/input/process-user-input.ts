// Turns what the caller submitted into messages, or into the answer of a local command.
import { type Command, type CommandContext, parseSlashCommand } from '../../context/slash-commands.js';
import type { Host } from '../../host/host.js';
import type { UserBlock, UserMessageParam } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { PendingNotice } from '../config/index.js';
import { DOORS } from '../features.js';

/** What a prompt may be: text, or blocks of the Messages API. */
export type PromptInput = string | readonly UserBlock[];

export interface ProcessedInput {
  /** The user's message, as it is kept and sent. */
  readonly message: UserMessageParam;
  /** False: `resultText` is the whole answer. */
  readonly shouldQuery: boolean;
  readonly resultText: string | null;
  /** Set if the prompt asks for a compaction: what its summary should attend to. */
  readonly compaction: { readonly instructions: string | null } | null;
  /** Tools approved while this prompt runs. */
  readonly allowedTools: readonly string[];
  /** Model for this prompt only. */
  readonly model: string | null;
  /** Blocks that were left out, and why. */
  readonly dropped: readonly string[];
  /** What is to be told of the command. */
  readonly notices: readonly PendingNotice[];
  /** The command that became the prompt; null if none did. */
  readonly expanded: { readonly name: string; readonly args: string; readonly typed: string } | null;
}

/**
 * @param contextOf what a command is given; most prompts are none
 * @param admit the name that requests use for a model; throws if it cannot be used
 * @param signal ends the waiting for a command; what the command does then is its own
 * @param host  what tells a path from a command that there is not
 * @param isVerbatim a slash at the beginning is no command
 * @throws ConfigError if nothing usable was submitted, or no such command is there; AbortError if the signal ended a command
 */
export async function processUserInput(
  input: PromptInput,
  commands: readonly Command[],
  contextOf: () => CommandContext,
  admit: (model: string) => Promise<string>,
  signal: AbortSignal,
  host: Pick<Host, 'fs'>,
  isVerbatim = false,
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
    notices: [],
    expanded: null,
  };
  const called = isVerbatim ? null : slashOf(input, commands);
  if (called === null) return plain;
  const command = commands.find(({ name }) => name === called.name);
  if (command === undefined) {
    await (await DOORS.typedCommands()).refuseUnknownCommand(called.name, commands, host);
    return plain;
  }
  const { runCommand } = await DOORS.typedCommands();
  const expanded = command.type === 'prompt' ? { ...called, typed: String(input) } : null;
  return { ...plain, expanded, ...(await runCommand(command, called.args, contextOf(), admit, signal)) };
}

/** What a prompt says that begins as a command does, whether there is that command or not. Null if there is none at all. */
export function slashOf(
  input: PromptInput,
  commands: readonly Command[],
): { readonly name: string; readonly args: string } | null {
  return typeof input === 'string' && commands.length > 0 ? parseSlashCommand(input) : null;
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
