// What is known of a command line without running it: types only. The rule of whoever fills them: what cannot be
// proven is said to be unknown, never left out.

/**
 * What a command line would do, as far as it can be told without running it.
 * Contract: a command may run on the strength of rules if and only if each of `programs` is read-only or allowed by one
 * (`allowsRun`): what is unknown without belonging to one program stands in the list as a run without a name, which
 * no rule allows.
 */
export interface CommandReading {
  /** Why not all of it can be told, of whatever part; null if all is static and known. */
  readonly unknown: string | null;
  /**
   * Every program, builtin and function that could start, at any depth, in the order of the text: wrappers before what
   * they start, substitutions before the command they are part of.
   */
  readonly programs: readonly ProgramRun[];
  /** Files it names: redirections, and operands of programs whose operands are known. */
  readonly files: readonly FileUse[];
  /** What it writes out of archives and patches, or reads because of them; which files those are stands in them. */
  readonly unpacks?: readonly Unpacking[];
}

/** Files that a program takes out of an archive or a patch and writes. */
export interface Unpacking {
  readonly kind: 'archive' | 'patch';
  /** What is done with the files that it names. */
  readonly access: 'read' | 'write';
  /** Null if it cannot be told. */
  readonly source: { readonly file: string } | { readonly text: string } | null;
  /** Absolute folder; null if it cannot be told. */
  readonly into: string | null;
  /** How many folders are cut off the front of each name, in each way there may be. */
  readonly cut: readonly number[];
  /** Of an archive: only the last part of each name counts. */
  readonly isFlat?: true;
  /** Names that are wanted, with what lies in them; null: all. */
  readonly only: readonly string[] | null;
  readonly program: string;
  /** `text` of its run. */
  readonly text: string;
}

/** One program that could start. */
export interface ProgramRun {
  /** Part of the command line, as written, without redirections; blanks between words are single. */
  readonly text: string;
  /** Words after quote removal, the program first; null is a word that is not static. */
  readonly words: readonly (string | null)[];
  /** Base name of the program; null if it is not static. */
  readonly name: string | null;
  /** What an allow rule is held against; null: no rule about content may allow it. */
  readonly allowText: string | null;
  /**
   * How much of `allowText` a rule must spell out, from its start: what decides which programs run. A rule whose
   * wildcard stands in it does not allow the run.
   */
  readonly spelled: string;
  /** Runs that start this one: a rule for one of them allows this one too if it spells out as much as said here. */
  readonly startedBy: readonly StartedBy[];
  /** What deny and ask rules are held against: each form that names the same act. */
  readonly restrictTexts: readonly string[];
  /** The same with a NUL for each word that is not static, for rules that may or may not match. */
  readonly openTexts: readonly string[];
  /**
   * Texts of the same kind for programs that it may start, if nothing is known of what it does with its words: any
   * program may be a wrapper.
   */
  readonly mayStart: readonly string[];
  /** Some of its words are, or may be, a program or code that it starts: a rule that leaves them open allows anything. Absent: no. */
  readonly startsWords?: true;
  /** It does nothing but read and start others, each of which is a run of its own. Absent: it may do more. */
  readonly onlyStarts?: true;
  /** True if it is of the documented read-only set with harmless flags. Read-only git needs a trusted workspace. */
  readonly readOnly: boolean;
  readonly isGit: boolean;
  /** Folders that it may start in, absolute, `cd` tracked; null if that is not known. None: not on this machine. */
  readonly startsIn: readonly (string | null)[];
  /** Why this run cannot be told; null if it can. */
  readonly unknown: string | null;
  /** The program as it is usually called: `grep` of `egrep`. Null if its name is not known. Absent in a copy. */
  readonly usualName?: string | null;
  /** The programs that `mayStart` begins with, as they are usually called, in its order. Absent in a copy. */
  readonly mayStartNames?: readonly string[];
  /** Its subcommand and options by their main names. Not enumerable, and made when it is asked for: few rules need it. Absent in a copy. */
  readonly mainNames?: MainNames;
}

/** Words of a program by the names that are the same for all ways to say the same. */
export interface MainNames {
  /** False if no word of it can be this subcommand, so that the others say nothing of it either. */
  mayBe(subcommand: string): boolean;
  /** The run, in each way that is known to say the same; none if its program has no description. */
  runs(): readonly NamedRun[];
  /** What it may be, if options that are not described take the words behind them. */
  possible(): readonly NamedRun[];
  /** Other static words of the same program. */
  of(words: readonly string[]): readonly NamedRun[];
}

/** A run by its main names, as `programs/canonical-run.ts` makes it. */
export interface NamedRun {
  readonly subcommand: string | null;
  readonly globals: readonly NamedOption[];
  readonly options: readonly NamedOption[];
  readonly operands: readonly { readonly word: NamedWord }[];
}

