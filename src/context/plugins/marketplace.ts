// A marketplace: a list of plugins in the published layout, and where each comes from, as settings and the command line name it
// too. A source is understood whole or refused with the reason; an entry that cannot be used is a problem, and those beside it
// count; none leads out of the marketplace by a path.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { isRecord } from '../../util/json.js';
import { leadsOut } from '../../util/posix-path.js';
import { readAddress } from '../../util/web-address.js';
import type { Problem } from '../markdown/index.js';
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

export type PluginSource =
  | { readonly source: 'directory'; readonly path: string }
  /** A `marketplace.json` by itself. */
  | { readonly source: 'file'; readonly path: string }
  | {
      readonly source: 'git';
      readonly url: string;
      /** A branch or a tag. Absent: what the repository offers first. */
      readonly ref?: string;
      /** The only commit that counts. */
      readonly sha?: string;
      /** A folder in it; of a marketplace the file. */
      readonly path?: string;
    }
  /** A `marketplace.json` on the web. */
  | { readonly source: 'url'; readonly url: string }
  | { readonly source: 'npm'; readonly package: string; readonly version?: string; readonly registry?: string };

const REPOSITORY = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
const REF = /^[A-Za-z0-9](?:[\w./+-]{0,198}[\w+-])?$/;
const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const SCP_LIKE = /^[A-Za-z0-9][\w.-]*@[A-Za-z0-9][\w.-]*:[^\s:-][^\s]*$/;
const PACKAGE = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;
const VERSION = /^[\w.^~+*-]{1,80}$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * @param of what the source is of: `url` is a repository for a plugin, and a file on the web for a marketplace
 * @param base what relative paths start from, absolute
 */
export function readSource(value: unknown, of: 'marketplace' | 'plugin', base: string): PluginSource | Problem {
  if (!isRecord(value)) return { problem: 'its source is not an object' };
  const { source: kind, url, repo } = value;
  switch (kind) {
    case 'github':
      if (typeof repo !== 'string' || !REPOSITORY.test(repo)) return { problem: 'its repo is not owner/name' };
      return gitSource(`https://github.com/${repo}.git`, value);
    case 'url':
      return of === 'marketplace' ? webSource(url, value['headers']) : gitSource(url, value);
    case 'git':
    case 'git-subdir':
      return typeof url === 'string' && REPOSITORY.test(url)
        ? gitSource(`https://github.com/${url}.git`, value)
        : gitSource(url, value);
    case 'npm':
      return npmSource(value['package'], value['version'], value['registry']);
    case 'directory':
    case 'file':
      if (of === 'plugin') break;
      if (typeof value['path'] !== 'string' || value['path'].trim() === '')
        return { problem: 'its path is not a text' };
      return { source: kind, path: path.resolve(base, value['path']) };
  }
  return { problem: `its source ${JSON.stringify(kind)?.slice(0, 60)} is not known` };
}

function gitSource(url: unknown, { ref, sha, path: inside }: Readonly<Record<string, unknown>>) {
  const why = whyNoRepository(url);
  if (why !== null) return { problem: why };
  if (ref !== undefined && (typeof ref !== 'string' || !REF.test(ref) || ref.includes('..')))
    return { problem: 'its ref is not a name of a branch or a tag' };
  if (sha !== undefined && (typeof sha !== 'string' || !SHA.test(sha)))
    return { problem: 'its sha is not a whole commit (40 hex digits)' };
  if (inside !== undefined && (typeof inside !== 'string' || !staysInside(inside)))
    return { problem: 'its path leads out of the repository' };
  return {
    source: 'git',
    url: url as string,
    ...(ref === undefined ? {} : { ref }),
    ...(sha === undefined ? {} : { sha }),
    ...(inside === undefined || path.normalize(inside) === '.' ? {} : { path: path.normalize(inside) }),
  } as PluginSource;
}

/** Which machine it leads to is looked at when it is fetched. */
function webSource(url: unknown, headers?: unknown): PluginSource | Problem {
  if (headers !== undefined)
    return { problem: 'it has headers, and none are sent to a marketplace on the web: name its repository' };
  const address = typeof url === 'string' ? readAddress(url) : null;
  if (address === null) return { problem: 'its url is not a text' };
  if (address.kind === 'unusable') return { problem: `its url cannot be used: ${address.why}` };
  const { protocol, hostname, href } = address.url;
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return { source: 'url', url: href };
  return { problem: 'what it lists is installed, so its url must be by https' };
}

/** Null for an address that git may be given. */
function whyNoRepository(url: unknown): string | null {
  if (typeof url !== 'string' || url === '') return 'its url is not a text';
  if (SCP_LIKE.test(url)) return null;
  if (!URL.canParse(url) || /\s/.test(url)) return 'its url is not an address of a repository';
  const { protocol, hostname, password } = new URL(url);
  if (password !== '') return 'its url holds a password: let git keep it (git help credentials)';
  if (protocol === 'https:' || protocol === 'ssh:' || protocol === 'file:') return null;
  if (protocol === 'http:' && LOOPBACK.test(hostname)) return null;
  return `git is not asked by ${protocol} here: use https, ssh or file`;
}

