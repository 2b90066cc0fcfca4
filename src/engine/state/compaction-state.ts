// What the loop remembers of compactions; when there is one, `compaction/compaction-policy.ts` says.

/** What is remembered from one compaction to the next. Replaced, never changed. */
export interface CompactionState {
  /** The turn of the last compaction. */
  readonly lastAtTurn: number | null;
  /** What it freed. Tokens. */
  readonly lastFreed: number;
  /** True where it freed too little. It holds while the context stays near `blockedAt`. */
  readonly blocked: boolean;
  /** The size of the messages it left: the frame is no part of it, as no compaction changes that. Tokens. */
  readonly blockedAt: number;
  /** True once the caller told of the block, so that it is told once. */
  readonly noticed: boolean;
  /** The turn of a summary that failed, where none succeeded since and it may have been in passing. */
  readonly failedAtTurn: number | null;
  /** True once the caller warned that the context fills up, until it is well below that level again. */
  readonly warned: boolean;
}

export const NO_COMPACTION: CompactionState = {
  lastAtTurn: null,
  lastFreed: 0,
  blocked: false,
  blockedAt: 0,
  noticed: false,
  failedAtTurn: null,
  warned: false,
};
