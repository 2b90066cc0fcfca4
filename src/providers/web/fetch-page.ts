// A web page as text, or a file of the web as it is. One rule: what was decided on, what is checked and what is connected
// to are one parsed address; a server may send to another page of its host, and to no other host.
import { lookup } from 'node:dns/promises';
import type { HostClock } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import { readAddress } from '../../util/web-address.js';
import type { HttpRoute } from '../http/index.js';
import { type Admitted, admitAddress, type Dial, dialAddress, type Lookup, type WebRules } from './dial-address.js';
import { decodePage, type MarkdownPage } from './html-to-markdown.js';
import type { HtmlPage } from './page-markdown.js';
import { sendRequest, type WebLimits, type WebResponse, type WebWay } from './web-request.js';

/** What pages are fetched with. */
export interface WebReach {
  readonly clock: Pick<HostClock, 'after'>;
  readonly rules: WebRules;
  /** The way to an address; undefined: straight. @throws ConfigError */
  routeTo(url: URL): Promise<HttpRoute | undefined>;
  /** Makes Markdown of a page. @throws ToolError */
  convert(page: HtmlPage, signal: AbortSignal): Promise<MarkdownPage>;
  /** Default: as the machine looks names up. */
  readonly lookup?: Lookup;
  /** Default: a TCP connection. */
  readonly dial?: Dial;
  readonly limits?: Partial<WebLimits>;
}

export type FetchedPage =
  | {
      readonly kind: 'text';
      /** The address at which it was found, after redirects. */
      readonly url: string;
      readonly status: number;
      /** Markdown of a page, or the text as it was sent. */
      readonly text: string;
      readonly title: string;
      /** True if it was written to be read as it is: no page for browsers. */
      readonly isPlain: boolean;
      /** False: the rest is not there. */
      readonly isWhole: boolean;
    }
  | {
      readonly kind: 'file';
      readonly url: string;
      readonly status: number;
      /** `pdf`, `png`, `jpg`, `gif` or `webp`. */
      readonly extension: string;
      readonly bytes: Uint8Array;
    }
  /** To another host: whether that may be fetched is decided anew. */
  | { readonly kind: 'redirect'; readonly url: string; readonly status: number; readonly to: string };

const LIMITS: WebLimits = { totalMs: 30_000, maxBytes: 10 * 1024 * 1024 };
const MAX_REDIRECTS = 10;
/** Characters of a page that are kept. */
const MAX_TEXT = 1_000_000;
/** Bytes that hold as many characters in every encoding. */
const MAX_TEXT_BYTES = 4 * MAX_TEXT;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Of these the model is shown what they are. */
const FILES: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const HTML = ['text/html', 'application/xhtml+xml'];
const TEXT =
  /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|typescript|x-ndjson|jsonl|sql|x-sh|rss|atom|graphql|x-httpd-php)$|image\/svg\+xml$|message\/)/;
const ACCEPT = 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5';

/** @throws ToolError for what cannot be fetched, and why; AbortError */
export async function fetchPage(asked: string, reach: WebReach, signal: AbortSignal): Promise<FetchedPage> {
  const limits = { ...LIMITS, ...reach.limits };
  const first = readAddress(asked);
  if (first.kind === 'unusable') throw new ToolError(`The address cannot be fetched: ${first.why}.`);
  const { host } = first;
  let url = first.url;
  let known = null as { readonly port: number; readonly admitted: Admitted } | null;
  for (let followed = 0; followed <= MAX_REDIRECTS; followed++) {
    url = upgraded(url, first.isPublic);
    const route = await reach.routeTo(url);
    const isLookedUpElsewhere = route?.proxy != null;
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    if (known?.port !== port) {
      // A name is looked up once: what it led to then, it leads to for all of this.
      const pinned = known?.admitted.addresses ?? null;
      const lookup: Lookup = pinned === null ? (reach.lookup ?? lookUp) : async () => pinned;
      const admitting = admitAddress(host, port, { rules: reach.rules, lookup, isLookedUpElsewhere });
      known = { port, admitted: await admitting };
    }
    const way: WebWay = {
      addresses: known.admitted.addresses,
      route,
      dial: reach.dial ?? dialAddress,
      clock: reach.clock,
    };
    const wantsBody = ({ status, header }: Pick<WebResponse, 'status' | 'header'>): boolean =>
      !REDIRECTS.includes(status) && (status >= 400 || isReadable(mediaType(header('content-type'))));
    const response = await sendRequest({ url, headers: { accept: ACCEPT } }, way, limits, signal, wantsBody);
    if (!REDIRECTS.includes(response.status)) return readResponse(url, response, reach, signal);
    const next = redirectTarget(url, response);
    if (next.host !== host) {
      const to = upgraded(next.url, next.isPublic).href;
      return { kind: 'redirect', url: url.href, status: response.status, to };
    }
    url = next.url;
  }
  throw new ToolError(`${host} redirects more than ${MAX_REDIRECTS} times, so the page was given up.`);
}

