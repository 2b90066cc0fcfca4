// The hooks of a folder's settings, without a session: which there are, and what they do at an event. Small; what reads
// and runs them is loaded when it is asked for.
import type { HookList, HooksOptions, HookTrial } from './try-hooks.js';

export type { HookList, HooksOptions, HookTrial };

/** Which hooks a session in the folder would have, and which not, and why. @throws ConfigError where the options are wrong */
export async function listHooks(options: HooksOptions): Promise<HookList> {
  return (await import('./try-hooks.js')).listHooks(options);
}

/**
 * Runs the hooks of an event as a session would. What they answer has no effect.
 * @param fields of the event's input, over samples
 * @throws ConfigError for an unknown event, or fields that cannot be used
 */
export async function tryHooks(
  options: HooksOptions,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<HookTrial> {
  return (await import('./try-hooks.js')).tryHooks(options, event, fields);
}
