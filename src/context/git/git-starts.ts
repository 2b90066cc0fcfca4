// What version control would start in the repositories that a command reaches, as they stand now, and that nobody vouched
// for. One for each session. One rule: what somebody vouched for is what was looked at, and nothing that came since.

import path from 'node:path';
import type { Host } from '../../host/host.js';
import { pathBelow } from '../../host/is-inside.js';
import { ConfigError } from '../../protocol/errors.js';
import { foldersUpFrom, lookAgainIfChanged } from '../look.js';
import type { SettingLeaf } from '../settings/index.js';
import { isTrustedItem, readTrust, type TrustedItems, type TrustItem, trustItem, trustRoot } from '../trust.js';
import { type GitSetting, readGitConfig, readGitText, UNREADABLE, UNREADABLE_KEY } from './git-files.js';
import { type GitProgram, programsByUse } from './git-programs.js';
import {
  type GitRepository,
  namedRepository,
  nestedRepositories,
  repositoriesAt,
  searchRepositories,
} from './git-repository.js';

/** Where a command of version control works. */
export interface Reach {
  readonly system: 'git' | 'hg' | 'jj';
  /** Absolute: where it looks for its repository. */
  readonly folder: string;
  /** The folder of git and the worktree that the command names; absolute, null if it names none. */
  readonly gitFolder: string | null;
  readonly workTree: string | null;
  /** True if it only reads. */
  readonly isReading: boolean;
  /** Absolute paths that may be repositories of this machine, whose programs it starts too: those that it pushes to. */
  readonly peers: readonly string[];
  /** Absolute folders that what it makes is copied from. */
  readonly templates: readonly string[];
  /** With whom its repository exchanges commits: the addresses in its configuration count as peers. */
  readonly transfer: 'push' | 'fetch' | null;
}

/** What somebody has to vouch for. */
export interface ForeignStart {
  /** For people: the file and the key, and of which repository. */
  readonly why: string;
  /** What a yes vouches for, as it was looked at: for `vouch`. */
  readonly seen: string;
}

export interface GitStarts {
  /** Looks at the repository of the session before anything can change it. Contract: cheap from the second call on. */
  begin(): Promise<void>;
  /** Null if nothing starts, or all that starts is vouched for. Contract: never throws for what stands on the disk. */
  foreignStart(reach: Reach): Promise<ForeignStart | null>;
  /**
   * Somebody said yes: to these as they were looked at.
   * @throws ConfigError, FileError if it holds for this session alone, since it cannot be kept
   */
  vouch(seen: readonly string[]): Promise<void>;
}

export interface GitStartsPlace {
  readonly host: Pick<Host, 'fs' | 'platform' | 'sha256'>;
  /** What programs of the session see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** The engine's own folder, where trust is kept. */
  readonly home: string;
  /** True if the host vouches for the folder: its own repository counts as it stood when the session began to act. */
  readonly isGranted?: boolean | undefined;
  /** Keeps trust beyond the session. Default: it is kept for the session alone. @throws ConfigError, FileError */
  readonly keepTrust?: ((root: string, items: readonly TrustItem[]) => Promise<void>) | undefined;
}

interface Found {
  readonly repository: GitRepository;
  readonly reading: readonly GitProgram[];
  readonly acting: readonly GitProgram[];
  /** Addresses of others, as paths of this machine. */
  readonly pushesTo: readonly string[];
  readonly fetchesFrom: readonly string[];
}

/** Repositories that are kept in mind. */
const MAX_KEPT = 64;

