// The files that a command names. One rule: a path that cannot be told is reported as null, never left out.
import type { FileUse, NameEnds } from '../command-reading.js';
import type { Bases, Reader, ShellState } from '../reader.js';
import type { ShellWord } from '../syntax/shell-word.js';

/** Files that are none: nothing stays in them and nothing stands in them. */
const NO_FILES = /^\/dev\/(?:null|stdin|stdout|stderr|tty|full|zero|u?random|fd\/\d+)$/;

/** Notes that a file is used, once for each folder that the shell may be in. */
export function addFile(
  { reader, state }: { readonly reader: Reader; readonly state: ShellState },
  word: ShellWord,
  access: FileUse['access'],
  user: Pick<FileUse, 'by' | 'program'>,
  bases: Bases = state.bases,
): void {
  if (word.isPipe) return;
  if (word.choices !== null) {
    for (const choice of word.choices) addFile({ reader, state }, choice, access, user, bases);
    return;
  }
  if (word.value !== null && NO_FILES.test(word.value)) return;
  const path = expandHome(word, word.value, reader.home);
  const isKnown = word.isGlob && !mayBeHidden(word);
  const within = path === null && isKnown ? expandHome(word, folderOf(word.head), reader.home) : null;
  const names = within === null ? null : nameEnds(word);
  for (const base of bases) reader.files.push({ path, within, names, base, access, ...user });
}

/** The folder part of the known beginning of a glob; `.` where there is none. */
function folderOf(head: string): string {
  const slash = head.lastIndexOf('/');
  if (slash === -1) return '.';
  return slash === 0 ? '/' : head.slice(0, slash);
}

/** Plain signs around the wildcards of the last part. What else stands there may be anything. */
function nameEnds({ text, head }: ShellWord): NameEnds {
  const start = head.slice(head.lastIndexOf('/') + 1);
  const end = /[*?]([\w.-]*)$/.exec(text)?.[1] ?? '';
  return { start, end };
}

/** A glob matches names with a leading dot only where it spells the dot: then it may be a protected one. */
function mayBeHidden({ head, text }: ShellWord): boolean {
  const plain = text.replace(/["'\\]/g, '');
  const glob = plain.search(/[*?[{]/);
  return head.slice(head.lastIndexOf('/') + 1).startsWith('.') || /[/{,|(]\.|\[[^\]]*\./.test(plain.slice(glob));
}

/** With `~` replaced; null where that cannot be told. */
function expandHome({ tilde }: ShellWord, path: string | null, home: string | null): string | null {
  if (path === null || !tilde) return path;
  if (!path.startsWith('~')) return path;
  if (path !== '~' && !path.startsWith('~/')) return null;
  return home === null ? null : home + path.slice(1);
}
