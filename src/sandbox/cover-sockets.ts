// Which unix sockets a command may see where some, but not all, are allowed. The filter of system calls knows no paths,
// so every other socket that the system lists is covered. What is made later, elsewhere, is not: see docs/sandbox.md.
import path from 'node:path';
import { type HostFs, isFileError } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { Mount } from './mount-plan.js';

/** Folders of running programs, full of sockets. */
const RUN_FOLDERS = ['/run', '/var/run'];
const LIST = '/proc/net/unix';

/** @throws ToolError where the sockets of the machine cannot be listed */
export async function coverSockets(fs: HostFs, allowed: readonly string[]): Promise<Mount[]> {
  const open = await resolveAll(fs, allowed);
  const run = (await resolveAll(fs, RUN_FOLDERS)).map(
    (folder) => ({ path: folder, kind: 'hidden', isFolder: true }) as const,
  );
  const listed = await resolveAll(fs, await listSockets(fs));
  const covered = listed.filter((socket) => !open.includes(socket));
  return [
    ...run,
    ...covered.map((socket) => ({ path: socket, kind: 'hidden', isFolder: false }) as const),
    ...open.map((socket) => ({ path: socket, kind: 'open', isFolder: false }) as const),
  ];
}

async function listSockets(fs: HostFs): Promise<string[]> {
  try {
    const text = new TextDecoder().decode(await fs.readFile(LIST));
    // Number, counts, protocol, flags, type, state, inode, path.
    return text
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/).slice(7).join(' '))
      .filter((name) => path.isAbsolute(name));
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ToolError(`The sandbox cannot list the sockets of this machine, so nothing was run. ${error.message}`);
  }
}

/** What is not there is left out. */
async function resolveAll(fs: HostFs, targets: readonly string[]): Promise<string[]> {
  const real = new Set<string>();
  for (const target of targets) {
    try {
      real.add(await fs.realpath(target));
    } catch (error) {
      if (!isFileError(error)) throw error; // it is not there, or nobody may look at it
    }
  }
  return [...real];
}
