// The option `web`, checked before anything starts: what is misread there would be a hole. Loaded where it is given.
import { SEARCH_PROVIDERS, type WebOptions } from '../../protocol/web-options.js';
import { parseHostPattern } from '../../util/host-pattern.js';
import { isRecord } from '../../util/is-record.js';
import { checkModelName, refuse } from './check-config.js';

/** @throws ConfigError that names the field, what it is, and what to give */
export function checkWeb(web: WebOptions): void {
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
  if (provider !== undefined && !SEARCH_PROVIDERS.some((name) => name === provider))
    refuse('web.search.provider', provider, `It is one of ${SEARCH_PROVIDERS.join(', ')}`);
  if (baseUrl !== undefined && !(typeof baseUrl === 'string' && /^https?:/.test(baseUrl) && URL.canParse(baseUrl)))
    refuse('web.search.baseUrl', baseUrl, 'Give an address that begins with https:// or http://');
  if (maxResults !== undefined && !(Number.isInteger(maxResults) && (maxResults as number) >= 1))
    refuse('web.search.maxResults', maxResults, 'Give a whole number of at least 1');
}
