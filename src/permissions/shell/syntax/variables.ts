// Variables of the shell: which are read as paths, and which as arithmetic.

/** The option of bash with which a pattern that matches nothing is no word. */
export const NULL_GLOB = 'nullglob';

/** True for a locale, a zone or a terminal that is told by a path: the shell and programs read what stands there. */
export function isReadByPath(name: string, value: string): boolean {
  return /^(?:LANG|LANGUAGE|LC_\w+|TZ|TERM)$/.test(name) && /^["']?:?[/~]|\.\./.test(value);
}

/** Numbers of the shell itself: what they are set to is evaluated as arithmetic, which runs the substitutions in it. */
const EVALUATED: ReadonlySet<string> = new Set(['SECONDS', 'RANDOM', 'SRANDOM', 'HISTCMD', 'OPTIND', 'LINENO']);

export function isEvaluatedVariable(name: string): boolean {
  return EVALUATED.has(name);
}
