// The plugins of a session: folders that the host names, and those that settings enable, folders and installed ones. Loaded if there are
// some. One rule: nothing is fetched here; what of a plugin is not there, or may not be, is told, and the rest counts; a folder of
// the option that is none is an error.
import path from 'node:path';
import {
  findForeignPlugin,
  type MarketplaceRules,
  type Plugin,
  type PluginRecords,
  readPlugin,
  readRecords,
  whyNotAllowed,
  withPluginRoot,
} from '../../context/plugins/index.js';
import {
  EXTENSION_KINDS,
  type ExtensionKind,
  type ExtensionPlaces,
  type SettingScope,
  userFolders,
} from '../../context/settings/index.js';
import type { Command } from '../../context/slash-commands.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { Host } from '../../host/host.js';
import { expandVariables, whyMissing } from '../../mcp/expand-variables.js';
import { ConfigError } from '../../protocol/errors.js';
import type { McpServerConfig } from '../../protocol/mcp.js';
import type { SdkPluginConfig } from '../../protocol/options.js';
import type { RejectedPart } from '../../protocol/system-messages.js';
import { type PendingNotice, type ReloadedPlugins, withoutHidden } from '../../session/config/index.js';
import { httpHookRules, pluginHooks } from '../../session/hooks/index.js';
import type { OpenedCommands } from '../../session/input/index.js';
import { findSettings, type OpenedSettings, type SettingsFinder } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { mapBounded } from '../../util/map-bounded.js';
import { newServers } from '../mcp/index.js';
import type { PlainOptions } from '../options/index.js';
import { commandFilesOf } from '../settings/index.js';

const READS_AT_ONCE = 8;
const ID = /^[A-Za-z0-9][\w-]{0,63}@[A-Za-z0-9][\w.-]{0,63}$/;

/** A plugin of a session, and how it came there. */
interface SessionPlugin extends Plugin {
  /** `name@marketplace`; `name@local` for a folder. */
  readonly id: string;
  /** The marketplace, or `local`. */
  readonly source: string;
  /** Whose settings name it; `session` for an option. */
  readonly scope: SettingScope | 'session';
}

/** What managed settings say of marketplaces. */
export function marketplaceRules(settings: OpenedSettings | null): MarketplaceRules {
  const { strictKnownMarketplaces: known, blockedMarketplaces: blocked } = settings?.effective.managed ?? {};
  return { known: known ?? null, blocked: blocked ?? [] };
}

interface Named {
  readonly id: string;
  readonly scope: SessionPlugin['scope'];
  /** Absolute; null: it is installed. */
  readonly folder: string | null;
  /** The only versions that count; null: any. */
  readonly versions: readonly string[] | null;
}

interface EnabledPlugins {
  readonly plugins: readonly SessionPlugin[];
  readonly problems: readonly PluginProblem[];
}

/** Why one is not there. */
interface PluginProblem {
  /** As settings name it. */
  readonly id: string;
  /** Its folder, or what settings say in place of one. */
  readonly source: string;
  readonly why: string;
}

/** Contract: never throws for what stands on the disk */
async function enabledPlugins(
  settings: OpenedSettings | null,
  options: Pick<PlainOptions, 'env'>,
  host: Host,
): Promise<EnabledPlugins> {
  const named = namedBy(settings, host.platform.homedir);
  const env = { ...host.env, ...options.env };
  const home = homeFolder(host, env);
  const records = await readRecords(host, home);
  const problems: PluginProblem[] = 'problem' in records ? [{ id: 'plugins', source: home, why: records.problem }] : [];
  const { marketplaces, plugins }: PluginRecords = 'problem' in records ? { marketplaces: {}, plugins: {} } : records;
  const rules = marketplaceRules(settings);
  const others = userFolders(host.platform.homedir, host.platform.cwd, env);
  const found = await mapBounded(
    named,
    READS_AT_ONCE,
    async ({ id, scope, folder, versions }): Promise<SessionPlugin | PluginProblem> => {
      const refuse = (why: string, source = folder ?? 'enabledPlugins'): PluginProblem => ({ id, source, why });
      if (folder !== null) {
        const plugin = await readPlugin(host, folder);
        if ('problem' in plugin) return refuse(`${folder} cannot be used as a plugin: ${plugin.problem}`);
        return { ...plugin, id: `${plugin.name}@local`, source: 'local', scope };
      }
      if (!ID.test(id))
        return refuse(`enabledPlugins names ${JSON.stringify(id.slice(0, 80))}, which is not name@marketplace`);
      const marketplace = id.slice(id.indexOf('@') + 1);
      const own = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
      const foreign = own === undefined ? await firstForeign(host, others, id) : null;
      const place = own ?? foreign;
      if (place == null) return refuse(`${id} is enabled and not installed: turnwright plugin install ${id}`);
      const source = own === undefined ? (foreign?.source ?? null) : (marketplaces[marketplace]?.source ?? null);
      const why = whyNotAllowed(source, rules);
      if (why !== null) return refuse(`${id}: ${why}`);
      const plugin = await readPlugin(host, place.folder);
      if ('problem' in plugin) return refuse(`${id} cannot be used: ${plugin.problem}. Install it again`, place.folder);
      const version = plugin.version || place.version;
      if (versions !== null && !versions.includes(version))
        return refuse(
          `${id} is installed as ${version || 'no version'}, and settings want ${versions.join(' or ') || 'none'}`,
        );
      return { ...plugin, version, id, source: marketplace, scope };
    },
  );
  problems.push(...found.filter((each) => 'why' in each));
  return { plugins: found.filter((each): each is SessionPlugin => !('why' in each)), problems };
}

