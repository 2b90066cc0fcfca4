// Which agents there are in files of the project and of the user. One rule: every candidate ends in the list or among the
// refused, with the reason; of a folder that nobody vouches for nothing counts.
import path from 'node:path';
import { entriesIn } from '../../host/entries-in.js';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { isRecord } from '../../util/is-record.js';
import { mapBounded } from '../../util/map-bounded.js';
import { serverWords } from '../server-words.js';
import type { SettingLeaf } from '../settings/merge.js';
import type { Problem } from '../skills/front-matter.js';
import { isBelow } from '../skills/skill-files.js';
import { isTrustedItem, readTrust, type TrustedItems, type TrustItem, trustItem } from '../trust.js';
import { NO_FRONT_MATTER, type ReadAgent, readAgent } from './agent-file.js';

export type AgentsHost = Pick<Host, 'fs' | 'platform' | 'sha256'>;

/** A folder with files of agents, at any depth. */
export interface AgentPlace {
  readonly scope: 'project' | 'user' | 'plugin';
  /** Absolute. */
  readonly folder: string;
  /** Goes before the names of its agents, with a colon. For plugins. */
  readonly namespace?: string;
}

export interface AgentFile extends ReadAgent {
  readonly name: string;
  readonly scope: AgentPlace['scope'];
  /** Absolute, as it was found. */
  readonly file: string;
}

export interface RefusedAgent {
  readonly name: string;
  readonly scope: AgentPlace['scope'];
  readonly file: string;
  readonly why: string;
  /** What somebody would vouch for; null where that would not help. */
  readonly item: TrustItem | null;
  /** A file that does not claim to be an agent, such as a README beside some. */
  readonly isNote: boolean;
}

export interface AgentTrust {
  /** True where the host vouches for the folder, whatever stands in it. */
  readonly isGranted: boolean;
  /** As `trustRoot` gives it. */
  readonly root: string;
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
}

export interface FoundAgents {
  /** The stronger first; in a place in the order of their paths. */
  readonly agents: readonly AgentFile[];
  readonly refused: readonly RefusedAgent[];
  /** Tells what was found from what is found later. */
  readonly stamp: string;
}

const MAX_AGENTS = 1_000;
const MAX_FOLDERS = 500;
const MAX_DEPTH = 12;
const MAX_BYTES = 256 * 1024;
const READS_AT_ONCE = 16;
const MAX_SHOWN = 300;

/** @param places from the nearest to the farthest: of two agents of one name the first counts */
export async function findAgents(
  host: AgentsHost,
  places: readonly AgentPlace[],
  trust: AgentTrust,
): Promise<FoundAgents> {
  const [walked, known] = await Promise.all([walk(host, places, trust.root), knownTrust(host, trust)]);
  const { candidates, refused: lost } = walked;
  const looked = candidates.slice(0, MAX_AGENTS);
  const read = await mapBounded(looked, READS_AT_ONCE, (candidate) => lookAt(host, candidate, trust, known));
  const taken = new Map<string, AgentFile>();
  const refused: RefusedAgent[] = [...lost];
  for (const each of read) {
    if ('why' in each) {
      refused.push(each);
      continue;
    }
    const other = taken.get(each.name);
    if (other === undefined) taken.set(each.name, each);
    else refused.push(refuse(each, `${other.file} has that name and is nearer`));
  }
  for (const candidate of candidates.slice(MAX_AGENTS))
    refused.push(refuse(candidate, `there are more than ${MAX_AGENTS}`));
  return { agents: [...taken.values()], refused, stamp: await stampOf(host, places) };
}

/**
 * Changes with what stands in the places: which files there are, their sizes and times.
 * Contract: never throws; reads folders, and no file.
 */
