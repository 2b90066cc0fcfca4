// A marketplace: a list of plugins and where each comes from, in the published layout. One rule: an entry that cannot be used
// is a problem with a reason, and those beside it count; no entry leads out of the marketplace by a path.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { isRecord } from '../../util/json.js';
import type { Problem } from '../markdown/index.js';
import { type PluginSource, readSource, staysInside } from './plugin-source.js';
import { PLUGIN_NAME, readJsonBelow, readManifest } from './read-plugin.js';

/** One plugin that a marketplace offers. */
export interface MarketplaceEntry {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** A path within the marketplace, or a place of its own. */
  readonly from: { readonly inside: string } | PluginSource;
  /** False: what the entry says is the whole manifest. */
  readonly isStrict: boolean;
  /** Fields of a manifest that the entry has. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

export interface Marketplace {
  readonly name: string;
  readonly description: string;
  readonly entries: readonly MarketplaceEntry[];
  /** Entries that cannot be used, and why. */
  readonly problems: readonly string[];
}

const MARKETPLACE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const FILES = ['.turnwright-plugin', '.claude-plugin', '.qoder-plugin'].map((folder) => `${folder}/marketplace.json`);
const MAX_ENTRIES = 2_000;
/** Bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Fields of an entry that are about the list, and not about the plugin. */
const OF_LIST = ['source', 'strict', 'category', 'tags'];

/** @param folder absolute; @param file of the list, within it. Contract: never throws for what stands on the disk */
export async function readMarketplace(
  { fs }: Pick<Host, 'fs'>,
  folder: string,
  file?: string,
): Promise<Marketplace | Problem> {
  const there = await fs.lstatAll(FILES.map((name) => path.join(folder, name)));
  const found = file ?? FILES.find((_, at) => there[at] != null);
  if (found === undefined) return { problem: `it holds no ${FILES[1]}` };
  const value = await readJsonBelow(fs, folder, found, MAX_BYTES);
  if ('problem' in value) return { problem: `${found}: ${String(value.problem)}` };
  const { name, plugins, metadata } = value;
  if (typeof name !== 'string' || !MARKETPLACE_NAME.test(name))
    return {
      problem: `its name ${JSON.stringify(name)?.slice(0, 80)} is not 1 to 64 letters, digits, "-", "_" and "."`,
    };
  if (!Array.isArray(plugins)) return { problem: 'its plugins are not a list' };
  const about = isRecord(metadata) ? metadata : {};
  const description = value['description'] ?? about['description'];
  const root = typeof about['pluginRoot'] === 'string' ? about['pluginRoot'] : '.';
  const problems: string[] = [];
  const entries: MarketplaceEntry[] = [];
  const taken = new Set<string>();
  for (const [at, entry] of plugins.slice(0, MAX_ENTRIES).entries()) {
    const read = readEntry(entry, root);
    const label = isRecord(entry) && typeof entry['name'] === 'string' ? entry['name'].slice(0, 80) : `plugins[${at}]`;
    if ('problem' in read) problems.push(`${label}: ${read.problem}`);
    else if (taken.has(read.name.toLowerCase())) problems.push(`${label}: another entry has that name`);
    else {
      taken.add(read.name.toLowerCase());
      entries.push(read);
    }
  }
  if (plugins.length > MAX_ENTRIES) problems.push(`it lists ${plugins.length} plugins; the first ${MAX_ENTRIES} count`);
  return { name, description: typeof description === 'string' ? description : '', entries, problems };
}

function readEntry(entry: unknown, root: string): MarketplaceEntry | Problem {
  if (!isRecord(entry)) return { problem: 'it is not an object' };
  const { name, source, strict, version = '', description = '' } = entry;
  if (typeof name !== 'string' || !PLUGIN_NAME.test(name))
    return { problem: 'its name is not 1 to 64 letters, digits, "-" and "_"' };
  const from = typeof source === 'string' ? insideOf(source, root) : readSource(source, 'plugin', '/');
  if ('problem' in from) return from;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    version: typeof version === 'string' ? version : '',
    from,
    isStrict: strict !== false,
    manifest: Object.fromEntries(Object.entries(entry).filter(([key]) => !OF_LIST.includes(key))),
  };
}

/** A name without `./` starts from the folder that the list names for all. */
function insideOf(source: string, root: string): { readonly inside: string } | Problem {
  const inside = /^\.{1,2}(?:\/|$)/.test(source) ? source : path.join(root, source);
  return staysInside(inside) && source !== ''
    ? { inside: path.normalize(inside) }
    : { problem: `its source ${JSON.stringify(source).slice(0, 100)} leads out of the marketplace` };
}

/** Parts that a list may say more of. */
const COMPONENTS = ['agents', 'commands', 'skills', 'outputStyles', 'hooks', 'mcpServers', 'lspServers'];

/**
 * What the plugin says of itself, with what the list says of it.
 * @param folder of the plugin, absolute. @returns null if the plugin says it all
 */
export async function wholeManifest(
  host: Pick<Host, 'fs'>,
  folder: string,
  { manifest: said, isStrict }: MarketplaceEntry,
): Promise<Record<string, unknown> | Problem | null> {
  const found = await readManifest(host, folder);
  if (found !== null && 'problem' in found) return found;
  const parts = COMPONENTS.filter((key) => said[key] !== undefined);
  if (found !== null && parts.length === 0) return null;
  const own = found?.fields ?? {};
  const both = parts.map((key) => [key, [...[own[key] ?? []].flat(), ...[said[key]].flat()]] as const);
  return { ...said, ...own, ...Object.fromEntries(both), ...(isStrict ? {} : { onlyNamed: true }) };
}
