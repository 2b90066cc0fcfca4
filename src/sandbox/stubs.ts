// Empty folders in place of protected paths that are missing while a command runs: a mount needs something to stand on.
// Folders, whatever is protected: git and most programs pass an empty folder by. Rule: what was not made here is never
// removed, and nothing that holds something.

import { type HostFs, isFileError } from '../host/host.js';
import { isWithin } from '../host/is-inside.js';
import type { SandboxJournal } from './journal.js';

/** Those of all commands that run in one session. */
export interface StubRegistry {
  readonly users: Map<string, { count: number; readonly inode: number }>;
  readonly journal: Pick<SandboxJournal, 'note' | 'othersAreas'>;
}

/** Those that one command needs. */
export interface Stubs {
  /** True for what stands for a missing path: it is missing, to whoever asks. */
  isStub(target: string): boolean;
  /** False if nobody could make it: then the command cannot either. */
  make(target: string): Promise<boolean>;
  /** Contract: never throws. */
  remove(): Promise<void>;
}

/** Codes that say that this user may not write there. */
const NOT_OURS = ['EACCES', 'EPERM', 'EROFS'];

export function createStubRegistry(journal: StubRegistry['journal']): StubRegistry {
  return { users: new Map(), journal };
}

/** Contract: not called by two commands at the same moment. */
export function createStubs({ users, journal }: StubRegistry, fs: HostFs): Stubs {
  const held: string[] = [];
  return {
    isStub: (target) => users.has(target),
    async make(target) {
      const known = users.get(target);
      if (known !== undefined) known.count += 1;
      else {
        try {
          await journal.note('stub', target);
          await fs.mkdir(target, { mode: 0o755 });
          users.set(target, { count: 1, inode: (await fs.lstat(target)).inode });
        } catch (error) {
          if (NOT_OURS.some((code) => isFileError(error, code))) return false;
          throw error;
        }
      }
      held.push(target);
      return true;
    },
    async remove() {
      if (held.length === 0) return;
      // A command of another session may count on it. It goes with the session that ends last.
      const others = await journal.othersAreas().catch(() => null);
      for (const target of held.splice(0).reverse()) {
        const user = users.get(target);
        if (user === undefined) continue;
        user.count -= 1;
        if (user.count > 0) continue;
        users.delete(target);
        if (others === null || others.some((area) => isWithin(area, target))) continue;
        await removeStub(fs, target, user.inode).catch(() => undefined); // it stays: better than to take what is not ours
      }
    },
  };
}

async function removeStub(fs: HostFs, target: string, inode: number): Promise<void> {
  const stat = await fs.lstat(target);
  // One that holds something stays: `removeEntry` refuses it.
  if (stat.inode === inode && stat.kind === 'directory') await fs.removeEntry(target);
}