export function createGitStarts(place: GitStartsPlace): GitStarts {
  const { host } = place;
  const looks = new Map<string, () => Promise<readonly Found[]>>();
  const vouched = new Set<string>();
  const shown = new Map<string, { readonly top: string; readonly programs: readonly GitProgram[] }>();
  let began: Promise<void> | null = null;
  const found = (key: string, look: () => Promise<Looked>): Promise<readonly Found[]> => {
    const kept = looks.get(key) ?? lookAgainIfChanged(host, look);
    if (looks.size >= MAX_KEPT) looks.clear();
    looks.set(key, kept);
    return kept();
  };
  const lookFrom = (folder: string) => found(folder, () => lookUp(place, folder));
  const lookAt = (peer: string) => found(`=${peer}`, () => lookAtPeer(place, peer));
  const begin = (): Promise<void> => {
    began ??= (async () => {
      if (place.isGranted !== true) return;
      const [own] = await lookFrom(place.cwd);
      // One that is called otherwise may have been made by a command of an earlier session.
      if (own === undefined || !own.repository.folders.some(isNamedGit)) return;
      for (const program of own.acting) vouched.add(textOf(program));
    })();
    return began;
  };
  return {
    begin,
    async foreignStart(reach) {
      await begin();
      const reached = reach.system === 'hg' ? [] : await reachedByGit(place, reach, lookFrom, found);
      const others = reach.transfer === null ? [] : reached.flatMap((each) => peersOf(each, reach.transfer));
      const peers = (await Promise.all([...new Set([...reach.peers, ...others])].map(lookAt))).flat();
      const templates = (await Promise.all(reach.templates.map(lookAt))).flat();
      const isPush = reach.transfer === 'push';
      const all = [
        ...reached.map(({ repository, reading, acting }) => ({
          repository,
          programs: reach.isReading ? reading : acting,
        })),
        ...peers.map(({ repository, reading, acting }) => ({ repository, programs: isPush ? acting : reading })),
        ...templates.map(({ repository, acting }) => ({ repository, programs: acting })),
        ...(reach.system === 'git' ? [] : await foreignConfiguration(host, reach.system, reach.folder)),
      ];
      for (const { repository, programs } of all) {
        const open = programs.filter((program) => !vouched.has(textOf(program)));
        const unvouched = await unvouchedPrograms(host, place.home, [place.cwd, repository.top], open);
        const [first] = unvouched;
        if (first === undefined) continue;
        const seen = await host.sha256(new TextEncoder().encode(unvouched.map(textOf).join('\n')));
        shown.set(seen, { top: repository.top, programs: unvouched });
        return { why: whyAsked(place.cwd, unvouched), seen };
      }
      return null;
    },
    async vouch(seen) {
      const all = seen.flatMap((id) => shown.get(id) ?? []);
      // For this session first: that it cannot be kept takes nothing back.
      for (const { programs } of all) for (const each of programs.filter(keepsTrust)) vouched.add(textOf(each));
      for (const known of all) {
        if (place.keepTrust === undefined || !known.programs.every(keepsTrust)) continue;
        const root = await trustRoot(host, known.top);
        const items = await Promise.all(known.programs.map((each) => trustItem(host, root, gitLeaf(each), known.top)));
        await place.keepTrust(root, items);
      }
    },
  };
}

type Looked = Awaited<ReturnType<Parameters<typeof lookAgainIfChanged<readonly Found[]>>[1]>>;

async function reachedByGit(
  place: GitStartsPlace,
  { folder, gitFolder, workTree }: Reach,
  lookFrom: (folder: string) => Promise<readonly Found[]>,
  found: (key: string, look: () => Promise<Looked>) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const ofEnv = (name: string) => {
    const value = place.env[name];
    return value === undefined || value === '' ? null : path.resolve(folder, value);
  };
  const named = gitFolder ?? ofEnv('GIT_DIR');
  const top = workTree ?? ofEnv('GIT_WORK_TREE');
  if (named === null && top === null) return lookFrom(folder);
  if (named === null) return found(`${folder}\0${top}`, () => lookUp(place, folder, top ?? folder));
  return found(`${folder}\0${top}\0${named}`, async () => {
    const repository = await namedRepository(place.host, named, top ?? folder);
    return lookInto(place, [repository], [folder], [named]);
  });
}

async function lookUp(place: GitStartsPlace, folder: string, workTree?: string): Promise<Looked> {
  const { repositories, marks } = await searchRepositories(place.host, folder);
  return lookInto(place, repositories, workTree === undefined ? [] : [workTree], marks);
}

async function lookAtPeer(place: GitStartsPlace, peer: string): Promise<Looked> {
  const places = [peer, `${peer}.git`];
  const repositories = (await Promise.all(places.map((each) => repositoriesAt(place.host, each)))).flat();
  const marks = places.flatMap((each) => [
    each,
    ...['.git', 'HEAD', 'config', 'hooks'].map((name) => path.join(each, name)),
  ]);
  return lookInto(place, repositories, [], marks);
}

