// Which skills there are, in folders of the project and of the user. One rule: every candidate ends in the list or among
// the refused, with the reason; of a folder that nobody vouches for nothing counts.

import path from 'node:path';
import { type DirectoryEntry, entriesIn, type FileStat, type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { ConfigError } from '../../protocol/errors.js';
import { mapBounded } from '../../util/map-bounded.js';
import type { Problem } from '../markdown/index.js';
import type { ExtensionPlace, SettingLeaf } from '../settings/index.js';
import { commandsOfHooks, isTrustedItem, readTrust, type TrustedItems, type TrustItem, trustItem } from '../trust.js';
import { type ReadSkill, readSkill, type SkillDefinition } from './skill-definition.js';
import { readSkillFile, readSkillFiles, SKILL_FILE, type SkillSource, sourceOf } from './skill-files.js';

export type SkillsHost = Pick<Host, 'fs' | 'platform' | 'sha256'>;

export interface Skill extends SkillDefinition {
  readonly scope: ExtensionPlace['scope'];
  /** Absolute, as it was found. */
  readonly folder: string;
  readonly file: string;
  /** Of its SKILL.md. */
  readonly bytes: number;
  /** Its text as it was found; what is used is read again then. */
  readonly body: string;
}

export interface RefusedSkill {
  readonly name: string;
  readonly file: string;
  readonly scope: ExtensionPlace['scope'];
  readonly why: string;
  /** What somebody would vouch for; null if that would not help. */
  readonly item: TrustItem | null;
}

export interface SkillTrust {
  /** True if the host vouches for the folder, whatever stands in it. */
  readonly isGranted: boolean;
  /** As `trustRoot` gives it. */
  readonly root: string;
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
  /** Where commands of hooks run, absolute; absent: in `root`. */
  readonly cwd?: string;
}

export interface FoundSkills {
  /** In the order of their names. */
  readonly skills: readonly Skill[];
  /** In the order in which they were found. */
  readonly refused: readonly RefusedSkill[];
  /** Another one where a skill came, went or changed since, by `stampOfSkills`. */
  readonly stamp: string;
}

const MAX_SKILLS = 500;
const READS_AT_ONCE = 8;

/** @param places from the nearest to the farthest: of two skills of one name the first counts */
export async function findSkills(
  host: SkillsHost,
  places: readonly ExtensionPlace[],
  trust: SkillTrust,
): Promise<FoundSkills> {
  const [{ folders, stamp }, known] = await Promise.all([lookIn(host, places), knownTrust(host, places, trust)]);
  const candidates = await candidatesOf(host, folders);
  const looked = candidates.slice(0, MAX_SKILLS);
  const read = await mapBounded(looked, READS_AT_ONCE, (candidate) => lookAt(host, candidate, trust, known));
  const taken = new Map<string, Skill>();
  const refused: RefusedSkill[] = [];
  for (const each of read) {
    const skill = 'why' in each ? null : each;
    const other = skill === null ? undefined : taken.get(skill.name.toLowerCase());
    if (skill === null) refused.push(each as RefusedSkill);
    else if (other === undefined) taken.set(skill.name.toLowerCase(), skill);
    else refused.push({ ...plain(skill), why: `${other.file} has that name and is nearer`, item: null });
  }
  for (const candidate of candidates.slice(MAX_SKILLS))
    refused.push({ ...named(candidate), why: `there are more than ${MAX_SKILLS}`, item: null });
  return { skills: [...taken.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), refused, stamp };
}

/** Another text where a skill came, went or changed, as far as its SKILL.md tells. One look at each candidate, and no more. */
export async function stampOfSkills(host: Pick<Host, 'fs'>, places: readonly ExtensionPlace[]): Promise<string> {
  return (await lookIn(host, places)).stamp;
}

interface Candidate extends ExtensionPlace {
  /** The name of its folder. */
  readonly base: string;
  readonly file: string;
  /** Of its SKILL.md, null if there is none; absent behind the first `MAX_SKILLS`. */
  readonly stat?: FileStat | null;
}

interface LookedFolder extends Candidate {
  /** Null: a place itself, which only a plugin means as a skill. */
  readonly kind: DirectoryEntry['kind'] | null;
}

/** Each place and what in it may be the folder of a skill. Names that begin with a dot are not. */
async function lookIn(
  { fs }: Pick<Host, 'fs'>,
  places: readonly ExtensionPlace[],
): Promise<{ readonly folders: readonly LookedFolder[]; readonly stamp: string }> {
  const folders: LookedFolder[] = [];
  for (const place of places) {
    const own = path.join(place.folder, SKILL_FILE);
    folders.push({ ...place, base: path.basename(place.folder), file: own, kind: null });
    const entries = (await entriesIn(fs, place.folder))
      .filter(({ name, kind }) => (kind === 'directory' || kind === 'symlink') && !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, kind } of entries) {
      const folder = path.join(place.folder, name);
      folders.push({ ...place, folder, base: name, file: `${folder}${path.sep}${SKILL_FILE}`, kind });
    }
  }
  const looked = folders.filter(({ kind }, at) => kind === null || at < MAX_SKILLS + places.length);
  const stats = await fs.lstatAll(looked.map(({ file }) => file));
  const lines = stats.map((stat, at) =>
    stat === null ? '' : `${looked[at]?.file} ${stat.inode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`,
  );
  const known = new Map(looked.map((folder, at) => [folder, stats[at] ?? null]));
  return {
    folders: folders.map((folder) => (known.has(folder) ? { ...folder, stat: known.get(folder) ?? null } : folder)),
    stamp: lines.join('\n'),
  };
}

