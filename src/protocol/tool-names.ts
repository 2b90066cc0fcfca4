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

/** What people call a tool that has another name here, in small letters without signs. No such name means a tool. */
const CALLED: Readonly<Record<string, string>> = {
  Bash: 'shell sh zsh terminal command exec execute run runcommand runshellcommand',
  Read: 'view cat open readfile openfile',
  Edit: 'replace strreplace update patch applypatch editfile',
  Write: 'create createfile writefile',
  Grep: 'search ripgrep rg',
  Glob: 'find findfiles',
  WebFetch: 'fetch web http url browser curl',
  Agent: 'subagent',
};

const MEANT: ReadonlyMap<string, string> = new Map(
  Object.entries(CALLED).flatMap(([tool, names]) => names.split(' ').map((name): [string, string] => [name, tool])),
);

/** The tool that somebody probably means who calls it so; undefined: none that is known. */
export function meantTool(name: string): string | undefined {
  return MEANT.get(name.toLowerCase().replace(/[^a-z]/g, ''));
}
