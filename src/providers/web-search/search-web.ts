// One search by one API. One rule: the key goes to that API and nowhere else, and is in no error.
import type { HostClock } from '../../host/host.js';
import { ConfigError, ToolError } from '../../protocol/errors.js';
import { addressBytes } from '../../util/ip-address.js';
import { isPublicHost, readAddress } from '../../util/web-address.js';
import type { HttpRoute } from '../http/index.js';
import { dialAddress, type Lookup, lookUp, sendRequest } from '../web/index.js';
import { isLonger, SEARCH_APIS, type SearchApiName, type SearchHit, type SearchQuery } from './search-apis.js';

export interface SearchReach {
  readonly clock: Pick<HostClock, 'after'>;
  routeTo(url: URL): Promise<HttpRoute | undefined>;
  /** Default: as the machine looks names up. */
  readonly lookup?: Lookup;
}

export interface SearchEngine {
  readonly name: SearchApiName;
  readonly key: string;
  /** Undefined: the API's own. */
  readonly baseUrl: string | undefined;
}

const LIMITS = { totalMs: 20_000, maxBytes: 2 * 1024 * 1024 };

/** @throws ConfigError for an engine that cannot be used as it is set */
export function checkEngine({ name, key, baseUrl }: SearchEngine): void {
  const api = SEARCH_APIS[name];
  if (api.needsKey && key === '')
    throw new ConfigError(`WebSearch is set to ${name}, and there is no key: set its variable or web.search.apiKey.`);
  const address = baseUrl ?? api.baseUrl;
  if (address === undefined)
    throw new ConfigError(`WebSearch is set to ${name}, and its address is missing: give web.search.baseUrl.`);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError('web.search.baseUrl is not an address that begins with https:// or http://.');
  if (key !== '' && url.protocol === 'http:' && isPublicHost(url.hostname))
    throw new ConfigError('web.search.baseUrl begins with http://, so the key could be read on the way. Use https://.');
}

/** @throws ToolError for what the model should read; AbortError */
export async function searchWeb(
  engine: SearchEngine,
  query: SearchQuery,
  { clock, routeTo, lookup = lookUp }: SearchReach,
  signal: AbortSignal,
): Promise<readonly SearchHit[]> {
  checkEngine(engine);
  const { name, key } = engine;
  const api = SEARCH_APIS[name];
  if (api.longest !== undefined && isLonger(query.query, api.longest)) {
    const { characters, words } = api.longest;
    const most = `${characters} characters${words === undefined ? '' : ` and ${words} words`}`;
    throw new ToolError(`${name} takes queries of at most ${most}. Nothing was sent; ask for less at a time.`);
  }
  const request = api.request(query, engine.baseUrl ?? api.baseUrl ?? '', key);
  const route = await routeTo(request.url);
  const host = request.url.hostname.replace(/^\[|\]$/g, '');
  const addresses = addressBytes(host) === null ? await lookup(host).catch(() => []) : [host];
  if (addresses.length === 0 && route?.proxy == null)
    throw new ToolError(`${name} cannot be reached: ${host} has no address.`);
  const way = { addresses, route, clock, dial: dialAddress };
  const { status, bytes } = await sendRequest(request, way, LIMITS, signal);
  if (status !== 200) throw new ToolError(statusText(name, status, new TextDecoder().decode(bytes)));
  let answer: unknown;
  try {
    answer = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ToolError(`${name} answered with something that is not JSON. The user should check web.search.baseUrl.`);
  }
  return api
    .hits(answer)
    .filter((hit) => isWanted(hit, query))
    .slice(0, query.maxResults);
}

/** What is used up there: the plan's searches, those that are paid for. */
const TAVILY_LIMITS = [432, 433];

function statusText(name: string, status: number, body: string): string {
  // It answers so if its owner left JSON out of the forms of its answers, which is the usual.
  if (status === 403 && name === 'searxng')
    return `searxng refused the search (403): the user should add json to search.formats in its settings.yml.`;
  // Brave calls a key that is none an input that is none.
  const isKey = status === 401 || status === 403 || (status === 422 && /subscription.token/i.test(body));
  if (isKey) return `${name} refused the search (${status}): the user should check the key of web.search.`;
  if ([402, 429, ...TAVILY_LIMITS].includes(status))
    return `${name} refused the search (${status}): its limit is used up. Go on without it.`;
  return `The search failed: ${name} answered with status ${status}. Try once more, or go on without it.`;
}

/** What an engine makes of a wish is its business, so it is looked at here. */
export function isWanted({ url }: SearchHit, { allowedDomains, blockedDomains }: SearchQuery): boolean {
  const address = readAddress(url);
  if (address.kind !== 'address') return false;
  const isIn = (domain: string) => address.host === domain || address.host.endsWith(`.${domain}`);
  return !blockedDomains.some(isIn) && (allowedDomains.length === 0 || allowedDomains.some(isIn));
}
