// Hosts of this machine that start programs by one that lasts as long as the tests of a file: its watch over orphans is a
// process, and would be started for each host anew. `after-each-file.ts` sees to its end.
import type { Host, HostExec } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';

interface Lasting {
  readonly exec: HostExec;
  readonly release: (() => void) | undefined;
}

const lasting: Lasting[] = [];

export function endLastingExec(): void {
  for (const { release } of lasting.splice(0)) release?.();
}

/** A host of its own but for what starts programs. */
export function lastingHost(overrides: Partial<Host> = {}): Host {
  const host = createNodeHost(overrides);
  if (lasting[0] === undefined) lasting.push({ exec: host.exec, release: host.exec.hold?.() });
  return { ...host, exec: lasting[0]?.exec ?? host.exec, ...overrides };
}
