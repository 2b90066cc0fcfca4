// The names of MCP tools as a model and permission rules see them: `mcp__<server>__<tool>`.

/** What model APIs accept as the name of a tool. */
const MAX_NAME_LENGTH = 128;

/**
 * The full name of a tool: what a name may not hold becomes `_`. A server's part has no `__` and does not end in `_`, so that
 * the rule `mcp__<server>` cannot be read as a tool of another server, nor mean a server whose name only begins so.
 */
export function mcpToolName(server: string, tool: string): string {
  return `${mcpServerRule(server)}__${sanitise(tool)}`;
}

/** What a permission rule calls all tools of a server. */
export function mcpServerRule(server: string): string {
  return `mcp__${sanitise(server).replace(/_{2,}/g, '_').replace(/_$/, '-')}`;
}

/** True if model APIs take the name. */
export function isUsableName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH;
}

function sanitise(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_');
}
