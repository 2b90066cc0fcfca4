// Looks for living processes by a word in their command line or environment, to prove that nothing survived.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Pids of living processes, this one excluded, that show `word`. Empty on systems without /proc. */
export function findProcesses(word: string): number[] {
  return listPids().filter((pid) => pid !== process.pid && isAlive(pid) && shows(pid, word));
}

/** The process that started it; 0 if it is gone. */
export function parentOf(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    // No /proc here: there is nothing to look through.
    return [];
  }
}

function isAlive(pid: number): boolean {
  const stat = readProc(`/proc/${pid}/stat`);
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  return state !== '' && state !== 'Z' && state !== 'X';
}

function shows(pid: number, word: string): boolean {
  // While one program takes the place of another, a process has neither words nor an environment.
  const settled = performance.now() + 100;
  while (hasProgram(pid) && readProc(`/proc/${pid}/environ`) === '' && performance.now() < settled) {
    // Only a process that was given none has words and no environment for longer than that takes.
    if (readProc(`/proc/${pid}/cmdline`) !== '' && performance.now() > settled - 90) break;
  }
  return readProc(`/proc/${pid}/cmdline`).includes(word) || readProc(`/proc/${pid}/environ`).includes(word);
}

/** False for a thread of the kernel, and for what belongs to another user. */
function hasProgram(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) !== '';
  } catch {
    // No program, or not ours to look at.
    return false;
  }
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process ended while it was looked at.
    return '';
  }
}
