// The programs that the configuration of a repository makes git start, when it only reads (status, diff, log) and with
// any command. Found by reading files: a git command would start them. Loaded for repositories that gave reason to look.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { configuredPath, type GitSetting, INCLUDES, readGitText, UNREADABLE, UNREADABLE_KEY } from './git-files.js';
import {
  findRepository,
  type GitRepository,
  nestedRepositories,
  ownConfigFiles,
  readOwnConfig,
} from './git-repository.js';

/** A value of the repository that makes git start something: `core.fsmonitor`, `diff.x.textconv`. */
export type GitProgram = GitSetting;

/** Words of one program that may name files. */
const MAX_WORDS = 20;
/** Characters of a file. */
const MAX_SHOWN = 1_000;

/** Git runs it when status renews the index. */
const READING_HOOK = 'post-index-change';

type GitHost = Pick<Host, 'fs' | 'platform' | 'sha256'>;

/**
 * Those of the repository that `cwd` is in and of the repositories that it records; none if the folder is in none.
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
  return (await programsByUse(host, repository, [cwd])).reading;
}

/** What the configuration of one repository starts, and where that stands. */
export interface RepositoryPrograms {
  /** Started even when git only reads. */
  readonly reading: readonly GitProgram[];
  /** With any command: those of `reading` among them. */
  readonly acting: readonly GitProgram[];
  /** Its settings, those of included files among them. */
  readonly settings: readonly GitSetting[];
  /** Files and folders that were looked at, even if they are missing: while they stay, so does this. */
  readonly files: readonly string[];
}

/**
 * @param starts folders that its worktree may be, beside its top
 * @param usersSettings of the user's own configuration, of which a path in the repository counts
 * Contract: never throws for what stands on the disk.
 */
export async function programsByUse(
  host: GitHost,
  repository: GitRepository,
  starts: readonly string[] = [],
  usersSettings: readonly GitSetting[] = [],
): Promise<RepositoryPrograms> {
  const settings = await readOwnConfig(host, repository);
  const worktrees = settings.filter(({ key }) => key === 'core.worktree');
  const tops = [
    ...new Set([
      repository.top,
      ...starts,
      ...worktrees.map(({ file, value }) => configuredPath(host, path.dirname(file), value)),
    ]),
  ];
  const keyed = settings.filter((setting) => startsProgram(setting) !== null);
  const places = hookFolders(host, tops, repository.folders, settings, usersSettings);
  const hooks = await hooksIn(host, places);
  const reading = keyed.filter((setting) => startsProgram(setting) === 'reading');
  const scripts = await scriptsOf(host, tops, keyed);
  const files = [
    ...ownConfigFiles(repository),
    ...namedFiles(host, settings),
    ...places,
    ...hooks.map(({ file }) => file),
    ...scriptNames(tops, keyed),
  ];
  return {
    reading: [...reading, ...hooks.filter(({ key }) => key === READING_HOOK), ...scripts.filter(isOf(tops, reading))],
    acting: [...keyed, ...hooks, ...scripts],
    settings,
    files,
  };
}

/** Files that settings include, even if they are missing. */
export function namedFiles(host: Pick<Host, 'platform'>, settings: readonly GitSetting[]): readonly string[] {
  const included = settings.filter(({ key }) => INCLUDES.test(key));
  return included.map(({ file, value }) => configuredPath(host, path.dirname(file), value));
}

/** Files of the repository that its programs name: what stands in them is what runs. */
async function scriptsOf(host: GitHost, tops: readonly string[], programs: readonly GitSetting[]) {
  const scripts: GitProgram[] = [];
  for (const file of scriptNames(tops, programs)) {
    const text = await readGitText(host, file);
    if (text !== null) scripts.push({ file, key: 'script', value: await shown(host, text) });
  }
  return scripts;
}

