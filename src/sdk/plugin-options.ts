// The plugins of a session: folders that the host or the user names. Loaded if there are some. One rule: what of a plugin cannot
// be used is told, and the rest of it counts; a folder that is no plugin is an error, for somebody asked for it.
import path from 'node:path';
import { type Plugin, readPlugin, withPluginRoot } from '../context/plugins/read-plugin.js';
import { EXTENSION_KINDS, type ExtensionKind, type ExtensionPlaces } from '../context/settings/places.js';
import type { CommandHook } from '../hooks/command-hook.js';
import type { Host } from '../host/host.js';
import { expandVariables } from '../mcp/expand-variables.js';
import { ConfigError } from '../protocol/errors.js';
import type { McpServerConfig } from '../protocol/mcp.js';
import type { SdkPluginConfig } from '../protocol/options.js';
import type { PendingNotice } from '../session/config/index.js';
import type { SettingsFinder } from '../session/settings/index.js';
import { mapBounded } from '../util/map-bounded.js';
import type { PlainOptions } from './options.js';

export interface OpenedPlugins {
  readonly plugins: readonly Plugin[];
  /** Behind those of the project and the user. */
  readonly places: ExtensionPlaces;
  readonly hooks: readonly CommandHook[];
  /** By the name that a session gives them: `plugin_<plugin>_<server>`. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly notices: readonly PendingNotice[];
}

/** As the command line names one. */
export interface LocalPlugin extends SdkPluginConfig {
  /** True: its MCP servers are left out. */
  readonly withoutServers?: boolean;
}

const MAX_PLUGINS = 100;
const READS_AT_ONCE = 8;
const SHOWN = 12;

/** @throws ConfigError for a folder that is no plugin, and for two plugins of one name */
export async function openPlugins(
  given: NonNullable<PlainOptions['plugins']>,
  options: Pick<PlainOptions, 'cwd' | 'env'>,
  host: Host,
): Promise<OpenedPlugins> {
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  if (given.length > MAX_PLUGINS)
    throw new ConfigError(`plugins names ${given.length} folders; at most ${MAX_PLUGINS} are taken.`);
  const plugins = await mapBounded(given, READS_AT_ONCE, async (each, at) => {
    const { type, path: folder, withoutServers = false } = each as Partial<Record<keyof LocalPlugin, unknown>>;
    if ((type !== undefined && type !== 'local') || typeof folder !== 'string')
      throw new ConfigError(`plugins[${at}] must be { type: 'local', path: '<folder>' }.`);
    const plugin = await readPlugin(host, path.resolve(cwd, folder));
    if ('problem' in plugin) throw new ConfigError(`${folder} cannot be used as a plugin: ${plugin.problem}.`);
    return withoutServers === true ? { ...plugin, servers: {} } : plugin;
  });
  for (const [at, { name, folder }] of plugins.entries()) {
    const other = plugins.findIndex((each) => each.name === name);
    if (other !== at)
      throw new ConfigError(
        `Two plugins are called ${name}: ${plugins[other]?.folder} and ${folder}. Name one of them.`,
      );
  }
  const env = { ...host.env, ...options.env };
  const problems = plugins.flatMap(({ name, problems: own }) => own.map((why) => `${name}: ${why}`));
  const servers: Record<string, McpServerConfig> = {};
  for (const { name, folder, servers: own } of plugins)
    for (const [server, config] of Object.entries(own)) {
      const { value, missing } = expandVariables(withPluginRoot(config, folder), env);
      if (missing.length > 0)
        problems.push(`${name}: the server ${server} needs the variable ${missing.join(', ')}, which is not set`);
      else servers[`plugin_${name}_${server}`] = value as McpServerConfig;
    }
  const hooks: CommandHook[] = [];
  if (plugins.some((plugin) => plugin.hooks.length > 0)) {
    const { pluginHooks } = await import('../session/hooks/plugin-hooks.js');
    for (const plugin of plugins) {
      const { commands, refused } = pluginHooks(plugin, cwd);
      hooks.push(...commands);
      problems.push(...refused.map(({ label, why }) => `${label}: ${why}`));
    }
  }
  return { plugins, places: placesOf(plugins), hooks, servers, notices: noticesOf(problems) };
}

/** Looks where the finder does, and then in the plugins. */
export function withPlugins(finder: SettingsFinder, { places }: OpenedPlugins): SettingsFinder {
  const both = (own: ExtensionPlaces): ExtensionPlaces => byKind((kind) => [...own[kind], ...places[kind]]);
  return {
    get extensions() {
      return both(finder.extensions);
    },
    lookForExtensions: async () => both(await finder.lookForExtensions()),
    open: () => finder.open(),
    reopen: () => finder.reopen(),
    hold: (files, before) => finder.hold(files, before),
    changeFlag: (fields) => finder.changeFlag(fields),
    get flagChanges() {
      return finder.flagChanges;
    },
  };
}

const FIELDS: Readonly<Record<ExtensionKind, 'skills' | 'agents' | 'commands' | 'outputStyles' | null>> = {
  skills: 'skills',
  agents: 'agents',
  commands: 'commands',
  'output-styles': 'outputStyles',
  rules: null,
};

function placesOf(plugins: readonly Plugin[]): ExtensionPlaces {
  return byKind((kind) => {
    const field = FIELDS[kind];
    if (field === null) return [];
    return plugins.flatMap((plugin) =>
      plugin[field].map((folder) => ({ scope: 'plugin' as const, folder, namespace: plugin.name })),
    );
  });
}

function byKind(of: (kind: ExtensionKind) => ExtensionPlaces[ExtensionKind]): ExtensionPlaces {
  return Object.fromEntries(EXTENSION_KINDS.map((kind) => [kind, of(kind)])) as unknown as ExtensionPlaces;
}

function noticesOf(problems: readonly string[]): PendingNotice[] {
  if (problems.length === 0) return [];
  const shown = problems.slice(0, SHOWN).join('; ');
  const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : '';
  return [
    {
      code: 'plugin_problem',
      message: `Parts of plugins are left out. ${shown}${more}.`,
      remedy: '"turnwright plugin validate <folder>" shows all.',
    },
  ];
}
