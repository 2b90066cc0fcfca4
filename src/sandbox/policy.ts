// From what the settings say to one policy. Rule: what is not understood is an error, never a looser sandbox.
import path from 'node:path';
import { ConfigError } from '../protocol/errors.js';
import type { SandboxSettings } from '../protocol/options.js';
import { isRecord } from '../util/json.js';
import { type DomainPattern, parseDomain } from './domain-pattern.js';

/** Every path is absolute; none has its symbolic links resolved. */
export interface SandboxPolicy {
  readonly autoAllowBash: boolean;
  readonly excludedCommands: readonly string[];
  readonly allowUnsandboxed: boolean;
  /** Workspace folders. */
  readonly roots: readonly string[];
  readonly allowWrite: readonly string[];
  /** Wins over `roots` and `allowWrite`, at any depth. */
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  /** Opened again inside of `denyRead`. */
  readonly allowRead: readonly string[];
  readonly network: NetworkPolicy;
  readonly ignore: { readonly file: readonly string[]; readonly network: readonly string[] };
  /** No /proc of its own: for machines, such as containers, that refuse it. */
  readonly isNested: boolean;
}

export interface NetworkPolicy {
  readonly allowed: readonly DomainPattern[];
  readonly denied: readonly DomainPattern[];
  readonly allowLocalBinding: boolean;
  /** Unix sockets that may be connected to; `all` of those that can be seen. */
  readonly unixSockets: readonly string[] | 'all';
  /** Proxies of the user's own on loopback, in place of ours. */
  readonly httpProxyPort: number | null;
  readonly socksProxyPort: number | null;
}

export interface PolicyPlace {
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly home: string;
  /** Files of the engine's own that no command may read. */
  readonly secretFiles: readonly string[];
}

/** Where settings come from, the weakest first. */
export interface SandboxSources {
  /** User, local and flag settings; never those of a project, which may not loosen its own sandbox. */
  readonly settings?: unknown;
  /** The option `sandbox`, or the flag. */
  readonly option?: unknown;
  readonly managed?: unknown;
}

/**
 * One set of settings out of all: single values of the strongest that names them, lists of all together; of the managed
 * ones alone if `allowManagedReadPathsOnly` says so.
 * @throws ConfigError for a value of the wrong kind, and for a name that is none
 */
export function sandboxOptions({ settings, option, managed }: SandboxSources): SandboxSettings | undefined {
  const given = [settings, option, managed].filter((source) => source !== undefined);
  if (given.length === 0) return undefined;
  const checked = given.map((source) => checkSettings(source));
  const merged = checked.reduce((low, high) => merge(low, high) as SandboxSettings, {});
  if (merged.filesystem?.allowManagedReadPathsOnly !== true) return merged;
  const ofManaged = managed === undefined ? undefined : checkSettings(managed).filesystem?.allowRead;
  return { ...merged, filesystem: { ...merged.filesystem, allowRead: ofManaged ?? [] } };
}

/** @throws ConfigError */
export function readPolicy(settings: SandboxSettings, place: PolicyPlace): SandboxPolicy {
  const {
    filesystem = {},
    network = {},
    ignoreViolations: ignore = {},
    excludedCommands = [],
  } = checkSettings(settings);
  const paths = (list: readonly string[] | undefined, name: string) =>
    (list ?? []).map((text) => readPath(text, `sandbox.${name}`, place));
  const roots = place.roots.map((root) => path.resolve(root));
  if (roots.includes('/')) {
    throw new ConfigError('The workspace is / itself, and a sandbox that may write everywhere is none. Name a folder.');
  }
  const allowWrite = paths(filesystem.allowWrite, 'filesystem.allowWrite');
  if (allowWrite.includes('/')) {
    throw new ConfigError('sandbox.filesystem.allowWrite has /, and a sandbox that may write everywhere is none.');
  }
  const all = network.allowAllUnixSockets === true;
  return {
    autoAllowBash: settings.autoAllowBashIfSandboxed ?? true,
    excludedCommands,
    allowUnsandboxed: settings.allowUnsandboxedCommands ?? true,
    roots,
    allowWrite,
    denyWrite: paths(filesystem.denyWrite, 'filesystem.denyWrite'),
    denyRead: [...place.secretFiles, ...paths(filesystem.denyRead, 'filesystem.denyRead')],
    allowRead: paths(filesystem.allowRead, 'filesystem.allowRead'),
    network: {
      allowed: (network.allowedDomains ?? []).map((text) => parseDomain(text, 'sandbox.network.allowedDomains')),
      denied: (network.deniedDomains ?? []).map((text) => parseDomain(text, 'sandbox.network.deniedDomains')),
      allowLocalBinding: network.allowLocalBinding ?? false,
      unixSockets: all ? 'all' : paths(network.allowUnixSockets, 'network.allowUnixSockets'),
      httpProxyPort: network.httpProxyPort ?? null,
      socksProxyPort: network.socksProxyPort ?? null,
    },
    ignore: { file: ignore.file ?? [], network: ignore.network ?? [] },
    isNested: settings.enableWeakerNestedSandbox ?? false,
  };
}

