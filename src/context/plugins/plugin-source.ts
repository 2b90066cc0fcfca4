// Where a marketplace or a plugin comes from: as settings, a `marketplace.json` or the command line name it. Pure. One rule:
// a source is understood whole or refused with the reason, and two names of one place are one source.

import path from 'node:path';
import { isRecord } from '../../util/json.js';
import { leadsOut } from '../../util/posix-path.js';
import { readAddress } from '../../util/web-address.js';
import type { Problem } from '../markdown/index.js';

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
