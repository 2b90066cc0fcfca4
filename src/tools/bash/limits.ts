// Limits that Bash tells the model and keeps.

/** The longest time a call may ask for. */
export const MAX_TIMEOUT_MS = 600_000;

/** The same for a command in the background: a day. */
export const MAX_BACKGROUND_MS = 86_400_000;

/** What the model sees of stdout and stderr together, bytes. */
export const MAX_SHOWN_BYTES = 30_000;
