// What checkpoints never touch or cannot hold, how that is said, and how much they may look at, hold and take.
import path from 'node:path';
import type { NotCovered, NotCoveredReason } from '../../protocol/rewind.js';

/** Belongs to a version control system: never recorded, never restored, whatever asks for it. */
const VERSION_CONTROL: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj']);

/** Folders that are made again by a command: left out, for they are large and nobody writes in them. */
const GENERATED: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  '__pycache__',
  '.cache',
  '.gradle',
  '.next',
  '.nuxt',
  '.turbo',
  '.tox',
]);

/** Files that mark their folder as such a one: build tools write the first, virtual environments have the second. */
const GENERATED_MARKS: ReadonlySet<string> = new Set(['CACHEDIR.TAG', 'pyvenv.cfg']);

/** What a look at the workspace could not tell, or a change whose undoing is not possible. */
export interface Gap {
  /** Null if it is not about one file or folder. */
  readonly path: string | null;
  readonly reason: NotCoveredReason;
}

/** By any part of the path. */
export function isVersionControl(file: string): boolean {
  return file.split(path.sep).some(isVersionControlName);
}

/** Upper case counts too: some file systems do not tell it apart. */
export function isVersionControlName(name: string): boolean {
  return name.startsWith('.') && VERSION_CONTROL.has(name.toLowerCase());
}

export function isGeneratedFolder(name: string): boolean {
  return GENERATED.has(name);
}

export function marksGenerated(name: string): boolean {
  return GENERATED_MARKS.has(name);
}

export function describeGap({ path: file, reason }: Gap): NotCovered {
  return { path: file, reason, message: `${file ?? 'What a call changed'} ${WHY[reason]}.` };
}

/** After the name of the file or folder. */
const WHY: Readonly<Record<NotCoveredReason, string>> = {
  version_control: 'changed, and belongs to version control, which is never set back',
  generated_folder: 'changed, and holds generated files, which are not kept',
  too_many_files: 'is in a workspace of more files than are looked at around a command, so its changes are not known',
  too_large: 'is too large for its former content to be kept',
  too_much: 'was changed when as much was kept already as may be',
  too_slow: 'could not be looked at in the time there is, so its former content is not known',
  unreadable: 'could not be read, so its former content is not known',
  changing: 'was being changed while it was looked at, so its former content is not known',
  not_kept: 'could not be kept: the folder of the session could not be written',
  interrupted: 'is not known whole: the process ended while the call ran',
  in_background: 'in the background, after the call that started it, is not recorded',
  not_recorded: 'was not recorded: the session ran without checkpoints then',
  journal_damaged: 'may be missing: lines of the checkpoint journal could not be read',
  outside_workspace: 'outside of the workspace is not known: commands may have changed something there',
};

export interface Bounds {
  /** Bytes of one file whose content is kept. */
  readonly fileBytes: number;
  /** Bytes of the workspace that are held while commands may change it. */
  readonly captureBytes: number;
  /** Bytes of former content that a session keeps. */
  readonly keptBytes: number;
  /** Files and folders of the workspace that are looked at around a command. */
  readonly entries: number;
  /** Names in one folder; a folder with more is left out. */
  readonly folderEntries: number;
  /** Milliseconds for one look at the workspace. */
  readonly scanMs: number;
  /** Milliseconds before a command for reading what is not held yet. */
  readonly captureMs: number;
}

export const BOUNDS: Bounds = {
  fileBytes: 10_000_000,
  captureBytes: 256_000_000,
  keptBytes: 1_000_000_000,
  entries: 20_000,
  folderEntries: 5_000,
  scanMs: 5_000,
  captureMs: 10_000,
};

/** File-system calls under way at a time. */
export const CONCURRENCY = 16;
