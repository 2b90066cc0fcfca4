// How much the checkpoints of a session may look at, hold and take: what is beyond is not covered, and said.

export interface Bounds {
  /** Bytes of one file whose content is kept. */
  readonly fileBytes: number;
  /** Bytes of the workspace that are held while commands may change it. */
  readonly captureBytes: number;
  /** Bytes of former content that a session keeps. */
  readonly keptBytes: number;
  /** Files and folders of the workspace that are looked at around a command. */
  readonly entries: number;
  /** Names in one folder; a folder with more is left out. */
  readonly folderEntries: number;
  /** Milliseconds for one look at the workspace. */
  readonly scanMs: number;
  /** Milliseconds before a command for reading what is not held yet. */
  readonly captureMs: number;
}

export const BOUNDS: Bounds = {
  fileBytes: 10_000_000,
  captureBytes: 256_000_000,
  keptBytes: 1_000_000_000,
  entries: 20_000,
  folderEntries: 5_000,
  scanMs: 5_000,
  captureMs: 10_000,
};

/** File-system calls under way at a time. */
export const CONCURRENCY = 16;
