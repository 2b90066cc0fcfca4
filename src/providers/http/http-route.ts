// Which way a request takes: straight, or through a proxy, and whose certificates are believed. Pure. Loaded if a
// variable or an option says something about it.
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';

type Env = Host['env'];

/** The way of the requests to one address. */
export interface HttpRoute {
  /** An http, https or socks5 URL, with user and password if the proxy wants them. */
  readonly proxy: URL | null;
  /** Authorities in PEM form; null: those that come with the runtime. */
  readonly authorities: readonly string[] | null;
}

/** A user or password that cannot be decoded. */
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

/**
 * The proxy for an address; null if it is reached straight. An option is for every address that NO_PROXY does not
 * name. Variables are for addresses of their scheme, and never for this machine itself.
 * @throws ConfigError for a proxy that cannot be used; its text shows no password
 */
export function chooseProxy(url: URL, env: Env, option: string | undefined): URL | null {
  if (isExcepted(url, variable(env, 'NO_PROXY') ?? '')) return null;
  if (option !== undefined) return option.trim() === '' ? null : readProxy(option.trim(), 'The option proxy');
  if (isThisMachine(url.hostname)) return null;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const used = variable(env, name) === undefined ? 'ALL_PROXY' : name;
  const text = variable(env, used);
  return text === undefined ? null : readProxy(text, used);
}

/** An empty text means straight. @throws ConfigError for what is not the address of a proxy */
export function checkProxy(text: string, where: string): void {
  if (text.trim() !== '') readProxy(text.trim(), where);
}

function readProxy(text: string, where: string): URL {
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  const isWhole = url !== null && url.hostname !== '' && !BROKEN_ESCAPE.test(url.username + url.password);
  if (isWhole && SCHEMES.includes(url.protocol)) return url;
  throw new ConfigError(`${where} is not the address of a proxy. Write it as http://host:port or socks5://host:port.`);
}

/** Entries as curl reads them: a host and all under it, with or without a leading dot or a port; `*` is every one. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bare(hostname);
  const actualPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = entry, entryPort = actualPort] = (isAddress6(entry) ? null : /^(.*):(\d+)$/.exec(entry)) ?? [];
      const wanted = bare(name).replace(/^\*?\./, '');
      return entryPort === actualPort && (host === wanted || host.endsWith(`.${wanted}`));
    });
}

function isAddress6(entry: string): boolean {
  return (entry.match(/:/g) ?? []).length > 1;
}

function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function isThisMachine(hostname: string): boolean {
  const host = bare(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The lower-case spelling first, as everywhere. */
function variable(env: Env, name: string): string | undefined {
  const text = (env[name.toLowerCase()] ?? env[name])?.trim();
  return text === '' ? undefined : text;
}