export async function stampOf(host: AgentsHost, places: readonly AgentPlace[]): Promise<string> {
  if (places.length === 0) return '';
  const { candidates, folders } = await walk(host, places, '/');
  const stats = await host.fs.lstatAll(candidates.map(({ real }) => real));
  const lines = candidates.map(({ file }, at) => {
    const stat = stats[at];
    return stat == null ? file : `${file} ${stat.inode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  });
  return [...places.map(({ folder }) => folder), folders, ...lines].join('\n');
}

interface Candidate extends AgentPlace {
  readonly file: string;
  /** With links resolved. */
  readonly real: string;
  /** The name of the file. */
  readonly name: string;
}

interface Walked {
  readonly candidates: readonly Candidate[];
  readonly refused: readonly RefusedAgent[];
  readonly folders: number;
}

/** Folders whose names begin with a dot are passed by. Each folder counts once, whatever links lead to it. */
async function walk(host: AgentsHost, places: readonly AgentPlace[], root: string): Promise<Walked> {
  const candidates: Candidate[] = [];
  const refused: RefusedAgent[] = [];
  const seen = new Set<string>();
  for (const place of places) {
    let level: readonly string[] = [place.folder];
    for (let depth = 0; level.length > 0; depth++) {
      const next: string[] = [];
      for (const folder of level) {
        const at = (file: string) => ({ ...place, file, real: file, name: path.basename(file, '.md') });
        const real = await realpathOf(host, folder);
        if (real === null || seen.has(real)) continue;
        if (depth > MAX_DEPTH || seen.size >= MAX_FOLDERS) {
          const why =
            depth > MAX_DEPTH
              ? `it is more than ${MAX_DEPTH} folders deep`
              : `there are more than ${MAX_FOLDERS} folders`;
          refused.push(refuse(at(folder), why));
          continue;
        }
        seen.add(real);
        if (place.scope === 'project' && root !== '/' && !isBelow(root, real)) {
          refused.push(refuse(at(folder), 'it is a link that leads out of the repository'));
          continue;
        }
        const entries = [...(await entriesIn(host.fs, folder))].sort((a, b) => (a.name < b.name ? -1 : 1));
        for (const { name, kind } of entries) {
          if (name.startsWith('.')) continue;
          const file = path.join(folder, name);
          const target = kind === 'symlink' ? await kindOf(host, file) : kind;
          if (target === 'directory') next.push(file);
          else if (/\.md$/i.test(name) && target === 'file')
            candidates.push({ ...at(file), real: await realFile(host, file, kind) });
          else if (/\.md$/i.test(name)) refused.push(refuse(at(file), 'it is no file that can be read'));
        }
      }
      level = next;
    }
  }
  return { candidates, refused, folders: seen.size };
}

async function realpathOf({ fs }: AgentsHost, file: string): Promise<string | null> {
  return fs.realpath(file).catch((error: unknown) => {
    if (isFileError(error)) return null; // it is not there
    throw error;
  });
}

async function realFile(host: AgentsHost, file: string, kind: string): Promise<string> {
  return kind === 'symlink' ? ((await realpathOf(host, file)) ?? file) : file;
}

async function kindOf({ fs }: AgentsHost, file: string): Promise<string> {
  try {
    return (await fs.stat(file)).kind;
  } catch (error) {
    if (isFileError(error)) return 'nothing'; // it leads nowhere
    throw error;
  }
}

/** Where trust cannot be read, nobody is trusted; that is told where settings are read, or a folder is trusted. */
async function knownTrust(host: AgentsHost, { isGranted, home, root }: AgentTrust): Promise<TrustedItems> {
  if (isGranted) return {};
  return readTrust(host, home, root).catch((error: unknown) => {
    if (error instanceof ConfigError) return {};
    throw error;
  });
}

async function lookAt(
  host: AgentsHost,
  candidate: Candidate,
  trust: AgentTrust,
  known: TrustedItems,
): Promise<AgentFile | RefusedAgent> {
  const { scope, file, namespace } = candidate;
  // A link of the project may lead anywhere, whoever vouches for the folder.
  if (scope === 'project' && candidate.real !== file && !isBelow(trust.root, candidate.real))
    return refuse(candidate, 'it is a link that leads out of the repository');
  const bytes = await readBytes(host, candidate.real);
  if ('problem' in bytes) return refuse(candidate, bytes.problem);
  const read = await readAgent(new TextDecoder().decode(bytes), candidate.name);
  if ('problem' in read) return { ...refuse(candidate, read.problem), isNote: read.problem === NO_FRONT_MATTER };
  const name = namespace === undefined ? read.definition.name : `${namespace}:${read.definition.name}`;
  const agent: AgentFile = { ...read, definition: { ...read.definition, name }, name, scope, file };
  if (scope !== 'project' || trust.isGranted) return agent;
  const item = await trustItem(host, trust.root, await leafOf(host, agent, bytes), path.dirname(file));
  if (isTrustedItem(known, item)) return agent;
  return { ...refuse(agent, 'nobody vouches for it as it stands'), item };
}

async function readBytes({ fs }: AgentsHost, file: string): Promise<Uint8Array | Problem> {
  try {
    const handle = await fs.openRead(file);
    try {
      const { kind, size } = await handle.stat();
      if (kind !== 'file') return { problem: 'it is no file' };
      if (size > MAX_BYTES) return { problem: `it has more than ${MAX_BYTES / 1024} KB` };
      return await handle.read(0, MAX_BYTES);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    return { problem: `it cannot be read (${error.code})` };
  }
}

/** What somebody vouches for: all that the file says, and the programs that it starts. */
async function leafOf(
  host: AgentsHost,
  { name, file, definition }: AgentFile,
  bytes: Uint8Array,
): Promise<SettingLeaf> {
  const { prompt: _, description, ...fields } = definition;
  const commands = [...hookCommands(fields['hooks']), ...ownServers(fields['mcpServers'])];
  // All of it is in the hash; the value is for people to look at.
  const value = {
    description: String(description).slice(0, MAX_SHOWN),
    ...fields,
    ...(commands.length === 0 ? {} : { commands }),
    sha256: await host.sha256(bytes),
  };
  const key = `agent ${name}`;
  return { path: ['agent', name], key, value, isItem: false, scope: 'project', file, base: path.dirname(file) };
}

function hookCommands(hooks: unknown): string[] {
  if (!isRecord(hooks)) return [];
  const groups = Object.values(hooks).flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
  const each = groups.flatMap((group) => (isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : []));
  return each.flatMap((hook: unknown) =>
    isRecord(hook) && typeof hook['command'] === 'string' ? [hook['command']] : [],
  );
}

function ownServers(servers: unknown): string[] {
  if (!Array.isArray(servers)) return [];
  return servers.flatMap((server: unknown) => (isRecord(server) ? Object.values(server).flatMap(serverWords) : []));
}

function refuse({ name, scope, file }: Pick<Candidate, 'name' | 'scope' | 'file'>, why: string): RefusedAgent {
  return { name, scope, file, why, item: null, isNote: false };
}
