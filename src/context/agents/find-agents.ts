// Which agents there are in files of the project and of the user. One rule: every candidate ends in the list or among the
// refused, with the reason; of a folder that nobody vouches for nothing counts.

import path from 'node:path';
import { isRecord } from '../../util/is-record.js';
import { mapBounded } from '../../util/map-bounded.js';
import {
  type FileTrust,
  knownTrust,
  lookAtMarkdown,
  type MarkdownFile,
  type MarkdownHost,
  type RefusedFile,
  readMarkdown,
} from '../markdown/index.js';
import { serverWords } from '../server-words.js';
import type { ExtensionPlace, SettingLeaf } from '../settings/index.js';
import { commandsOfHooks, isTrustedItem, type TrustedItems, trustItem } from '../trust.js';
import { NO_FRONT_MATTER, type ReadAgent, readAgent } from './agent-file.js';

export interface AgentFile extends ReadAgent {
  readonly name: string;
  readonly scope: ExtensionPlace['scope'];
  /** Absolute, as it was found. */
  readonly file: string;
}

export interface RefusedAgent extends RefusedFile {
  /** A file that does not claim to be an agent, such as a README beside some. */
  readonly isNote: boolean;
}

export interface FoundAgents {
  /** The stronger first; in a place in the order of their paths. */
  readonly agents: readonly AgentFile[];
  readonly refused: readonly RefusedAgent[];
  /** Tells what was found from what is found later. */
  readonly stamp: string;
}

const UTF8 = new TextDecoder();
const MAX_AGENTS = 1_000;
const READS_AT_ONCE = 16;
const MAX_SHOWN = 300;

/** @param places from the nearest to the farthest: of two agents of one name the first counts */
export async function findAgents(
  host: MarkdownHost,
  places: readonly ExtensionPlace[],
  trust: FileTrust,
): Promise<FoundAgents> {
  const [walked, known] = await Promise.all([
    lookAtMarkdown(host, places, trust.root),
    knownTrust(host, places, trust),
  ]);
  const { candidates, refused: lost, stamp } = walked;
  const looked = candidates.slice(0, MAX_AGENTS);
  const read = await mapBounded(looked, READS_AT_ONCE, (candidate) => lookAt(host, candidate, trust, known));
  const taken = new Map<string, AgentFile>();
  const refused: RefusedAgent[] = lost.map((each) => ({ ...each, isNote: false }));
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
  return { agents: [...taken.values()], refused, stamp };
}

async function lookAt(
  host: MarkdownHost,
  candidate: MarkdownFile,
  trust: FileTrust,
  known: TrustedItems,
): Promise<AgentFile | RefusedAgent> {
  const { scope, file, namespace } = candidate;
  const bytes = await readMarkdown(host, candidate, trust.root);
  if ('problem' in bytes) return refuse(candidate, bytes.problem);
  const read = await readAgent(UTF8.decode(bytes), candidate.name);
  if ('problem' in read) return { ...refuse(candidate, read.problem), isNote: read.problem === NO_FRONT_MATTER };
  const name = namespace === undefined ? read.definition.name : `${namespace}:${read.definition.name}`;
  const agent: AgentFile = { ...read, definition: { ...read.definition, name }, name, scope, file };
  if (scope !== 'project' || trust.isGranted) return agent;
  const item = await trustItem(host, trust.root, await leafOf(host, agent, bytes), trust.cwd ?? trust.root);
  if (isTrustedItem(known, item)) return agent;
  return { ...refuse(agent, 'nobody vouches for it as it stands'), item };
}

/** What somebody vouches for: all that the file says, and the programs that it starts. */
async function leafOf(
  host: MarkdownHost,
  { name, file, definition }: AgentFile,
  bytes: Uint8Array,
): Promise<SettingLeaf> {
  const { prompt: _, description, ...fields } = definition;
  const commands = [...commandsOfHooks(fields['hooks']), ...ownServers(fields['mcpServers'])];
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

function ownServers(servers: unknown): string[] {
  if (!Array.isArray(servers)) return [];
  return servers.flatMap((server: unknown) => (isRecord(server) ? Object.values(server).flatMap(serverWords) : []));
}

function refuse({ name, scope, file }: Pick<MarkdownFile, 'name' | 'scope' | 'file'>, why: string): RefusedAgent {
  return { name, scope, file, why, item: null, isNote: false };
}
