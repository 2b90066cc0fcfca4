// Pages and files of the web: which machine an address may lead to, one request within limits, HTML as Markdown.
// Loaded with the first call of a tool for the web.
export { admitAddress, type Lookup, type WebRules } from './admit-address.js';
export { createPageCache, type FetchedPage, fetchPage, lookUp, upgraded, type WebReach } from './fetch-page.js';
export type { MarkdownPage } from './html-to-markdown.js';
export type { HtmlPage } from './page-markdown.js';
export { type Dial, dialAddress } from './pinned-agent.js';
export { sendRequest, type WebResponse } from './web-request.js';
