// Which instruction files a session starts with, whose they are, and what is known of them. Every session
// asks; what reads them is loaded if there are some. They are text for the model: they grant nothing.
import path from 'node:path';
import type { FileStat, Host } from '../../host/host.js';
import type { GlobPattern } from '../../util/glob-pattern.js';
import {
  type FoldersAbove,
  type LookingFs,
  type LookingHost,
  lookUpwards,
  repeatLook,
  repositoryAbove,
} from '../look.js';
import type { ExtensionPlace } from '../settings/index.js';

/** Whose instructions a file holds, as hooks name it. */
export type MemoryType = 'Managed' | 'User' | 'Project' | 'Local';

/** Which of them a session reads. */
export interface InstructionSources {
  /** Absolute files of the machine's administrator, those that stand first are read first. */
  readonly managed?: readonly string[];
  /** Absolute folders that hold the user's own files. */
  readonly user?: readonly string[];
  /** False: no files of the project. Default true. */
  readonly project?: boolean;
  /** False: no files of the project that are for one person (`CLAUDE.local.md`). Default true. */
  readonly local?: boolean;
  /** Folders of rules, from the nearest to the farthest. */
  readonly rules?: readonly ExtensionPlace[];
  /** Globs of absolute paths: files that are not read, but for the administrator's. */
  readonly excludes?: readonly string[];
  /** True: somebody vouches for the project, so its files may import what lies outside. */
  readonly isGranted?: boolean;
}

/** One file that is there. */
export interface InstructionPlace {
  /** Absolute, as it was found. */
  readonly file: string;
  readonly type: MemoryType;
}

/** Why a file counts, as hooks name it. */
export type LoadReason = 'session_start' | 'include' | 'nested_traversal' | 'path_glob_match';

export interface InstructionFile {
  /** How it is named to the model and to people: as seen from the working directory, `~/…`, or absolute. */
  readonly source: string;
  /** Absolute. */
  readonly file: string;
  readonly type: MemoryType;
  readonly reason: LoadReason;
  readonly text: string;
  /** Absolute: the file that imports it. */
  readonly parent?: string;
  /** Of a rule for some files. */
  readonly globs?: readonly string[];
}

export interface LeftOutFile {
  /** The name by which whoever asks for it names it. */
  readonly source: string;
  /** In words that follow "it was left out:". */
  readonly why: string;
  /** True if somebody should look at it. */
  readonly isProblem: boolean;
}

/** The files that a rule is for. */
export interface PathRule {
  readonly globs: readonly string[];
  readonly patterns: readonly GlobPattern[];
}

/** A rule that waits for a file that it is for. */
export interface WaitingRule {
  readonly rule: PathRule;
  /** Absolute: where its patterns start. */
  readonly base: string;
  /** What it imports, and itself. */
  readonly files: readonly InstructionFile[];
}

export interface Instructions {
  /** As they stand in a prompt: the later one has the last word. */
  readonly files: readonly InstructionFile[];
  readonly waiting: readonly WaitingRule[];
  readonly leftOut: readonly LeftOutFile[];
  /** Folders whose own files are among them: the working directory and those above it in its repository, nearest first. */
  readonly folders: readonly string[];
}

export const PROJECT_FILES = ['AGENTS.md', 'CLAUDE.md', '.claude/CLAUDE.md'];
export const LOCAL_FILES = ['AGENTS.local.md', 'CLAUDE.local.md'];
const USER_FILES = ['AGENTS.md', 'CLAUDE.md'];

/** Where an administrator writes what holds for everybody on a machine. */
export function managedInstructions(os: string): readonly string[] {
  const published = os === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';
  return ['/etc/turnwright/AGENTS.md', '/etc/turnwright/CLAUDE.md', `${published}/CLAUDE.md`];
}

export interface FoundPlaces {
  /** As they stand in a prompt: the later one has the last word. */
  readonly places: readonly InstructionPlace[];
  /** The working directory and the folders above it in its repository, the nearest first, links resolved. */
  readonly folders: readonly string[];
}

/**
 * The user's files, then those of the project from the top of its repository down to the working directory, then the
 * administrator's, who has the last word. In no repository those of the working directory alone. One look at each file
 * there may be; nothing is opened.
 */
export async function findInstructionPlaces(
  { fs }: { readonly fs: Pick<LookingFs, 'lstatAll'> },
  cwd: string,
  upwards: FoldersAbove,
  { managed = [], user = [], project = true, local = true }: InstructionSources,
): Promise<FoundPlaces> {
  const [own = cwd] = upwards.folders;
  const folders = [own, ...repositoryAbove(upwards)];
  const inFolder = (folder: string): InstructionPlace[] => [
    ...(project ? filesOf(folder, 'Project') : []),
    ...(local ? filesOf(folder, 'Local') : []),
  ];
  const possible: readonly InstructionPlace[] = [
    ...user.flatMap((folder) => USER_FILES.map((name) => ({ file: path.join(folder, name), type: 'User' as const }))),
    ...folders.toReversed().flatMap(inFolder),
    ...managed.map((file) => ({ file, type: 'Managed' as const })),
  ];
  return { places: await thatAreThere(fs, possible), folders };
}

/** What a session asks before each prompt: the folders above the one it works in, and the instruction files there are. */
export interface LookedAround {
  readonly above: FoldersAbove;
  /** Null if nobody's files are read. */
  readonly found: FoundPlaces | null;
}

/** For one session: looks around a folder, and what is asked for again costs a few looks while nothing came or went. */
export function createLookAround(): typeof lookAround {
  let kept: {
    readonly cwd: string;
    readonly sources: InstructionSources | null;
    again(): Promise<LookedAround>;
  } | null;
  kept = null;
  return (host, cwd, sources) => {
    if (kept?.cwd !== cwd || kept.sources !== sources)
      kept = { cwd, sources, again: repeatLook(host, (fs) => lookAround({ fs, clock: host.clock }, cwd, sources)) };
    return kept.again();
  };
}

/** @param sources null: nobody's files are read */
export async function lookAround(
  { fs }: LookingHost,
  cwd: string,
  sources: InstructionSources | null,
): Promise<LookedAround> {
  const above = await lookUpwards({ fs }, cwd);
  return { above, found: sources === null ? null : await findInstructionPlaces({ fs }, cwd, above, sources) };
}

/** Those there may be in a folder of the project. */
export function filesOf(folder: string, type: 'Project' | 'Local'): InstructionPlace[] {
  const names = type === 'Project' ? PROJECT_FILES : LOCAL_FILES;
  return names.map((name) => ({ file: path.join(folder, name), type }));
}

/** One batch. */
export async function thatAreThere(
  fs: Pick<Host['fs'], 'lstatAll'>,
  possible: readonly InstructionPlace[],
): Promise<readonly InstructionPlace[]> {
  const stats: readonly (FileStat | null)[] = await fs.lstatAll(possible.map(({ file }) => file));
  const files = new Set<string>();
  return possible.filter(({ file }, at) => stats[at] != null && !files.has(file) && files.add(file));
}
