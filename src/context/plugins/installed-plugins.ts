// Which marketplaces are known and which plugins are installed: what our own file says, and what other programs installed for
// the user. One rule: a file that is not as it should be means that nothing is installed, with the reason; nothing is guessed.

import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { isRecord } from '../../util/json.js';
import type { Problem } from '../markdown/index.js';
import { type PluginSource, readSource } from './marketplace.js';
import { readJsonBelow } from './read-plugin.js';

export interface KnownMarketplace {
  readonly source: PluginSource;
  /** Where its list lies, absolute: our copy, or the folder itself. */
  readonly folder: string;
  /** Of the list, if it is in no usual place. */
  readonly file?: string;
  readonly commit?: string;
  readonly version?: string;
  readonly sha256?: string;
  /** True if the user named it, and not a project. */
  readonly isUsers?: boolean;
  readonly updatedAt: string;
}

export interface InstalledPlugin {
  /** Absolute. */
  readonly folder: string;
  readonly version: string;
  readonly source: PluginSource | { readonly inside: string };
  readonly commit?: string;
  readonly integrity?: string;
  /** Of all its files. */
  readonly sha256: string;
  readonly installedAt: string;
}

export interface PluginRecords {
  readonly marketplaces: Readonly<Record<string, KnownMarketplace>>;
  /** By `name@marketplace`. */
  readonly plugins: Readonly<Record<string, InstalledPlugin>>;
}

const NO_RECORDS: PluginRecords = { marketplaces: {}, plugins: {} };
const VERSION = 1;
const MAX_BYTES = 8 * 1024 * 1024;

/** @param home `$TURNWRIGHT_HOME` */
export function pluginsHome(home: string): string {
  return path.join(home, 'plugins');
}

export function recordsFile(home: string): string {
  return path.join(pluginsHome(home), 'plugins.json');
}

/** Contract: never throws for what stands on the disk */
export async function readRecords({ fs }: Pick<Host, 'fs'>, home: string): Promise<PluginRecords | Problem> {
  const folder = pluginsHome(home);
  const [there] = await fs.lstatAll([recordsFile(home)]);
  if (there == null) return NO_RECORDS;
  const value = await readJsonBelow(fs, folder, 'plugins.json', MAX_BYTES);
  if ('problem' in value) return { problem: `${recordsFile(home)}: ${String(value.problem)}` };
  const { version, marketplaces, plugins } = value;
  if (version !== VERSION || !areRecords(marketplaces, 'source') || !areRecords(plugins, 'sha256'))
    return { problem: `${recordsFile(home)} is not what this version of Turnwright writes` };
  return { marketplaces, plugins } as unknown as PluginRecords;
}

function areRecords(value: unknown, field: string): boolean {
  return (
    isRecord(value) &&
    Object.values(value).every((each) => isRecord(each) && typeof each['folder'] === 'string' && field in each)
  );
}

/** Contract: the caller holds the lock of the file */
export async function writeRecords({ fs }: Pick<Host, 'fs'>, home: string, records: PluginRecords): Promise<void> {
  await fs.mkdir(pluginsHome(home), { mode: 0o700 });
  await fs.writeFileAtomic(recordsFile(home), `${JSON.stringify({ version: VERSION, ...records }, null, 2)}\n`, {
    mode: 0o600,
  });
}

/** A plugin that another program installed for the user. */
export interface ForeignPlugin {
  readonly folder: string;
  readonly version: string;
  /** Of its marketplace; null: nobody knows. */
  readonly source: PluginSource | null;
}

/**
 * Looks in the folder of another program for a plugin that it installed.
 * @param folder of that program, such as `~/.claude`, absolute. @returns null if it has none of that name
 */
export async function findForeignPlugin(
  { fs }: Pick<Host, 'fs'>,
  folder: string,
  id: string,
): Promise<ForeignPlugin | null> {
  const place = path.join(folder, 'plugins');
  const installed = await readJsonBelow(fs, place, 'installed_plugins.json', MAX_BYTES);
  const { plugins } = installed as { readonly plugins?: unknown };
  const all: readonly unknown[] = isRecord(plugins) && Object.hasOwn(plugins, id) ? [plugins[id]].flat() : [];
  const listed = all.filter((each) => isRecord(each) && typeof each['installPath'] === 'string');
  const entry = listed.find((each) => isRecord(each) && each['scope'] === 'user') ?? listed[0];
  if (!isRecord(entry)) return null;
  const { installPath, version } = entry;
  const real = await fs.realpath(path.resolve(place, String(installPath))).catch((error: unknown) => {
    if (isFileError(error)) return null; // it is gone, so it is not installed
    throw error;
  });
  const own = await fs.realpath(place).catch(() => place);
  if (real === null || !isInside(own, real)) return null;
  const known = await readJsonBelow(fs, place, 'known_marketplaces.json', MAX_BYTES);
  const marketplace = (known as Readonly<Record<string, unknown>>)[id.slice(id.indexOf('@') + 1)];
  const source = isRecord(marketplace) ? readSource(marketplace['source'], 'marketplace', place) : null;
  return {
    folder: real,
    version: typeof version === 'string' ? version : '',
    source: source === null || 'problem' in source ? null : source,
  };
}
