// The web: which machine an address may lead to, one request within limits, HTML as Markdown, and the APIs that search.
// Loaded with the first call of a tool for the web.
export { admitAddress, type Dial, dialAddress, type Lookup, type WebRules } from './dial-address.js';
export { createPageCache, type FetchedPage, fetchPage, lookUp, upgraded, type WebReach } from './fetch-page.js';
export type { MarkdownPage } from './html-to-markdown.js';
export type { HtmlPage } from './page-markdown.js';
export { checkEngine, collectHits, isWanted, searchWeb } from './search-web.js';
export { sendRequest, type WebResponse } from './web-request.js';
