// Which versions of which files the model has seen, so that a stale edit is refused and a second read of the same
// content is not sent again.

export type FileState = SeenFile | RememberedFile;

/** A version of a file that the model has seen, or has written. */
export interface SeenFile {
  /** SHA-256 of the whole content, hex. */
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** The part last shown, lines counted from 1; null if the whole file was shown or written. */
  readonly range: { readonly offset: number; readonly limit: number } | null;
}

/** A file that the model saw before the session was resumed: it is the same as long as nothing has changed it since. */
export interface RememberedFile {
  readonly hash: null;
  /** Milliseconds since the epoch. */
  readonly seenAtMs: number;
}

/** Never the range of a read: of such a version a read shows what is asked for. */
export const NOTHING_SHOWN: SeenFile['range'] = { offset: 0, limit: 0 };

/** Keys are real absolute paths. Belongs to one session. */
export interface FileStateCache {
  get(path: string): FileState | undefined;
  set(path: string, state: FileState): void;
  delete(path: string): void;
  clear(): void;
  /** Most recently set first. */
  entries(): IterableIterator<[string, FileState]>;
  /**
   * The model no longer sees what the files held, but goes on with the work: a read shows them again, and one that did
   * not change since counts as seen. Absent: they are cleared.
   */
  forget?(): void;
  /** Files seen since `clear`, most recently seen first. Absent: those of `entries`. */
  recentPaths?(): readonly string[];
  /** Files set since this was called last, each once. Absent: nobody is told. */
  takeTouched?(): readonly string[];
}

const MAX_ENTRIES = 1_000;
const NONE: readonly string[] = [];

/** An empty cache. It holds the last 1,000 files. */
export function createFileStateCache(): FileStateCache {
  const states = new Map<string, FileState>();
  let touched = new Set<string>();
  return {
    get: (path) => states.get(path),
    set(path, state) {
      touched.add(path);
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
      touched.clear();
    },
    entries: () => [...states].reverse().values(),
    forget() {
      for (const [path, state] of states) {
        if (state.hash !== null) states.set(path, { ...state, range: NOTHING_SHOWN });
      }
    },
    recentPaths: () => [...states.keys()].reverse(),
    takeTouched() {
      if (touched.size === 0) return NONE;
      const taken = [...touched];
      touched = new Set();
      return taken;
    },
  };
}