/** True if the policy lets something out by a proxy. */
export function hasProxy({ network }: SandboxPolicy): boolean {
  return network.allowed.length > 0 || network.httpProxyPort !== null || network.socksProxyPort !== null;
}

/** `/abs`, `//abs`, `~/x`, `./x` and `x` of the working directory; a trailing `/**` means the folder itself. */
function readPath(text: string, name: string, { cwd, home }: PolicyPlace): string {
  const plain = text.trim().replace(/\/\*\*\/?$/, '') || '/';
  if (/[*?]/.test(plain) || text.includes('\0')) {
    throw new ConfigError(`${name} has "${text}": patterns are not understood there. Name a file or a folder.`);
  }
  if (text.trim() === '') throw new ConfigError(`${name} has an empty path. Name a file or a folder.`);
  if (plain === '~' || plain.startsWith('~/')) return path.resolve(home, plain.slice(2));
  if (plain.startsWith('~'))
    throw new ConfigError(`${name} has "${text}": the home of another user cannot be named so.`);
  return path.resolve(cwd, plain.startsWith('//') ? plain.slice(1) : plain);
}

type Kind = 'flag' | 'texts' | 'port' | { readonly [name: string]: Kind };

const SHAPE: Kind = {
  enabled: 'flag',
  autoAllowBashIfSandboxed: 'flag',
  excludedCommands: 'texts',
  allowUnsandboxedCommands: 'flag',
  network: {
    allowLocalBinding: 'flag',
    allowUnixSockets: 'texts',
    allowAllUnixSockets: 'flag',
    httpProxyPort: 'port',
    socksProxyPort: 'port',
    allowedDomains: 'texts',
    deniedDomains: 'texts',
  },
  filesystem: {
    allowWrite: 'texts',
    denyWrite: 'texts',
    denyRead: 'texts',
    allowRead: 'texts',
    allowManagedReadPathsOnly: 'flag',
  },
  ignoreViolations: { file: 'texts', network: 'texts' },
  enableWeakerNestedSandbox: 'flag',
};

function checkSettings(value: unknown): SandboxSettings {
  check(value, 'sandbox', SHAPE);
  return value as SandboxSettings;
}

/** Nothing that JSON cannot say may turn the error into another one. */
function shownValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return `a ${typeof value} that JSON cannot say`;
  }
}

function check(value: unknown, name: string, kind: Kind): void {
  if (value === undefined) return;
  const refuse = (what: string): never => {
    throw new ConfigError(`${name} must be ${what}, not ${shownValue(value)}.`);
  };
  if (kind === 'flag') {
    if (typeof value !== 'boolean') refuse('true or false');
  } else if (kind === 'port') {
    if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 65_535) refuse('a port, 1 to 65535');
  } else if (kind === 'texts') {
    if (!Array.isArray(value) || value.some((text) => typeof text !== 'string' || text === '')) {
      refuse('a list of texts that are not empty');
    }
  } else {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('an object');
    for (const [key, inner] of Object.entries(value as object)) {
      const expected = Object.hasOwn(kind, key) ? kind[key] : undefined;
      // A misspelt name would be a hole that nobody sees.
      if (expected === undefined) {
        throw new ConfigError(`There is no ${name}.${key}. Names: ${Object.keys(kind).join(', ')}.`);
      }
      check(inner, `${name}.${key}`, expected);
    }
  }
}

function merge(low: unknown, high: unknown): unknown {
  if (high === undefined) return low;
  if (Array.isArray(low) && Array.isArray(high)) return [...new Set([...low, ...high])];
  if (isRecord(low) && isRecord(high)) {
    const keys = new Set([...Object.keys(low), ...Object.keys(high)]);
    return Object.fromEntries([...keys].map((key) => [key, merge(low[key], high[key])]));
  }
  return high;
}
