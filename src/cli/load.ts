// What several files of the command line load when it is asked for. It needs nothing itself: it comes before the first frame.

/** A person sits at the terminal. */
export const aroundSession = () => import('./lines/around-session.js');
/** Something beside the answer is shown. */
export const views = () => import('./lines/views.js');
