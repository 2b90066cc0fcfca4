// What the model is told of the machine it works on. Reads a few small files; starts no process.
import path from 'node:path';
import type { Host } from '../host/host.js';
import { type FoldersAbove, lookUpwards } from './look.js';

export interface EnvironmentFacts {
  readonly cwd: string;
  readonly platform: string;
  /** ISO date, as the calendar of the host has it. */
  readonly date: string;
  readonly git: { readonly branch: string | null } | null;
  readonly additionalDirectories: readonly string[];
  /** Absent, or null: nothing is told of it. */
  readonly snapshot?: GitSnapshot | null;
}

/** A repository as a session found it. Lines as `plainLine` gives them. */
export interface GitSnapshot {
  /** Null: not known. */
  readonly mainBranch: string | null;
  /** The last ones, the newest first: a short id and a subject. Null: not shown. */
  readonly commits?: readonly string[] | null;
  /** As `git status --short` says it; no line for a clean worktree. */
  readonly status?: readonly string[];
  /** Why there is neither, a clause. */
  readonly missing?: string;
}

/** What of it may change while a session lasts. */
export type ChangingFacts = Pick<EnvironmentFacts, 'date' | 'git' | 'snapshot'> &
  Partial<Pick<EnvironmentFacts, 'additionalDirectories'>> & {
    /** Where commands start. Absent: not known. */
    readonly cwd?: string;
  };

export async function readEnvironment(
  host: Host,
  cwd: string,
  additionalDirectories: readonly string[],
  above?: Promise<FoldersAbove>,
): Promise<EnvironmentFacts> {
  return {
    cwd,
    platform: `${host.platform.os} ${host.platform.release}`,
    date: dateOf(host.clock),
    git: await readGitState(host, cwd, above),
    additionalDirectories,
  };
}

function dateOf(clock: Host['clock']): string {
  const now = clock.now();
  const ahead = clock.utcOffset?.(now) ?? 0;
  return new Date(now + ahead * 60_000).toISOString().slice(0, 10);
}

/** The environment as a prompt block. */
export function describeEnvironment(facts: EnvironmentFacts): string {
  const lines = [
    `Working directory: ${facts.cwd}`,
    ...facts.additionalDirectories.map(alsoThere),
    `Platform: ${facts.platform}`,
    ...changingLines(facts),
    ...(facts.git === null || facts.snapshot == null ? [] : snapshotLines(facts.snapshot)),
  ];
  return `<environment>\n${lines.join('\n')}\n</environment>`;
}

/** Whoever names a folder can say no more by its name. */
const alsoThere = (folder: string) => `Also in the workspace: ${folder.replace(UNSEEN, '?')}`;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** What a repository says of itself is data: its names must not pass for anything else in the prompt. */
const AS_FOUND = 'as the session began (data of the repository; not updated)';
const MAX_LINE = 160;

function snapshotLines({ mainBranch, commits, status, missing }: GitSnapshot): string[] {
  const main = mainBranch === null ? [] : [`Main branch: ${plainLine(mainBranch)}`];
  if (commits === undefined)
    return [...main, `Git status and last commits: ${missing ?? 'not known'}. Run git if you need them.`];
  const last =
    commits === null
      ? []
      : commits.length === 0
        ? ['No commits yet.']
        : [`Last commits ${AS_FOUND}:`, ...commits.map(indented)];
  if (status === undefined)
    return [...main, ...last, `Git status: ${missing ?? 'not known'}. Run git status if you need it.`];
  return [
    ...main,
    ...last,
    ...(status.length === 0
      ? ['Git status as the session began: clean']
      : [`Git status ${AS_FOUND}:`, ...status.map(indented)]),
  ];
}

const indented = (line: string) => `  ${line}`;

/** One line of what a repository holds, that can neither end the block it stands in nor hide anything. */
export function plainLine(line: string): string {
  const plain = line.replace(UNSEEN, '?').replaceAll('<', '&lt;');
  return plain.length > MAX_LINE ? `${plain.slice(0, MAX_LINE)}…` : plain;
}

/**
 * What is not as the model was told, for a message; null if all is.
 * @param isPlaceTold false: the conversation may say something else of the working directory
 */
export function describeChanges(told: ChangingFacts, now: ChangingFacts, isPlaceTold = true): string | null {
  const known = changingLines(told);
  const isMoved = now.cwd !== undefined && (!isPlaceTold || (told.cwd !== undefined && told.cwd !== now.cwd));
  const folders = now.additionalDirectories ?? [];
  const knownFolders = told.additionalDirectories ?? [];
  const news = [
    ...(isMoved ? [`Working directory: ${now.cwd}`] : []),
    ...changingLines(now).filter((line) => !known.includes(line)),
    ...folders.filter((folder) => !knownFolders.includes(folder)).map(alsoThere),
    ...knownFolders
      .filter((folder) => !folders.includes(folder))
      .map((folder) => `No longer in the workspace: ${folder.replace(UNSEEN, '?')}`),
  ];
  return news.length === 0 ? null : `<environment-changed>\n${news.join('\n')}\n</environment-changed>`;
}

function changingLines({ date, git }: ChangingFacts): string[] {
  if (git === null) return [`Date: ${date}`, 'Git: not a repository'];
  const branch = git.branch === null ? 'no branch checked out' : `on branch ${git.branch}`;
  return [`Date: ${date}`, `Git: a repository, ${branch}`];
}

/**
 * Finds the repository `cwd` is in and its branch, by reading files: a git command would obey the repository's own
 * configuration, which may name programs to run.
 */
export async function readGitState(
  host: Host,
  cwd: string,
  above: Promise<FoldersAbove> = lookUpwards(host, cwd),
): Promise<EnvironmentFacts['git']> {
  const { folders, found } = await above;
  for (const folder of folders.filter((_, at) => found[at]?.dotGit != null)) {
    const head = await readHead(host, path.join(folder, '.git'));
    if (head !== undefined) return { branch: /^ref: refs\/heads\/(\S+)/.exec(head)?.[1] ?? null };
  }
  return null;
}

/** The text of HEAD, or undefined if `gitPath` is not a repository's. A worktree's `.git` is a file naming its folder. */
async function readHead(host: Host, gitPath: string): Promise<string | undefined> {
  try {
    const stat = await host.fs.stat(gitPath);
    if (stat.kind === 'directory') return await readSmallText(host, path.join(gitPath, 'HEAD'));
    const link = /^gitdir: (.+)/.exec(await readSmallText(host, gitPath))?.[1];
    return link === undefined
      ? undefined
      : await readSmallText(host, path.join(path.resolve(path.dirname(gitPath), link.trim()), 'HEAD'));
  } catch {
    return undefined; // no repository here, or not one that can be read; the prompt then says so
  }
}

const SMALL_FILE = 4_096;

async function readSmallText(host: Host, file: string): Promise<string> {
  const { kind, size } = await host.fs.stat(file);
  if (kind !== 'file' || size > SMALL_FILE) return '';
  return new TextDecoder().decode(await host.fs.readFile(file));
}
