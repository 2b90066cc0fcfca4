// A kind of files as the tools want it: patterns for Glob and Grep, a command for the shell.
import { shellQuote } from './flow.js';
import type { FileQuery } from './step.js';

/** Folders that a shell command leaves out; Glob and Grep leave out what .gitignore names. */
const LEFT_OUT = ['.git', 'node_modules'];

/** Folders to look in; null is the working directory. */
export function placesOf(query: FileQuery): (string | null)[] {
  return query.folders.length === 0 ? [null] : [...query.folders];
}

/** `*.{ts,tsx}` for extensions, `{a,b}` for names. */
export function alternatives(globs: readonly string[]): string {
  const [only] = globs;
  if (globs.length === 1 && only !== undefined) return only;
  const extensions = globs.map((glob) => /^\*\.(\w+)$/.exec(glob)?.[1]);
  return extensions.every((extension) => extension !== undefined)
    ? `*.{${extensions.join(',')}}`
    : `{${globs.join(',')}}`;
}

/** A pattern for Glob. */
export function anyDepth(globs: readonly string[]): string {
  const pattern = globs.length === 0 ? '*' : alternatives(globs);
  return pattern.startsWith('**/') || pattern.startsWith('/') || (globs.length === 1 && /\*.*\/|\/.*\*/.test(pattern))
    ? pattern
    : `**/${pattern}`;
}

/** A `find` that selects the files, without an action. */
export function findCommand(query: FileQuery): string {
  const places =
    query.folders.length === 0
      ? '.'
      : query.folders.map((folder) => shellQuote(folder.startsWith('-') ? `./${folder}` : folder)).join(' ');
  const names = query.globs.map((glob) => `-name ${shellQuote(glob.split('/').at(-1) ?? glob)}`).join(' -o ');
  const pruned = LEFT_OUT.map((name) => `-not -path ${shellQuote(`*/${name}/*`)}`).join(' ');
  return `find ${places} -type f ${pruned}${names === '' ? '' : ` \\( ${names} \\)`}`;
}
