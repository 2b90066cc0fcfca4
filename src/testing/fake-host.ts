// The machine of a test: files, clock and ids in memory, nothing of the real one.
import { createMemoryHost } from '../host/memory/index.js';

/** What `fakeHost` takes: files to start with, the clock, ids. */
export type FakeHostOptions = NonNullable<Parameters<typeof createMemoryHost>[0]>;
/** A `Host` in memory, with what a test needs to look into it. */
export type FakeHost = ReturnType<typeof createMemoryHost>;

/**
 * A host that lives in memory: same ids and times in every run, no disk, no processes of the real machine.
 * Contract: two hosts share nothing.
 */
export function fakeHost(options?: FakeHostOptions): FakeHost {
  return createMemoryHost(options);
}