function npmSource(name: unknown, version: unknown, registry: unknown): PluginSource | Problem {
  if (typeof name !== 'string' || name.length > 214 || !PACKAGE.test(name))
    return { problem: 'its package is not a name of an npm package' };
  if (version !== undefined && (typeof version !== 'string' || !VERSION.test(version)))
    return { problem: 'its version is not a version, and no name of one' };
  if (registry !== undefined) {
    const { protocol, hostname } = typeof registry === 'string' && URL.canParse(registry) ? new URL(registry) : NOWHERE;
    if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK.test(hostname)))
      return { problem: 'its registry is not an address by https' };
  }
  return {
    source: 'npm',
    package: name,
    ...(version === undefined ? {} : { version }),
    ...(registry === undefined ? {} : { registry: registry as string }),
  };
}

const NOWHERE = { protocol: '', hostname: '' };

/** True for a relative path that does not leave its folder. */
export function staysInside(name: string): boolean {
  const plain = path.normalize(name);
  return !path.isAbsolute(plain) && !leadsOut(plain, path.sep) && !name.includes('\0');
}

/**
 * A marketplace as people type one: `owner/name`, an address of git or of a `.json`, `npm:<package>`, or a path; `#` goes before a branch or tag.
 * @param cwd what relative paths start from, absolute
 */
export function readSourceText(text: string, cwd: string, home: string): PluginSource | Problem {
  if (/^npm:/i.test(text)) {
    const [, name, version] = /^npm:(@?[^@]+)(?:@(.+))?$/i.exec(text) ?? [];
    return npmSource(name, version, undefined);
  }
  if (/^(?:~|\.{1,2})?[/\\]|^\.{1,2}$|^[A-Za-z]:[/\\]/.test(text)) {
    const file = path.resolve(cwd, text.startsWith('~') ? path.join(home, text.slice(1)) : text);
    return { source: file.endsWith('.json') ? 'file' : 'directory', path: file };
  }
  const at = text.lastIndexOf('#');
  const [place, ref] = at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
  if (REPOSITORY.test(place)) return gitSource(`https://github.com/${place}.git`, { ref });
  if (/^https?:.*\.json$/i.test(place)) return webSource(place);
  return gitSource(place, { ref });
}

/** For people. */
export function sourceText(source: PluginSource): string {
  switch (source.source) {
    case 'git': {
      const { url, ref, sha, path: inside } = source;
      return `${url}${ref === undefined ? '' : `#${ref}`}${inside === undefined ? '' : ` (${inside})`}${sha === undefined ? '' : ` at ${sha.slice(0, 12)}`}`;
    }
    case 'url':
      return source.url;
    case 'npm':
      return `npm:${source.package}${source.version === undefined ? '' : `@${source.version}`}`;
    default:
      return source.path;
  }
}

/** The same place, the same text. */
export function sourceKey(source: PluginSource): string {
  if (source.source !== 'git') return JSON.stringify(source, Object.keys(source).sort());
  const { url, ref = '', sha = '', path: inside = '' } = source;
  return JSON.stringify(['git', url.replace(/(?:\.git)?\/?$/, ''), ref, sha, inside]);
}

/** What managed settings say of marketplaces. */
export interface MarketplaceRules {
  /** The only sources there may be; null: any. */
  readonly known: readonly unknown[] | null;
  readonly blocked: readonly unknown[];
}

/** Null for a marketplace that there may be. @param source null if nobody knows it. */
export function whyNotAllowed(source: PluginSource | null, { known, blocked }: MarketplaceRules): string | null {
  if (source !== null && blocked.some((one) => fits(source, one))) return 'managed settings block this marketplace';
  if (known === null || (source !== null && known.some((one) => fits(source, one)))) return null;
  return known.length === 0
    ? 'managed settings allow no marketplace'
    : 'managed settings (strictKnownMarketplaces) do not list this marketplace';
}

function fits(source: PluginSource, listed: unknown): boolean {
  if (!isRecord(listed)) return false;
  const { source: kind, hostPattern, pathPattern } = listed;
  if (kind === 'hostPattern')
    return (source.source === 'git' || source.source === 'url') && matches(hostPattern, hostOf(source.url));
  if (kind === 'pathPattern')
    return (source.source === 'directory' || source.source === 'file') && matches(pathPattern, source.path);
  const read = readSource(listed, 'marketplace', '/');
  return !('problem' in read) && sourceKey(read) === sourceKey(source);
}

function matches(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string') return false;
  try {
    return new RegExp(`^(?:${pattern})$`).test(text);
  } catch {
    return false; // no pattern matches nothing: of a list of what is allowed that is the stricter
  }
}

function hostOf(url: string): string {
  return SCP_LIKE.test(url) ? (/@([^:]+):/.exec(url)?.[1] ?? '') : new URL(url).hostname;
}
