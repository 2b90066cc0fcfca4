// A plugin or a marketplace for people and programs that look at one: what of it would count, and what would not and why.

import path from 'node:path';
import { findCommands } from '../../context/command-files.js';
import { findAgents } from '../../context/find-agents.js';
import { readMarketplace, readPlugin, sourceText, wholeManifest } from '../../context/plugins/index.js';
import { findSkills } from '../../context/skills/index.js';
import type { Host } from '../../host/host.js';
import { pluginHooks } from '../../session/hooks/index.js';
import { mapBounded } from '../../util/map-bounded.js';

export interface DescribedPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Absolute. */
  readonly folder: string;
  /** Names as a session calls them. */
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  readonly hooks: readonly { readonly event: string; readonly command: string }[];
  readonly servers: readonly string[];
  /** What is left out, and why. */
  readonly problems: readonly string[];
}

export interface DescribedMarketplace {
  readonly name: string;
  readonly description: string;
  /** Absolute. */
  readonly folder: string;
  readonly plugins: readonly {
    readonly name: string;
    readonly source: string;
    /** Of those that lie in it; what lies elsewhere is not fetched. */
    readonly problems: readonly string[];
  }[];
  readonly problems: readonly string[];
}

/** @param folder absolute. @returns why it is neither, in words that follow "it cannot be used:" */
export async function describePlugin(
  host: Host,
  folder: string,
): Promise<DescribedPlugin | DescribedMarketplace | string> {
  const list = await readMarketplace(host, folder);
  if (!('problem' in list)) {
    const plugins = await mapBounded(list.entries, READS_AT_ONCE, async (entry) => {
      const { name, from } = entry;
      if (!('inside' in from)) return { name, source: sourceText(from), problems: [] };
      const inside = path.join(folder, from.inside);
      const whole = await wholeManifest(host, inside, entry);
      const found =
        whole !== null && 'problem' in whole
          ? String(whole.problem)
          : await describeOne(host, inside, whole ?? undefined);
      return { name, source: from.inside, problems: typeof found === 'string' ? [found] : found.problems };
    });
    return { name: list.name, description: list.description, folder, plugins, problems: list.problems };
  }
  // A list that is there and cannot be used is what somebody asks about.
  const isList = !list.problem.startsWith('it holds no ');
  return isList ? list.problem : describeOne(host, folder);
}

const READS_AT_ONCE = 4;

async function describeOne(
  host: Host,
  folder: string,
  whole?: Readonly<Record<string, unknown>>,
): Promise<DescribedPlugin | string> {
  const plugin = await readPlugin(host, folder, whole);
  if ('problem' in plugin) return plugin.problem;
  const trust = { isGranted: true, root: plugin.folder, home: plugin.folder };
  const places = (folders: readonly string[]) =>
    folders.map((each) => ({ scope: 'plugin' as const, folder: each, namespace: plugin.name }));
  const [agents, commands, skills] = await Promise.all([
    findAgents(host, places(plugin.agents), trust),
    findCommands(host, places(plugin.commands), trust),
    findSkills(host, places(plugin.skills), trust),
  ]);
  const hooks = pluginHooks(plugin, plugin.folder);
  return {
    name: plugin.name,
    version: plugin.version,
    description: plugin.description,
    folder: plugin.folder,
    agents: agents.agents.map(({ name }) => name),
    commands: commands.commands.map(({ name }) => name),
    skills: skills.skills.map(({ name }) => name),
    hooks: hooks.commands.map(({ event, command }) => ({ event, command })),
    servers: Object.keys(plugin.servers),
    problems: [
      ...plugin.problems,
      ...agents.refused.filter(({ isNote }) => !isNote).map(({ file, why }) => `${file}: ${why}`),
      ...commands.refused.map(({ file, why }) => `${file}: ${why}`),
      ...skills.refused.map(({ file, why }) => `${file}: ${why}`),
      ...hooks.refused.map(({ label, why }) => `${label}: ${why}`),
    ],
  };
}
