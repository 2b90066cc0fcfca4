// The private folder of a session's sandbox: temporary files of its commands, and what mounts stand on.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import type { SandboxViolation } from './command-sandbox.js';
import type { SandboxFolder } from './linux.js';
import type { SandboxPolicy } from './policy.js';
import { seccompFilter } from './seccomp.js';

export interface OpenedFolder extends SandboxFolder {
  /** The filter of system calls. */
  readonly filter: string;
  /** Contract: never throws. */
  remove(): Promise<void>;
}

/** What a private folder is called. */
export const folderName = /^turnwright-sandbox-[0-9a-f-]{36}$/;

const REMOVAL_MS = 10_000;

/** @throws FileError if there is no place for it */
export async function openSandboxFolder(host: Host, allowsUnix: boolean): Promise<OpenedFolder> {
  const { fs } = host;
  const base = path.join(await fs.realpath(host.platform.tmpdir), `turnwright-sandbox-${host.ids.uuid()}`);
  const at = (name: string) => path.join(base, name);
  const folder = { path: base, tmp: at('tmp'), noFile: at('no-file'), noFolder: at('no-folder'), filter: at('filter') };
  await fs.mkdir(base, { mode: 0o700 });
  await fs.mkdir(folder.tmp, { mode: 0o700 });
  await fs.mkdir(folder.noFolder, { mode: 0o700 });
  await fs.chmod(folder.noFolder, 0);
  await fs.createFile(folder.noFile, '', { mode: 0o600, durable: false });
  await fs.chmod(folder.noFile, 0);
  await fs.createFile(folder.filter, seccompFilter(allowsUnix), { mode: 0o600, durable: false });
  return { ...folder, remove: () => removeFolder(host, base) };
}

async function removeFolder(host: Host, folder: string): Promise<void> {
  try {
    await host.fs.remove(folder);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return;
    // A command may leave folders that nobody may enter, which only their owner can open again.
    await host.exec
      .run({
        command: ['/bin/sh', '-c', 'chmod -R u+rwX -- "$0"; exec rm -rf -- "$0"', folder],
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
        signal: new AbortController().signal,
        timeoutMs: REMOVAL_MS,
        onStdout: () => undefined,
        onStderr: () => undefined,
      })
      .catch(() => undefined); // temporary files that stay are the system's to clear
  }
}

// What the sandbox of a session is opened with, on every machine.

/** Contract: neither throws for what stands on the disk. */
export interface GitFacts {
  /** Further paths that no command may change or make, absolute. */
  guardedPaths(): Promise<readonly string[]>;
  /** What git would start of repositories that the workspace records, for people; null if it is nothing. */
  foreignPrograms(): Promise<string | null>;
}

export interface SandboxOptions {
  readonly policy: SandboxPolicy;
  /** Workspace folders as they are now, asked before each command. Default: those of the policy. */
  roots?(): readonly string[];
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The engine's own folder, which no command may change. */
  readonly engineFolder: string;
  /** What git's configuration says as it stands, asked before and after each command. Default: nothing is asked. */
  gitFacts?(): Promise<GitFacts>;
  /**
   * Names of files and folders of a writable folder, in lower case, that no command may change or make, as the file tools
   * have them: what was missing and is there afterwards is moved aside. Default: none beside our own.
   */
  readonly protectedNames?: readonly string[];
  /** Told of each refusal that is not ignored. Contract: must not throw. */
  readonly onViolation: (violation: SandboxViolation) => void;
}
