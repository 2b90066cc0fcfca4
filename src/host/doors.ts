// What of this machine is loaded when it is first used. One rule: nothing else in `host/` loads on demand.
import { loadOnce } from '../util/load-once.js';

export const DOORS = {
  /** The first process that is started. */
  exec: loadOnce(() => import('./processes/node-exec.js')),
  /** The first file that is opened as it was decided about. */
  locatedFiles: loadOnce(() => import('./files/located-files.js')),
} as const;
