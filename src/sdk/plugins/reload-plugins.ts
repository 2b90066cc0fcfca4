// The plugins of a session, looked for again while it runs. Loaded with the first look. One rule: what is in force stays where
// it did not change, and a plugin that cannot be used any more takes nothing else along.
import type { Command } from '../../context/slash-commands.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SdkPluginConfig } from '../../protocol/options.js';
import type { OpenedCommands } from '../../session/commands/index.js';
import type { ReloadedPlugins } from '../../session/config/index.js';
import { findSettings, type SettingsFinder } from '../../session/settings/index.js';
import { commandFilesOf } from '../commands/command-options.js';
import { newServers } from '../mcp/mcp-options.js';
import type { PlainOptions } from '../options.js';
import { type OpenedPlugins, openPlugins } from './plugin-options.js';

export interface PluginsPlace {
  /** The plugins of the option, with those that were added since. */
  readonly given: SdkPluginConfig[];
  /** With what settings say. */
  readonly options: PlainOptions;
  readonly finder: SettingsFinder;
  readonly host: Host;
  /** Absolute. */
  readonly cwd: string;
  /** Commands of the session that are no skills. */
  readonly others: readonly Command[];
}

/** @throws ConfigError for a folder of the option that is no plugin any more: then all stays as it was */
export async function reloadPlugins(
  { given, options, finder, host, cwd, others }: PluginsPlace,
  before: OpenedPlugins | null,
): Promise<{ readonly opened: OpenedPlugins; readonly files: OpenedCommands; readonly reloaded: ReloadedPlugins }> {
  if (!given.every((each) => typeof each === 'object' && each !== null))
    throw new ConfigError("addPlugins is a list of { type: 'local', path: '<folder>' }.");
  const env = { ...host.env, ...options.env };
  // Another look than the session's own, which tells what changed in settings when it looks next.
  const settings = await findSettings(host, env, cwd, { ...options, flagChanges: finder.flagChanges }).open();
  const opened = await openPlugins(given, options, settings, host);
  finder.setPluginPlaces(opened.places);
  const namespaces = [...(before?.plugins ?? []), ...opened.plugins].map(({ name }) => `${name}:`);
  const staying = others.filter(({ name }) => !namespaces.some((each) => name.startsWith(each)));
  const files = await commandFilesOf(options, host, {
    places: opened.places.commands,
    mayAllow: settings?.effective.managed.allowManagedPermissionRulesOnly !== true,
    mayRunShell: settings?.mayRunShell !== false,
    taken: staying.map(({ name }) => name),
    pluginRoot: (name) => opened.plugins.find((plugin) => plugin.name === name)?.folder ?? null,
  });
  const isSame = (name: string) =>
    JSON.stringify(before?.servers[name]) === JSON.stringify(opened.servers[name]) &&
    before?.servers[name] !== undefined;
  const come = Object.entries(opened.servers).filter(([name]) => !isSame(name));
  return {
    opened,
    files,
    reloaded: {
      plugins: opened.plugins.map(pluginFacts),
      hooks: opened.hooks,
      commands: [...staying, ...files.commands],
      servers: {
        gone: Object.keys(before?.servers ?? {}).filter((name) => !isSame(name)),
        come: newServers(Object.fromEntries(come)).usable.map((one) => ({ ...one, identity: null })),
      },
      notices: [...opened.notices, ...files.notices],
      problems: opened.problems.length,
    },
  };
}

/** What a session has of a plugin. */
function pluginFacts({ name, folder, version, id, source, scope }: OpenedPlugins['plugins'][number]) {
  return { name, path: folder, version, id, source, scope };
}
