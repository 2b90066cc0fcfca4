// Builtins of bash, by how much is known of them.

/** Start nothing and change nothing that later commands act on, whatever their words are. */
export const PLAIN_BUILTINS: ReadonlySet<string> = new Set(
  ': true false echo pwd type exit return break continue shift times wait caller dirs help'.split(' '),
);

/** Read by code of their own: `builtins.ts`. */
const OTHER_BUILTINS: ReadonlySet<string> = new Set(
  (
    'cd pushd popd export declare typeset local readonly read mapfile readarray printf getopts unset eval source . trap ' +
    'exec command builtin alias unalias hash enable set shopt let test [ bind complete compgen compopt fc history kill ' +
    'disown fg bg jobs suspend logout ulimit umask'
  ).split(' '),
);

/** True for the name of a builtin. */
export function isBuiltinName(name: string): boolean {
  return PLAIN_BUILTINS.has(name) || OTHER_BUILTINS.has(name);
}
