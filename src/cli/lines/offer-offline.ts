// Without a key a person at the terminal gets the offline model, and is told so first; anybody else gets an error.
import { lacksKey } from '../../sdk/faces/index.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { paint, styleFor } from './style.js';

const NO_KEY = [
  '! There is no key, so the offline model answers: a planner by fixed rules, not a language model.',
  '  It understands prompts such as "list the Markdown files" or "show README.md", and says so of any other.',
  '  For a language model: turnwright login, or set ANTHROPIC_API_KEY or the key of another provider.',
];

/** The options of a session at the terminal, with a model that answers, and what the person has to know of it. */
export async function orOffline(
  options: CliArgs['options'],
): Promise<{ readonly options: CliArgs['options']; readonly notes: readonly string[] }> {
  if (options.model !== undefined || !(await lacksKey(options))) return { options, notes: [] };
  return { options: { ...options, model: 'offline' }, notes: NO_KEY };
}

/** The same, told on stderr. */
export async function offerOffline(given: CliArgs['options'], io: CliIo): Promise<CliArgs['options']> {
  const { options, notes } = await orOffline(given);
  if (notes.length > 0)
    await io.err.write(`${paint(notes.join('\n'), 'yellow', styleFor(io.stderr, io.env, false))}\n`);
  return options;
}
