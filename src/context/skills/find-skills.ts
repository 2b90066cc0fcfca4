// Which skills there are, in folders of the project and of the user, and what one consists of. One rule: every candidate ends in the
// list or among the refused, with the reason; of a folder that nobody vouches for nothing counts.
import path from 'node:path';
import {
  type DirectoryEntry,
  entriesIn,
  type FileEnds,
  type FileStat,
  type Host,
  isFileError,
  isFolder,
} from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { mapBounded } from '../../util/map-bounded.js';
import { type FileTrust, knownTrust, type Problem } from '../markdown/index.js';
import type { ExtensionPlace, SettingLeaf } from '../settings/index.js';
import { commandsOfHooks, isTrustedItem, type TrustedItems, type TrustItem, trustItem } from '../trust.js';
import { type ReadSkill, readSkill, type SkillDefinition } from './skill-definition.js';

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

export interface FoundSkills {
  /** In the order of their names. */
  readonly skills: readonly Skill[];
  /** In the order in which they were found. */
  readonly refused: readonly RefusedSkill[];
  /** Another one if a skill came, went or changed since, by `stampOfSkills`. */
  readonly stamp: string;
}

const MAX_SKILLS = 500;
const READS_AT_ONCE = 8;

/** @param places from the nearest to the farthest: of two skills of one name the first counts */
export async function findSkills(
  host: SkillsHost,
  places: readonly ExtensionPlace[],
  trust: FileTrust,
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

/**
 * Another text if a skill came, went or changed, as far as its SKILL.md tells. One look at each candidate, and no more.
 */
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

async function lookAt(
  host: SkillsHost,
  candidate: Candidate,
  trust: FileTrust,
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
  { isGranted, root, cwd = root }: FileTrust,
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

// What a skill consists of: every file in its folder, as one hash. One rule: what cannot be held to a hash is no skill that
// anybody could vouch for, so it is refused.

type FilesHost = Pick<Host, 'fs' | 'sha256'>;

export interface SkillFiles {
  /** Of all paths with what they hold. */
  readonly sha256: string;
  readonly files: number;
  readonly bytes: number;
  /** SKILL.md as it went into the hash. */
  readonly main: Uint8Array;
}

/** A SKILL.md alone. */
export interface SkillSource {
  readonly text: string;
  readonly bytes: number;
}

const SKILL_FILE = 'SKILL.md';
/** Bytes of a SKILL.md. */
const MAX_SKILL_BYTES = 256 * 1024;
const MAX_FILES = 500;
const MAX_DEPTH = 12;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * A SKILL.md alone. Contract: never throws for what stands on the disk.
 * @param known what it is by a look just now, null if nothing: so that hundreds are looked at once
 */
async function readSkillFile(
  { fs }: Pick<Host, 'fs'>,
  file: string,
  known?: FileStat | null,
): Promise<SkillSource | Problem> {
  if (known === null) return { problem: `it has no ${SKILL_FILE}` };
  const read = ({ stat, head }: FileEnds): SkillSource | Problem =>
    stat.size > MAX_SKILL_BYTES
      ? { problem: `its ${SKILL_FILE} has more than ${MAX_SKILL_BYTES / 1024} KB` }
      : sourceOf(head);
  try {
    return known?.kind === 'file'
      ? await fs.lookAtEnds(file, known, MAX_SKILL_BYTES, read)
      : read(await fs.readEnds(file, MAX_SKILL_BYTES));
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (error.code === 'EISDIR' || error.code === 'EINVAL') return { problem: `its ${SKILL_FILE} is not a file` };
    return { problem: error.code === 'ENOENT' ? `it has no ${SKILL_FILE}` : `its ${SKILL_FILE} cannot be read` };
  }
}

const UTF8 = new TextDecoder();

function sourceOf(main: Uint8Array): SkillSource {
  return { text: UTF8.decode(main), bytes: main.length };
}

/** @param folder with links resolved. Contract: as `readSkillFile`; links count as they are written and lead nowhere else. */
async function readSkillFiles(host: FilesHost, folder: string): Promise<SkillFiles | Problem> {
  try {
    const found = await walk(host, folder);
    if ('problem' in found) return found;
    let main: Uint8Array | null = null;
    let bytes = 0;
    const lines = await mapBounded(found, READS_AT_ONCE, async ({ name, kind }) => {
      if (kind === 'symlink') return `${name}\0link\0${await host.fs.readlink(path.join(folder, name))}`;
      const content = await readWhole(host, path.join(folder, name), MAX_BYTES - bytes);
      bytes += content?.length ?? MAX_BYTES + 1;
      if (name === SKILL_FILE) main = content;
      return `${name}\0file\0${content === null ? '' : await host.sha256(content)}`;
    });
    if (bytes > MAX_BYTES) return { problem: `its folder holds more than ${MAX_BYTES / 1024 / 1024} MB` };
    if (main === null) return { problem: `its ${SKILL_FILE} is not a file of its own` };
    const content: Uint8Array = main;
    if (content.length > MAX_SKILL_BYTES)
      return { problem: `its ${SKILL_FILE} has more than ${MAX_SKILL_BYTES / 1024} KB` };
    const sha256 = await host.sha256(new TextEncoder().encode(lines.join('\n')));
    return { sha256, files: found.length, bytes, main: content };
  } catch (error) {
    if (!isFileError(error)) throw error;
    return { problem: `a file of its folder cannot be read (${error.code})` };
  }
}

/** Null for one that is longer. A file that grows while it is read is read as far as it went. */
async function readWhole({ fs }: FilesHost, file: string, room: number): Promise<Uint8Array | null> {
  const handle = await fs.openRead(file);
  try {
    const { kind, size } = await handle.stat();
    return kind !== 'file' || size > room ? null : await handle.read(0, size);
  } finally {
    await handle.close();
  }
}

/** All files and links, with paths relative to the folder, sorted. */
async function walk(
  host: FilesHost,
  top: string,
): Promise<readonly { readonly name: string; readonly kind: 'file' | 'symlink' }[] | Problem> {
  const found: { name: string; kind: 'file' | 'symlink' }[] = [];
  let level: readonly string[] = [''];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return { problem: `its folder is more than ${MAX_DEPTH} folders deep` };
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of await host.fs.entries(path.join(top, folder))) {
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
        const problem = await problemOf(host, top, name, entry);
        if (problem !== null) return { problem };
        if (entry.kind === 'directory') next.push(name);
        else found.push({ name, kind: entry.kind as 'file' | 'symlink' });
        if (found.length + next.length > MAX_FILES) return { problem: `its folder holds more than ${MAX_FILES} files` };
      }
    }
    level = next;
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function problemOf(
  { fs }: FilesHost,
  top: string,
  name: string,
  { kind }: DirectoryEntry,
): Promise<string | null> {
  if (kind === 'file' || kind === 'directory') return null;
  const shown = JSON.stringify(name.slice(0, 200));
  if (kind !== 'symlink') return `${shown} in its folder is neither file nor folder`;
  const target = await fs.realpath(path.join(top, name)).catch((error: unknown) => {
    if (isFileError(error)) return null; // where it leads later cannot be told
    throw error;
  });
  return target !== null && isInside(top, target) ? null : `${shown} is a link that leads out of its folder`;
}