function scriptNames(tops: readonly string[], programs: readonly GitSetting[]): readonly string[] {
  const commands = programs.filter(({ key }) => !INCLUDES.test(key));
  const words = commands.flatMap(({ value }) => value.split(/[\s"'`;|&()<>$=]+/).slice(0, MAX_WORDS));
  const named = words.filter((word) => word !== '');
  const files = tops.flatMap((top) =>
    named.map((word) => path.resolve(top, word)).filter((file) => file.startsWith(`${top}/`)),
  );
  return [...new Set(files)];
}

function isOf(tops: readonly string[], programs: readonly GitSetting[]): (script: GitProgram) => boolean {
  const names = new Set(scriptNames(tops, programs));
  return ({ file }) => names.has(file);
}

/** As much as a person reads; of more, what tells it from another. */
async function shown({ sha256 }: GitHost, text: string): Promise<string> {
  if (text === UNREADABLE) return UNREADABLE_KEY;
  if (text.length <= MAX_SHOWN) return text;
  return `${text.length} characters, SHA-256 ${await sha256(new TextEncoder().encode(text))}`;
}

/** Folders that git may run hooks of the repository from. */
function hookFolders(
  host: GitHost,
  tops: readonly string[],
  folders: readonly string[],
  settings: readonly GitSetting[],
  usersSettings: readonly GitSetting[],
): readonly string[] {
  const own = settings.filter(({ key, value }) => key === HOOKS_PATH && value !== '');
  // What the user names from the root on is the user's own.
  const ofUser = usersSettings.filter(({ key, value }) => key === HOOKS_PATH && /^[^/~]/.test(value));
  const named = [
    // From the top of the worktree, which a folder of it cannot tell; all are looked at.
    ...own.flatMap(({ value, file }) =>
      [...tops, path.dirname(path.dirname(file))].map((start) => configuredPath(host, start, value)),
    ),
    ...ofUser.flatMap(({ value }) => tops.map((top) => path.resolve(top, value))),
  ];
  // What stands in this folder of a manager of hooks starts what stands beside it.
  const started = named.filter((folder) => path.basename(folder) === '_').map((folder) => path.dirname(folder));
  return [...new Set([...folders.map((folder) => path.join(folder, 'hooks')), ...named, ...started])];
}

/** What large-file storage puts there. */
const LARGE_FILES_HOOK =
  /^#!\/bin\/sh\ncommand -v git-lfs >\/dev\/null 2>&1 \|\| \{ (?:echo|printf) >&2 "[^"$`]*"; exit 2; \}\ngit lfs [a-z-]+ "\$@"\n?$/;

/** A hook counts only if it is there: a folder for hooks is common, with samples in it. */
async function hooksIn(host: GitHost, folders: readonly string[]): Promise<GitProgram[]> {
  const names = folders.flatMap((folder) => HOOKS.map((hook) => ({ file: path.join(folder, hook), key: hook })));
  const there = await host.fs.lstatAll(names.map(({ file }) => file));
  const hooks: GitProgram[] = [];
  for (const { file, key } of names.filter((_, at) => there[at] != null)) {
    const text = await readGitText(host, file);
    if (text !== null && !LARGE_FILES_HOOK.test(text)) hooks.push({ file, key, value: await shown(host, text) });
  }
  return hooks;
}

// The hooks that git knows, and the key that says where else they stand. Data.

export const HOOKS_PATH = 'core.hookspath';

/** Git starts these. */
export const HOOKS: readonly string[] = (
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit ' +
  'pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update ' +
  'reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman ' +
  'p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change'
).split(' ');

// Which keys of a repository's configuration make git start a program: when it only reads, or with some other command.
// Rule: a key that nobody knows and that is called like one of these counts as one.

/** Obeyed even when git only reads: status, diff, log. In lower case, `*` for what stands in quotes in the middle. */
const WHILE_READING: ReadonlySet<string> = new Set([
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

/** Obeyed by other commands, and not called as such keys mostly are. */
const WHILE_ACTING: ReadonlySet<string> = new Set([
  'core.askpass',
  'core.gitproxy',
  'core.sshcommand',
  'gc.recentobjectshook',
  'imap.tunnel',
  'init.templatedir',
  'protocol.allow',
  'protocol.*.allow',
  'remote.*.receivepack',
  'remote.*.uploadpack',
  'remote.*.vcs',
  'sendemail.smtpserver',
  'sequence.editor',
  'svn.authorsprog',
]);
const ACTING_SECTION = /^(?:alias|browser|credential|difftool|guitool|hook|man|mergetool|pager|sendemail\..*)\./;
/** The last part of a key: whatever section it stands in. */
const CALLED_LIKE_ONE =
  /(?:cmd|command|program|prog|helper|editor|pager|hook|hooks|hookspath|driver|textconv|process|clean|smudge|filter|browser|exec|executable|askpass|tunnel|agent|script)$/;

/** What large-file storage writes into every repository it is used in. */
const LARGE_FILES: ReadonlySet<string> = new Set([
  'git-lfs clean -- %f',
  'git-lfs smudge -- %f',
  'git-lfs filter-process',
]);
/** Called like one, and none. */
const HARMLESS: ReadonlySet<string> = new Set(['http.useragent', 'http.*.useragent', 'remote.*.partialclonefilter']);
const OFF = /^(?:false|no|off|0|)$/i;
const ON = /^(?:true|yes|on|\d+)$/i;
/** Programs that a person names for themselves, as plain words: nothing of the repository is started. */
const PLAIN_PAGER = /^(?:cat|less(?: -[A-Za-z]+)*|more|delta|bat)$/;
const PLAIN_EDITOR = /^(?:vi|vim|nvim|nano|emacs|micro|hx|code(?: --wait| -w)*|true|:)$/;
const PLAIN_HELPER =
  /^(?:cache(?: --timeout[= ]\d+)?|store|osxkeychain|manager|manager-core|libsecret|wincred|gnome-keyring)?$/;
const PLAIN_SSH = /^ssh(?: -[46CTqvx]+)*$/;
const PLAIN_ALIAS =
  /^(?:add|branch|checkout|commit|diff|fetch|log|merge|pull|push|remote|reset|restore|rev-parse|shortlog|show|stash|status|switch|tag)(?: (?!-?-?\S*(?:exec|pack))[\w=:%,^~@{}'".-]+)*$/;

/** `reading`: even when git only reads; `acting`: with some other command. Null: it starts nothing. */
function startsProgram({ key, value }: Pick<GitSetting, 'key' | 'value'>): 'reading' | 'acting' | null {
  const parts = key.split('.');
  const plain = parts.length > 2 ? `${parts[0]}.*.${parts.at(-1)}` : key;
  if (WHILE_READING.has(plain)) return isHarmlessWhileReading(plain, value) ? null : 'reading';
  return mayAct(key, plain, value) && !isHarmless(key, plain, value) ? 'acting' : null;
}

function isHarmlessWhileReading(plain: string, value: string): boolean {
  if (plain === 'core.fsmonitor' || plain === 'remote.*.promisor') return OFF.test(value);
  return LARGE_FILES.has(value);
}

function mayAct(key: string, plain: string, value: string): boolean {
  if (key === 'core.hookspath') return false; // what stands there is looked at instead
  return (
    WHILE_ACTING.has(plain) ||
    ACTING_SECTION.test(key) ||
    CALLED_LIKE_ONE.test(plain.slice(plain.lastIndexOf('.') + 1)) ||
    (plain === 'submodule.*.update' && value.startsWith('!')) ||
    (plain.startsWith('lfs.*.') && plain.endsWith('.path')) ||
    /^(?:ext|fd)::/.test(value)
  );
}

function isHarmless(key: string, plain: string, value: string): boolean {
  // A program that is called so is none of the repository's.
  if (OFF.test(value) || ON.test(value)) return true;
  if (key.startsWith('pager.') || key === 'core.pager') return PLAIN_PAGER.test(value);
  if (key.startsWith('alias.')) return PLAIN_ALIAS.test(value);
  if (key.startsWith('credential.')) return !plain.endsWith('.helper') || PLAIN_HELPER.test(value);
  if (key === 'core.editor' || key === 'sequence.editor') return PLAIN_EDITOR.test(value);
  if (key === 'core.sshcommand') return PLAIN_SSH.test(value);
  if (key === 'protocol.allow' || plain === 'protocol.*.allow') return value !== 'always';
  return HARMLESS.has(plain) || LARGE_FILES.has(value);
}
