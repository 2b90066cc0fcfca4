// Ends programs whose owner died without a word: one shell for all of them, which waits on a pipe that only this process
// holds open. One rule: it touches nothing but the groups of programs that still run and what carries their marks, and is
// told of a mark before there is anything that carries it.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { ifEntriesTell, type RunIdentity, thisMoment } from './process-group.js';

/**
 * Is told which programs run, by their groups and marks, until its input ends: that comes with the end of the process
 * that started it, however it ended. A program that is about to start has its mark and the group 0. A process that was
 * split off to become it holds the input open until it is it, and so has the mark by then. Then TERM, a moment, and
 * KILL: to the groups, and to what left them and has a mark in its environment. A group is named without `--`, which not
 * every shell takes; all processes are looked through at once, as each look is a process. They are looked through
 * several times: what is just becoming another program shows no mark at that moment.
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
groups() { for run in $runs; do [ "\${run%%:*}" = 0 ] || kill -"$1" "-\${run%%:*}"; done; }
alive() { for run in $runs; do [ "\${run%%:*}" = 0 ] || kill -0 "-\${run%%:*}" && return 0; done; return 1; }
groups TERM; marked TERM
for try in 1 2 3 4 5 6 7; do alive || break; sleep 0.1; done
groups KILL; for try in 1 2 3 4 5; do marked KILL; done`;

/** Says until when programs may be started, so that the watch is kept for the next one. */
export interface WatchHolds {
  count: number;
  /** Called if nobody holds it any more. */
  onFree: () => void;
}

export interface OrphanWatch {
  /** Watches over a program from before it starts: it will carry the mark. Contract: never throws. */
  expect(mark: string): ExpectedRun;
}

/** A program that is about to start. */
export interface ExpectedRun {
  /** It runs, in a group of that id. To be called once it has ended: what comes back. */
  started(groupId: number): { readonly run: RunIdentity; readonly release: () => void };
  /** It could not be started. */
  failed(): void;
}

type Shell = ChildProcessByStdio<Writable, null, null>;

/** Contract: if no shell can be started, as on Windows, nobody watches. It never keeps this process alive. */
export function createOrphanWatch(holds: WatchHolds): OrphanWatch {
  const runs = new Set<RunIdentity>();
  let shell: Shell | null = null;
  const tell = (sign: '+' | '-', { groupId, mark }: RunIdentity): void =>
    void shell?.stdin.write(`${sign} ${groupId} ${mark}\n`);
  const start = (): void => {
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
  const add = (run: RunIdentity): void => {
    start();
    runs.add(run);
    tell('+', run);
  };
  const drop = (run: RunIdentity): boolean => {
    const isKnown = runs.delete(run);
    if (isKnown) tell('-', run);
    return isKnown;
  };
  holds.onFree = leave;
  return {
    expect(mark) {
      const moment = thisMoment();
      const expected = { groupId: 0, mark };
      add(expected);
      return {
        started(groupId) {
          const run = { groupId, mark, begun: ifEntriesTell(moment, groupId) };
          add(run);
          drop(expected);
          return {
            run,
            release: () => {
              if (drop(run)) leave();
            },
          };
        },
        failed() {
          drop(expected);
          leave();
        },
      };
    },
  };
}

function startShell(): Shell | null {
  if (process.platform === 'win32') return null;
  try {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'turnwright-watch'], {
      cwd: '/',
      // Those of the machine first: folders of a project may be on the PATH, and what stands there under such a name.
      env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? ''}` },
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
