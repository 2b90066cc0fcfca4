// What happens inside, for whoever looks for a fault: the host's `log`, and with `verbose` one line each on the console's
// error stream.
import type { QueryEngineConfig } from './config.js';

export function logTo(
  { log, verbose }: Pick<QueryEngineConfig, 'log' | 'verbose'>,
  event: string,
  detail: unknown,
): void {
  log?.(event, detail);
  if (verbose) verboseLog(event, detail);
}

/** Contract: never throws; names and sizes only, no content. */
function verboseLog(event: string, detail: unknown): void {
  const text =
    detail instanceof Object && 'error' in detail
      ? String((detail as { error: unknown }).error)
      : JSON.stringify(detail);
  // biome-ignore lint/suspicious/noConsole: the console is what this option asks for
  console.error(`[turnwright] ${event} ${text ?? ''}`);
}
