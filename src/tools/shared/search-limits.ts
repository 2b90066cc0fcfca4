// Limits of the search tools that they tell the model and keep.

/** Paths that Glob shows. */
export const MAX_FILES_SHOWN = 100;

/** Files up to this many are ordered by modification time; more would cost too many looks at the disk. */
export const MAX_SORTED_BY_TIME = 1_000;

/** Lines or files that Grep shows where the call does not say. */
export const DEFAULT_HEAD_LIMIT = 250;
