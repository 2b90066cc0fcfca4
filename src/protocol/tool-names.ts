// Names of tools that other SDKs used before: accepted wherever a host names a tool, never offered to a model.

const FORMER_NAMES: ReadonlyMap<string, string> = new Map([
  ['Task', 'Agent'],
  ['BashOutput', 'TaskOutput'],
  ['KillBash', 'TaskStop'],
  ['KillShell', 'TaskStop'],
  ['SlashCommand', 'Skill'],
]);

/** The name a tool has today; any other name as it is. */
export function currentToolName(name: string): string {
  return FORMER_NAMES.get(name) ?? name;
}
