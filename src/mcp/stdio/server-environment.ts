// The environment of a server that is a program: what programs need to run at all, and what its definition names. Nothing
// else of the session's, so that no server reads the keys of another.
type Env = Readonly<Record<string, string | undefined>>;

const NEEDED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  // Nested runs are found by it.
  'TURNWRIGHT_RUN_ID',
  // Windows.
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA', 'PROGRAMFILES'],
  ...['SYSTEMDRIVE', 'SYSTEMROOT', 'USERNAME', 'USERPROFILE', 'WINDIR'],
]);

/** @param env of the session */
export function serverEnvironment(env: Env, own: Readonly<Record<string, string>>): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // A value such as `() { …` would be a function of a shell.
    if (value === undefined || value.startsWith('()')) continue;
    if (NEEDED.has(name.toUpperCase()) || name.startsWith('LC_')) given[name] = value;
  }
  return { ...given, ...own };
}
