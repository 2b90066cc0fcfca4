// Which versions of which files the model has seen, so that a stale edit is refused and a second read of the same
// content is not sent again.

export interface FileState {
  /** SHA-256 of the whole content, hex. */
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** The part last shown, lines counted from 1; null where the whole file was shown or written. */
  readonly range: { readonly offset: number; readonly limit: number } | null;
}

/** Keys are real absolute paths. Belongs to one session. */
export interface FileStateCache {
  get(path: string): FileState | undefined;
  set(path: string, state: FileState): void;
  delete(path: string): void;
  clear(): void;
  /** Most recently set first. */
  entries(): IterableIterator<[string, FileState]>;
  /**
   * As `clear`, where the model no longer sees what the files held, but goes on with the work: `recentPaths` still names
   * them. Absent: they are cleared.
   */
  forget?(): void;
  /** Files seen since `clear`, most recently seen first. Absent: those of `entries`. */
  recentPaths?(): readonly string[];
}

const MAX_ENTRIES = 1_000;

/** An empty cache. It holds the last 1,000 files. */
export function createFileStateCache(): FileStateCache {
  const states = new Map<string, FileState>();
  let forgotten: readonly string[] = [];
  const recentPaths = () => [...new Set([...[...states.keys()].reverse(), ...forgotten])];
  return {
    get: (path) => states.get(path),
    set(path, state) {
      states.delete(path);
      states.set(path, state);
      if (states.size > MAX_ENTRIES) {
        const oldest = states.keys().next().value;
        if (oldest !== undefined) states.delete(oldest);
      }
    },
    delete: (path) => void states.delete(path),
    clear() {
      states.clear();
      forgotten = [];
    },
    entries: () => [...states].reverse().values(),
    forget() {
      forgotten = recentPaths().slice(0, MAX_ENTRIES);
      states.clear();
    },
    recentPaths,
  };
}
