// What a permission decision is made from, and what it says.
import type { PermissionDecisionReasonType, PermissionMode, PermissionUpdate } from '../protocol/permissions.js';
import type { CommandPattern } from './command-pattern.js';
import type { PermissionRule } from './rule.js';
import type { CommandReading, NameEnds, ProgramRun, Untracked } from './shell/index.js';

/** What settings forbid, whatever mode a session is in and whatever its rules allow. */
export interface Confinement {
  /** True: no mode may skip questions. Default false. */
  readonly disableBypass?: boolean;
  /** True: mode `auto` decides as `default` does. Default false. */
  readonly disableAuto?: boolean;
  /** True: in mode `auto` there is what no call may do, told to the judge in words, so nothing is accepted unjudged. Default false. */
  readonly hasHardDenials?: boolean;
  /** True: files outside the workspace are not read, in any mode. Default false. */
  readonly blockReadsOutside?: boolean;
  /** True: files outside the workspace are not written, in any mode. Default false. */
  readonly blockWritesOutside?: boolean;
  /** True: what would be asked about is denied. Default false. */
  readonly deniesAsks?: boolean;
  /** True: only managed settings allow anything, so no answer adds a rule that does. Default false. */
  readonly onlyManagedRules?: boolean;
}

/** Everything a decision depends on. */
export interface PermissionContext extends Confinement {
  readonly mode: PermissionMode;
  /** The mode that the first plan leads to, if the session begins with one. Default `default`. */
  readonly beforePlan?: PermissionMode;
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  /** Workspace folders, absolute, as given and with symbolic links resolved; the working directory first. */
  readonly roots: readonly string[];
  /** The home folder, absolute. Absent: patterns below `~` mean nothing. */
  readonly home?: string;
  /** Absent: commands run without a sandbox. */
  readonly sandbox?: SandboxedCommands;
  /** False: nobody vouches for the folder, so its git configuration may run programs. Default true. */
  readonly isTrusted?: boolean;
  /** True: what calls remove can be brought back, so `acceptEdits` covers it. Default false. */
  readonly keepsRemoved?: boolean;
  /** What mode `plan` may read and write all the same. Absent: nothing. */
  readonly planFile?: PlanFile;
  /** Where the session puts results that are too large to show: file tools read there without a question. Absolute. */
  readonly resultsFolder?: string;
  /** True: in mode `auto` a model judges what the rules leave undecided. Default false. */
  readonly isJudged?: boolean;
  /** Hosts that are not public and may be fetched. Absent: who is asked decides; given, all others are denied. */
  readonly privateHosts?: readonly string[];
}

/** The file of a plan. `realPath`: what its path led to when the plan was begun. */
export interface PlanFile {
  readonly path: string;
  readonly realPath: string;
}

/** What the sandbox changes about commands. */
export interface SandboxedCommands {
  /** Commands that run inside need no approval. */
  readonly autoAllowBash: boolean;
  /** Whether a call may ask to run outside. */
  readonly allowUnsandboxed: boolean;
  /** Commands that run outside. */
  readonly excluded: readonly CommandPattern[];
  /** Domains that commands inside may connect to; null if they may reach or write more than that and the workspace. */
  readonly reach?: readonly string[] | null;
}

/** What a call would touch. `realPath` has every symbolic link resolved, as far as the path exists. */
export type CallSubject =
  | { readonly kind: 'none' }
  /** `ofServer`: `mcp__<server>__` of a server that is asked without a tool of its own; what denies all its tools denies this. */
  | { readonly kind: 'external'; readonly ofServer?: string }
  /** An agent or a skill, by name; of a skill with what follows it. `isText`: the call only brings a text. */
  | { readonly kind: 'name'; readonly name: string; readonly isText?: boolean }
  | { readonly kind: 'url'; readonly url: string }
  | CommandSubject
  | {
      readonly kind: 'path';
      readonly path: string;
      readonly realPath: string;
      readonly access: 'read' | 'write';
      readonly isHook?: boolean;
      /** True if a regular file stands there, or the call would make one. */
      readonly isFile?: boolean;
    };

