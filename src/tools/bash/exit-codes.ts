// Exit codes that are answers: what programs say by them that did not fail.
const MEANINGS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: 'No matches found' },
  egrep: { 1: 'No matches found' },
  fgrep: { 1: 'No matches found' },
  rg: { 1: 'No matches found' },
  diff: { 1: 'Files differ' },
  cmp: { 1: 'Files differ' },
  find: { 1: 'Some folders could not be read' },
  test: { 1: 'The condition is false' },
  '[': { 1: 'The condition is false' },
};

/** What the exit code of a line says whose last program is one of these; null where it says nothing else. */
export function readExitCode(command: string, exitCode: number): string | null {
  if (exitCode === 0) return null;
  const last =
    command
      .split(/\|\||&&|[|;\n]/)
      .at(-1)
      ?.trim() ?? '';
  const program = /^(?:\w+=\S*\s+)*(\S+)/.exec(last)?.[1] ?? '';
  return Object.hasOwn(MEANINGS, program) ? (MEANINGS[program]?.[exitCode] ?? null) : null;
}
