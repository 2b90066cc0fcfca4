// Which process this is, and whether another still lives. Rule: what cannot be seen from here is unknown, never ended.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { HostProcesses, ProcessIdentity, ProcessState } from '../host.js';

/** On Linux by /proc. Elsewhere a process is known by its number alone, so one that took over a number looks alive. */
export function createNodeProcesses(): HostProcesses {
  let own: ProcessIdentity | null = null;
  const self = (): ProcessIdentity => {
    own ??= {
      pid: process.pid,
      started: startOf(process.pid) ?? '',
      boot: readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
      space: readLink('/proc/self/ns/pid') ?? '',
      machine: hostname(),
    };
    return own;
  };
  return { self: async () => self(), stateOf: async (other) => stateSeenFrom(self(), other) };
}

function stateSeenFrom(here: ProcessIdentity, other: ProcessIdentity): ProcessState {
  if (!Number.isSafeInteger(other.pid) || other.pid <= 0) return 'ended';
  const isSameMachine = other.machine === here.machine;
  // The machine was started again since: nothing of before lives.
  if (other.boot !== here.boot) return isSameMachine && other.boot !== '' && here.boot !== '' ? 'ended' : 'unknown';
  if (here.boot === '' && !isSameMachine) return 'unknown';
  if (other.space !== here.space) return 'unknown';
  if (!isPresent(other.pid)) return 'ended';
  const started = startOf(other.pid);
  return started === null || other.started === '' || started === other.started ? 'alive' : 'ended';
}

function isPresent(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and belongs to another user.
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

/** Clock ticks from boot to the start of the process; empty for one that ended and was not waited for. */
function startOf(pid: number): string | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name in parentheses may hold anything, so fields are counted after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? '' : (fields[19] ?? '');
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null; // no /proc, or the process is gone: both mean that it is not known
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // no /proc: there is one space of process numbers
  }
}
