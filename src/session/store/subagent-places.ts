// The transcripts of a session's subagents: beside its own, each with a small file that says who started it.
import path from 'node:path';
import { entriesIn, type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { ownPart } from './own-folder.js';
import type { SessionPlace } from './session-places.js';

const TRANSCRIPT = /^agent-([A-Za-z0-9_-]{1,128})\.jsonl$/;
const SUBPATH = /^subagents\/agent-([A-Za-z0-9_-]{1,128})$/;
const AGENT_ID = /^[A-Za-z0-9_-]{1,128}$/;
const MAX_META_BYTES = 65_536;

/** Under which the calls are kept that a call makes, such as those of a script: as the id of a subagent. */
export function nestedCallsId(toolUseId: string): string {
  return `call-${toolUseId.replace(/[^A-Za-z0-9_-]/g, '_').slice(-100)}`;
}

export interface SubagentOrigin {
  readonly toolUseId: string | null;
  readonly parentAgentId: string | null;
}

const UNKNOWN_ORIGIN: SubagentOrigin = { toolUseId: null, parentAgentId: null };

/** Sorted. */
export async function subagentIds(host: Pick<Host, 'fs'>, { ownFolder }: SessionPlace): Promise<string[]> {
  const folder = await ownPart(host, ownFolder, 'subagents');
  const entries = folder === null ? [] : await entriesIn(host.fs, folder);
  return entries.flatMap(({ name, kind }) => (kind === 'file' ? (TRANSCRIPT.exec(name)?.[1] ?? []) : []));
}

/** @throws ConfigError for an id that could name another path */
export function subagentSubpath(agentId: string): string {
  if (typeof agentId === 'string' && AGENT_ID.test(agentId)) return `subagents/agent-${agentId}`;
  throw new ConfigError(`"${String(agentId)}" is not the id of a subagent. listSubagents gives those of a session.`);
}

export function subagentFile({ ownFolder }: SessionPlace, agentId: string): string {
  return path.join(ownFolder, `${subagentSubpath(agentId)}.jsonl`);
}

/** The ids among the subpaths that a store gave. */
export function idsOfSubpaths(subpaths: readonly string[]): string[] {
  return subpaths.flatMap((subpath) => SUBPATH.exec(subpath)?.[1] ?? []).sort();
}

export async function readSubagentOrigin(
  host: Pick<Host, 'fs'>,
  place: SessionPlace,
  agentId: string,
): Promise<SubagentOrigin> {
  const file = subagentFile(place, agentId).replace(/\.jsonl$/, '.meta.json');
  try {
    if ((await ownPart(host, place.ownFolder, 'subagents')) === null) return UNKNOWN_ORIGIN;
    const { kind, size } = await host.fs.lstat(file);
    if (kind !== 'file' || size > MAX_META_BYTES) return UNKNOWN_ORIGIN;
    const meta: unknown = JSON.parse(new TextDecoder().decode(await host.fs.readFile(file)));
    const { toolUseId, parentAgentId } = (meta ?? {}) as Readonly<Record<string, unknown>>;
    return {
      toolUseId: typeof toolUseId === 'string' ? toolUseId : null,
      parentAgentId: typeof parentAgentId === 'string' ? parentAgentId : null,
    };
  } catch (error) {
    if (isFileError(error) || error instanceof SyntaxError) return UNKNOWN_ORIGIN; // not said, or not readably
    throw error;
  }
}