function namedBy(settings: OpenedSettings | null, homedir: string): readonly Named[] {
  const entries = settings?.effective.entries ?? [];
  return entries.flatMap(({ path: keys, value, scope, base }): Named[] => {
    if (keys[0] === 'plugins') {
      const text = String(value);
      const folder =
        text === '~' || text.startsWith('~/') ? path.join(homedir, text.slice(1)) : path.resolve(base, text);
      return [{ id: folder, scope, folder, versions: null }];
    }
    if (keys[0] !== 'enabledPlugins' || value === false) return [];
    return [{ id: keys[1] ?? '', scope, folder: null, versions: Array.isArray(value) ? (value as string[]) : null }];
  });
}

async function firstForeign(host: Host, folders: readonly string[], id: string) {
  for (const folder of folders) {
    const found = await findForeignPlugin(host, folder, id);
    if (found !== null) return found;
  }
  return null;
}

export interface OpenedPlugins {
  readonly plugins: readonly SessionPlugin[];
  /** Behind those of the project and the user. */
  readonly places: ExtensionPlaces;
  readonly hooks: readonly CommandHook[];
  /** By the name that a session gives them: `plugin_<plugin>_<server>`. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly notices: readonly PendingNotice[];
  /** What of them is left out, and why. */
  readonly problems: readonly string[];
  /** The same, each with what it is about. */
  readonly rejected: readonly RejectedPart[];
}

/** As the command line names one. */
export interface LocalPlugin extends SdkPluginConfig {
  /** True: its MCP servers are left out. */
  readonly withoutServers?: boolean;
}

const MAX_PLUGINS = 100;
const SHOWN = 12;

/** True if settings name plugins. */
export function namesPlugins(settings: OpenedSettings | null): boolean {
  const { plugins = [], enabledPlugins = {} } = settings?.effective.values ?? {};
  return plugins.length > 0 || Object.values(enabledPlugins).some((value) => value !== false);
}

/** @throws ConfigError for a folder of the option that is no plugin, and for two of it that have one name */
export async function openPlugins(
  given: NonNullable<PlainOptions['plugins']>,
  options: Pick<PlainOptions, 'cwd' | 'env'>,
  settings: OpenedSettings | null,
  host: Host,
): Promise<OpenedPlugins> {
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const ofOption = await pluginsOfOption(given, cwd, settings, host);
  const problems: string[] = [];
  const rejected: RejectedPart[] = [];
  const tell = (kind: RejectedPart['kind'], name: string, source: string, reason: string, text = reason) => {
    problems.push(text);
    rejected.push({ kind, name, source, reason });
  };
  const found = namesPlugins(settings) ? await enabledPlugins(settings, options, host) : { plugins: [], problems: [] };
  for (const { id, source, why } of found.problems) tell('plugin', id, source, why);
  const plugins: SessionPlugin[] = [];
  for (const plugin of [...ofOption, ...found.plugins]) {
    const other = plugins.find(({ name }) => name.toLowerCase() === plugin.name.toLowerCase());
    if (other === undefined && plugins.length < MAX_PLUGINS) plugins.push(plugin);
    else if (other === undefined)
      tell('plugin', plugin.id, plugin.folder, `${plugin.id} is left out: there are more than ${MAX_PLUGINS}`);
    else if (other.folder !== plugin.folder)
      tell('plugin', plugin.id, plugin.folder, `${plugin.id} is left out: ${other.id} has the name ${other.name}`);
  }
  const env = { ...host.env, ...options.env };
  for (const { name, folder, problems: own } of plugins)
    for (const why of own) tell('plugin', name, folder, why, `${name}: ${why}`);
  const named: Record<string, McpServerConfig> = {};
  for (const { name, folder, servers: own } of plugins)
    for (const [server, config] of Object.entries(own)) {
      const { value, missing } = expandVariables(withPluginRoot(config, folder), withoutHidden(env));
      const whole = `plugin_${name}_${server}`;
      const lack = `needs the variable ${missing.join(', ')}, which ${whyMissing(missing, env)}`;
      if (missing.length > 0) tell('server', whole, folder, `it ${lack}`, `${name}: the server ${server} ${lack}`);
      else named[whole] = value as McpServerConfig;
    }
  const servers = await usableServers(named, (name, why) =>
    tell('server', name, plugins.find((each) => name.startsWith(`plugin_${each.name}_`))?.folder ?? 'plugin', why),
  );
  const hooks: CommandHook[] = [];
  if (plugins.some((plugin) => plugin.hooks.length > 0)) {
    for (const plugin of plugins) {
      if (plugin.hooks.length === 0) continue;
      const why = plugin.scope === 'managed' ? null : whyNoHooks(settings);
      if (why !== null) {
        tell('hook', plugin.name, plugin.folder, why, `${plugin.name}: its hooks do not run: ${why}`);
        continue;
      }
      const { commands, refused } = pluginHooks(
        plugin,
        cwd,
        settings === null ? {} : httpHookRules(settings.effective),
      );
      hooks.push(...commands);
      for (const { label, file, why } of refused) tell('hook', label, file ?? plugin.folder, why, `${label}: ${why}`);
    }
  }
  return { plugins, places: placesOf(plugins), hooks, servers, notices: noticesOf(problems), problems, rejected };
}

