// Agents of files for a session, and what becomes of them while it lives. Loaded if there are some.
import path from 'node:path';
import { findAgents } from '../context/agents/find-agents.js';
import { type FileTrust, stampOf } from '../context/markdown-files.js';
import type { ExtensionPlace } from '../context/settings/places.js';
import { trustRoot } from '../context/trust.js';
import type { Host } from '../host/host.js';
import type { AgentFiles } from '../session/config/index.js';
import { type SettingsOptions, vouches } from '../session/settings/index.js';
import { homeFolder } from '../session/store/index.js';

export type AgentFilesOptions = Pick<SettingsOptions, 'settingSources' | 'trustFolder'> & {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** @param places from the nearest to the farthest */
export async function openAgentFiles(
  places: readonly ExtensionPlace[],
  options: AgentFilesOptions,
  host: Host,
): Promise<AgentFiles> {
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const root = await trustRoot(host, cwd);
  const trust: FileTrust = {
    isGranted: vouches(options),
    root,
    cwd,
    home: homeFolder(host, { ...host.env, ...options.env }),
  };
  return { ...(await findAgents(host, places, trust)), root };
}

/** What there is now; null if that is the same as before. */
export async function reopenAgentFiles(
  before: AgentFiles | null,
  places: readonly ExtensionPlace[],
  options: AgentFilesOptions,
  host: Host,
): Promise<AgentFiles | null> {
  const stamp = await stampOf(host, places);
  return stamp === (before?.stamp ?? '') ? null : openAgentFiles(places, options, host);
}
