// The repository as a session finds it, for the model: its main branch, what is changed, its last commits. Loaded for
// sessions in a repository. Two rules: git is started only if nothing of the folder waits for trust, with every switch
// off that makes it run something else; and whoever waits for it waits a moment only.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { type GitSnapshot, plainLine } from '../environment.js';
import { findRepository, type GitRepository } from './git-repository.js';
import { findGit, QUIET_SETTINGS, quietEnvironment } from './quiet-git.js';

export interface SnapshotRequest {
  readonly host: Host;
  /** What the session's programs see of the user: PATH and HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** False: something of the folder waits for trust, so nothing is started. */
  readonly mayRunGit: boolean;
  readonly signal: AbortSignal;
  /** Called with all that is known so far, for whoever waits no longer. */
  readonly onPart?: (soFar: GitSnapshot) => void;
}

const COMMITS = 5;
/** Characters of the status. */
const MAX_STATUS = 2_000;
/** Bytes of output that are looked at: a status of more is cut, and told without a count. */
const MAX_OUTPUT = 256 * 1024;
/** Nobody waits so long; it ends a git that hangs. */
const GIT_TIMEOUT_MS = 5_000;
const MAX_REFS = 256 * 1024;

const NOT_TRUSTED = 'not shown, because nobody has vouched for this folder';
const NO_GIT = 'not shown, because git could not be run';
const TOO_LATE = 'not shown, because git took too long';

/** Contract: never rejects; null if the folder is in no repository. Settles soon after `signal` aborts. */
export async function takeGitSnapshot(request: SnapshotRequest): Promise<GitSnapshot | null> {
  try {
    const repository = await findRepository(request.host, request.cwd);
    if (repository === null) return null;
    let soFar: GitSnapshot = { mainBranch: null, missing: TOO_LATE };
    const found = (part: Partial<GitSnapshot>) => {
      soFar = { ...soFar, ...part };
      request.onPart?.(soFar);
    };
    const [mainBranch, seen] = await Promise.all([
      findMainBranch(request.host, repository).then((name) => {
        found({ mainBranch: name });
        return name;
      }),
      // A folder that is a repository itself could have been made one by a command, so nobody vouches for it.
      request.mayRunGit && repository.folders[0] !== repository.top ? askGit(request, repository, found) : NOT_TRUSTED,
    ]);
    return typeof seen === 'string' ? { mainBranch, missing: seen } : { mainBranch, ...seen };
  } catch {
    return { mainBranch: null, missing: NO_GIT }; // the session works without, and the model is told
  }
}

/** By files alone: what the remote calls its own, else the usual names. */
async function findMainBranch(host: Pick<Host, 'fs'>, { folders }: GitRepository): Promise<string | null> {
  const shared = folders.at(-1) ?? '';
  const remote = await readText(host, path.join(shared, 'refs/remotes/origin/HEAD'));
  const named = /^ref: refs\/remotes\/origin\/(\S{1,255})/.exec(remote)?.[1];
  if (named !== undefined) return named;
  const usual = ['main', 'master'];
  const loose = await host.fs.lstatAll(usual.map((name) => path.join(shared, 'refs/heads', name)));
  const found = usual.find((_, at) => loose[at] != null);
  if (found !== undefined) return found;
  const packed = await readText(host, path.join(shared, 'packed-refs'));
  return usual.find((name) => packed.includes(` refs/heads/${name}\n`)) ?? null;
}

async function readText({ fs }: Pick<Host, 'fs'>, file: string): Promise<string> {
  const ends = await fs.readEnds(file, MAX_REFS).catch(() => null); // most repositories lack one of these files
  return ends === null ? '' : new TextDecoder().decode(ends.head);
}

type Seen = Pick<Required<GitSnapshot>, 'status' | 'commits'>;

/** One shell for both commands, since each process costs its start. `$0` is git. */
const SCRIPT = `"$0" --no-optional-locks ${QUIET_SETTINGS.map((setting) => `-c ${setting}`).join(' ')}`;
const COMMANDS = `${SCRIPT} log -n ${COMMITS} --no-color --no-decorate --format='%h %s' 2>/dev/null; printf '\\0'; ${SCRIPT} status --porcelain=v1 --untracked-files=normal --ignore-submodules=all --no-renames`;

/** @returns why it could not be asked, if it could not */
async function askGit(
  { host, env, cwd, signal }: SnapshotRequest,
  repository: GitRepository,
  found: (part: Pick<GitSnapshot, 'commits'>) => void,
): Promise<Seen | string> {
  const { git, folders } = await findGit(host, env['PATH'] ?? '', repository.top);
  if (git === null) return NO_GIT;
  if (signal.aborted) return TOO_LATE;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let hasCommits = false;
  const outcome = await host.exec.run({
    command: ['/bin/sh', '-c', COMMANDS, git],
    cwd,
    env: quietEnvironment(env, folders),
    signal,
    timeoutMs: GIT_TIMEOUT_MS,
    onStdout(chunk) {
      if (size < MAX_OUTPUT) chunks.push(chunk);
      size += chunk.length;
      // The commits come first and at once; a status may take long.
      if (!hasCommits && chunk.includes(0)) {
        hasCommits = true;
        const commits = commitsIn(new TextDecoder().decode(concat(chunks)));
        if (commits.length > 0) found({ commits }); // none may mean that git refused
      }
    },
    onStderr: () => undefined,
  });
  if (outcome.ended !== 'exited') return TOO_LATE;
  if (outcome.exitCode !== 0) return NO_GIT;
  const output = new TextDecoder().decode(concat(chunks));
  const [, status = ''] = output.split('\0');
  return {
    commits: commitsIn(output),
    status: shortStatus(linesOf(status).map(plainLine), size > MAX_OUTPUT),
  };
}

function commitsIn(output: string): string[] {
  return linesOf(output.split('\0', 1)[0] ?? '').map(plainLine);
}

/** The first lines, and how many more there are. */
function shortStatus(lines: readonly string[], isCut: boolean): readonly string[] {
  const first: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += line.length + 1;
    if (size > MAX_STATUS) break;
    first.push(line);
  }
  if (first.length === lines.length && !isCut) return lines;
  const more = isCut ? 'more' : `${lines.length - first.length} more`;
  return [...first, `[and ${more}: run git status]`];
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
