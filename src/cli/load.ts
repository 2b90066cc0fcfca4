// What several files of the command line load when it is asked for.
import { loadOnce } from '../util/load-once.js';

/** A person sits at the terminal. */
export const aroundSession = loadOnce(() => import('./lines/around-session.js'));
/** Something beside the answer is shown. */
export const views = loadOnce(() => import('./lines/views.js'));
