// Limits that Bash tells the model and keeps.

/** The longest time a call may ask for. */
export const MAX_TIMEOUT_MS = 600_000;

/** What the model sees of stdout and stderr together, bytes. */
export const MAX_SHOWN_BYTES = 30_000;
