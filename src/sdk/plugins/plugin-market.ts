// Marketplaces and the plugins that somebody installs from them: added, looked at, brought up to date, taken away again. One
// rule: nothing is fetched unless somebody asks, what came is kept as it was with its commit and its hash, and a session
// that runs keeps what it has.

import path from 'node:path';
import {
  type Fetched,
  fetchSource,
  hashFolder,
  type InstalledPlugin,
  type KnownMarketplace,
  keepFetched,
  MARKETPLACE_LIMITS,
  type Marketplace,
  type MarketplaceEntry,
  type MarketplaceRules,
  OWN_MANIFEST,
  PLUGIN_LIMITS,
  PLUGIN_NAME,
  type PluginRecords,
  type PluginSource,
  pluginsHome,
  readMarketplace,
  readPlugin,
  readRecords,
  readSource,
  readSourceText,
  recordsFile,
  type SnapshotLimits,
  sourceKey,
  sourceText,
  wholeManifest,
  whyNotAllowed,
  writeRecords,
} from '../../context/plugins/index.js';
import { trustRoot } from '../../context/trust.js';
import { type Host, ignoreFileError, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { createSecrets } from '../../providers/keys/index.js';
import {
  editSettings,
  findSettings,
  type OpenedSettings,
  type SettingsOptions,
  type WritableScope,
  whileLocked,
} from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { openHookWeb } from '../../session/web/index.js';
import { isRecord } from '../../util/json.js';
import { errorText, nearestWord } from '../../util/text.js';
import { marketplaceRules } from './plugin-options.js';

export interface MarketOptions extends Pick<SettingsOptions, 'settingSources' | 'trustFolder'> {
  readonly host: Host;
  /** Absolute. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

export interface ListedMarketplace {
  readonly name: string;
  readonly source: string;
  /** `known`: it can be installed from. `declared`: settings name it, and it is added with the first plugin of it. */
  readonly state: 'known' | 'declared';
  readonly commit: string | null;
  readonly version: string | null;
  readonly updatedAt: string | null;
  readonly plugins: readonly { readonly name: string; readonly description: string; readonly version: string }[];
  /** What of it cannot be used, and why. */
  readonly problems: readonly string[];
}

export interface ListedPlugin {
  /** `name@marketplace`. */
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly commit: string | null;
  readonly sha256: string;
  readonly folder: string;
  readonly installedAt: string;
  /** What settings of this folder say; null: nothing, so it is not used. */
  readonly enabled: boolean | null;
  /** Why it cannot be used as it is; null if it can. */
  readonly problem: string | null;
}

export interface PluginChange {
  readonly id: string;
  readonly version: string;
  readonly commit: string | null;
  readonly sha256: string;
  readonly folder: string;
  /** False: it is as it was. */
  readonly isNew: boolean;
  /** What of it was left out, and why. */
  readonly problems: readonly string[];
}

/** How long what nobody installs any more is kept, for sessions that run. Milliseconds. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const STAGING_MS = 24 * 60 * 60 * 1000;

/** Adds a marketplace, as people type one. @throws ConfigError */
export async function addMarketplace(options: MarketOptions, text: string): Promise<ListedMarketplace> {
  const market = await openMarket(options);
  const declared = market.declared[text];
  const source = declared?.source ?? readSourceText(text, options.cwd, options.host.platform.homedir);
  if ('problem' in source) throw new ConfigError(`${text.slice(0, 200)} cannot be added: ${source.problem}.`);
  return takeMarketplace(market, source, declared === undefined ? null : text, declared?.isUsers ?? true);
}

/** Those that are known, and those that settings declare. Contract: what cannot be read is a problem of its own */
export async function listMarketplaces(options: MarketOptions): Promise<readonly ListedMarketplace[]> {
  const market = await openMarket(options);
  const known = await Promise.all(
    Object.entries(market.records.marketplaces).map(([name, each]) => describeMarketplace(market, name, each)),
  );
  const declared = Object.entries(market.declared).filter(
    ([name]) => !Object.hasOwn(market.records.marketplaces, name),
  );
  return [
    ...known,
    ...declared.map(
      ([name, { source }]): ListedMarketplace => ({
        ...{ name, source: sourceText(source), state: 'declared', commit: null, version: null, updatedAt: null },
        ...{ plugins: [], problems: [whyNotAllowed(source, market.rules)].filter((why) => why !== null) },
      }),
    ),
  ];
}

/** Looks at the sources again. @param name absent: all. @throws ConfigError for one that is named and cannot be had */
export async function updateMarketplaces(
  options: MarketOptions,
  name?: string,
): Promise<readonly (ListedMarketplace | { readonly name: string; readonly problem: string })[]> {
  const market = await openMarket(options);
  if (name !== undefined) return [await refresh(market, name)];
  const all: (ListedMarketplace | { readonly name: string; readonly problem: string })[] = [];
  for (const each of Object.keys(market.records.marketplaces))
    all.push(await refresh(market, each).catch((error: unknown) => ({ name: each, problem: errorText(error) })));
  return all;
}

/** Takes a marketplace away, with the plugins that came from it. @returns their ids. @throws ConfigError */
export async function removeMarketplace(options: MarketOptions, name: string): Promise<readonly string[]> {
  const market = await openMarket(options);
  knownMarketplace(market, name);
  const ids = Object.keys(market.records.plugins).filter((id) => marketplaceOf(id) === name);
  for (const id of ids) await uninstallPlugin(options, id);
  await change(market, ({ marketplaces, plugins }) => ({ marketplaces: without(marketplaces, name), plugins }));
  await market.host.fs.remove(path.join(market.folder, 'marketplaces', name)).catch(ignoreFileError);
  return ids;
}

/**
 * Installs a plugin and enables it in settings of the scope.
 * @param id `name@marketplace`, or a name that only one known marketplace has
 * @throws ConfigError
 */
export async function installPlugin(
  options: MarketOptions,
  id: string,
  scope: WritableScope,
): Promise<PluginChange & { readonly settingsFile: string }> {
  const market = await openMarket(options);
  const [name, marketplace] = await wanted(market, id);
  const installed = await take(market, name, marketplace);
  const settingsFile = await enable(options, installed.id, scope, true);
  return { ...installed, settingsFile };
}

/** Brings installed plugins up to date, with the lists of their marketplaces. @param id absent: all. @throws ConfigError */
export async function updatePlugins(
  options: MarketOptions,
  id?: string,
): Promise<readonly (PluginChange | { readonly id: string; readonly problem: string })[]> {
  const market = await openMarket(options);
  const ids = id === undefined ? Object.keys(market.records.plugins) : [installedId(market, id)];
  const failed = new Map<string, string>();
  for (const name of new Set(ids.map(marketplaceOf)))
    await refresh(market, name).catch((error: unknown) => failed.set(name, errorText(error)));
  const changes: (PluginChange | { readonly id: string; readonly problem: string })[] = [];
  for (const each of ids) {
    const problem = failed.get(marketplaceOf(each));
    if (problem !== undefined) changes.push({ id: each, problem });
    else
      changes.push(
        await take(market, each.slice(0, each.indexOf('@')), marketplaceOf(each)).catch((error: unknown) => ({
          id: each,
          problem: errorText(error),
        })),
      );
  }
  const [only] = changes;
  if (id !== undefined && only !== undefined && 'problem' in only) throw new ConfigError(only.problem);
  return changes;
}

/** Takes a plugin away, and out of our settings files. Sessions that run keep it. @throws ConfigError */
export async function uninstallPlugin(options: MarketOptions, id: string): Promise<string> {
  const market = await openMarket(options);
  const whole = installedId(market, id);
  await keepForNow(market, market.records.plugins[whole]);
  await change(market, ({ marketplaces, plugins }) => ({ marketplaces, plugins: without(plugins, whole) }));
  for (const { scope, file } of market.settings?.effective.files ?? []) {
    if (scope !== 'user' && scope !== 'project' && scope !== 'local') continue;
    if (!path.dirname(file).endsWith('.turnwright') && scope !== 'user') continue;
    if (scope === 'user' && file !== path.join(market.home, 'settings.json')) continue;
    const target = { file, base: scope === 'user' ? options.host.platform.homedir : path.dirname(path.dirname(file)) };
    await editSettings(market, scope, [{ op: 'unset', path: ['enabledPlugins', whole] }], target);
  }
  await clean(market);
  return whole;
}

/** Says in settings whether a plugin is used. @returns the file. @throws ConfigError */
export async function setPluginEnabled(
  options: MarketOptions,
  id: string,
  scope: WritableScope,
  isEnabled: boolean,
): Promise<{ readonly id: string; readonly settingsFile: string }> {
  const market = await openMarket(options);
  const whole = id.includes('@') ? id : installedId(market, id);
  if (isEnabled && !Object.hasOwn(market.records.plugins, whole)) installedId(market, whole);
  return { id: whole, settingsFile: await enable(options, whole, scope, isEnabled) };
}

/** The plugins that are installed, each looked at: is it as it was when it was installed? */
export async function listInstalled(options: MarketOptions): Promise<readonly ListedPlugin[]> {
  const market = await openMarket(options);
  const said: Readonly<Record<string, unknown>> = market.settings?.effective.values.enabledPlugins ?? {};
  return Promise.all(
    Object.entries(market.records.plugins).map(async ([id, plugin]): Promise<ListedPlugin> => {
      const enabled = Object.hasOwn(said, id) ? said[id] !== false : null;
      const marketplace = market.records.marketplaces[marketplaceOf(id)];
      return {
        id,
        version: plugin.version,
        source: whereFrom(plugin, marketplace),
        commit: plugin.commit ?? null,
        sha256: plugin.sha256,
        folder: plugin.folder,
        installedAt: plugin.installedAt,
        enabled,
        problem: whyNotAllowed(marketplace?.source ?? null, market.rules) ?? (await whyChanged(market, plugin)),
      };
    }),
  );
}

interface Market {
  readonly host: Host;
  readonly env: Host['env'];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
  /** Where marketplaces and plugins are kept, absolute. */
  readonly folder: string;
  records: PluginRecords;
  readonly settings: OpenedSettings | null;
  readonly rules: MarketplaceRules;
  /** Marketplaces of settings that count. */
  readonly declared: Readonly<Record<string, DeclaredMarketplace>>;
}

async function openMarket({ host, cwd, signal, ...of }: MarketOptions): Promise<Market> {
  const home = homeFolder(host, host.env);
  const settings = await findSettings(host, host.env, cwd, of).open();
  const records = await readRecords(host, home);
  if ('problem' in records)
    throw new ConfigError(`${records.problem}. Correct or remove it, and install plugins anew.`);
  return {
    ...{ host, env: host.env, cwd, home, records, settings },
    signal: signal ?? new AbortController().signal,
    folder: pluginsHome(home),
    rules: marketplaceRules(settings),
    declared: declaredMarketplaces(settings, cwd),
  };
}

interface DeclaredMarketplace {
  readonly source: PluginSource;
  /** True if it is no project that names it. */
  readonly isUsers: boolean;
}

function declaredMarketplaces(
  settings: OpenedSettings | null,
  cwd: string,
): Readonly<Record<string, DeclaredMarketplace>> {
  const entries = settings?.effective.entries.filter(({ path: keys }) => keys[0] === 'extraKnownMarketplaces') ?? [];
  const found: Record<string, DeclaredMarketplace> = {};
  for (const { path: keys, value, base, scope } of entries) {
    const source = isRecord(value) ? readSource(value['source'], 'marketplace', base === '/' ? cwd : base) : null;
    const isUsers = scope !== 'project' && scope !== 'local';
    if (source !== null && !('problem' in source)) found[keys[1] ?? ''] = { source, isUsers };
  }
  return found;
}

/** Work in a folder of its own, which goes away whatever happens. */
async function inStaging<T>(market: Market, work: (folder: string) => Promise<T>): Promise<T> {
  const { host } = market;
  const folder = path.join(market.folder, 'staging', host.ids.uuid());
  await host.fs.mkdir(folder, { mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    await host.fs.remove(folder).catch(ignoreFileError);
  }
}

async function fetchInto(
  market: Market,
  source: PluginSource,
  work: string,
  limits: SnapshotLimits,
  isUsers = false,
): Promise<Fetched> {
  const { host, env, signal } = market;
  return fetchSource(source, {
    ...{ host, env, signal, work, limits, isUsers, notFrom: await trustRoot(host, market.cwd) },
    openWeb: async () => {
      const { sandbox } = market.settings?.effective.values ?? {};
      return openHookWeb({ ...(sandbox === undefined ? {} : { sandbox }) }, host, env, createSecrets()).reach;
    },
  });
}

/** @param name what it has to be called; null: what it calls itself */
async function takeMarketplace(
  market: Market,
  source: PluginSource,
  name: string | null,
  isUsers: boolean,
): Promise<ListedMarketplace> {
  const why = whyNotAllowed(source, market.rules);
  if (why !== null) throw new ConfigError(`${sourceText(source)}: ${why}.`);
  const { path: listFile, ...repository } = source.source === 'git' ? source : { path: undefined, ...source };
  return inStaging(market, async (work) => {
    // Of a repository the whole is taken: its plugins lie beside its list.
    const fetched = await fetchInto(
      market,
      (source.source === 'git' ? repository : source) as PluginSource,
      work,
      MARKETPLACE_LIMITS,
      isUsers,
    );
    const file = fetched.file ?? (source.source === 'git' ? listFile : undefined);
    const list = await readMarketplace(market.host, fetched.folder, file);
    if ('problem' in list) throw new ConfigError(`${sourceText(source)} is not a marketplace: ${list.problem}.`);
    if (name !== null && list.name !== name)
      throw new ConfigError(
        `${sourceText(source)} calls itself ${list.name}, and ${name} is wanted, so it is not taken.`,
      );
    const isCopied = source.source === 'git' || source.source === 'npm' || source.source === 'url';
    const copy = path.join(work, 'copy');
    const kept = isCopied ? await keepFetched(market.host, fetched, '.', copy, MARKETPLACE_LIMITS) : null;
    const folder = isCopied ? path.join(market.folder, 'marketplaces', list.name) : fetched.folder;
    const { commit, version } = fetched;
    const known: KnownMarketplace = {
      source,
      folder,
      ...(file === undefined ? {} : { file }),
      ...(commit === undefined ? {} : { commit }),
      ...(version === undefined ? {} : { version }),
      ...(kept === null ? {} : { sha256: kept.sha256 }),
      ...(isUsers ? { isUsers } : {}),
      updatedAt: new Date(market.host.clock.now()).toISOString(),
    };
    await change(market, async ({ marketplaces, plugins }) => {
      const other = Object.entries(marketplaces).find(([each]) => each.toLowerCase() === list.name.toLowerCase());
      if (other !== undefined && sourceKey(other[1].source) !== sourceKey(source))
        throw new ConfigError(
          `There is a marketplace ${other[0]} from ${sourceText(other[1].source)}. Remove that first: turnwright plugin marketplace remove ${other[0]}`,
        );
      if (kept !== null) await replaceFolder(market.host, copy, folder);
      return { marketplaces: { ...marketplaces, [list.name]: known }, plugins };
    });
    return listed(list.name, known, list, [...(kept?.problems ?? fetched.problems), ...onlyListed(source, list)]);
  });
}

/** What lies beside a list cannot be had if only the list was fetched. */
function onlyListed({ source }: PluginSource, { entries }: Marketplace): readonly string[] {
  if (source !== 'url') return [];
  return entries.flatMap(({ name, from }) =>
    'inside' in from ? [`${name}: its source is a path, and of a list on the web nothing else is fetched`] : [],
  );
}

async function refresh(market: Market, name: string): Promise<ListedMarketplace> {
  const { source, isUsers = false } = knownMarketplace(market, name);
  return takeMarketplace(market, source, name, isUsers);
}

async function describeMarketplace(market: Market, name: string, known: KnownMarketplace): Promise<ListedMarketplace> {
  const list = await readMarketplace(market.host, known.folder, known.file);
  const why = whyNotAllowed(known.source, market.rules);
  const refused = why === null ? [] : [why];
  if ('problem' in list) return { ...listed(name, known, null, [...refused, list.problem]) };
  const renamed = list.name === name ? [] : [`it calls itself ${list.name} now`];
  return listed(name, known, list, [...refused, ...renamed, ...onlyListed(known.source, list)]);
}

function listed(
  name: string,
  { source, commit, version, updatedAt }: KnownMarketplace,
  list: Marketplace | null,
  problems: readonly string[],
): ListedMarketplace {
  return {
    ...{
      name,
      source: sourceText(source),
      state: 'known',
      commit: commit ?? null,
      version: version ?? null,
      updatedAt,
    },
    plugins:
      list?.entries.map(({ name: own, description, version: of }) => ({ name: own, description, version: of })) ?? [],
    problems: [...problems, ...(list?.problems ?? [])],
  };
}

function knownMarketplace({ records: { marketplaces } }: Market, name: string): KnownMarketplace {
  const known = Object.hasOwn(marketplaces, name) ? marketplaces[name] : undefined;
  if (known !== undefined) return known;
  const near = nearestWord(name.slice(0, 60), Object.keys(marketplaces));
  const advice = near === undefined ? '"turnwright plugin marketplace list" shows them.' : `Did you mean ${near}?`;
  throw new ConfigError(`There is not a marketplace "${name.slice(0, 80)}". ${advice}`);
}

/** Name and marketplace of what somebody asks for. */
async function wanted(market: Market, id: string): Promise<readonly [string, string]> {
  const [name = '', marketplace, more] = id.split('@');
  if (!PLUGIN_NAME.test(name) || more !== undefined)
    throw new ConfigError(`"${id.slice(0, 80)}" is not a plugin: write name@marketplace.`);
  if (marketplace !== undefined) {
    const declared = market.declared[marketplace];
    if (!Object.hasOwn(market.records.marketplaces, marketplace) && declared !== undefined)
      await takeMarketplace(market, declared.source, marketplace, declared.isUsers);
    return [name, marketplace];
  }
  const all = await Promise.all(
    Object.entries(market.records.marketplaces).map(async ([own, { folder, file }]) => {
      const list = await readMarketplace(market.host, folder, file);
      return 'problem' in list || !list.entries.some((entry) => entry.name === name) ? [] : [own];
    }),
  );
  const [only, second] = all.flat();
  if (only === undefined) throw new ConfigError(`No known marketplace has a plugin ${name}. Write name@marketplace.`);
  if (second !== undefined)
    throw new ConfigError(`${all.flat().join(' and ')} have a plugin ${name}. Write ${name}@${only}, for example.`);
  return [name, only];
}

/** Gets a plugin as its marketplace has it now, and keeps it. */
async function take(market: Market, name: string, marketplace: string): Promise<PluginChange> {
  const known = knownMarketplace(market, marketplace);
  const why = whyNotAllowed(known.source, market.rules);
  if (why !== null) throw new ConfigError(`${marketplace}: ${why}.`);
  const list = await readMarketplace(market.host, known.folder, known.file);
  if ('problem' in list) throw new ConfigError(`The marketplace ${marketplace} cannot be read: ${list.problem}.`);
  const entry = list.entries.find((each) => each.name === name);
  if (entry === undefined) {
    const wrong = list.problems.find((each) => each.startsWith(`${name}: `));
    if (wrong !== undefined) throw new ConfigError(`${marketplace} has it, and it cannot be used. ${wrong}.`);
    const near = nearestWord(
      name,
      list.entries.map((each) => each.name),
    );
    throw new ConfigError(`${marketplace} has no plugin ${name}.${near === undefined ? '' : ` Did you mean ${near}?`}`);
  }
  const id = `${name}@${marketplace}`;
  const before = market.records.plugins[id];
  if (before !== undefined && !isSamePlace(before.source, entry.from))
    throw new ConfigError(
      `${id} came from ${placeText(before.source)}, and ${marketplace} names ${placeText(entry.from)} now. If that is right, uninstall it and install it again.`,
    );
  return inStaging(market, async (work) => {
    const fetched: Fetched =
      'inside' in entry.from
        ? await ofMarketplace(market, known, entry.from.inside)
        : await fetchInto(market, entry.from, work, PLUGIN_LIMITS);
    const copy = path.join(work, 'copy');
    const kept = await keepFetched(market.host, fetched, '.', copy, PLUGIN_LIMITS, (from) =>
      manifestOf(market.host, from, entry),
    );
    const plugin = await readPlugin(market.host, copy);
    if ('problem' in plugin) throw new ConfigError(`${id} cannot be used as a plugin: ${plugin.problem}.`);
    const folder = path.join(market.folder, 'cache', marketplace, name, kept.sha256.slice(0, 16));
    const { commit, integrity } = fetched;
    const installed: InstalledPlugin = {
      folder,
      version: plugin.version || fetched.version || entry.version,
      source: entry.from,
      ...(commit === undefined ? {} : { commit }),
      ...(integrity === undefined ? {} : { integrity }),
      sha256: kept.sha256,
      installedAt: new Date(market.host.clock.now()).toISOString(),
    };
    await change(market, async ({ marketplaces, plugins }) => {
      // The same content lies there already, unless somebody changed it.
      if ((await whyChanged(market, installed)) !== null) await replaceFolder(market.host, copy, folder);
      return { marketplaces, plugins: { ...plugins, [id]: installed } };
    });
    const isNew = before?.sha256 !== kept.sha256;
    if (isNew) await keepForNow(market, before);
    await clean(market);
    const { version, sha256 } = installed;
    return {
      id,
      version,
      commit: commit ?? null,
      sha256,
      folder,
      isNew,
      problems: [...kept.problems, ...plugin.problems],
    };
  });
}

/** A folder of the marketplace: of our copy of it, or of the folder that it is. */
async function ofMarketplace({ host }: Market, known: KnownMarketplace, inside: string): Promise<Fetched> {
  const { commit, folder } = known;
  try {
    const root = await host.fs.realpath(folder);
    const own = await host.fs.realpath(path.join(root, inside));
    return { folder: own, root, ...(commit === undefined ? {} : { commit }), problems: [] };
  } catch (error) {
    if (isFileError(error)) throw new ConfigError(`The marketplace holds no ${inside}.`, { cause: error });
    throw error;
  }
}

/** If the list says more than the plugin itself, a manifest of ours brings both together. */
async function manifestOf(
  host: Pick<Host, 'fs'>,
  folder: string,
  entry: MarketplaceEntry,
): Promise<Readonly<Record<string, string>>> {
  const whole = await wholeManifest(host, folder, entry);
  if (whole === null) return {};
  if ('problem' in whole) throw new ConfigError(`It cannot be used as a plugin: ${String(whole.problem)}.`);
  return { [OWN_MANIFEST]: `${JSON.stringify(whole, null, 2)}\n` };
}

/** Null for a plugin that is as it was when it was installed. */
async function whyChanged({ host }: Market, { folder, sha256 }: InstalledPlugin): Promise<string | null> {
  try {
    return (await hashFolder(host, await host.fs.realpath(folder), PLUGIN_LIMITS)) === sha256
      ? null
      : 'its files are not as they were when it was installed: install it again';
  } catch (error) {
    if (isFileError(error)) return 'its files are gone: install it again';
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function isSamePlace(a: InstalledPlugin['source'], b: MarketplaceEntry['from']): boolean {
  if ('inside' in a || 'inside' in b) return 'inside' in a && 'inside' in b;
  const place = (source: PluginSource) =>
    source.source === 'npm' ? source.package : 'url' in source ? source.url : source.path;
  return a.source === b.source && place(a) === place(b);
}

function placeText(from: InstalledPlugin['source']): string {
  return 'inside' in from ? `its folder ${from.inside}` : sourceText(from);
}

function whereFrom({ source }: InstalledPlugin, marketplace: KnownMarketplace | undefined): string {
  if (!('inside' in source)) return sourceText(source);
  return marketplace === undefined ? source.inside : `${sourceText(marketplace.source)}: ${source.inside}`;
}

function marketplaceOf(id: string): string {
  return id.slice(id.indexOf('@') + 1);
}

/** @throws ConfigError for what is not installed */
function installedId({ records: { plugins } }: Market, id: string): string {
  if (Object.hasOwn(plugins, id)) return id;
  const same = Object.keys(plugins).filter((each) => each.startsWith(`${id}@`));
  const [only, second] = same;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined) throw new ConfigError(`${same.join(' and ')} are installed. Say which.`);
  const near = nearestWord(id.slice(0, 60), Object.keys(plugins));
  const advice = near === undefined ? '"turnwright plugin list" shows which are.' : `Did you mean ${near}?`;
  throw new ConfigError(`No plugin "${id.slice(0, 80)}" is installed. ${advice}`);
}

async function enable(
  { host, cwd }: MarketOptions,
  id: string,
  scope: WritableScope,
  isEnabled: boolean,
): Promise<string> {
  return editSettings({ host, env: host.env, cwd }, scope, [
    { op: 'set', path: ['enabledPlugins', id], value: isEnabled },
  ]);
}

/** Changes what is written of plugins, as it is then. */
async function change(
  market: Market,
  edit: (records: PluginRecords) => PluginRecords | Promise<PluginRecords>,
): Promise<void> {
  const { host, home, folder } = market;
  await host.fs.mkdir(folder, { mode: 0o700 });
  await whileLocked(host, recordsFile(home), async () => {
    const now = await readRecords(host, home);
    if ('problem' in now) throw new ConfigError(`${now.problem}. Correct or remove it.`);
    market.records = await edit(now);
    await writeRecords(host, home, market.records);
  });
}

async function replaceFolder({ fs }: Host, from: string, to: string): Promise<void> {
  await fs.mkdir(path.dirname(to), { mode: 0o700 });
  await fs.remove(to).catch(ignoreFileError);
  await fs.rename(from, to);
}

/** The time of what nobody installs any more begins now: a session may be using it. */
async function keepForNow({ host: { fs } }: Market, plugin: InstalledPlugin | undefined): Promise<void> {
  if (plugin !== undefined) await fs.chmod(plugin.folder, 0o755).catch(ignoreFileError);
}

/** Removes what nobody installs any more, once no session can be using it, and what a crash left. */
async function clean({ host, folder, records }: Market): Promise<void> {
  const now = host.clock.now();
  const used = new Set(Object.values(records.plugins).map((plugin) => plugin.folder));
  const below = async (place: string): Promise<string[]> =>
    (await host.fs.readdir(place).catch(() => [])).map((name) => path.join(place, name));
  const removeOld = async (place: string, ms: number) => {
    const [stat] = await host.fs.lstatAll([place]);
    if (stat != null && now - Math.max(stat.mtimeMs, stat.ctimeMs) > ms)
      await host.fs.remove(place).catch(ignoreFileError);
  };
  for (const place of await below(path.join(folder, 'staging'))) await removeOld(place, STAGING_MS);
  for (const marketplace of await below(path.join(folder, 'cache')))
    for (const plugin of await below(marketplace))
      for (const copy of await below(plugin)) if (!used.has(copy)) await removeOld(copy, KEPT_MS);
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
