// What one tool call needs of the loop, with a signal of its own, and what running calls show before they end. That is handed
// over one at a time: who shows waits until it was taken, so an agent is never far ahead of whoever reads.
import type { Tools } from '../../tools/tool.js';
import type { Draft, LoopDeps } from '../state/index.js';

/** Calls that run at the same time, of one reply. */
export const MAX_CONCURRENT_CALLS = 10;

type FromLoop = Pick<
  LoopDeps,
  | 'toolAliases'
  | 'isUndefined'
  | 'host'
  | 'hooks'
  | 'signal'
  | 'decidePermission'
  | 'decideChanged'
  | 'deferCall'
  | 'toolContext'
  | 'lostPlace'
  | 'gitWatch'
  | 'credentials'
  | 'vault'
  | 'interruptGraceMs'
  | 'spawnAgent'
  | 'approveTools'
  | 'startHooks'
  | 'askModel'
  | 'beforeSideEffect'
  | 'activity'
  | 'validateJson'
  | 'tell'
  | 'log'
>;

export interface CallDeps extends FromLoop {
  /** What the model could call when the call began. */
  readonly tools: Tools;
}

/** A literal: a copy of all that the loop needs takes 25 us, and each call has one. */
export function callDeps(
  deps: FromLoop,
  tools: Tools,
  signal: AbortSignal,
  decidePermission: CallDeps['decidePermission'] = deps.decidePermission,
): CallDeps {
  return {
    tools,
    isUndefined: deps.isUndefined,
    host: deps.host,
    hooks: deps.hooks,
    signal,
    decidePermission,
    decideChanged: deps.decideChanged,
    deferCall: deps.deferCall,
    toolContext: deps.toolContext,
    ...(deps.lostPlace === undefined ? {} : { lostPlace: deps.lostPlace }),
    gitWatch: deps.gitWatch,
    toolAliases: deps.toolAliases,
    credentials: deps.credentials,
    vault: deps.vault,
    interruptGraceMs: deps.interruptGraceMs,
    spawnAgent: deps.spawnAgent,
    approveTools: deps.approveTools,
    startHooks: deps.startHooks,
    askModel: deps.askModel,
    beforeSideEffect: deps.beforeSideEffect,
    activity: deps.activity,
    validateJson: deps.validateJson,
    tell: deps.tell,
    log: deps.log,
  };
}

export interface LiveDrafts {
  /** Resolves when the draft was taken, or nobody takes any more. */
  show(draft: Draft): Promise<void>;
  /** Yields what is shown until `work` has settled. Contract: `work` never rejects. */
  until<T>(work: Promise<T>): AsyncGenerator<Draft, T>;
  /** Nobody listens from here on: nothing waits, and what is shown is dropped. */
  close(): void;
}

export function createLiveDrafts(): LiveDrafts {
  let waiting: { readonly draft: Draft; taken(): void }[] = [];
  let wake: () => void = () => undefined;
  let isClosed = false;

  return {
    show(draft) {
      if (isClosed) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push({ draft, taken: resolve });
        wake();
      });
    },
    async *until(work) {
      let isSettled = false;
      const settled = work.then(() => {
        isSettled = true;
      });
      while (!isSettled) {
        const next = waiting.shift();
        if (next !== undefined) {
          try {
            yield next.draft;
          } finally {
            next.taken();
          }
          continue;
        }
        const arrived = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([settled, arrived]);
      }
      return work;
    },
    close() {
      isClosed = true;
      for (const { taken } of waiting) taken();
      waiting = [];
    },
  };
}
