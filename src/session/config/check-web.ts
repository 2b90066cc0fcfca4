// The option `web`, checked before anything starts: what is misread there would be a hole. Loaded if it is given.
import { ConfigError } from '../../protocol/errors.js';
import { SEARCH_PROVIDERS, type WebOptions } from '../../protocol/web-options.js';
import type { Secrets } from '../../providers/keys/index.js';
import { parseHostPattern } from '../../util/host-pattern.js';
import { isRecord } from '../../util/is-record.js';
import { checkModelName, refuse } from './check-config.js';

/** @throws ConfigError that names the field, what it is, and what to give */
export function checkWeb(web: WebOptions, env: Readonly<Record<string, string | undefined>>): void {
  if (!isRecord(web)) refuse('web', web, 'Give { privateHosts, model, search }');
  const { privateHosts, model, search } = web as { readonly [Key in keyof WebOptions]: unknown };
  if (privateHosts !== undefined) {
    if (!Array.isArray(privateHosts)) refuse('web.privateHosts', privateHosts, 'Give a list of hosts');
    const wrong = privateHosts.find((text) => typeof text !== 'string' || parseHostPattern(text) === null);
    if (wrong !== undefined)
      refuse('web.privateHosts', wrong, 'Write a host, *.host, an address or a range; a port follows after a colon');
  }
  if (model !== false) checkModelName('web.model', model);
  if (search === undefined) return;
  if (!isRecord(search)) refuse('web.search', search, 'Give { provider }');
  const { provider, baseUrl, maxResults } = search;
  searchKey(web, env, null);
  if (provider !== undefined && !SEARCH_PROVIDERS.some((name) => name === provider))
    refuse('web.search.provider', provider, `It is one of ${SEARCH_PROVIDERS.join(', ')}`);
  if (baseUrl !== undefined && !(typeof baseUrl === 'string' && /^https?:/.test(baseUrl) && URL.canParse(baseUrl)))
    refuse('web.search.baseUrl', baseUrl, 'Give an address that begins with https:// or http://');
  if (maxResults !== undefined && !(Number.isInteger(maxResults) && (maxResults as number) >= 1))
    refuse('web.search.maxResults', maxResults, 'Give a whole number of at least 1');
}

/**
 * The key that the option gives; undefined if it gives none. From then on it is a secret.
 * @throws ConfigError where it names a variable that is not set
 */
export function searchKey(
  web: WebOptions | undefined,
  env: Readonly<Record<string, string | undefined>>,
  secrets: Secrets | null,
): string | undefined {
  const input = web?.search?.apiKey;
  if (input === undefined) return undefined;
  const key = (typeof input === 'string' ? input : env[input.envVar])?.trim();
  if (typeof input !== 'string') secrets?.addVariable(input.envVar);
  if (!key) throw new ConfigError('web.search.apiKey is empty, or names a variable that is not set.');
  secrets?.addValue(key, 'key of web.search');
  return key;
}
