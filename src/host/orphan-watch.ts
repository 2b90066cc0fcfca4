// Ends a program whose owner died without a word: a shell that waits on a pipe which only this process holds open. One
// rule: it touches nothing but the program's group and what carries its mark.
import { type ChildProcess, spawn } from 'node:child_process';
import type { RunIdentity } from './process-group.js';

/**
 * Waits for the end of its input, which comes with the end of the process that started it, however that ended. Then
 * TERM, a moment, and KILL: to the group, and to what left the group and has the mark in its environment. A group is
 * named without `--`, which not every shell takes; all processes are looked through at once, as each look is a process.
 */
const SCRIPT = `trap '' HUP INT TERM
while read -r _; do :; done
marked() {
  for file in $(grep -ls -- "$2" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}; kill -"$1" "\${pid%/environ}"
  done
}
kill -TERM "-$1"; marked TERM "$2"
for try in 1 2 3 4 5 6 7; do kill -0 "-$1" || break; sleep 0.1; done
kill -KILL "-$1"; marked KILL "$2"; marked KILL "$2"`;

export interface OrphanWatch {
  /** The program has ended: nothing is to be done any more. */
  end(): void;
}

/** Contract: never throws; where no shell can be started, as on Windows, nobody watches. */
export function watchForOrphans({ groupId, mark }: RunIdentity, path: string): OrphanWatch {
  if (process.platform === 'win32') return { end: () => undefined };
  let watch: ChildProcess;
  try {
    watch = spawn('/bin/sh', ['-c', SCRIPT, 'turnwright-watch', String(groupId), mark], {
      cwd: '/',
      env: { PATH: path },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
  } catch {
    return { end: () => undefined }; // no room for one more process: the program is still ended by its owner
  }
  watch.on('error', () => undefined);
  watch.stdin?.on('error', () => undefined);
  watch.unref();
  // A pipe that is open would keep the process alive.
  (watch.stdin as { unref?(): void } | null)?.unref?.();
  return { end: () => void watch.kill('SIGKILL') };
}
