/** Milliseconds of a clock that never goes back. `performance.now()` would load ten modules of Node at every start. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
