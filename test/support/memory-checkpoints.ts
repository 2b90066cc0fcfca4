// Checkpoints over a machine in memory, whose file operations can be made to fail one by one.
import { FileError } from '../../src/host/host.js';
import { createMemoryHost, type MemoryHost } from '../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { type Checkpoints, createCheckpoints } from '../../src/session/checkpoints/checkpoints.js';
import type { Bounds } from '../../src/session/checkpoints/not-covered.js';

export const ROOT = '/project';
export const STORE = '/home/user/.turnwright/projects/-project/session/checkpoints';

export interface MemorySession {
  readonly host: MemoryHost;
  checkpoints: Checkpoints;
  /** Operations of the checkpoints so far. */
  readonly operations: () => number;
  /** Calls `fail` before each operation of the checkpoints from now on. Null: nothing fails. */
  failWith(fail: ((operation: string, count: number) => void) | null): void;
  /** What another process would see. */
  reopen(): void;
  /** A call that names its file, and does this to it. */
  pathCall(file: string, change: () => Promise<void>): Promise<void>;
  /** A call that may change anything. */
  command(change: () => Promise<void>): Promise<void>;
  /** Changes that are no operation of the checkpoints. */
  aside<T>(work: () => Promise<T>): Promise<T>;
}

/** What a process that ends does to the work it is in. */
export class ProcessEnded extends Error {}

export function fileError(code: string): FileError {
  return new FileError(code, '/somewhere', `The disk said ${code}.`);
}

export function memorySession(files: Record<string, string> = {}, bounds: Partial<Bounds> = {}): MemorySession {
  let fail: ((operation: string, count: number) => void) | null = null;
  let count = 0;
  let isAside = false;
  const memory = createMemoryHost({
    cwd: ROOT,
    files,
    onOperation(operation) {
      if (isAside) return;
      count += 1;
      fail?.(operation, count);
    },
  });
  // As a session of this machine counts it: thousands of small contents are not worth a thread each.
  const host: MemoryHost = { ...memory, sha256: createNodeHost().sha256 };
  const open = (): Checkpoints =>
    createCheckpoints({ host, folder: STORE, roots: [ROOT], home: '/home/user/.turnwright', bounds });
  let calls = 0;
  const aside = async <T>(work: () => Promise<T>): Promise<T> => {
    isAside = true;
    try {
      return await work();
    } finally {
      isAside = false;
    }
  };
  const session: MemorySession = {
    host,
    checkpoints: open(),
    operations: () => count,
    failWith(next) {
      fail = next;
      count = 0;
    },
    reopen() {
      session.checkpoints = open();
    },
    aside,
    async pathCall(file, change) {
      const subject = () => ({ kind: 'path', path: file, access: 'write' }) as const;
      const located = await aside(() => host.fs.locate(file));
      const call = { toolName: 'Write', toolUseId: `toolu_${++calls}`, subject, located };
      const end = await session.checkpoints.beforeCall(call);
      await host.advance(10_000);
      await aside(change);
      await end?.();
    },
    async command(change) {
      const subject = () => ({ kind: 'command', command: 'x' }) as const;
      const end = await session.checkpoints.beforeCall({ toolName: 'Bash', toolUseId: `toolu_${++calls}`, subject });
      await host.advance(10_000);
      await aside(change);
      await end?.();
    },
  };
  return session;
}
