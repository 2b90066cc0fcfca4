// The programs that the configuration of a repository makes git start even where it only reads: status, diff, log. Found
// by reading files: a git command would start them. Loaded for repositories that gave reason to look.
import path from 'node:path';
import type { Host } from '../host/host.js';
import { type GitSetting, INCLUDES, readGitText, UNREADABLE, UNREADABLE_KEY } from './git-config.js';
import { findRepository, type GitRepository, nestedRepositories, readOwnConfig } from './git-repository.js';

/** A value of the repository that makes git start something: `core.fsmonitor`, `diff.x.textconv`. */
export type GitProgram = GitSetting;

/** By the key in lower case, without what stands in quotes in the middle. */
const KEYS: ReadonlySet<string> = new Set([
  // Newer versions let an alias stand for a command that is going away.
  'alias.whatchanged',
  'core.alternaterefscommand',
  'core.fsmonitor',
  'diff.external',
  'diff.*.command',
  'diff.*.textconv',
  // What is missing is fetched, by programs that the other keys of the remote name.
  'extensions.partialclone',
  'filter.*.clean',
  'filter.*.smudge',
  'filter.*.process',
  'gpg.program',
  'gpg.*.program',
  'include.path',
  'includeif.*.path',
  'merge.*.driver',
  'remote.*.promisor',
  UNREADABLE_KEY,
]);

/** What large-file storage writes into every repository it is used in. */
const HARMLESS = ['git-lfs clean -- %f', 'git-lfs smudge -- %f', 'git-lfs filter-process'];

/** Words of one program that may name files. */
const MAX_WORDS = 20;
/** Characters of a file. */
const MAX_SHOWN = 1_000;

const HOOKS_PATH = 'core.hookspath';
/** Git runs it when status renews the index. */
const READING_HOOK = 'post-index-change';

type GitHost = Pick<Host, 'fs' | 'platform' | 'sha256'>;

/**
 * Those of the repository that `cwd` is in and of the repositories that it records; none where the folder is in none.
 * Contract: never throws for what stands on the disk.
 */
export async function gitPrograms(host: GitHost, cwd: string): Promise<readonly GitProgram[]> {
  const repository = await findRepository(host, cwd);
  if (repository === null) return [];
  return [...(await programsOf(host, repository, cwd)), ...(await nestedPrograms(host, repository))];
}

/** Those of the repositories alone that a repository records in its folders. Contract: as `gitPrograms`. */
export async function nestedPrograms(host: GitHost, repository: GitRepository): Promise<readonly GitProgram[]> {
  const { repositories, untold } = await nestedRepositories(host, repository);
  const programs: GitProgram[] = untold.map((file) => ({ file, key: UNREADABLE_KEY, value: '' }));
  for (const nested of repositories) programs.push(...(await programsOf(host, nested, nested.top)));
  return programs;
}

/** Those of the repository itself. Contract: as `gitPrograms`. */
export function ownPrograms(host: GitHost, repository: GitRepository): Promise<readonly GitProgram[]> {
  return programsOf(host, repository, repository.top);
}

async function programsOf(host: GitHost, repository: GitRepository, cwd: string): Promise<readonly GitProgram[]> {
  const settings = await readOwnConfig(host, repository);
  const programs = settings.filter(startsSomething);
  const named = settings.filter(({ key }) => key === HOOKS_PATH);
  return [
    ...programs,
    ...(await hooksOf(host, [cwd, repository.top], repository.folders, named)),
    ...(await scriptsOf(host, repository.top, programs)),
  ];
}

/** Files of the repository that its programs name: what stands in them is what runs. */
async function scriptsOf(host: GitHost, top: string, programs: readonly GitProgram[]): Promise<GitProgram[]> {
  const commands = programs.filter(({ key }) => !INCLUDES.test(key));
  const words = commands.flatMap(({ value }) => value.split(/[\s"'`;|&()<>$=]+/).slice(0, MAX_WORDS));
  const files = new Set(words.filter((word) => word !== '').map((word) => path.resolve(top, word)));
  const scripts: GitProgram[] = [];
  for (const file of files) {
    if (!file.startsWith(`${top}/`)) continue;
    const text = await readGitText(host, file);
    if (text !== null) scripts.push({ file, key: 'script', value: await shown(host, text) });
  }
  return scripts;
}

/** As much as a person reads; of more, what tells it from another. */
async function shown({ sha256 }: GitHost, text: string): Promise<string> {
  if (text === UNREADABLE) return UNREADABLE_KEY;
  if (text.length <= MAX_SHOWN) return text;
  return `${text.length} characters, SHA-256 ${await sha256(new TextEncoder().encode(text))}`;
}

function startsSomething({ key, value }: GitSetting): boolean {
  const parts = key.split('.');
  const plain = parts.length > 2 ? `${parts[0]}.*.${parts.at(-1)}` : key;
  const isOff = /^(?:false|no|off|0|)$/i.test(value);
  if (isOff && (plain === 'core.fsmonitor' || plain === 'remote.*.promisor')) return false;
  return KEYS.has(plain) && !HARMLESS.includes(value);
}

/** A hook counts only where it is there: a folder for hooks is common, and git runs few of them while it reads. */
async function hooksOf(
  host: GitHost,
  starts: readonly string[],
  folders: readonly string[],
  named: readonly GitSetting[],
): Promise<GitProgram[]> {
  const places = new Set([
    ...folders.map((folder) => path.join(folder, 'hooks', READING_HOOK)),
    // From the top of the worktree, which a folder of it cannot tell; all are looked at.
    ...named.flatMap(({ value, file }) =>
      [...starts, path.dirname(path.dirname(file))].map((start) => path.resolve(start, value, READING_HOOK)),
    ),
  ]);
  const hooks: GitProgram[] = [];
  for (const file of places) {
    const text = await readGitText(host, file);
    if (text !== null) hooks.push({ file, key: READING_HOOK, value: await shown(host, text) });
  }
  return hooks;
}
