// The APIs that search the web, and one search by one of them. One rule: the key goes to that API and nowhere else, and is in no
// error.
import type { HostClock } from '../../host/host.js';
import { ConfigError, ToolError } from '../../protocol/errors.js';
import type { SearchProviderName } from '../../protocol/web-options.js';
import { recordOf } from '../../util/json.js';
import { addressBytes, isPublicHost, readAddress } from '../../util/web-address.js';
import type { HttpRoute } from '../http/index.js';
import { dialAddress, type Lookup } from './dial-address.js';
import { lookUp } from './fetch-page.js';
import { sendRequest } from './web-request.js';

interface SearchReach {
  readonly clock: Pick<HostClock, 'after'>;
  routeTo(url: URL): Promise<HttpRoute | undefined>;
  /** Default: as the machine looks names up. */
  readonly lookup?: Lookup;
}

interface SearchEngine {
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

// The APIs that search the web: what each is asked and what it answers. Data and pure functions; nothing is sent here.

interface SearchQuery {
  readonly query: string;
  /** Host names. Empty: all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  readonly maxResults: number;
}

interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

interface SearchRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface QueryLength {
  readonly characters: number;
  readonly words?: number;
}

interface SearchApi {
  /** Undefined: there is none, and the user gives it. */
  readonly baseUrl: string | undefined;
  readonly needsKey: boolean;
  /** The longest query that it takes. */
  readonly longest?: QueryLength;
  request(query: SearchQuery, baseUrl: string, key: string): SearchRequest;
  /** Of the answer's JSON. Contract: never throws; what is no result is left out. */
  hits(answer: unknown): readonly SearchHit[];
}

type SearchApiName = Exclude<SearchProviderName, 'model'>;

const BRAVE_LENGTH: QueryLength = { characters: 400, words: 50 };

const SEARCH_APIS: Readonly<Record<SearchApiName, SearchApi>> = {
  brave: {
    baseUrl: 'https://api.search.brave.com/res/v1/web/search',
    needsKey: true,
    longest: BRAVE_LENGTH,
    request: (query, baseUrl, key) => ({
      url: withParameters(baseUrl, {
        q: withSites(query, BRAVE_LENGTH),
        count: String(Math.min(20, query.maxResults)),
        text_decorations: 'false',
      }),
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    hits: (answer) => hitsIn(at(answer, 'web', 'results'), 'description'),
  },
  tavily: {
    baseUrl: 'https://api.tavily.com/search',
    needsKey: true,
    request: ({ query, maxResults, allowedDomains, blockedDomains }, baseUrl, key) => ({
      url: new URL(baseUrl),
      headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
      body: JSON.stringify({
        query,
        max_results: Math.min(20, maxResults),
        ...(allowedDomains.length === 0 ? {} : { include_domains: allowedDomains }),
        ...(blockedDomains.length === 0 ? {} : { exclude_domains: blockedDomains }),
      }),
    }),
    hits: (answer) => hitsIn(at(answer, 'results'), 'content'),
  },
  exa: {
    baseUrl: 'https://api.exa.ai/search',
    needsKey: true,
    request: ({ query, maxResults, allowedDomains, blockedDomains }, baseUrl, key) => ({
      url: new URL(baseUrl),
      headers: { ...JSON_HEADERS, 'x-api-key': key },
      body: JSON.stringify({
        query,
        numResults: Math.min(100, maxResults),
        contents: { text: { maxCharacters: MAX_SNIPPET } },
        ...(allowedDomains.length === 0 ? {} : { includeDomains: allowedDomains }),
        ...(blockedDomains.length === 0 ? {} : { excludeDomains: blockedDomains }),
      }),
    }),
    hits: (answer) => hitsIn(at(answer, 'results'), 'text'),
  },
  searxng: {
    baseUrl: undefined,
    needsKey: false,
    request: (query, baseUrl, key) => ({
      url: withParameters(`${baseUrl.replace(/\/+$/, '').replace(/\/search$/, '')}/search`, {
        q: withSites(query),
        format: 'json',
      }),
      headers: { accept: 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) },
    }),
    hits: (answer) => hitsIn(at(answer, 'results'), 'content'),
  },
};

const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' };
const MAX_TITLE = 200;
const MAX_SNIPPET = 500;

function withParameters(baseUrl: string, parameters: Readonly<Record<string, string>>): URL {
  const url = new URL(baseUrl);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** For engines that know domains as words of the query. Those that would make it too long are left to what is found. */
function withSites({ query, allowedDomains, blockedDomains }: SearchQuery, longest?: QueryLength): string {
  const allowed = allowedDomains.map((domain) => `site:${domain}`).join(' OR ');
  const wishes = [
    ...(allowed === '' ? [] : [allowed.includes(' OR ') ? `(${allowed})` : allowed]),
    ...blockedDomains.map((domain) => `-site:${domain}`),
  ];
  let whole = query;
  for (const wish of wishes) {
    const longer = `${whole} ${wish}`;
    if (longest === undefined || !isLonger(longer, longest)) whole = longer;
  }
  return whole;
}

function isLonger(query: string, { characters, words = characters }: QueryLength): boolean {
  return query.length > characters || query.split(/\s+/).length > words;
}

function at(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) found = (found as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return found;
}

function hitsIn(list: unknown, snippetField: string): readonly SearchHit[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown) => {
    const url = at(each, 'url');
    if (typeof url !== 'string') return [];
    const title = plain(at(each, 'title'), MAX_TITLE);
    return [
      {
        title: title === '' ? url.slice(0, MAX_TITLE) : title,
        url,
        snippet: plain(at(each, snippetField), MAX_SNIPPET),
      },
    ];
  });
}

/** Of one line, without marks of the engine's own. */
function plain(value: unknown, length: number): string {
  if (typeof value !== 'string') return '';
  return value
    .slice(0, 4 * length)
    .replace(/<\/?(?:strong|b|em|i|mark)>/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, length);
}

// What a provider found that searched by itself, out of the parts of its reply. Pure: what is no result is left out.

/** Of a part as the Messages API or the Responses API sends it. Contract: never throws. */
function hitsOfPart(part: unknown): readonly SearchHit[] {
  const { type, content, citation } = recordOf(part);
  switch (type) {
    case 'web_search_tool_result':
      return listOf(content).flatMap((each) => hitOf(each));
    case 'citations_delta':
      return hitOf(citation);
    case 'message':
      return listOf(content).flatMap((each) => listOf(recordOf(each)['annotations']).flatMap((note) => hitOf(note)));
    default:
      return [];
  }
}

/** One for each address: its title, and the longest excerpt that is cited. */
export function collectHits(parts: readonly unknown[]): readonly SearchHit[] {
  const found = new Map<string, SearchHit>();
  for (const hit of parts.flatMap(hitsOfPart)) {
    const known = found.get(hit.url);
    const snippet = [known?.snippet ?? '', hit.snippet].reduce((a, b) => (b.length > a.length ? b : a));
    found.set(hit.url, { url: hit.url, title: known?.title ?? hit.title, snippet });
  }
  return [...found.values()];
}

function hitOf(value: unknown): readonly SearchHit[] {
  const { url, title, cited_text: cited } = recordOf(value);
  if (typeof url !== 'string' || url === '') return [];
  const shown = typeof title === 'string' && title.trim() !== '' ? title : url;
  return [{ url, title: shown.slice(0, 200), snippet: typeof cited === 'string' ? cited.trim().slice(0, 500) : '' }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
