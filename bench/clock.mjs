// The clock that all processes of the benchmark share.

/** Milliseconds of the machine's monotonic clock: on Linux comparable between processes. */
export function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
