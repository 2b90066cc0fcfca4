// The plugins that settings name: folders, and those that somebody installed. Loaded if settings name some. One rule: nothing is
// fetched here, and one that is not there, or may not be, is told, and the session goes on without it.
import path from 'node:path';
import {
  findForeignPlugin,
  type MarketplaceRules,
  type Plugin,
  type PluginRecords,
  readPlugin,
  readRecords,
  whyNotAllowed,
} from '../../context/plugins/index.js';
import { type SettingScope, userFolders } from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import type { OpenedSettings } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { mapBounded } from '../../util/map-bounded.js';
import type { PlainOptions } from '../options/index.js';

const READS_AT_ONCE = 8;
const ID = /^[A-Za-z0-9][\w-]{0,63}@[A-Za-z0-9][\w.-]{0,63}$/;

/** A plugin of a session, and how it came there. */
export interface SessionPlugin extends Plugin {
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

export interface EnabledPlugins {
  readonly plugins: readonly SessionPlugin[];
  readonly problems: readonly PluginProblem[];
}

/** Why one is not there. */
export interface PluginProblem {
  /** As settings name it. */
  readonly id: string;
  /** Its folder, or what settings say in place of one. */
  readonly source: string;
  readonly why: string;
}

/** Contract: never throws for what stands on the disk */
export async function enabledPlugins(
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