export interface CommandSubject {
  readonly kind: 'command';
  readonly command: string;
  /** True if the call asks to run outside the sandbox. */
  readonly unsandboxed?: boolean;
  /** Absent: nobody read it, so that nothing is known of what it would run. */
  readonly reading?: CommandReading;
  /** The home folder that the command sees, if it is another than that of the machine's user: rules and guards mean both. */
  readonly home?: string;
  /** The files that the reading names, in its order. */
  readonly files?: readonly TouchedFile[];
  /** What its version control would start, or might, without anybody having vouched for it. */
  readonly gitStarts?: readonly GitStart[];
  /** What it starts that the workspace itself provides, under a name of the PATH: whoever may edit files may have put it there. */
  readonly workspacePrograms?: readonly WorkspaceProgram[];
}

/** A program that would be found in the workspace. */
export interface WorkspaceProgram {
  /** One of the runs of `reading`. */
  readonly run: ProgramRun;
  /** The file. */
  readonly path: string;
}

/** A program that a repository makes version control start. */
export interface GitStart {
  /** One of the runs of `reading`. */
  readonly run: ProgramRun;
  /** For people. */
  readonly why: string;
  /** Names what a yes vouches for; null if it cannot be told which repository it is. */
  readonly seen: string | null;
}

/** A file that a command names. `path` is null if it is not static. */
export interface TouchedFile {
  readonly path: string | null;
  readonly realPath: string | null;
  /** True if the paths are those of a folder, and files of it are meant that cannot be told one by one. */
  readonly isAnyWithin?: boolean;
  /** True if these are some of its files: their names begin or end as a glob says. */
  readonly isSome?: boolean;
  /** What those names begin and end with. */
  readonly names?: NameEnds;
  /** True if it comes out of an archive or a patch: then `part` is the text of the run that writes it. */
  readonly isUnpacked?: boolean;
  readonly part?: string;
  /** True if git's configuration makes it a program that git runs: what `core.hooksPath` names, or lies in there. */
  readonly isHook?: boolean;
  /** True if a regular file stands there, or the shell would make one. */
  readonly isFile?: boolean;
  /** True if it was gone through, and holds no file that a rule keeps from such an access. */
  readonly holdsNoneKept?: boolean;
  /** True if a word of which nobody said what it is names it, so that it may be something else. */
  readonly isMaybe?: boolean;
  readonly access: 'read' | 'write' | 'remove';
  /** `tree`, `through`: it, and all that lies below it if it is a folder. */
  readonly reach: 'itself' | 'tree' | 'through';
  readonly by: 'redirection' | 'operand';
  readonly program: string | null;
  /** Of git: which files below it that it does not track are meant too. */
  readonly untracked?: Untracked;
  /** Why `path` cannot be told, if there is more to say than that it is not static. */
  readonly why?: string;
}

export interface PermissionCall {
  readonly toolName: string;
  readonly readOnly: boolean;
  readonly subject: CallSubject;
  /** True for the call that shows a plan: nobody but the user approves it, and only in mode `plan`. */
  readonly exitsPlan?: boolean;
  /** True for a call that changes what calls are held against, such as settings: no mode and no rule allows it. */
  readonly confines?: boolean;
  /** True for the call that asks to plan first: nobody but the user says yes to it. */
  readonly entersPlan?: boolean;
  /** Why a person has to say yes, whatever rules allow. */
  readonly mustAsk?: string;
}

export interface PermissionDecision {
  /** True for an ask that nobody but a person may answer: a protected path, or a rule that says ask. */
  readonly isFirm?: boolean;
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly reasonType: PermissionDecisionReasonType;
  readonly reason: string;
  /** The rule that decided, as it was written. */
  readonly rule?: string;
  /** The part of the command line that decided. */
  readonly subcommand?: string;
  readonly blockedPath?: string;
  readonly suggestions?: readonly PermissionUpdate[];
  /** True for an ask that mode `auto` would have answered with yes, or that a model may answer there. */
  readonly isAutoApprovable?: boolean;
  /** What a yes of a person vouches for: `seen` of its `gitStarts`. */
  readonly vouches?: readonly string[];
  /** True if the call, if it runs, runs outside the sandbox of the session. */
  readonly outsideSandbox?: boolean;
}
