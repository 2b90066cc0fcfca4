// Without a key a person at the terminal gets the offline model, and is told so first; anybody else gets an error.
import { lacksKey } from '../sdk/lacks-key.js';
import type { CliArgs } from './args.js';
import type { CliIo } from './cli-io.js';
import { paint, styleFor } from './style.js';

const NO_KEY = [
  '! There is no key, so the offline model answers: a planner by fixed rules, not a language model.',
  '  It understands prompts such as "list the Markdown files" or "show README.md", and says so of any other.',
  '  For a language model: turnwright login, or set ANTHROPIC_API_KEY or the key of another provider.',
];

/** The options of a session at the terminal, with a model that answers. */
export async function offerOffline(options: CliArgs['options'], io: CliIo): Promise<CliArgs['options']> {
  if (options.model !== undefined || !(await lacksKey(options))) return options;
  await io.err.write(`${paint(NO_KEY.join('\n'), 'yellow', styleFor(io.stderr, io.env, false))}\n`);
  return { ...options, model: 'offline' };
}