/** What is public is asked for in a way that nobody on the way reads or changes. */
export function upgraded(url: URL, isPublic: boolean): URL {
  if (url.protocol !== 'http:' || url.port !== '' || !isPublic) return url;
  const secure = new URL(url.href);
  secure.protocol = 'https:';
  return secure;
}

/** @throws ToolError */
function redirectTarget(from: URL, { status, header }: WebResponse) {
  const location = header('location').trim();
  if (location === '') throw new ToolError(`${from.host} redirects (${status}) and names no address.`);
  const target = URL.canParse(location, from.href) ? readAddress(new URL(location, from.href).href) : null;
  if (target?.kind === 'address') return target;
  const why = target === null ? 'it is not a web address' : target.why;
  throw new ToolError(`${from.host} redirects (${status}) to an address that cannot be fetched: ${why}.`);
}

async function readResponse(
  url: URL,
  response: WebResponse,
  { convert }: WebReach,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const { status, bytes, isWhole } = response;
  const contentType = response.header('content-type');
  const said = mediaType(contentType);
  const found = { url: url.href, status };
  const extension = Object.hasOwn(FILES, said) ? FILES[said] : isUnknown(said) ? extensionOf(bytes) : undefined;
  if (extension !== undefined) {
    if (isWhole) return { kind: 'file', ...found, extension, bytes };
    throw new ToolError(`${url.href} is a file of more than ${bytes.length} bytes, which is too large to be shown.`);
  }
  if (!isReadable(said) && status < 400)
    throw new ToolError(
      `${url.href} is ${JSON.stringify(said.slice(0, 80))}, which is not a page. If the file is needed, download it with a command in Bash.`,
    );
  if (bytes.subarray(0, 8_192).includes(0) && !/charset\s*=\s*"?utf-?(?:16|32)/i.test(contentType) && !hasMark16(bytes))
    throw new ToolError(`${url.href} is said to be text, and holds binary data.`);
  if (HTML.includes(said) || (isUnknown(said) && looksLikeHtml(bytes))) {
    const address = url.href;
    const page = await convert({ bytes, contentType, address, maxLength: MAX_TEXT }, signal);
    const { markdown, title } = page;
    return { kind: 'text', ...found, text: markdown, title, isPlain: false, isWhole: isWhole && page.isWhole };
  }
  const text = decodePage(bytes.subarray(0, MAX_TEXT_BYTES), contentType);
  const isAll = isWhole && bytes.length <= MAX_TEXT_BYTES && text.length <= MAX_TEXT;
  return { kind: 'text', ...found, text: text.slice(0, MAX_TEXT), title: '', isPlain: true, isWhole: isAll };
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function isReadable(type: string): boolean {
  return isUnknown(type) || HTML.includes(type) || Object.hasOwn(FILES, type) || TEXT.test(type);
}

function isUnknown(type: string): boolean {
  return type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream';
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['%PDF-', 'pdf'],
  ['\x89PNG\r\n', 'png'],
  ['\xff\xd8\xff', 'jpg'],
  ['GIF8', 'gif'],
];

function extensionOf(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 16));
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'webp';
  // As that decoder reads them, which is Windows' way.
  const mark = (text: string) => new TextDecoder('latin1').decode(Uint8Array.from(text, (c) => c.charCodeAt(0)));
  return MAGIC.find(([magic]) => head.startsWith(mark(magic)))?.[1];
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 512)).trimStart();
  return /^(?:\xef\xbb\xbf|ï»¿)?<(?:!doctype html|html|head|body)\b/i.test(head);
}

function hasMark16([first, second]: Uint8Array): boolean {
  return (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
}

/** As the machine looks names up. */
export async function lookUp(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

// Pages that were fetched a short while ago. One rule: what it holds is limited by bytes, the oldest goes first.

type Page = Extract<FetchedPage, { kind: 'text' }>;

interface PageCache {
  get(url: string): Page | null;
  set(url: string, page: Page): void;
}

const KEPT_MS = 15 * 60_000;
/** Of text, two bytes a character. */
const MAX_BYTES = 16 * 1024 * 1024;

export function createPageCache({ monotonic }: Pick<HostClock, 'monotonic'>): PageCache {
  const kept = new Map<string, { readonly page: Page; readonly at: number }>();
  let bytes = 0;
  const sizeOf = (url: string, { text }: Page): number => 2 * (url.length + text.length) + 500;
  const drop = (url: string): void => {
    const entry = kept.get(url);
    if (entry === undefined) return;
    kept.delete(url);
    bytes -= sizeOf(url, entry.page);
  };
  return {
    get(url) {
      const entry = kept.get(url);
      if (entry === undefined) return null;
      if (monotonic() - entry.at < KEPT_MS) return entry.page;
      drop(url);
      return null;
    },
    set(url, page) {
      drop(url);
      const size = sizeOf(url, page);
      if (size > MAX_BYTES) return;
      kept.set(url, { page, at: monotonic() });
      bytes += size;
      for (const oldest of kept.keys()) {
        if (bytes <= MAX_BYTES) return;
        drop(oldest);
      }
    },
  };
}
