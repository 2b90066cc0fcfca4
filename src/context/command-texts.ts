// What the built-in slash commands answer. Loaded if one is called.
import type { ModelUsage } from '../protocol/messages.js';
import type { SlashCommand } from '../protocol/options.js';

/** Of `/help`. */
export function helpText(commands: readonly (Omit<SlashCommand, 'argumentHint'> & Partial<SlashCommand>)[]): string {
  const lines = commands.map((command) => {
    const hint = command.argumentHint === undefined ? '' : ` ${command.argumentHint}`;
    return `/${command.name}${hint}  ${command.description}`;
  });
  return `Commands:\n${lines.join('\n')}\n\nAnything else is a prompt for the model.`;
}

/** Of `/cost`. */
export function costText(spent: {
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
