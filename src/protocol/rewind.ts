// What a rewind answers: `rewindFiles` of the published SDKs, `rewind` of one of them, and what Turnwright adds to tell
// what it left alone.

/** Which parts of a session are set back. */
export type RewindScope = 'conversation' | 'files' | 'both';

export interface RewindFilesOptions {
  /** True: says what would be done and changes nothing. Default false. */
  readonly dryRun?: boolean;
  /**
   * Absolute paths of files to set back although somebody else changed them. What is replaced is kept: see `rewindId`.
   * A path behind a symbolic link is never written. Default none.
   */
  readonly overwrite?: readonly string[];
}

export interface RewindOptions extends RewindFilesOptions {
  /** Default `both`. */
  readonly scope?: RewindScope;
}

/**
 * Why a file that the agent changed was left as it is:
 * - `changed_since`: somebody else changed it after the agent did
 * - `changed_between`: somebody else changed it between two changes of the agent, and a rewind would undo that as well
 * - `interrupted`: the end of a call that could change it is not known, as after a crash, so nobody knows whose its
 *   content is
 * - `link`: it is a symbolic link now, or is reached through one
 * - `not_empty`: a folder of the agent's that holds something else by now
 */
export type RewindConflictReason = 'changed_since' | 'changed_between' | 'interrupted' | 'link' | 'not_empty';

export interface RewindConflict {
  readonly path: string;
  readonly reason: RewindConflictReason;
  readonly message: string;
}

/** Why a change cannot be undone. */
export type NotCoveredReason =
  | 'version_control'
  | 'generated_folder'
  | 'too_many_files'
  | 'too_large'
  | 'too_much'
  | 'too_slow'
  | 'unreadable'
  | 'changing'
  | 'not_kept'
  | 'interrupted'
  | 'in_background'
  | 'not_recorded'
  | 'journal_damaged'
  | 'outside_workspace';

/** A change, or a call that may have made some, that the checkpoints do not hold. */
export interface NotCovered {
  /** Absolute. Null if it is not about one file or folder. */
  readonly path: string | null;
  readonly reason: NotCoveredReason;
  readonly message: string;
}

export interface RewindFailure {
  readonly path: string;
  readonly error: string;
}

/** Paths are absolute. */
export interface RewindFilesResult {
  /** False: nothing was changed, and `error` says why. */
  readonly canRewind: boolean;
  readonly error?: string;
  /** Set back, or on a dry run to be set back. */
  readonly filesChanged?: readonly string[];
  /** Lines of text that this adds to the files. */
  readonly insertions?: number;
  /** Lines of text that this takes out of the files. */
  readonly deletions?: number;
  /** Number of conflicts `link`. Not on a dry run. */
  readonly skippedLinks?: number;
  /** Left alone, because setting them back would undo what somebody else did. */
  readonly conflicts?: readonly RewindConflict[];
  readonly notCovered?: readonly NotCovered[];
  /** What the system refused. The same rewind can be tried again. */
  readonly failed?: readonly RewindFailure[];
  /** A checkpoint of the moment before: `rewindFiles(rewindId)` takes this rewind back. Only if files were changed. */
  readonly rewindId?: string;
}

/**
 * - `ready`: a dry run, and it can be done
 * - `success`: done
 * - `partial`: done, but some files were left as they are
 * - `rejected`: nothing was done
 */
export type RewindStatus = 'ready' | 'success' | 'partial' | 'rejected';

export interface RewindResult {
  readonly status: RewindStatus;
  readonly targetUserMessageId: string;
  readonly scope: RewindScope;
  /** The message that the conversation ends with now, or on a dry run would end with; null if it is empty. */
  readonly retainedLeafId?: string | null;
  /** Messages that are no longer part of the conversation, oldest first. They stay in the transcript. */
  readonly removedMessageIds?: readonly string[];
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  /** Conflicts and failures. */
  readonly failedFiles?: readonly RewindFailure[];
  readonly error?: string;
  /** `rewind(rewindId)` takes this rewind back, with the same scope. */
  readonly rewindId?: string;
  /** The whole result for the files, if they were in the scope. */
  readonly files?: RewindFilesResult;
}
