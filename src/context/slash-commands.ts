// Slash commands: what they are, and the built-in ones. A local command answers by itself; a prompt command becomes
// text for the model.
import type { UserBlock } from '../protocol/content.js';
import type { ModelUsage } from '../protocol/messages.js';
import type { SlashCommand } from '../protocol/options.js';

/** What a local command may look at and do. */
export interface CommandContext {
  readonly commands: readonly Command[];
  readonly model: string;
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly totalCostUsd: number;
  readonly costUnknown: boolean;
  readonly apiDurationMs: number;
  /** True if no person follows the session while it runs. */
  readonly isNonInteractiveSession: boolean;
  /** Forgets the conversation: messages, files seen, todos. The session and its cost stay. */
  clearConversation(): Promise<void>;
  /**
   * What a line of a shell prints, for a command that expands: a call of Bash as any other, with these rules beside those
   * of the session. @throws ConfigError if it is not allowed, or fails
   */
  runShell?(line: string, by: { readonly command: string; readonly allowedTools: readonly string[] }): Promise<string>;
}

export type Command =
  | {
      readonly type: 'local';
      readonly name: string;
      readonly description: string;
      readonly argumentHint?: string;
      /** Contract: returns the text to show; a throw becomes an error result. */
      run(args: string, context: CommandContext): Promise<string>;
    }
  /** Compacts the conversation; its arguments tell the summary what to attend to. */
  | { readonly type: 'compaction'; readonly name: string; readonly description: string; readonly argumentHint?: string }
  | {
      readonly type: 'prompt';
      readonly name: string;
      readonly description: string;
      readonly argumentHint?: string;
      /** Tools that are approved while this prompt runs; a notice says so if the session has no rules to add to. */
      readonly allowedTools?: readonly string[];
      readonly model?: string;
      /** Text, or the blocks of a message. */
      expand(args: string, context?: CommandContext): Promise<string | readonly UserBlock[]>;
    };

/** A prompt that names a command: `/name arguments`. Null if it is plain text, such as a path. */
export function parseSlashCommand(prompt: string): { readonly name: string; readonly args: string } | null {
  const match = /^\/(\w[\w:-]*)(?:\s+([\s\S]*))?$/.exec(prompt.trim());
  if (match === null) return null;
  return { name: match[1] ?? '', args: (match[2] ?? '').trim() };
}

export function toSlashCommand(command: Command): SlashCommand {
  return { name: command.name, description: command.description, argumentHint: command.argumentHint ?? '' };
}

/** The built-in commands. */
export async function getCommands(): Promise<Command[]> {
  return [helpCommand, clearCommand, compactCommand, costCommand];
}

const helpCommand: Command = {
  type: 'local',
  name: 'help',
  description: 'Lists the commands',
  async run(_args, context) {
    return helpText(context.commands);
  },
};

function helpText(commands: readonly (Omit<SlashCommand, 'argumentHint'> & Partial<SlashCommand>)[]): string {
  const lines = commands.map((command) => {
    const hint = command.argumentHint === undefined ? '' : ` ${command.argumentHint}`;
    return `/${command.name}${hint}  ${command.description}`;
  });
  return `Commands:\n${lines.join('\n')}\n\nAnything else is a prompt for the model.`;
}

const clearCommand: Command = {
  type: 'local',
  name: 'clear',
  description: 'Forgets the conversation so far',
  async run(_args, context) {
    await context.clearConversation();
    return 'The conversation was cleared.';
  },
};

const compactCommand: Command = {
  type: 'compaction',
  name: 'compact',
  description: 'Replaces the conversation so far by a summary',
  argumentHint: '[what the summary should attend to]',
};

const costCommand: Command = {
  type: 'local',
  name: 'cost',
  description: 'Shows tokens, time and cost of the session',
  async run(_args, context) {
    return costText(context);
  },
};

function costText(spent: {
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly totalCostUsd: number;
  readonly costUnknown: boolean;
  readonly apiDurationMs: number;
}): string {
  const models = Object.entries(spent.usage).map(([model, usage]) => {
    const count = (tokens: number): string => tokens.toLocaleString('en-US');
    const cache = `${count(usage.cacheReadInputTokens)} cache read, ${count(usage.cacheCreationInputTokens)} cache write`;
    const tokens = `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out, ${cache}`;
    return `${model}: ${tokens}${usage.costUSD === null ? ', price unknown' : `, $${usage.costUSD.toFixed(4)}`}`;
  });
  if (models.length === 0) return 'No model request was made yet.';
  const total = `Total: $${spent.totalCostUsd.toFixed(4)}${spent.costUnknown ? ' (without what has no known price)' : ''}`;
  return [...models, total, `Time in requests: ${(spent.apiDurationMs / 1000).toFixed(1)} s`].join('\n');
}
