// How a session reaches the web: which hosts it may, which way, who searches. One rule: all of it is the host's and the
// user's; of a project only what is denied counts.
import type { HookWeb } from '../../hooks/hook-action.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { SEARCH_VARIABLES } from '../../protocol/search-variables.js';
import type { HttpRoute, TransportChoice } from '../../providers/http/index.js';
import type { Secrets } from '../../providers/keys/index.js';
import { createPageCache, fetchPage, type WebReach, type WebRules } from '../../providers/web/index.js';
import { checkEngine, searchWeb } from '../../providers/web-search/index.js';
import { type DomainPattern, matchesHost, parseDomain } from '../../sandbox/domain-pattern.js';
import type { WebAccess } from '../../tools/shared/web-access.js';
import { convertPage } from '../../tools/web-fetch/convert-page.js';
import { matchesHostPattern, parseHostPattern } from '../../util/host-pattern.js';
import type { QueryEngineConfig } from '../config/index.js';
import { openModelAccess, openModelReach } from '../models/index.js';

const DEFAULT_RESULTS = 10;

/** @throws ConfigError */
export async function openSessionWeb(
  config: Pick<QueryEngineConfig, 'web' | 'sandbox' | 'models'>,
  host: Host,
  env: Host['env'],
  secrets: Secrets,
): Promise<WebAccess> {
  const reach: WebReach = { ...openReach(config, host, env, secrets), convert: convertPage };
  const cache = createPageCache(host.clock);
  return {
    async fetchPage(url, signal) {
      const kept = cache.get(url);
      if (kept !== null) return kept;
      const page = await fetchPage(url, reach, signal);
      if (page.kind === 'text' && page.status < 400) cache.set(url, page);
      return page;
    },
    search: await searchOf(config, env, secrets, reach),
  };
}

/** How hooks of settings reach addresses. @throws ConfigError */
export function openHookWeb(
  config: Pick<QueryEngineConfig, 'web' | 'sandbox' | 'models'>,
  host: Host,
  env: Host['env'],
  secrets: Secrets,
): HookWeb {
  const { enabled, network } = config.sandbox ?? {};
  const allowed = (network?.allowedDomains ?? []).map((text) => parseDomain(text, 'sandbox.network.allowedDomains'));
  return {
    reach: openReach(config, host, env, secrets),
    isOpenToProject: (name, port) =>
      enabled !== true || allowed.some((each) => (each.port === null || each.port === port) && matchesHost(each, name)),
  };
}

function openReach(
  config: Pick<QueryEngineConfig, 'web' | 'sandbox' | 'models'>,
  host: Host,
  env: Host['env'],
  secrets: Secrets,
): Omit<WebReach, 'convert'> {
  const { models = {} } = config;
  const way = openModelReach(host, openModelAccess(host, env, models, undefined, secrets), models);
  return {
    clock: host.clock,
    rules: rulesOf(config),
    routeTo: async (url) => asRoute(await way.routeTo(url.href)),
  };
}

/** Null if nobody is set. @throws ConfigError */
async function searchOf(
  { web }: Pick<QueryEngineConfig, 'web'>,
  env: Host['env'],
  secrets: Secrets,
  reach: Pick<WebReach, 'clock' | 'routeTo'>,
): Promise<WebAccess['search']> {
  const { provider, baseUrl, maxResults = DEFAULT_RESULTS } = web?.search ?? {};
  const name = provider ?? SEARCH_VARIABLES.find(([, variable]) => isSet(env, variable))?.[0];
  if (name === undefined) return null;
  if (name === 'model') {
    const { searchByModel } = await import('./search-by-model.js');
    return (query, context) => searchByModel(query, maxResults, context);
  }
  const variables = SEARCH_VARIABLES.filter(([of]) => of === name).map(([, variable]) => variable);
  const value = variables.map((variable) => env[variable]?.trim()).find((text) => text) ?? '';
  const { searchKey } = await import('../config/check-web.js');
  const key = searchKey(web, env, secrets) ?? (name === 'searxng' ? '' : value);
  if (key !== '') secrets.addValue(key, `key of ${name}`);
  const engine = { name, key, baseUrl: baseUrl ?? (name === 'searxng' && value !== '' ? value : undefined) };
  checkEngine(engine);
  return (query, { signal }) => searchWeb(engine, { ...query, maxResults }, reach, signal);
}

function isSet(env: Host['env'], variable: string): boolean {
  return !!env[variable]?.trim();
}

async function asRoute(choice: TransportChoice | undefined): Promise<HttpRoute | undefined> {
  if (typeof choice === 'function') return choice();
  return typeof choice === 'object' ? choice : undefined;
}

function rulesOf({ web, sandbox }: Pick<QueryEngineConfig, 'web' | 'sandbox'>): WebRules {
  const open = (web?.privateHosts ?? []).map((text) => {
    const pattern = parseHostPattern(text);
    if (pattern === null) throw new ConfigError(`web.privateHosts has ${JSON.stringify(text)}, which is no host.`);
    return pattern;
  });
  const denied: DomainPattern[] =
    sandbox?.enabled === true
      ? (sandbox.network?.deniedDomains ?? []).map((text) => parseDomain(text, 'sandbox.network.deniedDomains'))
      : [];
  return {
    mayBePrivate: (name, port) => open.some((pattern) => matchesHostPattern(pattern, name, port)),
    whyDenied(name, port) {
      const rule = denied.find((each) => (each.port === null || each.port === port) && matchesHost(each, name));
      return rule === undefined ? null : `sandbox.network.deniedDomains names ${rule.source}`;
    },
  };
}
