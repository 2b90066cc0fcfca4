// The functions for plugins of the Qoder Agent SDK, over what `turnwright plugin` does. Loaded with the first call. One rule:
// nothing of a plugin is run by them.
import path from 'node:path';
import type { Host } from '../../../host/host.js';
import { createNodeHost } from '../../../host/node-host.js';
import type { PluginDetails as SessionPlugin } from '../../../protocol/control.js';
import { ConfigError } from '../../../protocol/errors.js';
import { checkObject } from '../../../protocol/given.js';
import { VERSION } from '../../../util/version.js';
import type { DescribedPlugin, ListedPlugin } from '../../plugins/index.js';
import * as market from '../../plugins/index.js';
import { dialectHost, QODER_FOLDER } from '../folders.js';
import type {
  InstallPluginOptions,
  InstallPluginResult,
  ListPluginsOptions,
  PluginDetails,
  PluginResources,
  PluginScope,
  PluginToggleOptions,
  PluginValidationDiagnostic,
  PluginValidationReport,
  UninstallPluginResult,
  ValidatePluginOptions,
} from './plugins-and-daemons.js';

interface Place {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

function placeOf(given: Place | undefined): market.MarketOptions {
  const options = given ?? {};
  checkObject(options, 'The options for plugins');
  const { cwd, env } = options;
  const host = dialectHost(QODER_FOLDER, createNodeHost(), { ...createNodeHost().env, ...env });
  return { host, cwd: path.resolve(host.platform.cwd, cwd ?? '') };
}

function named(plugin: unknown): string {
  if (typeof plugin === 'string' && plugin.trim() !== '') return plugin;
  throw new ConfigError('Name the plugin: name@marketplace, or a folder.');
}

function scopeOf({ scope = 'user' }: { readonly scope?: PluginScope }): PluginScope {
  if (scope === 'user' || scope === 'project' || scope === 'local') return scope;
  throw new ConfigError(`The scope of a plugin is user, project or local, not ${JSON.stringify(scope)}.`);
}

export async function listPlugins(opts: ListPluginsOptions = {}): Promise<PluginDetails[]> {
  const place = placeOf(opts);
  const installed = await market.listInstalled(place);
  return Promise.all(installed.map((plugin) => detailsOf(plugin, place.host)));
}

async function detailsOf(plugin: ListedPlugin, host: Host): Promise<PluginDetails> {
  const { id, version, source, folder, installedAt, enabled } = plugin;
  const found = await market.describePlugin(host, folder);
  const described = typeof found === 'object' && 'agents' in found ? found : null;
  return {
    ...{ id, version, source, installedAt, path: folder, scope: 'user', canDisable: true },
    name: described?.name ?? id.split('@', 1)[0] ?? id,
    enabled: enabled === true && plugin.problem === null,
    ...(described === null || described.description === '' ? {} : { description: described.description }),
    resources: resourcesOf(described),
  };
}

/** Those of a session, with what is in each. */
export function describeAll(plugins: readonly SessionPlugin[]): Promise<PluginDetails[]> {
  const host = createNodeHost();
  return Promise.all(
    plugins.map(async (plugin) => {
      const found = await market.describePlugin(host, plugin.path);
      const described = typeof found === 'object' && 'agents' in found ? found : null;
      return { ...plugin, canDisable: false, resources: resourcesOf(described) };
    }),
  );
}

/** Of a plugin that cannot be read: none. */
export function resourcesOf(plugin: DescribedPlugin | null): PluginResources {
  const each = (names: readonly string[] = []) => names.map((name) => ({ name }));
  return {
    skills: each(plugin?.skills),
    agents: each(plugin?.agents),
    commands: each(plugin?.commands),
    mcpServers: each(plugin?.servers),
    hooks: (plugin?.hooks ?? []).map(({ event }) => ({ event, type: 'command' })),
  };
}

export async function setPlugin(id: string, isEnabled: boolean, opts: PluginToggleOptions = {}): Promise<void> {
  await market.setPluginEnabled(placeOf(opts), named(id), scopeOf(opts), isEnabled);
}

/**
 * @param wanted `name@marketplace`, or a folder with a marketplace of one plugin
 * @throws ConfigError if it is neither, or cannot be had
 */
export async function installPlugin(wanted: string, opts: InstallPluginOptions = {}): Promise<InstallPluginResult> {
  const place = placeOf(opts);
  const { id, version, folder } = await market.installPlugin(place, await idOf(named(wanted), place), scopeOf(opts));
  return { pluginId: id, version, path: folder };
}

async function idOf(wanted: string, place: market.MarketOptions): Promise<string> {
  const folder = path.resolve(place.cwd, wanted);
  if (!(await isFolder(folder, place.host))) return wanted;
  const found = await market.describePlugin(place.host, folder);
  if (typeof found === 'string') throw new ConfigError(`${wanted} cannot be installed: ${found}.`);
  if ('agents' in found) {
    throw new ConfigError(
      `${wanted} is a plugin that no marketplace lists, so it cannot be brought up to date. Name it in the option plugins, or add a .claude-plugin/marketplace.json around it.`,
    );
  }
  const [only, ...others] = found.plugins;
  if (only === undefined || others.length > 0)
    throw new ConfigError(
      `${wanted} is a marketplace of ${found.plugins.length} plugins. Install one of them: name@${found.name}.`,
    );
  await market.addMarketplace(place, folder);
  return `${only.name}@${found.name}`;
}

async function isFolder(folder: string, { fs }: Pick<Host, 'fs'>): Promise<boolean> {
  const found = await fs.stat(folder).catch(() => null);
  return found !== null && found.kind === 'directory';
}

export async function uninstallPlugin(id: string, opts: InstallPluginOptions = {}): Promise<UninstallPluginResult> {
  const pluginId = await market.uninstallPlugin(placeOf(opts), named(id));
  // Plugins do not build on one another here.
  return { pluginId, fullyRemoved: true, reverseDependents: [] };
}

/** What of a plugin or a marketplace would count. Contract: what is wrong with it is told, not thrown. */
export async function validatePlugin(
  folder: string,
  opts: ValidatePluginOptions = {},
): Promise<PluginValidationReport> {
  const { host, cwd } = placeOf(opts);
  const resolvedPath = path.resolve(cwd, named(folder));
  const found = await market.describePlugin(host, resolvedPath);
  const diagnostics = diagnosticsOf(found);
  const plugin = typeof found === 'object' && 'agents' in found ? found : null;
  const resources = resourcesOf(plugin);
  const errorCount = diagnostics.filter(({ severity }) => severity === 'error').length;
  return {
    schemaVersion: 1,
    validator: { name: 'qodercli', version: VERSION },
    valid: errorCount === 0,
    target: { inputPath: folder, resolvedPath },
    ...(plugin === null ? {} : { plugin: { name: plugin.name, version: plugin.version } }),
    diagnostics,
    summary: {
      errorCount,
      warningCount: diagnostics.length - errorCount,
      componentCount: Object.values(resources).reduce((sum, list) => sum + list.length, 0),
    },
    ...(plugin === null ? {} : { resources }),
  };
}

/** What cannot be used at all is an error; a part that is left out too, as whoever wrote it wants it to count. */
function diagnosticsOf(found: Awaited<ReturnType<typeof market.describePlugin>>): PluginValidationDiagnostic[] {
  const error = (message: string, phase: PluginValidationDiagnostic['phase'], code: string) =>
    ({ severity: 'error', code, message, phase }) as const;
  if (typeof found === 'string') return [error(found, 'target', 'unusable')];
  const inside =
    'plugins' in found ? found.plugins.flatMap(({ name, problems }) => problems.map((each) => `${name}: ${each}`)) : [];
  return [...found.problems, ...inside].map((problem) => error(problem, 'component', 'left_out'));
}
