// What of the loop is loaded when it is first needed. One rule: nothing else in `engine/` loads on demand.
import { loadOnce } from '../util/load-once.js';

export const DOORS = {
  /** The window is nearly full. */
  compaction: loadOnce(() => import('./compaction/compact.js')),
  /** A call would run a command: what reads one is several times as large as all else that decides. */
  commands: loadOnce(() => import('./subject/command-subject.js')),
  /** A value is held to a schema by the library for that. */
  schemas: loadOnce(() => import('./output/compile-schema.js')),
} as const;