/** One that cannot be used must not end the session. */
async function usableServers(
  named: Readonly<Record<string, McpServerConfig>>,
  tell: (name: string, why: string) => void,
): Promise<Readonly<Record<string, McpServerConfig>>> {
  if (Object.keys(named).length === 0) return named;
  const { errors } = newServers(named);
  for (const [name, why] of Object.entries(errors)) tell(name, why.replace(/\.$/, ''));
  return Object.fromEntries(Object.entries(named).filter(([name]) => errors[name] === undefined));
}

/** Null if hooks of plugins run. */
function whyNoHooks(settings: OpenedSettings | null): string | null {
  const { values, managed } = settings?.effective ?? { values: {}, managed: {} };
  if (managed.allowManagedHooksOnly === true) return 'only managed settings have hooks';
  return values.disableAllHooks === true ? 'settings switch hooks off (disableAllHooks)' : null;
}

async function pluginsOfOption(
  given: NonNullable<PlainOptions['plugins']>,
  cwd: string,
  settings: OpenedSettings | null,
  host: Host,
): Promise<readonly SessionPlugin[]> {
  if (given.length > MAX_PLUGINS)
    throw new ConfigError(`plugins names ${given.length} folders; at most ${MAX_PLUGINS} are taken.`);
  if (given.length > 0 && settings?.effective.managed.disableSideloadFlags === true)
    throw new ConfigError(
      'Managed settings (disableSideloadFlags) let no session name folders of plugins. Install the plugin: turnwright plugin install',
    );
  const plugins = await mapBounded(given, READS_AT_ONCE, async (each, at): Promise<SessionPlugin> => {
    const { type, path: folder, withoutServers = false } = each as Partial<Record<keyof LocalPlugin, unknown>>;
    if ((type !== undefined && type !== 'local') || typeof folder !== 'string')
      throw new ConfigError(`plugins[${at}] must be { type: 'local', path: '<folder>' }.`);
    const plugin = await readPlugin(host, path.resolve(cwd, folder));
    if ('problem' in plugin) throw new ConfigError(`${folder} cannot be used as a plugin: ${plugin.problem}.`);
    const whole = { ...plugin, id: `${plugin.name}@local`, source: 'local', scope: 'session' } as const;
    return withoutServers === true ? { ...whole, servers: {} } : whole;
  });
  for (const [at, { name, folder }] of plugins.entries()) {
    const other = plugins.findIndex((each) => each.name === name);
    if (other !== at)
      throw new ConfigError(
        `Two plugins are called ${name}: ${plugins[other]?.folder} and ${folder}. Name one of them.`,
      );
  }
  return plugins;
}

/** The finder looks in the plugins of the options and of settings too. For lists of what a session would have. */
export async function findWithPlugins(
  finder: SettingsFinder,
  given: NonNullable<PlainOptions['plugins']>,
  options: Pick<PlainOptions, 'cwd' | 'env'>,
  settings: OpenedSettings | null,
  host: Host,
): Promise<OpenedPlugins | null> {
  if (given.length === 0 && !namesPlugins(settings)) return null;
  const opened = await openPlugins(given, options, settings, host);
  finder.setPluginPlaces(opened.places);
  return opened;
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
      remedy: '"turnwright plugin list" and "turnwright plugin validate <folder>" show all.',
    },
  ];
}

// The plugins of a session, looked for again while it runs. One rule: what is in force stays if it did not change, and a
// plugin that cannot be used any more takes nothing else along.

interface PluginsPlace {
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