/** What repositories start, with those that they record. */
async function lookInto(
  place: GitStartsPlace,
  repositories: readonly GitRepository[],
  starts: readonly string[],
  marks: readonly string[],
): Promise<Looked> {
  const { host } = place;
  const userFiles = userConfigFiles(host, place.env);
  const usersSettings = await readGitConfig(host, userFiles);
  const value: Found[] = [];
  const files = [...marks, ...(repositories.length === 0 ? [] : userFiles)];
  let isPlain = true;
  for (const repository of repositories) {
    const nested = await nestedRepositories(host, repository);
    if (!nested.isPlain) isPlain = false;
    for (const each of [repository, ...nested.repositories]) {
      const programs = await programsByUse(host, each, starts, usersSettings);
      value.push({ repository: each, ...programs, ...addressesIn(each, programs.settings) });
      files.push(...programs.files);
    }
    const untold = nested.untold.map((file) => ({ file, key: '(unreadable)', value: '' }));
    if (untold.length > 0) value.push({ repository, reading: untold, acting: untold, pushesTo: [], fetchesFrom: [] });
    files.push(path.join(repository.folders[0] ?? '', 'index'));
  }
  // What nested repositories are changes without the index: then it is looked at anew each time.
  return { files: isPlain ? files : null, value };
}

/** Other repositories of this machine that the configuration names. */
function addressesIn({ top }: GitRepository, settings: readonly GitSetting[]) {
  const paths = (pattern: RegExp): string[] =>
    settings.filter(({ key }) => pattern.test(key)).flatMap(({ value }) => pathOf(value, top) ?? []);
  const rewritten = settings.flatMap(({ key }) => {
    const base = /^url\.(.*)\.(?:pushinsteadof|insteadof)$/s.exec(key)?.[1];
    return base === undefined ? [] : (pathOf(base, top) ?? []);
  });
  const fetchesFrom = [...paths(/^(?:remote\..*\.url|branch\..*\.remote)$/s), ...rewritten];
  return {
    fetchesFrom,
    pushesTo: [...fetchesFrom, ...paths(/^(?:remote\..*\.pushurl|branch\..*\.pushremote|remote\.pushdefault)$/s)],
  };
}

/** The path of an address that means this machine; null for any other. */
export function pathOf(address: string, base: string): string | null {
  const file = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(address)?.[1];
  if (file !== undefined) return path.resolve(decodePath(file));
  return address === '' || /^[^/]*:/.test(address) ? null : path.resolve(base, address);
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no escapes of an address
  }
}

function peersOf({ pushesTo, fetchesFrom }: Found, transfer: Reach['transfer']): readonly string[] {
  return transfer === 'push' ? pushesTo : fetchesFrom;
}

function isNamedGit(folder: string): boolean {
  return folder.split(path.sep).includes('.git');
}

function textOf({ file, key, value }: GitProgram): string {
  return JSON.stringify([file, key, value]);
}

const SHOWN = 3;

function whyAsked(cwd: string, programs: readonly GitProgram[]): string {
  const named = programs.slice(0, SHOWN).map(({ file, key }) => `${pathBelow(cwd, file) || file} (${key})`);
  const more = programs.length > SHOWN ? ` and ${programs.length - SHOWN} more` : '';
  return `${named.join(', ')}${more} would start a program, and nobody vouched for it as it stands`;
}

/** Files of git's configuration that are the machine's and the user's, whether they are there or not. */
export function userConfigFiles(
  { platform }: Pick<Host, 'platform'>,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const config = env['XDG_CONFIG_HOME'] ?? path.join(platform.homedir, '.config');
  return ['/etc/gitconfig', path.join(platform.homedir, '.gitconfig'), path.join(config, 'git', 'config')];
}

// Programs of git's configuration as values that somebody may vouch for.

/** Two values of one key are two things to trust. */
export function gitLeaf({ file, key, value }: GitProgram): SettingLeaf {
  return { path: [key], key, value, isItem: true, scope: 'project', file, base: path.dirname(file) };
}