export interface NamedOption {
  readonly main: string;
  readonly value: NamedWord | null;
  readonly isKnown: boolean;
}

/** What of a word is known: all of it, or its beginning. */
export interface NamedWord {
  readonly value: string | null;
  readonly head: string;
  readonly isPipe: boolean;
}

export interface StartedBy {
  readonly allowText: string;
  readonly spelled: string;
}

/** A file that a command names. */
export interface FileUse {
  /** As the program would get it, with `~` expanded; null if it is not static. */
  readonly path: string | null;
  /** For a glob in its last part: the folder that all it can match lies in, as `path` would be written; null elsewhere. */
  readonly within: string | null;
  /** What the names that it can match begin and end with, in any case; null if `within` is. */
  readonly names: NameEnds | null;
  /** Absolute folder it is relative to, `cd` tracked; null if that is not known. One use for each that is possible. */
  readonly base: string | null;
  /** `remove`: it and all below it may be gone afterwards. */
  readonly access: 'read' | 'write' | 'remove';
  /** `tree`: it, and all that lies below it if it is a folder. `through`: also what links below it lead to. */
  readonly reach: 'itself' | 'tree' | 'through';
  /** All that lies below it is changed, protected files too. */
  readonly sweeps?: boolean;
  /** How names of files below it, which nobody wrote, reach the program. Absent: whole, and never as options. */
  readonly taken?: TakenNames;
  /**
   * For a target that may be a folder: the names that stand in it then, as `cp a b` writes `b/a`. Null: any names. Absent:
   * `path` is meant as it is.
   */
  readonly into?: readonly string[] | null;
  /** The program goes through no link on the way to it, whatever an earlier part of the line put there. */
  readonly throughNoLink?: true;
  /**
   * Nobody said what the word is: it counts as read if something stands there, and as written if nothing does and it is
   * spelled as a path to a folder that is there.
   */
  readonly isMaybe?: true;
  /**
   * A text with names in it, such as several words in one, or files that the program looks for by itself: each counts as read
   * if it is there, below `path` or by a path of its own, and a rule keeps it. `path` itself is not used.
   */
  readonly mentions?: string;
  /** Of git, which else takes only what it tracks below a folder: also what nothing says to ignore, or all. */
  readonly untracked?: Untracked;
  /** What earlier parts of the line make, which is none of its names as it is written but may be where a link of it leads. */
  readonly madeBefore?: readonly MadeName[];
  /** Why `path` cannot be told, if there is more to say than that it is not static. */
  readonly why?: string;
  readonly by: 'redirection' | 'operand';
  /** The program it is an operand of; null for redirections. */
  readonly program: string | null;
}

/** A name that the line makes into something that cannot be looked at beforehand. */
export interface MadeName {
  /** Absolute; null: it may be any. */
  readonly path: string | null;
  /** `link`: programs may go through it from a folder above. `contents`: the folder stays, what lies below it is new. */
  readonly kind: 'link' | 'file' | 'contents';
}

/** Which files git takes besides those that it tracks. */
export type Untracked = 'unignored' | 'all';

/** Names that are not written in the command but listed by another program or matched by the shell. */
export interface TakenNames {
  /** They are split at blanks, so that a part of one may be another file. */
  readonly areSplit?: true;
  /** Wildcards in them match other names. */
  readonly areMatched?: true;
  /** The index of git has them, all or some: such a file need not be there. */
  readonly areRecorded?: 'all' | 'some';
  /** One that begins with a dash is an option: one right in the folder, or a part of any. */
  readonly mayBeOptions?: 'first' | 'any';
}

/** What is known of the names that a glob matches. */
export interface NameEnds {
  readonly start: string;
  readonly end: string;
}

/** What `git rev-parse --show-toplevel` prints in a folder, if it does not fail. Both absolute. */
export interface WorkTreeTop {
  readonly from: string;
  readonly path: string;
}

/** The place in which a command would start. */
export interface CommandPlace {
  /** Absolute. */
  readonly cwd: string;
  /** The folder of the session, of which `cwd` may be a part. Default `cwd`. */
  readonly folder?: string;
  /** False: `cwd` belongs to another repository than `folder`, or may. Default true. */
  readonly isOwnRepository?: boolean;
  readonly home: string | null;
  /** Somebody looks at what the repositories that the command reaches make git start. Default false. */
  readonly looksAtGit?: boolean;
  /** Default: not known. */
  readonly top?: WorkTreeTop | null;
  /** `cd` looks for folders in other places too (`CDPATH`). Default false. */
  readonly looksElsewhere?: boolean;
}
