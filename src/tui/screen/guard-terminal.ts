// Ways out that nobody plans: a fault, a signal, a stop from outside. One rule: the terminal is given back first.

export interface Guarded {
  /** Takes the modes off, at once. */
  giveBack(): void;
  /** A fault that nobody caught: as `suspend`, for good. What is written of it stands below what is finished. */
  fault(): void;
  /** Takes the live region away and the modes off; whoever is in front writes what it likes. */
  suspend(): void;
  resume(): void;
  /** It could not be stopped: nobody is there who could continue it. After `resume`. */
  notStopped(): void;
  /** SIGINT from another program: as Ctrl-C. */
  interrupt(): void;
  /** The process is asked to end. */
  end(exitCode: number): void;
}

export interface Guard {
  /** Stops this process and all of its job, as Ctrl-Z does in a terminal that is not raw. */
  stop(): void;
  /**
   * Ends the process of a terminal that is gone, as a hang-up does that nobody catches: an orderly exit would have the
   * runtime set the modes of that terminal, and abort as it cannot.
   */
  hangUp(): void;
  dispose(): void;
}

const EXIT_TERMINATED = 143;
const EXIT_HUNG_UP = 129;
/** A stop is done by then, milliseconds. */
const STOP_MS = 50;

/** Contract: at most one a process at a time. */
export function guardTerminal(guarded: Guarded): Guard {
  const giveBack = (): void => guarded.giveBack();
  const onFault = (): void => guarded.fault();
  const onStop = (): void => stop();
  let isStopping = false;
  const onContinue = (): void => {
    isStopping = false;
    process.off('SIGTSTP', onStop);
    process.on('SIGTSTP', onStop);
    guarded.resume();
  };
  const onInterrupt = (): void => guarded.interrupt();
  const onTerminate = (): void => guarded.end(EXIT_TERMINATED);
  const onHangUp = (): void => guarded.end(EXIT_HUNG_UP);

  function stop(): void {
    guarded.suspend();
    // Without a listener the signal stops the process.
    process.off('SIGTSTP', onStop);
    isStopping = true;
    process.kill(0, 'SIGTSTP');
    // Without a shell above it, as under `tmux new turnwright`, the machine drops the signal. If it did not, SIGCONT
    // has come by the time that this is reached: signals are read before what is immediate.
    setTimeout(() => setImmediate(goOnIfNotStopped), STOP_MS);
  }

  function goOnIfNotStopped(): void {
    if (!isStopping) return;
    onContinue();
    guarded.notStopped();
  }

  process.on('exit', giveBack);
  // Before whoever catches it writes of it.
  process.prependListener('uncaughtException', onFault);
  process.prependListener('unhandledRejection', onFault);
  process.on('SIGTSTP', onStop);
  process.on('SIGCONT', onContinue);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onHangUp);

  function dispose(): void {
    process.off('exit', giveBack);
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
    process.off('SIGTSTP', onStop);
    process.off('SIGCONT', onContinue);
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onTerminate);
    process.off('SIGHUP', onHangUp);
  }

  return {
    stop,
    hangUp() {
      dispose();
      process.kill(process.pid, 'SIGHUP');
    },
    dispose,
  };
}
