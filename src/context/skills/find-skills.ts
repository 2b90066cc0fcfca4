// Which skills there are, in folders of the project and of the user. One rule: every candidate ends in the list or among
// the refused, with the reason; of a folder that nobody vouches for nothing counts.
import path from 'node:path';
import { entriesIn, type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { mapBounded } from '../../util/map-bounded.js';
import type { SettingLeaf } from '../settings/merge.js';
import type { ExtensionPlace } from '../settings/places.js';
import { commandsOfHooks, isTrustedItem, readTrust, type TrustedItems, type TrustItem, trustItem } from '../trust.js';
import type { Problem } from './front-matter.js';
import { type ReadSkill, readSkill, type SkillDefinition } from './skill-definition.js';
import { isBelow, readSkillFile, readSkillFiles, SKILL_FILE } from './skill-files.js';

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
  /** True where the host vouches for the folder, whatever stands in it. */
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
}

const MAX_SKILLS = 500;
const READS_AT_ONCE = 8;

/** @param places from the nearest to the farthest: of two skills of one name the first counts */
export async function findSkills(
  host: SkillsHost,
  places: readonly ExtensionPlace[],
  trust: SkillTrust,
): Promise<FoundSkills> {
  const [candidates, known] = await Promise.all([candidatesIn(host, places), knownTrust(host, trust)]);
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
  return { skills: [...taken.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), refused };
}

/** Another text where a skill came, went or changed, as far as its SKILL.md tells. One look at each candidate, and no more. */
export async function stampOfSkills({ fs }: Pick<Host, 'fs'>, places: readonly ExtensionPlace[]): Promise<string> {
  if (places.length === 0) return '';
  const files: string[] = [];
  for (const { folder } of places) {
    const names = (await entriesIn(fs, folder)).filter(({ name, kind }) => kind !== 'file' && !name.startsWith('.'));
    files.push(path.join(folder, SKILL_FILE), ...names.map(({ name }) => path.join(folder, name, SKILL_FILE)));
    if (files.length > MAX_SKILLS) break;
  }
  const stats = await fs.lstatAll(files.slice(0, MAX_SKILLS));
  return stats
    .map((stat, at) => (stat === null ? '' : `${files[at]} ${stat.inode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`))
    .join('\n');
}

interface Candidate extends ExtensionPlace {
  /** The name of its folder. */
  readonly base: string;
}

/** Folders whose names begin with a dot are none. */
async function candidatesIn({ fs }: SkillsHost, places: readonly ExtensionPlace[]): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const { scope, folder, namespace } of places) {
    // A plugin may name the folder of one skill itself.
    if (scope === 'plugin' && (await isSkill(fs, folder))) {
      found.push({ scope, folder, base: path.basename(folder), ...(namespace === undefined ? {} : { namespace }) });
      continue;
    }
    const entries = (await entriesIn(fs, folder))
      .filter(({ name, kind }) => (kind === 'directory' || kind === 'symlink') && !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name: base, kind } of entries) {
      const own = path.join(folder, base);
      // A link to a file is none either.
      if (kind === 'directory' || (await isFolder(fs, own)))
        found.push({ scope, folder: own, base, ...(namespace === undefined ? {} : { namespace }) });
    }
  }
  return found;
}

async function isSkill(fs: Host['fs'], folder: string): Promise<boolean> {
  const [file] = await fs.lstatAll([path.join(folder, SKILL_FILE)]);
  return file != null;
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
async function knownTrust(host: SkillsHost, { isGranted, home, root }: SkillTrust): Promise<TrustedItems> {
  if (isGranted) return {};
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
  const skill = { ...definition, ...place(candidate), bytes, body };
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
  { scope, folder }: ExtensionPlace,
  { isGranted, root, cwd = root }: SkillTrust,
): Promise<SkillFolder | Problem> {
  const file = path.join(folder, SKILL_FILE);
  if (scope !== 'project') return readText(await readSkillFile(host, file), folder, null);
  const real = await host.fs.realpath(folder).catch((error: unknown) => {
    if (isFileError(error)) return null; // told as what it is by then: gone
    throw error;
  });
  if (real === null) return { problem: 'its folder is gone' };
  if (!isBelow(root, real)) return { problem: 'its folder is a link that leads out of the repository' };
  if (isGranted) return readText(await grantedFile(host, real), folder, null);
  // Whoever has no such file is told so, whatever else the folder holds.
  const own = await readSkillFile(host, path.join(real, SKILL_FILE));
  if ('problem' in own) return own;
  const files = await readSkillFiles(host, real);
  if ('problem' in files) return files;
  const { main, sha256, files: count, bytes } = files;
  const read = await readText(main, folder, null);
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
async function grantedFile(host: SkillsHost, real: string): Promise<Uint8Array | Problem> {
  const file = path.join(real, SKILL_FILE);
  const target = await host.fs.realpath(file).catch(() => file); // told by reading it
  return isBelow(real, target)
    ? readSkillFile(host, file)
    : { problem: `its ${SKILL_FILE} is a link out of its folder` };
}

async function readText(main: Uint8Array | Problem, folder: string, item: null): Promise<SkillFolder | Problem> {
  if ('problem' in main) return main;
  const read = await readSkill(new TextDecoder().decode(main), path.basename(folder));
  return 'problem' in read ? read : { ...read, bytes: main.length, item };
}

function leafOf(file: string, name: string, value: unknown): SettingLeaf {
  const key = `skill ${name}`;
  return { path: ['skill', name], key, value, isItem: false, scope: 'project', file, base: path.dirname(file) };
}

function place({ scope, folder }: ExtensionPlace): Pick<Skill, 'scope' | 'folder' | 'file'> {
  return { scope, folder, file: path.join(folder, SKILL_FILE) };
}

function named(candidate: Candidate): Pick<RefusedSkill, 'name' | 'scope' | 'file'> {
  const { scope, file } = place(candidate);
  return { name: candidate.base, scope, file };
}

function plain({ name, scope, file }: Skill): Pick<RefusedSkill, 'name' | 'scope' | 'file'> {
  return { name, scope, file };
}
