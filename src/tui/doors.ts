// What the terminal loads behind its first frame. One rule: nothing else in `tui/` loads on demand. The list needs nothing
// itself, as it comes with that frame.

export const DOORS = {
  /** The first frame is out. */
  session: () => import('./run-session.js'),
  /** The session is open. */
  withSession: () => import('./with-session.js'),
  /** What a person asks for now and then. */
  onDemand: () => import('./on-demand.js'),
  /** A window that takes the whole screen. */
  panels: () => import('./pagers/open-panel.js'),
  /** Lists the files that `@` completes. Throws if there is none for this platform. */
  ripgrep: () => import('@vscode/ripgrep'),
  /** The first question about a call. */
  permissions: () => import('../sdk/permissions/permissions.js'),
} as const;
