// The default application state store, for programs that share one through a process.
import { createAppState } from '../session/config/index.js';

/** One store for the process, made on import. A session of `query()` has a store of its own. */
export const useAppStateStore = createAppState();
