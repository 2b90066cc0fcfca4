// Ends programs whose owner died without a word: one shell for all of them, which waits on a pipe that only this process
// holds open. One rule: it touches nothing but the groups of programs that still run and what carries their marks.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { RunIdentity } from './process-group.js';

/**
 * Is told which programs run, by their groups and marks, until its input ends: that comes with the end of the process
 * that started it, however it ended. Then TERM, a moment, and KILL: to the groups, and to what left them and has a mark
 * in its environment. A group is named without `--`, which not every shell takes; all processes are looked through at
 * once, as each look is a process.
 */
const SCRIPT = `trap '' HUP INT TERM
runs=
while read -r sign group mark; do
  case $sign in
    +) runs="$runs $group:$mark" ;;
    *) left=
      for run in $runs; do [ "$run" = "$group:$mark" ] || left="$left $run"; done
      runs=$left ;;
  esac
done
[ -n "$runs" ] || exit 0
words=
for run in $runs; do words="$words -e \${run#*:}"; done
marked() {
  for file in $(grep -ls $words /proc/[0-9]*/environ); do
    pid=\${file#/proc/}; kill -"$1" "\${pid%/environ}"
  done
}
groups() { for run in $runs; do kill -"$1" "-\${run%%:*}"; done; }
alive() { for run in $runs; do kill -0 "-\${run%%:*}" && return 0; done; return 1; }
groups TERM; marked TERM
for try in 1 2 3 4 5 6 7; do alive || break; sleep 0.1; done
groups KILL; marked KILL; marked KILL`;

/** Says until when programs may be started, so that the watch is kept for the next one. */
export interface WatchHolds {
  count: number;
  /** Called if nobody holds it any more. */
  onFree: () => void;
}

export interface OrphanWatch {
  /** Starts it if it does not run, so that a program is told of as soon as it is there. `leave` if none came. */
  prepare(): void;
  /** Ends it if nothing runs and nobody holds it. */
  leave(): void;
  /** Watches over a program until the function that comes back is called: then it has ended. Contract: never throws. */
  add(run: RunIdentity): () => void;
}

type Shell = ChildProcessByStdio<Writable, null, null>;

/** Contract: where no shell can be started, as on Windows, nobody watches. It never keeps this process alive. */
export function createOrphanWatch(holds: WatchHolds): OrphanWatch {
  const runs = new Set<RunIdentity>();
  let shell: Shell | null = null;
  const tell = (sign: '+' | '-', { groupId, mark }: RunIdentity): void =>
    void shell?.stdin.write(`${sign} ${groupId} ${mark}\n`);
  const prepare = (): void => {
    if (shell !== null) return;
    const started = startShell();
    shell = started;
    // Somebody ended it: the next program starts another, for all that run.
    started?.once('exit', () => {
      if (shell === started) shell = null;
    });
    for (const run of runs) tell('+', run);
  };
  const leave = (): void => {
    if (runs.size > 0 || holds.count > 0) return;
    shell?.kill('SIGKILL');
    shell = null;
  };
  holds.onFree = leave;
  return {
    prepare,
    leave,
    add(run) {
      prepare();
      runs.add(run);
      tell('+', run);
      return () => {
        if (!runs.delete(run)) return;
        tell('-', run);
        leave();
      };
    },
  };
}

function startShell(): Shell | null {
  if (process.platform === 'win32') return null;
  try {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'turnwright-watch'], {
      cwd: '/',
      env: { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin` },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.on('error', () => undefined);
    shell.stdin.on('error', () => undefined);
    shell.unref();
    // A pipe that is open would keep the process alive.
    (shell.stdin as { unref?(): void }).unref?.();
    return shell.pid === undefined ? null : shell;
  } catch {
    return null; // no room for one more process: programs are still ended by their owner
  }
}
