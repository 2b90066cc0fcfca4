// Notices a program that waits for somebody to type, where nobody can: a run has no terminal, so one that reads a terminal made
// it for itself. Linux only. One rule: it looks, and touches nothing.
import { findAlive, type RunIdentity, readProc } from './process-group.js';

/** The first look, and the time from each to the next: short commands are never looked at. */
const LOOK_MS = 2_000;
/** Where the kernel lets a process wait that reads a terminal. */
const READS_TERMINAL = /^(?:n_tty_read|wait_woken|tty_read|do_n_tty_read)/;

/** Contract: calls `onWaiting` at most once, after two looks saw the same process wait. @returns what ends it */
export function watchInput(run: RunIdentity, onWaiting: (program: string) => void): () => void {
  if (process.platform !== 'linux') return () => undefined;
  let before = new Set<number>();
  let timer: NodeJS.Timeout | null = null;
  let hasEnded = false;
  const look = async (): Promise<void> => {
    const waiting = (await findAlive(run)).flatMap((pid) => readsTerminal(pid) ?? []);
    if (hasEnded) return;
    const still = waiting.find(({ pid }) => before.has(pid));
    if (still !== undefined) return onWaiting(still.name);
    before = new Set(waiting.map(({ pid }) => pid));
    next();
  };
  const next = (): void => {
    timer = setTimeout(() => void look(), LOOK_MS);
    timer.unref();
  };
  next();
  return () => {
    hasEnded = true;
    if (timer !== null) clearTimeout(timer);
  };
}

/** Null where the process does something else, or that cannot be told. */
function readsTerminal(pid: number): { readonly pid: number; readonly name: string } | null {
  const stat = readProc(`/proc/${pid}/stat`)?.toString('latin1') ?? '';
  const nameEnd = stat.lastIndexOf(')');
  // After the name: state, parent, group, session, terminal, and the group in the foreground of that.
  const [state, , group, , terminal, foreground] = stat.slice(nameEnd + 2).split(' ');
  if (state !== 'S' || terminal === undefined || terminal === '0' || group !== foreground) return null;
  const channel = readProc(`/proc/${pid}/wchan`)?.toString('latin1') ?? '';
  return READS_TERMINAL.test(channel) ? { pid, name: stat.slice(stat.indexOf('(') + 1, nameEnd) } : null;
}
