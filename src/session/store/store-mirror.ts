// Gives the lines of a transcript to a store of the host's own, in order, in batches. What the store does not take is
// told, and the session goes on.
import type { HostClock } from '../../host/host.js';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionStoreFlush } from '../../protocol/session-store.js';
import { errorText } from '../../util/text.js';

export interface StoreMirrorOptions {
  readonly store: SessionStore;
  readonly key: SessionKey;
  /** `batched`: every 100 ms or so; `eager`: each entry by itself, as it comes. */
  readonly flush: SessionStoreFlush;
  readonly clock: HostClock;
  /** A batch was dropped. */
  readonly onError: (error: string, key: SessionKey) => void;
}

export interface StoreMirror {
  /** @param text the entry as JSON. Contract: it is given on soon, behind all before it; never throws, never waits. */
  add(text: string): void;
  /** Contract: when this resolves, everything that was added was taken, or told as dropped. */
  flush(): Promise<void>;
  /** As `flush`, but a store that does not answer is not waited for. Contract: nothing of it is left running. */
  close(): Promise<void>;
}

const BATCH_MS = 100;
/** A batch as large as this goes at once. */
const MAX_BATCH = 500;
/** What a store refuses is offered again after these, milliseconds: three attempts. */
const RETRY_MS = [200, 800] as const;
/** A store that does not answer so long may still do what it was asked, so it is not asked again. */
const TIMEOUT_MS = 60_000;
/** Longest wait at the end of a session: its prompts have waited already. */
const CLOSE_MS = 2_000;

export function createStoreMirror(options: StoreMirrorOptions): StoreMirror {
  const { store, key } = options;
  const timers = createTimers(options.clock);
  let batch: SessionStoreEntry[] = [];
  let cancelBatch: (() => void) | null = null;
  let sending: Promise<void> = Promise.resolve();

  const send = (): void => {
    cancelBatch?.();
    cancelBatch = null;
    if (batch.length === 0) return;
    const entries = batch;
    batch = [];
    sending = sending.then(() => deliver(entries));
  };

  const deliver = async (entries: SessionStoreEntry[]): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      const outcome = await timers.within(TIMEOUT_MS, offer(entries));
      if (outcome === 'taken') return;
      if (outcome === 'over') {
        return options.onError(`The store did not answer within ${TIMEOUT_MS / 1_000} seconds.`, key);
      }
      const pause = RETRY_MS[attempt];
      if (pause === undefined) return options.onError(errorText(outcome.error), key);
      await timers.wait(pause);
    }
  };

  const offer = async (entries: SessionStoreEntry[]): Promise<'taken' | { readonly error: unknown }> => {
    try {
      await store.append(key, entries);
      return 'taken';
    } catch (error) {
      return { error };
    }
  };

  const flush = async (): Promise<void> => {
    send();
    await sending;
  };

  return {
    add(text) {
      // As JSON has it: a store gets what would stand in the file, and nothing that changes later.
      batch.push(JSON.parse(text) as SessionStoreEntry);
      if (options.flush === 'eager' || batch.length >= MAX_BATCH) send();
      else cancelBatch ??= timers.after(BATCH_MS, send);
    },
    flush,
    async close() {
      await timers.within(CLOSE_MS, flush());
      timers.cancelAll();
    },
  };
}

/** Timers that end together, so that none keeps the process alive. */
function createTimers(clock: HostClock) {
  const cancels = new Set<() => void>();
  const after = (ms: number, callback: () => void): (() => void) => {
    const cancelTimer = clock.after(ms, () => {
      cancels.delete(cancel);
      callback();
    });
    const cancel = (): void => {
      cancels.delete(cancel);
      cancelTimer();
    };
    cancels.add(cancel);
    return cancel;
  };
  return {
    after,
    wait: (ms: number) => new Promise<void>((resolve) => void after(ms, resolve)),
    /** What `work` gives, or `over` if it takes longer. */
    async within<T>(ms: number, work: Promise<T>): Promise<T | 'over'> {
      let cancel = (): void => undefined;
      const over = new Promise<'over'>((resolve) => {
        cancel = after(ms, () => resolve('over'));
      });
      const outcome = await Promise.race([work, over]);
      cancel();
      return outcome;
    },
    cancelAll() {
      for (const cancel of cancels) cancel();
    },
  };
}