/** A plugin may name the folder of one skill itself; what stands in that is its own. A link to a file is no skill. */
async function candidatesOf({ fs }: SkillsHost, folders: readonly LookedFolder[]): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  let isWithin = false;
  for (const folder of folders) {
    if (folder.kind === null) isWithin = folder.scope === 'plugin' && folder.stat != null;
    if (
      folder.kind === null
        ? isWithin
        : !isWithin && (folder.kind === 'directory' || (await isFolder(fs, folder.folder)))
    )
      found.push(folder);
  }
  return found;
}

async function isFolder(fs: Host['fs'], folder: string): Promise<boolean> {
  try {
    return (await fs.stat(folder)).kind === 'directory';
  } catch (error) {
    if (isFileError(error)) return false; // it leads nowhere, so it is no folder
    throw error;
  }
}

/** Where trust cannot be read, nobody is trusted; that is told where settings are read, or a folder is trusted. */
async function knownTrust(
  host: SkillsHost,
  places: readonly ExtensionPlace[],
  { isGranted, home, root }: SkillTrust,
): Promise<TrustedItems> {
  if (isGranted || !places.some(({ scope }) => scope === 'project')) return {};
  return readTrust(host, home, root).catch((error: unknown) => {
    if (error instanceof ConfigError) return {};
    throw error;
  });
}

async function lookAt(
  host: SkillsHost,
  candidate: Candidate,
  trust: SkillTrust,
  known: TrustedItems,
): Promise<Skill | RefusedSkill> {
  const refuse = (why: string, item: TrustItem | null = null): RefusedSkill => ({ ...named(candidate), why, item });
  const read = await readFolder(host, candidate, trust);
  if ('problem' in read) return refuse(read.problem);
  const { item, bytes, body } = read;
  const { namespace } = candidate;
  const name = namespace === undefined ? read.definition.name : `${namespace}:${read.definition.name}`;
  const definition = { ...read.definition, name };
  const { scope, folder, file } = candidate;
  const skill = { ...definition, scope, folder, file, bytes, body };
  if (item === null || isTrustedItem(known, item)) return skill;
  return { ...plain(skill), why: 'nobody vouches for it as it stands', item };
}

export interface SkillFolder extends ReadSkill {
  readonly bytes: number;
  /** Null if nobody has to vouch for it. */
  readonly item: TrustItem | null;
}

/** What stands in the folder of a skill now. Contract: never throws for what stands on the disk. */
export async function readFolder(
  host: SkillsHost,
  { scope, folder, file, stat }: Pick<Candidate, 'scope' | 'folder' | 'file' | 'stat'>,
  { isGranted, root, cwd = root }: SkillTrust,
): Promise<SkillFolder | Problem> {
  if (scope !== 'project') return readText(await readSkillFile(host, file, stat), folder, null);
  const real = await host.fs.realpath(folder).catch((error: unknown) => {
    if (isFileError(error)) return null; // told as what it is by then: gone
    throw error;
  });
  if (real === null) return { problem: 'its folder is gone' };
  if (!isInside(root, real)) return { problem: 'its folder is a link that leads out of the repository' };
  if (isGranted) return readText(await grantedFile(host, real), folder, null);
  // Whoever has no such file is told so, whatever else the folder holds.
  const own = await readSkillFile(host, path.join(real, SKILL_FILE));
  if ('problem' in own) return own;
  const files = await readSkillFiles(host, real);
  if ('problem' in files) return files;
  const { main, sha256, files: count, bytes } = files;
  const read = await readText(sourceOf(main), folder, null);
  if ('problem' in read) return read;
  const { name, description, allowedTools, model, hooks } = read.definition;
  const value = {
    name,
    description,
    allowedTools,
    ...(model === undefined ? {} : { model }),
    ...(hooks === undefined ? {} : { hooks, commands: commandsOfHooks(hooks) }),
    files: count,
    bytes,
    sha256,
  };
  return { ...read, item: await trustItem(host, root, leafOf(file, name, value), cwd) };
}

/** A link in the folder may lead anywhere, whoever vouches for it. */
async function grantedFile(host: SkillsHost, real: string): Promise<SkillSource | Problem> {
  const file = path.join(real, SKILL_FILE);
  const target = await host.fs.realpath(file).catch(() => file); // told by reading it
  return isInside(real, target)
    ? readSkillFile(host, file)
    : { problem: `its ${SKILL_FILE} is a link out of its folder` };
}

async function readText(main: SkillSource | Problem, folder: string, item: null): Promise<SkillFolder | Problem> {
  if ('problem' in main) return main;
  const read = await readSkill(main.text, path.basename(folder));
  return 'problem' in read ? read : { ...read, bytes: main.bytes, item };
}

function leafOf(file: string, name: string, value: unknown): SettingLeaf {
  const key = `skill ${name}`;
  return { path: ['skill', name], key, value, isItem: false, scope: 'project', file, base: path.dirname(file) };
}

function named({ base, scope, file }: Candidate): Pick<RefusedSkill, 'name' | 'scope' | 'file'> {
  return { name: base, scope, file };
}

function plain({ name, scope, file }: Skill): Pick<RefusedSkill, 'name' | 'scope' | 'file'> {
  return { name, scope, file };
}
