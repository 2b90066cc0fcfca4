// What the command line loads when it is asked for. One rule: nothing else in `cli/` loads on demand. The list needs nothing
// itself, as it comes before the first frame.

export const DOORS = {
  // ---- Commands. Those about one thing come by one door.
  sessions: () => import('./commands/sessions.js'),
  models: () => import('./commands/models.js'),
  permissions: () => import('./commands/permissions.js'),
  hooks: () => import('./commands/hooks.js'),
  tools: () => import('./commands/tools.js'),
  plugin: () => import('./commands/plugin.js'),
  acp: () => import('./commands/acp.js'),
  doctor: () => import('./commands/doctor.js'),
  /** Keys and accounts. */
  keys: () => import('./commands/keys.js'),
  /** Agents, MCP servers, skills. */
  capabilities: () => import('./commands/on-capabilities.js'),
  /** Settings, worktrees, completions. */
  settings: () => import('./commands/on-settings.js'),

  // ---- A prompt, and who it is for.
  print: () => import('./lines/print-mode.js'),
  lines: () => import('./lines/line-mode.js'),
  terminal: () => import('../tui/run-terminal.js'),
  /** Programs that speak the protocol of the published SDKs. */
  wire: () => import('./wire/serve.js'),
  /** A person sits at the terminal. */
  aroundSession: () => import('./lines/around-session.js'),
  /** Something beside the answer is shown. */
  views: () => import('./lines/views.js'),

  // ---- What few command lines ask for.
  help: () => import('./args/help.js'),
  /** Parts of ids, files of prompts and of servers. */
  completeOptions: () => import('./args/complete-options.js'),
  /** Of these, files of servers. */
  mcpConfig: () => import('../sdk/mcp/mcp-config.js'),
  debugLog: () => import('./open-debug-log.js'),
} as const;
