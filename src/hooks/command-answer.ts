// What the end of a hook's command says: 0 lets things go on, 2 refuses, everything else is a failure.
import type { RunOutcome } from '../host/host.js';
import type { HookEvent } from '../protocol/hooks.js';
import { shorten } from '../util/text.js';
import { canBlock, type HookAnswer, type Printed } from './declared-hooks.js';

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** What it printed beyond its bounds. */
  readonly tooMuch: readonly string[];
}

const REFUSES = 2;
/** Events whose context a command may print as plain text. */
const TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(['SessionStart', 'UserPromptSubmit']);
/** Characters: of what goes to the model, of a reason, of what is told of each stream. */
const MAX_CONTEXT = 32_000;
const MAX_REASON = 8_000;
const MAX_SHOWN = 32_000;
/** Of an error text. */
const SHOWN_OF_STDERR = 600;

/** Contract: an exit code 2 refuses whatever else is wrong. */
export function readAnswer(event: HookEvent, outcome: RunOutcome, output: CommandOutput): HookAnswer {
  const { exitCode, signal, ended } = outcome;
  const { stdout, stderr, tooMuch } = output;
  const printed: Printed = { stdout: cut(stdout, MAX_SHOWN), stderr: cut(stderr, MAX_SHOWN), exitCode };
  const failed = (error: string): HookAnswer => ({ output: undefined, error, printed });
  const said = stderr.trim() === '' ? '' : `: ${shorten(stderr.trim(), SHOWN_OF_STDERR)}`;
  if (ended !== 'exited') return failed('it was ended before it answered');
  if (signal !== null) return failed(`it was ended by ${signal}${said}`);
  if (exitCode === REFUSES) {
    if (!canBlock(event)) return failed(`its exit code 2 refuses, and ${event} cannot be refused${said}`);
    return { output: { decision: 'block', reason: cut(stderr.trim(), MAX_REASON) }, printed };
  }
  if (exitCode !== 0) return failed(`its exit code was ${exitCode}${said}`);
  if (tooMuch.length > 0) return failed(`it printed ${tooMuch.join(' and ')}`);
  return readPrinted(event, stdout, printed);
}

/** Nothing, or a text that is no JSON object, lets things go on: whoever ended well has answered. */
export function readPrinted(event: HookEvent, text: string, whole: Printed): HookAnswer {
  const stdout = text.trim();
  const printed = { ...whole, stdout: cut(whole.stdout, MAX_SHOWN) };
  if (stdout.startsWith('{')) {
    try {
      return { output: withShortContext(JSON.parse(stdout)), printed };
    } catch (error) {
      const why = error instanceof Error ? error.message : 'it cannot be read';
      return { output: undefined, error: `what it printed begins as JSON and is not valid JSON: ${why}`, printed };
    }
  }
  if (stdout !== '' && event === 'WorktreeCreate')
    return { output: { hookSpecificOutput: { hookEventName: event, worktreePath: stdout } }, printed };
  if (stdout === '' || !TEXT_IS_CONTEXT.has(event)) return { output: {}, printed };
  const context = { hookEventName: event, additionalContext: cut(stdout, MAX_CONTEXT) };
  return { output: { hookSpecificOutput: context }, printed };
}

/** What goes to the model is bounded in an answer as well. */
function withShortContext(answer: unknown): unknown {
  const specific = (answer as { readonly hookSpecificOutput?: unknown }).hookSpecificOutput;
  if (typeof specific !== 'object' || specific === null) return answer;
  const { additionalContext } = specific as { readonly additionalContext?: unknown };
  if (typeof additionalContext !== 'string' || additionalContext.length <= MAX_CONTEXT) return answer;
  const short = { ...specific, additionalContext: cut(additionalContext, MAX_CONTEXT) };
  return { ...(answer as object), hookSpecificOutput: short };
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}\n[Cut here: ${text.length} characters in all.]`;
}