/** False for what cannot be read: nobody knows what they would vouch for. */
function keepsTrust({ key }: GitProgram): boolean {
  return key !== UNREADABLE_KEY;
}

/**
 * Those that the user never vouched for as they stand.
 * @param places folders whose repositories they may have been vouched for with
 * Contract: if trust cannot be read, all of them.
 */
export async function unvouchedPrograms(
  host: Pick<Host, 'fs' | 'platform' | 'sha256'>,
  home: string,
  places: readonly string[],
  programs: readonly GitProgram[],
): Promise<readonly GitProgram[]> {
  let open = programs;
  for (const place of new Set(places)) {
    if (open.length === 0) break;
    const root = await trustRoot(host, place);
    const known: TrustedItems = await readTrust(host, home, root).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      return {}; // told when the settings of the folder are read
    });
    const items = await Promise.all(open.map((program) => trustItem(host, root, gitLeaf(program), place)));
    open = open.filter((_, at) => {
      const item = items[at];
      return item === undefined || !isTrustedItem(known, item);
    });
  }
  return open;
}

// Repositories of other systems of version control whose configuration can start programs: Mercurial and Jujutsu. Their
// files are taken as a whole: one with more in it than addresses and names may start anything. A working copy of
// Subversion has no such file.

interface FoundConfiguration {
  readonly repository: GitRepository;
  readonly programs: readonly GitProgram[];
}

/** Files of a repository's own folder, and sections of them that start nothing. */
const SYSTEMS = {
  hg: { folder: '.hg', files: ['hgrc', 'hgrc-not-shared'], harmless: /^(?:paths|phases|web|ui|diff|annotate)$/ },
  jj: { folder: '.jj', files: ['repo/config.toml', 'workspace-config.toml'], harmless: /^(?:user|snapshot|git)$/ },
} as const;
/** Of a harmless section too. */
const ACTING_KEY = /(?:edit|pager|merge|ssh|remotecmd|command|askpass|helper|tool|program|exec|%include|diff-editor)/i;
const MAX_SHOWN = 1_000;

/** Contract: never throws for what stands on the disk; none if the folder is in no repository of that system. */
async function foreignConfiguration(
  host: Pick<Host, 'fs' | 'sha256'>,
  system: keyof typeof SYSTEMS,
  from: string,
): Promise<readonly FoundConfiguration[]> {
  const { folder: name, files, harmless } = SYSTEMS[system];
  const real = await host.fs.realpath(from).catch(() => from); // a folder that is not there yet
  const tops = foldersUpFrom(real);
  const stats = await host.fs.lstatAll(tops.map((top) => path.join(top, name)));
  const top = tops[stats.findIndex((stat) => stat !== null)];
  if (top === undefined) return [];
  const own = path.join(top, name);
  const shared = (await readGitText(host, path.join(own, 'sharedpath')))?.trim() ?? '';
  const folders = shared === '' ? [own] : [own, path.resolve(own, shared)];
  const programs: GitProgram[] = [];
  for (const file of folders.flatMap((folder) => files.map((each) => path.join(folder, each)))) {
    const text = await readGitText(host, file);
    if (text === null) continue;
    const key = text === UNREADABLE ? UNREADABLE_KEY : actingPart(text, harmless);
    if (key !== null) programs.push({ file, key, value: await shownText(host, text) });
  }
  return [{ repository: { top, folders }, programs }];
}

/** The first section or key that may start something; null if there is none. */
function actingPart(text: string, harmless: RegExp): string | null {
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const part = line.trim();
    if (part === '' || /^[#;]/.test(part)) continue;
    const header = /^\[\s*"?([^\]".\s]+)/.exec(part)?.[1];
    if (header !== undefined) section = header.toLowerCase();
    else if (!harmless.test(section) || ACTING_KEY.test(part))
      return section === '' ? part.slice(0, 40) : `[${section}]`;
  }
  return null;
}

async function shownText({ sha256 }: Pick<Host, 'sha256'>, text: string): Promise<string> {
  if (text === UNREADABLE) return '';
  return text.length <= MAX_SHOWN ? text : `SHA-256 ${await sha256(new TextEncoder().encode(text))}`;
}
