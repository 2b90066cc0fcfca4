// `verbose: true`: what happens inside, one line each on the console's error stream.

/** Contract: never throws; names and sizes only, no content. */
export function verboseLog(event: string, detail: unknown): void {
  const text =
    detail instanceof Object && 'error' in detail
      ? String((detail as { error: unknown }).error)
      : JSON.stringify(detail);
  // biome-ignore lint/suspicious/noConsole: the console is what this option asks for
  console.error(`[turnwright] ${event} ${text ?? ''}`);
}
