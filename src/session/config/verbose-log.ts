// What happens inside, for whoever looks for a fault: the host's `log`, and with `verbose` one line each on the console's
// error stream.
import type { QueryEngineConfig } from './config.js';

/** Contract: never throws, whatever the host's `log` does. */
export function logTo(
  { log, verbose }: Pick<QueryEngineConfig, 'log' | 'verbose'>,
  event: string,
  detail: unknown,
): void {
  try {
    const told: unknown = log?.(event, detail);
    if (told instanceof Promise) told.catch(() => undefined); // as below
    if (verbose) verboseLog(event, detail);
  } catch {
    // A log is for watching: its fault is nobody else's, and there is nowhere to tell it.
  }
}

/** Contract: names and sizes only, no content. */
function verboseLog(event: string, detail: unknown): void {
  const text =
    detail instanceof Object && 'error' in detail
      ? String((detail as { error: unknown }).error)
      : JSON.stringify(detail);
  // biome-ignore lint/suspicious/noConsole: the console is what this option asks for
  console.error(`[turnwright] ${event} ${text ?? ''}`);
}
